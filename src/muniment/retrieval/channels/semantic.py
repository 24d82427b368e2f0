"""Facts and evidence by meaning and keyword: the index proposes, the store disposes.

Belongs here: the two channels that search the index. Does not belong here: how the index scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muniment.domain.answers import Dropped
from muniment.domain.enums import Eligibility, ItemKind, Standing
from muniment.domain.query import Proposal
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import partitions_of, visible_to
from muniment.domain.time import micros
from muniment.domain.token import Token, known_in
from muniment.ports.index import Index, IndexQuery
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.asked import VERBATIM, asks_exactly, meant
from muniment.retrieval.channels.hits import evidence_hit, fact_hit, strongest
from muniment.retrieval.history import HISTORY, wanted
from muniment.retrieval.where import matches

FURTHER = 8
"""By how much more is asked for where a filter left too little."""

SPARE = 2
"""How many proposals are asked for per hit wanted, so that what the store refuses can be made up for."""


def index_query(
    ask: Ask, unit: ReadUnit, kind: ItemKind, *, vector: Any, k: int, eligibility: frozenset[str]
) -> IndexQuery:
    """The question in the index's terms, bounded by the unit's snapshot."""
    known_at = ask.as_of.known_at
    keys = partitions_of(ask.reader)
    marks = {key: known_in(known_at, key) for key in keys} if isinstance(known_at, Token) else None
    preset = ask.policy.retrieval
    return IndexQuery(
        text=ask.query,
        vector=vector,
        kinds=frozenset({kind}),
        scopes=visible_to(ask.reader),
        partitions=keys,
        k=k,
        now=micros(unit.now),
        valid_at=micros(ask.as_of.valid_at or known_at),
        known_at=micros(known_at),
        known_marks=None if marks is None else {key: micros(at) or 0 for key, at in marks.items() if at is not None},
        since=micros(ask.since),
        until=micros(ask.until),
        eligibility=eligibility,
        types=None if ask.types is None else frozenset(item.value for item in ask.types),
        preset=preset.preset,
        role_prior=preset.role_prior if ask.role_prior is None else ask.role_prior,
        question_at=unit.now if ask.as_of.valid_at is None else ask.as_of.valid_at,
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


@dataclass(frozen=True, slots=True)
class FactsChannel:
    """Preferences, constraints, rules, decisions, facts: hybrid search, above the floor."""

    index: Index
    name = "facts"

    def recall(self, ask: Ask, unit: ReadUnit, vector: Any) -> Recall:
        """The facts in force that bear on the question; those below the confidence, and the nearest
        below the floor, are listed as dropped."""
        query = index_query(
            ask, unit, ItemKind.FACT, vector=vector, k=ask.k * SPARE, eligibility=frozenset(Eligibility)
        )
        recall = recalled(ask, unit, self.index, query, self._chosen)
        if HISTORY in wanted(ask.query):
            recall.past = self._past(ask, unit, replace(query, include_history=True))
        return recall

    def _past(self, ask: Ask, unit: ReadUnit, query: IndexQuery) -> list[Fact]:
        """What bears on the question of all that ever held, one version of each fact."""
        floor = ask.policy.retrieval.floor if ask.min_score is None else ask.min_score
        found = self.index.search(unit, query)
        sure = {item.ref for item in found if item.relevance >= floor}
        rows = unit.facts(FactFilter(ids=tuple({item.ref for item in found}), include_inactive=True))
        return [
            row
            for row in {row.fact_id: row for row in rows}.values()
            if _wanted(row.metadata, ask) and (row.fact_id in sure or meant(ask.query, row, ask.policy))
        ]

    def _chosen(self, ask: Ask, unit: ReadUnit, proposals: Sequence[Proposal]) -> Recall:
        floor = ask.policy.retrieval.floor if ask.min_score is None else ask.min_score
        near = _near(proposals, floor, ask.k)
        rows = unit.facts(FactFilter(ids=tuple({item.ref for item in near}), include_doubtful=True))
        recall = Recall()
        if asks_exactly(ask.query):
            kept = unit.facts(FactFilter(predicate=VERBATIM, types=ask.types, limit=ask.k))
            recall.hits = [
                fact_hit(fact, channel=self.name, score=1.0, parts={"exactly": 1.0}, reason="kept to the letter")
                for fact in kept
                if _wanted(fact.metadata, ask)
            ]
        pinned = {hit.id for hit in recall.hits}
        by_version = {(row.fact_id, row.revision, row.segment): row for row in rows if row.fact_id not in pinned}
        for item in near:
            fact = by_version.get((item.ref, item.revision, item.segment))
            if fact is None or not _wanted(fact.metadata, ask):
                continue
            if fact.confidence < ask.policy.retrieval.min_confidence:
                recall.dropped.append(
                    Dropped(id=fact.fact_id, reason="below retrieval.min_confidence", text=fact.content)
                )
            elif item.relevance < floor and not meant(ask.query, fact, ask.policy):
                recall.dropped.append(Dropped(id=fact.fact_id, reason="below the floor", text=fact.content))
            elif fact.standing is Standing.UNSUPPORTED:
                since = "" if fact.valid_from is None else f" since {fact.valid_from.date().isoformat()}"
                recall.lost.append(fact)
                recall.dropped.append(
                    Dropped(id=fact.fact_id, reason=f"not known{since}: what it rested on changed", text=fact.content)
                )
            elif len(recall.hits) < ask.k:
                parts = {**item.parts, "relevance": item.relevance}
                recall.hits.append(
                    fact_hit(fact, channel=self.name, score=item.score, parts=parts, reason=strongest(item.parts))
                )
        return recall


@dataclass(frozen=True, slots=True)
class EvidenceChannel:
    """What was actually said: hybrid search over turns and passages."""

    index: Index
    name = "evidence"

    def recall(self, ask: Ask, unit: ReadUnit, vector: Any) -> Recall:
        """The turns and passages that answer best; refused words never, suspected ones with a flag."""
        shown = frozenset({Eligibility.ELIGIBLE.value, Eligibility.QUARANTINED.value, Eligibility.HISTORY.value})
        query = index_query(ask, unit, ItemKind.EVIDENCE, vector=vector, k=ask.k * SPARE, eligibility=shown)
        return recalled(ask, unit, self.index, query, self._chosen)

    def _chosen(self, ask: Ask, unit: ReadUnit, proposals: Sequence[Proposal]) -> Recall:
        recall, enough = Recall(), ask.k * 2
        # Read a stretch at a time: the later proposals only make up for what is refused of the first.
        for start in range(0, len(proposals), enough):
            some = proposals[start : start + enough]
            pieces = unit.evidence(item.ref for item in some)
            for item in some:
                piece = pieces.get(item.ref)
                if piece is None or piece.eligibility is Eligibility.AUDIT_ONLY or not _wanted(piece.metadata, ask):
                    continue
                if ask.min_score is not None and item.relevance < ask.min_score:
                    recall.dropped.append(Dropped(id=item.ref, reason="below min_score", text=piece.content[:120]))
                elif len(recall.hits) < enough:
                    recall.hits.append(self._hit(piece, item))
            if len(recall.hits) >= enough:
                break
        return recall

    def _hit(self, piece: Evidence, item: Proposal) -> Any:
        parts = {**item.parts, "relevance": item.relevance}
        return evidence_hit(piece, channel=self.name, score=item.score, parts=parts, reason=strongest(item.parts))


def _near(proposals: Sequence[Proposal], floor: float, k: int) -> list[Proposal]:
    """The proposals without those below the floor, but for the first `k` of these: only they are read, and listed."""
    below = 0
    near = []
    for item in proposals:
        below += item.relevance < floor
        if item.relevance >= floor or below <= k:
            near.append(item)
    return near


def _wanted(metadata: Any, ask: Ask) -> bool:
    return ask.where is None or matches(ask.where, metadata)
