"""Step 4: an accepted candidate joins the statements of its slot.

Heard again, it reinforces the fact that says the same over an overlapping period (independent sources count once each);
otherwise it is a new fact. Either way the slot is folded anew.

Belongs here: `assert`. Does not belong here: corrections and changes of a named fact (`amend`), verdicts (governance/).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from muniment.config import Policy
from muniment.domain.confidence import combine, from_points, to_points
from muniment.domain.enums import Basis, Change, DependencyKind, FactStatus, Relation
from muniment.domain.ids import derived
from muniment.domain.records import Candidate, Dependency, Fact
from muniment.domain.scope import Placement
from muniment.governance.sameness import same_value
from muniment.ingestion.slots import said_value
from muniment.ingestion.timeline import Edit, Folded, refold
from muniment.ports.store import Slot, Told, WriteUnit
from muniment.text.sanitise import printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """On what a statement is made: its evidence, the trust of its source, the key by which sources are independent, and
    where a caller gave them, the reason, the fact it takes over from and what it was derived from. `event` is what happened."""

    evidence: tuple[UUID, ...]
    trust: int
    source: str
    actor: str
    said_at: datetime
    trace_id: str | None = None
    vectors: bytes | None = None
    reason: str | None = None
    supersedes: UUID | None = None
    event: UUID | None = None
    derived_from: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a commit did to the fact; no fact where it did nothing but ask."""

    fact_id: UUID | None
    revision: int
    outcome: str
    conflicts_with: tuple[UUID, ...] = ()


def told_of(candidate: Candidate, grounds: Grounds, fact_id: UUID) -> Told:
    """The candidate as a statement. Said of the present without a date, it holds from when it was said."""
    start = candidate.valid_from
    if start is None and candidate.placed and not candidate.valid_from_known:
        start = grounds.said_at
    return Told(
        fact_id=fact_id,
        ordinal=0,
        content=candidate.content,
        value=candidate.value,
        stated_from=start,
        stated_until=candidate.valid_until,
        valid_from_known=candidate.valid_from_known and candidate.placed,
        placed=candidate.placed,
        trust=grounds.trust,
        confidence=candidate.confidence,
        source=grounds.source,
        evidence_id=grounds.evidence[0] if grounds.evidence else None,
        derived=bool(grounds.derived_from),
    )


def assert_statement(
    unit: WriteUnit,
    policy: Policy,
    slot: Slot,
    candidate: Candidate,
    grounds: Grounds,
    *,
    new_id: UUID,
    change: Change = Change.ASSERT,
) -> Committed:
    """Adds the candidate's statement to its slot and records what follows."""
    live = unit.live(slots=[slot])
    held = unit.told(slots=[slot])
    told = told_of(candidate, grounds, new_id)
    same = _same(slot, told, held)
    if same is None:
        fact = new_fact(unit, slot, candidate, grounds, told, change)
    else:
        # The timeline has one spelling of one value; its own words are kept, should the first ones be forgotten.
        told = replace(told, fact_id=same.fact_id, value=told.value and same.value)
        if printed(told.content) == printed(same.content):
            # Only what nobody sees is different: no reason to say it in other bytes.
            told = replace(told, content=same.content)
        fact = _reinforced(same.fact_id, live, [*held, told], candidate, grounds)
    if same is None:
        unit.add_head(fact, slot=slot)
    unit.tell(told, slot=slot)
    _rest_on(unit, told.fact_id, grounds, slot.placement)
    folded = refold(
        unit, policy, slot, edits=[Edit(fact=fact, vectors=grounds.vectors if same is None else None)], live=live
    )
    mine = folded.of(fact.fact_id)
    unit.link_evidence(fact.fact_id, mine[0].revision, grounds.evidence, Relation.SUPPORT)
    return _committed(mine[0], folded, reinforced=same is not None)


