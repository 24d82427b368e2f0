"""A statement that says the opposite of one that is held: 'I like olives', then 'I do not like olives'.

Values of a many-valued predicate stand side by side, and the opposite of one is a value of another predicate, so no fold sees
both. The catalogue names a predicate's opposite; the later word, if trusted no less, ends the earlier one.

Belongs here: which facts end. Does not belong here: values that words of change replace (`replacing`), the fold (`timeline`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from muniment.config import Policy
from muniment.domain.enums import Standing
from muniment.domain.records import Candidate, Fact
from muniment.domain.statement import canonical
from muniment.ingestion.commit import Grounds
from muniment.ports.store import Slot, WriteUnit

REASON = "the opposite was said"


def denied(unit: WriteUnit, policy: Policy, slot: Slot, candidate: Candidate, grounds: Grounds) -> list[Fact]:
    """The facts in force that the candidate denies and that are trusted no more; they end where it begins.

    A candidate with an end of its own, or with no place in time, ends nothing.
    """
    name, entry = policy.predicate(slot.key.predicate or None)
    if name is None or entry.opposite is None or candidate.valid_until is not None or not candidate.placed:
        return []
    at = candidate.valid_from or grounds.said_at
    rows = unit.live(slots=[slot_of_opposite(policy, slot, candidate, entry.opposite)])
    return list({row.fact_id: row for row in rows if row.trust <= grounds.trust and _holds(row, at)}.values())


def _holds(row: Fact, at: datetime) -> bool:
    """Whether a version is on its timeline at an instant, whatever instant it is now."""
    begun = row.valid_from is None or row.valid_from <= at
    running = row.valid_until is None or row.valid_until > at
    return row.hidden_at is None and row.standing in (Standing.HELD, Standing.DISPUTED) and begun and running


def slot_of_opposite(policy: Policy, slot: Slot, candidate: Candidate, opposite: str) -> Slot:
    """Where the same value would stand under the opposite predicate."""
    name, entry = policy.predicate(opposite)
    value = None if entry.single else canonical(candidate.value or candidate.content)
    return Slot(key=replace(slot.key, predicate=name or opposite), placement=slot.placement, value=value)
