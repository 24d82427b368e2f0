"""What a summary's lines rest on: which of it still stands for a reader, as of the read's instants.

A line may be shown while everything it names holds: a fact in force, not in dispute and sure enough; words that may be offered,
that are not history, hearsay or another place's, and that no fact out of this reader's sight was told in.

Belongs here: that check, for reads and for whoever makes summaries. Does not belong here: the channel, the making.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Eligibility, Standing
from muniment.domain.records import Evidence, Fact
from muniment.domain.summaries import Summary
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval import history
from muniment.retrieval.channels.hits import evidence_hit

_NOT_NOW: Final = frozenset({history.HISTORY, history.UNVERIFIED, history.ELSEWHERE})
SLICE: Final = 400
"""Ids that are looked up at a time."""


def facts_standing(unit: ReadUnit, ids: Collection[UUID], policy: Policy) -> list[Fact]:
    """Those of the facts that hold for this reader, without a dispute about them, in the order they were recorded."""
    listed = list(dict.fromkeys(ids))
    rows: dict[UUID, Fact] = {}
    for start in range(0, len(listed), SLICE):
        for row in unit.facts(FactFilter(ids=tuple(listed[start : start + SLICE]))):
            rows[row.fact_id] = row
    sure = policy.retrieval.min_confidence
    return [row for row in rows.values() if row.standing is Standing.HELD and row.confidence >= sure]


def pieces_standing(unit: ReadUnit, pieces: Sequence[Evidence]) -> list[Evidence]:
    """Those of the pieces that may be told from, in their order."""
    offered = [piece for piece in pieces if piece.eligibility is Eligibility.ELIGIBLE]
    if not offered:
        return []
    apart = unit.kept_apart(piece.evidence_id for piece in offered)
    hits = [
        evidence_hit(piece, channel="summary", score=0.0, parts={}, reason="")
        for piece in offered
        if piece.evidence_id not in apart
    ]
    marked = history.marked(hits, unit)
    return [hit.item for hit in marked if isinstance(hit.item, Evidence) and not _NOT_NOW.intersection(hit.why.flags)]


def standing(unit: ReadUnit, refs: Collection[UUID], policy: Policy) -> set[UUID]:
    """Those of the ids, of facts and of evidence, that a line may rest on now, for this reader."""
    listed = list(dict.fromkeys(refs))
    found = {row.fact_id for row in facts_standing(unit, listed, policy)}
    pieces = unit.evidence(ref for ref in listed if ref not in found)
    return found | {piece.evidence_id for piece in pieces_standing(unit, list(pieces.values()))}


def as_they_stand(unit: ReadUnit, found: Sequence[Summary], policy: Policy) -> list[Summary]:
    """The summaries with only the lines that still stand for this reader, counting those left out as `stale`."""
    refs = {ref for item in found for ref in item.rests_on}
    ground = standing(unit, refs, policy)
    return [item.standing_on(ground) for item in found]
