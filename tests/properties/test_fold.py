"""The fold against a naive oracle, and the properties the data model promises of it.

The oracle (`oracle.py`) follows the text clause by clause, one instant at a time. The worked examples at the end fix what
the text leaves open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import combinations, permutations
from random import Random
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.properties.oracle import (
    CONTENDER,
    DISPUTED,
    HELD,
    NEW_YEAR,
    SINCE_EVER,
    UNPLACED,
    begins,
    covers,
    instants,
    oracle,
    standings,
)

from muniment.domain.errors import NaiveInstant
from muniment.domain.fold import fold, fold_multi
from muniment.domain.statement import Segment, Statement, canonical


def hour(number: float) -> datetime:
    """That many hours into the year."""
    return NEW_YEAR + timedelta(hours=number)


def fact(number: int) -> UUID:
    """A fact's id; a lower number is a lower id."""
    return UUID(int=number)


def told(
    number: int,
    value: str,
    start: float | None = None,
    end: float | None = None,
    *,
    trust: int = 0,
    placed: bool = True,
) -> Statement:
    """A statement in hours."""
    first, last = (None if at is None else hour(at) for at in (start, end))
    return Statement(id=fact(number), value=value, start=first, end=last, trust=trust, placed=placed)


# Few values, facts, hours and trusts, so that repeats and ties of every kind are the rule and not the exception.
statements = st.builds(
    told,
    st.integers(0, 5),
    st.sampled_from(["a", "A", "b", "B.", "c", "\uff23."]),
    st.none() | st.integers(0, 4),
    st.none() | st.integers(1, 6),
    trust=st.integers(0, 2),
    placed=st.sampled_from([True] * 9 + [False]),
)
slots = st.lists(statements, max_size=9)
thorough = settings(max_examples=120, deadline=None)


# ---- the fold is the text --------------------------------------------------------------------------------------------


@thorough
@given(slots)
@example([told(1, "a", 0, trust=2), told(2, "b", 0, trust=2), told(3, "a", 1, trust=1), told(4, "b", 1, trust=1)])
@example([told(1, "a", 0, trust=2), told(2, "b", 1, trust=1), told(3, "a", 2, 4, trust=0)])
@example([told(1, "a", None), told(2, "b", None, 3), told(3, "b", 4)])
def test_every_instant_is_as_the_text_says(slot: list[Statement]) -> None:
    segments = fold(slot)
    for instant in instants(slot):
        assert standings(segments, instant) == sorted(oracle(slot, instant)), instant


@thorough
@given(slots)
def test_segments_are_as_few_as_can_be_sorted_and_in_the_words_of_their_fact(slot: list[Statement]) -> None:
    for segments in (fold(slot), fold_multi(slot)):
        assert segments == sorted(segments, key=lambda one: (one.start or SINCE_EVER, one.standing, one.value, one.id))
        assert all(one.value in {said.value for said in slot if said.id == one.id} for one in segments)
        for one, other in combinations(segments, 2):
            if (one.id, one.standing, canonical(one.value)) == (other.id, other.standing, canonical(other.value)):
                assert one.end is not None
                assert other.start is not None
                assert one.end < other.start


@thorough
@given(slots)
def test_one_value_a_dispute_or_none(slot: list[Statement]) -> None:
    segments = fold(slot)
    for instant in instants(slot):
        on_line = [
            (standing, value) for _, standing, value in standings(segments, instant) if standing is not CONTENDER
        ]
        assert len(on_line) == len({value for _, value in on_line})
        assert [standing for standing, _ in on_line] in ([], [HELD], [DISPUTED] * max(2, len(on_line)))
        assert bool(on_line) == any(covers(one, instant) for one in slot)


@thorough
@given(slots, st.randoms(use_true_random=False))
def test_neither_arrival_nor_repeats_matter(slot: list[Statement], random: Random) -> None:
    again = [*slot, *slot[::2]]
    random.shuffle(again)
    assert fold(again) == fold(slot)
    assert fold(iter(again)) == fold(slot)
    assert fold_multi(again) == fold_multi(slot)


@thorough
@given(slots)
def test_no_value_is_picked_by_its_spelling(slot: list[Statement]) -> None:
    other_name = {"a": "z", "b": "y", "c": "x"}
    renamed = [replace(one, value=other_name[canonical(one.value)]) for one in slot]
    before, after = fold(slot), fold(renamed)
    for instant in instants(slot):
        expected = [(number, standing, other_name[value]) for number, standing, value in standings(before, instant)]
        assert standings(after, instant) == sorted(expected)


