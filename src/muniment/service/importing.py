"""Imports: conversations of files written through the same door as everything else, once each, however often they come.

A file is written in batches, each one transaction, in order. An import that was stopped is run again: what is there is
recognised by its key without being embedded or understood anew, and the rest follows.

Belongs here: whose a conversation becomes, batches, what is there already, the report. Does not belong here: formats.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import UUID

from muniment.domain.errors import Erased, IdempotencyConflict, InvalidInput
from muniment.domain.observation import Observation
from muniment.domain.records import Receipt
from muniment.domain.scope import KEY_LIMIT
from muniment.ingestion.redact import clean, kept_key
from muniment.service.formats import conversations, zone_named
from muniment.service.reader import Reader
from muniment.service.turns import Conversation, Malformed, Turn

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment

BATCH: Final = 200
"""Turns of one transaction."""
PROBLEMS: Final = 100
"""Malformed places that a report lists; all are counted."""

Progress = Callable[[int], object]


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What became of a file's turns.

    `new` were written, `present` were there already, `erased` were there once and stay forgotten, `empty` had no words,
    `failed` could not be read or kept (`problems` says where and why, the first hundred). `candidates` and `facts` are what
    was made of the new ones. `seconds` is the time it took.
    """

    conversations: int = 0
    new: int = 0
    present: int = 0
    erased: int = 0
    empty: int = 0
    failed: int = 0
    candidates: int = 0
    facts: int = 0
    seconds: float = 0.0
    problems: list[Malformed] = field(default_factory=list)
    degraded: tuple[str, ...] = ()

    @property
    def turns(self) -> int:
        """Turns of the file, whatever became of them."""
        return self.new + self.present + self.erased + self.empty + self.failed

    @property
    def rate(self) -> float:
        """Turns a second."""
        return self.turns / self.seconds if self.seconds > 0 else 0.0


def import_file(
    memory: Muniment,
    path: str | Path,
    *,
    reader: Reader | None = None,
    tenant: str = "default",
    user: str | None = None,
    session: str | None = None,
    zone: str = "UTC",
    keep_going: bool = False,
    progress: Progress | None = None,
    batch: int = BATCH,
) -> ImportReport:
    """Writes the conversations of a file. Durable batch by batch; run again, it goes on where it stopped.

    All go to `reader`, or to `user` of `tenant`; without either each conversation becomes a user of its own, named after
    it. Sessions keep the file's names (under a shared user with the conversation's before them) unless `session` is given.
    `zone` is the IANA zone of times that the file gives without an offset. `progress` is told how many turns were done
    after each batch.

    Raises `InvalidInput` for a file of no known kind, and for the first line or turn that cannot be read or kept, naming it:
    everything before it is kept. With `keep_going` those are skipped and counted instead.
    """
    found = conversations(path, zone=zone_named(zone))
    return write(
        memory,
        found,
        origin=str(path),
        reader=reader
        if reader is not None or user is None
        else memory.reader(tenant=tenant, user=user, session=session),
        tenant=tenant,
        session=session,
        keep_going=keep_going,
        progress=progress,
        batch=batch,
    )


def count_turns(path: str | Path) -> int:
    """How many turns an import of the file would go through, for a progress bar. Raises as `import_file` does."""
    return sum(
        len(item.turns) + item.empty if isinstance(item, Conversation) else 1
        for item in conversations(path, zone=zone_named("UTC"))
    )


def write(
    memory: Muniment,
    items: Iterable[Conversation | Malformed],
    *,
    origin: str,
    reader: Reader | None = None,
    tenant: str = "default",
    session: str | None = None,
    keep_going: bool = False,
    progress: Progress | None = None,
    batch: int = BATCH,
) -> ImportReport:
    """Writes conversations that were read; see `import_file`. `origin` names them in messages."""
    if batch < 1:
        raise InvalidInput(f"batch must be at least 1, not {batch}")
    started = time.perf_counter()
    if session is None and reader is not None:
        session = reader.identity.session
    course = _Course(memory, origin, keep_going=keep_going, progress=progress, batch=batch)
    for item in items:
        if isinstance(item, Malformed):
            course.refuse(item)
            continue
        course.report.conversations += 1
        course.empty(item.empty)
        own = reader is None
        course.enter(memory.reader(tenant=tenant, user=item.name) if reader is None else reader)
        for turn in item.turns:
            if isinstance(turn, Malformed):
                course.refuse(turn)
            else:
                course.add(replace(turn, observation=_placed(turn.observation, item, own=own, session=session)))
    course.write()
    course.report.seconds = time.perf_counter() - started
    return course.report


