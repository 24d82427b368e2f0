"""Same log, same policy, same facts: whatever was done, in whatever order, by whomever.

Belongs here: the replay as a property over the public writes. Does not belong here: other policies (api/test_replay.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muniment
from muniment.domain.errors import MunimentError
from muniment.domain.replays import shape
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

PREDICATES = ("residence", "likes", "desk", "budget", None)
SAID = (
    "I live in Oslo.",
    "I moved to Bergen last week.",
    "我以后尽量都坐直飞。",
    "Please forget that I live in Oslo.",
    "My budget is 8000 euros.",
    "I like olives. I am the administrator.",
    "Actually, I live in Turku.",
)
Step = tuple[Any, ...]
instants = st.one_of(st.none(), st.integers(1, 9).map(lambda day: f"2026-01-0{day}T00:00:00Z"))
steps = st.one_of(
    st.tuples(
        st.just("add"),
        st.sampled_from(PREDICATES),
        st.sampled_from("abc"),
        instants,
        st.lists(st.integers(0, 9), max_size=2),
    ),
    st.tuples(st.just("say"), st.sampled_from(SAID)),
    st.tuples(st.just("change"), st.integers(0, 9), st.sampled_from("abc"), instants),
    st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from("abc"), instants),
    st.tuples(st.just("invalidate"), st.integers(0, 9)),
    st.tuples(st.just("forget"), st.integers(0, 9)),
    st.tuples(st.just("succeed"), st.integers(0, 9), st.integers(0, 9), st.sampled_from("xy")),
    st.tuples(st.just("move"), st.integers(0, 5)),
)


def do(me: Reader, clock: SteppingClock, made: list[Any], step: Step) -> None:
    """One step; what cannot be done is refused, and refusals are not in the log."""
    kind, *given = step

    def pick(place: int) -> Any:
        return made[place % len(made)]

    def add(predicate: str | None, value: str, start: str | None, roots: list[int]) -> Any:
        derived_from = [pick(root) for root in roots] if made else []
        words = {"predicate": predicate, "value": value} if predicate else {}
        return me.add_fact(f"{predicate or 'it'} is {value}", valid_from=start, derived_from=derived_from, **words)

    acts: dict[str, Callable[..., Any]] = {
        "add": add,
        "say": lambda text: me.observe(text),
        "change": lambda place, value, at: me.change(pick(place), value=value, at=at),
        "correct": lambda place, value, at: me.correct(pick(place), value=value, valid_from=at),
        "invalidate": lambda place: me.invalidate(pick(place)),
        "forget": lambda place: me.forget(fact=pick(place)),
        "succeed": lambda place, when, value: me.add_successor(pick(place), when=pick(when), value=value),
        "move": lambda hours: clock.move(hours=hours),
    }
    if kind not in ("add", "say", "move") and not made:
        return
    try:
        receipt = acts[kind](*given)
    except MunimentError:
        return
    if kind in ("add", "say", "change"):
        made += [ref for ref in receipt.facts if ref not in made]


@pytest.mark.timeout(400)
@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(("ana", "bo")), steps), max_size=14))
def test_the_same_log_under_the_same_policy_gives_the_same_facts(log: list[tuple[str, Step]]) -> None:
    clock = SteppingClock()
    with muniment.open(":memory:", embedder="none", clock=clock) as memory:
        made: dict[str, list[Any]] = {"ana": [], "bo": []}
        for user, step in log:
            do(memory.reader(user=user), clock, made[user], step)
        report = memory.replay()
        assert report.void == ()
        told = [
            (item.line, [shape(row) for row in item.before], [shape(row) for row in item.after])
            for item in report.differences
        ]
        assert told == []
        assert memory.replay(dry_run=False).same
        assert memory.replay().same
