"""The span of time a question asks about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from muniment.text.dates import date_window

REF = datetime(2023, 8, 23, 15, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What happened on 8 May 2023?", "2023-05-08", "2023-05-09"),
        ("on May 8th, 2023", "2023-05-08", "2023-05-09"),
        ("the 8th of May", "2023-05-08", "2023-05-09"),
        ("2023-05-08", "2023-05-08", "2023-05-09"),
        ("on 30.12.2022", "2022-12-30", "2022-12-31"),
        ("on 3/22", "2023-03-22", "2023-03-23"),
        ("in May", "2023-05-01", "2023-06-01"),
        ("in October", "2022-10-01", "2022-11-01"),
        ("December 2022", "2022-12-01", "2023-01-01"),
        ("in 2021", "2021-01-01", "2022-01-01"),
        ("last week", "2023-08-14", "2023-08-21"),
        ("yesterday", "2023-08-22", "2023-08-23"),
        ("last Wednesday", "2023-08-16", "2023-08-17"),
        ("on Tuesday", "2023-08-22", "2023-08-23"),
        ("two months ago", "2023-06-01", "2023-07-01"),
        ("in the last ten days", "2023-08-13", "2023-08-24"),
        ("between 3 May and 10 June 2023", "2023-05-03", "2023-06-11"),
        ("2024年4月1日", "2024-04-01", "2024-04-02"),
        ("二月二十五号的会", "2023-02-25", "2023-02-26"),
        ("四月份去了哪里", "2023-04-01", "2023-05-01"),
        ("2022年", "2022-01-01", "2023-01-01"),
        ("上周三", "2023-08-16", "2023-08-17"),
        ("上个月", "2023-07-01", "2023-08-01"),
        ("前天", "2023-08-21", "2023-08-22"),
        ("三天前", "2023-08-20", "2023-08-21"),
        ("最近两周", "2023-08-07", "2023-08-24"),
        ("去年", "2022-01-01", "2023-01-01"),
        ("上周末", "2023-08-19", "2023-08-21"),
        ("那个8月20日过生日的人", "2023-08-20", "2023-08-21"),
        ("the photos from May 2023", "2023-05-01", "2023-06-01"),
        ("Where did she move from 4 years ago?", "2019-01-01", "2020-01-01"),
        ("What came of it in March 2022?", "2022-03-01", "2022-04-01"),
        ("the week before 3 May 2023", "2023-04-24", "2023-05-03"),
    ],
)
def test_windows(question: str, start: str, end: str) -> None:
    window = date_window(question, REF)
    assert window is not None
    assert [at.date().isoformat() for at in window] == [start, end]
    assert all(at.utcoffset() == timedelta(0) for at in window)


@pytest.mark.parametrize(
    "question", ["What may I do?", "march on", "32 May", "before May 2023", "2023年之前", "a/b", "9999 years ago"]
)
def test_no_window(question: str) -> None:
    assert date_window(question, REF) is None


def test_since_reaches_to_the_question() -> None:
    assert date_window("since July", REF) == (datetime(2023, 7, 1, tzinfo=UTC), REF)


def test_without_a_reference_only_whole_dates_count() -> None:
    assert date_window("last week", None) is None
    assert date_window("in May", None) is None
    assert date_window("in May 2023", None) == (datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))


def test_days_are_those_of_the_asker() -> None:
    window = date_window("today", REF.astimezone(timezone(timedelta(hours=10))))
    assert window is not None
    assert window[0] == datetime(2023, 8, 23, 14, tzinfo=UTC)
