"""What follows for others when a fact changed: successors take over, derived facts lose or regain their ground.

Called once at the end of every act, in its transaction. Nothing is remembered between calls: what each dependant should
be is computed from the statements and links as they stand, so that neither the order of events nor a repeat matters, and
a root that comes back gives back what hung on it.

Belongs here: the walk from what was recorded to what depends on it, and the queue of what must be looked at again. Does
not belong here: how far a ground reaches (`supports`), what that does to a timeline (domain/grounding.py).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import (
    Basis,
    CandidateStatus,
    Change,
    DependencyKind,
    Relation,
    Ruling,
    Standing,
)
from muniment.domain.ids import derived
from muniment.domain.receipts import FOLLOWED
from muniment.domain.records import Candidate, Decision, Dependency, Fact, Verdict
from muniment.domain.scope import PartitionKey
from muniment.ingestion.amend import withdraw
from muniment.ingestion.commit import Grounds, new_fact
from muniment.ingestion.rewording import reworded
from muniment.ingestion.slots import fact_slot, slot_of
from muniment.ingestion.supports import Takeover, takeover
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.store import Slot, Told, WiderLocks, WriteUnit

VISITS = 4
"""How often one fact is looked at again within one act: successors of successors may point back at each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of dependants: ids of facts whose ground went, of those it only weakened, and of successors."""

    unsupported: tuple[UUID, ...] = ()
    weakened: tuple[UUID, ...] = ()
    taken_over: tuple[UUID, ...] = ()

    @property
    def line(self) -> str | None:
        """In words, or None where nothing followed."""
        parts = [
            f"{len(ids)} {words}"
            for ids, words in (
                (self.taken_over, "taken over by a declared successor"),
                (self.unsupported, "to be confirmed again: what it rested on went"),
                (self.weakened, "still standing on its other grounds"),
            )
            if ids
        ]
        return FOLLOWED + "; ".join(parts) if parts else None


def settle(unit: WriteUnit, policy: Policy, grounds: Grounds, *, lost: Iterable[UUID] = ()) -> Settled:
    """Brings every dependant of what this act recorded, and of the evidence it took away (`lost`), up to date.

    Raises `WiderLocks` where a dependant lives in a partition that the unit did not lock.
    """
    changed = [*unit.take_recorded(), *lost]
    if not unit.depended_on:
        return Settled()
    queue, visits = deque(changed), Counter(changed)
    dependants: dict[UUID, None] = {}
    taken_over: dict[UUID, None] = {}
    while queue:
        ref = queue.popleft()
        links = unit.dependencies(on=[ref, *_ancestors(unit, ref)])
        own = unit.dependencies(of=[ref])
        if any(item.kind is DependencyKind.DERIVED for item in own):
            # What was asked about it may be answered by what was just told of it.
            dependants[ref] = None
        rules = [item for item in (*links, *own) if item.kind is DependencyKind.SUCCESSOR]
        for rule in dict.fromkeys(rules):
            if _succeed(unit, policy, rule, grounds):
                taken_over[rule.fact_id] = None
        for fact_id in dict.fromkeys(link.fact_id for link in (*links, *rules)):
            dependants[fact_id] = None
            _again(unit, policy, fact_id)
        for moved in unit.take_recorded():
            if visits[moved] < VISITS:
                visits[moved] += 1
                queue.append(moved)
    return _queue(unit, policy, grounds, list(dependants), tuple(taken_over))


def _ancestors(unit: WriteUnit, ref: UUID) -> list[UUID]:
    """What a fact superseded, and what that had: a rule may wait on any of them."""
    found: dict[UUID, None] = {}
    level = [ref]
    while level:
        rows = unit.live(fact_ids=level)
        level = list({row.supersedes_id for row in rows if row.supersedes_id is not None} - {ref, *found})
        found |= dict.fromkeys(level)
    return list(found)


def _again(unit: WriteUnit, policy: Policy, fact_id: UUID) -> None:
    """Folds the slots in which a dependant is told."""
    rows = unit.live(fact_ids=[fact_id])
    if rows:
        slot = fact_slot(policy, rows[0])
        require(unit, slot)
        refold(unit, policy, slot, edits=[], live=unit.live(slots=[slot]))


def require(unit: WriteUnit, slot: Slot) -> None:
    """Raises `WiderLocks` where the slot's partition is not the unit's to write."""
    key = PartitionKey.of(unit.reader.tenant, slot.placement)
    if not unit.holds(key):
        raise WiderLocks([key])


def _succeed(unit: WriteUnit, policy: Policy, rule: Dependency, grounds: Grounds) -> bool:
    """Tells the successor's value from the instant its rule says, moves it there, or takes it back; whether it stands."""
    successor = derived(rule.dependency_id, "successor")
    when = takeover(unit, policy, rule)
    told = unit.told(fact_ids=[successor])
    if when is None:
        if told:
            withdraw(
                unit, policy, unit.live(fact_ids=[successor])[:1], reason="the root did not change", actor=grounds.actor
            )
        return False
    if not told or told[0].stated_from != when.at:
        _tell(unit, policy, rule, when, successor, told, grounds)
    return True


