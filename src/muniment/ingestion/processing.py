"""Understanding what was received earlier: read, ask the extractor with nothing locked, decide and write in one transaction.

What a model answered is kept after each answer, so that neither a fault nor the end of the process makes it be asked twice. An
event whose extractor fails is tried again: the second time at once, then ever later, and is parked after the policy's number of
tries until somebody asks for it. What was forgotten meanwhile is read again, and what is gone by then is not brought back.

Belongs here: that. Does not belong here: what an extractor is given (`extracting`), what follows from a candidate (`govern`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from muniment.domain.enums import OwnerType
from muniment.domain.errors import ModelError
from muniment.domain.receipts import receipt_from, receipt_json
from muniment.domain.records import Event, Evidence, Receipt
from muniment.domain.scope import PartitionKey, Reader
from muniment.domain.usage import Usage
from muniment.ingestion.extracting import Around, KeptAnswers, Progress, left_over, read_around
from muniment.ingestion.govern import Case, decide
from muniment.ingestion.outcome import receipt_of, told
from muniment.model_knobs import Extraction
from muniment.ports.store import Fenced, Locks, Work, WriteUnit

if TYPE_CHECKING:
    from muniment.ingestion.pipeline import Pipeline

FORGOTTEN: Final = "forgotten before it was understood"
A_DAY: Final = 86_400.0


def process(
    pipeline: Pipeline, reader: Reader, events: Sequence[UUID], *, progress: Progress | None = None
) -> list[Receipt]:
    """Extracts and commits what was received earlier, one event a transaction, in the order given.

    An event whose extractor fails again stays, marked with the error. Raises nothing for it: its receipt says so. `progress` is
    told, for each event that a model is asked about, how many of its parts are done, and how many there are.
    """
    receipts = []
    waiting = deque(events)
    while waiting:
        try:
            receipt = _one(pipeline, reader, waiting[0], progress)
        except Fenced:
            continue
        waiting.popleft()
        if receipt is not None:
            receipts.append(receipt)
    return receipts


def _one(pipeline: Pipeline, reader: Reader, ref: UUID, progress: Progress | None) -> Receipt | None:
    """Understands one event; None for one that is not there. Raises `Fenced` where something was forgotten meanwhile."""
    home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
    with pipeline.store.read(reader) as snapshot:
        found = snapshot.events([ref])
        evidence = snapshot.evidence_of_event(ref)
        epoch = snapshot.epoch(home)
        work = snapshot.work(ref)
        kept = KeptAnswers.of(work, lambda text, usage: _keep(pipeline, reader, ref, epoch, text, usage))
        around = Around()
        if found and not pipeline.extractor.local:
            around = read_around(snapshot, found[0], pipeline.policy, kept=kept, progress=progress)
    if not found:
        return None
    course = _Course(pipeline, found[0], evidence, kept, work)
    course.understand(reader, around)
    return pipeline.writing(
        reader, pipeline.locks(reader, course.cases), lambda unit: course.write(fenced(unit, epoch))
    )


def _keep(pipeline: Pipeline, reader: Reader, ref: UUID, epoch: int, text: str, usage: Usage) -> None:
    """Keeps what a model answered, in a transaction of its own; nothing of an event that was forgotten meanwhile."""
    home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
    with pipeline.store.write(reader, Locks(partitions=(home,))) as unit:
        fenced(unit, epoch).keep_answers(ref, text, usage)


class _Course:
    """One event on its way: what was found in it, or why nothing could be."""

    def __init__(
        self, pipeline: Pipeline, event: Event, evidence: Sequence[Evidence], kept: KeptAnswers, work: Work | None
    ) -> None:
        self.cases: list[Case] = []
        self._pipeline = pipeline
        self._event = event
        self._evidence = evidence
        self._kept = kept
        self._attempts = 1 + (0 if work is None else work.attempts)
        self._degraded: tuple[str, ...] = ()
        self._error: str | None = None

    def understand(self, reader: Reader, around: Around) -> None:
        """Asks the extractor; nothing is locked while it is at it."""
        try:
            found = self._pipeline.extract(reader, self._event, self._evidence, around)
            self.cases, degraded = self._pipeline.cases(self._event, self._evidence, found)
            self._degraded = tuple(degraded)
        except ModelError as failure:
            self._error = told(failure, self._pipeline.policy)

    def write(self, unit: WriteUnit) -> Receipt:
        """Decides on what was found and ends the event, or marks it with the error."""
        event, error = self._event, self._error
        if event.event_id not in unit.pending(events=[event.event_id]):
            known = unit.receipt(event.event_id)
            return receipt_from(known, replayed=True) if known else Receipt(event=event.event_id, lines=(FORGOTTEN,))
        decided = [decide(unit, case, self._pipeline.policy, new_id=self._pipeline.new_id) for case in self.cases]
        left = left_over(self._kept.aside)
        receipt = receipt_of(
            event,
            self._evidence,
            decided,
            unit,
            pending=error is not None,
            degraded=self._degraded,
            error=error,
            left=left,
        )
        state, retry = _next(self._pipeline.policy.extraction, self._attempts, unit.recorded_at)
        unit.finish_event(
            event.event_id,
            state=state if error else "DONE",
            receipt=None if error else receipt_json(receipt),
            error=error or left,
            answers=self._kept.at_end(failed=error is not None),
            usage=self._kept.owed,
            retry_at=retry if error else None,
        )
        return receipt


def _next(limits: Extraction, attempts: int, now: datetime) -> tuple[str, datetime | None]:
    """The state after so many tries, and when the next is due."""
    if attempts >= limits.tries:
        return "PARKED", None
    if attempts < 2:
        return "FAILED", None
    return "FAILED", now + timedelta(seconds=min(A_DAY, limits.retry_seconds * 2 ** min(attempts - 2, 30)))


def fenced(unit: WriteUnit, epoch: int) -> WriteUnit:
    """The unit, where nothing was forgotten in the reader's own partition since that fence was read. Raises `Fenced`."""
    if unit.epoch(PartitionKey(tenant=unit.reader.tenant, kind=OwnerType.USER, target=unit.reader.user)) != epoch:
        raise Fenced
    return unit
