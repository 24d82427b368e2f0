"""After an erasure no byte of the content is in the database's file, its log or its shared index."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment.domain.errors import InvalidInput
from muniment.domain.forgotten import Forgotten
from muniment.domain.records import Candidate
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.doubles import SteppingClock, WordEmbedder

CANARIES = ("zanzibarine-7f3a", "桑给巴尔的秘密计划")
SIZES = (20, 300, 4_000, 15_900, 16_384, 16_500, 60_000)
"""Characters of a turn: in one cell, around the size of a page, over many overflow pages."""
open_at = StoreContract().open


def spellings(canary: str) -> dict[str, bytes]:
    """How a text may stand in a file."""
    return {
        "utf-8": canary.encode(),
        "utf-16-le": canary.encode("utf-16-le"),
        "utf-16-be": canary.encode("utf-16-be"),
        "json": json.dumps(canary)[1:-1].encode(),
    }


def left(url: str) -> list[str]:
    """Which canary is in which file, how spelt."""
    path = Path(url.removeprefix("sqlite:///"))
    return [
        f"{file.name}: {canary} as {name}"
        for file in sorted(path.parent.iterdir())
        for raw in (file.read_bytes(),)
        for canary in CANARIES
        for name, spelt in spellings(canary).items()
        if spelt in raw
    ]


@pytest.fixture
def memory(sqlite_url: str) -> Iterator[Muniment]:
    with open_at(sqlite_url, clock=SteppingClock(), embedder=WordEmbedder()) as memory:
        yield memory


def filled(memory: Muniment, session: str) -> Reader:
    """Turns of every size, in which the canaries stand at the beginning, in the middle, at the end and over and over; facts
    that were changed many times; other content between them, so that rows move from page to page."""
    me = memory.reader(user="ana", session=session)
    rest = memory.reader(user="ana", session="kept")
    for number, size in enumerate(SIZES):
        for canary in CANARIES:
            filler = ("plain words " * (size // 12 + 1))[:size]
            half = size // 2
            me.observe(
                f"{canary} {filler[:half]} {canary} {filler[half:]} {canary}",
                metadata={"where": canary, "deep": [{canary: "x"}]},
                payload={"n": canary},
                speaker=canary,
                locator=canary,
                source_id=canary,
                trace_id=canary,
                idempotency_key=f"{canary}-{number}",
            )
            rest.observe(f"kept {number}: {filler[:2_000]}")
        me.end_session()
    fact = me.add_fact(f"{CANARIES[0]} 0", subject=CANARIES[0], predicate=f"p {CANARIES[1]}", value=f"{CANARIES[0]} 0")
    for number in range(16):
        me.correct(fact.facts[0], value=f"{CANARIES[number % 2]} {number}" + " x" * (number * 5))
        rest.set_status("step", f"step {number}")
    me.propose([Candidate(content=f"owes {CANARIES[0]} 900", predicate="debt", value="900", confidence=0.6)])
    me.observe(f"I like {CANARIES[0]}. Remind me of {CANARIES[1]}. I am worried.", speaker=CANARIES[0])
    assert any(CANARIES[0] in line.text for line in me.end_session().summary.lines)  # type: ignore[union-attr]
    rest.end_session()
    return rest


def test_no_byte_of_an_erased_session_is_left(memory: Muniment, sqlite_url: str) -> None:
    me = filled(memory, f"s-{CANARIES[0]}")
    me.search(CANARIES[0])
    assert {line.split(":")[0] for line in left(sqlite_url)} >= {"muniment.db-wal"}
    memory.parts.store.database.checkpoint()  # type: ignore[attr-defined]
    assert {line.split(":")[0] for line in left(sqlite_url)} >= {"muniment.db"}
    held = memory.verify_erased(CANARIES)["found"]
    assert len(held) > 20
    assert any(item["where"].startswith("summary.content") for item in held)
    receipt = me.forget(session=f"s-{CANARIES[0]}", mode="erase")
    assert isinstance(receipt, Forgotten)
    assert receipt.status == "done"
    assert left(sqlite_url) == []
    report = memory.verify_erased(CANARIES)
    assert report["found"] == []
    assert {"file muniment.db", "file muniment.db-wal"} <= {line.partition(":")[0] for line in report["looked_at"]}
    assert len(me.search("kept plain words", k=50, channels=["evidence"])) == len(SIZES)  # those said twice are one hit
    assert me.status("step") == "step 15"


def test_no_byte_of_an_erased_user_is_left(memory: Muniment, sqlite_url: str) -> None:
    filled(memory, f"s-{CANARIES[1]}").forget(user="ana", mode="erase")
    assert left(sqlite_url) == []
    assert memory.verify_erased(["plain words", *CANARIES])["found"] == []


def test_no_byte_is_left_of_what_was_erased_one_by_one(memory: Muniment, sqlite_url: str) -> None:
    """Hidden first, or not; by words, by fact."""
    me = memory.reader(user="ana", session="s")
    for number, canary in enumerate(CANARIES * 3):
        me.observe(f"likes: {canary} {number} " + "and much more " * (number * 900) + "\nresidence: Paris")
        me.end_session()
    for place, fact in enumerate(row for row in me.facts() if row.predicate == "likes"):
        if place % 2:
            me.forget(fact=fact.fact_id)
        me.forget(fact=fact.fact_id, mode="erase")
    for canary in CANARIES:
        me.forget(query=canary, mode="erase")
    assert left(sqlite_url) == []
    assert [fact.value for fact in me.facts()] == ["Paris"]


def test_a_reader_of_the_log_makes_it_pending_and_never_more_than_is_true(memory: Muniment, sqlite_url: str) -> None:
    me = memory.reader(user="ana", session="s")
    me.observe(f"likes: {CANARIES[0]}")
    path = sqlite_url.removeprefix("sqlite:///")
    reading = sqlite3.connect(path, isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM evidence").fetchone()
    receipt = me.forget(session="s", mode="erase")
    assert isinstance(receipt, Forgotten)
    assert receipt.status == "pending"
    assert not any("no byte" in line for line in receipt.lines)
    assert me.facts().items == ()
    assert [item.status for item in memory.erasures()] == ["PENDING"]
    assert memory.finish_erasures(seconds=0.0) is False
    reading.execute("COMMIT")
    reading.close()
    assert memory.finish_erasures(seconds=2.0) is True
    assert [item.status for item in memory.erasures()] == ["DONE"]
    assert left(sqlite_url) == []


def test_what_was_pending_is_finished_by_whoever_opens_next(sqlite_url: str) -> None:
    with open_at(sqlite_url) as memory:
        memory.reader(user="ana", session="s").observe(f"likes: {CANARIES[0]}")
        with memory.parts.store.database.reading() as held:  # type: ignore[attr-defined]
            held.exec_driver_sql("SELECT count(*) FROM evidence")
            receipt = memory.reader(user="ana").forget(session="s", mode="erase")
            assert isinstance(receipt, Forgotten)
            assert receipt.status == "pending"
    with open_at(sqlite_url) as memory:
        assert [item.status for item in memory.erasures()] == ["DONE"]
        assert left(sqlite_url) == []


def test_others_may_write_meanwhile(sqlite_url: str) -> None:
    """Two writers of their own, in threads with connections of their own, while things are erased."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            with open_at(sqlite_url) as memory:
                me = memory.reader(user=name)
                while not stop.is_set():
                    me.observe("likes: tea")
        except BaseException as error:
            failures.append(error)

    with open_at(sqlite_url) as memory:
        me = memory.reader(user="ana", session="s")
        threads = [threading.Thread(target=write, args=(name,)) for name in ("bo", "di")]
        for thread in threads:
            thread.start()
        for number in range(3):
            me.observe(f"likes: {CANARIES[0]} {number}")
            me.forget(query=CANARIES[0], mode="erase")
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert memory.finish_erasures(seconds=5.0)
        assert left(sqlite_url) == []


