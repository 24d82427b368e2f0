"""The queue and conflicts on the command line.

Belongs here: `muniment review`, `muniment conflicts`, what `doctor` says of the queue. Does not belong here: what the answers
do (test_review.py, test_conflicts.py).
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
from muniment.cli.doctor import checks
from muniment.domain.records import Candidate
from muniment.testing.doubles import SteppingClock

RITA = ("--user", "rita", "--role", "reviewer")


class Shell:
    """Runs `muniment` in this process over one database file."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'm.db'}"
        self.environment = {
            "MUNIMENT_DB": self.url,
            "MUNIMENT_EMBEDDER": "none",
            "MUNIMENT_USER": "ana",
            "COLUMNS": "160",
        }

    def __call__(self, *arguments: str, code: int = 0) -> Any:
        done = CliRunner().invoke(app, list(arguments), env=self.environment)
        assert done.exit_code == code, done.output
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", code=code).stdout)

    def error(self, *arguments: str, code: int) -> Any:
        return json.loads(self(*arguments, "--json", code=code).stderr)["error"]

    def ask(self, *amounts: int) -> list[str]:
        """Questions about amounts of money; their ids."""
        with muniment.open(self.url, embedder="none") as memory:
            me = memory.reader(user="ana")
            said = [Candidate(content=f"fee {n}: {n} EUR", confidence=0.9, valid_from_known=False) for n in amounts]
            return [str(item.candidate_id) for item in me.propose(said)]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_question_is_listed_approved_and_gone(shell: Shell) -> None:
    (ref,) = shell.ask(7)
    (item,) = shell.json("review", "list")["items"]
    assert (item["id"], item["moved"], item["author"]) == (ref, False, "ana")
    assert {verdict["rule"] for verdict in item["verdicts"]} == {"risk.money"}
    table = shell("review", "list", *RITA).stdout
    assert "fee 7: 7 EUR" in table
    assert "risk.money" in table
    receipt = shell.json("review", "approve", ref, "--reason", "checked", *RITA)
    assert receipt["lines"][0].startswith("approved: committed: fee 7: 7 EUR")
    assert [fact["basis"] for fact in shell.json("facts")["items"]] == ["CONFIRMED"]
    assert shell.json("review", "list")["items"] == []
    assert "nothing asks" in shell("review", "list").stdout
    assert shell.json("review", "list", "--status", "all")["items"][0]["status"] == "ACCEPTED"
    refused = shell.error("review", "reject", ref, code=4)
    assert "approved by user:rita" in refused["message"]


def test_several_ids_each_have_their_outcome(shell: Shell) -> None:
    one, two, three = shell.ask(1, 2, 3)
    stranger = "0198f3a2-0000-7000-8000-000000000000"
    done = shell.json("review", "approve", one, stranger, two, code=1)
    assert [item["ok"] for item in done["items"]] == [True, False, True]
    assert (done["failed"], done["items"][1]["error"]["code"]) == (1, "not_found")
    assert "rejected" in shell("review", "reject", three, two, code=1).stdout
    assert shell.error("review", "approve", one, two, "--expected", "x", code=2)["code"] == "invalid_input"
    assert shell.error("review", "approve", stranger, code=3)["code"] == "not_found"


def test_an_edit_and_what_moved(shell: Shell) -> None:
    (ref,) = shell.ask(7)
    state = shell.json("review", "list")["items"][0]["state"]
    assert (
        shell.error("review", "edit", ref, "--content", "fee 7: 8 EUR", "--expected", "other", code=4)["current"][
            "state"
        ]
        == state
    )
    receipt = shell.json("review", "edit", ref, "--content", "fee 7: 8 EUR", "--expected", state)
    assert receipt["lines"][0].startswith("edited and approved")
    assert [fact["content"] for fact in shell.json("facts")["items"]] == ["fee 7: 8 EUR"]
    assert shell.error("review", "edit", ref, code=2)["code"] == "invalid_input"


def test_counts_are_for_whoever_asks(shell: Shell) -> None:
    shell.ask(1, 2)
    found = shell.json("review", "counts", *RITA)
    assert (found["open"], found["by_rule"], found["by_type"]) == (2, {"risk.money": 2}, {"FACT": 2})
    assert shell.json("review", "counts", "--user", "bo")["open"] == 0
    assert "risk.money" in shell("review", "counts").stdout


def test_a_conflict_is_listed_and_resolved(shell: Shell) -> None:
    at = "2026-01-01T00:00:00+00:00"
    one, other = (
        shell.json("add-fact", f"seat: {name}", "--predicate", "seat", "--value", name, "--valid-from", at)["facts"][0]
        for name in ("aisle", "window")
    )
    (item,) = shell.json("conflicts", "list")["items"]
    assert {side["value"] for side in item["sides"]} == {"aisle", "window"}
    table = shell("conflicts", "list").stdout
    assert "DISPUTE" in table
    assert "aisle" in table
    assert shell.error("conflicts", "resolve", item["id"], "--both", one, code=2)["code"] == "invalid_input"
    shell.json("conflicts", "resolve", item["id"], "--both", f"{one}=short flights", "--both", f"{other}=long flights")
    facts = shell.json("facts")["items"]
    assert {(fact["value"], fact["qualifier"]) for fact in facts} == {
        ("aisle", "short flights"),
        ("window", "long flights"),
    }
    assert "nothing disagrees" in shell("conflicts", "list").stdout
    assert shell.json("conflicts", "list", "--status", "all")["items"][0]["status"] == "RESOLVED"
    assert shell.error("conflicts", "resolve", item["id"], "--neither", code=4)["code"] == "conflict"


@pytest.mark.parametrize(
    "command",
    [("review", name) for name in ("list", "approve", "edit", "reject", "counts")]
    + [("conflicts", name) for name in ("list", "resolve")],
)
def test_every_command_has_an_example(shell: Shell, command: tuple[str, str]) -> None:
    assert f"Example: muniment {' '.join(command)}" in " ".join(shell(*command, "--help").stdout.split())


@pytest.mark.parametrize(
    ("days", "state", "said"), [(1, "ok", "1,"), (25, "warn", "lapses in"), (31, "warn", "past the 30 days")]
)
def test_doctor_counts_the_tenants_queue_and_warns_in_time(days: int, state: str, said: str) -> None:
    clock = SteppingClock(datetime(2026, 3, 1, tzinfo=UTC))
    with muniment.open(":memory:", embedder="none", clock=clock) as memory:
        memory.reader(user="ana").propose([Candidate(content="the secret fee: 7 EUR", confidence=0.9)])
        clock.move(days=timedelta(days=days).days)
        (check,) = [item for item in checks(memory, memory.reader(user="somebody else")) if item.name == "review"]
    assert check.state == state
    assert said in check.said
    assert "secret" not in check.said, "counts only: it is not theirs to read"
