"""Timestamps of exports as instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.errors import InvalidInput
from muniment.text.clock_times import clock_time

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00"),
        ("12:30 pm on 1 Sept. 2023", "2023-09-01T12:30:00"),
        ("2024年04月01日 周一 08:30", "2024-04-01T08:30:00"),
        ("2024年4月1日", "2024-04-01T00:00:00"),
        ("2024年4月1日 星期一 下午3点半", "2024-04-01T15:30:00"),
        ("2024年4月1日 中午12点", "2024-04-01T12:00:00"),
        ("2024年4月1日 凌晨12:05", "2024-04-01T00:05:00"),
        ("29.12.2023, 22:42:04", "2023-12-29T22:42:04"),
        ("2023/04/10 (Mon) 14:47", "2023-04-10T14:47:00"),
        ("March-15-2024", "2024-03-15T00:00:00"),
        ("March 15th, 2024 at 9 am", "2024-03-15T09:00:00"),
        ("Jan 15, 2029, 16:15:20", "2029-01-15T16:15:20"),
        ("Tuesday, 3 June 2025 07:05", "2025-06-03T07:05:00"),
        ("2026-10-29T09:00:00", "2026-10-29T09:00:00"),
        ("2023-04-27", "2023-04-27T00:00:00"),
        ("2023-04-27 08:09:10.25", "2023-04-27T08:09:10.250000"),
    ],
)
def test_times_without_an_offset_are_civil_times_of_the_zone(stamp: str, expected: str) -> None:
    wanted = datetime.fromisoformat(expected)
    assert clock_time(stamp, UTC) == wanted.replace(tzinfo=UTC)
    assert clock_time(stamp, BERLIN) == wanted.replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-10-29T09:00:00Z", "2026-10-29T09:00:00+00:00"),
        ("2026-10-29T09:00:00+08:00", "2026-10-29T09:00:00+08:00"),
        ("29.12.2023 22:42 UTC", "2023-12-29T22:42:00+00:00"),
        ("March 15, 2024 9:00 am -05:00", "2024-03-15T09:00:00-05:00"),
        ("2023/04/10 (Mon) 14:47 GMT+0800", "2023-04-10T14:47:00+08:00"),
        (1_700_000_000, "2023-11-14T22:13:20+00:00"),
        (1_700_000_000_500, "2023-11-14T22:13:20.500000+00:00"),
        (1_700_000_000.25, "2023-11-14T22:13:20.250000+00:00"),
    ],
)
def test_an_offset_wins_over_the_zone(stamp: str | float, expected: str) -> None:
    assert clock_time(stamp, BERLIN) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "yesterday",
        "03/04/2023",
        "13:00",
        "31.02.2024",
        "2024年4月1日 晚上12点",
        "8 May 2023, 25:00",
        "13:56 pm on 8 May, 2023",
        "2024-04-01 and some words",
        "1:56 pm on 8 May, 2023 and 9 May, 2023",
        "20240401",
        "9999-99-99T00:00:00Z",
        float("nan"),
        float("inf"),
        1e300,
        True,
        None,
        ["2024-01-01"],
    ],
)
def test_what_cannot_be_read_whole_is_refused(stamp: object) -> None:
    with pytest.raises(InvalidInput, match="the time"):
        clock_time(stamp, UTC)  # type: ignore[arg-type]


def test_a_date_that_reads_two_ways_says_so() -> None:
    with pytest.raises(InvalidInput, match="two ways"):
        clock_time("03/04/2023 09:00", UTC)


def test_the_first_of_two_times_where_clocks_go_back() -> None:
    at = clock_time("2024-10-27 02:30", BERLIN)
    assert at.utcoffset() == timedelta(hours=2)
    assert at.astimezone(UTC).hour == 0


@given(st.text(max_size=60))
def test_any_text_is_an_aware_instant_or_refused(text: str) -> None:
    try:
        found = clock_time(text, UTC)
    except InvalidInput:
        return
    assert found.tzinfo is not None


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_every_spelling_of_an_instant_is_the_same_instant(at: datetime) -> None:
    at = at.replace(microsecond=0, second=0)
    spellings = (
        f"{at:%Y-%m-%dT%H:%M}",
        f"{at.year}年{at.month}月{at.day}日 {at:%H:%M}",
        f"{at.day}.{at.month}.{at.year}, {at:%H:%M:%S}",
        f"{at.hour % 12 or 12}:{at:%M} {'pm' if at.hour > 11 else 'am'} on {at.day} {at:%B}, {at.year}",
        f"{at:%b} {at.day}, {at.year}, {at:%H:%M:%S}",
        f"{at.year}/{at.month}/{at.day} ({at:%a}) {at:%H:%M}",
    )
    assert {clock_time(text, UTC) for text in spellings} == {at.replace(tzinfo=UTC)}
