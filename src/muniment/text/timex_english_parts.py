"""English words before a date that pick a part of it or count from it: 'the end of', 'the first Friday of', 'two days before'.

Belongs here: those words, and what they make of the date behind them. Does not belong here: base spellings (`timex_english`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final, cast

from muniment.text.timex_amounts import AMOUNTS, after_amounts, amounts_in, shifted
from muniment.text.timex_calendar import (
    DAY,
    Days,
    Stretch,
    Unit,
    midnight,
    months_from,
    moved,
    nth_unit,
    nth_weekday,
    one,
    unit_at,
)
from muniment.text.timex_spellings import DAY as DAY_DIGITS
from muniment.text.timex_spellings import NUMBER_WORD, ORDINAL_WORD, WEEKDAYS, number

Read = Callable[["re.Match[str]", Days, datetime | None], Days]
Part = tuple["re.Pattern[str]", Read]
"""Words before (or, in Chinese, behind) a date, and how they change it. The reading raises `ValueError` where they do not."""

STEPS: Final = {
    "last": -1, "this past": -1, "previous": -1, "past": -1, "the preceding": -1, "preceding": -1, "this": 0, "current": 0,
    "this current": 0, "same": 0, "that": 0, "this coming": 1, "this upcoming": 1, "upcoming": 1, "next": 1, "coming": 1,
    "following": 1, "this following": 1, "this next": 1,
}  # fmt: skip
_ONE_OF: Final = {"last": -1, "final": -1, "penultimate": -2}

STEP = (
    r"(?P<step>last|this\s+past|this\s+coming|this\s+upcoming|this\s+current|this\s+following|"
    r"this|previous|preceding|past|current|"
    r"next|coming|upcoming|following)"
)
ORDINAL = rf"(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD}|last|final)"
_DAY_WORD = rf"(?P<dayword>{ORDINAL_WORD})"


def _yearly(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'last Christmas', 'the following Easter': of what comes every year, the one over, or to come."""
    if days.within is None or now is None:
        raise ValueError("does not come every year")
    by = STEPS[" ".join(match["step"].lower().split())]
    if by == 0:
        return days.named(now.year)
    around = [days.named(year).readings[0] for year in range(now.year - 1, now.year + 2)]
    fitting = [item for item in around if (item[1] <= now if by < 0 else item[0] > now)]
    return Days(readings=((max if by < 0 else min)(fitting),), unit=days.unit, ambiguous=days.ambiguous)


def end_of_day(days: Days) -> Days:
    """The last second of the days."""
    return Days(readings=tuple((end - (end - start) / 86_400, end) for start, end in days.readings), unit="minute")


def edge_of(days: Days, part: str) -> Days:
    """'the end of': a third of a month or year, Thursday to Sunday of a week, as are the middle and (Monday to Wednesday)
    the beginning; early and late are halves of longer units. Vague, so always ambiguous."""
    if not days.readings or days.unit == "day":
        return days if part not in ("end", "close") or not days.readings else end_of_day(days)
    found = []
    for start, end in days.readings:
        size = {"month": 10 * DAY, "week": 4 * DAY}.get(days.unit, (end - start) / 3)
        if days.unit == "week" and part in ("beginning", "start", "early"):
            size = 3 * DAY
        if part in ("early", "late", "later", "earlier"):
            half = months_from(start.year, start.month, 6)[1] if days.unit == "year" else start + (end - start) // 2
            half = start + 3 * DAY if days.unit == "week" else half
            found.append((start, half) if part.startswith("earl") else (half, end))
        elif days.unit == "year" and part in ("end", "close", "beginning", "start"):
            found.append(months_from(start.year, 9 if part in ("end", "close") else 1, 4))
        elif part in ("end", "close", "late"):
            found.append((max(start, end - size), end))
        elif part in ("beginning", "start"):
            found.append((start, min(end, start + size)))
        else:
            if days.unit == "year":
                found.append(months_from(start.year, 5, 4))
            elif days.unit == "month":
                found.append((start + 10 * DAY, start + 20 * DAY))
            else:
                found.append((midnight(start + (end - start) / 3), midnight(start + 2 * (end - start) / 3)))
    return Days(readings=tuple(found), unit=days.unit, ambiguous=True, first=days.first)


