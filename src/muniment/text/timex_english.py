"""How English spells dates: 'the second of May', 'last Friday', 'three weeks ago', 'the end of next month', 'the seventies'.

Belongs here: base spellings, and the words that pick a part of one. Does not belong here: prepositions and ranges (`timex`),
times of day (`timex_hours`), dates in digits (`timex_digits`).
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
    Stretch,
    Unit,
    date_of,
    day_of,
    floating,
    iso_week,
    midnight,
    months_from,
    nearest,
    one,
    unit_at,
    weekday_of,
    year_of,
)
from muniment.text.timex_digits import Rule, quarter, rule
from muniment.text.timex_english_parts import STEP, STEPS, edge_of, end_of_day
from muniment.text.timex_holidays import holidays
from muniment.text.timex_spellings import (
    COUNT,
    DAY_CARDINAL,
    FULL_WEEKDAY,
    MONTH,
    MONTHS,
    ORDINAL_WORD,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    YEAR_WORDS,
    month_of,
    number,
    short_year,
    vague,
    year_in_words,
)
from muniment.text.timex_spellings import DAY as DAY_DIGITS

_OFFSETS: Final = {
    "yesterday": -1, "yday": -1, "today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomo": 1, "the day before yesterday": -2,
    "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2, "the day after tmrw": 2, "day after tmrw": 2, "the day after tmr": 2, "day after tmr": 2,
}  # fmt: skip
_SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""First months of the meteorological seasons of the northern hemisphere; always ambiguous."""
_DECADES: Final = {word: 10 * place for place, word in enumerate(
    ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"], start=2
)}  # fmt: skip

_WAY = r"(?P<step>last|past|previous|preceding|next|coming|upcoming|following)"
_UNIT = r"(?P<unit>day|weekend|work(?:ing)?\s?week|week|fortnight|month|quarter|(?:calendar\s+)?year|decade|century)"
_LONG = r"(?P<unit>day|business\s+day|week|fortnight|month|quarter|year|decade)s?(?![a-z])"
_DAY_WORD = rf"(?P<dayword>{ORDINAL_WORD})"
_ANY_YEAR = rf"(?:{YEAR}(?!\d)|{YEAR_WORDS}|'(?P<short>\d\d)(?!\d))"
_PREPOSITION = r"(?:in|since|until|till|from|by|during|of|before|after|through|thru|to|and|starting|around|early|late|mid|back\s+in|throughout|between|than)"
_IN_YEAR = r"(?:in|since|until|till|during|before|after|starting|early|late|mid|back\s+in|throughout|between)"
_FUNCTION = "and|or|but|to|until|till|on|i|we|he|she|they|it|was|is|were|when|that|which|at|in|as|for|with|because|so|then|the|my|our"
_MONTH_AHEAD = MONTH.replace("?P<month>", "?:")
_PREFIX: Final = re.compile(rf"(?<!\w){_PREPOSITION}[\s-]+$", re.IGNORECASE)
_NOT_COUNTED = r"(?!\s(?:dollars|euros|pounds|people|km|kg|miles|times|words|users|steps|calories|%))"


def _year(match: re.Match[str], now: datetime | None) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    if groups.get("yearwords"):
        return year_in_words(groups["yearwords"])
    return short_year(int(groups["short"]), now.year if now else None) if groups.get("short") else None


def _dated(match: re.Match[str], now: datetime | None) -> Days:
    """A month with the day and the year as far as they are said."""
    groups = match.groupdict()
    month = month_of(groups["month"])
    said = groups.get("day") or groups.get("dayword")
    day = number(said) if said else None
    if day is not None:
        date_of(2024, month, day)

    def within(year: int) -> Stretch:
        return months_from(year, month) if day is None else date_of(year, month, day)

    year = _year(match, now)
    if year is not None:
        return one(within(year), "month" if day is None else "day")
    found = floating(
        within,
        now,
        "month" if day is None else "day",
        weak=day is None and "date" not in groups and "step" not in groups,
    )
    step = groups.get("step")
    if step and now is not None:
        by = STEPS[" ".join(step.lower().split())]
        if by == 0:
            return found.named(now.year)
        begun = (
            [item for item in found.readings if item[1] <= now]
            if by < 0
            else [item for item in found.readings if item[0] > now]
        )
        other = now.year + by
        named = within(other)
        return (
            Days(readings=tuple(sorted({*begun, named})), first=None, ambiguous=begun != [named], unit=found.unit)
            if begun
            else one(named, found.unit)
        )
    return found


