"""Dates in digits, in any language: 2024-04-01, 20240401, 3/22/2023, 2018-W31, 2019-Q1.

Belongs here: one rule per spelling. Does not belong here: dates with words in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from muniment.text.timex_calendar import Days, Stretch, date_of, floating, iso_week, months_from, one
from muniment.text.timex_spellings import short_year

Read = Callable[["re.Match[str]", datetime | None], Days]
Rule = tuple["re.Pattern[str]", Read, tuple[str, ...]]


def rule(pattern: str, read: Read, *cues: str) -> Rule:
    """A compiled pattern with its reading; the date is its group `date`, where it has one, else all of it.

    A text in small letters that holds none of the cues cannot match, and is spared the pattern.
    """
    return re.compile(pattern, re.IGNORECASE), read, cues


_HAN: Final = re.compile("[\u4e00-\u9fff]")


def _year_first(match: re.Match[str], now: datetime | None) -> Days:
    """27-7-3 in Chinese, which writes the year first."""
    if not _HAN.search(match.string):
        raise ValueError("not Chinese")
    year = short_year(int(match["year"]), now.year if now else None)
    return one(date_of(year, int(match["month"]), int(match["day"])), "day", ambiguous=True)


def _whole(match: re.Match[str], now: datetime | None) -> Days:
    return one(date_of(int(match["year"]), int(match["month"]), int(match["day"])), "day")


def _slashed(match: re.Match[str], now: datetime | None) -> Days:
    """3/22/2023: month first where that can be; 03/04/2024 is said both ways."""
    first, second = int(match["first"]), int(match["second"])
    year = short_year(int(match["year"]), now.year if now else None)
    if first > 12 or second > 12 or first == second:
        return one(date_of(year, *((second, first) if first > 12 else (first, second))), "day")
    both = date_of(year, first, second), date_of(year, second, first)
    ordered = tuple(sorted(both))
    # Chinese has no slashed order of its own; where a Chinese text is slashed, the day comes first.
    return Days(readings=ordered, ambiguous=True, first=ordered.index(both[bool(_HAN.search(match.string))]))


def _month_day(match: re.Match[str], now: datetime | None) -> Days:
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if first > 12 else (first, second)
    date_of(2024, month, day)
    return floating(
        lambda year: date_of(year, month, day), now, "day", ambiguous=first <= 12 and second <= 12 and first != second
    )


def _month(match: re.Match[str], now: datetime | None) -> Days:
    month = int(match["month"])
    return one(months_from(int(match["year"]), month), "month")


def _week(match: re.Match[str], now: datetime | None) -> Days:
    return one(iso_week(int(match["year"]), int(match["week"])), "week")


def _years(match: re.Match[str], now: datetime | None) -> Days:
    """2014-2018, the last year included."""
    first, last = int(match["first"]), int(match["last"])
    if last <= first:
        raise ValueError("not in order")
    return Days(readings=(months_from(first, 1, 12 * (last - first + 1)),), unit="year", closed=True)


def _half(match: re.Match[str], now: datetime | None) -> Days:
    return one(months_from(int(match["year"]), 6 * int(match["half"]) - 5, 6), "half")


def _quarter(match: re.Match[str], now: datetime | None) -> Days:
    return quarter(int(match["quarter"]), int(match["year"]), now)


def quarter(number: int, year: int | None, now: datetime | None) -> Days:
    """A quarter of a year, or of the years around."""

    def within(year: int) -> Stretch:
        return months_from(year, 3 * number - 2, 3)

    return floating(within, now, "quarter") if year is None else one(within(year), "quarter")


_YEAR = r"(?P<year>(?:1[0-9]|2[01])\d\d)"
_M, _D = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"

RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"(?<![A-Za-z0-9_/.,-])(?P<year>\d\d)-(?P<month>1[0-2]|[1-9])-(?P<day>[1-9])(?![A-Za-z0-9_/-])",
        _year_first,
        "-",
        "/",
    ),
    rule(
        rf"(?<![\d.])(?<!\d-)(?P<year>(?:0[0-9]|1[0-9]|2[01]|99)\d\d)([-/.]){_M}\2{_D}(?!\d|"
        rf"-\d)(?!\.\d)",
        _whole,
        "-",
        "/",
        ".",
    ),
    rule(rf"(?<![\d.]){_YEAR}\s{_M}\s{_D}(?!\d)", _whole),
    rule(
        r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9_]-)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])"
        r"(?P<day>0[1-9]|[12]\d|3[01])(?![A-Za-z0-9_])(?!-[A-Za-z0-9_])(?!\.\d)",
        _whole,
    ),
    rule(rf"(?<![\d.]){_D}\.{_M}\.{_YEAR}(?!\d)", _whole, "."),
    rule(
        r"(?:(?<![\d/.-])|(?<=/\d{4}-)|(?<=\d/\d-)|(?<=\d/\d\d-))(?P<first>\d{1,2})([-/])(?P<second>\d{1,2})"
        r"\2(?P<year>(?:19|20)\d\d)(?![\d/])",
        _slashed,
        "-",
        "/",
    ),
    rule(
        r"(?<![A-Za-z0-9_/.,-])(?P<first>\d{1,2})([-/])(?P<second>\d{1,2})\2(?P<year>\d\d)(?![A-Za-z0-9_/-])",
        _slashed,
        "-",
        "/",
    ),
    rule(
        r"(?<![A-Za-z0-9_/.,$%:-])(?!24/7|1/[2-9]\s(?:of|cup|the))(?P<first>0?[1-9]|[12]\d|"
        r"3[01])/(?P<second>0?[1-9]|[12]\d|3[01])(?![A-Za-z0-9_/%])(?!\.\d)",
        _month_day,
        "/",
    ),
    rule(rf"(?<![\d.-]){_YEAR}-(?P<month>0[1-9]|1[0-2])(?![\d-])", _month),
    rule(rf"(?<![A-Za-z0-9_./-]){_YEAR}/(?P<month>1[0-2]|0[1-9])(?![A-Za-z0-9_/.-])", _month),
    rule(r"(?<![A-Za-z0-9_./-])(?P<month>1[0-2]|0?[1-9])\s?[/-]\s?(?P<year>(?:19|20)\d\d)(?![A-Za-z0-9_/.-])", _month),
    rule(
        r"(?<![A-Za-z0-9_$€£¥.,/-])(?P<first>(?:1[5-9]|20)\d\d)\s?[-–—~]\s?(?P<last>(?:1[5-9]|"
        r"20)\d\d)(?:\s?年|(?![A-Za-z0-9_年-]))(?![.,]\d)",
        _years,
    ),
    rule(rf"(?<![A-Za-z0-9_-]){_YEAR}-?W(?P<week>[0-5]\d)(?![A-Za-z0-9_-])", _week, "w"),
    rule(rf"(?<![A-Za-z0-9_])(?P<quarter>[1-4])Q(?:\s?[-/]?\s?|\s+(?:of|in)\s+){_YEAR}(?!\d)", _quarter, "q"),
    rule(rf"(?<![A-Za-z0-9_]){_YEAR}\s?[-/]?\s?Q(?P<quarter>[1-4])(?![A-Za-z0-9_])", _quarter, "q"),
    rule(rf"(?<![A-Za-z0-9_])Q(?P<quarter>[1-4])(?:\s?[-/]?\s?|\s+(?:of|in)\s+){_YEAR}(?!\d)", _quarter, "q"),
    rule(
        rf"(?:[<>]\s?=?|=|≥|≤)\s*(?P<date>{_YEAR})(?![A-Za-z0-9_%.,-])",
        lambda m, now: one(months_from(int(m["year"]), 1, 12), "year"),
        "<",
        ">",
        "=",
        "≥",
        "≤",
    ),
    rule(rf"(?<![A-Za-z0-9_]){_YEAR}\s?[-/]?\s?H(?P<half>[12])(?![A-Za-z0-9_])", _half, "h"),
    rule(rf"(?<![A-Za-z0-9_])H(?P<half>[12])(?:\s?[-/]?\s?|\s+(?:of|in)\s+){_YEAR}(?!\d)", _half, "h"),
)
