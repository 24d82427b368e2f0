"""Time expressions: the range in UTC, the role, the exact phrase, and what is ambiguous. Said on Wednesday 15 May 2024."""

from __future__ import annotations

from typing import Final

import pytest

from muniment.domain.time import Moment
from muniment.text.timex import TimeExpression, time_expressions

SAID: Final = Moment.of("2024-05-15T10:00:00+08:00")


def days(item: TimeExpression) -> tuple[str | None, str | None]:
    zone = SAID.tz()
    return tuple(None if at is None else at.astimezone(zone).date().isoformat() for at in (item.start, item.end))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "phrase", "role", "start", "end"),
    [
        ("we met yesterday", "yesterday", "during", "2024-05-14", "2024-05-15"),
        ("see you tomorrow", "tomorrow", "during", "2024-05-16", "2024-05-17"),
        ("it rained last week", "last week", "during", "2024-05-06", "2024-05-13"),
        ("last Friday was fun", "last Friday", "during", "2024-05-10", "2024-05-11"),
        ("on 8 May 2023 we met", "on 8 May 2023", "during", "2023-05-08", "2023-05-09"),
        ("in 2021 I left", "in 2021", "during", "2021-01-01", "2022-01-01"),
        ("here since November", "since November", "from", "2023-11-01", None),
        ("away until Friday", "until Friday", "until", None, "2024-05-18"),
        ("before 2020 I smoked", "before 2020", "until", None, "2020-01-01"),
        ("from 2012 to 2016 I taught", "from 2012 to 2016", "during", "2012-01-01", "2017-01-01"),
        ("two weeks ago", "two weeks ago", "during", "2024-05-01", "2024-05-02"),
        ("昨天到的", "昨天", "during", "2024-05-14", "2024-05-15"),
        ("上周末去爬山", "上周末", "during", "2024-05-11", "2024-05-13"),
        ("下周四开会", "下周四", "during", "2024-05-23", "2024-05-24"),
        ("从去年九月起", "从去年九月起", "from", "2023-09-01", None),
        ("到月底为止", "到月底为止", "until", None, "2024-06-01"),
        ("截至6月30日有效", "截至6月30日", "until", None, "2024-07-01"),
        ("2024年4月1日入职", "2024年4月1日", "during", "2024-04-01", "2024-04-02"),
        ("从2019年到2021年在北京", "从2019年到2021年", "during", "2019-01-01", "2022-01-01"),
        ("三天前", "三天前", "during", "2024-05-12", "2024-05-13"),
    ],
)
def test_range_and_role(text: str, phrase: str, role: str, start: str | None, end: str | None) -> None:
    (found,) = time_expressions(text, SAID)
    assert (found.phrase, found.role, days(found)) == (phrase, role, (start, end))
    assert text[found.span[0] : found.span[1]] == found.phrase


def test_the_tense_chooses_between_readings_and_silence_is_ambiguous() -> None:
    assert days(time_expressions("on 8 June", SAID, lean="past")[0]) == ("2023-06-08", "2023-06-09")
    assert days(time_expressions("on 8 June", SAID, lean="future")[0]) == ("2024-06-08", "2024-06-09")
    assert time_expressions("on 8 June", SAID)[0].ambiguous
    assert not time_expressions("on 8 June 2024", SAID)[0].ambiguous


def test_civil_days_are_of_the_speakers_zone() -> None:
    late = Moment.of("2024-05-15T23:30:00-07:00")
    (found,) = time_expressions("today", late)
    assert found.start is not None
    assert found.start.isoformat() == "2024-05-15T07:00:00+00:00"


def test_without_a_reference_only_full_dates_resolve() -> None:
    (relative,) = time_expressions("yesterday", None)
    assert not relative.resolved
    assert relative.ambiguous
    (full,) = time_expressions("2024年4月1日", None)
    assert full.resolved


@pytest.mark.parametrize(
    "text",
    [
        "you may march on",
        "on Mondays I run",
        "三个月",
        "我今年三十岁",
        "31 February 2024 never was",
        "version 2024.13",
        "每周三",
        "月饼",
    ],
)
def test_no_date_is_read_where_there_is_none(text: str) -> None:
    assert [item.phrase for item in time_expressions(text, SAID)] == []


@pytest.mark.parametrize(
    ("text", "said", "zone", "start", "end"),
    [
        # clocks go forward on 10 March 2024 and back on 3 November 2024
        ("yesterday", "2024-03-11T09:00:00-04:00", "America/New_York", "2024-03-10T05:00", "2024-03-11T04:00"),
        ("yesterday", "2024-11-04T09:00:00-05:00", "America/New_York", "2024-11-03T04:00", "2024-11-04T05:00"),
        ("today", "2024-05-15T23:30:00+14:00", "Pacific/Kiritimati", "2024-05-14T10:00", "2024-05-15T10:00"),
        ("今天", "2024-05-15T00:30:00-12:00", "Etc/GMT+12", "2024-05-15T12:00", "2024-05-16T12:00"),
        ("a year ago", "2024-02-29T12:00:00+00:00", None, "2023-02-28T00:00", "2023-03-01T00:00"),
        ("next week", "2024-12-31T12:00:00+00:00", None, "2025-01-06T00:00", "2025-01-13T00:00"),
        ("上个月", "2024-01-31T12:00:00+00:00", None, "2023-12-01T00:00", "2024-01-01T00:00"),
        ("on 29 February", "2024-06-01T12:00:00+00:00", None, "2024-02-29T00:00", "2024-03-01T00:00"),
    ],
)
def test_days_are_as_long_as_the_zone_makes_them(text: str, said: str, zone: str | None, start: str, end: str) -> None:
    at = Moment.of(said)
    (found,) = time_expressions(text, Moment(at=at.at, offset=at.offset, zone=zone))
    assert found.start is not None
    assert found.end is not None
    assert (found.start.isoformat()[:16], found.end.isoformat()[:16]) == (start, end)


@pytest.mark.parametrize(
    "text", ["last year", "100 years ago", "in 9000 years", "next decade", "去年", "一百年后", "the 1st century"]
)
@pytest.mark.parametrize("said", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"])
def test_what_lies_beyond_the_calendar_is_left_unknown(text: str, said: str) -> None:
    for item in time_expressions(text, Moment.of(said)):
        assert item.start is None or item.end is None or item.start < item.end
