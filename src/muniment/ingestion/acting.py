"""An act from outside as an event: received, checked, done in one transaction, answered with a receipt.

Belongs here: that way, for acts on a named fact. Does not belong here: what each act does (`acts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from muniment.domain.enums import OwnerType, Ruling
from muniment.domain.errors import Forbidden, NotFound
from muniment.domain.observation import Observation
from muniment.domain.receipts import receipt_json
from muniment.domain.records import Candidate, Fact, Receipt
from muniment.domain.scope import PartitionKey, Reader, may_write
from muniment.ingestion.acts import Acting, perform
from muniment.ingestion.commit import Committed
from muniment.ingestion.govern import judge
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.receive import Received
from muniment.ingestion.rewording import reworded
from muniment.ingestion.slots import fact_slot
from muniment.ports.store import FactFilter, Locks, Slot, WriteUnit

FOUR_EYES: Final = "sensitive.four_eyes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acts:
    """Acts over the write path's ports."""

    pipeline: Pipeline

    def act(self, reader: Reader, kind: str, said: Observation, *, words: str | None) -> Receipt:
        """Does what `said` is the event of; its new words are embedded beforehand.

        Raises `NotFound`, `Forbidden`, `Conflict`, `Erased`, `IdempotencyConflict`; then nothing was written.
        """
        pipeline, fact_id = self.pipeline, UUID(said.payload["fact_id"])
        received = pipeline.stated(reader, said)
        if words:
            vectors, _ = pipeline.encode([words])
            received.vectors = {received.evidence[0].evidence_id: vectors[0]}
        with pipeline.store.read(reader) as snapshot:
            if (known := pipeline.replayed(snapshot, received)) is not None:
                return known
            rows = snapshot.facts(FactFilter(ids=(fact_id,), include_inactive=True))
        writable(reader, rows, fact_id)
        self._second_person(reader, said, rows[-1])
        locks = locked(reader, received, fact_slot(pipeline.policy, rows[-1]))
        return pipeline.writing(reader, locks, lambda unit: self._done(unit, kind, received, rows[-1]))

    def _second_person(self, reader: Reader, said: Observation, fact: Fact) -> None:
        """Raises `Forbidden` for new words of a kind that the policy wants a second person for, unless it is one who writes
        them: an act is no way around the queue."""
        policy, given = self.pipeline.policy, said.payload
        second = reader.roles & {"reviewer", "admin"} and fact.placement.user not in (None, reader.user)
        if not policy.sensitivity.four_eyes or second or not (given.get("content") or given.get("value")):
            return
        content, value = reworded(fact, content=given.get("content"), value=given.get("value"))
        candidate = Candidate(
            content=content,
            value=value,
            memory_type=fact.memory_type,
            subject=fact.subject,
            predicate=fact.predicate,
            qualifier=fact.qualifier,
            scope=fact.scope,
            department=fact.placement.department,
            confidence=1.0,
        )
        case = self.pipeline.hypothetical(reader, said, candidate)
        with self.pipeline.store.read(reader) as snapshot:
            verdicts = judge(snapshot, case, policy).verdicts
        for verdict in verdicts:
            if verdict.rule == FOUR_EYES and verdict.ruling is not Ruling.ACCEPT:
                raise Forbidden(f"{verdict.reason}: state it anew, and have it approved in the review queue")

    def _done(self, unit: WriteUnit, kind: str, received: Received, fact: Fact) -> Receipt:
        if (known := self.pipeline.replayed(unit, received)) is not None:
            unit.leave()
            return known
        grounds = self.pipeline.grounds(unit, received)
        acting = Acting(unit=unit, policy=self.pipeline.policy, grounds=grounds, event_id=received.event.event_id)
        done, followed = perform(kind, acting, received.event.payload)
        outcome = "forgotten" if kind == "forget" else done.outcome
        receipt = _receipt(unit, received, done, outcome, followed)
        unit.finish_event(received.event.event_id, state="DONE", receipt=receipt_json(receipt))
        unit.audit(f"fact.{outcome}", ref_kind="fact", ref=fact.fact_id, content=fact.content)
        return receipt


def writable(reader: Reader, rows: Sequence[Fact], fact_id: UUID) -> None:
    """Raises `NotFound` where the reader can see no version of the fact, `Forbidden` where it is not theirs to change."""
    if not rows:
        raise NotFound(f"no fact {fact_id} that you can see")
    if not may_write(reader, rows[-1].placement):
        raise Forbidden(f"a {rows[-1].scope} memory is changed by a reviewer or admin, not by this reader")


def locked(reader: Reader, received: Received, slot: Slot) -> Locks:
    """What an act on a fact in a slot must hold."""
    home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
    partitions = {home, PartitionKey.of(reader.tenant, slot.placement)}
    return Locks(lanes=(received.event.lane_key,), slots=(slot,), partitions=tuple(sorted(partitions)))


def _receipt(unit: WriteUnit, received: Received, done: Committed, outcome: str, followed: Sequence[str]) -> Receipt:
    said = received.cleaned.observation.content[:120]
    return Receipt(
        event=received.event.event_id,
        evidence=tuple(piece.evidence_id for piece in received.evidence),
        facts=() if done.fact_id is None else (done.fact_id,),
        lines=(f"{outcome}: {said} (fact {done.fact_id}, revision {done.revision})", *followed),
        known_at=unit.recorded_at,
    )
