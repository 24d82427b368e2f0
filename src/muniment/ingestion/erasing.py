"""Hiding and erasing what was selected, in terms of the unit of work.

Both take the facts out of the timeline first, so that predecessors extend again and what depended on them is settled. Hiding
then leaves the rows for the auditor; erasing leaves none. Both raise the fence: work begun on what was there before must look
again.

Belongs here: the acts `forget_many` and `erase`, in one transaction each. Does not belong here: what is selected
(`selecting`), a single fact hidden (`forgetting`), SQL (store/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Change, Eligibility, FactStatus, OwnerType
from muniment.domain.forgotten import Erasure, Mode, Selector
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey
from muniment.ingestion.amend import withdraw
from muniment.ingestion.commit import Grounds
from muniment.ingestion.dependants import Settled, settle
from muniment.ingestion.exact_keys import keys_of_piece
from muniment.ingestion.forgetting import CLOSED, Name, keep
from muniment.ingestion.selecting import Plan, of_ids
from muniment.ingestion.slots import fact_slot
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.forgetting import Erasing, Stone
from muniment.ports.store import WiderLocks, WriteUnit

MANY: Final = "forget_many"
ERASE: Final = "erase"
WHOLE: Final = frozenset({"user", "tenant"})
"""Selectors by which everything of somebody goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Went:
    """What went: rows by table, what followed for dependants in words, and what of a turn stays under which ids."""

    counts: Mapping[str, int]
    lines: tuple[str, ...]
    rests: tuple[UUID, ...]


def payload_of(found: Plan, *, mode: Mode, by: str) -> dict[str, Any]:
    """What the act's event keeps: ids, never words. A replay does nothing with them but leave them out."""
    names = ("facts", "evidence", "candidates", "events")
    return {"by": by, "mode": mode} | {name: [str(ref) for ref in getattr(found, name)] for name in names}


def again(unit: WriteUnit, policy: Policy, payload: Mapping[str, Any], grounds: Grounds, *, name: Name) -> list[str]:
    """Does `forget_many` again from its event, as far as what it named is there: a replay revives none of it."""
    named = {kind: tuple(UUID(ref) for ref in payload.get(kind, ())) for kind in ("facts", "evidence", "candidates")}
    found = of_ids(unit, named["facts"], named["evidence"], named["candidates"])
    return list(hide_many(unit, policy, found, grounds, reason="forgotten", name=name).lines)


def require(unit: WriteUnit, found: Plan) -> None:
    """Raises `WiderLocks` where something of the plan lives in a partition that the unit did not lock."""
    missing = [key for key in found.partitions if not unit.holds(key)]
    if missing:
        raise WiderLocks(missing)


def hide_many(unit: WriteUnit, policy: Policy, found: Plan, grounds: Grounds, *, reason: str, name: Name) -> Went:
    """Hides everything of the plan: no reader and no channel shows it; the auditor's views do."""
    retold = _withdrawn(unit, policy, found, grounds, reason=reason, single=True)
    unit.hide(found.facts, reason=reason, actor=grounds.actor)
    for fact in retold.values():
        unit.hide_versions(fact.fact_id, before=fact.revision)
    recorded = unit.take_recorded()
    unit.hide_evidence(found.evidence)
    stones = [Stone(kind="evidence", ref=ref, user=piece.placement.user) for ref, piece in found.pieces.items()]
    unit.bury(stones, mode="hide", actor=grounds.actor, reason=reason)
    closed = unit.close_candidates(found.candidates, reason=CLOSED)
    rests = []
    others = unit.told_on(found.rests)
    for ref, piece in found.rests.items():
        if piece.eligibility is Eligibility.ELIGIBLE:
            rest = replace(piece, evidence_id=name(f"rest:{ref}"))
            keep(unit, rest, [item for item in others.get(ref, ()) if item not in found.facts])
            rests.append(rest.evidence_id)
    dropped = unit.drop_summaries(found.users, _told(found))
    unit.raise_epochs(unit.lanes_of(found.events))
    followed = _settled(unit, policy, found, grounds, recorded)
    counts = {
        "fact": len(found.facts),
        "evidence": len(found.evidence),
        "candidate": closed,
        "summary": dropped,
        "fact_revision": len(retold),
    }
    return Went(
        counts={table: count for table, count in counts.items() if count},
        lines=(followed.line,) if followed.line else (),
        rests=tuple(rests),
    )


