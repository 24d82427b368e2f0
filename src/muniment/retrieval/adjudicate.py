"""Step 5: recalled is not yet right. What stands beside what, and which of it is shown.

Belongs here: shadowing by scope, folding of duplicates, what was not confirmed lately, naming of conflicts. Does not belong
here: recall, what is history (`history`), and rendering (`lines`, `build`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import MemoryType, Scope, Standing
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import Placement, Reader, precedence
from muniment.domain.statement import canonical
from muniment.ports.store import FactFilter, ReadUnit, Slot
from muniment.retrieval import history, takeover
from muniment.retrieval.ask import Ask
from muniment.retrieval.channels.hits import fact_hit

BINDING = frozenset({MemoryType.RULE, MemoryType.CONSTRAINT})


def shadow(hits: Sequence[Hit], policy: Policy, unit: ReadUnit) -> tuple[list[Hit], list[Dropped]]:
    """The narrower scope wins for the same slot, without touching the wider, also where only the wider was found: then the
    narrower takes its place. Wider rules and constraints bind and stay."""
    hits = _with_narrower(hits, policy, unit)
    best: dict[object, int] = {}
    for hit in hits:
        if isinstance(hit.item, Fact) and hit.item.slot is not None:
            key = _competes(hit.item, policy)
            best[key] = max(best.get(key, -1), precedence(hit.item.placement))
    kept, dropped = [], []
    for hit in hits:
        fact = hit.item
        if not isinstance(fact, Fact) or fact.slot is None or binds(fact):
            kept.append(hit)
        elif precedence(fact.placement) < best[_competes(fact, policy)]:
            dropped.append(Dropped(id=fact.fact_id, reason="shadowed by a narrower scope", text=fact.content))
        else:
            kept.append(hit)
    return kept, dropped


def _with_narrower(hits: Sequence[Hit], policy: Policy, unit: ReadUnit) -> list[Hit]:
    """The hits, each value of a single-valued slot followed by what a narrower scope of this reader holds for it."""
    places = _placements(unit.reader)
    slots: dict[Slot, None] = {}
    for hit in hits:
        fact = hit.item
        if isinstance(fact, Fact) and fact.slot is not None and not binds(fact) and _single(fact, policy):
            width = precedence(fact.placement)
            slots |= {Slot(key=fact.slot, placement=place): None for place in places if precedence(place) > width}
    if not slots:
        return list(hits)
    rows: dict[object, list[Fact]] = {}
    for row in unit.facts(FactFilter(slots=tuple(slots))):
        rows.setdefault(row.slot, []).append(row)
    known = {hit.id for hit in hits}
    found: list[Hit] = []
    for hit in hits:
        found.append(hit)
        beside = rows.pop(hit.item.slot, []) if isinstance(hit.item, Fact) else []
        found += [_in_place(hit, row) for row in beside if row.fact_id not in known]
    return found


def _in_place(hit: Hit, fact: Fact) -> Hit:
    """A narrower scope's value, found by way of a wider one's."""
    made = fact_hit(fact, channel=hit.why.channel, score=hit.score, parts=hit.parts, reason=hit.why.reason)
    return replace(
        made, why=replace(made.why, reason=f"{hit.why.reason}; holds here in place of a wider scope's value")
    )


def _placements(reader: Reader) -> list[Placement]:
    """Every placement that a fact of this reader may have."""
    found = [Placement(scope=Scope.TENANT), Placement.for_reader(Scope.USER, reader)]
    found += [Placement(scope=Scope.DEPARTMENT, department=name) for name in sorted(reader.departments)]
    if reader.agent is not None:
        found += [Placement(scope=Scope.AGENT, agent=reader.agent), Placement.for_reader(Scope.AGENT, reader)]
    found += [Placement.for_reader(Scope.SESSION, reader)] if reader.session is not None else []
    found += [Placement.for_reader(Scope.TASK, reader)] if reader.task is not None else []
    return found


def binds(fact: Fact) -> bool:
    """Whether a fact holds against narrower ones: a rule or constraint of the tenant or a department."""
    return fact.memory_type in BINDING and fact.scope in (Scope.TENANT, Scope.DEPARTMENT)


def _single(fact: Fact, policy: Policy) -> bool:
    """Whether a slot has one value at a time."""
    return policy.predicate(fact.predicate)[1].single or fact.memory_type is MemoryType.STATUS


def _competes(fact: Fact, policy: Policy) -> object:
    """What facts compete for across scopes: the slot of a single value; for many values, the slot and the same value."""
    return (fact.slot, None if _single(fact, policy) else canonical(fact.value or fact.content))


def as_history(hits: Sequence[Hit], ask: Ask, unit: ReadUnit) -> list[Hit]:
    """Marks evidence that no longer holds, is unverified or about another place, or that later words perhaps took over from, and
    puts it behind what is current."""
    now, behind = history.apart(takeover.marked(history.marked(hits, unit), ask, unit))
    return [*now, *behind]


def fold(hits: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    """Says everything once: hits of the same words are folded into the first, with the count and what they rest on."""
    first: dict[object, int] = {}
    kept: list[Hit] = []
    alike: dict[int, list[Hit]] = {}
    dropped = []
    for hit in hits:
        key = (type(hit.item).__name__, canonical(hit.text), _distinct(hit))
        if key in first:
            alike.setdefault(first[key], []).append(hit)
            dropped.append(Dropped(id=hit.id, reason="says the same as another", text=hit.text[:120]))
            continue
        first[key] = len(kept)
        kept.append(hit)
    for place, others in alike.items():
        why = kept[place].why
        count = why.count + sum(other.why.count for other in others)
        said = "said" if isinstance(kept[place].item, Evidence) else "held"
        grounds = (*why.evidence, *(ref for other in others for ref in other.why.evidence))
        flags = (*why.flags, f"{said} {count} times")
        why = replace(why, flags=flags, count=count, evidence=tuple(dict.fromkeys(grounds)))
        kept[place] = replace(kept[place], why=why)
    return kept, dropped


def _distinct(hit: Hit) -> object:
    """What keeps hits of the same words apart: evidence by who said it and whether it still holds, facts by kind, standing and
    period, all else by its id."""
    item = hit.item
    if isinstance(item, Evidence):
        return (item.speaker or item.actor, frozenset(history.BEHIND.intersection(hit.why.flags)))
    if isinstance(item, Fact):
        return (item.memory_type, binds(item), item.subject, item.standing, item.valid_from, item.valid_until)
    return hit.id


OLD: Final = "not confirmed lately"
ENDING: Final = "ends soon"
OVER: Final = "over by now"


def aged(hits: Sequence[Hit], unit: ReadUnit, policy: Policy) -> list[Hit]:
    """The hits, each fact with the instant it was last confirmed at; flagged where that is longer ago than
    `context.stale_days`, where its end is nearer than `context.ending_days`, and where it is over by now (it was asked for
    as of an earlier instant). Rules and types that never expire do not age."""
    now = unit.as_of.known_at or unit.now
    facts = [hit.item for hit in hits if isinstance(hit.item, Fact)]
    ageing = [
        fact
        for fact in facts
        if fact.memory_type is not MemoryType.RULE and fact.memory_type not in policy.lifetime.exempt
    ]
    latest = {fact.fact_id: fact.evidence[-1] for fact in ageing if fact.evidence}
    pieces = unit.evidence(set(latest.values())) if latest else {}
    told = {ref: pieces[ground] for ref, ground in latest.items() if ground in pieces}
    ages = {fact.fact_id for fact in ageing}
    return [
        _aged(hit, told.get(hit.id), now, policy, ages=hit.id in ages) if isinstance(hit.item, Fact) else hit
        for hit in hits
    ]


def _aged(hit: Hit, ground: Evidence | None, now: datetime, policy: Policy, *, ages: bool) -> Hit:
    fact = hit.item
    if not isinstance(fact, Fact):
        return hit
    confirmed = fact.recorded_at
    if ground is not None:
        confirmed = ground.recorded_at if ground.occurred is None else ground.occurred.at
    flags = [flag for flag in hit.why.flags if flag not in (OLD, ENDING, OVER)]
    if ages and policy.context.stale_days and now - confirmed > timedelta(days=policy.context.stale_days):
        flags.append(OLD)
    end = fact.valid_until
    if end is not None and end <= now:
        flags.append(OVER)
    elif end is not None and end - now <= timedelta(days=policy.context.ending_days):
        flags.append(ENDING)
    return replace(hit, why=replace(hit.why, flags=tuple(flags), confirmed=confirmed))


SHOWN: Final = 5
"""Contenders of one fact that a read names; the rest are counted."""


def disputes(hits: Iterable[Hit], unit: ReadUnit) -> list[Mapping[str, Any]]:
    """The open conflicts that touch one of the facts among the hits."""
    ids = dict.fromkeys(hit.id for hit in hits if isinstance(hit.item, Fact))
    return unit.conflicts(ids) if ids else []


def conflicts(facts: Iterable[Fact], unit: ReadUnit, language: str = "en") -> list[str]:
    """A sentence for each open conflict that touches one of the facts."""
    return told(unit.conflicts(dict.fromkeys(fact.fact_id for fact in facts)), unit, language)


def told(found: Sequence[Mapping[str, Any]], unit: ReadUnit, language: str = "en") -> list[str]:
    """A sentence for each conflict, both sides with their dates; of many contenders of one fact the first few, and how many
    more."""
    ids = {fact_id for item in found for fact_id in item["facts"]}
    sides: dict[UUID, Fact] = {}
    for fact in unit.facts(FactFilter(ids=tuple(ids), include_contenders=True)) if ids else []:
        sides.setdefault(fact.fact_id, fact)
    said, counted = [], Counter[UUID]()
    for item in found:
        if not all(fact_id in sides for fact_id in item["facts"]):
            continue
        contended = item["facts"][1]
        counted[contended] += 1
        if counted[contended] <= SHOWN:
            said.append(sentence(item, sides, language))
    more = [(sides[ref].content, count - SHOWN) for ref, count in counted.items() if count > SHOWN]
    words = "另有 {} 条记录与之相争：{}" if language == "zh" else "and {} more records contend with: {}"
    return said + [words.format(count, content) for content, count in more]


def contested(hits: Sequence[Hit], found: Sequence[Mapping[str, Any]]) -> list[Hit]:
    """The hits, each fact that another record disagrees with marked so."""
    touched = {fact_id for item in found for fact_id in item["facts"]}
    return [
        replace(hit, why=replace(hit.why, flags=(*hit.why.flags, "contested")))
        if isinstance(hit.item, Fact) and hit.id in touched
        else hit
        for hit in hits
    ]


def sentence(item: Mapping[str, Any], sides: Mapping[UUID, Fact], language: str = "en") -> str:
    """'two records, of 2026-03-01 and 2026-05-02, disagree: … / …'."""
    one, other = (sides[fact_id] for fact_id in item["facts"])
    dates = [(fact.stated_from or fact.recorded_at).date().isoformat() for fact in (one, other)]
    contends = Standing.CONTENDER in (one.standing, other.standing)
    if language == "zh":
        kind = "可信度较低的一条与另一条相争" if contends else "两者不一致"
        return f"两条记录（{' 与 '.join(dates)}）：{one.content} / {other.content}（{kind}）"
    kind = "a less trusted record contends" if contends else "they disagree"
    return f"two records, of {' and '.join(dates)}: {one.content} / {other.content} ({kind})"
