"""Erasing at the facade: what goes with what, what stays and leads to a tombstone, who is told.

Belongs here: scopes, successors, questions, derived rows, records. Does not belong here: the same on every store
(contracts), bytes of files (security).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

import muniment
from muniment.domain.enums import Standing
from muniment.domain.errors import Forbidden, NotFound
from muniment.domain.forgotten import Forgotten
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.store.tables.chain import event, evidence
from muniment.store.tables.facts import conflict, fact_dependency, fact_evidence
from muniment.store.tables.keeping import audit_log, outbox, tombstone
from muniment.store.tables.shelves import lane, partition, slot, summary
from muniment.testing.contract_base import believed, instant, value

CANARY = "zanzibarine"


def rows(memory: Muniment, table: Any) -> list[Any]:
    with memory.parts.store.database.reading() as connection:  # type: ignore[attr-defined]
        return list(connection.execute(select(table)))


def write(memory: Muniment, statement: Any) -> None:
    with memory.parts.store.database.writing() as connection:  # type: ignore[attr-defined]
        connection.execute(statement)


def erase(me: Reader, **named: Any) -> Forgotten:
    receipt = me.forget(**named, mode="erase")
    assert isinstance(receipt, Forgotten)
    return receipt


def clean(memory: Muniment, *canaries: str) -> None:
    assert memory.verify_erased(canaries or (CANARY,))["found"] == []


def test_every_revision_still_leads_to_an_event_or_a_tombstone(memory: Muniment, me: Reader) -> None:
    """A fact that another stands on keeps its links; what they name is a piece of an event, or a tombstone says so."""
    said = me.observe(f"likes: tea\nresidence: {CANARY}")
    me.observe("likes: tea")
    erase(me, fact=said.facts[1])
    me.add_fact("is fond of tea", predicate="likes", value="tea")
    me.narrow(session="x").add_fact(f"tea, she said, {CANARY}", predicate="likes", value="tea")
    erase(me, session="x")
    stones = {row.ref for row in rows(memory, tombstone) if row.mode == "erase"}
    pieces = {row.evidence_id: row for row in rows(memory, evidence)}
    events = {row.event_id for row in rows(memory, event)}
    links = rows(memory, fact_evidence)
    assert links
    for link in links:
        piece = pieces[link.evidence_id]
        assert piece.event_id in events
        assert piece.content or link.evidence_id in stones
    assert any(pieces[link.evidence_id].content == "" for link in links)
    clean(memory)


def test_tombstones_say_who_when_and_why_and_nothing_else(memory: Muniment, me: Reader) -> None:
    fact = me.observe(f"likes: {CANARY}", idempotency_key=f"key-{CANARY}").facts[0]
    erase(me, fact=fact, reason="asked by letter")
    stones = rows(memory, tombstone)
    assert {row.kind for row in stones} == {"fact", "evidence", "event", "key"}
    assert {row.user_id for row in stones} == {"ana"}
    assert {row.reason for row in stones} == {"asked by letter", None}
    assert CANARY not in str(stones)
    (salt,) = [row.salt for row in rows(memory, audit_log) if row.action == "candidate.committed"]
    assert salt is None
    assert [row.action for row in rows(memory, audit_log)][-1] == "memory.erase"


def test_the_fence_is_raised_and_slots_that_could_be_guessed_are_gone(memory: Muniment, me: Reader) -> None:
    me.observe(f"likes: {CANARY}")
    before = {row.target: row.epoch for row in rows(memory, partition)}
    assert len(rows(memory, slot)) == 1
    erase(me, query=CANARY)
    assert [row.epoch - before[row.target] for row in rows(memory, partition) if row.target == "ana"] == [1]
    assert sum(row.epoch for row in rows(memory, lane)) == 1
    assert rows(memory, slot) == []


def test_a_hidden_fact_can_be_erased_later(memory: Muniment, me: Reader) -> None:
    for named in ("fact", "query", "session"):
        reader = me.narrow(session=named)
        fact = reader.observe(f"likes: {CANARY} {named}").facts[0]
        reader.forget(fact=fact)
        assert memory.verify_erased([f"{CANARY} {named}"])["found"]
        erase(me, **{named: {"fact": fact, "query": CANARY, "session": named}[named]})
        clean(memory, f"{CANARY} {named}")
    with pytest.raises(NotFound):
        me.forget(fact=fact, mode="erase")


def test_a_successor_s_words_go_with_it_and_what_took_over_stays(memory: Muniment, me: Reader) -> None:
    root = me.add_fact("release owner is Ada", predicate="owner", value="Ada", valid_from=instant(1, month=3)).facts[0]
    approver = me.add_fact("approver is Bo", predicate="approver", value="Bo", valid_from=instant(1, month=3)).facts[0]
    me.add_successor(approver, when=root, value="Ivo")
    me.change(root, value="Cy", at=instant(1, month=4))
    assert value(me, "approver") == "Ivo"
    erase(me, fact=root)
    assert value(me, "approver") == "Ivo"
    assert value(me, "owner") == "Cy"
    other = me.add_fact("deputy is Di", predicate="deputy", value="Di").facts[0]
    waiting = me.add_fact("stand-in is Eve", predicate="stand_in", value="Eve").facts[0]
    me.add_successor(waiting, when=other, when_value=CANARY, value=CANARY)
    erase(me, query=CANARY)
    assert [row for row in rows(memory, fact_dependency) if CANARY in str(row)] == []
    clean(memory)


def test_a_question_about_it_leaves_the_queue(memory: Muniment, me: Reader) -> None:
    for mode in ("hide", "erase"):
        root = me.add_fact(f"works at {mode}", predicate=f"employer {mode}", value=mode).facts[0]
        near = me.add_fact(f"parks {CANARY} {mode}", predicate=f"parking {mode}", value="p", derived_from=[root])
        me.invalidate(root)
        assert [item.target for item in _queue(me)] == [near.facts[0]]
        me.forget(fact=near.facts[0], mode=mode)
        assert _queue(me) == []


def _queue(me: Reader) -> list[Any]:
    from muniment.domain.enums import CandidateStatus

    with me.parts.store.read(me.identity) as unit:
        return unit.candidates(status=CandidateStatus.NEEDS_CONFIRMATION)


def test_derived_rows_and_messages_go_too(memory: Muniment, me: Reader) -> None:
    said = me.observe(f"likes: {CANARY}")
    two = me.add_fact("likes it less", predicate="seat", value="x"), me.add_fact("y", predicate="seat", value="y")
    tenant = {"tenant_id": "acme"}
    new = memory.parts.pipeline.new_id
    made = {"recorded_at": memory.parts.clock(), "version": 1, "derived_by": "t"}
    for session in ("s1", None):
        about = {"scope": "USER", "user_id": "ana", "session_id": session}
        write(memory, insert(summary).values(summary_id=new(), content=f"of {CANARY}", **tenant, **about, **made))
    at = memory.parts.clock()
    for payload in ({"ref": str(said.facts[0])}, {"text": f"about {CANARY}", "n": 1}, {"other": "kept"}):
        sent = {"topic": "t", "payload": json.dumps(payload), "created_at": at, "attempts": 0, "ready_at": at}
        write(memory, insert(outbox).values(outbox_id=new(), **tenant, **sent))
    write(memory, update(conflict).values(resolution=f"{CANARY} won"))
    opened = {"conflict_id": new(), "kind": "DISPUTE", "fact_id": two[0].facts[0], "other_id": two[1].facts[0]}
    late = {"status": "OPEN", "recorded_at": at, "resolution": json.dumps({"why": f"{CANARY} won"})}
    write(memory, insert(conflict).values(**tenant, **opened, **late))
    receipt = erase(me, fact=said.facts[0])
    assert receipt.counts["summary"] == 2
    assert rows(memory, summary) == []
    kept = [json.loads(row.payload) for row in rows(memory, outbox)]
    assert kept == [{"text": "[erased]", "n": 1}, {"other": "kept"}]
    clean(memory)


def test_what_a_department_holds_stays_its_own(memory: Muniment, me: Reader) -> None:
    """A user's going does not take what a reviewer made of their words; the words themselves go."""
    boss = memory.reader(tenant="acme", user="boss", departments=["travel"], roles=["reviewer"])
    mine = boss.add_fact("flights are booked by Eve", predicate="booker", value="Eve", scope="DEPARTMENT", metadata={})
    boss.observe(f"likes: {CANARY}")
    admin = memory.reader(tenant="acme", user="root", departments=["travel"], roles=["admin"])
    with pytest.raises(Forbidden):
        memory.reader(tenant="acme", user="eve", departments=["travel"]).forget(fact=mine.facts[0], mode="erase")
    erase(admin, user="boss")
    assert value(memory.reader(tenant="acme", user="eve", departments=["travel"]), "booker") == "Eve"
    clean(memory)
    erase(admin, fact=mine.facts[0])
    assert value(admin, "booker") is None
    clean(memory, "flights are booked")