def _edge(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    part = match["part"].lower()
    if days.unit in ("day", "minute", "hour", "part") and part not in ("end", "close", "rest", "remainder"):
        raise ValueError("no part of a day")
    if part in ("rest", "remainder", "earlier", "later", "so far") and now is not None and len(days.readings) == 1:
        start, end = days.readings[0]
        if start <= now < end and part != "later":
            cut = midnight(now) if days.unit != "day" else now
            return one(
                (start, max(cut, start + DAY)) if part in ("earlier", "so far") else (cut, end),
                days.unit,
                ambiguous=True,
            )
        if start <= now < end:
            return one((midnight(now), end), days.unit, ambiguous=True)
    return edge_of(days, part if part not in ("rest", "remainder") else "end")


def _nth_of(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'the third week of', 'the first Friday in', 'the last three days of'."""
    words, what = match["nth"].lower(), match["what"].lower()
    nth = _ONE_OF.get(words) or number(words)
    said = match.groupdict().get("count")
    count = number(said) if said else 1
    found = []
    for stretch in days.readings:
        if what[:3] in WEEKDAYS and not what.startswith("month"):
            found.append(nth_weekday(stretch, WEEKDAYS[what[:3]], nth))
        else:
            unit = cast("Unit", what.rstrip("s"))
            found.append(nth_unit(stretch, unit, nth, count) if unit != "weekend" else _nth_weekend(stretch, nth))
    return Days(
        readings=tuple(found),
        unit="day" if what[:3] in WEEKDAYS and not what.startswith("month") else cast("Unit", what.rstrip("s")),
        ambiguous=days.ambiguous,
    )


def _nth_weekend(stretch: Stretch, nth: int) -> Stretch:
    start = nth_weekday(stretch, 5, nth)[0]
    return start, start + 2 * DAY


def _unit_of(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'the week of 10 April', 'the weekend of Halloween'."""
    unit = cast("Unit", match["unit"].lower())
    return Days(readings=tuple(unit_at(start, unit, 0) for start, _ in days.readings), unit=unit, first=days.first)


def _away(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'three months after Easter', 'two days before yesterday', 'the day after Christmas', 'the week before 3 May'."""
    if now is None and not days.readings:
        return Days()
    single = match.groupdict().get("single")
    amounts = amounts_in(f"a {single}" if single else match["amount"])
    way = -1 if match["way"].lower().startswith(("before", "prior")) else 1
    moved_to = [shifted(item, amounts, way, item[0]) for item in days.readings[:2]]
    if single and single.lower() != "day":
        unit = cast("Unit", single.lower())
        runs = [
            (moved(start, unit, -1), start) if way < 0 else (end, moved(end, unit, 1)) for start, end in days.readings
        ]
        return Days(readings=tuple(runs), unit=unit, ambiguous=True, first=days.first)
    first = len(moved_to) - 1 if days.weekday is not None and way > 0 else days.first
    return Days(readings=tuple(item.readings[0] for item in moved_to), unit="day", first=first)


def _starting(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'3 days starting from next Monday'."""
    amounts = amounts_in(match["amount"])
    return Days(
        readings=tuple((start, after_amounts(start, amounts)) for start, _ in days.readings),
        unit=days.unit,
        first=days.first,
    )


def _day_of(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'the 20th of next month'."""
    day = number(match.groupdict().get("day") or match["dayword"])
    if days.unit != "month":
        raise ValueError("not a day of a month")
    return Days(
        readings=tuple(nth_unit(stretch, "day", day) for stretch in days.readings), unit="day", first=days.first
    )


_WHAT = r"(?P<what>day|week|weekend|month|quarter|half|year|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)s?"
_OF = r"\s+(?:(?:of|in|from)\s+)?(?:the\s+)?$"

_UNITS: Final = ("day", "days", "week", "weeks", "weekend", "month", "months", "quarter", "half", "year", "years")

BEFORE: Final[tuple[tuple[re.Pattern[str], Read, frozenset[str]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), read, frozenset(endings))
    for pattern, read, endings in (
        (
            r"(?<!\w)(?:the\s+)?(?P<part>beginning|start|middle|end|close|rest|remainder)\s+of(?:\s+the)?\s+$",
            _edge,
            ("of", "the"),
        ),
        (r"(?<!\w)(?:the\s+)?(?P<part>end|rest)(?:\s+the)?\s+$", _edge, ("end", "rest", "the")),
        (
            r"(?<!\w)(?P<part>early|mid|late|middle|earlier|later)(?:\s+(?:in|on))?(?:\s+the)?[\s-]+$",
            _edge,
            ("early", "mid", "late", "middle", "earlier", "later", "in", "on", "the"),
        ),
        (
            rf"(?<!\w)(?:the\s+)?{ORDINAL}\s+(?:(?P<count>\d{{1,2}}|{NUMBER_WORD})\s+)?{_WHAT}{_OF}",
            _nth_of,
            ("of", "in", "from", "the", *_UNITS),
        ),
        (
            r"(?<!\w)(?:the\s+)?(?P<unit>weekend|week|month)\s+(?:of|starting|beginning|commencing)\s+(?:on\s+)?(?:the\s+)?$",
            _unit_of,
            ("of", "starting", "beginning", "commencing", "on", "the"),
        ),
        (rf"(?<!\w)(?:the\s+)?{STEP}\s+$", _yearly, {step.split()[-1] for step in STEPS}),
        (
            rf"(?<!\w)(?:less\s+than\s+|more\s+than\s+)?{AMOUNTS}\s+(?P<way>before|prior\s+to|after|from|since)\s+"
            r"(?:the\s+)?$",
            _away,
            ("before", "to", "after", "from", "since", "the"),
        ),
        (
            r"(?<!\w)the\s+(?P<single>day|week|month|year)\s+(?P<way>before|after)\s+(?:the\s+)?$",
            _away,
            ("before", "after", "the"),
        ),
        (
            rf"(?<!\w){AMOUNTS}\s+(?:starting|beginning)\s+(?:from\s+|on\s+)?$",
            _starting,
            ("starting", "beginning", "from", "on"),
        ),
        (
            rf"(?<!\w)(?:the\s+)?(?:{DAY_DIGITS}|{_DAY_WORD})(?:\s+day)?\s+of\s+(?:the\s+)?$",
            _day_of,
            ("of", "the"),
        ),
    )
)
"""Each with the words one of which stands right before the date; where none does, the pattern need not be tried."""
