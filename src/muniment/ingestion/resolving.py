"""A person's word on two facts that disagree: one of them, both told apart, or neither.

The event of it can be done again from its payload alone: it names the two facts. What leaves is withdrawn with its reason and
does not come back when the slot is folded anew; what stays keeps its id.

Belongs here: what each word does to the facts, and the way from outside. Does not belong here: what disagrees (`timeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Change, OwnerType, Relation, Scope
from muniment.domain.errors import Conflict, Forbidden, InvalidInput, NotFound
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.receipts import receipt_from, receipt_json
from muniment.domain.records import Event, Evidence, Fact, Receipt
from muniment.domain.reviews import ConflictRow
from muniment.domain.scope import PartitionKey, Placement, Reader, may_write
from muniment.ingestion import amend
from muniment.ingestion.commit import Grounds
from muniment.ingestion.dependants import require, settle
from muniment.ingestion.govern import grounds_of
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.receive import Received
from muniment.ingestion.slots import fact_slot
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.store import ConflictFilter, FactFilter, Locks, ReadUnit, WriteUnit

RESOLVE: Final = f"{RESERVED}resolve"
OPEN: Final = "OPEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolving:
    unit: WriteUnit
    policy: Policy
    grounds: Grounds
    sides: Mapping[UUID, Fact]
    reason: str | None


Way = Callable[[_Resolving, Mapping[str, Any]], list[str]]


def resolve_again(
    unit: WriteUnit, policy: Policy, event: Event, payload: Mapping[str, Any], *, evidence: Sequence[Evidence] = ()
) -> list[str]:
    """Does a resolution by its event's payload, live or again; what it did, in a line each.

    Raises `Conflict` where the two facts do not disagree any more, `NotFound` where one is not believed, `Forbidden`.
    """
    ids = [UUID(ref) for ref in payload["facts"]]
    found = [item for item in unit.conflicts(ids) if set(item["facts"]) == set(ids)]
    if not found:
        raise Conflict(f"facts {ids[0]} and {ids[1]} do not disagree any more; nothing was changed")
    sides = {ref: amend.held(unit, ref, None) for ref in ids}
    for fact in sides.values():
        if not may_write(unit.reader, fact.placement):
            raise Forbidden(f"a {fact.scope} memory is changed by a reviewer or admin, not by this reader")
        require(unit, fact_slot(policy, fact))
    grounds = grounds_of(event, evidence, None)
    kind = next(name for name in WAYS if name in payload)
    said = {name: payload[name] for name in (kind, "reason") if name in payload}
    for item in found:
        unit.resolve_conflict(item["conflict_id"], resolution=said | {"event": str(event.event_id)}, by=grounds.actor)
    resolving = _Resolving(
        unit=unit,
        policy=policy,
        grounds=grounds,
        sides=sides,
        reason=payload.get("reason") or "a conflict was resolved",
    )
    lines = WAYS[kind](resolving, payload)
    followed = settle(unit, policy, grounds)
    return [*lines, followed.line] if followed.line else lines


def _pick(resolving: _Resolving, payload: Mapping[str, Any]) -> list[str]:
    chosen = UUID(payload["pick"])
    others = [fact for ref, fact in resolving.sides.items() if ref != chosen]
    _withdraw(resolving, others)
    return [f"kept: {resolving.sides[chosen].content} (fact {chosen})", *(_gone(fact) for fact in others)]


def _neither(resolving: _Resolving, payload: Mapping[str, Any]) -> list[str]:
    _withdraw(resolving, list(resolving.sides.values()))
    return [_gone(fact) for fact in resolving.sides.values()]


def _both(resolving: _Resolving, payload: Mapping[str, Any]) -> list[str]:
    """Each fact moves to the slot of its qualifier, or to its scope. Raises `InvalidInput` where that is one slot still."""
    unit, policy = resolving.unit, resolving.policy
    moved = {ref: _apart(unit.reader, resolving.sides[ref], payload["both"].get(str(ref))) for ref in resolving.sides}
    slots = [fact_slot(policy, fact) for fact in moved.values()]
    if slots[0] == slots[1]:
        raise InvalidInput("both= must tell the two facts apart: another qualifier or scope for at least one of them")
    lines = []
    for ref, fact in moved.items():
        if not may_write(unit.reader, fact.placement):
            raise Forbidden(f"a {fact.scope} memory is changed by a reviewer or admin, not by this reader")
        if fact_slot(policy, fact) != fact_slot(policy, resolving.sides[ref]):
            _move(resolving, resolving.sides[ref], fact)
        where = f" for {fact.qualifier}" if fact.qualifier else ""
        lines.append(f"kept{where}: {fact.content} ({fact.scope}, fact {ref})")
    return lines


WAYS: Final[Mapping[str, Way]] = {"pick": _pick, "both": _both, "neither": _neither}
"""What may be said of two facts that disagree."""


def _gone(fact: Fact) -> str:
    return f"withdrawn: {fact.content} (fact {fact.fact_id})"


def _withdraw(resolving: _Resolving, facts: Sequence[Fact]) -> None:
    amend.withdraw(resolving.unit, resolving.policy, facts, reason=resolving.reason, actor=resolving.grounds.actor)


def _apart(reader: Reader, fact: Fact, given: str | None) -> Fact:
    """The fact with its qualifier, or in its scope: a scope's name in capitals is a scope."""
    if given is None:
        return fact
    if given not in Scope.__members__:
        return replace(fact, qualifier=given)
    scope = Scope(given)
    return fact if scope is fact.scope else replace(fact, placement=Placement.for_reader(scope, reader))


