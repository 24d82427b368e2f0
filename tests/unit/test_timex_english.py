"""English time expressions: the civil range of each kind of spelling. Said on Wednesday 15 May 2024, 10:00 in Shanghai."""

from __future__ import annotations

from typing import Final

import pytest

from muniment.domain.time import Moment
from muniment.text.timex import TimeExpression, time_expressions

SAID: Final = Moment.of("2024-05-15T10:00:00+08:00")


def civil(item: TimeExpression) -> tuple[str | None, str | None]:
    """The range in the speaker's zone; the time of day left off where it is midnight."""
    ends = (
        None if at is None else at.astimezone(SAID.tz()).strftime("%Y-%m-%d %H:%M") for at in (item.start, item.end)
    )
    return tuple(None if at is None else at.removesuffix(" 00:00") for at in ends)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the second of June 2023", "2023-06-02", "2023-06-03"),
        ("June the second, 2023", "2023-06-02", "2023-06-03"),
        ("a report of June twenty-third, 2022", "2022-06-23", "2022-06-24"),
        ("born in March of nineteen eighty four", "1984-03-01", "1984-04-01"),
        ("back in two thousand and eleven", "2011-01-01", "2012-01-01"),
        ("dated 20230709", "2023-07-09", "2023-07-10"),
        ("2023/Jul/09", "2023-07-09", "2023-07-10"),
        ("week 2023-W10", "2023-03-06", "2023-03-13"),
        ("Q3 2022", "2022-07-01", "2022-10-01"),
        ("the third quarter of last year", "2023-07-01", "2023-10-01"),
        ("H2 2023", "2023-07-01", "2024-01-01"),
        ("the first half of 2021", "2021-01-01", "2021-07-01"),
        ("the nineties", "1990-01-01", "2000-01-01"),
        ("in the 1870s", "1870-01-01", "1880-01-01"),
        ("the 18th century", "1700-01-01", "1800-01-01"),
        ("the day before yesterday", "2024-05-13", "2024-05-14"),
        ("the week after next", "2024-05-27", "2024-06-03"),
        ("next quarter", "2024-07-01", "2024-10-01"),
        ("next week Tuesday", "2024-05-21", "2024-05-22"),
        ("Tuesday of last week", "2024-05-07", "2024-05-08"),
        ("the 9th of next month", "2024-06-09", "2024-06-10"),
        ("the first Saturday of June 2024", "2024-06-01", "2024-06-02"),
        ("the last week of March 2024", "2024-03-25", "2024-04-01"),
        ("the last three days of April 2024", "2024-04-28", "2024-05-01"),
        ("in late 2022", "2022-07-01", "2023-01-01"),
        ("three months and two days ago", "2024-02-13", "2024-02-14"),
        ("five weeks from now", "2024-06-19", "2024-06-20"),
        ("two days before 1 March 2024", "2024-02-28", "2024-02-29"),
        ("the next four weeks", "2024-05-16", "2024-06-13"),
        ("within two weeks", "2024-05-15", "2024-05-29"),
        ("a few days ago", "2024-05-10", "2024-05-14"),
        ("half a year ago", "2023-11-15", "2023-11-16"),
        ("2.5 years ago", "2021-11-15", "2021-11-16"),
        ("a year and a half ago", "2022-11-15", "2022-11-16"),
        ("two weekends ago", "2024-05-04", "2024-05-06"),
        ("the coming weekend", "2024-05-18", "2024-05-20"),
        ("all month", "2024-05-01", "2024-06-01"),
        ("the early 90s", "1990-01-01", "1995-01-01"),
        ("the day after Christmas 2023", "2023-12-26", "2023-12-27"),
        ("the week before 20 May 2024", "2024-05-13", "2024-05-20"),
        ("last Christmas", "2023-12-25", "2023-12-26"),
        ("Thanksgiving 2024", "2024-11-28", "2024-11-29"),
        ("Good Friday 2025", "2025-04-18", "2025-04-19"),
        ("Chinese New Year 2025", "2025-01-29", "2025-01-30"),
        ("from 9 to 12 June 2024", "2024-06-09", "2024-06-13"),
        ("October 2 - 5, 2023", "2023-10-02", "2023-10-06"),
        ("from November 2022 to February 2023", "2022-11-01", "2023-03-01"),
        ("between 2015 and 2018", "2015-01-01", "2019-01-01"),
        ("from next Monday to Thursday", "2024-05-20", "2024-05-24"),
        ("from July 2023 to now", "2023-07-01", "2024-05-16"),
        ("after 2022", "2023-01-01", None),
        ("on or before 30 June 2024", None, "2024-07-01"),
        ("tomorrow at 3:45 pm", "2024-05-16 15:45", "2024-05-16 15:46"),
        ("tomorrow at half past nine", "2024-05-16 09:30", "2024-05-16 09:31"),
        ("from 2 to 4 pm on 20 May 2024", "2024-05-20 14:00", "2024-05-20 16:00"),
        ("20 May 2024 after 6 pm", "2024-05-20 18:00", None),
        ("yesterday evening", "2024-05-14 16:00", "2024-05-14 20:00"),
        ("in 3 hours", "2024-05-15 13:00", "2024-05-15 13:01"),
        ("the last two hours", "2024-05-15 08:00", "2024-05-15 10:00"),
        ("from 11 am till tomorrow 1:30 pm", "2024-05-15 11:00", "2024-05-16 13:30"),
        ("notes from 3 April 2024", "2024-04-03", "2024-04-04"),
    ],
)
def test_range(text: str, start: str | None, end: str | None) -> None:
    (found,) = time_expressions(text, SAID)
    assert civil(found) == (start, end)
    assert text[slice(*found.span)] == found.phrase


