"""English dates told from the day they are said: yesterday, 'last Friday's week', 'three weeks ago', 'the next five days'.

Belongs here: those spellings. Does not belong here: dates by name or number (`timex_english`), parts of a date
(`timex_english_parts`).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, cast

from muniment.text.timex_amounts import (
    AMOUNT,
    AMOUNT_SOURCE,
    AMOUNTS,
    MANY,
    after_amounts,
    amounts_in,
    run,
    shifted,
)
from muniment.text.timex_calendar import (
    DAY,
    Days,
    Unit,
    day_of,
    midnight,
    nearest,
    one,
    unit_at,
    year_of,
)
from muniment.text.timex_digits import Rule, rule
from muniment.text.timex_english_parts import STEP, STEPS, edge_of, end_of_day
from muniment.text.timex_hours import ENGLISH_CLOCK, english_clock, last_at, next_at
from muniment.text.timex_spellings import (
    COUNT,
    WEEKDAY,
    WEEKDAYS,
    number,
    vague,
)

_OFFSETS: Final = {
    "yesterday": -1, "yday": -1, "today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomo": 1, "the day before yesterday": -2,
    "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2,
    "the day after tmrw": 2, "day after tmrw": 2, "the day after tmr": 2, "day after tmr": 2,
}  # fmt: skip

_WAY = r"(?P<step>last|past|previous|preceding|next|coming|upcoming|following)"
_UNIT = r"(?P<unit>day|weekend|work(?:ing)?\s?week|week|fortnight|month|quarter|(?:calendar\s+)?year|decade|century)"
_LONG = r"(?P<unit>day|business\s+day|week|fortnight|month|quarter|year|decade)s?(?![a-z])"


def _year_to_date(match: re.Match[str], now: datetime | None) -> Days:
    return one((year_of(now.year)[0], day_of(now)[1]), "day") if now else Days()


def _offset(match: re.Match[str], now: datetime | None) -> Days:
    if now is None:
        return Days()
    return one(unit_at(now, "day", _OFFSETS[" ".join(match["name"].lower().split())]), "day")


def _part_of_day(match: re.Match[str], now: datetime | None) -> Days:
    """'tonight', 'last night', 'this morning', 'next evening': a day, with the part of it."""
    part = match.groupdict().get("part")
    by = STEPS[" ".join(match["step"].lower().split())] if part else 0
    if now is None:
        return Days()
    return Days(readings=(unit_at(now, "day", by),), part=part.lower() if part else "night")


def _weekend(match: re.Match[str], now: datetime | None) -> Days:
    """'on the weekend': the last and the coming one."""
    if now is None:
        return Days(unit="weekend")
    return Days(readings=nearest([unit_at(now, "weekend", by) for by in (-1, 0, 1)], now), unit="weekend")


def _stepped(match: re.Match[str], now: datetime | None) -> Days:
    """'next month', 'last weekend', 'the current quarter'."""
    if now is None:
        return Days()
    unit, by = match["unit"].lower().split()[-1], STEPS[" ".join(match["step"].lower().split())]
    if "work" in match["unit"].lower():
        start = unit_at(now, "week", by)[0]
        return one((start, start + 5 * DAY), "week")
    if unit == "weekend" and "coming" in match["step"].lower():
        by = 0 if now.weekday() < 5 else 1
        return one(unit_at(now, "weekend", by), "weekend")
    return one(
        unit_at(now, cast("Unit", unit), by),
        cast("Unit", unit),
        ambiguous=unit == "weekend" and now.weekday() > 4 and by != 0,
    )


def _weekends(match: re.Match[str], now: datetime | None) -> Days:
    """'two weekends ago'."""
    by = number(match["count"]) * (-1 if match["way"].lower() == "ago" else 1)
    return one(unit_at(now, "weekend", by), "weekend") if now else Days()


def _all_of(match: re.Match[str], now: datetime | None) -> Days:
    """'all week', 'the whole year': the one it is said in."""
    unit = cast("Unit", match["unit"].lower())
    return one(unit_at(now, unit, 0), unit) if now else Days()


def _ago(match: re.Match[str], now: datetime | None) -> Days:
    """'three weeks ago', 'in two days', '4 weeks from now'."""
    if now is None:
        return Days()
    return shifted(day_of(now), amounts_in(match["amount"]), 1 if match.groupdict().get("ahead") else -1, now)


def _within(match: re.Match[str], now: datetime | None) -> Days:
    """'within two weeks', 'within the next day and 5 hours': from today on, or from now where hours are counted."""
    if now is None:
        return Days()
    said = match["amount"] if AMOUNT.match(match["amount"]) else f"a {match['amount']}"
    amounts = amounts_in(said)
    fine = any(unit in ("minute", "hour") for _, unit, _ in amounts)
    start = now if fine else midnight(now)
    return one(
        (start, after_amounts(start, amounts)), amounts[-1][1], ambiguous=any(vague(word) for *_, word in amounts)
    )


def _half_ago(match: re.Match[str], now: datetime | None) -> Days:
    halves: dict[str, tuple[int, Unit]] = {
        "hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month"), "century": (50, "year")
    }  # fmt: skip
    count, unit = halves[match["unit"].lower()]
    return (
        shifted(day_of(now), [(count, unit, "")], 1 if match["ahead"] or match["later"] else -1, now) if now else Days()
    )


def _run(match: re.Match[str], now: datetime | None) -> Days:
    """'the last three months', 'the next 5 days', 'within 2 weeks': up to today or from now on; quarters and decades whole."""
    if now is None:
        return Days()
    groups = match.groupdict()
    words = " ".join((groups.get("step") or "next").lower().split())
    way = STEPS.get(words, 1)
    way = 1 if way == 0 else way
    ((count, unit, word),) = amounts_in(
        (groups.get("count") or ("1" if "count" in groups and groups["count"] == "" else "few")) + " " + match["unit"]
    )
    return run(count, unit, way, now, ambiguous=vague(word), today=bool(groups.get("within")))


def _to_clock(match: re.Match[str], now: datetime | None) -> Days:
    """'between now and eight o'clock', 'from 8 am to now'."""
    hours = english_clock(match)
    if now is None or hours is None:
        return Days()
    ends = (now, next_at(hours, now)) if match.groupdict().get("till") else (last_at(hours, now), now)
    return Days(readings=(ends,), unit="minute", ambiguous=hours.ambiguous, closed=True)


