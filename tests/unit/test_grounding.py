"""Spans and what a lost ground does to a timeline, against a plain oracle: instants one by one.

Belongs here: domain/grounding.py. Does not belong here: how far grounds reach (api/test_dependants.py).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.enums import Standing
from muniment.domain.grounding import (
    ALWAYS,
    NEVER,
    Cover,
    Support,
    bounded,
    complement,
    grounded,
    intersection,
    reaching,
    union,
)
from muniment.domain.statement import Segment, Statement

ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)
LAST = 12
FACT = UUID(int=1)


def day(number: int) -> datetime:
    return ORIGIN + timedelta(days=number)


INSTANTS = [day(number) + timedelta(hours=1) for number in range(-1, LAST + 1)]


def within(at: datetime, cover: Cover) -> bool:
    return any((start is None or start <= at) and (end is None or at < end) for start, end in cover)


bounds = st.one_of(st.none(), st.integers(0, LAST))


@st.composite
def spans(draw: st.DrawFn) -> tuple[datetime | None, datetime | None]:
    start, end = draw(bounds), draw(bounds)
    if start is not None and end is not None and start >= end:
        start, end = end, start + 1
    return (None if start is None else day(start), None if end is None else day(end))


covers = st.lists(spans(), max_size=4).map(lambda found: union([(span,) for span in found]))


@given(covers, covers)
def test_covers_are_sets_of_instants(one: Cover, other: Cover) -> None:
    for at in INSTANTS:
        assert within(at, union([one, other])) == (within(at, one) or within(at, other))
        assert within(at, intersection(one, other)) == (within(at, one) and within(at, other))
        assert within(at, complement(one)) != within(at, one)


@given(covers)
def test_a_ground_is_not_doubted_before_it_began(cover: Cover) -> None:
    first = next((at for at in INSTANTS if within(at, cover)), None)
    for at in INSTANTS:
        assert within(at, reaching(cover)) == (first is not None and (at <= first or within(at, cover)))


@given(spans(), covers, covers)
def test_a_derived_segment_is_split_where_its_grounds_end(
    span: tuple[datetime | None, datetime | None], cover: Cover, full: Cover
) -> None:
    full = intersection(cover, full)
    support = Support(cover=cover, full=full)
    segment = Segment(id=FACT, value="v", start=span[0], end=span[1], standing=Standing.HELD)
    made = grounded([segment], {FACT: support})
    for at in INSTANTS:
        covering = [item for item in made if within(at, ((item.start, item.end),))]
        alive = within(at, (span,))
        assert len(covering) == alive
        if alive:
            assert (covering[0].standing is Standing.HELD) == within(at, cover)
            assert covering[0].weakened == (within(at, cover) and not within(at, full))


@given(spans(), st.lists(st.integers(0, LAST), max_size=3))
def test_what_began_before_its_end_ends_there_and_what_begins_later_is_not_touched(
    span: tuple[datetime | None, datetime | None], ends: list[int]
) -> None:
    said = Statement(id=FACT, value="v", start=span[0], end=span[1])
    found = bounded(said, map(day, ends))
    after = [day(end) for end in ends if span[0] is None or day(end) > span[0]]
    assert found.start == said.start
    for at in INSTANTS:
        assert within(at, ((found.start, found.end),)) == (within(at, (span,)) and all(at < end for end in after))


@pytest.mark.parametrize(
    ("cover", "standing"),
    [(ALWAYS, Standing.UNPLACED), (NEVER, Standing.UNSUPPORTED), (((None, day(3)),), Standing.UNSUPPORTED)],
)
def test_what_has_no_place_in_time_goes_with_its_ground(cover: Cover, standing: Standing) -> None:
    segment = Segment(id=FACT, value="v", start=None, end=None, standing=Standing.UNPLACED)
    assert [item.standing for item in grounded([segment], {FACT: Support(cover=cover)})] == [standing]


def test_facts_that_hang_on_nothing_are_left_as_they_are() -> None:
    segment = Segment(id=FACT, value="v", start=day(1), end=None, standing=Standing.DISPUTED)
    assert grounded([segment], {}) == [segment]
    assert grounded([segment], {FACT: Support()}) == [segment]