def _move(resolving: _Resolving, old: Fact, new: Fact) -> None:
    """Takes a fact with all that was told of it from one slot to another."""
    unit, policy = resolving.unit, resolving.policy
    before, after = fact_slot(policy, old), fact_slot(policy, new)
    require(unit, after)
    live = unit.live(slots=[before])
    told = [item for item in unit.told(slots=[before]) if item.fact_id == old.fact_id]
    unit.withdraw(old.fact_id, [item.ordinal for item in told])
    refold(unit, policy, before, edits=[], live=[row for row in live if row.fact_id != old.fact_id])
    for item in told:
        unit.tell(item, slot=after)
    edited = replace(
        new,
        change=Change.CORRECT,
        reason=resolving.reason,
        actor=resolving.grounds.actor,
        trace_id=resolving.grounds.trace_id,
    )
    mine = [row for row in live if row.fact_id == old.fact_id]
    folded = refold(unit, policy, after, edits=[Edit(fact=edited)], live=[*unit.live(slots=[after]), *mine])
    first = folded.of(old.fact_id)[0]
    unit.link_evidence(old.fact_id, first.revision, resolving.grounds.evidence, Relation.SUPPORT)


# -- from outside ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolutions:
    """Resolutions over the write path's ports."""

    pipeline: Pipeline

    def resolve(self, reader: Reader, conflict_id: UUID, given: Mapping[str, Any], *, key: str | None) -> Receipt:
        """Resolves a conflict, as `given` says in plain JSON: pick, both or neither, and the reason.

        The same again answers with the first receipt. Raises `NotFound`, `Forbidden`, `InvalidInput`; `Conflict` where it
        was settled or resolved otherwise, which `.current` then says.
        """
        pipeline = self.pipeline
        with pipeline.store.read(reader) as unit:
            row = find(unit, conflict_id)
            facts = unit.facts(FactFilter(ids=row.facts, include_inactive=True))
        payload = {"conflict_id": str(conflict_id), "facts": [str(ref) for ref in row.facts], **given}
        _checked(row, given)
        words = given.get("reason") or f"conflict {conflict_id} was resolved"
        said = Observation(content=words, event_type=RESOLVE, payload=payload, idempotency_key=key)
        received = pipeline.stated(reader, said)
        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        slots = tuple(dict.fromkeys(fact_slot(pipeline.policy, fact) for fact in facts if fact.retracted_at is None))
        places = {home, *(PartitionKey.of(reader.tenant, slot.placement) for slot in slots)}
        locks = Locks(lanes=(received.event.lane_key,), slots=slots, partitions=tuple(sorted(places)))
        return pipeline.writing(reader, locks, lambda unit: self._done(unit, conflict_id, given, received))

    def _done(self, unit: WriteUnit, conflict_id: UUID, given: Mapping[str, Any], received: Received) -> Receipt:
        if (known := self.pipeline.replayed(unit, received)) is not None:
            unit.leave()
            return known
        row = find(unit, conflict_id)
        if row.status != OPEN:
            unit.leave()
            return _repeated(unit, row, given)
        self.pipeline.write_received(unit, [received])
        event = received.event
        lines = resolve_again(unit, self.pipeline.policy, event, event.payload, evidence=received.evidence)
        receipt = Receipt(
            event=event.event_id,
            evidence=tuple(piece.evidence_id for piece in received.evidence),
            facts=row.facts,
            lines=tuple(lines),
            known_at=unit.recorded_at,
        )
        unit.finish_event(event.event_id, state="DONE", receipt=receipt_json(receipt))
        unit.audit("conflict.resolve", ref_kind="conflict", ref=conflict_id, content="; ".join(lines))
        return receipt


def find(unit: ReadUnit, conflict_id: UUID) -> ConflictRow:
    """A conflict of facts that the reader sees. Raises `NotFound`."""
    found = unit.conflict_rows(ConflictFilter(ids=(conflict_id,)))
    if not found:
        raise NotFound(f"no conflict {conflict_id} that you can see")
    return found[0]


def _checked(row: ConflictRow, given: Mapping[str, Any]) -> None:
    """Raises `InvalidInput` for a fact that is no side of the conflict."""
    sides = {str(ref) for ref in row.facts}
    named = {given["pick"]} if "pick" in given else set(given.get("both", ()))
    if strangers := sorted(named - sides):
        raise InvalidInput(f"fact {strangers[0]} is no side of this conflict; its sides are {', '.join(sorted(sides))}")


def _repeated(unit: ReadUnit, row: ConflictRow, given: Mapping[str, Any]) -> Receipt:
    """The first receipt of the same resolution. Raises `Conflict` where the conflict ended otherwise."""
    said = {name: value for name, value in row.resolution.items() if name in WAYS}
    known = unit.receipt(UUID(row.resolution["event"])) if "event" in row.resolution else None
    if known is not None and said == {name: value for name, value in given.items() if name in WAYS}:
        return receipt_from(known, replayed=True)
    when = "" if row.resolved_at is None else f" on {row.resolved_at.date().isoformat()}"
    raise Conflict(f"conflict {row.conflict_id} was ended by {row.resolved_by}{when}; nothing was changed", current=row)
