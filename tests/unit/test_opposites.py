"""A later statement that says the opposite of a held one ends it, if it is trusted no less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import muniment
from muniment.config import load_policy
from muniment.service.muniment import Muniment


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(hours=1)
        return self.at


@pytest.fixture
def memory() -> Iterator[Muniment]:
    with muniment.open(":memory:", embedder="none", clock=Clock()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I enjoy karaoke.", "I can't stand karaoke."),
        ("I hate liver.", "I love liver."),
        ("我喜欢唱歌。", "我讨厌唱歌。"),
        ("我不喜欢喝汤。", "我喜欢喝汤。"),
    ],
)
def test_the_opposite_takes_over(memory: Muniment, first: str, second: str) -> None:
    me = memory.reader(user="ana")
    me.observe(first)
    me.observe(second)
    (held,) = me.facts().items
    assert held.content == second.rstrip(".。")
    assert held.reason == "the opposite was said"
    assert len({item.fact_id for item in me.history(held.fact_id)}) == 2


def test_another_value_stands_beside_it(memory: Muniment) -> None:
    me = memory.reader(user="ana")
    me.observe("I enjoy karaoke.")
    me.observe("I hate liver.")
    assert len(me.facts().items) == 2


def test_a_less_trusted_word_ends_nothing(memory: Muniment) -> None:
    me = memory.reader(user="ana")
    me.observe("I enjoy karaoke.")
    me.add_fact("hates karaoke", predicate="dislikes", value="karaoke", trust=10)
    assert "I enjoy karaoke" in [fact.content for fact in me.facts().items]


def test_one_that_ends_itself_ends_nothing(memory: Muniment) -> None:
    me = memory.reader(user="ana")
    me.observe("I enjoy karaoke.")
    until = datetime(2026, 4, 1, tzinfo=UTC)
    me.add_fact("hates karaoke in Lent", predicate="dislikes", value="karaoke", valid_until=until)
    assert "I enjoy karaoke" in [fact.content for fact in me.facts().items]


def test_a_catalogue_without_opposites_keeps_both() -> None:
    policy = load_policy()
    none = {name: replace(entry, opposite=None) for name, entry in policy.predicates.items()}
    with muniment.open(":memory:", embedder="none", clock=Clock(), policy=replace(policy, predicates=none)) as memory:
        me = memory.reader(user="ana")
        me.observe("I enjoy karaoke.")
        me.observe("I can't stand karaoke.")
        assert len(me.facts().items) == 2