def test_a_tenant_goes_whole_and_no_other(memory: Muniment, me: Reader) -> None:
    boss = memory.reader(tenant="acme", user="boss", departments=["d"], roles=["admin"])
    for scope in ("TENANT", "DEPARTMENT"):
        boss.add_fact(f"{CANARY} of {scope}", predicate="rule", value=scope, scope=scope)
    me.observe(f"likes: {CANARY}")
    memory.reader(tenant="acme-corp", user="ana").observe("likes: coffee")
    erase(boss, tenant="acme")
    clean(memory)
    assert me.facts().items == ()
    assert value(memory.reader(tenant="acme-corp", user="ana"), "likes") == "coffee"


def test_a_task_goes_with_what_was_said_in_it(memory: Muniment, me: Reader) -> None:
    trip = me.narrow(task="trip")
    trip.observe(f"likes: {CANARY}")
    trip.add_fact("budget is 9", predicate="budget", value="9", scope="TASK")
    me.observe("residence: Paris")
    erase(me, task="trip")
    assert [fact.value for fact in trip.facts()] == ["Paris"]
    clean(memory, CANARY, "budget is 9")


def test_a_derived_fact_whose_evidence_went_is_asked_again(memory: Muniment, me: Reader) -> None:
    for mode in ("hide", "erase"):
        there = me.narrow(session=mode)
        piece = there.observe("the gate was open").evidence[0]
        me.add_fact("someone forgot it", predicate=f"blame {mode}", value="x", derived_from=[piece])
        me.forget(session=mode, mode=mode)
        assert [row.standing for row in believed(me, f"blame {mode}")] == [Standing.UNSUPPORTED]