def _rest_on(unit: WriteUnit, fact_id: UUID, grounds: Grounds, placement: Placement) -> None:
    """Links a derived fact with the facts and evidence it was derived from, each once. Its id is made of what it links, so
    that a replay makes the same."""
    if not grounds.derived_from:
        return
    known = {link.root_fact_id or link.root_evidence_id for link in unit.dependencies(of=[fact_id])}
    fresh = [ref for ref in dict.fromkeys(grounds.derived_from) if ref not in known and ref != fact_id]
    facts = {row.fact_id for row in unit.live(fact_ids=fresh)}
    unit.add_dependencies(
        [
            Dependency(
                dependency_id=derived(fact_id, f"derived:{ref}"),
                fact_id=fact_id,
                kind=DependencyKind.DERIVED,
                root_fact_id=ref if ref in facts else None,
                root_evidence_id=None if ref in facts else ref,
            )
            for ref in fresh
        ],
        placement=placement,
    )


def _committed(fact: Fact, folded: Folded, *, reinforced: bool) -> Committed:
    against = tuple(
        second if first == fact.fact_id else first
        for first, second, _ in folded.conflicts
        if fact.fact_id in (first, second)
    )
    outcome = "reinforced" if reinforced else "in conflict" if against else "committed"
    return Committed(fact_id=fact.fact_id, revision=fact.revision, outcome=outcome, conflicts_with=against)


def _same(slot: Slot, told: Told, held: list[Told]) -> Told | None:
    """The statement that already says this over a period that overlaps or touches, the earliest told first."""
    alike = [item for item in held if _says_so(slot, item, told) and item.placed == told.placed and _touch(item, told)]
    return min(alike, key=lambda item: (item.fact_id, item.ordinal), default=None)


def _says_so(slot: Slot, one: Told, other: Told) -> bool:
    """Whether two statements give their slot the same value, in whatever spelling."""
    return same_value(said_value(slot, one.content, one.value), said_value(slot, other.content, other.value))


def _touch(one: Told, other: Told) -> bool:
    begins = one.stated_from is None or other.stated_until is None or one.stated_from <= other.stated_until
    return begins and (other.stated_from is None or one.stated_until is None or other.stated_from <= one.stated_until)


def new_fact(unit: WriteUnit, slot: Slot, candidate: Candidate, grounds: Grounds, told: Told, change: Change) -> Fact:
    """The first version of a fact, as the statement tells it."""
    key = slot.key
    return Fact(
        fact_id=told.fact_id,
        revision=1,
        placement=slot.placement,
        memory_type=candidate.memory_type,
        content=candidate.content,
        status=FactStatus.ACTIVE,
        standing=None,
        confidence=candidate.confidence,
        basis=candidate.basis,
        trust=grounds.trust,
        recorded_at=unit.recorded_at,
        subject=key.subject or None,
        predicate=key.predicate or None,
        qualifier=(key.qualifier or None) if key.predicate else None,
        value=candidate.value,
        stated_from=told.stated_from,
        stated_until=told.stated_until,
        valid_from_known=told.valid_from_known,
        expires_at=candidate.expires_at,
        source_candidate_id=candidate.candidate_id,
        supersedes_id=grounds.supersedes,
        change=change,
        reason=grounds.reason,
        actor=grounds.actor,
        trace_id=grounds.trace_id,
        metadata=candidate.metadata,
    )


def _reinforced(fact_id: UUID, live: list[Fact], told: list[Told], candidate: Candidate, grounds: Grounds) -> Fact:
    """The held fact with one more telling: confidence by independent sources, trust the higher, lifetime renewed."""
    held = next(row for row in live if row.fact_id == fact_id)
    by_source: dict[str, int] = {}
    for item in told:
        if item.fact_id == fact_id:
            by_source[item.source] = max(by_source.get(item.source, 0), to_points(item.confidence))
    lifetimes = [held.expires_at, candidate.expires_at]
    return replace(
        held,
        change=Change.REINFORCE,
        basis=candidate.basis if candidate.basis is Basis.CONFIRMED else held.basis,
        reason=grounds.reason,
        confidence=from_points(combine(list(by_source.values()))),
        sources=len(by_source),
        trust=max(held.trust, grounds.trust),
        expires_at=None if None in lifetimes else max(item for item in lifetimes if item is not None),
        actor=grounds.actor,
        trace_id=grounds.trace_id,
    )
