"""What a test starts as a process of its own, to be killed: `python children.py import|acknowledge|open|erase|understand ...`.

Belongs here: the writers and the mark they leave of what they are at. Does not belong here: what is checked afterwards.
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

import muniment
from muniment.service.muniment import Muniment

OUTSIDE, BEGUN, WRITTEN, COMMITTING = range(4)
"""What a process was at when it ended: no write transaction; one begun; one with rows in it; one being committed."""
SIZE = 8
STATE, TRANSACTIONS = 0, 1


def install(memory: Muniment, mark: mmap.mmap) -> None:
    """Has every write transaction note in shared memory how far it is. Memory shared with a file outlives the process."""
    database: Any = memory.parts.store.database  # type: ignore[attr-defined]
    writing = database.writing

    @contextmanager
    def marked() -> Iterator[Connection]:
        with writing() as connection:
            mark[STATE] = BEGUN
            mark[TRANSACTIONS] = min(255, mark[TRANSACTIONS] + 1)
            try:
                yield connection
                mark[STATE] = COMMITTING
            except BaseException:
                mark[STATE] = OUTSIDE
                raise
        mark[STATE] = OUTSIDE

    def executed(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if mark[STATE] == BEGUN and statement.startswith(("INSERT", "UPDATE")):
            mark[STATE] = WRITTEN

    database.writing = marked
    event.listen(database.engine, "after_cursor_execute", executed)


def marked(path: str) -> mmap.mmap:
    """The shared memory behind a file of `SIZE` bytes."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        return mmap.mmap(descriptor, SIZE)
    finally:
        os.close(descriptor)


def import_file(url: str, path: str, mark: str, batch: str) -> None:
    """Imports the file and says what became of it."""
    with muniment.open(url, embedder="none") as memory:
        install(memory, marked(mark))
        report = memory.import_file(path, reader=memory.reader(user="ana"), batch=int(batch))
        print(f"new {report.new} present {report.present} facts {report.facts} failed {report.failed}", flush=True)


def acknowledge(url: str, first: str) -> None:
    """Writes without end; after each receipt a line on standard output: what was sent, and the ids it was answered with."""
    with muniment.open(url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s")
        number = int(first)
        while True:
            if number % 3 == 2:
                receipt = me.add_fact(f"likes thing {number}", predicate="likes", value=f"thing {number}")
            else:
                receipt = me.observe(f"我喜欢第{number}号茶。" if number % 2 else f"I like tea {number}.")
            ids = " ".join(str(item) for item in (receipt.event, *receipt.evidence))
            # One write of less than a pipe's atomic size: a line arrives whole or not at all.
            os.write(1, f"{number} {ids} | {' '.join(map(str, receipt.facts))}\n".encode())
            number += 1


def open_store(url: str, gate: str) -> None:
    """Waits for the gate to be made, opens the store as others do at that moment, and writes one fact."""
    os.write(1, b"ready\n")
    while not Path(gate).exists():
        time.sleep(0.001)
    with muniment.open(url, embedder="none") as memory:
        receipt = memory.reader(user="ana").add_fact(f"likes {os.getpid()}", predicate="likes", value=str(os.getpid()))
        os.write(1, f"{receipt.facts[0]}\n".encode())


def erase(url: str) -> None:
    """Erases a session, and says when it begins and when it is done."""
    with muniment.open(url, embedder="none") as memory:
        me = memory.reader(user="ana")
        os.write(1, b"begun\n")
        me.forget(session="s", mode="erase")
        os.write(1, b"done\n")


def _answered(*_: Any) -> Any:
    """Stands where candidates are about to be decided on; never gives any."""
    os.write(1, b"answered\n")
    time.sleep(60)


def understand(url: str, text: str, hold: str) -> None:
    """Observes a file's words with the extractor that the environment names, and goes on with what waits. With `hold`, says when
    everything was answered and nothing is written of it yet, and stays there."""
    with muniment.open(url, embedder="none") as memory:
        pipeline = memory.parts.pipeline
        if hold == "hold":
            type(pipeline).cases = _answered  # type: ignore[assignment,method-assign]
        me = memory.reader(user="ana", session="s")
        os.write(1, b"begun\n")
        me.observe(Path(text).read_text(encoding="utf-8"), idempotency_key="the only one")
        me.process_pending(parked=True)
        os.write(1, b"done\n")


if __name__ == "__main__":
    works = {
        "import": import_file, "acknowledge": acknowledge, "open": open_store, "erase": erase, "understand": understand,
    }  # fmt: skip
    works[sys.argv[1]](*sys.argv[2:])