def _several_weekdays(match: re.Match[str], now: datetime | None) -> Days:
    """'two Sundays from now'."""
    if now is None:
        return Days()
    weekday, count = WEEKDAYS[match["weekday"][:3].lower()], number(match["count"])
    ahead = (weekday - now.weekday()) % 7 or 7
    by = ahead + 7 * (count - 1) if match["way"].lower() == "from now" else ahead - 7 * count
    return one(day_of(now + by * DAY), "day", ambiguous=True)


def _implied(match: re.Match[str], now: datetime | None) -> Days:
    """'end of month', 'eoy': the end of the unit it is said in."""
    if now is None:
        return Days()
    unit = {"d": "day", "w": "week", "m": "month", "y": "year"}[match["unit"].lower()]
    if unit == "day":
        return end_of_day(one(unit_at(now, "day", 0), "day"))
    return edge_of(one(unit_at(now, cast("Unit", unit), 0), cast("Unit", unit)), "end")


def _the_unit(match: re.Match[str], now: datetime | None) -> Days:
    """'the month' behind 'the end of': the one it is said in."""
    unit = cast("Unit", match["unit"].lower())
    return Days(readings=(unit_at(now, unit, 0),), unit=unit, weak=True) if now else Days(unit=unit, weak=True)


def _beyond_of(match: re.Match[str], now: datetime | None) -> Days:
    unit = cast("Unit", match["unit"].lower())
    return one(unit_at(now, unit, 2 if match["way"].lower().startswith("after") else -2), unit) if now else Days()


def _coming(match: re.Match[str], now: datetime | None) -> Days:
    return shifted(day_of(now), amounts_in(match["amount"] or match["later"]), 1, now) if now else Days()


_UNIT_CUES: Final = ("day", "week", "fortnight", "month", "quarter", "year", "decade", "century")
_WAY_CUES: Final = ("last ", "past ", "previous ", "preceding ", "next ", "coming ", "upcoming ", "following ")

