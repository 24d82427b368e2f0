"""Decisions from outside: who may look, what they saw, the decision as an event, in one transaction with what it does.

The event belongs to whoever proposed the candidate, with the person who decided as its actor: it is theirs to export, to
replay and to have erased, and what is decided lands where they would have put it.

Belongs here: that way. Does not belong here: what each answer does (`review`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from muniment.domain.enums import ActorType, CandidateStatus, OwnerType, Scope
from muniment.domain.errors import Conflict, InvalidInput
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.receipts import line, receipt_from, receipt_json
from muniment.domain.records import Decision, Event, Receipt
from muniment.domain.reviews import Asked, Waiting
from muniment.domain.scope import PartitionKey, Reader
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.questions import at_home, author_of, moved, now_in, sight_of, slot_asked, then_of, when_asked
from muniment.ingestion.receive import Received
from muniment.ingestion.review import (
    DONE,
    Reviewed,
    edited,
    find,
    perform_review,
    permitted,
    principal_payload,
    still_open,
)
from muniment.ports.store import Locks, ReadUnit, WriteUnit

FIELDS = ("content", "value", "valid_from", "valid_until", "scope", "department")
"""What an edit may change."""
LAPSES = 200
"""Candidates of one user that lapse in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A candidate as someone who decides on it found it, whose it is, and the event it came of."""

    asked: Asked
    author: Reader
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """Decisions over the write path's ports."""

    pipeline: Pipeline

    def decide(
        self,
        by: Reader,
        kind: str,
        candidate_id: UUID,
        given: Mapping[str, Any],
        *,
        expected: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Approves, edits or rejects a candidate; `given` are the edit's fields and the reason, as plain JSON.

        The same decision again answers with the first receipt. Raises `NotFound`, `Forbidden`, `Erased`, `InvalidInput`;
        `Conflict` where it was decided otherwise, or where what it is about moved since it was asked (then `.current` is
        the difference) and not to the state that `expected` names.
        """
        pipeline = self.pipeline
        seen = self._seen(by, candidate_id, given)
        if (known := self._repeated(seen, kind, given)) is not None:
            return known
        received = pipeline.stated(seen.author, _said(by, kind, seen, given, key, digest=pipeline.store.digest))
        vectors = self._vectors(kind, seen.asked, given)
        with pipeline.store.read(seen.author) as snapshot:
            if (answered := pipeline.replayed(snapshot, received)) is not None:
                return answered
        locks = self._locks(seen, received)
        return pipeline.writing(
            seen.author, locks, lambda unit: self._done(unit, seen, kind, given, received, vectors, expected)
        )

    def _seen(self, by: Reader, candidate_id: UUID, given: Mapping[str, Any]) -> Seen:
        store = self.pipeline.store
        with store.read(by) as unit:
            asked = find(unit, candidate_id, by)
        with store.read(sight_of(by.tenant, asked)) as unit:
            asked = at_home(asked, now_in(unit, self.pipeline.policy, asked))
            events = unit.events([asked.event_id])
            decisions = unit.decisions([candidate_id])
        permitted(by, asked)
        author = author_of(by.tenant, asked, events[0] if events else None, department=department_for(by, asked, given))
        return Seen(asked=asked, author=author, decisions=tuple(decisions))

    def _vectors(self, kind: str, asked: Asked, given: Mapping[str, Any]) -> bytes:
        """Vectors of the words that would be kept; none for what is refused."""
        if kind == "reject":
            return b""
        vectors, _ = self.pipeline.encode([edited(asked.candidate, given).content])
        return vectors[0]

    def _locks(self, seen: Seen, received: Received) -> Locks:
        home = PartitionKey(tenant=seen.author.tenant, kind=OwnerType.USER, target=seen.author.user)
        partitions = {home, PartitionKey.of(seen.author.tenant, seen.asked.placement)}
        slots = () if seen.asked.revalidates else (slot_asked(self.pipeline.policy, seen.asked, ()),)
        return Locks(lanes=(received.event.lane_key,), slots=slots, partitions=tuple(sorted(partitions)))

    def _repeated(self, seen: Seen, kind: str, given: Mapping[str, Any]) -> Receipt | None:
        """The first receipt of a decision that was made before; None while the candidate asks.

        Raises `Conflict` where it was decided otherwise, naming by whom.
        """
        if seen.asked.candidate.status is CandidateStatus.NEEDS_CONFIRMATION:
            return None
        with self.pipeline.store.read(seen.author) as unit:
            return _repeated(unit, unit.decisions([seen.asked.candidate_id]), seen.asked, kind, given)

    def _done(
        self,
        unit: WriteUnit,
        seen: Seen,
        kind: str,
        given: Mapping[str, Any],
        received: Received,
        vectors: bytes,
        expected: str | None,
    ) -> Receipt:
        """Under the locks: the question as it is now, then the answer."""
        policy = self.pipeline.policy
        if (known := self.pipeline.replayed(unit, received)) is not None:
            unit.leave()
            return known
        asked = find(unit, seen.asked.candidate_id)
        decisions = unit.decisions([asked.candidate_id])
        if asked.candidate.status is not CandidateStatus.NEEDS_CONFIRMATION:
            unit.leave()
            return _repeated(unit, decisions, asked, kind, given)
        _unmoved(unit, asked, decisions, now_in(unit, policy, asked), expected)
        self.pipeline.write_received(unit, [received])
        reviewed = perform_review(
            unit, policy, received.event, received.event.payload, evidence=received.evidence, vectors=vectors
        )
        receipt = _receipt(unit, received, kind, reviewed)
        unit.finish_event(received.event.event_id, state="DONE", receipt=receipt_json(receipt))
        return receipt

    # -- time's answer --------------------------------------------------------------------------------------------------

    def lapse(self, waiting: Sequence[Waiting]) -> list[UUID]:
        """Lets candidates lapse, each user's in transactions of their own; those that were decided meanwhile stay so."""
        by_author: dict[tuple[str, str], list[UUID]] = {}
        for item in waiting:
            by_author.setdefault((item.tenant, item.author), []).append(item.candidate_id)
        lapsed: list[UUID] = []
        for (tenant, user), ids in by_author.items():
            author = Reader.of(tenant=tenant, user=user)
            for start in range(0, len(ids), LAPSES):
                lapsed += self._lapse(author, ids[start : start + LAPSES])
        return lapsed

    def _lapse(self, author: Reader, ids: Sequence[UUID]) -> list[UUID]:
        said = Observation(
            content=f"{len(ids)} question(s) lapsed unanswered",
            actor=ActorType.SYSTEM,
            actor_id="lifecycle",
            event_type=f"{RESERVED}lapse",
            payload={"candidates": [str(ref) for ref in ids]},
        )
        received = self.pipeline.stated(author, said)
        home = PartitionKey(tenant=author.tenant, kind=OwnerType.USER, target=author.user)

        def work(unit: WriteUnit) -> list[UUID]:
            # Under the lock: another process may have answered or lapsed them meanwhile; then there is nothing to tell.
            if not still_open(unit, ids):
                unit.leave()
                return []
            self.pipeline.write_received(unit, [received])
            done = perform_review(
                unit, self.pipeline.policy, received.event, received.event.payload, evidence=received.evidence
            )
            unit.finish_event(received.event.event_id, state="DONE")
            return [item.asked.candidate_id for item in done]

        return self.pipeline.writing(author, Locks(lanes=(received.event.lane_key,), partitions=(home,)), work)


def department_for(by: Reader, asked: Asked, given: Mapping[str, Any]) -> str | None:
    """The department that an edit puts a memory into. Raises `InvalidInput` where it is not clear which."""
    if given.get("scope") != Scope.DEPARTMENT:
        return None
    named = given.get("department") or asked.candidate.department
    if named is None and len(by.departments) == 1:
        named = next(iter(by.departments))
    if named is None:
        raise InvalidInput("scope DEPARTMENT needs a reviewer of one department, or a candidate that names one")
    return str(named)


def _said(by: Reader, kind: str, seen: Seen, given: Mapping[str, Any], key: str | None, *, digest: Any) -> Observation:
    """The decision as something that happened. A key is one of whoever decides, not of whoever proposed."""
    payload = {"candidate_id": str(seen.asked.candidate_id), "by": principal_payload(by), **given}
    if (department := department_for(by, seen.asked, given)) is not None:
        payload["department"] = department
    words = given.get("content") or given.get("value") or given.get("reason")
    own = by.user == seen.author.user
    return Observation(
        content=words or f"{DONE[kind]}: candidate {seen.asked.candidate_id}",
        actor_id=by.user,
        event_type=RESERVED + kind,
        source="review" if own else f"review:{digest(f'reviewer{chr(0)}{by.user}')[:32]}",
        payload=payload,
        idempotency_key=key,
    )


def _unmoved(
    unit: ReadUnit, asked: Asked, decisions: Sequence[Decision], now: Sequence[Any], expected: str | None
) -> None:
    """Raises `Conflict`, with the difference, where what the question is about is neither as it was asked nor as the person
    who decides has seen it."""
    difference = moved(unit, then_of(when_asked(decisions)), now)
    if difference.same if expected is None else expected == difference.state:
        return
    raise Conflict(
        f"what candidate {asked.candidate_id} is about moved since it was looked at ({difference.line} since it was asked); "
        "look at it again, then decide with expected= its state",
        current=difference,
    )


def _repeated(
    unit: ReadUnit, decisions: Sequence[Decision], asked: Asked, kind: str, given: Mapping[str, Any]
) -> Receipt:
    last = decisions[-1] if decisions else None
    act = None if last is None else last.inputs.get("act")
    if last is not None and act == kind:
        event_id = UUID(str(last.inputs["event"]))
        known = unit.receipt(event_id)
        same = kind != "edit" or _fields(unit.events([event_id])) == {
            name: given[name] for name in FIELDS if name in given and name != "department"
        }
        if known is not None and same:
            return receipt_from(known, replayed=True)
    raise Conflict(f"candidate {asked.candidate_id} {_became(asked, last)}", current=last)


def _fields(events: Sequence[Event]) -> dict[str, Any]:
    """What an earlier edit changed."""
    payload = events[0].payload if events else {}
    return {name: payload[name] for name in FIELDS if name in payload and name != "department"}


def _became(asked: Asked, last: Decision | None) -> str:
    """What was decided on a candidate that does not ask any more, and by whom."""
    if asked.candidate.status is CandidateStatus.SUPERSEDED:
        return f"was superseded: {asked.candidate.governance_reason}"
    if last is None:
        return f"is {asked.candidate.status}"
    word = DONE.get(str(last.inputs.get("act")), last.outcome)
    return f"was {word} by {last.actor} on {last.decided_at.date().isoformat()}: {last.reason}"


def _receipt(unit: WriteUnit, received: Received, kind: str, reviewed: Sequence[Reviewed]) -> Receipt:
    lines: list[str] = []
    facts: dict[UUID, None] = {}
    for item in reviewed:
        said = line(item.asked.candidate, item.decision)
        lines += [said if item.decision.outcome == DONE[kind] else f"{DONE[kind]}: {said}", *item.followed]
        if item.decision.fact_id is not None:
            facts[item.decision.fact_id] = None
    return Receipt(
        event=received.event.event_id,
        evidence=tuple(piece.evidence_id for piece in received.evidence),
        candidates=tuple(item.asked.candidate_id for item in reviewed),
        decisions=tuple(item.decision for item in reviewed),
        facts=tuple(facts),
        lines=tuple(lines),
        known_at=unit.recorded_at,
    )
