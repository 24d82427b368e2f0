"""Replay under the same policy and under others, through the library and the command line.

Belongs here: what differs, what is made true, what is never revived. Does not belong here: sameness as a property
(congruence/test_replay_property.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import muniment
from muniment.cli.app import app
from muniment.domain.enums import CandidateStatus, Change
from muniment.domain.errors import PolicyError
from muniment.service.muniment import Muniment
from muniment.testing.doubles import SteppingClock

EXPLICIT = {"gate": {"mode": "explicit"}}
TALK = ("我以后尽量都坐直飞。", "I live in Oslo.", "Remember that my desk is by the window.")


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


def filled(url: str, clock: SteppingClock) -> Muniment:
    memory = muniment.open(url, embedder="none", clock=clock)
    me = memory.reader(user="ana")
    for text in TALK:
        clock.move(hours=1)
        assert me.observe(text).facts
    return memory


def contents(memory: Muniment) -> set[str]:
    return {fact.content for fact in memory.reader(user="ana").facts()}


def test_another_policy_gives_a_difference_and_writes_nothing(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        before = contents(memory)
        assert memory.replay().same
        found = memory.replay(policy=EXPLICIT)
        assert {item.kind for item in found.differences} == {"vanish"}
        assert {item.before[0].content for item in found.differences} == {"我以后尽量都坐直飞", "I live in Oslo"}
        assert not found.applied
        assert contents(memory) == before


def test_applied_it_is_so_and_can_be_taken_back(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        before, token = contents(memory), memory.reader(user="ana").facts().known_at
        gone = {item.fact_id for item in memory.replay(policy=EXPLICIT, dry_run=False).differences}
        assert contents(memory) == before - {"我以后尽量都坐直飞", "I live in Oslo"}
        assert {fact.content for fact in memory.reader(user="ana").facts(known_at=token)} == before
        history = memory.reader(user="ana").history(min(gone))
        assert [row.change for row in history] == [Change.ASSERT, Change.REPLAY]
        assert history[-1].reason == "the log was replayed"
        with memory.parts.store.read(memory.reader(user="ana").identity) as unit:
            asked = unit.candidates(status=CandidateStatus.NEEDS_CONFIRMATION)
        assert {item.content for item in asked} == {"我以后尽量都坐直飞", "I live in Oslo"}
        assert memory.replay(policy=EXPLICIT).same
        assert {item.kind for item in memory.replay(dry_run=False).differences} == {"appear"}
        assert contents(memory) == before
        assert memory.replay().same


def test_a_predicate_declared_single_folds_what_stood_side_by_side(sqlite_url: str, clock: SteppingClock) -> None:
    with muniment.open(sqlite_url, embedder="none", clock=clock) as memory:
        me = memory.reader(user="ana")
        for value in ("3.10", "3.12"):
            clock.move(days=1)
            me.add_fact(f"The runtime is {value}.", predicate="runtime", value=value)
        found = memory.replay(policy={"predicates": {"runtime": {"single": True}}}, dry_run=False)
        assert [item.kind for item in found.differences] == ["change", "change"]
        assert [fact.value for fact in me.facts(predicate="runtime")] == ["3.12"]


def test_what_was_forgotten_is_not_revived(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        me = memory.reader(user="ana")
        home = next(fact for fact in me.facts() if fact.content == "I live in Oslo")
        me.forget(fact=home.id)
        for policy in (None, {"gate": {"accept": 0.6}}):
            report = memory.replay(policy=policy, dry_run=False)
            assert home.id not in {item.fact_id for item in report.differences}
            assert "I live in Oslo" not in contents(memory)


def test_an_act_whose_fact_the_other_policy_does_not_give_is_named(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        me = memory.reader(user="ana")
        home = next(fact for fact in me.facts() if fact.content == "I live in Oslo")
        me.change(home.id, value="Bergen")
        assert "change of" in memory.replay(policy=EXPLICIT).void[0]


def test_authority_is_that_of_the_writer(sqlite_url: str, clock: SteppingClock) -> None:
    with muniment.open(sqlite_url, embedder="none", clock=clock) as memory:
        admin = memory.reader(user="root", roles=["admin"], departments=["travel"])
        assert admin.add_rule("Refunds need approval.", scope="TENANT").facts
        assert admin.add_fact("Trips are booked by Thursday.", scope="DEPARTMENT").facts
        assert memory.replay().same


def test_extracted_anew_it_is_the_same_while_the_extractor_is(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        assert memory.replay(reextract=True).same


def test_progress_counts_every_event(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory:
        seen: list[tuple[int, int]] = []
        memory.replay(progress=lambda done, total: seen.append((done, total)))
        assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_policy_that_does_not_read_is_named(sqlite_url: str, clock: SteppingClock) -> None:
    with filled(sqlite_url, clock) as memory, pytest.raises(PolicyError, match="gate"):
        memory.replay(policy={"gate": {"modus": "explicit"}})


def test_the_command(sqlite_url: str, clock: SteppingClock, tmp_path: Path) -> None:
    filled(sqlite_url, clock).close()
    policy = tmp_path / "stricter.toml"
    policy.write_text('[gate]\nmode = "explicit"\n')
    run = CliRunner()
    same = run.invoke(app, ["replay", "--db", sqlite_url])
    assert same.exit_code == 0
    assert "exactly what is held" in same.stdout
    other = run.invoke(app, ["replay", "--db", sqlite_url, "--policy", str(policy), "--json"])
    found = json.loads(other.stdout)
    assert [item["kind"] for item in found["differences"]] == ["vanish", "vanish"]
    assert found["applied"] is False
    text = run.invoke(app, ["replay", "--db", sqlite_url, "--policy", str(policy)])
    assert "would differ: 0 appear, 0 change, 2 vanish" in text.stdout