def erase_many(
    unit: WriteUnit,
    policy: Policy,
    found: Plan,
    grounds: Grounds,
    selector: Selector,
    *,
    reason: str,
    erasure: UUID,
) -> Went:
    """Takes the content of everything of the plan out of the database, and leaves tombstones."""
    if selector.by in WHOLE:
        unit.retire_keys(_theirs(found, selector))
    retold = _withdrawn(unit, policy, found, grounds, reason="erased", single=False)
    recorded = unit.take_recorded()
    unit.hide_evidence([ref for ref in found.evidence if ref not in found.rests])
    followed = _settled(unit, policy, found, grounds, recorded)
    lanes = unit.lanes_of(found.events)
    whole = selector.by in WHOLE
    dropped = unit.drop_summaries(None if selector.by == "tenant" else found.users, None if whole else _told(found))
    counts = unit.erase(
        Erasing(
            facts=found.facts,
            evidence=found.evidence,
            candidates=found.candidates,
            events=found.events,
            rests=found.rests,
            reworded=retold,
            partial=found.partial,
            probes=found.probes,
            users=found.users,
        )
    )
    for piece in found.rests.values():
        unit.add_identifiers(keys_of_piece(piece, unit.digest))
    counts |= {"summary": dropped} if dropped else {}
    _bury(unit, found, grounds, reason=reason)
    unit.raise_epochs(lanes)
    unit.add_erasure(
        Erasure(
            erasure_id=erasure,
            selector=_without_content(selector),
            status="PENDING",
            requested_by=grounds.actor,
            requested_at=unit.recorded_at,
            finished_at=None,
            counts=counts,
        )
    )
    return Went(counts=counts, lines=(followed.line,) if followed.line else (), rests=tuple(sorted(found.rests)))


def _told(found: Plan) -> list[UUID]:
    """Everything of the plan that a summary may have told: also facts that stay in other words."""
    return [*found.facts, *found.evidence, *found.rests, *found.reworded]


def _bury(unit: WriteUnit, found: Plan, grounds: Grounds, *, reason: str) -> None:
    owners = unit.owners(found.facts)
    users = {ref: owner.user for ref, owner in owners.items()}
    home = unit.reader.user
    stones = [Stone(kind="fact", ref=ref, user=users.get(ref, home)) for ref in found.facts]
    stones += [Stone(kind="evidence", ref=ref, user=piece.placement.user) for ref, piece in found.pieces.items()]
    stones += [Stone(kind="event", ref=ref, user=home) for ref in found.events]
    unit.bury(stones, mode="erase", actor=grounds.actor, reason=reason)


def _without_content(selector: Selector) -> dict[str, str]:
    """A selector as it is kept: by what, and whose; the fact's id, but neither words nor the name of a session or task."""
    kept: dict[str, str] = {"by": selector.by}
    if selector.user is not None:
        kept["user"] = selector.user
    # What the lifecycle goes by is a word of ours.
    return kept | ({selector.by: selector.value} if selector.by in ("fact", "retention") else {})


def _theirs(found: Plan, selector: Selector) -> list[PartitionKey]:
    """The partitions that are wholly of who is erased."""
    if selector.by == "tenant":
        return sorted(found.partitions)
    return [key for key in sorted(found.partitions) if key.kind is OwnerType.USER and key.target == selector.user]


def _settled(unit: WriteUnit, policy: Policy, found: Plan, grounds: Grounds, recorded: Sequence[UUID]) -> Settled:
    """Settles what hangs on what went: of that, only what something does hang on is looked at one by one."""
    unit.take_recorded()
    gone = [*found.facts, *found.evidence]
    links = unit.dependencies(on=gone)
    roots = {ref for link in links for ref in (link.root_fact_id, link.root_evidence_id)}
    return settle(unit, policy, grounds, lost=[*recorded, *(ref for ref in gone if ref in roots)])


def _withdrawn(
    unit: WriteUnit, policy: Policy, found: Plan, grounds: Grounds, *, reason: str, single: bool
) -> dict[UUID, Fact]:
    """Takes the plan's facts out of the fold; those that stay are told again in the words they keep. Returns the latter.

    Where a whole timeline goes there is nothing to fold: its facts are concealed, many at once. `single` keeps that to
    timelines of one fact, so that conflicts between several are settled.
    """
    alone = unit.alone(found.facts, single=single)
    unit.conceal(sorted(alone))
    others = [ref for ref in found.facts if ref not in alone]
    believed: dict[UUID, Fact] = {}
    for start in range(0, len(others), 500):
        for row in unit.live(fact_ids=others[start : start + 500]):
            if row.hidden_at is None and row.status is not FactStatus.INVALIDATED:
                believed.setdefault(row.fact_id, row)
    withdraw(unit, policy, list(believed.values()), reason=reason, actor=grounds.actor)
    return {ref: _retold(unit, policy, found, ref, grounds) for ref in found.reworded}


def _retold(unit: WriteUnit, policy: Policy, found: Plan, ref: UUID, grounds: Grounds) -> Fact:
    """A fact without the statements that go, in the words of one that stays."""
    stays = found.reworded[ref]
    held = unit.live(fact_ids=[ref])[0]
    slot = fact_slot(policy, held)
    live = unit.live(slots=[slot])
    gone = set(found.evidence)
    mine = [item for item in unit.told(slots=[slot]) if item.fact_id == ref]
    unit.withdraw(ref, [item.ordinal for item in mine if item.evidence_id in gone])
    edited = replace(
        held,
        content=stays.content,
        value=stays.value,
        metadata={},
        trace_id=None,
        change=Change.CORRECT,
        reason=None,
        actor=grounds.actor,
        sources=len({item.source for item in mine if item.evidence_id not in gone}),
    )
    unit.drop_identifiers([ref])
    folded = refold(unit, policy, slot, edits=[Edit(fact=edited, vectors=b"")], live=live)
    unit.unembed([ref])
    return folded.of(ref)[0]
