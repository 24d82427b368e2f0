"""What was acknowledged is there after a kill, whole; what was not is there whole or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text
from tests.crash import children
from tests.crash.intact import halves

import muniment
from muniment.ports.store import FactFilter

SEED = int(os.environ.get("MUNIMENT_KILL_SEED", "20260701"))
ROUNDS = int(os.environ.get("MUNIMENT_KILL_ROUNDS", "8"))
CHILD = Path(children.__file__)


def acknowledged_until_killed(url: str, first: int, seconds: float) -> list[str]:
    """The lines of receipts that a writer sent before it was killed so long after the first of them."""
    process = subprocess.Popen(
        [sys.executable, str(CHILD), "acknowledge", url, str(first)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    head = process.stdout.readline()
    time.sleep(seconds)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    rest, errors = process.communicate()
    assert head, errors.decode()
    lines = (head + rest).decode().splitlines(keepends=True)
    return [line for line in lines if line.endswith("\n")]


def test_everything_acknowledged_is_there(sqlite_url: str) -> None:
    chance = random.Random(SEED)
    lines: list[str] = []
    for _ in range(ROUNDS):
        lines += acknowledged_until_killed(sqlite_url, len(lines) * 10, chance.uniform(0.05, 0.5))
        assert halves(sqlite_url) == {}
    print(f"seed {SEED}: {ROUNDS} kills, {len(lines)} acknowledged writes")
    assert len(lines) > ROUNDS
    sent = [line.partition("|") for line in lines]
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s")
        with memory.parts.store.read(me.identity) as unit:
            facts = {row.fact_id for row in unit.facts(FactFilter(include_inactive=True))}
            for ids, _, of_facts in sent:
                number, event, *evidence = ids.split()
                assert [item.event_id for item in unit.events([UUID(event)])] == [UUID(event)], number
                assert set(unit.evidence(map(UUID, evidence))) == set(map(UUID, evidence)), number
                assert set(map(UUID, of_facts.split())) <= facts, number
                assert unit.receipt(UUID(event)), number
        # At most the write that was under way at each kill may be there without having been acknowledged.
        assert 0 <= memory.counts(reader=me)["events"] - len(lines) <= ROUNDS


def test_commits_are_synchronised_to_disk(sqlite_url: str) -> None:
    """A kill cannot show what a power cut would: that the driver was told to wait for the disk is looked up."""
    with muniment.open(sqlite_url, embedder="none") as memory:
        database = memory.parts.store.database  # type: ignore[attr-defined]
        with database.writing() as connection:
            assert connection.scalar(text("PRAGMA synchronous")) == 2
            assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
            assert connection.scalar(text("PRAGMA secure_delete")) == 1


@pytest.mark.parametrize("backend", ["postgres_url", "mariadb_url"])
def test_everything_acknowledged_by_a_server_is_there(backend: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(backend)
    lines = acknowledged_until_killed(url, 0, 0.3)
    assert lines
    with muniment.open(url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s")
        with memory.parts.store.read(me.identity) as unit:
            for line in lines:
                event = UUID(line.split()[1])
                assert [item.event_id for item in unit.events([event])] == [event]
    assert halves(url) == {}
