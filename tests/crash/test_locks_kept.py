"""No call of ours drops the locks that this process holds on a SQLite file: what is acknowledged afterwards is in the file.

Belongs here: opening a second time, looking through the bytes. Does not belong here: kills (`test_acknowledged`).
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from muniment.service.muniment import Muniment

WRITE = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=0); c.execute('BEGIN IMMEDIATE'); c.rollback()"
OBSERVE = (
    "import muniment, sys\n"
    "with muniment.open(sys.argv[1], embedder='none') as m: m.reader(user='u').observe('I like quince jam.')"
)


def again(memory: Muniment, url: str) -> None:
    muniment.open(url, embedder="none").close()


def looked_through(memory: Muniment, url: str) -> None:
    memory.verify_erased(["canary"])


CALLS = [again, looked_through]


@pytest.mark.parametrize("call", CALLS)
def test_the_write_lock_is_still_held(tmp_path: Path, call: Callable[[Muniment, str], None]) -> None:
    path = tmp_path / "locks.db"
    url = f"sqlite:///{path}"
    with muniment.open(url, embedder="none") as memory:
        memory.reader(user="u").observe("I like tea.")
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        if call is looked_through:
            call(memory, url)
        else:
            # Opening needs no lock to write where the schema is up to date.
            again(memory, url)
        other = subprocess.run([sys.executable, "-c", WRITE, str(path)], capture_output=True, text=True)
        assert "database is locked" in other.stderr
        holder.rollback()
        holder.close()


@pytest.mark.parametrize("call", CALLS)
def test_what_is_acknowledged_afterwards_is_there(tmp_path: Path, call: Callable[[Muniment, str], None]) -> None:
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    memory = muniment.open(url, embedder="none")
    me = memory.reader(user="u")
    me.observe("I like tea.")
    call(memory, url)
    subprocess.run([sys.executable, "-c", OBSERVE, url], check=True)
    for place in range(3):
        me.observe(f"I like late{place} cake.")
    count = (
        "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM event').fetchone()[0])"
    )
    seen = subprocess.run([sys.executable, "-c", count, str(tmp_path / "kept.db")], capture_output=True, text=True)
    assert seen.stdout.strip() == "5"
    memory.close()