def _tell(
    unit: WriteUnit,
    policy: Policy,
    rule: Dependency,
    when: Takeover,
    successor: UUID,
    told: Sequence[Told],
    grounds: Grounds,
) -> None:
    model = unit.live(fact_ids=[rule.fact_id])[0]
    content, value = reworded(model, content=rule.content, value=rule.value)
    candidate = Candidate(
        content=content,
        value=value,
        memory_type=model.memory_type,
        subject=model.subject,
        predicate=model.predicate,
        qualifier=model.qualifier,
        confidence=1.0,
        basis=Basis.INFERRED,
        expires_at=model.expires_at,
        valid_from=when.at,
        metadata=model.metadata,
    )
    ground = () if rule.evidence_id is None else (rule.evidence_id,)
    mine = replace(
        grounds,
        evidence=ground,
        trust=rule.trust,
        source=rule.source,
        vectors=rule.vectors,
        reason="declared to follow when its root changes",
        supersedes=rule.fact_id,
    )
    slot = slot_of(policy, candidate, model.placement)
    require(unit, slot)
    said = Told(
        fact_id=successor,
        ordinal=0,
        content=content,
        value=value,
        stated_from=when.at,
        stated_until=None,
        valid_from_known=True,
        placed=True,
        trust=rule.trust,
        confidence=1.0,
        source=rule.source,
        evidence_id=rule.evidence_id,
        derived=rule.when_value is not None,
    )
    fact = new_fact(unit, slot, candidate, mine, said, Change.CHANGE)
    known = unit.live(fact_ids=[successor])
    if not known:
        unit.add_head(fact, slot=slot)
    unit.withdraw(successor, [item.ordinal for item in told])
    unit.tell(said, slot=slot)
    _hang(unit, rule, when, successor, model)
    live = {(row.fact_id, row.segment): row for row in (*unit.live(slots=[slot]), *known)}
    folded = refold(unit, policy, slot, edits=[Edit(fact=fact, vectors=rule.vectors)], live=list(live.values()))
    unit.link_evidence(successor, folded.of(successor)[0].revision, ground, Relation.SUPPORT)


def _hang(unit: WriteUnit, rule: Dependency, when: Takeover, successor: UUID, model: Fact) -> None:
    """A successor for one value of the root holds as long as the root has it."""
    if rule.when_value is None:
        return
    links = unit.dependencies(of=[successor])
    unit.retract_dependencies(link.dependency_id for link in links if link.root_fact_id != when.cause)
    if all(link.root_fact_id != when.cause for link in links):
        link = Dependency(
            dependency_id=derived(successor, f"derived:{when.cause}:{unit.recorded_at.isoformat()}"),
            fact_id=successor,
            kind=DependencyKind.DERIVED,
            root_fact_id=when.cause,
        )
        unit.add_dependencies([link], placement=model.placement)


