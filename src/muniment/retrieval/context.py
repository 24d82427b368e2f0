"""A governed context: what binds always, what answers above the floor, what was just said, and what disagrees.

Belongs here: which hits a context is made of. Does not belong here: recall (`search`) and layout (`build`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from muniment.domain.answers import Context, Dropped, Hit
from muniment.domain.enums import Eligibility, MemoryType, Scope
from muniment.domain.records import Evidence, Fact
from muniment.ports.models import TokenCounter
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval import adjudicate, gone, history
from muniment.retrieval.ask import Ask
from muniment.retrieval.build import Material, build
from muniment.retrieval.channels.hits import fact_hit
from muniment.retrieval.search import Recalled, Search
from muniment.text.tokenizer import cjk_share

STRUCTURED = 200
"""Facts that bind or belong to the running task or session, read at most."""


RUNNING = frozenset({MemoryType.RULE, MemoryType.CONSTRAINT, MemoryType.PREFERENCE})
"""Types that bear on a running task whatever is asked."""


LEFT_OUT: Final[Mapping[str, str]] = {
    history.HISTORY: "history: what it grounded no longer holds",
    history.PAST: "it tells of a time that is over",
    history.ELSEWHERE: "it is about another place, or was meant for another session",
    history.UNVERIFIED: "it says of itself that it is unverified",
}
"""Why evidence with a flag is left out of a prompt, unless the question asks for such."""


def _always(fact: Fact) -> bool:
    """Whether a fact applies to every question: a rule, or a constraint that binds."""
    return fact.memory_type is MemoryType.RULE or adjudicate.binds(fact)


@dataclass(slots=True)
class Contexts:
    """The whole read path over its ports."""

    search: Search
    counter: TokenCounter

    def context(self, ask: Ask, *, budget: int, system: Sequence[str] = ()) -> Context:
        """The context of one question, within `budget` tokens."""
        ask = self.search.check(ask)
        with self.search.recalled(ask, in_context=True) as (unit, found):
            material, dropped = self._material(ask, unit, found)
            token = unit.token
        material.system = system
        material.evidence = self._better(ask, material, found)
        made = build(material, caps=ask.policy.context, counter=self.counter, budget=budget)
        return replace(
            made,
            dropped=(*found.dropped, *dropped, *made.dropped),
            degraded=tuple(found.degraded),
            route=found.route,
            known_at=token,
        )

    def _material(self, ask: Ask, unit: ReadUnit, found: Recalled) -> tuple[Material, list[Dropped]]:
        named = found.by_channel
        facts = [hit for hit in (*named.get("exact", []), *named.get("facts", [])) if isinstance(hit.item, Fact)]
        wanted = ask.channels is None or "facts" in ask.channels
        facts += self._structured(ask, unit, facts) if wanted and found.route.stopped is None else []
        facts, dropped = adjudicate.shadow(facts, ask.policy)
        cited = {ref for hit in facts if isinstance(hit.item, Fact) for ref in hit.item.evidence}
        window = named.get("window", [])
        shown = {hit.id for hit in window}
        pinned = [hit for hit in named.get("exact", []) if isinstance(hit.item, Evidence)]
        said = [hit for hit in named.get("evidence", []) if hit.id not in {other.id for other in pinned}]
        evidence, more = self._evidence(ask, unit, pinned, said, shown=shown, cited=cited)
        language = "zh" if cjk_share(ask.query) >= 0.2 else "en"
        conflicts = adjudicate.conflicts((hit.item for hit in facts if isinstance(hit.item, Fact)), unit)
        held = [hit.item for hit in facts if isinstance(hit.item, Fact)]
        past = gone.timeline(unit, found.past)
        told = {(row.fact_id, row.segment) for row in past}
        material = Material(
            question=ask.query,
            language=language,
            facts=[
                hit
                for hit in facts
                if isinstance(hit.item, Fact)
                and not gone.is_unknown(hit.item)
                and (hit.item.fact_id, hit.item.segment) not in told
            ],
            gone=gone.gone(unit, found.lost, held),
            past=past,
            window=window,
            evidence=evidence,
            conflicts=conflicts,
        )
        return material, [*dropped, *more]

    def _better(self, ask: Ask, material: Material, found: Recalled) -> list[Hit]:
        """The evidence in the reranker's order, where there is one; the grounds of facts shown still come last."""
        cited = {ref for hit in material.facts if isinstance(hit.item, Fact) for ref in hit.item.evidence}
        free = [hit for hit in material.evidence if hit.id not in cited]
        grounds = [hit for hit in material.evidence if hit.id in cited]
        return [*self.search.reranked(ask, free, found), *grounds]

    @staticmethod
    def _structured(ask: Ask, unit: ReadUnit, have: Sequence[Hit]) -> list[Hit]:
        """What needs no search: rules, constraints that bind, and whatever belongs to the running task or session; while
        a task runs, the user's preferences and constraints too, since they bear on how it is done."""
        types = RUNNING if ask.reader.task is not None else RUNNING - {MemoryType.PREFERENCE}
        typed = unit.facts(FactFilter(types=types, limit=STRUCTURED))
        near = unit.facts(FactFilter(scopes=frozenset({Scope.TASK.value, Scope.SESSION.value}), limit=STRUCTURED))
        chosen = [fact for fact in typed if ask.reader.task is not None or _always(fact)]
        known = {hit.id for hit in have}
        rows = {(fact.fact_id, fact.segment): fact for fact in (*chosen, *near) if fact.fact_id not in known}
        return [
            fact_hit(fact, channel="facts", score=1.0, parts={}, reason="applies here whatever is asked")
            for fact in rows.values()
        ]

    @staticmethod
    def _evidence(
        ask: Ask, unit: ReadUnit, pinned: Sequence[Hit], said: Sequence[Hit], *, shown: set[UUID], cited: set[UUID]
    ) -> tuple[list[Hit], list[Dropped]]:
        """Evidence fit for a prompt: above the floor, neither suspected nor history; the grounds of facts shown come last."""
        floor = ask.policy.retrieval.floor if ask.min_score is None else ask.min_score
        kept: list[Hit] = []
        grounds: list[Hit] = []
        dropped: list[Dropped] = []
        asked = history.wanted(ask.query)
        for hit in adjudicate.as_history([*pinned, *said], unit):
            if unwanted := [flag for flag in LEFT_OUT if flag in hit.why.flags and flag not in asked]:
                reason = LEFT_OUT[unwanted[0]]
            elif isinstance(hit.item, Evidence) and hit.item.eligibility is not Eligibility.ELIGIBLE:
                reason = "quarantined: it reads like an instruction or a claim of authority"
            elif hit.why.channel != "exact" and hit.parts.get("relevance", 0.0) < floor:
                reason = "below the floor"
            elif hit.id in shown:
                reason = "said already by a turn shown"
            else:
                (grounds if hit.id in cited else kept).append(hit)
                continue
            dropped.append(Dropped(id=hit.id, reason=reason, text=hit.text[:120]))
        kept, same = adjudicate.fold([*kept, *grounds])
        return kept, [*dropped, *same]
