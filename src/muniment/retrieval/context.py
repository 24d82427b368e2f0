"""A governed context: what applies always, what answers above the floor, what was just said, and what disagrees.

Belongs here: which hits a context is made of. Does not belong here: recall (`search`), summaries' lines (`retold`), layout
(`build`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from muniment.domain.answers import Dropped, Hit
from muniment.domain.contexts import Context, MadeWith
from muniment.domain.enums import Eligibility, MemoryType, Scope
from muniment.domain.errors import InvalidInput
from muniment.domain.passages import Passage
from muniment.domain.records import Evidence, Fact
from muniment.ports.models import TokenCounter
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval import adjudicate, gone, history, takeover
from muniment.retrieval.ask import Ask
from muniment.retrieval.build import build
from muniment.retrieval.channels.hits import fact_hit
from muniment.retrieval.fence import FENCE
from muniment.retrieval.material import Material
from muniment.retrieval.retold import retold
from muniment.retrieval.search import Recalled, Search
from muniment.text.tokenizer import TOKENIZER_ID, cjk_share

STRUCTURED: Final = 200
"""Facts that apply whatever is asked, read at most of each kind, the latest."""

RUNNING: Final = frozenset({MemoryType.RULE, MemoryType.CONSTRAINT, MemoryType.PREFERENCE})
"""Types that bear on a running task whatever is asked."""

CHINESE: Final = 0.2
"""Share of Chinese characters from which a text is taken for Chinese."""

FIT: Final = frozenset({Eligibility.ELIGIBLE, Eligibility.HISTORY})
"""What evidence in a prompt may be: not suspected of giving orders. Whether it is history its own marks say."""

LEFT_OUT: Final[Mapping[str, str]] = {
    history.HISTORY: "history: what it grounded no longer holds",
    history.PAST: "it tells of a time that is over",
    history.ELSEWHERE: "it is about another place, or was meant for another session",
    history.UNVERIFIED: "it says of itself that it is unverified",
    history.UNWANTED: "later words perhaps ask to forget it",
}
"""Why evidence with a flag is left out of a prompt, unless the question asks for such."""


QUARANTINED: Final = "quarantined: it reads like an instruction or a claim of authority"
"""Why suspected words are left out of a prompt, whoever asks."""


@dataclass(slots=True)
class Contexts:
    """The whole read path over its ports; `code` is the version of the library."""

    search: Search
    counter: TokenCounter
    code: str = ""

    def context(self, ask: Ask, *, budget: int, system: Sequence[str] = (), language: str | None = None) -> Context:
        """The context of one question, within `budget` tokens; headings in `language`, else in the question's. Raises
        `InvalidInput` for a language that there is not."""
        if language is not None and language not in FENCE:
            raise InvalidInput(f"no language {language!r}; known are {', '.join(FENCE)}")
        ask = self.search.check(ask)
        with self.search.recalled(ask, in_context=True) as (unit, found):
            material, dropped = self._material(ask, unit, found, language)
            token, made_with = unit.token, self._made_with(ask)
            if ask.as_of.known_at is not None and (count := unit.forgotten_later()):
                dropped.append(Dropped(id=None, reason=f"forgotten since: {count} memories, which no read brings back"))
        # All is read: nothing below holds the snapshot.
        material.system = system
        material.evidence = self._better(ask, material, found)
        made = build(material, caps=ask.policy.context, counter=self.counter, budget=budget)
        return replace(
            made,
            dropped=(*found.dropped, *dropped, *made.dropped),
            degraded=tuple(found.degraded),
            route=found.route,
            known_at=token if ask.as_of.known_at is None else ask.as_of.known_at,
            made_with=made_with,
        )

    def _made_with(self, ask: Ask) -> MadeWith:
        return MadeWith(
            code=self.code,
            policy=ask.policy.version,
            embedder=self.search.embedder.id,
            tokenizer=TOKENIZER_ID,
            encoding=self.counter.encoding,
        )

    def _material(
        self, ask: Ask, unit: ReadUnit, found: Recalled, language: str | None
    ) -> tuple[Material, list[Dropped]]:
        named = found.by_channel
        always, cut = self._always(ask, unit) if _wants_facts(ask) else ([], [])
        facts, same = self._facts(ask, unit, found, always)
        disputes = adjudicate.disputes(facts, unit)
        facts = adjudicate.contested(facts, disputes)
        dropped = [*cut, *same]
        window = named.get("window", [])
        language = language or language_of(ask.query, [*window, *facts])
        standing = {hit.id for hit in always}
        past = gone.timeline(unit, found.past)
        told = {(row.fact_id, row.segment) for row in past}
        held = [hit.item for hit in facts if isinstance(hit.item, Fact)]
        shown = [hit for hit in facts if not _told_elsewhere(hit, told)]
        evidence, more = self._evidence(ask, unit, found, held)
        shown = takeover.grounded(shown, evidence)
        lines, unfit = retold(named.get("summary", []), unit, shown=[*shown, *evidence, *window])
        outside, suspect = _fit(named.get("knowledge", []))
        material = Material(
            question=ask.query,
            language=language,
            stable=[hit for hit in shown if hit.id in standing],
            facts=[hit for hit in shown if hit.id not in standing or hit.why.reason != ALWAYS],
            gone=gone.gone(unit, found.lost, held),
            past=past,
            summary=lines,
            window=window,
            evidence=evidence,
            knowledge=outside,
            conflicts=adjudicate.told(disputes, unit, language),
        )
        return material, [*dropped, *more, *unfit, *suspect]

    def _better(self, ask: Ask, material: Material, found: Recalled) -> list[Hit]:
        """The evidence in the reranker's order, where there is one; the grounds of facts shown still come last."""
        cited = {
            ref
            for hit in (*material.stable, *material.facts)
            if isinstance(hit.item, Fact)
            for ref in hit.item.evidence
        }
        free = [hit for hit in material.evidence if hit.id not in cited]
        grounds = [hit for hit in material.evidence if hit.id in cited]
        return [*self.search.reranked(ask, free, found), *grounds]

    @staticmethod
    def _facts(ask: Ask, unit: ReadUnit, found: Recalled, always: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
        """What was found and what applies always, each once, narrower before wider, with its age."""
        named = found.by_channel
        hits = [hit for hit in (*named.get("exact", []), *named.get("facts", [])) if isinstance(hit.item, Fact)]
        known = {(hit.id, getattr(hit.item, "segment", 0)) for hit in hits}
        hits += [hit for hit in always if (hit.id, getattr(hit.item, "segment", 0)) not in known]
        # What applies always comes first, so that what the question found is folded into it and never the other way.
        standing = {hit.id for hit in always}
        hits.sort(key=lambda hit: hit.id not in standing)
        hits, shadowed = adjudicate.shadow(hits, ask.policy, unit)
        hits, same = adjudicate.fold(hits)
        return adjudicate.aged(history.marked(hits, unit), unit, ask.policy), [*shadowed, *same]

    @staticmethod
    def _always(ask: Ask, unit: ReadUnit) -> tuple[list[Hit], list[Dropped]]:
        """What needs no search: rules, constraints that bind, and whatever belongs to the running task or session; while
        a task runs, the user's preferences and constraints too, since they bear on how it is done. The latest of each, where
        there are very many."""
        running = ask.reader.task is not None
        near = frozenset({Scope.TASK.value, Scope.SESSION.value})
        types = RUNNING if running else RUNNING - {MemoryType.PREFERENCE}
        rows = unit.facts(FactFilter(types=types, or_scopes=near, limit=STRUCTURED, newest=True))
        cut = []
        if len(rows) == STRUCTURED:
            # So many that what binds may be out of reach: each kind by itself.
            wide = frozenset({Scope.TENANT.value, Scope.DEPARTMENT.value})
            kinds = (
                FactFilter(types=adjudicate.BINDING, scopes=wide, limit=STRUCTURED, newest=True),
                FactFilter(types=types if running else frozenset({MemoryType.RULE}), limit=STRUCTURED, newest=True),
                FactFilter(scopes=near, limit=STRUCTURED, newest=True),
            )
            read = [unit.facts(wanted) for wanted in kinds]
            cut = [Dropped(id=None, reason=CUT) for some in read if len(some) == STRUCTURED]
            rows = list({(fact.fact_id, fact.segment): fact for some in read for fact in some}.values())
        chosen = [fact for fact in rows if running or _applies(fact)]
        return [fact_hit(fact, channel="facts", score=1.0, parts={}, reason=ALWAYS) for fact in chosen], cut

    @staticmethod
    def _evidence(ask: Ask, unit: ReadUnit, found: Recalled, held: Sequence[Fact]) -> tuple[list[Hit], list[Dropped]]:
        """Evidence fit for a prompt: above the floor, neither suspected nor history; the grounds of facts shown come last."""
        named = found.by_channel
        pinned = [hit for hit in named.get("exact", []) if isinstance(hit.item, Evidence)]
        said = [hit for hit in named.get("evidence", []) if hit.id not in {other.id for other in pinned}]
        shown = {hit.id for hit in named.get("window", [])}
        cited = {ref for fact in held for ref in fact.evidence}
        floor = ask.policy.retrieval.floor if ask.min_score is None else ask.min_score
        kept: list[Hit] = []
        grounds: list[Hit] = []
        dropped: list[Dropped] = []
        asked = history.wanted(ask.query)
        for hit in adjudicate.as_history([*pinned, *said], ask, unit):
            if unwanted := [flag for flag in LEFT_OUT if flag in hit.why.flags and flag not in asked]:
                reason = LEFT_OUT[unwanted[0]]
            elif isinstance(hit.item, Evidence) and hit.item.eligibility not in FIT:
                reason = QUARANTINED
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


ALWAYS: Final = "applies here whatever is asked"
CUT: Final = f"more than {STRUCTURED} of a kind apply here; only the latest were read"


def _applies(fact: Fact) -> bool:
    """Whether a fact applies to every question: a rule, a constraint that binds, what is of the running task or session."""
    near = fact.scope in (Scope.TASK, Scope.SESSION)
    return near or fact.memory_type is MemoryType.RULE or adjudicate.binds(fact)


def _wants_facts(ask: Ask) -> bool:
    """Whether what applies always belongs in: also where an exact key answered alone, since a rule binds whatever is asked."""
    return ask.channels is None or "facts" in ask.channels


def _told_elsewhere(hit: Hit, told: set[tuple[UUID, int]]) -> bool:
    """Whether a fact is said by another section: that it is not known any more, or what held when."""
    fact = hit.item
    return not isinstance(fact, Fact) or gone.is_unknown(fact) or (fact.fact_id, fact.segment) in told


def language_of(question: str, hits: Sequence[Hit]) -> str:
    """The language of the question; where that has no letters, of what it found."""
    text = question if any(char.isalpha() for char in question) else " ".join(hit.text[:200] for hit in hits[:20])
    return "zh" if cjk_share(text) >= CHINESE else "en"


def _fit(outside: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    """The passages from outside that are fit for a prompt, and the suspected ones."""
    fit = [hit for hit in outside if isinstance(hit.item, Passage) and "quarantined" not in hit.why.flags]
    kept = {hit.id for hit in fit}
    suspect = [Dropped(id=hit.id, reason=QUARANTINED, text=hit.text[:120]) for hit in outside if hit.id not in kept]
    return fit, suspect