@thorough
@given(slots, st.integers(-5000, 5000))
def test_only_the_order_of_trusts_and_the_distance_of_instants_count(slot: list[Statement], hours: int) -> None:
    shift = timedelta(hours=hours)

    def moved(at: datetime | None) -> datetime | None:
        return None if at is None else at + shift

    elsewhere = [replace(one, start=moved(one.start), end=moved(one.end), trust=one.trust * 7 - 40) for one in slot]
    assert fold(elsewhere) == [replace(one, start=moved(one.start), end=moved(one.end)) for one in fold(slot)]


# ---- leaving and joining ---------------------------------------------------------------------------------------------


@thorough
@given(slots, statements)
def test_a_statement_that_leaves_leaves_no_trace(slot: list[Statement], passing: Statement) -> None:
    without = [one for one in slot if one != passing]
    present, absent = fold([*without, passing]), fold(without)
    for instant in instants([*slot, passing]):
        if not covers(passing, instant):
            assert standings(present, instant) == standings(absent, instant)
    if not passing.placed:
        assert [one for one in present if one.standing is not UNPLACED] == [
            one for one in absent if one.standing is not UNPLACED
        ]


@thorough
@given(slots, st.sampled_from("abcd"), st.none() | st.integers(6, 8))
def test_the_latest_and_most_trusted_holds_alone_while_it_lasts(
    slot: list[Statement], value: str, end: int | None
) -> None:
    last = told(9, value, 5, end, trust=2)
    segments = fold([*slot, last])
    for instant in filter(lambda at: covers(last, at), instants([*slot, last])):
        assert [(standing, said) for _, standing, said in standings(segments, instant)] == [(HELD, value)]


@thorough
@given(slots)
def test_the_less_trusted_contends_only_while_a_more_trusted_one_covers_the_instant(slot: list[Statement]) -> None:
    segments = fold(slot)
    for instant in instants(slot):
        covering = [one for one in slot if covers(one, instant)]
        for number, standing, value in standings(segments, instant):
            if standing is CONTENDER:
                trusts = [one.trust for one in covering if (one.id, canonical(one.value)) == (number, value)]
                assert min(trusts) < max(one.trust for one in covering)


@thorough
@given(slots)
def test_what_has_no_known_time_stands_beside(slot: list[Statement]) -> None:
    expected = {(one.id, canonical(one.value)) for one in slot if not one.placed}
    for segments in (fold(slot), fold_multi(slot)):
        beside = [one for one in segments if one.standing is UNPLACED]
        assert sorted((one.id, canonical(one.value)) for one in beside) == sorted(expected)
        assert all(one.start is None and one.end is None for one in beside)


# ---- multi-valued slots ----------------------------------------------------------------------------------------------


@thorough
@given(slots)
@example([told(2, "tea", 0, 2), told(1, "Tea", 2, 4), told(3, "coffee", 1, trust=9)])
def test_each_value_of_a_multi_valued_slot_holds_while_anyone_says_so(slot: list[Statement]) -> None:
    segments = fold_multi(slot)
    for instant in instants(slot):
        holding = [(standing, value) for _, standing, value in standings(segments, instant)]
        assert sorted(holding) == sorted({(HELD, canonical(one.value)) for one in slot if covers(one, instant)})
    for one in segments:
        if one.standing is HELD:
            inside = [
                (begins(said), said.id)
                for said in slot
                if said.placed
                and (said.end is None or begins(said) < said.end)
                and canonical(said.value) == canonical(one.value)
                and begins(said) >= (one.start or SINCE_EVER)
                and (one.end is None or begins(said) < one.end)
            ]
            assert one.id == min(inside)[1]
    for left, right in combinations([one for one in segments if one.standing is HELD], 2):
        if canonical(left.value) == canonical(right.value):
            assert left.end is not None
            assert right.start is not None
            assert left.end < right.start


# ---- the data model's examples, and the decisions it leaves open -----------------------------------------------------


def shown(segments: Sequence[Segment]) -> list[tuple[int, str, float | None, float | None, str]]:
    """Segments as (fact, value, start hour, end hour, standing)."""

    def hours(at: datetime | None) -> float | None:
        return None if at is None else (at - NEW_YEAR) / timedelta(hours=1)

    return [(one.id.int, one.value, hours(one.start), hours(one.end), one.standing.value) for one in segments]


DAY = 24.0
SHANGHAI = told(1, "Shanghai", 0)
BEIJING = told(2, "Beijing", 180 * DAY)  # the Monday; told on the Thursday
SHENZHEN = told(3, "Shenzhen", 182 * DAY)  # the Wednesday; told on the Tuesday
TUESDAY = hour(181 * DAY)


