"""Asking the index: the question in its terms, and more of its proposals where a filter left too few.

Belongs here: what every channel that searches the index shares. Does not belong here: what is chosen of the proposals, and
how the index scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from muniment.domain.enums import ItemKind
from muniment.domain.query import Proposal
from muniment.domain.scope import partitions_of, visible_to
from muniment.domain.time import micros
from muniment.domain.token import Token, known_in
from muniment.ports.index import Index, IndexQuery
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall

FURTHER: Final = 8
"""By how much more is asked for where a filter left too little."""

SPARE: Final = 2
"""How many proposals are asked for per hit wanted, so that what the store refuses can be made up for."""


def index_query(ask: Ask, unit: ReadUnit, kind: ItemKind, *, k: int, eligibility: frozenset[str]) -> IndexQuery:
    """The question in the index's terms, bounded by the unit's snapshot."""
    known_at = ask.as_of.known_at
    keys = partitions_of(ask.reader)
    marks = {key: known_in(known_at, key) for key in keys} if isinstance(known_at, Token) else None
    preset = ask.policy.retrieval
    return IndexQuery(
        text=ask.query,
        vector=ask.vector,
        kinds=frozenset({kind}),
        scopes=visible_to(ask.reader),
        partitions=keys,
        k=k,
        now=micros(known_at or unit.now),
        valid_at=micros(ask.as_of.valid_at or known_at),
        known_at=micros(known_at),
        known_marks=None if marks is None else {key: micros(at) or 0 for key, at in marks.items() if at is not None},
        since=micros(ask.since),
        until=micros(ask.until),
        eligibility=eligibility,
        types=None if ask.types is None else frozenset(item.value for item in ask.types),
        preset=preset.preset,
        role_prior=preset.role_prior if ask.role_prior is None else ask.role_prior,
        question_at=ask.as_of.valid_at or known_at or unit.now,
    )


Choose = Callable[[Ask, ReadUnit, Sequence[Proposal]], Recall]


def recalled(ask: Ask, unit: ReadUnit, index: Index, query: IndexQuery, choose: Choose) -> Recall:
    """What is chosen of the proposals; as the index knows no metadata, a filter on it is given more of them until it has
    enough or has seen all."""
    while True:
        proposals = index.search(unit, query)
        recall = choose(ask, unit, proposals)
        if ask.where is None or len(recall.hits) >= ask.k or len(proposals) < query.k:
            return recall
        query = replace(query, k=query.k * FURTHER)
