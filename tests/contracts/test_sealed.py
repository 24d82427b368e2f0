"""Sealed content: unreadable in the rows, whole through the library, refused without the right key."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text

from muniment.config import Settings
from muniment.domain.errors import MunimentError, PolicyError, StoreError
from muniment.service.muniment import Muniment
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant, value
from muniment.testing.doubles import SteppingClock, WordEmbedder

pytest.importorskip("cryptography", reason="sealing needs muniment[seal]")

KEY, OTHER = (base64.b64encode(bytes([number] * 32)).decode() for number in (1, 2))
CANARY = "zanzibarine"
memory_of = StoreContract().open


def settings(key: str | None) -> Settings:
    return Settings(master_key=key)


def write(memory: Muniment) -> Any:
    """Something in every table that holds content. Subjects, predicates and exact keys are looked up by equality and are
    not sealed."""
    me = memory.reader(user="ana", session="s")
    fact = me.observe(f"likes: {CANARY} tea", metadata={"where": CANARY}, payload={"n": CANARY}).facts[0]
    seat = me.add_fact(f"{CANARY} aisle", predicate="seat", value=f"{CANARY} aisle", metadata={"why": CANARY}).facts[0]
    me.correct(seat, value=f"{CANARY} window", reason=f"because {CANARY}")
    me.add_fact(f"the {CANARY} is trusted less", predicate="seat", value=CANARY, trust=1)
    me.observe(f"asks {CANARY}: what of the {CANARY}?", actor="agent", speaker=f"A. {CANARY}")
    me.end_session()
    return fact


@pytest.fixture
def sealed(store_url: str) -> tuple[str, Any]:
    clock = SteppingClock(instant(1))
    with memory_of(store_url, settings=settings(KEY), embedder=WordEmbedder(), clock=clock) as memory:
        fact = write(memory)
        me = memory.reader(user="ana", session="s")
        memory.parts.upkeep.pack(
            me.identity, next(key for key in memory.parts.store.partitions() if key.target == "ana")
        )
    return store_url, fact


def test_no_row_can_be_read(sealed: tuple[str, Any]) -> None:
    url, _ = sealed
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:").replace("mysql:", "mysql+pymysql:"))
    found, cells = [], 0
    with engine.connect() as connection:
        for table in inspect(connection).get_table_names():
            quoted = connection.dialect.identifier_preparer.quote(table)
            for row in connection.execute(text(f"SELECT * FROM {quoted}")).mappings():
                for name, cell in row.items():
                    cells += 1
                    raw = bytes(cell) if isinstance(cell, (bytes, memoryview)) else str(cell).encode()
                    if CANARY.encode() in raw:
                        found.append((table, name))
        segments = connection.scalar(text("SELECT count(*) FROM index_segment"))
    engine.dispose()
    assert found == []
    assert cells > 500
    assert segments == 1


def test_no_byte_of_the_file_can_be_read(sqlite_url: str) -> None:
    with memory_of(sqlite_url, settings=settings(KEY)) as memory:
        write(memory)
        folder = Path(sqlite_url.removeprefix("sqlite:///")).parent
        for file in folder.iterdir():
            assert CANARY.encode() not in file.read_bytes(), file.name


def test_everything_works_as_in_a_plain_one(sealed: tuple[str, Any]) -> None:
    url, fact = sealed
    with memory_of(url, settings=settings(KEY), embedder=WordEmbedder(), clock=SteppingClock(instant(2))) as memory:
        me = memory.reader(user="ana", session="s")
        assert value(me, "seat") == f"{CANARY} window"
        assert me.search(f"{CANARY} tea")[0].item.content == f"likes: {CANARY} tea"
        why = me.explain(fact)
        assert why.evidence[0].metadata == {"where": CANARY}
        assert why.events[0].payload == {"n": CANARY}
        assert why.candidates[0].quote == f"likes: {CANARY} tea"
        assert why.decisions[0].verdicts
        story = me.summary(session="s")
        assert story is not None
        assert [line.text for line in story.confirmed] == [f"{CANARY} window", f"likes: {CANARY} tea"]
        (asked,) = me.search("asks what of", channels=["evidence"], k=1)
        assert asked.item.speaker == f"A. {CANARY}"
        assert CANARY in me.context(f"what {CANARY} tea?").text
        again = me.observe(f"likes: {CANARY} tea", source_system="crm")
        assert again.facts == (fact,)
        me.forget(fact=fact)
        assert [hit for hit in me.search(f"{CANARY} tea") if "tea" in hit.text] == []


@pytest.mark.parametrize(
    ("key", "match"), [(None, "MUNIMENT_MASTER_KEY"), (OTHER, "not the key")], ids=["none", "another"]
)
def test_a_sealed_store_is_refused_without_its_key(sealed: tuple[str, Any], key: str | None, match: str) -> None:
    """At once, before anything could be written openly beside what is sealed."""
    with pytest.raises(StoreError, match=match):
        memory_of(sealed[0], settings=settings(key))


@pytest.mark.parametrize("key", ["", "short", "!" * 44, base64.b64encode(b"x" * 31).decode()])
def test_a_key_that_is_none_is_refused(sqlite_url: str, key: str) -> None:
    if not key:
        memory_of(sqlite_url, settings=settings(key)).close()
        return
    with pytest.raises(PolicyError, match="32 bytes"):
        memory_of(sqlite_url, settings=settings(key))


def test_a_plain_store_may_begin_to_seal(store_url: str) -> None:
    """Rows say themselves how they are to be opened: what was plain stays readable, what follows is sealed."""
    with memory_of(store_url) as memory:
        memory.reader(user="ana").observe("likes: tea enc1: not sealed at all")
        memory.reader(user="ana").observe("enc1:AAAA looks sealed")
    with memory_of(store_url, settings=settings(KEY)) as memory:
        me = memory.reader(user="ana")
        me.observe(f"likes: {CANARY}")
        assert {hit.text for hit in me.search(f"tea looks {CANARY}", channels=["evidence"])} == {
            "likes: tea enc1: not sealed at all", "enc1:AAAA looks sealed", f"likes: {CANARY}",
        }  # fmt: skip


def test_content_moved_to_another_row_or_changed_does_not_open(sqlite_url: str) -> None:
    with memory_of(sqlite_url, settings=settings(KEY)) as memory:
        memory.reader(tenant="one", user="ana").observe(f"likes: {CANARY}")
        memory.reader(tenant="two", user="bo").observe("likes: coffee")
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        stolen = connection.scalar(text("SELECT content FROM evidence WHERE tenant_id = 'one'"))
        connection.execute(text("UPDATE evidence SET content = :it WHERE tenant_id = 'two'"), {"it": stolen})
        changed = stolen[:-6] + ("AAAA==" if not stolen.endswith("AAAA==") else "BBBB==")
        connection.execute(text("UPDATE evidence SET content = :it WHERE tenant_id = 'one'"), {"it": changed})
    engine.dispose()
    with memory_of(sqlite_url, settings=settings(KEY)) as memory:
        for reader in (memory.reader(tenant="one", user="ana"), memory.reader(tenant="two", user="bo")):
            with pytest.raises(MunimentError) as caught:
                reader.search("likes", channels=["evidence"])
            assert CANARY not in str(caught.value)