def _placed(said: Observation, home: Conversation, *, own: bool, session: str | None) -> Observation:
    """The turn in the session it belongs to: conversations that share a user must not share a session's name."""
    if session is not None or own or said.session in (None, home.name):
        return replace(said, session=session or said.session)
    name = f"{home.name}/{said.session}"
    if len(name) > KEY_LIMIT:
        name = f"session-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
    return replace(said, session=name)


class _Course:
    """One import under way: the turns that wait for their transaction, and what became of those before."""

    def __init__(
        self, memory: Muniment, origin: str, *, keep_going: bool, progress: Progress | None, batch: int
    ) -> None:
        self.report = ImportReport()
        self._memory = memory
        self._origin = origin
        self._keep_going = keep_going
        self._progress = progress
        self._batch = batch
        self._reader: Reader | None = None
        self._waiting: list[Turn] = []
        self._facts: set[UUID] = set()

    def enter(self, reader: Reader) -> None:
        """The reader whose turns follow."""
        if self._reader is None or self._reader.identity != reader.identity:
            self.write()
            self._reader = reader

    def add(self, turn: Turn) -> None:
        """One more turn; a full batch is written."""
        self._waiting.append(turn)
        if len(self._waiting) >= self._batch:
            self.write()

    def empty(self, count: int) -> None:
        """Turns without words."""
        self.report.empty += count
        self._tell(count)

    def refuse(self, item: Malformed, cause: Exception | None = None) -> None:
        """Counts what cannot be imported; without `keep_going`, writes what came before and raises."""
        if not self._keep_going:
            self.write()
            kept = self.report.new + self.report.present
            raise InvalidInput(
                f"{self._origin}, {item.where}: {item.problem}. Everything before it is kept ({kept} turns); mend it and "
                "import again, or skip such places with keep_going (--keep-going)"
            ) from cause
        self.report.failed += 1
        if len(self.report.problems) < PROBLEMS:
            self.report.problems.append(item)
        self._tell(1)

    def write(self) -> None:
        """Writes what waits, in one transaction; turn by turn where one of them is refused."""
        waiting, self._waiting = self._waiting, []
        if not waiting or self._reader is None:
            return
        fresh = self._not_there(self._reader, waiting)
        try:
            self._done(self._reader.observe_many((turn.observation for turn in fresh), batch=len(fresh) or 1))
        except (InvalidInput, IdempotencyConflict, Erased):
            for turn in fresh:
                self._one(self._reader, turn)
        self._tell(len(waiting) - len(fresh))

    def _one(self, reader: Reader, turn: Turn) -> None:
        try:
            self._done(reader.observe_many([turn.observation]))
        except Erased:
            self.report.erased += 1
            self._tell(1)
        except (InvalidInput, IdempotencyConflict) as error:
            self.refuse(Malformed(turn.where, str(error)), error)

    def _done(self, receipts: Iterable[Receipt]) -> None:
        report, count = self.report, 0
        for receipt in receipts:
            count += 1
            if receipt.replayed:
                report.present += 1
                continue
            report.new += 1
            report.candidates += len(receipt.candidates)
            self._facts.update(receipt.facts)
            if receipt.degraded:
                report.degraded = tuple(sorted({*report.degraded, *receipt.degraded}))
        report.facts = len(self._facts)
        self._tell(count)

    def _not_there(self, reader: Reader, turns: list[Turn]) -> list[Turn]:
        """The turns whose key is not there with the same body.

        Only asked where the batch's first key is there: a new import then costs one look-up a batch. What is not settled
        here (another body, erased, not understood yet) is left to the write path, which knows what to say of it.
        """
        parts = self._memory.parts
        fresh = []
        first = turns[0].observation
        with parts.store.read(reader.identity) as unit:
            if unit.replay(first.source, self._key(first)) is None:
                return turns
            keys: dict[str, list[str]] = {}
            for turn in turns:
                keys.setdefault(turn.observation.source, []).append(self._key(turn.observation))
            there = {source: unit.replays(source, some) for source, some in keys.items()}
            for turn in turns:
                said = turn.observation
                known = there[said.source].get(self._key(said))
                same = known is not None and known.receipt is not None and not known.erased
                if same and known is not None and known.body_digest == _digest(self._memory, said):
                    self.report.present += 1
                else:
                    fresh.append(turn)
        return fresh

    def _key(self, said: Observation) -> str:
        """Its key as it would be kept."""
        mask = self._memory.policy.sensitivity.mask
        return kept_key(str(said.idempotency_key), mask, self._memory.parts.store.digest)

    def _tell(self, count: int) -> None:
        if self._progress is not None and count:
            self._progress(count)


def _digest(memory: Muniment, said: Observation) -> str | None:
    """The digest of the body as it would be kept; None for one that would be refused."""
    try:
        return clean(said, policy=memory.policy, digest=memory.parts.store.digest).digest
    except InvalidInput:
        return None
