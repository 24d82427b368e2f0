"""`muniment lifecycle` on the command line.

Belongs here: what it prints, JSON, exit codes. Does not belong here: what the steps do (test_lifecycle.py).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import muniment
from muniment.cli.app import app
from muniment.domain.errors import StoreError
from muniment.store.sql_store import SqlStore
from muniment.testing.doubles import SteppingClock

LONG_AGO = datetime.now(UTC) - timedelta(days=60)


class Shell:
    """Runs `muniment` in this process over a database file in which something was hidden long ago."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'm.db'}"
        with muniment.open(self.url, embedder="none", clock=SteppingClock(LONG_AGO)) as memory:
            me = memory.reader(user="ana")
            me.forget(fact=me.add_fact("likes quinces", predicate="likes", value="quinces").facts[0])

    def __call__(self, *arguments: str, code: int = 0) -> Any:
        given = {"MUNIMENT_DB": self.url, "MUNIMENT_EMBEDDER": "none", "COLUMNS": "160"}
        done = CliRunner().invoke(app, ["lifecycle", *arguments], env=given)
        assert done.exit_code == code, done.output
        return done

    def found(self) -> bool:
        with muniment.open(self.url, embedder="none") as memory:
            return bool(memory.verify_erased(["quinces"])["found"])


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_line_per_step(shell: Shell) -> None:
    lines = shell("--dry-run").stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:6]] == ["expire", "lapse", "purge", "archive", "summarise", "tidy"]
    assert lines[2].startswith("purge: 1 facts")
    assert lines[6:] == ["nothing was changed"]
    assert shell.found()
    assert "purge: 1 facts" in shell().stdout
    assert not shell.found()
    assert "purge: nothing" in shell().stdout


def test_as_json(shell: Shell) -> None:
    report = json.loads(shell("--json").stdout)
    assert not report["dry_run"]
    assert [item["name"] for item in report["steps"]] == ["expire", "lapse", "purge", "archive", "summarise", "tidy"]
    purge = report["steps"][2]
    assert purge["counts"]["facts"] == 1
    assert purge["error"] is None
    assert purge["seconds"] > 0


def test_the_policy_is_read(shell: Shell, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[retention]\nhidden_days = 0\n", encoding="utf-8")
    assert "purge: nothing" in shell("--policy", str(policy)).stdout
    policy.write_text("[retention]\nhiden_days = 3\n", encoding="utf-8")
    assert "did you mean 'retention.hidden_days'" in shell("--policy", str(policy), code=2).stderr


def test_a_failed_step_is_seen_by_whoever_started_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: SqlStore, at: datetime) -> int:
        raise StoreError("the disk is full")

    monkeypatch.setattr(SqlStore, "expire", fails)
    said = shell(code=1).stdout
    assert "expire: nothing" in said
    assert "failed: " in said
    assert "the disk is full" in said
    assert "purge: 1 facts" in said
