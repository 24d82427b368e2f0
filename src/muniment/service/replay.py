"""`mem.replay`: the log done again in a scratch store, and what would appear, change or vanish.

Belongs here: opening the scratch store, the comparison, writing the outcome. Does not belong here: how an event is done
again (ingestion/replaying.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from muniment.config import Policy, load_policy
from muniment.domain.enums import ActorType, CandidateStatus
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.replays import Difference, ReplayReport, differences
from muniment.domain.scope import Reader
from muniment.ingestion.reapplying import Reapplying, partitions
from muniment.ingestion.replaying import Replaying, VirtualClock
from muniment.ingestion.slots import fact_slot
from muniment.ports.store import Believed, Locks, LogReader, WriteUnit
from muniment.service.parts import Parts

Progress = Callable[[int, int], object]
Statuses = Mapping[UUID, tuple[CandidateStatus, str | None]]


def replay(
    parts: Parts,
    *,
    policy: str | Path | Mapping[str, Any] | Policy | None = None,
    dry_run: bool = True,
    tenant: str = "default",
    user: str | None = None,
    reextract: bool = False,
    progress: Progress | None = None,
) -> ReplayReport:
    """Re-derives a tenant's facts (or those of one user) from the event log, under this memory's policy or another.

    Compared without transaction time: same log, same policy, same facts. With `dry_run` nothing is written; without it the
    differences are made true, each fact as its next revision. Facts whose log is not whole any more, because something they
    came from was erased, stay as they are, with what stands beside them in their slots. `reextract` runs the extractor
    again instead of taking the stored candidates. `progress` is told (done, total). Raises `PolicyError` for a policy that
    does not read.
    """
    rules = parts.policy if policy is None else load_policy(policy)
    clock = VirtualClock(at=datetime(1970, 1, 1, tzinfo=UTC))
    with parts.scratch(rules, clock) as scratch:
        again = Replaying(pipeline=scratch.parts.pipeline, clock=clock, reextract=reextract)
        with parts.store.log(tenant, user=user) as log:
            total, done = log.count(), 0

            def step(count: int) -> None:
                nonlocal done
                done += count
                if progress is not None:
                    progress(done, total)

            again.run(log, progress=step)
            held, before = log.believed(), _statuses(log)
            kept = _not_whole(log, held)
        with scratch.parts.store.log(tenant, user=user) as log:
            given, after = log.believed(), _statuses(log)
    found = _without(differences(held.facts, given.facts), held, kept, rules)
    if not dry_run:
        moved = {ref: status for ref, status in after.items() if ref in before and before[ref][0] is not status[0]}
        _apply(parts, rules, tenant, user, held, given, found, moved)
    return ReplayReport(
        policy_version=rules.version,
        events=again.events,
        facts=len({row.fact_id for row in given.facts if row.standing is not None}),
        differences=found,
        void=tuple(again.void),
        applied=not dry_run,
    )


def _not_whole(log: LogReader, held: Believed) -> set[UUID]:
    """Facts that the log cannot give again: a piece they were told in, or a fact they took the place of, was erased; and
    what came of those."""
    named = {row.fact_id: {*row.evidence, *({row.supersedes_id} - {None})} for row in held.facts}
    gone = log.erased(ref for refs in named.values() for ref in refs if ref is not None)
    links = [(link.fact_id, link.root_fact_id or link.root_evidence_id) for link in held.dependencies]
    above = [(fact_id, ref) for fact_id, refs in named.items() for ref in refs] + links
    kept: set[UUID] = set()
    while more := {fact_id for fact_id, ref in above if ref in gone or ref in kept} - kept:
        kept |= more
    return kept


def _without(found: tuple[Difference, ...], held: Believed, kept: set[UUID], policy: Policy) -> tuple[Difference, ...]:
    """The differences that do not touch what must stay, or the slots it stands in."""
    slots = {fact_slot(policy, row) for row in held.facts if row.fact_id in kept}
    return tuple(
        item
        for item in found
        if item.fact_id not in kept and slots.isdisjoint(fact_slot(policy, row) for row in (*item.before, *item.after))
    )


def _statuses(log: LogReader) -> Statuses:
    found: dict[UUID, tuple[CandidateStatus, str | None]] = {}
    for logged in log.events():
        for item in logged.candidates:
            if item.candidate_id is not None:
                found[item.candidate_id] = (item.status, item.governance_reason)
    return found


def _apply(
    parts: Parts,
    policy: Policy,
    tenant: str,
    user: str | None,
    held: Believed,
    given: Believed,
    found: tuple[Difference, ...],
    moved: Statuses,
) -> None:
    """Writes the differences in one transaction, as an event of the system that did it."""
    if not found and not moved:
        return
    reader = Reader.of(tenant=tenant, user=user or "maintenance", roles=("admin",))
    said = Observation(
        content=f"the log was replayed under policy {policy.version}",
        actor=ActorType.SYSTEM,
        event_type=f"{RESERVED}replay",
        payload={"policy": policy.version, "facts": len(found), "candidates": len(moved)},
    )
    received = parts.pipeline.stated(reader, said)
    locks = Locks(lanes=(received.event.lane_key,))
    home = parts.pipeline.locks(reader, []).partitions
    locks = replace(locks, partitions=tuple(sorted({*home, *partitions(tenant, found)})))
    with parts.store.log(tenant) as log:
        heads = log.heads(item.fact_id for item in found)

    def work(unit: WriteUnit) -> None:
        grounds = parts.pipeline.grounds(unit, received)
        Reapplying(unit=unit, policy=policy, held=held, given=given, heads=heads, actor=grounds.actor).run(found)
        for candidate_id, (status, reason) in moved.items():
            unit.set_candidate(candidate_id, status=status, reason=reason)
        unit.finish_event(received.event.event_id, state="DONE")

    parts.retrying(lambda: parts.pipeline.writing(reader, locks, work))
