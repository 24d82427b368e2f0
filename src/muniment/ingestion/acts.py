"""Acts: what a caller does to what is held, each an event that can be done again from its payload alone.

    change · correct · invalidate · forget · succeed · forget_many · document

An act names its fact in its payload with everything else it was given, so that a replay of the log does the same. What
follows for dependants is settled in the same transaction.

Belongs here: the acts on a named fact, and the one door through which each is done. Does not belong here: statements and
proposals, which go before the rules (`govern`); reviews (`review`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Eligibility
from muniment.domain.ids import derived
from muniment.domain.observation import RESERVED
from muniment.domain.records import Fact
from muniment.ingestion import amend
from muniment.ingestion.amend import Amendment
from muniment.ingestion.commit import Committed, Grounds
from muniment.ingestion.dependants import settle
from muniment.ingestion.erasing import MANY, again
from muniment.ingestion.forgetting import hide
from muniment.ingestion.succession import Succession, declare
from muniment.ports.store import WriteUnit

PREFIX: Final = RESERVED
TURN: Final = "document"
"""The act of turning to a version of a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """An act under way: where, by which policy, on what grounds, and the id of the event that it is."""

    unit: WriteUnit
    policy: Policy
    grounds: Grounds
    event_id: UUID

    def new_id(self, name: str) -> UUID:
        """The id of something this act makes."""
        return derived(self.event_id, name)


Act = Callable[[Acting, Fact, Mapping[str, Any]], Committed]


def perform(kind: str, acting: Acting, payload: Mapping[str, Any]) -> tuple[Committed, list[str]]:
    """Does an act by its name and payload; returns what it did, and what followed in words.

    Raises `NotFound` where the fact is not believed, `Conflict` where it moved past `expected_revision`, `WiderLocks`.
    """
    if kind == MANY:
        return _many(acting, payload)
    if kind == TURN:
        return _turn(acting, payload)
    fact = amend.held(acting.unit, UUID(payload["fact_id"]), payload.get("expected_revision"))
    done = ACTS[kind](acting, fact, payload)
    followed = settle(acting.unit, acting.policy, acting.grounds)
    return done, [followed.line] if followed.line else []


def _change(acting: Acting, fact: Fact, payload: Mapping[str, Any]) -> Committed:
    at = instant(payload.get("at")) or acting.grounds.said_at
    asked = asked_of(payload)
    return amend.change(acting.unit, acting.policy, fact, asked, acting.grounds, new_id=acting.new_id("fact"), at=at)


def _correct(acting: Acting, fact: Fact, payload: Mapping[str, Any]) -> Committed:
    return amend.correct(acting.unit, acting.policy, fact, asked_of(payload), acting.grounds)


def _invalidate(acting: Acting, fact: Fact, payload: Mapping[str, Any]) -> Committed:
    reason, actor = payload.get("reason"), acting.grounds.actor
    return amend.withdraw(acting.unit, acting.policy, [fact], reason=reason, actor=actor)[0]


def _forget(acting: Acting, fact: Fact, payload: Mapping[str, Any]) -> Committed:
    reason, actor = payload.get("reason") or "forgotten", acting.grounds.actor
    return hide(acting.unit, acting.policy, [fact], reason=reason, actor=actor, name=acting.new_id)[0]


def _succeed(acting: Acting, fact: Fact, payload: Mapping[str, Any]) -> Committed:
    rule = Succession(
        root=UUID(payload["when"]),
        when_value=payload.get("when_value"),
        value=payload.get("value"),
        content=payload.get("content"),
    )
    return declare(acting.unit, acting.policy, fact, rule, acting.grounds, rule_id=acting.new_id("succession"))


def _many(acting: Acting, payload: Mapping[str, Any]) -> tuple[Committed, list[str]]:
    """Hides again what an earlier act hid. What one erased needs nothing: it is not in the log any more."""
    lines = again(acting.unit, acting.policy, payload, acting.grounds, name=acting.new_id)
    return Committed(fact_id=None, revision=0, outcome="forgotten"), lines


def _turn(acting: Acting, payload: Mapping[str, Any]) -> tuple[Committed, list[str]]:
    """Turns to a version of a document: shows its passages, makes history of what it no longer says, and settles what rested
    on either."""
    unit = acting.unit
    by_eligibility: dict[Eligibility, list[UUID]] = {Eligibility.HISTORY: [UUID(ref) for ref in payload["past"]]}
    for ref, name in payload["shown"].items():
        by_eligibility.setdefault(Eligibility(name), []).append(UUID(ref))
    for eligibility, refs in by_eligibility.items():
        unit.set_eligibility(refs, eligibility)
    moved = [ref for refs in by_eligibility.values() for ref in refs]
    followed = settle(unit, acting.policy, acting.grounds, lost=moved)
    return Committed(fact_id=None, revision=0, outcome="observed"), [followed.line] if followed.line else []


ACTS: Final[Mapping[str, Act]] = {
    "change": _change,
    "correct": _correct,
    "invalidate": _invalidate,
    "forget": _forget,
    "succeed": _succeed,
}


KINDS: Final = frozenset({*ACTS, MANY, TURN})
"""Every kind of act that `perform` does."""


def asked_of(payload: Mapping[str, Any]) -> Amendment:
    """The amendment a payload asks for."""
    return Amendment(
        content=payload.get("content"),
        value=payload.get("value"),
        valid_from=instant(payload.get("valid_from")),
        valid_until=instant(payload.get("valid_until")),
        reason=payload.get("reason"),
    )


def instant(text: str | None) -> datetime | None:
    """An instant of a payload, which is written in ISO form with its offset."""
    return None if text is None else datetime.fromisoformat(text)