def _month_year(match: re.Match[str], now: datetime | None) -> Days:
    return _dated(match, now)


def _bare_year(match: re.Match[str], now: datetime | None) -> Days:
    year = _year(match, now)
    found = one(year_of(year or 0), "year")
    return found if "date" in match.groupdict() else Days(readings=found.readings, unit="year", weak=True)


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
    return one(
        unit_at(now, cast("Unit", unit), by),
        cast("Unit", unit),
        ambiguous=unit == "weekend" and now.weekday() > 4 and by != 0,
    )


def _beyond(match: re.Match[str], now: datetime | None) -> Days:
    """'the week after next', 'the year before last'."""
    unit = cast("Unit", match["unit"].lower())
    return one(unit_at(now, unit, 2 if match["way"].lower() == "after" else -2), unit) if now else Days()


def _season(match: re.Match[str], now: datetime | None) -> Days:
    month = _SEASONS[match["season"].lower()]

    def within(year: int) -> Stretch:
        return months_from(year, month, 3)

    year, step = _year(match, now), match.groupdict().get("step")
    if year is not None:
        return one(within(year), "season", ambiguous=True)
    found = floating(within, now, "season", ambiguous=True, weak=step is None and not match.groupdict().get("date"))
    if step and now is not None:
        by = STEPS[" ".join(step.lower().split())]
        if by == 0:
            return one(within(now.year), "season", ambiguous=True)
        over = [
            item for item in (within(now.year + by), within(now.year)) if (item[1] <= now if by < 0 else item[0] > now)
        ]
        return Days(readings=((max if by < 0 else min)(over),), unit="season", ambiguous=True)
    return found


def _weekday(match: re.Match[str], now: datetime | None) -> Days:
    """A bare day of the week: the last and the coming one. With a step, of the week before or after; where that day lies
    between, the nearer one is as good ('next Thursday', said on a Monday)."""
    groups = match.groupdict()
    weekday = WEEKDAYS[match["weekday"][:3].lower()]
    weak = not groups.get("step") and "date" not in groups and not match[0].lower().rstrip(".").endswith("day")
    if now is None:
        return Days(weekday=weekday, weak=weak)
    step = groups.get("step")
    if not step:
        around = [weekday_of(now, weekday, weeks) for weeks in (-1, 0, 1)]
        return Days(readings=nearest(around, midnight(now)), weekday=weekday, weak=weak)
    words = " ".join(step.lower().split())
    by = STEPS[words]
    if by == 0:
        return one(weekday_of(now, weekday, 0), "day")
    near = weekday_of(now, weekday, 0)
    between = near[0] > midnight(now) if by > 0 else near[1] <= midnight(now)
    far = weekday_of(now, weekday, by)
    if words in ("coming", "this coming", "upcoming", "this upcoming", "this past", "past"):
        return one(near if between else far, "day")
    readings = tuple(sorted({far, near})) if between else (far,)
    return Days(readings=readings, ambiguous=between, first=readings.index(far))


def _day_of_month(match: re.Match[str], now: datetime | None) -> Days:
    """'the 15th': that day of this month, or of the nearest that has it."""
    day = number(match.groupdict().get("day") or match["dayword"])
    return day_of_month(day, now, weak="date" not in match.groupdict())


def day_of_month(day: int, now: datetime | None, *, weak: bool = False) -> Days:
    """A day without its month: the last that is past and the next to come."""
    if now is None:
        return Days(month_day=day, weak=weak)
    months = [months_from(now.year, now.month + by) for by in range(-2, 3)]
    around = [day_of(start + (day - 1) * DAY) for start, end in months if start + (day - 1) * DAY < end]
    return Days(readings=nearest(around, midnight(now)), month_day=day, weak=weak)