def test_the_report_is_signed_by_the_store(memory: Muniment) -> None:
    from muniment.service.verifying import genuine

    report: dict[str, Any] = memory.verify_erased(["never written anywhere"])
    assert genuine(memory.parts, report)
    assert not genuine(memory.parts, {**report, "found": [{"canary": "x", "where": "y"}]})
    for canaries in ([], ["ab"], [" a "]):
        with pytest.raises(muniment.InvalidInput):
            memory.verify_erased(canaries)


def test_what_is_held_is_found(memory: Muniment) -> None:
    """The search can fail: in rows, in files, in index entries as hashes, in this process's arrays."""
    me = memory.reader(user="ana", session="s")
    me.observe(f"likes: {CANARIES[0]} and rowing")
    me.search("rowing")
    where = [item["where"] for item in memory.verify_erased(["rowing"])["found"]]
    for part in ("evidence.content", "index_item.tokens", "fact.content", "file muniment.db", "this process's index"):
        assert any(place.startswith(part) for place in where), part


def test_two_chinese_characters_are_a_canary_and_one_is_not(memory: Muniment) -> None:
    me = memory.reader(user="ana", session="s")
    me.observe("藏在海棠树下")
    assert memory.verify_erased(["海棠"])["found"]
    me.forget(session="s", mode="erase")
    assert memory.verify_erased(["海棠"])["found"] == []
    for short in ("海", "ab", " 海 "):
        with pytest.raises(InvalidInput, match="Chinese"):
            memory.verify_erased([short])
