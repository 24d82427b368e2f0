"""Answers to whether a fact still holds whose ground went: it does, it became something else, or it ended there.

The fact was told on the ground of others. From the instant that ground went, the person's word takes its place: what was
derived is bounded there, and what follows stands by itself.

Belongs here: what each answer does to the fact's statements. Does not belong here: when it is asked (`dependants`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Basis, Change, Relation
from muniment.domain.records import Fact
from muniment.domain.reviews import Asked
from muniment.ingestion import amend
from muniment.ingestion.acts import asked_of
from muniment.ingestion.commit import Committed, Grounds
from muniment.ingestion.dependants import require
from muniment.ingestion.slots import fact_slot
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.store import Slot, Told, WriteUnit


def confirm(unit: WriteUnit, policy: Policy, asked: Asked, word: Grounds) -> Committed:
    """It still holds: told again from the instant the ground went, on the person's word."""
    fact, slot = _fact(unit, policy, asked)
    live, mine = unit.live(slots=[slot]), _told(unit, slot, fact)
    model = max(mine, key=lambda item: item.ordinal)
    _bound(unit, slot, mine, asked.candidate.valid_from)
    again = replace(
        model,
        stated_from=asked.candidate.valid_from if asked.candidate.valid_from is not None else model.stated_from,
        stated_until=None,
        valid_from_known=True,
        trust=max(word.trust, model.trust),
        confidence=1.0,
        source=word.source,
        evidence_id=word.evidence[0] if word.evidence else None,
        derived=False,
    )
    unit.tell(again, slot=slot)
    edited = replace(
        fact,
        change=Change.REINFORCE,
        basis=Basis.CONFIRMED,
        reason="it still holds, though what it rested on changed",
        actor=word.actor,
        trust=max(fact.trust, word.trust),
        trace_id=word.trace_id,
    )
    return _folded(unit, policy, slot, edited, live, word, outcome="reinforced")


def change(
    unit: WriteUnit, policy: Policy, asked: Asked, word: Grounds, given: Mapping[str, Any], *, new_id: UUID
) -> Committed:
    """It became something else, from the instant the ground went or the one that is given."""
    fact, _ = _fact(unit, policy, asked)
    wanted = replace(asked_of(given), basis=Basis.CONFIRMED)
    at = wanted.valid_from or asked.candidate.valid_from or word.said_at
    return amend.change(unit, policy, fact, wanted, word, new_id=new_id, at=at)


def end(unit: WriteUnit, policy: Policy, asked: Asked, word: Grounds, *, reason: str) -> Committed:
    """It ended where the ground went. One that had not begun by then is taken back."""
    fact, slot = _fact(unit, policy, asked)
    live, mine = unit.live(slots=[slot]), _told(unit, slot, fact)
    if not _bound(unit, slot, mine, asked.candidate.valid_from):
        return amend.withdraw(unit, policy, [fact], reason=reason, actor=word.actor)[0]
    edited = replace(
        fact,
        change=Change.CHANGE,
        reason=reason,
        actor=word.actor,
        stated_until=asked.candidate.valid_from,
        trace_id=word.trace_id,
    )
    return _folded(unit, policy, slot, edited, live, word, outcome="ended")


def _fact(unit: WriteUnit, policy: Policy, asked: Asked) -> tuple[Fact, Slot]:
    """The fact that is asked about. Raises `NotFound` where it is not believed any more."""
    if asked.candidate.target is None:
        raise ValueError("a question whether a fact still holds names the fact")
    fact = amend.held(unit, asked.candidate.target, None)
    slot = fact_slot(policy, fact)
    require(unit, slot)
    return fact, slot


def _told(unit: WriteUnit, slot: Slot, fact: Fact) -> list[Told]:
    return [item for item in unit.told(slots=[slot]) if item.fact_id == fact.fact_id]


def _bound(unit: WriteUnit, slot: Slot, mine: Sequence[Told], at: datetime | None) -> bool:
    """Bounds what was told of the fact at an instant, None for since ever; whether anything is left of it."""
    over = [item for item in mine if item.stated_until is None or at is None or item.stated_until > at]
    rest = [item for item in over if at is not None and item.placed and _begins_before(item, at)]
    unit.withdraw(mine[0].fact_id, [item.ordinal for item in over])
    for item in rest:
        unit.tell(replace(item, stated_until=at), slot=slot)
    return bool(rest) or len(over) < len(mine)


def _begins_before(item: Told, at: datetime) -> bool:
    return item.stated_from is None or item.stated_from < at


def _folded(
    unit: WriteUnit, policy: Policy, slot: Slot, edited: Fact, live: Sequence[Fact], word: Grounds, *, outcome: str
) -> Committed:
    folded = refold(unit, policy, slot, edits=[Edit(fact=edited)], live=live)
    first = folded.of(edited.fact_id)[0]
    unit.link_evidence(edited.fact_id, first.revision, word.evidence, Relation.SUPPORT)
    return Committed(fact_id=edited.fact_id, revision=first.revision, outcome=outcome)