def _weekday_and_day(match: re.Match[str], now: datetime | None) -> Days:
    """'Friday the 26th': the nearest days that are both."""
    day, weekday = number(match.groupdict().get("day") or match["dayword"]), WEEKDAYS[match["weekday"][:3].lower()]
    if now is None:
        return Days(weekday=weekday)
    months = [months_from(now.year, now.month + by) for by in range(-14, 15)]
    around = [day_of(start + (day - 1) * DAY) for start, end in months if start + (day - 1) * DAY < end]
    return Days(readings=nearest([item for item in around if item[0].weekday() == weekday], midnight(now)))


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


def _quarter(match: re.Match[str], now: datetime | None) -> Days:
    """'the third quarter', 'the first half', of a year said beside it."""
    nth = number(match["nth"]) if match["nth"] else int(match["q"])
    if match["q"] or match["what"].lower() == "quarter":
        return quarter(nth, None, now)
    return floating(lambda year: months_from(year, 6 * nth - 5, 6), now, "half", weak=True)


def _decade(match: re.Match[str], now: datetime | None) -> Days:
    """'the 70s', 'the seventies', '1990s', 'the twenty-tens', 'the two thousands'."""
    groups = match.groupdict()
    if groups.get("full"):
        return one(months_from(int(groups["full"]), 1, 120), "decade")
    if groups.get("named"):
        return one(months_from(2000 if "thousand" in groups["named"].lower() else 2010, 1, 120), "decade")
    value = int(groups["tens"]) if groups.get("tens") else _DECADES[groups["word"].lower()]
    century = groups.get("age")
    if century:
        return one(
            months_from({"eighteen": 1800, "nineteen": 1900, "twenty": 2000}[century.lower()] + value, 1, 120), "decade"
        )
    return one(months_from((1900 if value > 20 else 2000) + value, 1, 120), "decade", ambiguous=value <= 40)


def _century(match: re.Match[str], now: datetime | None) -> Days:
    nth = number(match["nth"])
    return one(months_from(max(1, 100 * (nth - 1)), 1, 1200 if nth > 1 else 1188), "century")


def _week_number(match: re.Match[str], now: datetime | None) -> Days:
    week = int(match["week"])
    return (
        floating(lambda year: iso_week(year, week), now, "week")
        if now is None
        else Days(readings=(iso_week(now.year, week),), unit="week", within=lambda year: iso_week(year, week))
    )


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


_MONTH_CUES: Final = tuple(MONTHS)
_WEEKDAY_CUES: Final = tuple(WEEKDAYS)
_UNIT_CUES: Final = ("day", "week", "fortnight", "month", "quarter", "year", "decade", "century")
_WAY_CUES: Final = ("last ", "past ", "previous ", "preceding ", "next ", "coming ", "upcoming ", "following ")

