"""What was actually said: hybrid search over turns and passages.

Belongs here: which proposals are shown. Does not belong here: how the index scores, and what of it is history (`history`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import Eligibility, ItemKind
from muniment.domain.query import Proposal
from muniment.domain.records import Evidence
from muniment.ports.index import Index
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.channels.hits import evidence_hit, strongest
from muniment.retrieval.channels.proposals import SPARE, index_query, recalled


@dataclass(frozen=True, slots=True)
class EvidenceChannel:
    """What was actually said: hybrid search over turns and passages."""

    index: Index
    name = "evidence"
    semantic = True

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """The turns and passages that answer best; refused words never, suspected ones with a flag."""
        shown = frozenset({Eligibility.ELIGIBLE.value, Eligibility.QUARANTINED.value, Eligibility.HISTORY.value})
        query = index_query(ask, unit, ItemKind.EVIDENCE, k=ask.k * SPARE, eligibility=shown)
        return recalled(ask, unit, self.index, query, self._chosen)

    def _chosen(self, ask: Ask, unit: ReadUnit, proposals: Sequence[Proposal]) -> Recall:
        recall, enough = Recall(), ask.k * 2
        # Read a stretch at a time: the later proposals only make up for what is refused of the first.
        for start in range(0, len(proposals), enough):
            some = proposals[start : start + enough]
            pieces = unit.evidence(item.ref for item in some)
            for item in some:
                piece = pieces.get(item.ref)
                if piece is None or piece.eligibility is Eligibility.AUDIT_ONLY or not ask.wants(piece):
                    continue
                if ask.min_score is not None and item.relevance < ask.min_score:
                    recall.dropped.append(Dropped(id=item.ref, reason="below min_score", text=piece.content[:120]))
                elif len(recall.hits) < enough:
                    recall.hits.append(self._hit(piece, item))
            if len(recall.hits) >= enough:
                break
        return recall

    def _hit(self, piece: Evidence, item: Proposal) -> Hit:
        parts = {**item.parts, "relevance": item.relevance}
        return evidence_hit(piece, channel=self.name, score=item.score, parts=parts, reason=strongest(item.parts))
