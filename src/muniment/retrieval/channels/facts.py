"""The facts in force that bear on a question: the index proposes, the store disposes.

Belongs here: which proposals are shown, which are dropped and why. Does not belong here: how the index scores, and what
applies whatever is asked (`context`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from muniment.domain.answers import Dropped
from muniment.domain.enums import Eligibility, ItemKind, Standing
from muniment.domain.query import Proposal
from muniment.domain.records import Fact
from muniment.ports.index import Index, IndexQuery
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.asked import VERBATIM, asks_exactly, meant
from muniment.retrieval.channels.hits import fact_hit, strongest
from muniment.retrieval.channels.proposals import SPARE, index_query, recalled
from muniment.retrieval.history import HISTORY, wanted


@dataclass(frozen=True, slots=True)
class FactsChannel:
    """Preferences, constraints, rules, decisions, facts: hybrid search, above the floor."""

    index: Index
    name = "facts"
    semantic = True

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """The facts in force that bear on the question; those below the confidence, and the nearest
        below the floor, are listed as dropped."""
        query = index_query(ask, unit, ItemKind.FACT, k=ask.k * SPARE, eligibility=frozenset(Eligibility))
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
            if ask.wants(row) and (row.fact_id in sure or meant(ask.query, row, ask.policy))
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
                if ask.wants(fact)
            ]
        pinned = {hit.id for hit in recall.hits}
        by_version = {(row.fact_id, row.revision, row.segment): row for row in rows if row.fact_id not in pinned}
        for item in near:
            fact = by_version.get((item.ref, item.revision, item.segment))
            if fact is None or not ask.wants(fact):
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


def _near(proposals: Sequence[Proposal], floor: float, k: int) -> list[Proposal]:
    """The proposals without those below the floor, but for the first `k` of these: only they are read, and listed."""
    below = 0
    near = []
    for item in proposals:
        below += item.relevance < floor
        if item.relevance >= floor or below <= k:
            near.append(item)
    return near
