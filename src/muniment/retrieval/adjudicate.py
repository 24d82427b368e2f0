"""Step 5: recalled is not yet right. What stands beside what, and which of it is shown.

Belongs here: shadowing by scope, folding of duplicates, naming of conflicts. Does not belong here: recall, what is history
(`history`), and rendering (`build`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import MemoryType, Scope, Standing
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import precedence
from muniment.domain.statement import canonical
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval import history

BINDING = frozenset({MemoryType.RULE, MemoryType.CONSTRAINT})


def shadow(hits: Sequence[Hit], policy: Policy) -> tuple[list[Hit], list[Dropped]]:
    """The narrower scope wins for the same slot, without touching the wider; wider rules and constraints bind and stay."""
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


def binds(fact: Fact) -> bool:
    """Whether a fact holds against narrower ones: a rule or constraint of the tenant or a department."""
    return fact.memory_type in BINDING and fact.scope in (Scope.TENANT, Scope.DEPARTMENT)


def _competes(fact: Fact, policy: Policy) -> object:
    """What facts compete for across scopes: the slot of a single value; for many values, the slot and the same value."""
    _, entry = policy.predicate(fact.predicate)
    single = entry.single or fact.memory_type is MemoryType.STATUS
    return (fact.slot, None if single else canonical(fact.value or fact.content))


def as_history(hits: Sequence[Hit], unit: ReadUnit) -> list[Hit]:
    """Marks evidence that no longer holds, is unverified or about another place, and puts it behind what is current."""
    now, behind = history.apart(history.marked(hits, unit))
    return [*now, *behind]


def fold(hits: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    """Says everything once: evidence with the same words is folded into the first, with the count and the ids."""
    first: dict[str, int] = {}
    kept: list[Hit] = []
    alike: dict[int, list[UUID]] = {}
    dropped = []
    for hit in hits:
        key = f"{type(hit.item).__name__}:{canonical(hit.text)}:{_distinct(hit)}"
        if key in first:
            alike.setdefault(first[key], []).append(hit.id)
            dropped.append(Dropped(id=hit.id, reason="says the same as another", text=hit.text[:120]))
            continue
        first[key] = len(kept)
        kept.append(hit)
    for place, others in alike.items():
        why = kept[place].why
        flags = (*why.flags, f"said {len(others) + 1} times")
        kept[place] = replace(kept[place], why=replace(why, flags=flags, evidence=(*why.evidence, *others)))
    return kept, dropped


def _distinct(hit: Hit) -> object:
    """What keeps hits of the same words apart: evidence by who said it, all else by its id."""
    return hit.item.speaker or hit.item.actor if isinstance(hit.item, Evidence) else hit.id


SHOWN: Final = 5
"""Contenders of one fact that a read names; the rest are counted."""


def conflicts(facts: Iterable[Fact], unit: ReadUnit) -> list[str]:
    """A sentence for each open conflict that touches one of the facts, both sides with their dates; of many contenders of one
    fact the first few, and how many more."""
    found = unit.conflicts(dict.fromkeys(fact.fact_id for fact in facts))
    ids = {fact_id for item in found for fact_id in item["facts"]}
    sides: dict[UUID, Fact] = {}
    for fact in unit.facts(FactFilter(ids=tuple(ids), include_contenders=True)) if ids else []:
        sides.setdefault(fact.fact_id, fact)
    told, counted = [], Counter[UUID]()
    for item in found:
        if not all(fact_id in sides for fact_id in item["facts"]):
            continue
        contended = item["facts"][1]
        counted[contended] += 1
        if counted[contended] <= SHOWN:
            told.append(sentence(item, sides))
    more = [(sides[ref].content, count - SHOWN) for ref, count in counted.items() if count > SHOWN]
    return told + [f"and {count} more records contend with: {content}" for content, count in more]


def contested(hits: Sequence[Hit], unit: ReadUnit) -> list[Hit]:
    """The hits, each fact that another record disagrees with marked so."""
    found = unit.conflicts(dict.fromkeys(hit.item.fact_id for hit in hits if isinstance(hit.item, Fact)))
    touched = {fact_id for item in found for fact_id in item["facts"]}
    return [
        replace(hit, why=replace(hit.why, flags=(*hit.why.flags, "contested")))
        if isinstance(hit.item, Fact) and hit.id in touched
        else hit
        for hit in hits
    ]


def sentence(item: Mapping[str, Any], sides: Mapping[UUID, Fact]) -> str:
    """'two records, of 2026-03-01 and 2026-05-02, disagree: … / …'."""
    one, other = (sides[fact_id] for fact_id in item["facts"])
    dates = " and ".join((fact.stated_from or fact.recorded_at).date().isoformat() for fact in (one, other))
    kind = "a less trusted record contends" if Standing.CONTENDER in (one.standing, other.standing) else "they disagree"
    return f"two records, of {dates}: {one.content} / {other.content} ({kind})"
