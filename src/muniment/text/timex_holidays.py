"""Days with a name, by the year: Christmas, the fourth Thursday of November, Easter, 春节.

The names are `lexicons/holidays.toml`, the Chinese calendar `lexicons/lunar.toml`.

Belongs here: on which day a named or lunar day falls. Does not belong here: which of two years is meant (`timex`).
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from typing import Final, Literal

from muniment.text.lexicon import lexicon
from muniment.text.timex_calendar import (
    Days,
    Stretch,
    Within,
    date_of,
    day_of,
    easter,
    floating,
    months_from,
    nth_weekday,
)
from muniment.text.timex_digits import Rule, rule
from muniment.text.timex_spellings import WEEKDAYS

_LUNAR_MONTHS: Final = {name: place for place, name in enumerate("正二三四五六七八九十", start=1)} | {
    "一": 1, "十一": 11, "冬": 11, "十二": 12, "腊": 12, "臘": 12
}  # fmt: skip


def holidays(tongue: Literal["english", "chinese"]) -> Rule:
    """The rule for the days with a name in that language."""
    days = [
        (_within(way, key), "|".join(names).replace(" ?", r"\s?").replace(" ", r"\s+"))
        for way, days in lexicon("holidays")[tongue].items()
        for key, names in days.items()
    ]
    names = "|".join(f"(?P<d{place}>{pattern})" for place, (_, pattern) in enumerate(days))

    def read(match: re.Match[str], now: datetime | None) -> Days:
        return floating(days[int((match.lastgroup or "d0")[1:])][0], now, "day")

    pattern = rf"(?<!\w)(?:{names})(?!\w)" if tongue == "english" else f"(?:{names})"
    return rule(pattern, read, *lexicon("holidays")["cues"][tongue])


def _within(way: str, key: str) -> Within:
    if way == "nth":
        month, weekday, nth = key.partition("+")[0].split("-", 2)
        later = timedelta(days=int(key.partition("+")[2] or 0))

        def behind(year: int) -> Stretch:
            start, end = nth_weekday(months_from(year, int(month)), WEEKDAYS[weekday], int(nth))
            return start + later, end + later

        return behind
    if way == "term":
        return lambda year: date_of(year, 4, _clear_and_bright(year))
    if way == "easter":
        return lambda year: day_of(easter(year) + timedelta(days=int(key)))
    monthly, daily = (int(part) for part in key.split("-"))
    if way == "lunar":
        return lambda year: lunar_day(year, monthly, daily)
    return lambda year: date_of(year, monthly, daily)


def _clear_and_bright(year: int) -> int:
    """The April day of 清明 by the usual mean formula, right for 1901 to 2099. Raises `ValueError` outside."""
    if not 1901 <= year <= 2099:
        raise ValueError("no formula for that year")
    past = year % 100
    return int(past * 0.2422 + (5.59 if year < 2000 else 4.81)) - past // 4


@cache
def _years() -> dict[int, tuple[str, int, str]]:
    rows = (line.split() for line in lexicon("lunar")["years"].split("\n") if line.strip())
    return {int(year): (start, int(leap), lengths) for year, start, leap, lengths in rows}


def lunar_day(year: int, month: int, day: int, *, leap: bool = False) -> Stretch:
    """The civil day of a day of the Chinese calendar; day 0 is the last of its month. Raises `ValueError` outside 1900..2099,
    or where there is none."""
    if year not in _years():
        raise ValueError("no lunar calendar for that year")
    start, leaps, lengths = _years()[year]
    if leap and leaps != month:
        raise ValueError("no such leap month")
    place = month - 1 + (1 if leaps and (month > leaps or leap) else 0)
    size = [30 if length == "+" else 29 for length in lengths]
    if not 1 <= month <= 12 or not 0 <= day <= size[place]:
        raise ValueError("no such day")
    first = datetime.fromisoformat(f"{year}-{start}") + timedelta(days=sum(size[:place]))
    return day_of(first + timedelta(days=(day or size[place]) - 1))


def lunar_month(word: str) -> int:
    """A month of the Chinese calendar by its name: 正, 腊, 十, 8. Raises `ValueError`."""
    if word in _LUNAR_MONTHS:
        return _LUNAR_MONTHS[word]
    if word.isascii() and word.isdigit():
        return int(word)
    raise ValueError(word)


def in_lunar_year(word: str, day: int, now: datetime | None, year: int | None, leap: bool) -> Days:
    """A day of the Chinese calendar, of the year named or of those around."""
    month = lunar_month(word)

    def within(named: int) -> Stretch:
        return lunar_day(named, month, day, leap=leap)

    return floating(within, now, "day") if year is None else Days(readings=(within(year),))
