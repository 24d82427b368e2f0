"""An import that is killed again and again ends as one that was left alone: every turn once, the same facts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.crash import children
from tests.crash.intact import halves

import muniment
from muniment.ports.store import FactFilter
from muniment.store.dialects import open_database

SEED = int(os.environ.get("MUNIMENT_KILL_SEED", "20260701"))
COURSES = int(os.environ.get("MUNIMENT_KILL_COURSES", "1"))
"""How many imports are killed their way to the end, each by a seed of its own."""
TURNS = 3_000
KILLS = 20
INSIDE = 5
"""Kills that must have fallen inside a write transaction for the test to have shown anything."""
BATCH = 50
CHILD = Path(children.__file__)

CITIES = [("Lisbon", "杭州"), ("Porto", "成都"), ("Ghent", "西安"), ("Oslo", "青岛"), ("Turin", "厦门")]
TASTES = [("oolong", "龙井"), ("rye bread", "凉面"), ("cycling", "爬山"), ("choral music", "昆曲"), ("chess", "围棋")]
SMALL_TALK = (
    "The tram was late again and the platform was full of people.",
    "Could you look at the third paragraph once more, please?",
    "今天开会开了三个小时，什么也没定下来。",
    "天气预报说周末有雨，我们改天再去吧。",
    "Then we walked along the canal until it got dark.",
    "帮我看看这段话通不通顺。",
)


def turn(number: int, chance: random.Random) -> dict[str, Any]:
    """One turn of the conversation; every seventh holds something to remember."""
    at = datetime(2025, 3, 1, 8, tzinfo=UTC) + timedelta(minutes=17 * number)
    user = number % 2 == 0
    if user and number % 7 == 0:
        english, chinese = chance.choice(CITIES) if chance.random() < 0.4 else chance.choice(TASTES)
        place = english in dict(CITIES)
        said = chance.choice(
            (f"I moved to {english}.", f"我搬到了{chinese}。")
            if place
            else (f"I like {english}.", f"我喜欢{chinese}。")
        )
    else:
        said = f"{chance.choice(SMALL_TALK)} ({number})"
    return {
        "id": f"t{number}",
        "text": said,
        "speaker": "user" if user else "assistant",
        "time": at.isoformat(),
        "session": f"s{number // 100}",
    }


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(SEED)
    path = tmp_path_factory.mktemp("conversation") / "conversation.jsonl"
    docs = [turn(number, chance) for number in range(TURNS)]
    path.write_text(json.dumps({"kind": "retrieval", "dataset": "crash", "conv_id": "c", "docs": docs}) + "\n", "utf-8")
    return path


def facts(url: str) -> list[str]:
    """Everything ever believed, without ids and without when it was recorded; the order of belief is in the revisions."""
    with (
        muniment.open(url, embedder="none") as memory,
        memory.parts.store.read(memory.reader(user="ana").identity) as unit,
    ):
        rows = unit.facts(FactFilter(include_inactive=True))
    return sorted(
        repr(
            [
                *(row.predicate, row.value, row.content, row.revision, row.segment, row.standing, row.valid_from),
                *(
                    row.valid_until,
                    row.confidence,
                    row.sources,
                    row.status,
                    len(row.evidence),
                    row.retracted_at is None,
                ),
            ]
        )
        for row in rows
    )


@pytest.fixture(scope="module")
def undisturbed(conversation: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The facts of an import that nobody killed."""
    url = f"sqlite:///{tmp_path_factory.mktemp('undisturbed') / 'muniment.db'}"
    with muniment.open(url, embedder="none") as memory:
        memory.import_file(conversation, reader=memory.reader(user="ana"), batch=BATCH)
    return facts(url)


