"""Random operations against an oracle that folds from scratch, on every backend: the data model's invariants 1 to 5.

The oracle keeps the statements that the operations leave, in memory, and folds them with the pure function; the store keeps
rows and moves only what differs. The two must agree after every step, whatever the order.

One database per test, one user per example: an example starts on a partition of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count, pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.domain.enums import Standing
from muniment.domain.fold import fold
from muniment.domain.statement import Segment, Statement, canonical
from muniment.ports.store import FactFilter
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import believed, instant
from muniment.testing.doubles import SteppingClock

OWN_TRUST = 80
VALUES = ("a", "b", "c")
users = count()
few = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

days = st.integers(1, 6)
maybe_end = st.none() | st.integers(2, 8)
values = st.sampled_from(VALUES)
trusts = st.sampled_from([OWN_TRUST, OWN_TRUST, 50, 20])
asserts = st.tuples(st.just("assert"), values, days, maybe_end, trusts)
picks = st.integers(0, 9)
operations = st.one_of(
    asserts,
    asserts,
    st.tuples(st.just("again"), picks),
    st.tuples(st.just("change"), picks, values, days),
    st.tuples(st.just("correct"), picks, values),
    st.tuples(st.just("split"), picks, values, days, st.integers(1, 3)),
    st.tuples(st.just("invalidate"), picks),
)


@dataclass
class Oracle:
    """What the operations should have left: each statement, by the fact it belongs to."""

    told: list[Statement] = field(default_factory=list)

    @property
    def facts(self) -> list[UUID]:
        """The facts that have a statement, in the order they were first told."""
        return list(dict.fromkeys(item.id for item in self.told))

    def tell(self, fact: UUID, value: str, start: datetime, end: datetime | None, trust: int) -> None:
        self.told.append(Statement(id=fact, value=value, start=start, end=end, trust=trust))

    def of(self, fact: UUID) -> list[Statement]:
        return [item for item in self.told if item.id == fact]

    def take(self, fact: UUID) -> list[Statement]:
        mine = self.of(fact)
        self.told = [item for item in self.told if item.id != fact]
        return mine

    def correct(self, fact: UUID, value: str) -> None:
        """All that was stated of the fact, from its first start to its last end, with the new value."""
        mine = self.take(fact)
        first = min(mine, key=lambda item: item.start or instant(1))
        ends = [item.end for item in mine if item.end is not None]
        end = max(ends) if len(ends) == len(mine) else None
        self.told.append(replace(first, value=value, end=end, trust=max(first.trust, OWN_TRUST)))

    def split(self, fact: UUID, value: str, start: datetime, end: datetime) -> None:
        """The new value over the part; what was stated outside of it stays."""
        mine = self.take(fact)
        first = min(mine, key=lambda item: item.start or instant(1))
        for item in mine:
            if item.start is None or item.start < start:
                self.told.append(replace(item, end=start if item.end is None else min(item.end, start)))
            if item.end is None or item.end > end:
                self.told.append(replace(item, start=end if item.start is None else max(item.start, end)))
        self.told.append(replace(first, value=value, start=start, end=end, trust=max(first.trust, OWN_TRUST)))

    def segments(self) -> list[tuple[Any, ...]]:
        return sorted(map(_segment, fold(self.told)), key=str)


def _segment(item: Segment) -> tuple[Any, ...]:
    return item.id, canonical(item.value), item.start, item.end, item.standing


def held(me: Reader) -> list[tuple[Any, ...]]:
    """What the store believes of the slot, as the oracle writes it."""
    rows = believed(me, "seat")
    return sorted(
        ((row.id, canonical(row.value or ""), row.valid_from, row.valid_until, row.standing) for row in rows), key=str
    )


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1))


@pytest.fixture
def memory(store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
    with StoreContract().open(store_url, clock=clock) as memory:
        yield memory


def carry_out(me: Reader, oracle: Oracle, operation: tuple[Any, ...]) -> None:
    """One operation on the store and on the oracle; one that names a fact does nothing where there is none."""
    kind, *given = operation
    if kind == "assert":
        value, start, end, trust = given
        until = None if end is None or end <= start else instant(end)
        stated = {"valid_from": instant(start), "valid_until": until}
        receipt = me.add_fact(f"seat {value}", predicate="seat", value=value, trust=trust, **stated)
        oracle.tell(receipt.facts[0], value, instant(start), until, trust)
        return
    if not oracle.facts:
        return
    fact = oracle.facts[given[0] % len(oracle.facts)]
    if kind == "again":
        one = oracle.of(fact)[-1]
        given_again = {"valid_from": one.start, "valid_until": one.end, "trust": one.trust}
        receipt = me.add_fact(f"seat {one.value}", predicate="seat", value=one.value, **given_again)
        oracle.tell(receipt.facts[0], one.value, one.start or instant(1), one.end, one.trust)
    elif kind == "change":
        receipt = me.change(fact, value=given[1], at=instant(given[2]))
        oracle.tell(receipt.facts[0], given[1], instant(given[2]), None, OWN_TRUST)
    elif kind == "correct":
        me.correct(fact, value=given[1])
        oracle.correct(fact, given[1])
    elif kind == "split":
        start, end = instant(given[2]), instant(given[2] + given[3])
        me.correct(fact, value=given[1], valid_from=start, valid_until=end)
        oracle.split(fact, given[1], start, end)
    else:
        me.invalidate(fact)
        oracle.take(fact)


def one_answer(me: Reader, segments: Sequence[tuple[Any, ...]]) -> None:
    """Invariant 1: at every boundary and between them one value, a dispute, or nothing."""
    bounds = sorted({at for segment in segments for at in segment[2:4] if at is not None})
    middles = [one + (other - one) / 2 for one, other in pairwise(bounds)]
    for at in (*bounds, *middles):
        found = me.facts(predicate="seat", valid_at=at)
        standings = {fact.standing for fact in found}
        assert len({canonical(fact.value or "") for fact in found}) <= 1 or standings == {Standing.DISPUTED}
        expected = {
            segment[1]
            for segment in segments
            if segment[4] in (Standing.HELD, Standing.DISPUTED)
            and (segment[2] is None or segment[2] <= at)
            and (segment[3] is None or at < segment[3])
        }
        assert {canonical(fact.value or "") for fact in found} == expected


def answers(me: Reader, **instants: Any) -> list[tuple[Any, ...]]:
    """What a reader is told, all that a later write must not change."""
    with me.parts.store.read(me.identity) as unit:
        token = unit.token
    page = me.facts(include_contenders=True, **{"known_at": token, **instants})
    return [
        (row.id, row.revision, row.segment, row.value, row.standing, row.valid_from, row.valid_until, row.evidence)
        for row in page
    ]


@few
@given(steps=st.lists(operations, min_size=2, max_size=7))
def test_the_store_folds_as_the_oracle_does(memory: Muniment, clock: SteppingClock, steps: list[Any]) -> None:
    """Invariants 1 and 3 to 4, after every step of a random sequence."""
    me, oracle = memory.reader(user=f"u{next(users)}"), Oracle()
    taken: list[tuple[Any, datetime, Any]] = []
    for step in steps:
        carry_out(me, oracle, step)
        assert held(me) == oracle.segments(), step
        page = me.facts()
        taken.append((page.known_at, clock.now, answers(me, valid_at=clock.now)))
        clock.move(hours=7)
    one_answer(me, oracle.segments())
    for token, at, answer in taken:
        assert answers(me, valid_at=at, known_at=token) == answer
    grounded(me)


def grounded(me: Reader) -> None:
    """Invariant 4: every version traces to evidence, and from it to an event."""
    with me.parts.store.read(me.identity) as unit:
        rows = unit.facts(FactFilter(include_inactive=True))
        pieces = unit.evidence({ref for row in rows for ref in row.evidence})
        events = {event.event_id for event in unit.events({piece.event_id for piece in pieces.values()})}
    for row in rows:
        assert row.evidence
        assert all(pieces[ref].event_id in events for ref in row.evidence)


@few
@given(told=st.lists(asserts, min_size=2, max_size=5), data=st.data())
def test_the_order_of_arrival_does_not_matter(memory: Muniment, told: list[Any], data: st.DataObject) -> None:
    """Invariant 2: contenders, disputes, repeats and bounded ones included; ids aside."""
    shuffled = data.draw(st.permutations(told))
    timelines = []
    for order in (told, shuffled):
        me, oracle = memory.reader(user=f"u{next(users)}"), Oracle()
        for step in order:
            carry_out(me, oracle, step)
        timelines.append(said_when(held(me)))
    assert timelines[0] == timelines[1]


def said_when(segments: Sequence[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """What stands as what, when, ids aside: which of two facts of the same words a telling between them joins may depend
    on which was there, so that periods are laid together."""
    return {
        (at, value, standing)
        for _, value, start, end, standing in segments
        for at in (instant(1, 12 * step) for step in range(-1, 20))
        if (start is None or start <= at) and (end is None or at < end)
    }


@few
@given(steps=st.lists(asserts, min_size=1, max_size=4))
def test_a_retried_write_changes_nothing(memory: Muniment, clock: SteppingClock, steps: list[Any]) -> None:
    """Invariant 5: whatever is sent twice under its key."""
    me = memory.reader(user=f"u{next(users)}")
    first = []
    for number, (_, value, start, end, trust) in enumerate(steps * 2):
        key = f"k{number % len(steps)}"
        until = None if end is None or end <= start else instant(end)
        given = {"valid_from": instant(start), "valid_until": until, "trust": trust, "idempotency_key": key}
        before = held(me), dict(memory.counts(reader=me))
        receipt = me.add_fact(f"seat {value}", predicate="seat", value=value, **given)
        if number < len(steps):
            first.append(receipt)
        else:
            original = first[number - len(steps)]
            assert (receipt.replayed, receipt.event, receipt.facts) == (True, original.event, original.facts)
            assert (held(me), dict(memory.counts(reader=me))) == before
        clock.move(minutes=5)