@pytest.mark.parametrize(
    ("text", "chosen", "other"),
    [
        ("next Friday", "2024-05-24", "2024-05-17"),
        ("last Tuesday", "2024-05-07", "2024-05-14"),
        ("03/04/2023", "2023-03-04", "2023-04-03"),
        ("on Friday", "2024-05-17", "2024-05-10"),
        ("on the 20th", "2024-05-20", "2024-04-20"),
    ],
)
def test_what_people_differ_on_is_flagged_with_the_other_reading(text: str, chosen: str, other: str) -> None:
    (found,) = time_expressions(text, SAID)
    assert civil(found)[0] == chosen
    assert found.ambiguous
    zone = SAID.tz()
    assert [start.astimezone(zone).date().isoformat() for start, _ in found.alternatives if start] == [other]


@pytest.mark.parametrize(
    "text",
    [
        "this coming Friday",
        "last Monday of June 2024",
        "2024-05-20",
        "the day after tomorrow",
        "last week",
        "next month",
    ],
)
def test_what_is_plain_is_not_flagged(text: str) -> None:
    (found,) = time_expressions(text, SAID)
    assert (found.ambiguous, found.alternatives) == (False, ())


def test_granularity_tells_how_fine_the_words_are() -> None:
    assert [
        time_expressions(text, SAID)[0].granularity
        for text in ("two months ago", "yesterday", "last week", "in 2021", "tomorrow at 3 pm", "tomorrow morning")
    ] == ["month", "day", "week", "year", "minute", "part"]


@pytest.mark.parametrize(
    "text",
    [
        "the manager may, at any time, march on",
        "we sun ourselves and sat for twenty minutes",
        "open 24/7, half and half",
        "a batch of 2000 rows",
        "she has twenty-two cousins",
        "office hours are Monday to Thursday, 8:15 to 14:00",
        "every Friday, each summer, on Sundays",
        "yesterdays",
        "in two minds about it",
        "ISBN 978-3-16-148410-0, tel. 555-0100",
        "2024-13-45",
        "the first of its kind, the second try",
        "at the end of the day-long hike",
    ],
)
def test_what_is_no_date_gives_none(text: str) -> None:
    assert [item.phrase for item in time_expressions(text, SAID) if item.resolved] == []


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("réunion du 4 septembre 2023", "2023-09-04", "2023-09-05"),
        ("im Oktober 2022", "2022-10-01", "2022-11-01"),
        ("hace 3 semanas", "2024-04-24", "2024-04-25"),
        ("il mese scorso", "2024-04-01", "2024-05-01"),
        ("в прошлом году", "2023-01-01", "2024-01-01"),
    ],
)
def test_dates_of_other_languages(text: str, start: str, end: str) -> None:
    (found,) = time_expressions(text, SAID)
    assert civil(found) == (start, end)
