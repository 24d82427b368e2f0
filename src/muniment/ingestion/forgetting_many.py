"""Forgetting from outside as an event: planned, checked, done in one transaction, answered with a receipt.

Belongs here: that way, for what a selector selects. Does not belong here: what is selected (`selecting`), what becomes of it
(`erasing`), who may name what (service/).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from muniment.domain.enums import ActorType, OwnerType
from muniment.domain.errors import Conflict, Forbidden
from muniment.domain.forgotten import NOTHING_DONE, Forgotten, Mode, Selector
from muniment.domain.ids import derived
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.receipts import receipt_json
from muniment.domain.scope import PartitionKey, Reader
from muniment.ingestion.erasing import ERASE, MANY, Went, erase_many, hide_many, payload_of, require
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.receive import Received
from muniment.ingestion.selecting import Plan, plan
from muniment.ports.store import Locks, WriteUnit

MOST_LANES: Final = 5_000
"""Lanes locked beforehand; those of an extent with more sessions are fenced without a lock of their own."""
SEES_REASONS: Final = frozenset({"auditor", "admin"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """One request to forget: by whom, of whose memory (`subject`), what and how."""

    pipeline: Pipeline
    reader: Reader
    subject: Reader
    selector: Selector
    mode: Mode
    reason: str | None
    key: str | None
    expected: str | None

    @property
    def home(self) -> PartitionKey:
        """The partition the act's event is written in."""
        return PartitionKey(tenant=self.subject.tenant, kind=OwnerType.USER, target=self.subject.user)

    def listed(self) -> Forgotten:
        """What would go, with nothing done. Raises `TooLarge`, `Forbidden` under a hold."""
        found, _ = self._planned()
        kinds = Counter(f"{item.kind}" for item in found.listed)
        counts = {**kinds, "candidate": len(found.candidates), "event": len(found.events)}
        return Forgotten(
            event=NOTHING_DONE,
            mode=self.mode,
            by=self.selector.by,
            status="dry run" if not found.empty else "nothing",
            counts={name: count for name, count in counts.items() if count},
            manifest=found.listed,
            manifest_hash=self._hash(found),
            facts=found.facts,
            lines=(self._line(found, "would be"),),
        )

    def done(self) -> tuple[Forgotten, Plan, tuple[UUID, ...]]:
        """Hides or erases it. Returns the receipt, what the plan was, and which pieces stay in part.

        Raises `Forbidden` under a hold, `Conflict` where it is not what was expected; then nothing was written.
        """
        pipeline = self.pipeline
        received = pipeline.stated(self.subject, self._said())
        with pipeline.store.read(self.subject) as snapshot:
            if (known := pipeline.replayed(snapshot, received)) is not None:
                return _known(known, self), Plan(), ()
        found, lanes = self._planned()
        if found.empty:
            return self._nothing(found), found, ()
        own = {received.event.lane_key, *sorted(lanes)[:MOST_LANES]}
        partitions = tuple(sorted({self.home, *found.partitions}))
        locks = Locks(lanes=tuple(own), partitions=partitions)
        return pipeline.writing(self.subject, locks, lambda unit: self._in(unit, received))

    def _said(self) -> Observation:
        """The act's event. What the selector names is part of what a repeated key must repeat, and of nothing else."""
        named = {} if self.key is None else {"named": self.pipeline.store.digest(f"named\x00{self.selector.value}")}
        return Observation(
            content=self.reason or f"{self.mode} by {self.selector.by}",
            actor=ActorType.USER,
            actor_id=self.reader.user,
            event_type=RESERVED + (MANY if self.mode == "hide" else ERASE),
            payload={"by": self.selector.by, "mode": self.mode, **named},
            idempotency_key=self.key,
        )

    def _planned(self) -> tuple[Plan, set[str]]:
        """The plan and the lanes of its events, read under the subject's lock and left."""
        with self.pipeline.store.write(self.subject, Locks(partitions=(self.home,))) as unit:
            unit.leave()
            found = self._plan(unit)
            return found, unit.lanes_of(found.events)

    def _plan(self, unit: WriteUnit) -> Plan:
        limit = self.pipeline.policy.limits.forget
        found = plan(unit, self.selector, erase=self.mode == "erase", limit=limit)
        if self.mode == "erase":
            self._free(unit, found)
        if self.expected is not None and self.expected != self._hash(found):
            current = self._hash(found)
            raise Conflict(
                "what would be forgotten is not what was listed; list it again, then decide", current=current
            )
        return found

    def _free(self, unit: WriteUnit, found: Plan) -> None:
        """Raises `Forbidden` where a legal hold binds any user concerned; why is told to auditors only."""
        for hold in unit.holds_on(None if self.selector.by == "tenant" else found.users):
            why = f": {hold.reason}" if self.reader.roles & SEES_REASONS else ""
            raise Forbidden(
                f"a legal hold, {hold.hold_id}, stops erasing until it is released{why}; hiding still works"
            )

    def _in(self, unit: WriteUnit, received: Received) -> tuple[Forgotten, Plan, tuple[UUID, ...]]:
        pipeline = self.pipeline
        if (known := pipeline.replayed(unit, received)) is not None:
            unit.leave()
            return _known(known, self), Plan(), ()
        found = self._plan(unit)
        if found.empty:
            unit.leave()
            return self._nothing(found), found, ()
        require(unit, found)
        payload = payload_of(found, mode=self.mode, by=self.selector.by)
        received.event = replace(received.event, payload=payload)
        grounds = pipeline.grounds(unit, received)
        act = received.event.event_id
        erasure = derived(act, "erasure") if self.mode == "erase" else None
        if erasure is None:
            went = hide_many(
                unit, pipeline.policy, found, grounds, reason=self._why, name=lambda name: derived(act, name)
            )
        else:
            went = erase_many(unit, pipeline.policy, found, grounds, self.selector, reason=self._why, erasure=erasure)
        receipt = self._receipt(unit, received, found, went, erasure)
        unit.finish_event(act, state="DONE", receipt=receipt_json(receipt))
        unit.audit(f"memory.{self.mode}", ref_kind="event", ref=act, content=self.selector.by, actor=grounds.actor)
        return receipt, found, went.rests

    @property
    def _why(self) -> str:
        return self.reason or "forgotten"

    def _receipt(self, unit: WriteUnit, received: Received, found: Plan, went: Went, erasure: UUID | None) -> Forgotten:
        return Forgotten(
            event=received.event.event_id,
            evidence=tuple(piece.evidence_id for piece in received.evidence),
            facts=found.facts,
            lines=(self._line(found, "hidden" if erasure is None else "erased"), *went.lines),
            known_at=unit.recorded_at,
            mode=self.mode,
            by=self.selector.by,
            status="done" if erasure is None else "pending",
            counts=went.counts,
            manifest_hash=self._hash(found),
            erasure=erasure,
        )

    def _line(self, found: Plan, word: str) -> str:
        kept = f", {len(found.reworded)} kept in the words of other ground" if found.reworded else ""
        parts = f", {len(found.rests)} of them in part" if found.rests else ""
        others = f"; {found.others} piece(s) that others said stay theirs" if found.others else ""
        return f"{word}: {len(found.facts)} fact(s){kept}, {len(found.evidence)} piece(s) of evidence{parts}{others}"

    def _nothing(self, found: Plan) -> Forgotten:
        return Forgotten(
            event=NOTHING_DONE,
            mode=self.mode,
            by=self.selector.by,
            status="nothing",
            manifest_hash=self._hash(found),
            lines=("nothing matches exactly; nothing was forgotten",),
        )

    def _hash(self, found: Plan) -> str:
        """Names exactly this: 32 digits of a digest over the mode and every id."""
        text = "\n".join([self.mode, self.selector.by, *(str(ref) for ref in found.ids)])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def _known(receipt: object, asked: Forgetting) -> Forgotten:
    """The first receipt of a repeated key."""
    if not isinstance(receipt, Forgotten):
        raise Conflict(f"the idempotency key {asked.key!r} was used for something else; take a new one")
    return receipt
