"""Exact keys on every backend: where they stand, over which hops they answer, and that they go with what held them.

Belongs here: keys through the statements and collations of each database. Does not belong here: every wording (tests/api).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.doubles import SteppingClock, WordEmbedder

QUESTION = "The order number of the user {}"


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def memory(store_url: str, clock: SteppingClock, embedder: WordEmbedder) -> Iterator[Muniment]:
    with StoreContract().open(store_url, clock=clock, embedder=embedder) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana")


def keys(me: Reader, value: str, *kinds: str) -> int:
    """In how many records a key stands."""
    with me.parts.store.read(me.identity) as unit:
        return len(unit.identifiers([value], kinds=kinds))


def test_the_hops_without_the_embedder(me: Reader, embedder: WordEmbedder) -> None:
    for name, phone, order in (
        ("Ben", "13800138000", "ORD-7"),
        ("Ann", "13900138000", "ORD-8"),
        ("Zoë", "13700138000", "ORD-9"),
    ):
        me.observe(f"{name}'s phone is {phone}")
        me.observe(f"{name}'s order is {order}")
    me.observe("小王的电话是13600138000")
    me.add_fact("小王的订单", subject="小王", predicate="order_no", value="ORD-10")
    before = embedder.calls
    for phone, order in (
        ("+86-138 0013 8000", "ORD-7"),
        ("13900138000", "ORD-8"),
        ("１３７００１３８０００", "ORD-9"),
        ("13600138000", "ORD-10"),
    ):
        hits = me.search(QUESTION.format(phone))
        assert hits.route.stopped == "exact"
        assert hits[0].why.reason.endswith(f"order {order}")
    assert embedder.calls == before


def test_one_of_400_near_duplicates(me: Reader) -> None:
    codes = [
        f"XK-{number}-{letter}"
        for number in range(7700, 7750)
        for letter in "PQROpqro"
        if f"{number}{letter}" not in ("7731Q", "7731q")
    ]
    me.observe_many([{"content": f"part {code} shipped"} for code in codes[:399]])
    me.observe("part XK-7731-Q shipped")
    for spelling in ("XK-7731-Q", "xk 7731 q", "ＸＫ＿７７３１＿Ｑ"):
        assert me.search(f"where is {spelling}?", k=3)[0].text == "part XK-7731-Q shipped"
        assert [hit.text for hit in me.lookup("code", spelling)] == ["part XK-7731-Q shipped"]


def test_a_key_is_compared_whole_and_byte_for_byte(me: Reader, memory: Muniment) -> None:
    me.observe("order ORD-2024-1 and ORD-2024-10; anna@example.com")
    for wrong in ("ORD-2024-", "ORD-2024-%", "ORD-2024-1x", "ORD-2024-100", "ÖRD-2024-1"):
        assert me.lookup("order_no", wrong) == []
    assert me.lookup("email", "änna@example.com") == []
    assert len(me.lookup("order_no", "ord 2024 10")) == 1
    for other in (memory.reader(tenant="acme", user="ANA"), memory.reader(tenant="ACME", user="ana")):
        assert other.lookup("order_no", "ORD-2024-1") == []
        assert other.search("what about ORD-2024-1?") == []


def test_keys_go_with_what_held_them(me: Reader, clock: SteppingClock) -> None:
    said = me.observe("order_no: ORD-2024-1\nphone: 13800138000")
    assert (keys(me, "ord20241", "code"), keys(me, "+8613800138000", "phone")) == (2, 2)
    me.forget(fact=said.facts[0], mode="erase")
    assert (keys(me, "ord20241", "code"), keys(me, "+8613800138000", "phone")) == (0, 2)
    assert [hit.why.channel for hit in me.lookup("phone", "13800138000")] == ["exact", "exact"]
    me.forget(fact=said.facts[1], mode="hide")
    assert keys(me, "+8613800138000", "phone") == 0
    assert me.lookup("phone", "13800138000") == []


def test_a_corrected_value_has_a_key_and_the_old_one_finds_nothing(me: Reader, clock: SteppingClock) -> None:
    (fact,) = me.add_fact("Ben's number", subject="Ben", predicate="phone", value="13800138000").facts
    clock.move(hours=1)
    me.correct(fact, value="13900138000")
    assert [hit.item.value for hit in me.lookup("phone", "139 0013 8000")] == ["13900138000"]  # type: ignore[union-attr]
    assert me.lookup("phone", "13800138000") == []
    before = clock.now
    clock.move(hours=1)
    me.add_fact("Ben's number", subject="Ben", predicate="phone", value="139-0013-8000")
    assert keys(me, "+8613900138000", "phone") == 1
    assert [hit.item.value for hit in me.lookup("phone", "13900138000", known_at=before)] == ["13900138000"]  # type: ignore[union-attr]


def test_whose_a_key_is_stands_as_a_digest_alone(me: Reader) -> None:
    me.observe("Benedikta's phone is 13800138000")
    with me.parts.store.read(me.identity) as unit:
        (found,) = unit.identifiers(["+8613800138000"], kinds=["phone"])
        rows = unit.identifiers_in([found.ref])
        owner = unit.identifiers([unit.digest("identifier\x00owner\x00benedikta")], kinds=["owner"])
    assert [(row.kind, row.held) for row in sorted(rows, key=lambda row: row.kind)] == [
        ("owner", False),
        ("phone", True),
    ]
    assert [row.ref for row in owner] == [found.ref]
    assert "benedikta" not in repr(rows).lower()