def test_an_erased_fact_answers_nobody(memory: Muniment, me: Reader) -> None:
    fact = me.observe(f"likes: {CANARY}").facts[0]
    before = me.facts().known_at
    erase(me, fact=fact)
    for ask in (me.history, me.explain, me.invalidate):
        with pytest.raises(NotFound):
            ask(fact)
    assert me.facts(known_at=before).items == ()
    assert [hit for hit in me.search(CANARY, known_at=before) if CANARY in hit.text] == []


def test_doctor_says_that_an_erasure_is_pending(tmp_path: Path) -> None:
    import sqlite3

    from typer.testing import CliRunner

    from muniment.cli.app import app

    url = f"sqlite:///{tmp_path / 'pending.db'}"
    with muniment.open(url, embedder="none") as memory:
        me = memory.reader(user="default")
        fact = me.add_fact("likes quince", predicate="likes", value="quince").fact_id
        reading = sqlite3.connect(tmp_path / "pending.db")
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM event").fetchone()
        assert me.forget(fact=str(fact), mode="erase").status == "pending"  # type: ignore[attr-defined]
        said = CliRunner().invoke(app, ["doctor", "--db", url, "--embedder", "none"]).stdout
        reading.close()
    assert "erasures whose bytes may still be in the database's files: 1" in " ".join(said.split())
