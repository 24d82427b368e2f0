"""Forgetting at the edges: in talk, on the command line, in a replay.

Belongs here: those. Does not belong here: what hiding and erasing do on each store (contracts), bytes (security).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import muniment
from muniment.cli.app import app
from muniment.domain.enums import CandidateStatus
from muniment.domain.forgotten import Forgotten
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader

CANARY = "zanzibarine"


# -- in talk ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def spoken() -> Iterator[Reader]:
    """A memory that understands talk."""
    with muniment.open(":memory:", embedder="none") as memory:
        yield memory.reader(user="ana", session="s")


@pytest.mark.parametrize(
    ("told", "request_", "kept"),
    [
        (["I live in Lisbon.", "I like green tea."], "Forget where I live.", "green tea"),
        (["我住在杭州。", "我喜欢龙井茶。"], "忘掉我住在哪里。", "龙井茶"),
    ],
)
def test_a_request_that_means_one_thing_hides_it(spoken: Reader, told: list[str], request_: str, kept: str) -> None:
    for text in told:
        assert spoken.observe(text).facts
    receipt = spoken.observe(request_)
    assert receipt.lines[0].startswith("forgotten")
    assert [fact.value for fact in spoken.facts()] == [kept]


@pytest.mark.parametrize(
    ("told", "request_", "word"),
    [
        (["I like green tea.", "I like black tea.", "I like steak."], "Forget that I like tea.", "tea"),
        (["我喜欢绿茶。", "我喜欢红茶。"], "忘掉我喜欢茶。", "茶"),
    ],
)
def test_a_request_that_means_several_lists_them_and_asks(
    spoken: Reader, told: list[str], request_: str, word: str
) -> None:
    for text in told:
        assert spoken.observe(text).facts
    before = {fact.fact_id: fact.content for fact in spoken.facts()}
    receipt = spoken.observe(request_)
    assert {fact.fact_id for fact in spoken.facts()} == set(before)
    with spoken.parts.store.read(spoken.identity) as unit:
        (asked,) = unit.candidates(status=CandidateStatus.NEEDS_CONFIRMATION)
    assert asked.candidate_id in receipt.candidates
    named = {str(ref) for ref, content in before.items() if word in content and "steak" not in content}
    assert set(asked.proposed["forgets"]) == named
    assert all(before[ref][:20] in (asked.governance_reason or "") for ref in before if str(ref) in named)


def test_a_word_is_not_forgotten_for_another_that_holds_it(spoken: Reader) -> None:
    assert spoken.observe("I like steak.").facts
    spoken.observe("Forget about tea.")
    assert [fact.value for fact in spoken.facts()] == ["steak"]


def test_a_quote_in_a_reason_goes_with_what_it_quotes(spoken: Reader) -> None:
    """What a request to forget listed is not left in its own record."""
    for kind in ("green", "black"):
        spoken.observe(f"I like {kind} {CANARY}.")
    spoken.observe(f"Forget about {CANARY}.")
    memory = spoken.forget(query=CANARY, mode="erase")
    assert isinstance(memory, Forgotten)
    with spoken.parts.store.read(spoken.identity) as unit:
        assert [item for item in unit.candidates() if CANARY in f"{item.content} {item.governance_reason}"] == []
    assert spoken.parts.store.verify([CANARY], at=spoken.parts.clock())["found"] == []


# -- replay ----------------------------------------------------------------------------------------------------------


def test_a_replay_revives_nothing(memory: Muniment, me: Reader) -> None:
    one, two = (memory.reader(tenant="acme", user="ana", session=name) for name in ("one", "two"))
    one.observe("likes: tea\nresidence: Paris")
    two.observe("likes: coffee")
    three = memory.reader(tenant="acme", user="ana", session="three")
    three.observe("note: milk")
    one.forget(session="one")
    three.forget(session="three", mode="erase")
    report = memory.replay(tenant="acme", dry_run=True)
    assert list(report.differences) == [], report
    memory.replay(tenant="acme", dry_run=False)
    assert [fact.value for fact in me.facts()] == ["coffee"]


def test_a_replay_leaves_what_it_cannot_tell_any_more(memory: Muniment, me: Reader) -> None:
    """What an erased fact was changed to, and a fact whose first telling was erased, keep their ids and their words."""
    gone = me.add_fact("lives in Oslo", predicate="residence", value="Oslo").facts[0]
    moved = me.change(gone, value="Bergen").facts[0]
    me.add_fact("near the fjord", predicate="view", value="fjord", derived_from=[moved])
    one, two = (memory.reader(tenant="acme", user="ana", session=name) for name in ("one", "two"))
    twice = one.observe("likes: tea").facts[0]
    assert two.observe("likes: tea").facts == (twice,)
    one.forget(session="one", mode="erase")
    me.forget(fact=gone, mode="erase")
    before = [(fact.fact_id, fact.value) for fact in me.facts()]
    assert {value for _, value in before} == {"Bergen", "fjord", "tea"}
    assert memory.replay(tenant="acme", dry_run=False).differences == ()
    assert [(fact.fact_id, fact.value) for fact in me.facts()] == before


# -- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def shell(tmp_path: Path) -> Any:
    environment = {"MUNIMENT_DB": f"sqlite:///{tmp_path / 'm.db'}", "MUNIMENT_EMBEDDER": "none", "MUNIMENT_USER": "ana"}

    def run(*arguments: str, code: int = 0, **more: Any) -> Any:
        done = CliRunner().invoke(app, list(arguments), env=environment, **more)
        assert done.exit_code == code, done.output
        return done

    return run


def test_erasing_takes_a_yes_or_the_hash_of_what_was_listed(shell: Any, tmp_path: Path) -> None:
    shell("observe", f"I like {CANARY} tea.", "--session", "s1")
    shell("observe", "I live in Lisbon.", "--session", "s2")
    assert "--yes" in shell("forget", "--query", CANARY, "--erase", code=2).stderr
    listed = json.loads(shell("forget", "--query", CANARY, "--erase", "--dry-run", "--json").stdout)
    assert (listed["status"], listed["counts"]["fact"]) == ("dry run", 1)
    assert {item["kind"] for item in listed["manifest"]} == {"fact", "evidence"}
    assert CANARY in shell("forget", "--whole-session", "s1", "--dry-run").stdout
    assert shell("forget", "--query", CANARY, "--erase", "--manifest", "0" * 32, code=4)
    done = shell("forget", "--query", CANARY, "--erase", "--manifest", listed["manifest_hash"]).stdout
    assert "erased: 1 fact(s)" in done
    assert "no byte" in done
    assert CANARY.encode() not in (tmp_path / "m.db").read_bytes()
    shell("forget", "--whole-user", "ana", "--erase", "--yes")
    assert json.loads(shell("facts", "--json").stdout)["items"] == []
    shell("forget", "--whole-user", "bo", "--erase", "--yes", code=7)
    shell("forget", "--whole-tenant", "default", "--erase", "--yes", "--role", "admin")
    shell("forget", "--query", "*", code=2)
    shell("forget", code=2)


def test_canaries_are_read_from_stdin_or_a_file(shell: Any, tmp_path: Path) -> None:
    fact = json.loads(shell("observe", f"I like {CANARY} tea.", "--json").stdout)["facts"][0]
    found = shell("verify-erased", "--json", code=1, input=f"{CANARY}\n\nnever said\n")
    report = json.loads(found.stdout)
    assert {item["canary"] for item in report["found"]} == {CANARY}
    assert report["signature"]
    shell("forget", fact, "--erase", "--yes")
    listed = tmp_path / "canaries.txt"
    listed.write_text(f"{CANARY}\n", encoding="utf-8")
    assert "0 found" in shell("verify-erased", "--file", str(listed)).stdout
    assert "0 found" in shell("verify-erased", CANARY).stdout
    shell("verify-erased", "--file", str(tmp_path / "none"), code=2)
