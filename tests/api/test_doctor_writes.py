"""What `doctor`, `suggest` and receipts say plainly, and that reading makes no database."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from typer.testing import CliRunner

import muniment
from muniment.cli.app import app
from muniment.cli.doctor import Check, checks
from muniment.service.muniment import Muniment
from muniment.service.operations import OPERATIONS


def run(folder: Path, *words: str) -> Any:
    environment = os.environ | {"MUNIMENT_DB": str(folder / "m.db"), "MUNIMENT_EMBEDDER": "none", "COLUMNS": "200"}
    return CliRunner().invoke(app, list(words), env=environment)


def check(memory: Muniment, name: str, user: str = "ana") -> Check:
    return next(item for item in checks(memory, memory.reader(user=user)) if item.name == name)


def test_a_trial_write_leaves_nothing_behind(sqlite_url: str) -> None:
    with muniment.open(sqlite_url, embedder="none") as memory:
        memory.reader(user="ana").observe("I like tea.")
        before = memory.counts(reader=memory.reader(user="ana"))
        assert check(memory, "writing").state == "ok"
        assert memory.counts(reader=memory.reader(user="ana")) == before
        engine = memory.parts.store.database.engine  # type: ignore[attr-defined]
        with engine.connect() as connection:
            names = [row[0] for row in connection.exec_driver_sql("SELECT name FROM store_setting")]
            assert connection.exec_driver_sql("PRAGMA cache_size").scalar() == -2000
        assert not [name for name in names if name.startswith("trial")]


def test_a_trial_write_in_memory_is_well_too() -> None:
    with muniment.open(":memory:", embedder="none") as memory:
        assert check(memory, "writing").state == "ok"


def test_doctor_says_that_the_store_is_full(sqlite_url: str) -> None:
    with muniment.open(sqlite_url, embedder="none") as memory:
        memory.reader(user="ana").observe("I like tea.")
        engine = memory.parts.store.database.engine  # type: ignore[attr-defined]

        def bound(connection: sqlite3.Connection, *_: object) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 1}").close()

        engine.dispose()
        event.listen(engine, "connect", bound)
        found = check(memory, "writing")
        assert found.state == "fail"
        assert found.said.startswith("StoreFull:")


def test_doctor_says_whose_records_it_counts(sqlite_url: str) -> None:
    with muniment.open(sqlite_url, embedder="none") as memory:
        memory.reader(user="ana").observe("I like tea.")
        assert "1 facts" in check(memory, "records").said
        said = check(memory, "records", user="bo").said
        assert said == "none yet (of user 'bo' in tenant 'default'; what others hold is not counted)"


def test_nothing_to_suggest_is_said_so(tmp_path: Path) -> None:
    run(tmp_path, "observe", "I like tea.")
    done = run(tmp_path, "suggest", "--session", "s1")
    assert done.exit_code == 0
    assert done.output.strip() == "nothing to suggest"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My password is hunter2zz. I like tea.", "password"),
        ("My card is 4111 1111 1111 1111.", "bank_card"),
        ("我的密码是hunter2zz。我喜欢喝茶。", "password"),
    ],
)
def test_a_receipt_says_that_something_was_masked(text: str, kind: str) -> None:
    with muniment.open(":memory:", embedder="none") as memory:
        me = memory.reader(user="ana")
        assert f"masked before it was kept: {kind}" in me.observe(text).lines
        assert not any("masked" in line for line in me.observe("I like rowing. 我住在上海。").lines)


WRITES = {item.name for item in OPERATIONS if item.makes}


@pytest.mark.parametrize(
    "words",
    [
        ("search", "hi"),
        ("facts",),
        ("context", "hi"),
        ("snapshot",),
        ("suggest", "--session", "s"),
        ("history", "01a231fa-c9f8-768b-9a96-7447625a29c5"),
        ("forget", "--query", "heron"),
        ("review", "list"),
        ("doctor",),
        ("lifecycle",),
        ("replay",),
    ],
)
def test_reading_makes_no_database(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, *words)
    assert done.exit_code == 2, done.output
    assert f"there is no database {tmp_path / 'm.db'}" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_records_something_makes_it(tmp_path: Path) -> None:
    assert {"observe", "add-fact", "add-rule", "set-status"} == WRITES
    assert run(tmp_path, "set-status", "step", "2").exit_code == 0
    assert (tmp_path / "m.db").exists()


def test_the_library_makes_one_unless_told_not_to(tmp_path: Path) -> None:
    with pytest.raises(muniment.InvalidInput, match="there is no database"):
        muniment.open(str(tmp_path / "m.db"), embedder="none", create=False)
    assert list(tmp_path.iterdir()) == []
    muniment.open(str(tmp_path / "m.db"), embedder="none").close()
    muniment.open(str(tmp_path / "m.db"), embedder="none", create=False).close()
