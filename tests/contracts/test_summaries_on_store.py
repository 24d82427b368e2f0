"""Summaries on every backend: versions and instants, who sees which, several who make one at once, forgetting.

Belongs here: what goes through the statements and locks of each database. Does not belong here: what a summary says (tests/unit).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from muniment.domain.summaries import Ended, Summary
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.store.tables.shelves import summary as table
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

ODD = "nul\x00 half \ud83d whole \U0001f98a \u4e2d\u6587\u3001e\u0301 <b>&amp;</b>. I will send the harbour report."


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1))


@pytest.fixture
def memory(store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
    with StoreContract().open(store_url, clock=clock) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana", session="s1")


def confirmed(found: Summary | None) -> list[str]:
    return [] if found is None else [line.text for line in found.confirmed]


def versions(memory: Muniment) -> list[tuple[str, str | None, int, bool]]:
    """(scope, session, version, whether it stands) of every row."""
    with memory.parts.store.database.reading() as connection:  # type: ignore[attr-defined]
        rows = connection.execute(select(table)).all()
    return sorted((row.scope, row.session_id, row.version, row.retracted_at is None) for row in rows)


def test_each_end_with_something_new_is_a_version(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Oslo")
    first = me.end_session()
    assert (first.made, confirmed(first.summary)) == (("session", "user"), ["residence: Oslo"])
    assert me.end_session().made == ()
    then = clock.move(hours=1)
    clock.move(hours=1)
    me.observe("hobby: chess")
    second = me.end_session().summary
    assert second is not None
    assert second.version == 2
    assert confirmed(second) == ["hobby: chess", "residence: Oslo"]
    assert (second.covers_from, second.covers_until) == (instant(1), instant(1, 2))
    assert confirmed(me.summary(session="s1")) == confirmed(second)
    assert confirmed(me.summary(session="s1", known_at=then)) == ["residence: Oslo"]
    assert confirmed(me.summary(known_at=then)) == ["residence: Oslo"]
    assert me.summary(session="s1", known_at=instant(1).replace(year=2020)) is None
    assert versions(memory) == [
        ("SESSION", "s1", 1, False),
        ("SESSION", "s1", 2, True),
        ("USER", None, 1, False),
        ("USER", None, 2, True),
    ]


def test_an_empty_session_has_none_and_says_so(memory: Muniment, me: Reader) -> None:
    ended = me.end_session()
    assert ended == Ended(session="s1", summary=None, lines=ended.lines)
    assert ended.lines[0] == "session: nothing was said that could be told"
    assert versions(memory) == []


def test_places_are_kept_apart(memory: Muniment) -> None:
    """A session's is read from inside it, a task's from inside the task; the user's takes up neither's own facts."""
    inside = memory.reader(tenant="acme", user="ana", session="s1", task="t1")
    inside.observe("residence: Oslo")
    inside.add_fact("budget 100 this time", predicate="budget", value="100", scope="SESSION")
    inside.add_fact("step 4 of this task", predicate="step", value="4", scope="TASK")
    assert set(inside.end_session().made) == {"session", "task", "user"}
    plain = memory.reader(tenant="acme", user="ana")
    assert confirmed(plain.summary()) == ["residence: Oslo"]
    assert set(confirmed(inside.summary(session="s1"))) == {"residence: Oslo", "budget 100 this time"}
    assert set(confirmed(inside.summary(task="t1"))) == {"residence: Oslo", "step 4 of this task"}
    assert confirmed(plain.summary(session="s2")) == []
    for other in (memory.reader(tenant="acme", user="eve", session="s1"), memory.reader(user="ana", session="s1")):
        assert other.summary() is other.summary(session="s1") is None
        assert other.search("what have we talked about so far?", channels=["summary"]) == []


def test_several_who_end_one_session_make_one_version(memory: Muniment, me: Reader) -> None:
    me.observe("residence: Oslo")
    ended: list[Ended] = []
    faults: list[BaseException] = []
    start = threading.Barrier(4)

    def end() -> None:
        try:
            start.wait()
            ended.append(memory.reader(tenant="acme", user="ana", session="s1").end_session())
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=end) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert versions(memory) == [("SESSION", "s1", 1, True), ("USER", None, 1, True)]
    assert sorted(name for item in ended for name in item.made) == ["session", "user"]
    assert {item.summary.summary_id for item in ended if item.summary} == {ended[0].summary.summary_id}  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["hide", "erase"])
def test_what_is_forgotten_leaves_every_version(memory: Muniment, me: Reader, clock: SteppingClock, mode: str) -> None:
    other = memory.reader(tenant="acme", user="ana", session="s2")
    other.observe("hobby: chess")
    kept = other.end_session().summary
    said = me.observe("residence: Oslo")
    me.observe("colour: red")
    me.end_session()
    before = clock.move(hours=1)
    clock.move(hours=1)
    me.observe("size: 40")
    me.end_session()
    me.forget(fact=said.facts[0], mode=mode)
    for found in (me.summary(session="s1"), me.summary()):
        assert found is not None
        assert "Oslo" not in found.content
    assert confirmed(me.summary(session="s1")) == ["size: 40", "colour: red"]
    assert set(confirmed(me.summary())) == {"size: 40", "colour: red", "hobby: chess"}
    for old in (me.summary(session="s1", known_at=before), me.summary(known_at=before)):
        assert old is None or "Oslo" not in old.content
    with memory.parts.store.database.reading() as connection:  # type: ignore[attr-defined]
        assert not [row for row in connection.execute(select(table)) if "Oslo" in row.content]
    assert memory.verify_erased(["residence: Oslo"])["found"] == [] or mode == "hide"
    # What nothing was taken from is as it was.
    assert other.summary(session="s2") == kept


def test_what_changed_is_not_told_as_it_was(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    said = me.observe("residence: Oslo")
    me.observe("colour: red")
    me.end_session()
    clock.move(hours=1)
    memory.reader(tenant="acme", user="ana").change(said.facts[0], value="Rome", content="residence: Rome")
    found = me.summary(session="s1")
    assert confirmed(found) == ["colour: red"]
    assert found is not None
    assert found.stale == 3  # the fact, the turn that told it, and the place among the things
    assert "Oslo" not in found.content
    hits = me.search("what have we talked about so far?", channels=["summary"])
    assert all("Oslo" not in hit.text for hit in hits)
    assert {item.reason for item in hits.dropped} == {"what this line of a summary rests on does not hold any more"}
    assert dict(memory.lifecycle.run().counts("summarise"))["renewed"] == 2
    assert memory.lifecycle.run().counts("summarise") == {}
    renewed = me.summary(session="s1")
    assert renewed is not None
    assert (renewed.version, renewed.stale) == (2, 0)


def test_odd_text_is_told_as_it_was_kept(memory: Muniment, me: Reader) -> None:
    kept = me.observe(ODD)
    found = me.end_session().summary
    assert found is not None
    assert [line.text for line in found.open_items] == ["I will send the harbour report."]
    assert me.summary(session="s1") == found
    assert kept.evidence[0] in found.rests_on


def test_a_quiet_session_is_summarised_by_the_lifecycle(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Oslo")
    clock.move(hours=23)
    assert dict(memory.lifecycle.run().counts("summarise")) == {}
    assert me.summary(session="s1") is None
    clock.move(hours=2)
    assert memory.lifecycle.run(dry_run=True).counts("summarise")["sessions"] == 1
    assert memory.lifecycle.run().counts("summarise")["sessions"] == 1
    assert confirmed(me.summary(session="s1")) == confirmed(me.summary()) == ["residence: Oslo"]
    assert memory.lifecycle.run().counts("summarise") == {}
