"""Questions to a person: which give way to a newer one, what they were asked about, and whether that has moved.

Belongs here: reading a question beside what its slot holds. Does not belong here: answers to it (`review`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import CandidateStatus, Intent, Ruling
from muniment.domain.records import Candidate, Decision, Event, Fact
from muniment.domain.reviews import Asked, Moved, State, etag, state_of
from muniment.domain.scope import Reader
from muniment.ingestion.slots import fact_slot, slot_of
from muniment.ports.store import FactFilter, ReadUnit, Slot, WriteUnit

NEWER: Final = "a newer one for its slot was {}"
ASKS: Final = frozenset({CandidateStatus.ACCEPTED, CandidateStatus.NEEDS_CONFIRMATION})


def give_way(unit: WriteUnit, policy: Policy, candidate: Candidate, slot: Slot | None) -> None:
    """Takes back the older open questions about a slot for which a newer candidate was proposed or accepted.

    Requests to forget and questions whether a fact still holds are about what is held, not about what it should be: they
    neither give way nor make others do so.
    """
    if slot is None or candidate.status not in ASKS or candidate.intent is Intent.FORGET:
        return
    word = "accepted" if candidate.status is CandidateStatus.ACCEPTED else "proposed"
    for older in unit.rivals(candidate.predicate):
        same = (
            older.candidate_id != candidate.candidate_id and slot_of(policy, older.candidate, older.placement) == slot
        )
        if same and not older.revalidates and older.candidate.intent is not Intent.FORGET:
            unit.set_candidate(older.candidate_id, status=CandidateStatus.SUPERSEDED, reason=NEWER.format(word))


def sight_of(tenant: str, asked: Asked) -> Reader:
    """Whoever proposed it, able to see where it would live."""
    placement = asked.placement
    return Reader(
        tenant=tenant,
        user=asked.author,
        departments=frozenset(() if placement.department is None else (placement.department,)),
        agent=placement.agent,
        session=placement.session,
        task=placement.task,
    )


def author_of(tenant: str, asked: Asked, event: Event | None, *, department: str | None = None) -> Reader:
    """Whoever proposed it, as they were when they did, and with a department that a reviewer puts it into: what is decided
    is written on their behalf, where they would have put it."""
    sight = sight_of(tenant, asked)
    if event is None:
        return sight
    principal, home = event.principal, event.placement
    departments = {
        *sight.departments,
        *principal.get("departments", ()),
        *(() if department is None else (department,)),
    }
    return replace(
        sight,
        departments=frozenset(departments),
        agent=sight.agent or home.agent,
        session=sight.session or home.session,
        task=sight.task or home.task,
        roles=frozenset(principal.get("roles") or ("agent",)),
    )


def when_asked(decisions: Sequence[Decision]) -> Decision | None:
    """The decision by which a candidate came to ask a person."""
    asking = [item for item in decisions if item.ruling is Ruling.CONFIRM or item.outcome == "needs confirmation"]
    return asking[-1] if asking else None


def then_of(decision: Decision | None) -> State:
    """What the slot held when it was asked: fact ids to revisions."""
    held = {} if decision is None else decision.inputs.get("held")
    return {str(ref): int(revision) for ref, revision in held.items()} if isinstance(held, Mapping) else {}


def now_in(unit: ReadUnit, policy: Policy, asked: Asked) -> list[Fact]:
    """The versions believed now of what the question is about: the fact whose ground went, or all of its slot."""
    if asked.revalidates and asked.candidate.target is not None:
        wanted = FactFilter(ids=(asked.candidate.target,), include_inactive=True)
    else:
        wanted = FactFilter(slots=(slot_of(policy, asked.candidate, asked.placement),), include_inactive=True)
    return [row for row in unit.facts(wanted) if row.retracted_at is None and row.standing is not None]


def versions(unit: ReadUnit, state: State) -> list[Fact]:
    """The versions that a state names, as far as they were not forgotten."""
    ids = tuple(UUID(ref) for ref in state)
    rows = unit.facts(FactFilter(ids=ids, include_inactive=True)) if ids else []
    return [row for row in rows if state[str(row.fact_id)] == row.revision]


def moved(unit: ReadUnit, then: State, now: Sequence[Fact]) -> Moved:
    """The difference between what the slot held and what it holds."""
    state = state_of(now)
    return Moved(
        then=tuple(versions(unit, then)),
        now=tuple(now),
        changed=tuple(UUID(ref) for ref in then if ref in state and state[ref] != then[ref]),
        gone=tuple(UUID(ref) for ref in then if ref not in state),
        new=tuple(UUID(ref) for ref in state if ref not in then),
        state=etag(state),
    )


def slot_asked(policy: Policy, asked: Asked, rows: Sequence[Fact]) -> Slot:
    """The slot a question is about; that of its fact where it asks whether one still holds."""
    if asked.revalidates and rows:
        return fact_slot(policy, rows[0])
    return slot_of(policy, asked.candidate, asked.placement)


def at_home(asked: Asked, rows: Sequence[Fact]) -> Asked:
    """The question with the placement of the fact it asks about, which a candidate's row does not hold in full."""
    return replace(asked, placement=rows[0].placement) if asked.revalidates and rows else asked
