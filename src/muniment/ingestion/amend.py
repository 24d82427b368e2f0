"""Operations on a named fact: change, correct, invalidate.

`change`: the world changed at an instant. `correct`: the record was wrong; on part of a period it splits the statement.
`invalidate`: no longer believed; its predecessor extends again.

Belongs here: what each does to the statements. Does not belong here: who may (service/), what the fold makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Basis, Change, DependencyKind, FactStatus, Relation
from muniment.domain.errors import Conflict, NotFound
from muniment.domain.ids import derived
from muniment.domain.records import Candidate, Dependency, Fact
from muniment.domain.time import Period
from muniment.ingestion.commit import Committed, Grounds, assert_statement
from muniment.ingestion.rewording import reworded
from muniment.ingestion.slots import fact_slot, slot_of
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.store import Told, WriteUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What is asked: new words, over which period, and why. `basis` is that of the words, where it is not the fact's own."""

    content: str | None = None
    value: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    reason: str | None = None
    basis: Basis | None = None


OVER = frozenset({FactStatus.INVALIDATED})
"""Statuses of a fact that was taken back: there is nothing left to amend."""


def held(unit: WriteUnit, fact_id: UUID, expected_revision: int | None) -> Fact:
    """The fact's present version. Raises `NotFound`, or `Conflict` (with the current revision) where it moved."""
    rows = [row for row in unit.live(fact_ids=[fact_id]) if row.hidden_at is None and row.status not in OVER]
    if not rows:
        raise NotFound(f"no fact {fact_id} that is believed now; `history` shows what was")
    if expected_revision is not None and rows[0].revision != expected_revision:
        raise Conflict(
            f"fact {fact_id} is at revision {rows[0].revision}, not {expected_revision}; read it again, then decide",
            current=rows[0].revision,
        )
    return rows[0]


def change(
    unit: WriteUnit, policy: Policy, fact: Fact, asked: Amendment, grounds: Grounds, *, new_id: UUID, at: datetime
) -> Committed:
    """A new fact from `at`, linked by `supersedes_id`; without words: 'unknown from `at`'."""
    slot = fact_slot(policy, fact)
    words = reworded(fact, content=asked.content, value=asked.value)
    known = {name: value for name, value in fact.metadata.items() if name != "unknown"}
    metadata = known if asked.value or asked.content else known | {"unknown": True}
    candidate = Candidate(
        content=words[0],
        value=words[1],
        memory_type=fact.memory_type,
        subject=fact.subject,
        predicate=fact.predicate,
        qualifier=fact.qualifier,
        valid_from=at,
        valid_until=asked.valid_until,
        confidence=1.0,
        basis=asked.basis or fact.basis,
        expires_at=fact.expires_at,
        metadata=metadata,
    )
    told = replace(grounds, reason=asked.reason, supersedes=fact.fact_id)
    target = slot_of(policy, candidate, fact.placement)
    done = assert_statement(unit, policy, target, candidate, told, new_id=new_id, change=Change.CHANGE)
    undated = fact.stated_from is not None and not fact.valid_from_known and at <= fact.stated_from
    if undated:
        # It counts from when it was told only for want of a date; the change says that it was over by then.
        later = [
            item
            for item in unit.told(fact_ids=[fact.fact_id])
            if item.stated_from is not None and item.stated_from >= at
        ]
        unit.withdraw(fact.fact_id, [item.ordinal for item in later if not item.valid_from_known])
    if done.fact_id is not None and (target != slot or undated):
        # What does not compete for one slot does not give way by itself.
        end(unit, policy, fact, done.fact_id, at, grounds, reason=asked.reason)
    if done.fact_id != fact.fact_id and all(
        row.revision == fact.revision for row in unit.live(fact_ids=[fact.fact_id])
    ):
        # It was changed, if only in a time before its own: who expects its old revision must look again.
        edited = replace(fact, change=Change.REFOLD, reason=asked.reason, actor=grounds.actor)
        refold(unit, policy, slot, edits=[Edit(fact=edited)], live=unit.live(slots=[slot]))
    return done


def end(
    unit: WriteUnit, policy: Policy, fact: Fact, successor: UUID, at: datetime, grounds: Grounds, *, reason: str | None
) -> None:
    """Ends a fact where what took its place at an instant begins, for as long as that is believed."""
    if successor == fact.fact_id:
        return
    link = Dependency(
        dependency_id=derived(fact.fact_id, f"ended:{successor}:{at.isoformat()}"),
        fact_id=fact.fact_id,
        kind=DependencyKind.ENDED,
        root_fact_id=successor,
        said_at=at,
    )
    if all(known.dependency_id != link.dependency_id for known in unit.dependencies(of=[fact.fact_id])):
        unit.add_dependencies([link], placement=fact.placement)
    slot = fact_slot(policy, fact)
    edited = replace(fact, change=Change.CHANGE, reason=reason, actor=grounds.actor)
    refold(unit, policy, slot, edits=[Edit(fact=edited)], live=unit.live(slots=[slot]))