RULES: Final[tuple[Rule, ...]] = (
    rule(rf"(?<!\w){MONTH}\s?,\s?(?:the\s+)?{DAY_DIGITS}(?<=[a-z])(?![\w:/])(?:,?\s+{_ANY_YEAR})?", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){MONTH}\s+of\s+'?(?P<short>\d\d)(?![\w:/%-])", _month_year, *_MONTH_CUES),
    rule(
        r"(?<![\w-])(?<!\d\s)(?-i:(?P<date>(?P<month>January|February|July|September|October|November|December)))(?![\w'-])",
        _dated,
    ),
    rule(
        rf"(?<!\w)(?!(?:may|march)\s+(?!(?:twenty|thirty)[ -])){MONTH}\s+(?P<dayword>{DAY_CARDINAL})(?!\s*(?:percent|people|times))(?:,?\s+(?:of\s+)?{_ANY_YEAR})?",
        _dated, *_MONTH_CUES),
    rule(
        rf"(?<!\w)(?P<dayword>{DAY_CARDINAL})\s+(?:of\s+)?(?!(?:may|march)\s+[a-z]){MONTH}(?![a-z])(?:,?\s+{_ANY_YEAR})?",
        _dated, *_MONTH_CUES),
    rule(
        rf"(?<![\w.:]){DAY_DIGITS}(?:\s+(?:of\s+)?|\s?[-/.]\s?|\s?(?:of\s+))?{MONTH}(?![a-z])(?:(?:,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?",
        _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){_DAY_WORD}\s+of\s+{MONTH}(?![a-z])(?:,?\s+(?:of\s+|in\s+)?{_ANY_YEAR})?", _dated, *_MONTH_CUES),
    rule(
        rf"(?<!\w){MONTH}(?:\s+(?:the\s+)?|[-/.]\s?)?{DAY_DIGITS}(?![\w:/])(?!\.\d)(?!\s?(?:[ap]\.?m\b|%))(?:(?:\s?,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?",
        _dated, *_MONTH_CUES),
    rule(
        rf"(?<!\w)(?!(?:may|march)\s+(?!the|(?:twenty|thirty)[ -])){MONTH}\s+(?:the\s+)?{_DAY_WORD}(?:,?\s+(?:of\s+)?{_ANY_YEAR})?",
        _dated, *_MONTH_CUES),
    rule(rf"(?<!\w)(?<!\d ){MONTH}(?:\s?,\s?|\s+|-|/)(?:of\s+|in\s+)?{_ANY_YEAR}", _month_year, *_MONTH_CUES),
    rule(rf"(?<!\w)(?<!\d\s){MONTH}\s(?P<short>\d\d)(?![\w:/%-])(?<=[4-9]\d)", _month_year, *_MONTH_CUES),
    rule(rf"(?<!\w){YEAR}[\s/-]{MONTH}(?![a-z])(?:[\s/-]{DAY_DIGITS}(?![\w:]))?", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){YEAR}/{DAY_DIGITS}/{MONTH}(?![a-z])", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){_PREPOSITION}[\s-]+(?!(?-i:may|march)\b)(?P<date>{MONTH})(?![a-z'])", _dated, *_MONTH_CUES),
    rule(
        r"(?<!\w)(?:in|since|until|till|from|during|before|after|through|early|late|mid|back\s+in)[\s-]+(?P<date>(?P<month>may|march))(?![a-z'])",
        _dated,
    ),
    rule(rf"(?<!\w){STEP}\s+(?!(?:may|march)\s+[a-z]){MONTH}(?![a-z])", _dated, *_MONTH_CUES),
    rule(rf"(?<![\w-])(?<!\d\s)(?!(?-i:may|march)\b){MONTH}(?![a-z'])", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w)(?:in|of|during|since|until|by)\s+the\s+(?!may|march|sep)(?P<date>{MONTH})(?![a-z'])", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){MONTH}\s+(?P<year>0\d\d[1-9])(?!\w)", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?:the\s+)?(?:year\s+)?(?P<date>{YEAR})(?![\w%-]|,\d|\.\d)" + _NOT_COUNTED, _bare_year),
    rule(
        rf"(?<!\w)(?:of|to|by|from|and|through|thru|around|than)\s+(?P<date>{YEAR})(?![\w%-]|,\d|\.\d)(?!\s+(?!(?:{_FUNCTION})\b)[a-z])",
        _bare_year,
    ),
    rule(rf"(?<!\w)(?:the\s+)?year\s+(?P<date>{YEAR})(?!\w)", _bare_year),
    rule(rf"(?<![\w$.,/:-]){YEAR}(?![\w%-]|[,.:]\d)" + _NOT_COUNTED, _bare_year),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?P<date>{YEAR_WORDS})", _bare_year, "nineteen", "twenty", "eighteen", "thousand"),
    rule(rf"(?<!\w){YEAR_WORDS}", _bare_year, "nineteen", "twenty", "eighteen", "thousand"),
    rule(r"(?<!\w)(?:the\s+)?(?:year[\s-]to[\s-]date|ytd)(?!\w)", _year_to_date, "to date", "to-date", "ytd"),
    rule(
        r"(?<!\w)(?P<name>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|(?:the\s+)?day\s+after\s+tmrw?|yesterday|yday|today|tomorrow|tmrw?|tomo)(?!\w)",
        _offset, "day", "tmr", "tomo"),
    rule(r"(?<!\w)(?:tonight|tonite)(?!\w)", _part_of_day, "tonight", "tonite"),
    rule(r"(?<!\w)(?P<step>this|last|next)\s+(?P<part>morning|afternoon|evening|night)(?!\w)", _part_of_day, "morning", "afternoon", "evening", "night"),
    rule(r"(?<!\w)(?:on|over|at|during|for|by|until)\s+(?P<date>(?:the\s+)?weekend)(?!\w)(?!\s+of\b)", _weekend, "weekend"),
    rule(rf"(?<!\w)(?:the\s+)?{STEP}\s+{_UNIT}(?![a-z])", _stepped, *_UNIT_CUES),
    rule(
        r"(?<!\w)the\s+(?P<unit>weekend|week|month|quarter|year)\s+(?P<way>after\s+next|before\s+last)(?!\w)",
        lambda m, now: _beyond_of(m, now), "after next", "before last"),
    rule(rf"(?<!\w)(?:the\s+)?(?:{STEP}\s+)(?P<season>spring|summer|fall|autumn|winter)(?![a-z])", _season, *_SEASONS),
    rule(
        rf"(?<!\w)(?:in\s+|during\s+)?(?:the\s+)?(?P<season>spring|summer|fall|autumn|winter)\s+(?:of\s+)?{_ANY_YEAR}",
        _season, *_SEASONS),
    rule(rf"(?<!\w){STEP}\s+{WEEKDAY}", _weekday, *_WEEKDAY_CUES),
    rule(rf"(?<!\w)(?:on|until|till|by|since|from|before|after|to)\s+(?P<date>{FULL_WEEKDAY})(?!s)", _weekday, *_WEEKDAY_CUES),
    rule(
        rf"(?<![\w-])(?<!every )(?<!each )(?<!black )(?<!cyber )(?<!super ){WEEKDAY}\.?(?![\w-])(?!\s+(?:night|morning)s\b)",
        _weekday, *_WEEKDAY_CUES),
    rule(
        rf"(?<!\w){WEEKDAY}\.?,?\s+(?:the\s+)?(?:{DAY_DIGITS}(?![\w:/%])(?![.]\d)(?!\s?(?:[ap]\.?m\b|o'?clock|[-–]\s?\d|to\s+\d))|{_DAY_WORD})(?!\s+(?:of\s+)?{_MONTH_AHEAD})",
        _weekday_and_day, *_WEEKDAY_CUES),
    rule(
        rf"(?<!\w)(?P<date>the\s+(?:{DAY_DIGITS}|{_DAY_WORD}))(?![\w:/%-])(?![.,]\d)(?=\s*(?:$|[.,;!?)]|(?:at|from|to|until|till|and|or|between|around|is|was|for|in\s+the\s+(?:morning|afternoon|evening))\b))",
        _day_of_month, "the ", "on ", "by ", "until "),
    rule(
        r"(?<!\w)(?:on\s+|by\s+|until\s+)(?P<date>(?:the\s+)?(?P<day>(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)))(?!\w)(?=\s*(?:$|[.,;!?)–-]|(?:at|from|to|until|till|and|or|between|around)\b))",
        _day_of_month, "the ", "on ", "by ", "until "),
    rule(
        r"(?<!\w)on\s+(?P<date>(?:the\s+)?(?P<day>[1-9]|[12]\d|3[01]))(?=\s*(?:$|[.;!?)](?!\d)|at\s+\d))", _day_of_month, "the ", "on ", "by ", "until "),
    rule(rf"(?<!\w){AMOUNTS}\s+ago(?!\w)", _ago, "ago"),
    rule(
        r"(?<!\w)(?:(?P<ahead>in)\s+)?half\s+an?\s+(?P<unit>hour|day|month|year|century)(?(ahead)(?!\w)|\s+(?:ago|(?P<later>from\s+now))(?!\w))",
        _half_ago, "half a"),
    rule(
        rf"(?<!\w)(?:(?P<ahead>in)\s+{AMOUNTS}(?!\s*'|\s+(?:a|per)\s)(?:\s+time)?|{AMOUNTS.replace('P<amount>', 'P<later>')}\s+(?:from\s+now|hence|later)(?!\w))",
        lambda m, now: _coming(m, now), "in ", "from now", "hence", "later"),
    rule(rf"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?{_WAY}\s+(?:{COUNT}\s+(?:of\s+)?)?{MANY}(?<=s)", _run, *_WAY_CUES),
    rule(
        r"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?(?P<step>next|past)\s+(?P<unit>hour|minute)(?!\w)(?P<count>)",
        _run,
    ),
    rule(rf"(?<!\w)(?:the\s+)?(?P<step>last|past|previous|next|coming|following)\s+{COUNT}\s+{MANY}", _run, *_WAY_CUES),
    rule(rf"(?<!\w){COUNT}\s+{_WAY}\s+{MANY}(?<=s)", _run, *_WAY_CUES),
    rule(
        rf"(?<!\w)within\s+(?:(?:the\s+)?(?:next|coming|upcoming|following)\s+)?(?P<amount>(?P<head>(?:{AMOUNT_SOURCE}|(?:hour|day|week|month|year)(?=\s+and\s)))(?:(?:,?\s+and\s+|,\s*|\s+){AMOUNT_SOURCE}){{0,4}})",
        _within,
    ),
    rule(rf"(?<!\w){COUNT}\s+{_LONG}\s+in\s+the\s+future", _run, "future"),
    rule(
        r"(?<!\w)(?:the\s+)?(?:(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th)\s+(?P<what>quarter|half)|(?P<q>(?<=q)[1-4]|(?!)))(?!\w)",
        _quarter, "quarter", "half", "q1", "q2", "q3", "q4"),
    rule(r"(?<!\w)q(?P<q>[1-4])(?P<nth>)(?P<what>)(?!\w)", _quarter, "quarter", "half", "q1", "q2", "q3", "q4"),
    rule(r"(?<!\w)(?:the\s+)?(?:early\s+|late\s+|mid[\s-])?(?P<full>(?:1[0-9]|20)\d0)(?:'?|\s)s(?!\w)", _decade, "0s", "0's", "0 s"),
    rule(r"(?<!\w)the\s+'?(?P<tens>[1-9]0)'?s(?!\w)", _decade, "0s", "0's", "0 s"),
    rule(
        rf"(?<!\w)(?:the\s+)?(?:(?P<age>eighteen|nineteen|twenty)[\s-])?(?P<word>{'|'.join(_DECADES)})(?!\w)(?<!\bin\shis\s)",
        lambda m, now: _decade_word(m, now), *_DECADES),
    rule(r"(?<!\w)the\s+(?P<named>twenty[\s-]tens|two[\s-]thousands)(?!\w)", _decade, "tens", "thousands"),
    rule(rf"(?<!\w)(?:the\s+)?(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})[\s-]+century(?!\w)", _century, "century"),
    rule(r"(?<!\w)(?:the\s+)?week\s+(?P<week>[1-5]?\d)(?![\w.])", _week_number, "week"),
    rule(
        rf"(?<!\w)(?P<count>two|three|four|\d)\s+{WEEKDAY.replace('(?:day)?', 'days')}\s+(?P<way>from\s+now|ago)(?!\w)",
        _several_weekdays, "days from", "days ago"),
    rule(r"(?<!\w)(?:the\s+)?(?:eo(?P<unit>[dwmy])|(?!))(?!\w)", _implied, "eod", "eow", "eom", "eoy"),
    rule(r"(?<!\w)(?:the\s+)?(?P<unit>day|week|month|quarter|year)(?![\w'-])", _the_unit, *_UNIT_CUES),
    holidays("english"),
)


def _beyond_of(match: re.Match[str], now: datetime | None) -> Days:
    unit = cast("Unit", match["unit"].lower())
    return one(unit_at(now, unit, 2 if match["way"].lower().startswith("after") else -2), unit) if now else Days()


def _coming(match: re.Match[str], now: datetime | None) -> Days:
    return shifted(day_of(now), amounts_in(match["amount"] or match["later"]), 1, now) if now else Days()


def _decade_word(match: re.Match[str], now: datetime | None) -> Days:
    found = _decade(match, now)
    return (
        found
        if match["age"] or match[0].lower().startswith("the")
        else Days(readings=found.readings, unit="decade", ambiguous=True, weak=True)
    )
