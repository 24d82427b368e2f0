"""Processes and threads that all write one SQLite file: does an error surface, does one of them starve, is all there?

    python benchmarks/races.py --seconds 30 --processes 8 --threads 16

Half of the processes share the threads evenly, the others write with one thread each: the uneven case is the hard one.
Each writer has a session of its own; every second one writes memories of a user all share, the others of their own user.
Counted are acknowledged writes: receipts that came back.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import text

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import arguments, folder, report, say

import muniment

SHARED = "shared"


@dataclass(slots=True)
class Writer:
    """What one writer got acknowledged: the receipts' events and instants, in order, and its longest wait for one."""

    name: str
    user: str
    events: list[UUID] = field(default_factory=list)
    instants: list[datetime] = field(default_factory=list)
    slowest: float = 0.0


@dataclass(slots=True)
class Outcome:
    """What a race came to."""

    writers: int
    acknowledged: int
    per_second: float
    fewest: int
    most: int
    fairness: float
    """The slowest writer's acknowledged writes as a share of the fastest one's."""
    longest_wait: float
    """The longest that any writer waited for one receipt, in seconds."""
    errors: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What was lost, doubled or out of order."""


def shape(processes: int, threads: int) -> list[int]:
    """How many threads each process has: the first half share `threads`, the others have one each."""
    crowded = max(1, processes // 2) if threads > processes else 0
    each = [threads // crowded + (place < threads % crowded) for place in range(crowded)] if crowded else []
    return each + [1] * (processes - crowded)


def race(url: str, *, threads: Sequence[int], seconds: float) -> Outcome:
    """Has a process per number, with that many threads, write the store behind the URL at the same time."""
    with muniment.open(url, embedder="none"):
        pass
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(len(threads))
    answers: Any = context.Queue()
    processes = [
        context.Process(target=_process, args=(url, place, count, seconds, gate, answers), daemon=True)
        for place, count in enumerate(threads)
    ]
    for process in processes:
        process.start()
    found = [answers.get(timeout=seconds + 120) for _ in processes]
    for process in processes:
        process.join(30)
    writers = [writer for some, _ in found for writer in some]
    errors = [error for _, some in found for error in some]
    counts = [len(writer.events) for writer in writers]
    return Outcome(
        writers=len(writers),
        acknowledged=sum(counts),
        per_second=round(sum(counts) / seconds, 1),
        fewest=min(counts),
        most=max(counts),
        fairness=round(min(counts) / max(max(counts), 1), 3),
        longest_wait=round(max(writer.slowest for writer in writers), 3),
        errors=errors,
        faults=faults(url, writers),
    )


def _process(url: str, place: int, threads: int, seconds: float, gate: Any, answers: Any) -> None:
    """One process: opens the store, waits for the others, writes until the time is up, answers what it wrote."""
    writers = [
        Writer(f"w{place}.{number}", SHARED if (place + number) % 2 == 0 else f"u{place}.{number}")
        for number in range(threads)
    ]
    errors: list[str] = []
    try:
        with muniment.open(":memory:", embedder="none") as warm:
            warm.reader(user="warm").observe("I like tea.")  # word lists are read at the first use
        with muniment.open(url, embedder="none") as memory:
            gate.wait(100)
            until = time.monotonic() + seconds
            running = [
                threading.Thread(target=_write, args=(memory, writer, until, errors), daemon=True) for writer in writers
            ]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
    except BaseException:
        errors.append(traceback.format_exc(limit=-3))
    answers.put((writers, errors))


def _write(memory: muniment.Muniment, writer: Writer, until: float, errors: list[str]) -> None:
    me = memory.reader(user=writer.user, session=writer.name)
    try:
        while (begun := time.monotonic()) < until:
            number = len(writer.events)
            receipt = me.observe(f"I like tea number {number % 7}.", idempotency_key=f"{writer.name}-{number}")
            writer.slowest = max(writer.slowest, time.monotonic() - begun)
            if receipt.known_at is None:
                raise RuntimeError("a receipt without an instant")
            writer.events.append(receipt.event)
            writer.instants.append(receipt.known_at)
    except BaseException:
        errors.append(f"{writer.name}: {traceback.format_exc(limit=-3)}")


def faults(url: str, writers: Sequence[Writer]) -> list[str]:
    """What was lost, doubled or out of order, in words; empty where all is as it was acknowledged."""
    with muniment.open(url, embedder="none") as memory:
        database: Any = memory.parts.store.database  # type: ignore[attr-defined]
        query = "SELECT user_id, session_id, idempotency_key, event_id, seq FROM event ORDER BY session_id, seq"
        with database.reading() as connection:
            rows = connection.execute(text(query)).all()
    found = []
    by_session: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        by_session[row.session_id].append(row)
    for writer in writers:
        mine = by_session[writer.name]
        keys = [row.idempotency_key for row in mine]
        if keys != [f"{writer.name}-{number}" for number in range(len(keys))]:
            found.append(f"{writer.name}: {len(keys)} events are not its sequence")
        # What was under way when the time was up may be there without its receipt having been counted.
        if [UUID(bytes=row.event_id) for row in mine][: len(writer.events)] != writer.events:
            found.append(f"{writer.name}: acknowledged {len(writer.events)}, not all of them there in that order")
        if len(keys) > len(writer.events) + 1:
            found.append(f"{writer.name}: {len(keys)} events, {len(writer.events)} acknowledged")
        if any(later <= earlier for earlier, later in zip(writer.instants, writer.instants[1:], strict=False)):
            found.append(f"{writer.name}: known_at went back or stood still")
    for user in sorted({writer.user for writer in writers}):
        instants = [at for writer in writers if writer.user == user for at in writer.instants]
        if len(set(instants)) != len(instants):
            found.append(f"{user}: two writes of one partition were given the same known_at")
    return found


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long they write")
    parser.add_argument("--processes", type=int, default=4, help="processes")
    parser.add_argument("--threads", type=int, default=8, help="threads, shared by the first half of the processes")
    options = parser.parse_args()
    with folder(options.dir) as place:
        threads = shape(options.processes, options.threads)
        say(options, f"threads of each process: {threads}")
        outcome = race(f"sqlite:///{place}/muniment.db", threads=threads, seconds=options.seconds)
    report(options, {"threads": ",".join(map(str, threads)), "seconds": options.seconds, **asdict(outcome)})
    return int(bool(outcome.errors or outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
