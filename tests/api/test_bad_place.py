"""Databases that are none, cannot be written or are full: said clearly, and nothing of theirs or ours is harmed."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

import muniment
from muniment import InvalidInput, MunimentError, NotADatabase, ReadOnlyStore, SchemaMismatch, StoreError, StoreFull
from muniment.service.muniment import Muniment
from muniment.testing.doubles import LinesExtractor


def opened(url: Any) -> Muniment:
    return muniment.open(str(url), embedder="none", extractor=LinesExtractor())


@pytest.fixture
def folder(sqlite_url: str) -> Path:
    """A folder in memory where there is room."""
    return Path(sqlite_url.removeprefix("sqlite:///")).parent


# -- what is no store of ours ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"hello, I am a text file\n" * 50, b"\x00" * 4096, b"SQLite format 2\x00", b"x"],
    ids=["text", "zeros", "old", "x"],
)
def test_a_file_that_is_no_database_is_left_as_it_was(folder: Path, content: bytes) -> None:
    file = folder / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(NotADatabase, match=r"notes\.txt"):
        opened(f"sqlite:///{file}")
    assert file.read_bytes() == content
    assert [item.name for item in folder.iterdir()] == ["notes.txt"]


def test_a_damaged_database_is_said_to_be_one(folder: Path) -> None:
    file = folder / "m.db"
    with opened(file) as memory:
        memory.reader(user="ana").observe("likes: tea")
    raw = bytearray(file.read_bytes())
    raw[100:60_000] = os.urandom(59_900)
    file.write_bytes(raw)
    with pytest.raises(NotADatabase):
        opened(file)


def test_an_empty_file_becomes_a_store(folder: Path) -> None:
    (folder / "m.db").touch()
    with opened(folder / "m.db") as memory:
        assert memory.reader(user="ana").observe("likes: tea").facts


def test_another_applications_file_is_left_as_it_was(folder: Path) -> None:
    file = folder / "invoices.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER)")
        connection.execute("INSERT INTO invoice VALUES (1, 100)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(NotADatabase, match="not Muniment's"):
        opened(file)
    assert file.read_bytes() == before
    assert [item.name for item in folder.iterdir()] == ["invoices.db"]


def test_a_newer_schema(folder: Path) -> None:
    opened(folder / "m.db").close()
    with sqlite3.connect(folder / "m.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9000'")
    connection.close()
    with pytest.raises(SchemaMismatch, match="upgrade muniment"):
        opened(folder / "m.db")


def test_a_folder_is_no_file(folder: Path) -> None:
    with pytest.raises(NotADatabase, match="is a folder"):
        opened(folder)


def test_a_folder_that_is_not_there(folder: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        opened(folder / "absent" / "m.db")
    assert not (folder / "absent").exists()


@pytest.mark.parametrize("url", ["oracle://x/y", "://", "mongodb://x", "postgresql://", "\x00", ""])
def test_a_url_that_is_none(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if url == "":
        opened(url).close()  # the default: a file beside us
        assert (tmp_path / "muniment.db").exists()
        return
    with pytest.raises(MunimentError) as caught:
        opened(url)
    assert str(caught.value)


def test_a_password_is_in_no_error() -> None:
    for url in (
        "oracle://ana:hunter2@h/d",
        "postgresql://ana:hunter2@127.0.0.1:1/d",
        "mysql://ana:hunter2@127.0.0.1:1/d",
    ):
        with pytest.raises((InvalidInput, StoreError)) as caught:
            opened(url)
        assert "hunter2" not in str(caught.value)


# -- what cannot be written --------------------------------------------------------------------------------------------


def test_a_place_where_no_file_can_be_made() -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("needs /proc")
    with pytest.raises(ReadOnlyStore, match="/proc"):
        opened("sqlite:////proc/muniment.db")


def as_nobody(work: Callable[[], str]) -> str:
    """What `work` says, run in a child that is nobody where this process is root; elsewhere run here."""
    if os.geteuid() != 0:
        return work()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def outcome(path: Path) -> str:
    """The error of opening and writing there, or what was written."""
    try:
        with opened(path) as memory:
            return f"wrote {len(memory.reader(user='ana').observe('likes: rum').facts)}"
    except MunimentError as error:
        return f"{type(error).__name__}: {error}"


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    opened(":memory:").close()  # what is loaded when first used is loaded before the child may no longer read it
    with opened(folder / "warm.db") as memory:
        memory.reader(user="ana").observe("likes: tea")
    place = folder / "closed"
    place.mkdir()
    place.chmod(0o555)
    folder.chmod(0o755)
    said = as_nobody(lambda: outcome(place / "m.db"))
    assert said.startswith("ReadOnlyStore"), said
    assert "cannot be written" in said
    assert list(place.iterdir()) == []


def test_a_file_that_cannot_be_written(folder: Path) -> None:
    place = folder / "closed"
    place.mkdir()
    with opened(place / "m.db") as memory:
        memory.reader(user="ana").observe("likes: tea")
    before = (place / "m.db").read_bytes()
    (place / "m.db").chmod(0o444)
    place.chmod(0o555)
    folder.chmod(0o755)
    said = as_nobody(lambda: outcome(place / "m.db"))
    assert said.startswith("ReadOnlyStore"), said
    assert (place / "m.db").read_bytes() == before
    place.chmod(0o755)
    (place / "m.db").chmod(0o644)
    with opened(place / "m.db") as memory:
        assert [fact.value for fact in memory.reader(user="ana").facts()] == ["tea"]


# -- what is full ------------------------------------------------------------------------------------------------------


def fill(memory: Muniment, *, size: int = 40_000) -> tuple[list[str], MunimentError]:
    """Writes until it is refused; what was acknowledged, and the refusal."""
    me, kept = memory.reader(user="ana"), []
    for number in range(2_000):
        word = f"word{number}"
        try:
            me.observe(f"likes: {word}\n" + f"filler {number} " * (size // 10))
        except MunimentError as error:
            return kept, error
        kept.append(word)
    raise AssertionError("it never became full")


def whole(memory: Muniment, kept: list[str]) -> None:
    """Everything acknowledged can be read, nothing else is there, and every part of it is whole."""
    me = memory.reader(user="ana")
    found = [fact for cursor in [None] for fact in me.facts(limit=1000, cursor=cursor)]
    assert [fact.value for fact in found] == kept
    counts = memory.counts(reader=me)
    assert (counts["events"], counts["evidence"], counts["facts"]) == (len(kept),) * 3
    for fact in (found[0], found[-1]):
        assert me.explain(fact.id).events
    with me.parts.store.read(me.identity) as unit:
        (state,) = unit.partition_states(me.parts.store.partitions()).values()
    assert state.count == 2 * len(kept)
    assert me.search(kept[-1], k=3)


def test_a_database_that_may_not_grow(folder: Path) -> None:
    with opened(folder / "m.db") as memory:
        memory.reader(user="ana")
    with opened(folder / "m.db") as memory:
        engine = memory.parts.store.database.engine  # type: ignore[attr-defined]
        limit = {"pages": 160}

        def bound(connection: sqlite3.Connection, *_: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {limit['pages']}").close()

        engine.dispose()
        event.listen(engine, "connect", bound)
        kept, error = fill(memory)
        assert isinstance(error, StoreFull)
        assert "rolled back" in str(error)
        assert len(kept) > 5
        whole(memory, kept)
        limit["pages"] = 100_000
        engine.dispose()
        memory.reader(user="ana").observe("likes: room again")
        whole(memory, [*kept, "room again"])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root to mount a file system")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"cannot mount here: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 1_000_000)
    with opened(small_disk / "m.db") as memory:
        kept, error = fill(memory, size=4_000)
        assert isinstance(error, StoreFull), error
        assert len(kept) > 3
        whole(memory, kept)
    # After a crash too: what was acknowledged is there for the next process, on the full disk still.
    ballast.unlink()
    with opened(small_disk / "m.db") as memory:
        whole(memory, kept)
        memory.reader(user="ana").observe("likes: room again")
        whole(memory, [*kept, "room again"])


def test_a_file_that_may_not_grow(folder: Path) -> None:
    """As under a quota: the system refuses bytes beyond a size."""
    opened(folder / "m.db").close()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(folder / "m.db") as memory:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, hard))
        try:
            kept, error = fill(memory)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert isinstance(error, StoreError), error
        assert "rolled back" in str(error)
        whole(memory, kept)
        memory.reader(user="ana").observe("likes: room again")
        whole(memory, [*kept, "room again"])
