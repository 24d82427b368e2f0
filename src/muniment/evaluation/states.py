"""What a run over bundles of claims measured, and the figures of it.

Belongs here: comparing what is held with what is gold, shares and F1. Does not belong here: writing and asking (`state`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import MemoryType, Standing
from muniment.domain.records import Fact, Receipt
from muniment.domain.statement import canonical
from muniment.evaluation.bundles import Bundle, Claim
from muniment.evaluation.metrics import mean

STATES: Final = frozenset({"version", "status"})
"""Predicates under which the product keeps the state of a named thing; statuses are states whatever their key is."""

_SINCE_EVER: Final = datetime.min.replace(tzinfo=UTC)
_IN_FORCE: Final = (Standing.HELD, Standing.DISPUTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A claim as it was written: the fact it became, and from when it was stated to hold."""

    claim: Claim
    fact_id: UUID
    start: datetime
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One bundle: whether the current claims are exactly the gold ones, the edges found and gold, and the same from text."""

    category: str
    current: bool
    edges: frozenset[tuple[str, str]]
    gold: frozenset[tuple[str, str]]
    text: bool


@dataclass(slots=True)
class Counts:
    """The bundles of one dataset and split; `unmeasured` are records that give no claims."""

    measured: list[Measured] = field(default_factory=list)
    unmeasured: int = 0


def in_force(held: Iterable[Fact], stated: Sequence[Stated]) -> frozenset[str]:
    """The claims that are current: those with a slot whose fact is in force.

    A value that came back is the same fact again; the claim meant is the last one stated by the start of the period.
    """
    found = (_claim_of(row, stated) for row in held if row.standing in _IN_FORCE)
    return frozenset(claim.id for claim in found if claim is not None and claim.slot is not None)


def edges_of(rows: Iterable[Fact], stated: Sequence[Stated]) -> frozenset[tuple[str, str]]:
    """(old, new) wherever, on a slot's timeline, one claim ended because another took over; what ended by itself, at the end
    it was stated with, was not taken over."""
    slots: dict[object, list[Fact]] = {}
    for row in rows:
        if row.standing in _IN_FORCE and row.slot is not None:
            slots.setdefault((row.slot, row.placement), []).append(row)
    found = set()
    for timeline in slots.values():
        timeline.sort(key=lambda row: row.valid_from or _SINCE_EVER)
        for before, after in pairwise(timeline):
            old, new = _claim_of(before, stated), _claim_of(after, stated)
            touching = before.valid_until is not None and before.valid_until == after.valid_from
            if touching and before.valid_until != before.stated_until and old and new:
                found.add((old.id, new.id))
    return frozenset(found)


def _claim_of(row: Fact, stated: Sequence[Stated]) -> Claim | None:
    """The claim a fact stands for over one of its periods."""
    mine = sorted((item for item in stated if item.fact_id == row.fact_id), key=lambda item: item.start)
    begun = [item for item in mine if row.valid_from is None or item.start <= row.valid_from]
    return begun[-1].claim if begun else mine[0].claim if mine else None


def found_in_text(bundle: Bundle, held: Iterable[Fact], grounds: Mapping[str, frozenset[UUID]]) -> bool:
    """Whether the states in force at the end are exactly the bundle's current claims, one fact for each.

    Looked at are the facts in force whose predicate is `version` or `status`, or whose type is STATUS, and that name a
    subject of the bundle in their subject or predicate (all of them, where no claim names its subject). A fact stands for a
    claim when its value is the claim's in canonical spelling; a claim whose value does not stand in its event's words (it is
    only a name) is met by a fact that rests on that event. Every current claim needs a fact of its own, and no fact may be
    left over: a historical value, a plan or a quotation that is held as a state makes the bundle wrong.
    """
    subjects = {canonical(claim.subject) for claim in bundle.claims if claim.subject}
    left = [row for row in held if row.standing in _IN_FORCE and _is_state(row) and _about(row, subjects)]
    wanted = sorted(
        (claim for claim in bundle.claims if claim.id in bundle.current), key=bundle.written_out, reverse=True
    )
    for claim in wanted:
        row = next((row for row in left if _stands_for(row, claim, bundle, grounds)), None)
        if row is None:
            return False
        left.remove(row)
    return not left


def _is_state(row: Fact) -> bool:
    return row.memory_type is MemoryType.STATUS or row.predicate in STATES


def _about(row: Fact, subjects: set[str]) -> bool:
    """Whether a fact names one of the subjects, as a whole name: 'api-1' is not in 'api-12'."""
    named = canonical(f"{row.subject or ''} {row.predicate or ''}")
    return not subjects or any(
        re.search(rf"(?<![\w-]){re.escape(subject)}(?![\w-])", named, re.ASCII) for subject in subjects
    )


def _stands_for(row: Fact, claim: Claim, bundle: Bundle, grounds: Mapping[str, frozenset[UUID]]) -> bool:
    if bundle.written_out(claim):
        return canonical(row.value or "") == canonical(claim.value)
    return any(grounds[event.id] & set(row.evidence) for event in bundle.told_in(claim))


def figures(dataset: str, split: str, counts: Counts) -> dict[str, Any]:
    """One result of the report; shares and F1 are 0 to 1, None of nothing."""
    measured = counts.measured
    names = sorted({item.category for item in measured})
    shown: dict[str, Any] = {
        "dataset": dataset,
        "kind": "state",
        "split": split,
        "n": len(measured),
        **_scores(measured),
    }
    shown["by_category"] = {
        name: {"n": len(part), **_scores(part)}
        for name in names
        for part in [[item for item in measured if item.category == name]]
    }
    return shown | ({"unmeasured": counts.unmeasured} if counts.unmeasured else {})


def _scores(measured: Sequence[Measured]) -> dict[str, float | None]:
    return {
        "current_accuracy": _rounded(mean(float(item.current) for item in measured)),
        "supersede_f1": _rounded(edge_f1((item.edges, item.gold) for item in measured)),
        "from_text": _rounded(mean(float(item.text) for item in measured)),
    }


def edge_f1(pairs: Iterable[tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]]) -> float | None:
    """F1 over all edges of all (found, gold) pairs together; None where there is none on either side."""
    hits = wrong = missed = 0
    for found, gold in pairs:
        hits, wrong, missed = hits + len(found & gold), wrong + len(found - gold), missed + len(gold - found)
    return 2 * hits / (2 * hits + wrong + missed) if hits or wrong or missed else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
