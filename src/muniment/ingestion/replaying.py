"""Replay: the log of a tenant done again, under this policy or another, and set beside what is held.

The same steps as the first time (`govern.decide`, `acts.perform`) over a scratch store, on a virtual clock of event
times, from the candidates that were stored: no model is asked, unless they are to be extracted anew. Every id follows from
the log, so that the same log under the same policy gives the same facts.

Belongs here: doing the log again. Does not belong here: making its outcome true (`reapplying`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import Eligibility, OwnerType
from muniment.domain.errors import Conflict, Erased, Forbidden, InvalidInput, NotFound
from muniment.domain.observation import RESERVED
from muniment.domain.records import Candidate, Event, Evidence
from muniment.domain.scope import PartitionKey, Reader
from muniment.ingestion.acts import KINDS, Acting, perform
from muniment.ingestion.govern import Case, decide, grounds_of
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.proposed import restored
from muniment.ingestion.resolving import RESOLVE, resolve_again
from muniment.ingestion.review import KINDS as ANSWERS
from muniment.ingestion.review import perform_review
from muniment.ports.store import Logged, LogReader, WriteUnit

DIRECT = f"{RESERVED}statement"
PROPOSAL = f"{RESERVED}proposal"
DECISIONS = ANSWERS | {RESOLVE.removeprefix(RESERVED)}
"""Kinds of events that are what a person decided."""


@dataclass(slots=True, kw_only=True)
class VirtualClock:
    """A clock that stands at the event that is being done again."""

    at: datetime

    def __call__(self) -> datetime:
        return self.at


@dataclass(slots=True, kw_only=True)
class Replaying:
    """The log done again into `pipeline`'s scratch store."""

    pipeline: Pipeline
    clock: VirtualClock
    reextract: bool = False
    events: int = 0
    void: list[str] = field(default_factory=list)

    def run(self, log: LogReader, *, progress: Callable[[int], object] | None = None) -> None:
        """Does every event again, in the order in which they were recorded."""
        for logged in log.events():
            if logged.done:
                self._again(log, logged)
                self.events += 1
            if progress is not None:
                progress(1)

    def _again(self, log: LogReader, logged: Logged) -> None:
        event = logged.event
        self.clock.at = event.recorded_at
        reader = reader_of(logged)
        # What was kept of a turn after some of it was forgotten comes again with the forgetting.
        own = [_as_it_came(event, piece) for piece in logged.evidence if piece.recorded_at == event.recorded_at]
        kind = event.event_type.removeprefix(RESERVED) if event.event_type.startswith(RESERVED) else None
        cases = [] if kind in KINDS | DECISIONS else self._cases(log, reader, logged, own)
        locks = self.pipeline.locks(reader, cases, lanes=[event.lane_key])
        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        locks = replace(locks, partitions=tuple(sorted({home, *locks.partitions})))

        def work(unit: WriteUnit) -> None:
            unit.add_events([event], digests=[""])
            unit.add_evidence(own)
            if kind in KINDS:
                self._act(unit, str(kind), logged, own)
            elif kind in DECISIONS:
                self._decision(unit, logged, own)
            for case in cases:
                decide(unit, case, self.pipeline.policy, new_id=self.pipeline.new_id)
            unit.finish_event(event.event_id, state="DONE")

        self.pipeline.writing(reader, locks, work)

    def _act(self, unit: WriteUnit, kind: str, logged: Logged, own: Sequence[Evidence]) -> None:
        """Does an act again; under another policy its fact may not be there, and then there is nothing to do."""
        payload = {name: value for name, value in logged.event.payload.items() if name != "expected_revision"}
        grounds = grounds_of(logged.event, own, None)
        acting = Acting(unit=unit, policy=self.pipeline.policy, grounds=grounds, event_id=logged.event.event_id)
        try:
            perform(kind, acting, payload)
        except (NotFound, Conflict, Forbidden, InvalidInput) as error:
            self.void.append(f"{kind} of {logged.event.recorded_at.isoformat()}: {error}")

    def _decision(self, unit: WriteUnit, logged: Logged, own: Sequence[Evidence]) -> None:
        """A person's answer again; under another policy the question may not have been put, and then there is none."""
        event = logged.event
        done = resolve_again if event.event_type == RESOLVE else perform_review
        try:
            done(unit, self.pipeline.policy, event, event.payload, evidence=own)
        except (NotFound, Conflict, Forbidden, InvalidInput, Erased) as error:
            self.void.append(f"{event.event_type} of {event.recorded_at.isoformat()}: {error}")

    def _cases(self, log: LogReader, reader: Reader, logged: Logged, own: Sequence[Evidence]) -> list[Case]:
        """The candidates of the event, as they were proposed, with what they rest on."""
        event = logged.event
        stored = [restored(item) for item in logged.candidates if item.extractor_model != "dependants"]
        given = (
            self._extracted(reader, logged, own, stored)
            if self.reextract and event.event_type not in (DIRECT, PROPOSAL)
            else stored
        )
        named = {ref for item in given for ref in item.evidence} - {piece.evidence_id for piece in own}
        cases, _ = self.pipeline.cases(event, [*own, *log.evidence(named)], given)
        if event.event_type in (DIRECT, PROPOSAL) and own:
            direct, trust = event.event_type == DIRECT, own[0].trust
            cases = [replace(case, direct=direct, trust=min(case.trust, trust)) for case in cases]
        return cases

    def _extracted(
        self, reader: Reader, logged: Logged, own: Sequence[Evidence], stored: Sequence[Candidate]
    ) -> list[Candidate]:
        """What the extractor finds today; what it found before keeps its id."""
        known = {_said(item): item.candidate_id for item in stored}
        found = self.pipeline.extract(reader, logged.event, own)
        return [replace(item, candidate_id=known.get(_said(item))) for item in found]


def _as_it_came(event: Event, piece: Evidence) -> Evidence:
    """A passage as its version showed it: what became of it later is done again by the version that replaced it."""
    replaced = event.event_type == PASSAGE_EVENT and piece.eligibility is Eligibility.HISTORY
    return replace(piece, eligibility=Eligibility.ELIGIBLE) if replaced else piece


def _said(item: Candidate) -> tuple[object, ...]:
    return (item.memory_type, item.predicate, item.value, item.content)


def reader_of(logged: Logged) -> Reader:
    """Who wrote an event, with what they might do then."""
    placement, principal = logged.event.placement, logged.event.principal
    return Reader.of(
        tenant=logged.tenant,
        user=placement.user or "",
        agent=placement.agent,
        session=placement.session,
        task=placement.task,
        departments=tuple(principal.get("departments", ())),
        roles=tuple(principal.get("roles") or ("agent",)),
    )
