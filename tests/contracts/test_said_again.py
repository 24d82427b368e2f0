"""A value of a many-valued predicate that gave way to another, and is said again later: it holds again from then on.

Belongs here: what `change` ended and a later telling begins anew. Does not belong here: single-valued slots, where the fold does
it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant, timeline
from muniment.testing.doubles import SteppingClock

EXPECTED = [("tea", instant(1), instant(3)), ("coffee", instant(3), instant(5)), ("tea", instant(5), None)]


@pytest.fixture
def me() -> Iterator[Reader]:
    with StoreContract().open(":memory:", clock=SteppingClock()) as memory:
        yield memory.reader(user="ana")


def moved_to_coffee(me: Reader) -> object:
    """Tea from the 1st, coffee in its place from the 3rd; returns the coffee's id."""
    tea = me.add_fact("drinks tea", predicate="morning drink", value="tea", valid_from=instant(1)).facts[0]
    return me.change(tea, value="coffee", at=instant(3)).facts[0]


def test_told_again_after_it_gave_way(me: Reader) -> None:
    moved_to_coffee(me)
    me.add_fact("drinks tea", predicate="morning drink", value="tea", valid_from=instant(5))
    assert timeline(me, "morning drink") == [EXPECTED[0], ("coffee", instant(3), None), EXPECTED[2]]


def test_changed_back(me: Reader) -> None:
    coffee = moved_to_coffee(me)
    me.change(coffee, value="tea", at=instant(5))  # type: ignore[arg-type]
    assert timeline(me, "morning drink") == EXPECTED


def test_liked_denied_and_liked_again(me: Reader) -> None:
    for predicate, day in (("likes", 1), ("dislikes", 3), ("likes", 5)):
        me.add_fact(f"{predicate} olives", predicate=predicate, value="olives", valid_from=instant(day))
    assert timeline(me, "dislikes") == [("olives", instant(3), instant(5))]
    assert timeline(me, "likes") == [("olives", instant(1), instant(3)), ("olives", instant(5), None)]
