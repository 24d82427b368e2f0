"""The lifecycle at the facade: what time does to what is held, step by step, with a clock that is moved.

Belongs here: each step, a second run, holds, dry runs, failures. Does not belong here: the same on every store (contracts), the
command (test_cli_lifecycle.py).
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from muniment.config import Settings
from muniment.domain.enums import Eligibility
from muniment.domain.errors import NaiveInstant, StoreError
from muniment.domain.lifecycle import STEPS, LifecycleReport
from muniment.domain.records import Candidate
from muniment.service.aio import AsyncMuniment
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.store.tables.chain import candidate, event, evidence
from muniment.store.tables.facts import fact, fact_revision
from muniment.store.tables.keeping import tombstone
from muniment.testing.doubles import SteppingClock, WordEmbedder

CANARY = "zanzibarine"
Open = Callable[..., Muniment]


def rows(memory: Muniment, table: Any) -> list[Any]:
    with memory.parts.store.database.reading() as connection:  # type: ignore[attr-defined]
        return list(connection.execute(select(table)))


def heads(memory: Muniment) -> dict[str, str]:
    return {row.content: row.status for row in rows(memory, fact)}


def done(report: LifecycleReport) -> dict[str, dict[str, int]]:
    """What a run did, without what it did not."""
    assert report.failed == ()
    counts = {item.name: {name: count for name, count in item.counts.items() if count} for item in report.steps}
    return {name: some for name, some in counts.items() if some}


def clean(memory: Muniment, *canaries: str) -> None:
    assert memory.verify_erased(canaries or (CANARY,))["found"] == []


@pytest.fixture
def keeping(sqlite_url: str, open_at: Open) -> Iterator[Callable[..., Muniment]]:
    """Opens the memory under a [retention] of its own."""
    opened: list[Muniment] = []

    def open_it(**retention: int) -> Muniment:
        memory = open_at(sqlite_url, policy={"retention": retention, "lifetime": {"days": 10_000}})
        opened.append(memory)
        return memory

    yield open_it
    for memory in opened:
        memory.close()


def ana(memory: Muniment, **more: Any) -> Reader:
    return memory.reader(tenant="acme", user="ana", **more)


def test_a_new_memory_has_nothing_due(memory: Muniment) -> None:
    report = memory.lifecycle.run()
    assert tuple(item.name for item in report.steps) == STEPS
    assert done(report) == {}
    assert [item.line.startswith(f"{item.name}: nothing") for item in report.steps] == [True] * len(STEPS)


def test_a_naive_instant_is_refused(memory: Muniment) -> None:
    with pytest.raises(NaiveInstant):
        memory.lifecycle.run(datetime(2026, 1, 1))  # noqa: DTZ001


# -- expire ----------------------------------------------------------------------------------------------------------


def test_heads_past_their_end_say_so_and_revisions_stay(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("likes: tea")
    clock.move(days=100)
    me.observe("residence: Oslo")
    before = [(row.fact_id, row.status) for row in rows(memory, fact_revision)]
    clock.move(days=90)
    assert done(memory.lifecycle.run()) == {"expire": {"facts": 1}}
    assert heads(memory) == {"likes: tea": "EXPIRED", "residence: Oslo": "ACTIVE"}
    assert [(row.fact_id, row.status) for row in rows(memory, fact_revision)] == before
    assert done(memory.lifecycle.run()) == {}
    assert [item.content for item in me.facts()] == ["residence: Oslo"]


def test_what_is_told_again_lives_again(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Oslo")
    clock.move(days=181)
    memory.lifecycle.run()
    me.observe("residence: Oslo")
    assert [item.content for item in me.facts()] == ["residence: Oslo"]
    assert sorted(row.status for row in rows(memory, fact))[0] == "ACTIVE"
    assert done(memory.lifecycle.run()) == {}


# -- lapse -----------------------------------------------------------------------------------------------------------


def test_questions_lapse(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.propose([Candidate(content="fee: 40 EUR", confidence=0.9, valid_from_known=False)])
    clock.move(days=29)
    assert done(memory.lifecycle.run()) == {}
    clock.move(days=2)
    assert done(memory.lifecycle.run(dry_run=True)) == {"lapse": {"candidates": 1}}
    assert done(memory.lifecycle.run()) == {"lapse": {"candidates": 1}}
    assert done(memory.lifecycle.run()) == {}
    assert memory.review.list(by=me).items == ()


# -- purge: hidden ---------------------------------------------------------------------------------------------------


def test_what_was_hidden_is_erased_when_its_time_is_over(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    said = me.observe(f"likes: {CANARY}")
    me.observe("residence: Oslo")
    me.forget(fact=said.facts[0])
    clock.move(days=29)
    assert done(memory.lifecycle.run()) == {}
    assert memory.verify_erased([CANARY])["found"]
    clock.move(days=2)
    report = done(memory.lifecycle.run())
    assert report["purge"]["facts"] == 1
    assert report["purge"]["evidence"] >= 1
    clean(memory)
    assert [item.content for item in me.facts()] == ["residence: Oslo"]
    acts = [row for row in rows(memory, event) if row.event_type == "memory.erase"]
    assert {(row.actor_type, row.actor_id, row.user_id) for row in acts} == {("SYSTEM", "lifecycle", "ana")}
    stones = [row for row in rows(memory, tombstone) if row.mode == "erase" and row.kind == "fact"]
    assert [(row.ref, row.reason, row.forgotten_by) for row in stones] == [
        (said.facts[0], "retention: hidden", "system:lifecycle")
    ]
    assert [dict(item.selector) for item in memory.erasures(tenant="acme")] == [
        {"by": "retention", "user": "ana", "retention": "hidden"}
    ]
    assert {item.status for item in memory.erasures(tenant="acme")} == {"DONE"}
    assert done(memory.lifecycle.run()) == {}


def test_what_else_the_turn_said_stays(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    said = me.observe(f"likes: {CANARY}\nresidence: Oslo")
    me.forget(fact=said.facts[0])
    clock.move(days=31)
    memory.lifecycle.run()
    clean(memory)
    assert [item.content for item in me.facts()] == ["residence: Oslo"]
    assert [hit.text for hit in me.search("Oslo", channels=["evidence"])] == ["residence: Oslo"]


def test_a_hidden_session_leaves_facts_in_the_words_that_stand(
    memory: Muniment, me: Reader, clock: SteppingClock
) -> None:
    me.add_fact("is fond of tea", predicate="likes", value="tea")
    me.narrow(session="x").add_fact(f"tea, she said, {CANARY}", predicate="likes", value="tea")
    me.forget(session="x")
    clock.move(days=31)
    assert done(memory.lifecycle.run())["purge"]["evidence"] >= 1
    clean(memory)
    assert [item.content for item in me.facts()] == ["is fond of tea"]
    assert done(memory.lifecycle.run()) == {}


def test_what_a_tenant_shared_is_purged_with_who_told_it(memory: Muniment, clock: SteppingClock) -> None:
    boss = memory.reader(tenant="acme", user="bo", roles=("admin",))
    shared = boss.add_fact(f"the office is in {CANARY}", scope="TENANT").facts[0]
    boss.forget(fact=shared)
    clock.move(days=31)
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    clean(memory)
    assert done(memory.lifecycle.run()) == {}


def test_never_is_never(keeping: Callable[..., Muniment], clock: SteppingClock) -> None:
    memory = keeping(hidden_days=0, archive_days=0)
    me = ana(memory)
    me.forget(fact=me.observe(f"likes: {CANARY}").facts[0])
    clock.move(days=5_000)
    assert done(memory.lifecycle.run()) == {}
    assert memory.verify_erased([CANARY])["found"]


def test_a_replay_brings_nothing_back(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    said = me.observe(f"likes: {CANARY}\nresidence: Oslo")
    me.forget(fact=said.facts[0])
    clock.move(days=31)
    memory.lifecycle.run()
    report = memory.replay(tenant="acme")
    assert [item.line for item in report.differences] == []
    assert report.void == ()


# -- purge: sessions and tasks ---------------------------------------------------------------------------------------


def test_session_memories_go_when_they_were_told_long_ago(
    keeping: Callable[..., Muniment], clock: SteppingClock
) -> None:
    memory = keeping(scoped_days=7)
    me, session = ana(memory), ana(memory, session="s1")
    me.add_fact("lives in Oslo", predicate="residence", value="Oslo")
    session.add_fact(f"budget {CANARY}", predicate="budget", value=CANARY, scope="SESSION")
    clock.move(days=5)
    session.add_fact("likes tea", predicate="likes", value="tea", scope="SESSION")
    clock.move(days=3)
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    clean(memory)
    assert {item.content for item in session.facts()} == {"lives in Oslo", "likes tea"}
    assert done(memory.lifecycle.run()) == {}


def test_a_session_memory_that_was_told_again_stays(keeping: Callable[..., Muniment], clock: SteppingClock) -> None:
    memory = keeping(scoped_days=7)
    session = ana(memory, session="s1")
    session.add_fact("likes tea", predicate="likes", value="tea", scope="SESSION")
    clock.move(days=6)
    session.add_fact("likes tea", predicate="likes", value="tea", scope="SESSION")
    clock.move(days=6)
    assert done(memory.lifecycle.run()) == {}
    assert [item.content for item in session.facts()] == ["likes tea"]


def test_a_task_memory_lasts_until_it_ended(keeping: Callable[..., Muniment], clock: SteppingClock) -> None:
    memory = keeping(scoped_days=7)
    task = ana(memory, task="t1")
    task.add_fact(
        f"stays at {CANARY}",
        predicate="hotel",
        value=CANARY,
        scope="TASK",
        valid_from=clock(),
        valid_until=clock.now.replace(month=clock.now.month + 1),
    )
    clock.move(days=20)
    assert done(memory.lifecycle.run()) == {}
    clock.move(days=20)
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    clean(memory)


def test_a_turn_that_also_told_the_user_something_keeps_that(
    keeping: Callable[..., Muniment], clock: SteppingClock
) -> None:
    memory = keeping(scoped_days=7)
    session = ana(memory, session="s1")
    turn = session.observe("residence: Oslo").evidence[0]
    session.add_fact(
        "in Oslo for this talk", predicate="place", value="Bergen", scope="SESSION", derived_from=[str(turn)]
    )
    clock.move(days=8)
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    assert [item.content for item in session.facts()] == ["residence: Oslo"]
    assert [hit.text for hit in session.search("Oslo", channels=["evidence"])] == ["residence: Oslo"]


# -- purge: evidence -------------------------------------------------------------------------------------------------


def test_old_evidence_goes_unless_something_believed_stands_on_it(
    keeping: Callable[..., Muniment], clock: SteppingClock
) -> None:
    memory = keeping(evidence_days=30)
    me = ana(memory)
    me.observe(f"I talked with {CANARY} about the weather")
    me.observe("residence: Oslo")
    wrong = me.observe("likes: quinces").facts[0]
    me.invalidate(wrong)
    clock.move(days=29)
    assert done(memory.lifecycle.run()) == {}
    me.observe("and today it rains")
    clock.move(days=2)
    assert done(memory.lifecycle.run())["purge"] == {"evidence": 2, "erasures": 1}
    clean(memory)
    assert {row.content for row in rows(memory, evidence) if row.eligibility == "ELIGIBLE" and row.content} == {
        "residence: Oslo",
        "and today it rains",
    }
    assert done(memory.lifecycle.run()) == {}
    assert [item.content for item in me.facts()] == ["residence: Oslo"]
    assert not memory.replay(tenant="acme").differences


def test_a_question_keeps_its_evidence_until_it_lapsed(keeping: Callable[..., Muniment], clock: SteppingClock) -> None:
    memory = keeping(evidence_days=10)
    me = ana(memory)
    me.propose([Candidate(content=f"fee for {CANARY}: 40 EUR", confidence=0.9, valid_from_known=False)])
    clock.move(days=20)
    assert done(memory.lifecycle.run()) == {}
    assert len(memory.review.list(by=me)) == 1
    clock.move(days=11)
    report = done(memory.lifecycle.run())
    assert report["lapse"] == {"candidates": 1}
    assert report["purge"]["evidence"] == 1
    clean(memory)
    assert [row for row in rows(memory, candidate) if row.content] == []


def test_a_statement_on_other_evidence_is_spared_with_its_fact(
    keeping: Callable[..., Muniment], clock: SteppingClock
) -> None:
    memory = keeping(evidence_days=10)
    me = ana(memory)
    turn = me.observe("it rains again").evidence[0]
    me.propose(
        [
            Candidate(
                content="likes rain",
                predicate="likes",
                value="rain",
                confidence=0.9,
                valid_from_known=False,
                evidence=(turn,),
            )
        ]
    )
    assert [item.content for item in me.facts()] == ["likes rain"]
    clock.move(days=40)
    assert done(memory.lifecycle.run()) == {}
    assert not memory.replay(tenant="acme").differences


# -- archive ---------------------------------------------------------------------------------------------------------


def test_evidence_of_what_is_over_becomes_history(keeping: Callable[..., Muniment], clock: SteppingClock) -> None:
    memory = keeping(archive_days=365)
    me = ana(memory)
    me.observe("residence: Oslo")
    me.observe("the weather was fine")
    clock.move(days=10)
    me.observe("residence: Bergen")
    clock.move(days=350)
    assert done(memory.lifecycle.run()) == {}
    clock.move(days=20)
    assert done(memory.lifecycle.run(dry_run=True)) == {"archive": {"evidence": 1}}
    assert done(memory.lifecycle.run()) == {"archive": {"evidence": 1}}
    found = {row.content: row.eligibility for row in rows(memory, evidence)}
    assert found["residence: Oslo"] == Eligibility.HISTORY
    assert found["residence: Bergen"] == Eligibility.ELIGIBLE
    assert found["the weather was fine"] == Eligibility.ELIGIBLE
    assert done(memory.lifecycle.run()) == {}
    hits = {hit.text: hit.why.flags for hit in me.search("residence Oslo", channels=["evidence"])}
    assert "history" in hits["residence: Oslo"]


def test_what_expired_is_over(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Oslo")
    clock.move(days=366)
    assert done(memory.lifecycle.run()) == {"expire": {"facts": 1}, "archive": {"evidence": 1}}


# -- tidy ------------------------------------------------------------------------------------------------------------


def test_missing_vectors_are_made(memory: Muniment, me: Reader, embedder: WordEmbedder) -> None:
    embedder.fail = True
    me.observe("residence: Oslo")
    failed = memory.lifecycle.run()
    assert failed.failed == ("tidy",)
    embedder.fail = False
    made = done(memory.lifecycle.run())["tidy"]["vectors"]
    assert made >= 1
    assert done(memory.lifecycle.run()) == {}


def test_large_partitions_are_packed(memory: Muniment, me: Reader) -> None:
    memory.parts.upkeep._rows = 3  # type: ignore[attr-defined]
    me.observe("residence: Oslo\nlikes: tea")
    memory.parts.upkeep._written.clear()  # type: ignore[attr-defined]
    before = [hit.text for hit in me.search("Oslo")]
    assert done(memory.lifecycle.run(dry_run=True)) == {"tidy": {"segments": 1}}
    assert done(memory.lifecycle.run()) == {"tidy": {"segments": 1}}
    assert done(memory.lifecycle.run()) == {}
    assert [hit.text for hit in me.search("Oslo")] == before


# -- holds, dry runs, failures ---------------------------------------------------------------------------------------


def test_a_hold_stops_the_purge_of_that_user_alone(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    ben = memory.reader(tenant="acme", user="ben")
    for reader, word in ((me, CANARY), (ben, "pomegranate")):
        reader.forget(fact=reader.observe(f"likes: {word}").facts[0])
    hold = memory.holds.set(user="ana", tenant="acme", reason="case 7")
    clock.move(days=31)
    report = done(memory.lifecycle.run())
    assert (report["purge"]["facts"], report["purge"]["held_users"]) == (1, 1)
    clean(memory, "pomegranate")
    assert memory.verify_erased([CANARY])["found"]
    assert done(memory.lifecycle.run()) == {"purge": {"held_users": 1}}
    memory.holds.release(hold.hold_id, tenant="acme")
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    clean(memory)


def test_a_dry_run_changes_nothing(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.forget(fact=me.observe(f"likes: {CANARY}").facts[0])
    me.observe("residence: Oslo")
    me.propose([Candidate(content="fee: 40 EUR", confidence=0.9, valid_from_known=False)])
    clock.move(days=400)
    tables = (fact, fact_revision, evidence, event, candidate, tombstone)
    before = [rows(memory, table) for table in tables]
    report = memory.lifecycle.run(dry_run=True)
    assert set(done(report)) == {"expire", "lapse", "purge", "archive"}
    assert report.dry_run
    assert [rows(memory, table) for table in tables] == before
    did = done(memory.lifecycle.run())
    assert did["expire"] == done(report)["expire"]
    assert did["purge"]["facts"] == done(report)["purge"]["facts"]


def test_a_step_that_fails_is_named_and_stops_no_other(
    memory: Muniment, me: Reader, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    me.forget(fact=me.observe(f"likes: {CANARY}").facts[0])
    me.observe("residence: Oslo")
    clock.move(days=400)

    def fails(at: datetime) -> int:
        raise StoreError("the disk is full")

    def broken(now: datetime) -> Any:
        raise ZeroDivisionError(CANARY)

    monkeypatch.setattr(memory.parts.store, "expire", fails)
    monkeypatch.setattr(memory.review, "lapse", broken)
    report = memory.lifecycle.run()
    assert report.failed == ("expire", "lapse")
    assert "the disk is full" in str(report.steps[0].error)
    assert report.steps[1].error == "internal: ZeroDivisionError"
    assert "failed: " in report.steps[0].line
    assert report.counts("purge")["facts"] == 1
    monkeypatch.undo()
    assert set(done(memory.lifecycle.run())) == {"expire"}


def test_an_instant_may_be_given_and_progress_watched(memory: Muniment, me: Reader) -> None:
    me.observe("residence: Oslo")
    seen: list[tuple[str, int]] = []
    report = memory.lifecycle.run("2027-06-01T00:00:00+02:00", progress=lambda step, count: seen.append((step, count)))
    assert report.at.isoformat() == "2027-05-31T22:00:00+00:00"
    assert ("expire", 1) in seen


def test_it_is_awaitable(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Oslo")
    clock.move(days=181)
    report = asyncio.run(AsyncMuniment(memory).lifecycle.run())
    assert done(report) == {"expire": {"facts": 1}}


def test_a_sealed_store_is_purged_and_archived_alike(sqlite_url: str, open_at: Open, clock: SteppingClock) -> None:
    key = base64.b64encode(bytes(range(32))).decode()
    with open_at(sqlite_url, settings=Settings(db=sqlite_url, master_key=key)) as memory:
        me = ana(memory)
        me.forget(fact=me.observe(f"likes: {CANARY}").facts[0])
        me.observe("residence: Oslo")
        clock.move(days=31)
        assert done(memory.lifecycle.run())["purge"]["facts"] == 1
        clean(memory)
        assert done(memory.lifecycle.run()) == {}
        clock.move(days=335)
        assert done(memory.lifecycle.run()) == {"expire": {"facts": 1}, "archive": {"evidence": 1}}
        assert done(memory.lifecycle.run()) == {}


def test_many_are_purged_slice_by_slice(
    keeping: Callable[..., Muniment], clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muniment.ingestion.purging.SLICE", 2)
    memory = keeping(evidence_days=10)
    me = ana(memory)
    for number in range(5):
        me.observe(f"we saw {CANARY} {number}")
    kept = me.observe("residence: 上海").facts
    clock.move(days=11)
    assert done(memory.lifecycle.run()) == {"purge": {"evidence": 5, "erasures": 3}}
    clean(memory)
    assert [item.fact_id for item in me.facts()] == list(kept)
