"""An erasure that is killed leaves all of it readable or nothing, and the next to open the store finishes it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.crash import children

import muniment

SEED = int(os.environ.get("MUNIMENT_KILL_SEED", "20260701"))
ROUNDS = int(os.environ.get("MUNIMENT_KILL_ROUNDS", "8"))
CHILD = Path(children.__file__)
CANARY = "zanzibarine"
TURNS = 40


@pytest.fixture
def full(sqlite_url: str) -> Path:
    """A closed store with a session to erase and one that stays."""
    with muniment.open(sqlite_url, embedder="none") as memory:
        gone, kept = (memory.reader(user="ana", session=name) for name in ("s", "kept"))
        for number in range(TURNS):
            gone.observe(f"I like {CANARY} tea number {number}. " + "And so on. " * (number * 20))
            kept.observe(f"I like coffee number {number}.")
    return Path(sqlite_url.removeprefix("sqlite:///"))


def begun(path: Path) -> subprocess.Popen[bytes]:
    """A process that has just begun to erase."""
    process = subprocess.Popen(
        [sys.executable, str(CHILD), "erase", f"sqlite:///{path}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n", process.communicate()
    return process


def holds(path: Path) -> list[str]:
    return [file.name for file in path.parent.iterdir() if CANARY.encode() in file.read_bytes()]


def test_all_or_nothing_and_finished_by_the_next(full: Path, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    kept = tmp_path / "kept.db"
    shutil.copy(full, kept)
    process, started = begun(full), time.monotonic()
    process.communicate()
    whole = time.monotonic() - started
    assert process.returncode == 0
    outcomes: list[bool] = []
    for turn in range(ROUNDS):
        for file in full.parent.iterdir():
            file.unlink()
        shutil.copy(kept, full)
        process = begun(full)
        # The last rounds aim behind the transaction, at the rewriting of the file.
        time.sleep(chance.uniform(0.0, whole) if turn < ROUNDS - 2 else whole * chance.uniform(0.5, 0.95))
        process.kill()
        process.communicate()
        with muniment.open(f"sqlite:///{full}", embedder="none") as memory:
            me = memory.reader(user="ana", session="s")
            facts = [fact for fact in me.facts(limit=500) if CANARY in fact.content]
            turns = [hit for hit in me.search(CANARY, k=200, channels=["evidence"]) if CANARY in hit.text]
            records = memory.erasures()
            assert len(turns) in (0, TURNS), (turn, len(turns))
            assert bool(turns) == bool(facts) == (not records), turn
            assert len([fact for fact in me.facts(limit=500) if "coffee" in fact.content]) == TURNS
            outcomes.append(not turns)
            if records:
                assert [item.status for item in records] == ["DONE"], turn
                assert memory.verify_erased([CANARY])["found"] == []
                assert holds(full) == []
    print(f"seed {SEED}: {ROUNDS} kills, {sum(outcomes)} of them after the commit")