@pytest.mark.parametrize("arrived", list(permutations([SHANGHAI, BEIJING, SHENZHEN])))
def test_shanghai_beijing_shenzhen_in_every_order(arrived: tuple[Statement, ...]) -> None:
    assert shown(fold(arrived)) == [
        (1, "Shanghai", 0, 180 * DAY, "HELD"),
        (2, "Beijing", 180 * DAY, 182 * DAY, "HELD"),
        (3, "Shenzhen", 182 * DAY, None, "HELD"),
    ]
    known_on_tuesday = [one for one in arrived if one is not BEIJING]
    assert standings(fold(known_on_tuesday), TUESDAY) == [(fact(1), HELD, "shanghai")]
    assert standings(fold(arrived), TUESDAY) == [(fact(2), HELD, "beijing")]


def close_the_old_row(arrived: Sequence[Statement]) -> list[tuple[str, datetime | None, datetime | None]]:
    """What the fold replaces: each arrival closes the row open so far and opens its own."""
    rows: list[tuple[str, datetime | None, datetime | None]] = []
    for one in arrived:
        rows = [(value, start, one.start if end is None else end) for value, start, end in rows]
        rows.append((one.value, one.start, one.end))
    return sorted(rows, key=str)


@pytest.mark.parametrize(
    "told_in_any_order",
    [
        (SHANGHAI, BEIJING, SHENZHEN),
        (told(1, "coffee", 20), told(2, "tea", 21, 23)),
        (told(1, "a", 0), told(2, "a", 1)),
    ],
)
def test_closing_the_old_row_depends_on_arrival_where_the_fold_does_not(
    told_in_any_order: tuple[Statement, ...],
) -> None:
    def outcomes(rule: Callable[[Sequence[Statement]], object]) -> set[str]:
        return {str(rule(arrived)) for arrived in permutations(told_in_any_order)}

    assert len(outcomes(close_the_old_row)) > 1
    assert len(outcomes(fold)) == 1


def test_coffee_again_after_the_tea() -> None:
    coffee, tea = told(1, "coffee", 20), told(2, "tea", 21, 23)
    assert shown(fold([tea, coffee])) == [
        (1, "coffee", 20, 21, "HELD"),
        (2, "tea", 21, 23, "HELD"),
        (1, "coffee", 23, None, "HELD"),
    ]
    assert shown(fold([coffee])) == [(1, "coffee", 20, None, "HELD")]


def test_a_predecessor_extends_again_when_its_successor_is_withdrawn() -> None:
    assert shown(fold([SHANGHAI, SHENZHEN])) == [
        (1, "Shanghai", 0, 182 * DAY, "HELD"),
        (3, "Shenzhen", 182 * DAY, None, "HELD"),
    ]


