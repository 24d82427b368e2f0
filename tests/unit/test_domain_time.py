"""Instants and periods: offsets and zones kept, nothing naive let in, ends left out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.errors import InvalidInput, NaiveInstant
from muniment.domain.time import MICROSECOND, Moment, Period, parse_instant, utc

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
NAIVE = NOON.replace(tzinfo=None)
SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")

thorough = settings(max_examples=200, deadline=None)
offsets = st.integers(-23 * 60, 23 * 60)
instants = st.datetimes(
    min_value=datetime(1800, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    max_value=datetime(2200, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    timezones=st.just(UTC),
)
bounds = st.none() | st.integers(0, 5).map(lambda hours: NOON + timedelta(hours=hours))


# ---- instants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "taking",
    [
        lambda: utc(NAIVE, name="valid_from"),
        lambda: Moment.of(NAIVE, name="valid_from"),
        lambda: Moment.of("2026-07-01T12:00:00", name="valid_from"),
        lambda: Moment.of("2026-07-01", name="valid_from"),
        lambda: parse_instant("2026-07-01T12:00:00", name="valid_from"),
    ],
)
def test_a_naive_instant_is_refused_by_name_and_never_guessed(taking: Callable[[], object]) -> None:
    with pytest.raises(NaiveInstant, match="valid_from"):
        taking()


@pytest.mark.parametrize("bound", ["start", "end"])
def test_a_naive_bound_is_refused_by_name(bound: str) -> None:
    with pytest.raises(NaiveInstant, match=bound):
        Period(**{bound: NAIVE})


@pytest.mark.parametrize("value", [None, 0, date(2026, 7, 1)])
def test_what_is_no_instant_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="at must be a datetime"):
        utc(value, name="at")


@pytest.mark.parametrize(
    "text", ["", "yesterday", "上周末", "2026-13-01T00:00:00Z", "2026-07-01T25:00:00Z", "1751371200"]
)
def test_unreadable_text_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidInput, match="heard_at"):
        Moment.of(text, name="heard_at")


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("2026-07-01T12:00:00Z", 0),
        ("2026-07-01T20:00:00+08:00", 480),
        (" 2026-07-01T20:00:00+0800\n", 480),
        ("2026-07-01 17:30:00+05:30", 330),
        ("2026-07-01T08:30:00.000000-03:30", -210),
    ],
)
def test_text_keeps_its_offset(text: str, offset: int) -> None:
    moment = Moment.of(text)
    assert (moment.at, moment.offset, moment.zone) == (NOON, offset, None)
    assert moment.at.tzinfo is UTC
    assert moment.local().utcoffset() == timedelta(minutes=offset)


@thorough
@given(instants, offsets)
def test_an_instant_comes_back_as_it_was_given(at: datetime, offset: int) -> None:
    given_as = at.astimezone(timezone(timedelta(minutes=offset)))
    moment = Moment.of(given_as)
    assert (moment.at, moment.offset) == (at, offset)
    assert moment.local().isoformat() == given_as.isoformat()
    assert Moment.of(given_as.isoformat()) == moment


def test_a_zone_is_kept_by_name_with_the_offset_of_that_day() -> None:
    summer, winter = datetime(2026, 7, 1, 9, 0, tzinfo=NEW_YORK), datetime(2026, 1, 1, 9, 0, tzinfo=NEW_YORK)
    assert [(one.offset, one.zone) for one in map(Moment.of, (summer, winter))] == [
        (-240, "America/New_York"),
        (-300, "America/New_York"),
    ]
    assert Moment.of(summer).local().isoformat() == "2026-07-01T09:00:00-04:00"


def test_the_hour_told_twice_stays_two_hours() -> None:
    first = datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK)
    second = first.replace(fold=1)
    assert Moment.of(second).at - Moment.of(first).at == timedelta(hours=1)
    assert Moment.of(second).local().fold == 1


def test_civil_dates_resolve_in_the_speakers_zone() -> None:
    late = Moment.of(datetime(2026, 7, 1, 0, 30, tzinfo=SHANGHAI))
    assert late.at.date() == date(2026, 6, 30)
    assert late.local().date() == date(2026, 7, 1)
    # 'In a month', from summer into winter time, needs the zone; the offset alone would be an hour out.
    october = Moment.of(datetime(2026, 10, 20, 9, 0, tzinfo=NEW_YORK))
    in_november = (october.at + timedelta(days=30)).astimezone(october.tz())
    assert in_november.utcoffset() == timedelta(hours=-5)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "a\x00b", "\ud800"])
def test_a_zone_unknown_here_falls_back_to_the_offset(zone: str) -> None:
    assert Moment(at=NOON, offset=480, zone=zone).local().isoformat() == "2026-07-01T20:00:00+08:00"


@pytest.mark.parametrize("zone", ["Asia", "x" * 5000])
def test_a_zone_that_is_no_file_falls_back_to_the_offset(zone: str) -> None:
    assert Moment(at=NOON, offset=480, zone=zone).local().isoformat() == "2026-07-01T20:00:00+08:00"


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_outside_the_years_utc_can_tell_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Moment.of(text)


# ---- periods ---------------------------------------------------------------------------------------------------------


def test_a_period_has_its_start_and_not_its_end() -> None:
    end = NOON + timedelta(hours=1)
    july = Period(start=NOON, end=end)
    assert [july.covers(at) for at in (NOON - MICROSECOND, NOON, end - MICROSECOND, end)] == [False, True, True, False]


def test_a_move_leaves_no_instant_without_an_answer_and_none_with_two() -> None:
    before, after = Period(end=NOON), Period(start=NOON)
    assert not before.overlaps(after)
    for at in (NOON - MICROSECOND, NOON, NOON + MICROSECOND):
        assert before.covers(at) + after.covers(at) == 1


@pytest.mark.parametrize("end", [NOON, NOON - MICROSECOND, datetime(2026, 7, 1, 19, 0, tzinfo=SHANGHAI)])
def test_a_period_ends_after_it_begins(end: datetime) -> None:
    with pytest.raises(InvalidInput, match="end after it begins"):
        Period(start=NOON, end=end)


def test_bounds_of_different_offsets_are_compared_as_instants() -> None:
    period = Period(start=datetime(2026, 7, 1, 20, 0, tzinfo=SHANGHAI), end=datetime(2026, 7, 1, 9, 0, tzinfo=NEW_YORK))
    assert period.covers(NOON)
    assert not period.covers(NOON + timedelta(hours=1))


@thorough
@given(bounds, bounds, bounds, bounds)
def test_periods_overlap_when_they_share_an_instant(
    start: datetime | None, end: datetime | None, begin: datetime | None, finish: datetime | None
) -> None:
    try:
        one, other = Period(start=start, end=end), Period(start=begin, end=finish)
    except InvalidInput:
        assert (start is not None and end is not None and end <= start) or (
            begin is not None and finish is not None and finish <= begin
        )
        return
    probes = [NOON + timedelta(minutes=30 * step) for step in range(-1, 12)]
    shared = any(one.covers(at) and other.covers(at) for at in probes)
    assert one.overlaps(other) == other.overlaps(one) == shared