# -- the queue -------------------------------------------------------------------------------------------------------


def _queue(
    unit: WriteUnit, policy: Policy, grounds: Grounds, dependants: Sequence[UUID], taken_over: tuple[UUID, ...]
) -> Settled:
    """Asks for each fact whose ground went, once; takes the question back where it regained it or was replaced."""
    by_fact: dict[UUID, list[Fact]] = {}
    for row in unit.live(fact_ids=dependants):
        if row.hidden_at is None:
            by_fact.setdefault(row.fact_id, []).append(row)
    asked: dict[UUID, dict[UUID, Candidate]] = {}
    for item in unit.queued(dependants):
        if item.target is not None and item.candidate_id is not None and item.proposed.get("revalidates"):
            asked.setdefault(item.target, {})[item.candidate_id] = item
    unsupported, weakened = [], []
    for fact_id in dependants:
        rows = by_fact.get(fact_id, [])
        open_ = next((row for row in rows if row.standing is Standing.UNSUPPORTED and row.valid_until is None), None)
        wanted = None if open_ is None else derived(fact_id, f"revalidate:{open_.valid_from}")
        for candidate_id, item in asked.get(fact_id, {}).items():
            if item.status is CandidateStatus.NEEDS_CONFIRMATION and candidate_id != wanted:
                unit.set_candidate(
                    candidate_id, status=CandidateStatus.SUPERSEDED, reason="it has a ground again, or an end"
                )
        if open_ is not None and wanted is not None:
            _ask(unit, policy, grounds, open_, wanted, asked.get(fact_id, {}).get(wanted))
            unsupported.append(fact_id)
        elif any(row.weakened for row in rows):
            weakened.append(fact_id)
    return Settled(unsupported=tuple(unsupported), weakened=tuple(weakened), taken_over=taken_over)


def _ask(
    unit: WriteUnit, policy: Policy, grounds: Grounds, row: Fact, candidate_id: UUID, known: Candidate | None
) -> None:
    """Queues one fact for review, for whoever it belongs to. A question that was answered is not put again."""
    reason = "what it rested on changed; say whether it still holds"
    if known is not None:
        if known.status is CandidateStatus.SUPERSEDED:
            unit.set_candidate(candidate_id, status=CandidateStatus.NEEDS_CONFIRMATION, reason=reason)
        return
    if grounds.event is None:
        raise ValueError("an act that others depend on is an event")
    candidate = Candidate(
        content=row.content,
        value=row.value,
        memory_type=row.memory_type,
        subject=row.subject,
        predicate=row.predicate,
        qualifier=row.qualifier,
        scope=row.scope,
        department=row.placement.department,
        evidence=row.evidence,
        confidence=row.confidence,
        basis=row.basis,
        valid_from=row.valid_from,
        expires_at=row.expires_at,
        target=row.fact_id,
        extractor_model="dependants",
        candidate_id=candidate_id,
        status=CandidateStatus.NEEDS_CONFIRMATION,
        governance_reason=reason,
        proposed={"revalidates": True},
    )
    unit.add_candidate(candidate, event_id=grounds.event, placement=row.placement, user=row.placement.user)
    unit.add_decision(
        Decision(
            decision_id=derived(candidate_id, "asked"),
            candidate_id=candidate_id,
            ruling=Ruling.CONFIRM,
            outcome="needs confirmation",
            reason=reason,
            verdicts=(Verdict(rule="grounds", ruling=Ruling.CONFIRM, reason=reason),),
            policy_version=policy.version,
            actor=grounds.actor,
            decided_at=unit.recorded_at,
            fact_id=row.fact_id,
        ),
        inputs={"held": {str(row.fact_id): row.revision}},
    )