EXAMPLES: dict[str, tuple[list[Statement], list[tuple[int, str, float | None, float | None, str]]]] = {
    "a less trusted one contends until the more trusted one ends, then holds": (
        [told(1, "a", 0, 5, trust=2), told(2, "b", 1, trust=1)],
        [(1, "a", 0, 5, "HELD"), (2, "b", 1, 5, "CONTENDER"), (2, "b", 5, None, "HELD")],
    ),
    "one that says the same starts earlier and less trusted is part of the run": (
        [told(2, "a", 0, trust=0), told(1, "A", 1, trust=2), told(3, "b", 2, trust=1)],
        [(2, "a", 0, None, "HELD"), (3, "b", 2, None, "CONTENDER")],
    ),
    "whoever takes over answers the contenders of the one before": (
        [told(1, "a", 0, trust=2), told(2, "b", 1, trust=1), told(3, "c", 2, trust=2)],
        [(1, "a", 0, 2, "HELD"), (2, "b", 1, 2, "CONTENDER"), (3, "c", 2, None, "HELD")],
    ),
    "a repeat of the holder's value answers its contenders, of any trust, while it lasts": (
        [told(1, "a", 0, trust=2), told(2, "b", 1, trust=1), told(3, "a", 2, 4, trust=0)],
        [(1, "a", 0, None, "HELD"), (2, "b", 1, 2, "CONTENDER"), (2, "b", 4, None, "CONTENDER")],
    ),
    "contenders do not compete, and their repeats contend too": (
        [told(1, "a", 0, trust=2), told(2, "b", 1), told(3, "c", 2), told(4, "b", 3)],
        [
            (1, "a", 0, None, "HELD"),
            (2, "b", 1, None, "CONTENDER"),
            (3, "c", 2, None, "CONTENDER"),
            (4, "b", 3, None, "CONTENDER"),
        ],
    ),
    "a contender told again with more trust takes over as the later telling": (
        [told(1, "a", 0, trust=2), told(2, "b", 1), told(2, "b", 3, trust=2)],
        [(1, "a", 0, 3, "HELD"), (2, "b", 1, 3, "CONTENDER"), (2, "b", 3, None, "HELD")],
    ),
    "equal start and trust dispute until one later takes over": (
        [told(1, "a", 0), told(2, "b", 0), told(3, "c", 2)],
        [(1, "a", 0, 2, "DISPUTED"), (2, "b", 0, 2, "DISPUTED"), (3, "c", 2, None, "HELD")],
    ),
    "since ever is an equal start too": (
        [told(1, "a"), told(2, "b", None, 3)],
        [(1, "a", None, 3, "DISPUTED"), (2, "b", None, 3, "DISPUTED"), (1, "a", 3, None, "HELD")],
    ),
    "a later repeat of one side settles, whatever its trust": (
        [told(1, "a", 0, trust=2), told(2, "b", 0, trust=2), told(3, "b", 1, trust=0), told(4, "c", 3, trust=1)],
        [
            (1, "a", 0, 1, "DISPUTED"),
            (2, "b", 0, 1, "DISPUTED"),
            (2, "b", 1, None, "HELD"),
            (4, "c", 3, None, "CONTENDER"),
        ],
    ),
    "less trusted voices that repeat both sides at once settle nothing": (
        [told(1, "a", 0, trust=2), told(2, "b", 0, trust=2), told(3, "a", 1), told(4, "b", 1)],
        [(1, "a", 0, None, "DISPUTED"), (2, "b", 0, None, "DISPUTED")],
    ),
    "a run disputed by its latest start keeps its first owner": (
        [told(1, "a", 0), told(2, "a", 2), told(3, "b", 2)],
        [(1, "a", 0, 2, "HELD"), (1, "a", 2, None, "DISPUTED"), (3, "b", 2, None, "DISPUTED")],
    ),
    "at one start the more trusted holds and the less trusted contends": (
        [told(1, "a", 0, trust=1), told(2, "b", 0, trust=2)],
        [(1, "a", 0, None, "CONTENDER"), (2, "b", 0, None, "HELD")],
    ),
    "equal values of several facts are the earliest one's, in its words, while it covers": (
        [told(2, "New  York", 0, 4), told(1, "new york.", 2)],
        [(2, "New  York", 0, 4, "HELD"), (1, "new york.", 4, None, "HELD")],
    ),
    "a gap is nobody's": (
        [told(1, "a", 0, 1), told(1, "a", 2, 3)],
        [(1, "a", 0, 1, "HELD"), (1, "a", 2, 3, "HELD")],
    ),
    "periods that touch are one, a period that is empty is none": (
        [told(1, "a", 0, 1), told(1, "a", 1, 3), told(2, "b", 2, 2), told(3, "c", 2, 1)],
        [(1, "a", 0, 3, "HELD")],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_decided_cases(name: str) -> None:
    slot, expected = EXAMPLES[name]
    assert shown(fold(slot)) == expected


def test_a_multi_valued_slot_joins_tellings_of_one_value_and_no_others() -> None:
    slot = [told(2, "tea", 0, 2), told(1, "Tea", 2, 4), told(3, "coffee", 1, trust=9), told(4, "tea", 5)]
    assert shown(fold_multi(slot)) == [
        (2, "tea", 0, 4, "HELD"),
        (3, "coffee", 1, None, "HELD"),
        (4, "tea", 5, None, "HELD"),
    ]


@pytest.mark.parametrize("folding", [fold, fold_multi])
def test_bounds_come_back_in_utc_and_naive_ones_are_refused(
    folding: Callable[[Iterable[Statement]], list[Segment]],
) -> None:
    east = timezone(timedelta(hours=8))
    start = datetime(2026, 7, 1, 9, 0, 0, 1, tzinfo=east)
    [segment] = folding([Statement(id=fact(1), value="a", start=start)])
    assert (segment.start, segment.start and segment.start.utcoffset()) == (start, timedelta(0))
    with pytest.raises(NaiveInstant):
        folding([Statement(id=fact(1), value="a", end=start.replace(tzinfo=None))])


def test_ten_thousand_open_statements_are_no_burden() -> None:
    """A recomputation per boundary would take minutes of processor time; the limit leaves room for any machine."""
    contested = [told(0, "a", 0, trust=1)] + [told(number, f"v{number}", number) for number in range(1, 10_000)]
    spent = time.process_time()
    segments = fold(reversed(contested))
    assert time.process_time() - spent < 10
    assert [one.standing for one in segments] == [HELD] + [CONTENDER] * 9_999
