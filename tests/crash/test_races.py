"""Many who write one SQLite file: no error surfaces, nobody starves, nothing is lost or doubled, one file is made once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import UUID

import pytest
from benchmarks.races import Outcome, race, shape
from tests.crash import children
from tests.crash.intact import halves

import muniment
from muniment.ports.store import FactFilter

SECONDS = float(os.environ.get("MUNIMENT_RACE_SECONDS", "5"))
SHARE = 0.1
"""What the slowest writer must get acknowledged of what the fastest does."""
CHILD = Path(children.__file__)


def clean(outcome: Outcome) -> None:
    """The rules that every race keeps to."""
    print(outcome)
    assert outcome.errors == []
    assert outcome.faults == []
    assert outcome.fewest >= 2
    assert outcome.fairness >= SHARE


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "threads",
    [
        pytest.param([1] * 8, id="8 processes"),
        pytest.param([16], id="16 threads"),
        pytest.param(shape(8, 16), id="8 processes, 4 of them with 4 threads"),
    ],
)
def test_nobody_starves_and_nothing_is_lost(sqlite_url: str, threads: list[int]) -> None:
    clean(race(sqlite_url, threads=threads, seconds=SECONDS))
    assert halves(sqlite_url) == {}


@pytest.mark.timeout(240)
def test_a_long_transaction_of_one_holds_the_others_up_but_fails_none(sqlite_url: str) -> None:
    """A writer of another kind keeps the file for half a second, again and again; waits are longer, none ends in an error."""
    script = (
        "import sqlite3, sys, time\n"
        "c = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
        "end = time.monotonic() + float(sys.argv[2])\n"
        "while time.monotonic() < end:\n"
        "    c.execute('BEGIN IMMEDIATE'); time.sleep(0.5); c.execute('ROLLBACK'); time.sleep(0.3)\n"
    )
    with muniment.open(sqlite_url, embedder="none"):
        pass
    path = sqlite_url.removeprefix("sqlite:///")
    holder = subprocess.Popen([sys.executable, "-c", script, path, str(SECONDS + 10)])
    try:
        clean(race(sqlite_url, threads=[2, 1, 1], seconds=SECONDS))
    finally:
        holder.kill()
        holder.wait()
    assert halves(sqlite_url) == {}


def test_processes_that_make_the_same_file_at_once_all_succeed(tmp_path: Path) -> None:
    for attempt in range(2):
        url, gate = f"sqlite:///{tmp_path / f'{attempt}.db'}", tmp_path / f"gate{attempt}"
        openers = [
            subprocess.Popen(
                [sys.executable, str(CHILD), "open", url, str(gate)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(6)
        ]
        for opener in openers:
            assert opener.stdout is not None
            assert opener.stdout.readline() == "ready\n"
        gate.touch()
        said = [opener.communicate(timeout=60) for opener in openers]
        assert [opener.returncode for opener in openers] == [0] * len(openers), said
        with (
            muniment.open(url, embedder="none") as memory,
            memory.parts.store.read(memory.reader(user="ana").identity) as unit,
        ):
            written = {row.fact_id for row in unit.facts(FactFilter(include_inactive=True))}
        assert written == {UUID(out.split()[-1]) for out, _ in said}
        assert halves(url) == {}


def test_opening_waits_for_another_that_is_making_the_file(tmp_path: Path) -> None:
    """SQLite refuses to change the journal mode at once, without its busy timeout, while another has begun to write."""
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.5, other.execute, ["ROLLBACK"])
    timer.start()
    begun = time.monotonic()
    with muniment.open(f"sqlite:///{path}", embedder="none") as memory:
        assert memory.reader(user="ana").add_fact("likes tea").facts
    assert time.monotonic() - begun >= 0.4
    timer.join()
    other.close()


def test_a_writer_gives_up_when_its_time_is_over_and_says_so(sqlite_url: str) -> None:
    """`busy_seconds` is a deadline for the whole wait; what was refused was not written."""
    from muniment.config import Settings
    from muniment.domain.errors import StoreBusy

    with muniment.open(sqlite_url, embedder="none", settings=Settings(busy_seconds=0.3)) as memory:
        me = memory.reader(user="ana")
        me.observe("hello")
        with (
            muniment.open(sqlite_url, embedder="none") as other,
            other.parts.store.database.writing(),  # type: ignore[attr-defined]
        ):
            begun = time.monotonic()
            with pytest.raises(StoreBusy):
                me.observe("still there?")
            # Tried five times, each to its deadline.
            assert time.monotonic() - begun < 5 * 0.3 + 3
        assert me.observe("now").event
        assert memory.counts(reader=me)["events"] == 2