RULES: Final[tuple[Rule, ...]] = (
    rule(
        r"(?<!\w)(?:from|between)\s+(?:right\s+)?now\s+(?P<till>to|and|till|until)\s+(?:" + ENGLISH_CLOCK.pattern + ")",
        _to_clock,
        "now",
    ),
    rule(
        r"(?<!\w)(?:from|between)\s+(?:" + ENGLISH_CLOCK.pattern + r")\s+(?:to|and|till|until)\s+now(?!\w)",
        _to_clock,
        "now",
    ),
    rule(r"(?<!\w)(?:the\s+)?(?:year[\s-]to[\s-]date|ytd)(?!\w)", _year_to_date, "to date", "to-date", "ytd"),
    rule(
        r"(?<!\w)(?P<name>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|"
        r"(?:the\s+)?day\s+after\s+tmrw?|yesterday|yday|today|tomorrow|tmrw?|tomo)(?!\w)",
        _offset,
        "day",
        "tmr",
        "tomo",
    ),
    rule(r"(?<!\w)(?:tonight|tonite)(?!\w)", _part_of_day, "tonight", "tonite"),
    rule(
        r"(?<!\w)(?P<step>this|last|next)\s+(?P<part>morning|afternoon|evening|night)(?!\w)",
        _part_of_day,
        "morning",
        "afternoon",
        "evening",
        "night",
    ),
    rule(
        r"(?<!\w)(?:on|over|at|during|for|by|until)\s+(?P<date>(?:the\s+)?weekend)(?!\w)(?!\s+of\b)",
        _weekend,
        "weekend",
    ),
    rule(rf"(?<!\w)(?:the\s+)?{STEP}\s+{_UNIT}(?![a-z])", _stepped, *_UNIT_CUES),
    rule(
        r"(?<!\w)(?:the\s+)?(?P<unit>weekend|week|month|quarter|year)\s+(?P<way>after\s+next|before\s+last)(?!\w)",
        _beyond_of,
        "after next",
        "before last",
    ),
    rule(rf"(?<!\w)(?<!\d[.,]){AMOUNTS}\s+ago(?!\w)", _ago, "ago"),
    rule(
        rf"(?<!\w){COUNT}\s+weekends\s+(?P<way>ago|from\s+now)(?!\w)",
        _weekends,
        "weekends",
    ),
    rule(
        r"(?<!\w)(?:all|(?:the\s+)?(?:whole|entire))\s+(?P<unit>day|week|month|quarter|year)"
        r"(?!\w)(?!\s+(?:of|round))",
        _all_of,
        "all ",
        "whole",
        "entire",
    ),
    rule(
        r"(?<!\w)(?:(?P<ahead>in)\s+)?half\s+an?\s+(?P<unit>hour|day|month|year|century)(?(ahead)"
        r"(?!\w)|\s+(?:ago|(?P<later>from\s+now))(?!\w))",
        _half_ago,
        "half a",
    ),
    rule(
        rf"(?<!\w)(?:(?P<ahead>in)\s+(?:about\s+|around\s+|roughly\s+|approximately\s+|under\s+|"
        rf"less\s+than\s+)?{AMOUNTS}(?!\s*'|\s+(?:a|per)\s)(?:\s+time)?|"
        rf"{AMOUNTS.replace('P<amount>', 'P<later>')}\s+(?:from\s+now|hence|later)(?!\w))",
        _coming,
        "in ",
        "from now",
        "hence",
        "later",
    ),
    rule(
        rf"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?{_WAY}\s+(?:{COUNT}\s+(?:of\s+)?)?{MANY}(?<=s)", _run, *_WAY_CUES
    ),
    rule(
        r"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?(?P<step>next|past)\s+(?P<unit>hour|minute)(?!\w)(?P<count>)",
        _run,
    ),
    rule(rf"(?<!\w)(?:the\s+)?(?P<step>last|past|previous|next|coming|following)\s+{COUNT}\s+{MANY}", _run, *_WAY_CUES),
    rule(rf"(?<!\w){COUNT}\s+{_WAY}\s+{MANY}(?<=s)", _run, *_WAY_CUES),
    rule(
        rf"(?<!\w)within\s+(?:(?:the\s+)?(?:next|coming|upcoming|following)\s+)?(?P<amount>(?P<head>(?:"
        rf"{AMOUNT_SOURCE}|(?:hour|day|week|month|year)(?=\s+and\s)))(?:(?:,?\s+and\s+|,\s*|"
        rf"\s+){AMOUNT_SOURCE}){{0,4}})",
        _within,
    ),
    rule(rf"(?<!\w){COUNT}\s+{_LONG}\s+in\s+the\s+future", _run, "future"),
    rule(
        rf"(?<!\w)(?P<count>two|three|four|\d)\s+{WEEKDAY.replace('(?:day)?', 'days')}\s+(?P<way>from\s+now|ago)(?!\w)",
        _several_weekdays,
        "days from",
        "days ago",
    ),
    rule(r"(?<!\w)(?:the\s+)?eo(?P<unit>[dwmy])(?!\w)", _implied, "eod", "eow", "eom", "eoy"),
    rule(r"(?<!\w)(?:the\s+)?(?P<unit>day|week|month|quarter|year)(?![\w'-])", _the_unit, *_UNIT_CUES),
)
