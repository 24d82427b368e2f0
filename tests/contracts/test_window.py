"""The window of a session: n turns, first in first out, shared by servers, never stale, and without the cache too."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from muniment.cache.redis_cache import RedisCache
from muniment.domain.records import Evidence
from muniment.ingestion.extracting import BEFORE
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.services import Server, start_valkey

TENANT = f"t-{secrets.token_hex(8)}"
Open = Callable[..., Muniment]


@pytest.fixture
def open_it() -> Iterator[Open]:
    """Opens memories that are closed at the end."""
    made: list[Muniment] = []

    def opened(url: str, **given: Any) -> Muniment:
        made.append(StoreContract().open(url, **given))
        return made[-1]

    yield opened
    for memory in made:
        memory.close()


@pytest.fixture(params=["memory", "redis"])
def cached(request: pytest.FixtureRequest) -> str:
    return "memory" if request.param == "memory" else str(request.getfixturevalue("redis_url"))


def reader(memory: Muniment, session: str, user: str = "ana") -> Reader:
    return memory.reader(tenant=TENANT, user=user, session=session)


def window(me: Reader) -> list[str]:
    return [hit.text for hit in me.search("x", channels=["window"])]


@pytest.fixture
def session() -> str:
    return secrets.token_hex(4)


def test_it_holds_the_last_turns(sqlite_url: str, cached: str, session: str, open_it: Open) -> None:
    memory = open_it(sqlite_url, cache=cached, policy={"retrieval": {"window_turns": 2}})
    me = reader(memory, session)
    assert window(me) == []
    for number in range(4):
        me.observe(f"question {number}")
        me.observe(f"answer {number}", actor="agent")
        expected = [f"{word} {at}" for at in range(max(0, number - 1), number + 1) for word in ("question", "answer")]
        assert window(me) == expected
    everywhere = memory.reader(tenant=TENANT, user="ana")
    said = {"question 4": session, "and 5": session, "elsewhere": f"{session}-2"}
    everywhere.observe_many([{"content": text, "session": name} for text, name in said.items()])
    assert window(me) == ["question 4", "and 5"]


def test_servers_of_one_memory_see_each_other_s_turns(store_url: str, cached: str, session: str, open_it: Open) -> None:
    one, other = (reader(open_it(store_url, cache=cached), session) for _ in range(2))
    said: list[str] = []
    for number in range(5):
        for me in (one, other):
            me.observe(f"turn {number} of {'one' if me is one else 'other'}")
            said.append(f"turn {number} of {'one' if me is one else 'other'}")
            assert window(one) == window(other) == said[-5:]


def test_a_turn_is_listed_without_asking_the_store_again(
    sqlite_url: str, cached: str, session: str, open_it: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from muniment.store.read_chain import ChainReader

    memory = open_it(sqlite_url, cache=cached)
    me, asked = reader(memory, session), []
    read = ChainReader.session_evidence

    def counted(self: ChainReader, *given: Any) -> list[Evidence]:
        if given[1] > 2 * BEFORE:  # fewer are what a turn is understood by while it is written
            asked.append(given)
        return read(self, *given)

    monkeypatch.setattr(ChainReader, "session_evidence", counted)
    for number in range(4):
        me.observe(f"turn {number}")
        assert len(window(me)) == number + 1
    assert len(asked) == 1
    me.add_fact("likes tea", predicate="likes", value="tea")  # the partition moved: the list could lack a turn
    window(me)
    window(me)
    assert len(asked) == 2


def test_forgetting_reaches_it(sqlite_url: str, cached: str, session: str, open_it: Open) -> None:
    one, other = (reader(open_it(sqlite_url, cache=cached), session) for _ in range(2))
    fact = one.observe("likes: tea").fact_id
    one.observe("I walk to work.")
    assert window(other) == ["likes: tea", "I walk to work."]
    one.forget(fact=fact)
    assert window(one) == window(other) == ["I walk to work."]
    one.forget(session=session, mode="erase")
    assert window(one) == window(other) == []


def test_only_who_may_read_it_does(sqlite_url: str, cached: str, session: str, open_it: Open) -> None:
    memory = open_it(sqlite_url, cache=cached)
    reader(memory, session).observe("mine alone")
    assert window(reader(memory, session)) == ["mine alone"]
    assert window(reader(memory, session, user="bo")) == []
    assert window(memory.reader(tenant=f"{TENANT}-corp", user="ana", session=session)) == []
    # Ids of somebody else's, put where bo's window is listed, show bo nothing.
    cache = memory.parts.window.cache
    from muniment.ports.cache import Place

    theirs = cache.read(Place(tenant=TENANT, user="ana", name=f"window:{session}"))
    assert theirs is not None
    reader(memory, session, user="bo").observe("bo's own")
    mine = Place(tenant=TENANT, user="bo", name=f"window:{session}")
    assert window(reader(memory, session, user="bo")) == ["bo's own"]
    own = cache.read(mine)
    assert own is not None
    cache.write(mine, type(own)(mark=own.mark, items=theirs.items + own.items), longest=9, seconds=60)
    assert window(reader(memory, session, user="bo")) == ["bo's own"]


def test_as_of_another_instant_the_store_is_asked(sqlite_url: str, cached: str, session: str, open_it: Open) -> None:
    me = reader(open_it(sqlite_url, cache=cached), session)
    me.observe("first")
    then = me.search("x", channels=["window"]).known_at
    me.observe("second")
    assert [hit.text for hit in me.search("x", channels=["window"], known_at=then)] == ["first"]
    assert window(me) == ["first", "second"]


# -- without it -------------------------------------------------------------------------------------------------------


@pytest.fixture
def own_server(valkey: Server) -> Iterator[Server]:
    """A server of this test's own, to be stopped (`valkey`: skips where there is none)."""
    server = start_valkey()
    yield server
    server.stop()


def test_without_the_cache_the_store_answers_and_it_is_named_once(
    sqlite_url: str, session: str, open_it: Open, own_server: Server
) -> None:
    me = reader(open_it(sqlite_url, cache=RedisCache(own_server.url("0"), rest=0.0)), session)
    me.observe("before")
    assert window(me) == ["before"]
    own_server.stop()
    me.observe("while it is away")
    hits = me.search("x", channels=["window"])
    assert [hit.text for hit in hits] == ["before", "while it is away"]
    assert hits.degraded == ("cache",)
    made = me.context("what did I say")
    assert made.degraded == ("cache",)
    assert "while it is away" in made.text
    me.forget(session=session)
    assert window(me) == []


def test_what_was_said_while_it_was_out_of_reach_is_not_missed(
    sqlite_url: str, session: str, open_it: Open, redis_url: str
) -> None:
    cut_off = reader(open_it(sqlite_url, cache="redis://127.0.0.1:1/0"), session)
    other = reader(open_it(sqlite_url, cache=redis_url), session)
    other.observe("first")
    assert window(other) == ["first"]
    cut_off.observe("second, of a server that cannot reach it")
    assert window(other) == ["first", "second, of a server that cannot reach it"]
    cut_off.observe("third")
    other.observe("fourth")
    assert window(other)[-2:] == ["third", "fourth"]


def test_a_cache_that_never_was_costs_a_write_nothing(sqlite_url: str, session: str, open_it: Open) -> None:
    me = reader(open_it(sqlite_url, cache="redis://127.0.0.1:1/0"), session)
    assert me.observe("kept").degraded == ()
    assert window(me) == ["kept"]