def correct(unit: WriteUnit, policy: Policy, fact: Fact, asked: Amendment, grounds: Grounds) -> Committed:
    """The next revision of the same statement, with other words or another period.

    With words and a period that covers only part of what was stated, the statement is split: the rest keeps its words.
    """
    slot = fact_slot(policy, fact)
    content, value = (
        (fact.content, fact.value)
        if not (asked.value or asked.content)
        else reworded(fact, content=asked.content, value=asked.value)
    )
    if fact_slot(policy, replace(fact, content=content, value=value)) != slot:
        return _rephrase(unit, policy, fact, asked, grounds, content, value)
    live = unit.live(slots=[slot])
    mine = [item for item in unit.told(slots=[slot]) if item.fact_id == fact.fact_id]
    if not mine:
        raise NotFound(f"fact {fact.fact_id} has no statement left to correct; `history` shows what became of it")
    told = _corrected(mine, asked, grounds, content, value)
    unit.withdraw(fact.fact_id, [item.ordinal for item in mine])
    for item in told:
        unit.tell(item, slot=slot)
    edited = replace(
        fact,
        content=content,
        value=value,
        stated_from=told[0].stated_from,
        stated_until=told[-1].stated_until,
        change=Change.CORRECT,
        basis=asked.basis or fact.basis,
        reason=asked.reason,
        actor=grounds.actor,
        trust=max(fact.trust, grounds.trust),
        trace_id=grounds.trace_id,
    )
    folded = refold(unit, policy, slot, edits=[Edit(fact=edited, vectors=grounds.vectors)], live=live)
    first = folded.of(fact.fact_id)[0]
    unit.link_evidence(fact.fact_id, first.revision, grounds.evidence, Relation.SUPPORT)
    return Committed(fact_id=fact.fact_id, revision=first.revision, outcome="committed")


def _corrected(mine: list[Told], asked: Amendment, grounds: Grounds, content: str, value: str | None) -> list[Told]:
    """The statements after a correction: the corrected part, and what of the old ones lies outside of it."""
    new_words = asked.value is not None or asked.content is not None
    partial = new_words and (asked.valid_from is not None or asked.valid_until is not None)
    first = min(mine, key=lambda item: (item.stated_from is not None, item.stated_from or grounds.said_at))
    start = asked.valid_from if asked.valid_from is not None else first.stated_from
    ends = [item.stated_until for item in mine if item.stated_until is not None]
    end = asked.valid_until or (max(ends) if len(ends) == len(mine) else None)
    Period(start=start, end=end)
    corrected = replace(
        first,
        content=content,
        value=value,
        stated_from=start,
        stated_until=end,
        valid_from_known=first.valid_from_known or asked.valid_from is not None,
        placed=True,
        trust=max(first.trust, grounds.trust),
        source=grounds.source,
        evidence_id=grounds.evidence[0] if grounds.evidence else first.evidence_id,
    )
    if not partial:
        return [corrected]
    rest: list[Told] = []
    for item in mine:
        if start is not None and (item.stated_from is None or item.stated_from < start):
            rest.append(
                replace(item, stated_until=start if item.stated_until is None else min(item.stated_until, start))
            )
        if end is not None and (item.stated_until is None or item.stated_until > end):
            begins = end if item.stated_from is None else max(item.stated_from, end)
            rest.append(replace(item, stated_from=begins, valid_from_known=True))
    return sorted(
        [corrected, *rest], key=lambda item: (item.stated_from is not None, item.stated_from or grounds.said_at)
    )


def _rephrase(
    unit: WriteUnit,
    policy: Policy,
    fact: Fact,
    asked: Amendment,
    grounds: Grounds,
    content: str,
    value: str | None,
) -> Committed:
    """A corrected value of a multi-valued predicate, or other words of a statement that stands alone: the same fact moves
    to the slot of its new words, with its statements."""
    old = fact_slot(policy, fact)
    live = unit.live(slots=[old])
    mine = [item for item in unit.told(slots=[old]) if item.fact_id == fact.fact_id]
    told = _corrected(mine, replace(asked, valid_from=None, valid_until=None), grounds, content, value)
    edited = replace(
        fact, content=content, value=value, change=Change.CORRECT, reason=asked.reason, actor=grounds.actor
    )
    new = fact_slot(policy, edited)
    unit.withdraw(fact.fact_id, [item.ordinal for item in mine])
    others = [row for row in live if row.fact_id != fact.fact_id]
    refold(unit, policy, old, edits=[], live=others)
    before = [row for row in live if row.fact_id == fact.fact_id]
    for item in told:
        unit.tell(item, slot=new)
    folded = refold(
        unit, policy, new, edits=[Edit(fact=edited, vectors=grounds.vectors)], live=[*unit.live(slots=[new]), *before]
    )
    first = folded.of(fact.fact_id)[0]
    unit.link_evidence(fact.fact_id, first.revision, grounds.evidence, Relation.SUPPORT)
    return Committed(fact_id=fact.fact_id, revision=first.revision, outcome="committed")


def withdraw(
    unit: WriteUnit, policy: Policy, facts: Sequence[Fact], *, reason: str | None, actor: str
) -> list[Committed]:
    """Takes the facts' statements out of the fold, so that predecessors extend again."""
    done = []
    for fact in facts:
        slot = fact_slot(policy, fact)
        live = unit.live(slots=[slot])
        mine = [item for item in unit.told(slots=[slot]) if item.fact_id == fact.fact_id]
        unit.withdraw(fact.fact_id, [item.ordinal for item in mine])
        edited = replace(
            fact, change=Change.INVALIDATE, reason=reason, actor=actor, status=FactStatus.INVALIDATED, standing=None
        )
        folded = refold(unit, policy, slot, edits=[Edit(fact=edited)], live=live)
        done.append(
            Committed(fact_id=fact.fact_id, revision=folded.of(fact.fact_id)[0].revision, outcome="invalidated")
        )
    return done
