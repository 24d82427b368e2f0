"""Amounts of time: 'two weeks', '1 month, 2 days and 3 hours', and what lies so far from a day, or runs up to it.

Belongs here: counting by amounts, for every language. Does not belong here: the words around them ('ago', 前).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, cast

from muniment.text.timex_calendar import DAY, Days, Stretch, Unit, day_of, midnight, moved, one, unit_at
from muniment.text.timex_spellings import COUNT, NUMBER_WORD, number, vague

Amount = tuple[int, Unit, str]
"""How many, of what, and the word that said how many."""

MANY = r"(?P<unit>minute|min|hour|hr|h(?=\W|$)|day|business\s+day|week|fortnight|month|mon|quarter|year|yr|decade)s?(?![a-z])"
_WHOLE_AND_HALF = (
    r"(?:\d{1,2}\.5\s?(?:hour|hr|day|month|year|yr|decade)s?|"
    r"(?:an?|one)\s+(?:hour|day|month|year|decade)\s+and\s+a\s+half|"
    rf"(?:\d{{1,2}}|{NUMBER_WORD})\s+and\s+a\s+half\s+(?:hour|day|month|year|decade)s)(?![a-z])"
)
AMOUNT_SOURCE = (
    rf"(?:{_WHOLE_AND_HALF}|(?:\d{{1,3}}|an?\s+(?:couple|few)|couple|few|several|an?(?![a-z])|{NUMBER_WORD})\s?"
    r"(?:more\s+|of\s+)?"
    r"(?:minute|min|hour|hr|h(?=\W|$)|day|business\s+day|week|fortnight|month|mon|quarter|year|yr|decade)s?(?![a-z]))"
)
_HALVES: Final = {
    "hour": "30 minutes",
    "hr": "30 minutes",
    "day": "12 hours",
    "month": "15 days",
    "year": "6 months",
    "yr": "6 months",
    "decade": "5 years",
}
_AND_A_HALF: Final = re.compile(
    r"(?P<count>\d{1,2})\.5\s?(?P<unit>hour|hr|day|month|year|yr|decade)s?|"
    r"(?P<one>an?|one)\s+(?P<unit2>hour|day|month|year|decade)\s+and\s+a\s+half|"
    r"(?P<count3>[\w-]+)\s+and\s+a\s+half\s+(?P<unit3>hour|day|month|year|decade)s",
    re.IGNORECASE,
)
AMOUNT = re.compile(rf"{COUNT}\s?(?:more\s+|of\s+)?{MANY}", re.IGNORECASE)
AMOUNTS = rf"(?P<amount>{AMOUNT_SOURCE}(?:(?:,?\s+and\s+|,\s*|\s+){AMOUNT_SOURCE}){{0,3}})"
_FINENESS: Final = ["minute", "hour", "day", "business day", "week", "fortnight", "month", "quarter", "year", "decade"]


def _in_full(match: re.Match[str]) -> str:
    """'1.5 years', 'a year and a half' as '1 year 6 months'."""
    unit = (match["unit"] or match["unit2"] or match["unit3"]).lower()
    return f"{match['count'] or match['one'] or match['count3']} {unit} {_HALVES[unit]}"


def amounts_in(text: str) -> list[Amount]:
    """The amounts of '1 month, 2 days and 3 hours'. Raises `ValueError`."""
    text = _AND_A_HALF.sub(_in_full, text)
    found = []
    for match in AMOUNT.finditer(text):
        unit = " ".join(match["unit"].lower().split())
        unit = {"min": "minute", "hr": "hour", "h": "hour", "yr": "year", "mon": "month"}.get(unit, unit)
        found.append((number(match["count"]), cast("Unit", unit), match["count"]))
    return found


def shifted(at: Stretch, amounts: list[Amount], way: int, now: datetime) -> Days:
    """What lies those amounts before (-1) or behind (1) a stretch: a day, or an instant where hours or minutes are counted.

    A vague count names a stretch: 'a few weeks' from five to two, 'a couple' from three to one, months of thirty days.
    """
    if len(amounts) == 1 and vague(amounts[0][2]):
        unit = amounts[0][1]
        size = 30 * DAY if unit == "month" else moved(at[0], unit, 1) - at[0]
        near, far = sorted(
            midnight(at[0]) + way * count * size for count in ((1, 3) if "couple" in amounts[0][2].lower() else (2, 5))
        )
        return one((near, far + DAY), unit, ambiguous=True)
    fine = any(unit in ("minute", "hour") for _, unit, _ in amounts)
    start = now if fine and at == day_of(now) else at[0]
    for count, unit, _ in amounts:
        if str(unit) == "business day":
            for _ in range(count):
                start += way * DAY
                while start.weekday() > 4:
                    start += way * DAY
        else:
            start = moved(start, unit, way * count)
    finest = min((unit for _, unit, _ in amounts), key=_FINENESS.index)
    if fine:
        return one((start, start + (moved(start, "minute", 1) - start)), "minute")
    return one(day_of(start), finest)


def run(count: int, unit: Unit, way: int, now: datetime, *, ambiguous: bool = False, today: bool = False) -> Days:
    """The `count` units before today, or those behind it (`today`: with it); quarters and decades are whole ones."""
    start, end = day_of(now)
    if unit in ("quarter", "decade"):
        edges = unit_at(now, unit, way), unit_at(now, unit, way * count)
        return one((min(edges)[0], max(edges)[1]), unit, ambiguous=ambiguous)
    if unit in ("minute", "hour"):
        edge = moved(now, unit, way * count)
        return one((min(now, edge), max(now, edge)), unit, ambiguous=ambiguous)
    if str(unit) == "business day":
        first = last = now + way * DAY
        while first.weekday() > 4:
            first = last = first + way * DAY
        for _ in range(count - 1):
            last += way * DAY
            while last.weekday() > 4:
                last += way * DAY
        return one((min(midnight(first), midnight(last)), max(day_of(first)[1], day_of(last)[1])), "day")
    if way < 0:
        return one((moved(start, unit, -count), end), unit, ambiguous=ambiguous)
    begin = start if today else end
    return one((begin, moved(begin, unit, count)), unit, ambiguous=ambiguous)


def after_amounts(start: datetime, amounts: list[Amount]) -> datetime:
    """The instant so much later. Raises `OverflowError` or `ValueError` beyond the calendar."""
    for count, unit, _ in amounts:
        start = moved(start, unit, count)
    return start