class Importer:
    """A process that imports the file, and the mark it leaves."""

    def __init__(self, url: str, conversation: Path, folder: Path) -> None:
        self._mark = folder / "mark"
        self._mark.write_bytes(bytes(children.SIZE))
        self.mark = children.marked(str(self._mark))
        self.process = subprocess.Popen(
            [sys.executable, str(CHILD), "import", url, str(conversation), str(self._mark), str(BATCH)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill_after(self, seconds: float, *, transactions: int) -> int | None:
        """Lets it begin so many write transactions and run on for a while, kills it, and says what it was at.

        None where it had ended by itself.
        """
        deadline = time.monotonic() + 60
        while self.mark[children.TRANSACTIONS] < transactions and self.process.poll() is None:
            assert time.monotonic() < deadline, "the import does not get going"
            time.sleep(0.001)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
        _, errors = self.process.communicate()
        assert self.process.returncode in (0, -signal.SIGKILL), errors
        return None if self.process.returncode == 0 else self.mark[children.STATE]

    def finish(self) -> str:
        """Lets it end by itself; what it said."""
        said, errors = self.process.communicate(timeout=110)
        assert self.process.returncode == 0, errors
        return said


def written(url: str) -> Counter[str]:
    """The ids of the file's turns, by how often each is there as event, evidence and index entry together."""
    database = open_database(url, busy_seconds=30)
    query = """
        SELECT e.idempotency_key FROM event e
        JOIN evidence v ON v.tenant_id = e.tenant_id AND v.event_id = e.event_id
        JOIN index_item i ON i.tenant_id = v.tenant_id AND i.ref = v.evidence_id"""
    try:
        with database.reading() as connection:
            return Counter(connection.scalars(text(query)))
    finally:
        database.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(SEED, SEED + COURSES))
def test_killed_and_resumed_is_as_if_nothing_had_happened(
    conversation: Path, undisturbed: list[str], sqlite_url: str, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    at: Counter[int] = Counter()
    ended = 0
    progress = []
    for number in range(KILLS):
        importer = Importer(sqlite_url, conversation, tmp_path)
        # One in five at any moment, opening and reading included; the others once it writes.
        early = number % 5 == 4
        state = importer.kill_after(chance.uniform(0, 0.8 if early else 0.25), transactions=0 if early else 1)
        ended += state is None
        at[-1 if state is None else state] += 1
        if Path(sqlite_url.removeprefix("sqlite:///")).exists() and number % 5 == 0:
            assert halves(sqlite_url) == {}
            progress.append(sum(written(sqlite_url).values()))
    said = Importer(sqlite_url, conversation, tmp_path).finish()
    inside = at[children.BEGUN] + at[children.WRITTEN] + at[children.COMMITTING]
    print(
        f"seed {seed}: {KILLS} rounds, {KILLS - ended} kills, {inside} inside a write transaction "
        f"({at[children.BEGUN]} begun, {at[children.WRITTEN]} with rows written, {at[children.COMMITTING]} committing), "
        f"{at[children.OUTSIDE]} outside; turns after every fifth kill: {progress}; the last run: {said.strip()}"
    )
    assert inside >= INSIDE
    assert progress[-1] < TURNS, "the import was over before the last kill"
    counts = written(sqlite_url)
    assert len(counts) == TURNS
    assert set(counts.values()) == {1}
    assert halves(sqlite_url) == {}
    assert len(undisturbed) > 20
    assert facts(sqlite_url) == undisturbed
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana")
        assert "canal" in me.search("walking along the canal until dark")[0].text
        assert "周末有雨" in me.search("周末有雨改天再去")[0].text


@pytest.mark.parametrize("backend", ["postgres_url", "mariadb_url"])
def test_a_killed_client_leaves_a_server_whole(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """A server rolls back what its client did not commit; the import then goes on."""
    url = request.getfixturevalue(backend)
    chance = random.Random(SEED)
    path = tmp_path / "conversation.jsonl"
    docs = [turn(number, chance) for number in range(600)]
    path.write_text(json.dumps({"kind": "retrieval", "dataset": "crash", "conv_id": "c", "docs": docs}) + "\n", "utf-8")
    at = [
        Importer(url, path, tmp_path).kill_after(chance.uniform(0, 0.2), transactions=chance.randint(1, 3))
        for _ in range(3)
    ]
    said = Importer(url, path, tmp_path).finish()
    print(
        f"seed {SEED}, {backend}: at the kill {at} (0 outside, 1-3 inside a transaction); the last run: {said.strip()}"
    )
    assert any(state is not None for state in at)
    counts = written(url)
    assert len(counts) == 600
    assert set(counts.values()) == {1}
    assert halves(url) == {}
