"""How English spells dates: 'the second of May', 'last Friday', 'three weeks ago', 'the end of next month', 'the seventies'.

Belongs here: base spellings, and the words that pick a part of one. Does not belong here: prepositions and ranges (`timex`),
times of day (`timex_hours`), dates in digits (`timex_digits`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final, cast

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
    moved,
    nearest,
    nth_unit,
    nth_weekday,
    one,
    unit_at,
    weekday_of,
    year_of,
)
from muniment.text.timex_digits import Rule, quarter, rule
from muniment.text.timex_holidays import holidays
from muniment.text.timex_spellings import (
    COUNT,
    FULL_WEEKDAY,
    MONTH,
    NUMBER_WORD,
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

Part = tuple["re.Pattern[str]", Callable[["re.Match[str]", Days, datetime | None], Days]]
"""Words before (or, in Chinese, behind) a date that pick a part of it or count from it."""

_STEPS: Final = {
    "last": -1, "this past": -1, "previous": -1, "past": -1, "the preceding": -1, "preceding": -1, "this": 0, "current": 0,
    "this current": 0, "same": 0, "that": 0, "this coming": 1, "this upcoming": 1, "upcoming": 1, "next": 1, "coming": 1,
    "following": 1, "this following": 1, "this next": 1,
}  # fmt: skip
_OFFSETS: Final = {
    "yesterday": -1, "yday": -1, "today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomo": 1, "the day before yesterday": -2,
    "the day after tomorrow": 2, "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip
_ONE_OF: Final = {"last": -1, "final": -1, "penultimate": -2}
_SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""First months of the meteorological seasons of the northern hemisphere; always ambiguous."""
_DECADES: Final = {word: 10 * place for place, word in enumerate(
    "twenties thirties forties fifties sixties seventies eighties nineties".split(), start=2
)}  # fmt: skip

_STEP = (
    r"(?P<step>last|this\s+past|this\s+coming|this\s+upcoming|this\s+current|this\s+following|this|previous|preceding|past|current|"
    r"next|coming|upcoming|following)"
)
_WAY = r"(?P<step>last|past|previous|preceding|next|coming|upcoming|following)"
_UNIT = r"(?P<unit>day|weekend|work(?:ing)?\s?week|week|fortnight|month|quarter|(?:calendar\s+)?year|decade|century)"
_MANY = r"(?P<unit>minute|min|hour|hr|day|business\s+day|week|fortnight|month|mon|quarter|year|yr|decade)s?(?![a-z])"
_LONG = r"(?P<unit>day|business\s+day|week|fortnight|month|quarter|year|decade)s?(?![a-z])"
_ORDINAL = rf"(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD}|last|final)"
_DAY_WORD = rf"(?P<dayword>{ORDINAL_WORD})"
_ANY_YEAR = rf"(?:{YEAR}(?!\d)|{YEAR_WORDS}|'(?P<short>\d\d)(?!\d))"
_PREPOSITION = (
    r"(?:in|since|until|till|from|by|during|of|before|after|through|thru|to|and|starting|around|early|late|mid|back\s+in|throughout|between|than)"
)
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
    found = floating(within, now, "month" if day is None else "day", weak=day is None and "date" not in groups and "step" not in groups)
    step = groups.get("step")
    if step and now is not None:
        by = _STEPS[" ".join(step.lower().split())]
        if by == 0:
            return found.named(now.year)
        begun = [item for item in found.readings if item[1] <= now] if by < 0 else [item for item in found.readings if item[0] > now]
        other = now.year + by
        named = within(other)
        return Days(readings=tuple(sorted({*begun, named})), first=None, ambiguous=begun != [named], unit=found.unit) if begun else one(named, found.unit)
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
    by = _STEPS[" ".join(match["step"].lower().split())] if part else 0
    if now is None:
        return Days()
    return Days(readings=(unit_at(now, "day", by),), part=part.lower() if part else "night")


def _yearly(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'last Christmas', 'the following Easter': of what comes every year, the one over, or to come."""
    if days.within is None or now is None:
        raise ValueError("does not come every year")
    by = _STEPS[" ".join(match["step"].lower().split())]
    if by == 0:
        return days.named(now.year)
    around = [days.named(year).readings[0] for year in range(now.year - 1, now.year + 2)]
    fitting = [item for item in around if (item[1] <= now if by < 0 else item[0] > now)]
    return Days(readings=((max if by < 0 else min)(fitting),), unit=days.unit, ambiguous=days.ambiguous)


def _weekend(match: re.Match[str], now: datetime | None) -> Days:
    """'on the weekend': the last and the coming one."""
    if now is None:
        return Days(unit="weekend")
    return Days(readings=nearest([unit_at(now, "weekend", by) for by in (-1, 0, 1)], now), unit="weekend")


def _stepped(match: re.Match[str], now: datetime | None) -> Days:
    """'next month', 'last weekend', 'the current quarter'."""
    if now is None:
        return Days()
    unit, by = match["unit"].lower().split()[-1], _STEPS[" ".join(match["step"].lower().split())]
    if "work" in match["unit"].lower():
        start = unit_at(now, "week", by)[0]
        return one((start, start + 5 * DAY), "week")
    return one(unit_at(now, cast("Unit", unit), by), cast("Unit", unit), ambiguous=unit == "weekend" and now.weekday() > 4 and by != 0)


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
        by = _STEPS[" ".join(step.lower().split())]
        if by == 0:
            return one(within(now.year), "season", ambiguous=True)
        over = [item for item in (within(now.year + by), within(now.year)) if (item[1] <= now if by < 0 else item[0] > now)]
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
    by = _STEPS[words]
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
    return day_of_month(day, now, weak=not match[0].lower().startswith("the") or "date" not in match.groupdict())


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


def _amount(text: str) -> list[tuple[int, Unit, str]]:
    """The amounts of '1 month, 2 days and 3 hours'. Raises `ValueError`."""
    found = []
    for match in _AMOUNT.finditer(text):
        unit = " ".join(match["unit"].lower().split())
        unit = {"min": "minute", "hr": "hour", "yr": "year", "mon": "month"}.get(unit, unit)
        found.append((number(match["count"]), cast("Unit", unit), match["count"]))
    return found


def shifted(at: Stretch, amounts: list[tuple[int, Unit, str]], way: int, now: datetime) -> Days:
    """What lies those amounts before (-1) or behind (1) a stretch: a day, or an instant where hours or minutes are counted.

    A vague count names a stretch: 'a few weeks' from five to two, 'a couple' from three to one, months of thirty days.
    """
    if len(amounts) == 1 and vague(amounts[0][2]):
        unit = amounts[0][1]
        size = 30 * DAY if unit == "month" else moved(at[0], unit, 1) - at[0]
        near, far = sorted(midnight(at[0]) + way * count * size for count in ((1, 3) if "couple" in amounts[0][2].lower() else (2, 5)))
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


_FINENESS: Final = ["minute", "hour", "day", "business day", "week", "fortnight", "month", "quarter", "year", "decade"]


def _ago(match: re.Match[str], now: datetime | None) -> Days:
    """'three weeks ago', 'in two days', '4 weeks from now'."""
    if now is None:
        return Days()
    return shifted(day_of(now), _amount(match["amount"]), 1 if match.groupdict().get("ahead") else -1, now)


def _half_ago(match: re.Match[str], now: datetime | None) -> Days:
    halves: dict[str, tuple[int, Unit]] = {
        "hour": (30, "minute"), "day": (12, "hour"), "month": (15, "day"), "year": (6, "month"), "century": (50, "year")
    }  # fmt: skip
    count, unit = halves[match["unit"].lower()]
    return shifted(day_of(now), [(count, unit, "")], 1 if match["ahead"] else -1, now) if now else Days()


def _run(match: re.Match[str], now: datetime | None) -> Days:
    """'the last three months', 'the next 5 days', 'within 2 weeks': up to today or from now on; quarters and decades whole."""
    if now is None:
        return Days()
    groups = match.groupdict()
    words = " ".join((groups.get("step") or "next").lower().split())
    way = _STEPS.get(words, 1)
    way = 1 if way == 0 else way
    ((count, unit, word),) = _amount((groups.get("count") or ("1" if "count" in groups and groups["count"] == "" else "few")) + " " + match["unit"])
    return run(count, unit, way, now, ambiguous=vague(word), today=bool(groups.get("within")))


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
        return one(months_from({"eighteen": 1800, "nineteen": 1900, "twenty": 2000}[century.lower()] + value, 1, 120), "decade")
    return one(months_from((1900 if value > 20 else 2000) + value, 1, 120), "decade", ambiguous=value <= 40)


def _century(match: re.Match[str], now: datetime | None) -> Days:
    nth = number(match["nth"])
    return one(months_from(max(1, 100 * (nth - 1)), 1, 1200 if nth > 1 else 1188), "century")


def _week_number(match: re.Match[str], now: datetime | None) -> Days:
    week = int(match["week"])
    return floating(lambda year: iso_week(year, week), now, "week") if now is None else Days(
        readings=(iso_week(now.year, week),), unit="week", within=lambda year: iso_week(year, week)
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
        return _end_of_day(one(unit_at(now, "day", 0), "day"))
    return _edge_of(one(unit_at(now, cast("Unit", unit), 0), cast("Unit", unit)), "end")


def _the_unit(match: re.Match[str], now: datetime | None) -> Days:
    """'the month' behind 'the end of': the one it is said in."""
    unit = cast("Unit", match["unit"].lower())
    return Days(readings=(unit_at(now, unit, 0),), unit=unit, weak=True) if now else Days(unit=unit, weak=True)


# --- parts of a date ----------------------------------------------------------------------------------------------------


def _end_of_day(days: Days) -> Days:
    return Days(readings=tuple((end - (end - start) / 86_400, end) for start, end in days.readings), unit="minute")


def _edge_of(days: Days, part: str) -> Days:
    """'the end of': the last third of a month, month of a year, weekend of a week; early and late are halves of longer units;
    the beginning is as long as the end. Vague, so always ambiguous."""
    if not days.readings or days.unit == "day":
        return days if part not in ("end", "close") or not days.readings else _end_of_day(days)
    found = []
    for start, end in days.readings:
        size = {"month": 10 * DAY, "year": 31 * DAY, "week": 2 * DAY}.get(days.unit, (end - start) / 3)
        if days.unit == "week" and part in ("beginning", "start", "early"):
            size = 3 * DAY
        if part in ("early", "late", "later", "earlier"):
            half = months_from(start.year, start.month, 6)[1] if days.unit == "year" else start + (end - start) // 2
            half = start + 3 * DAY if days.unit == "week" else half
            found.append((start, half) if part.startswith("earl") else (half, end))
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
            return one((start, max(cut, start + DAY)) if part in ("earlier", "so far") else (cut, end), days.unit, ambiguous=True)
        if start <= now < end:
            return one((midnight(now), end), days.unit, ambiguous=True)
    return _edge_of(days, part if part not in ("rest", "remainder") else "end")


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
    return Days(readings=tuple(found), unit="day" if what[:3] in WEEKDAYS and not what.startswith("month") else cast("Unit", what.rstrip("s")), ambiguous=days.ambiguous)


def _nth_weekend(stretch: Stretch, nth: int) -> Stretch:
    start = nth_weekday(stretch, 5, nth)[0]
    return start, start + 2 * DAY


def _unit_of(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'the week of 10 April', 'the weekend of Halloween'."""
    unit = cast("Unit", match["unit"].lower())
    return Days(readings=tuple(unit_at(start, unit, 0) for start, _ in days.readings), unit=unit, first=days.first)


def _away(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'three months after Easter', 'two days before yesterday', 'the day after my … of 3 May'."""
    if now is None and not days.readings:
        return Days()
    amounts = _amount(match["amount"])
    way = -1 if match["way"].lower().startswith(("before", "prior")) else 1
    moved_to = [shifted(item, amounts, way, item[0]) for item in days.readings[:2]]
    return Days(readings=tuple(item.readings[0] for item in moved_to), unit="day", first=days.first)


def _starting(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'3 days starting from next Monday'."""
    amounts = _amount(match["amount"])
    return Days(readings=tuple((start, _last(start, amounts)) for start, _ in days.readings), unit=days.unit, first=days.first)


def _last(start: datetime, amounts: list[tuple[int, Unit, str]]) -> datetime:
    for count, unit, _ in amounts:
        start = moved(start, unit, count)
    return start


def _day_of(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """'the 20th of next month'."""
    day = number(match.groupdict().get("day") or match["dayword"])
    if days.unit != "month":
        raise ValueError("not a day of a month")
    return Days(readings=tuple(nth_unit(stretch, "day", day) for stretch in days.readings), unit="day", first=days.first)


_AMOUNT_SOURCE = (
    rf"(?:\d{{1,3}}|an?\s+(?:couple|few)|couple|few|several|an?(?![a-z])|{NUMBER_WORD})\s?(?:more\s+|of\s+)?"
    r"(?:minute|min|hour|hr|day|business\s+day|week|fortnight|month|mon|quarter|year|yr|decade)s?(?![a-z])"
)
_AMOUNT = re.compile(rf"{COUNT}\s?(?:more\s+|of\s+)?{_MANY}", re.IGNORECASE)
_AMOUNTS = rf"(?P<amount>{_AMOUNT_SOURCE}(?:(?:,?\s+and\s+|,\s*|\s+){_AMOUNT_SOURCE}){{0,3}})"

RULES: Final[tuple[Rule, ...]] = (
    rule(rf"(?<![\w.]){DAY_DIGITS}(?:\s+(?:of\s+)?|\s?[-/.]\s?|\s?(?:of\s+))?{MONTH}(?![a-z])(?:(?:,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?", _dated),
    rule(rf"(?<!\w){_DAY_WORD}\s+of\s+{MONTH}(?![a-z])(?:,?\s+(?:of\s+|in\s+)?{_ANY_YEAR})?", _dated),
    rule(rf"(?<!\w){MONTH}(?:\s+(?:the\s+)?|[-/.]\s?)?{DAY_DIGITS}(?![\w:/])(?![-.]\d)(?!\s?(?:[ap]\.?m\b|%))(?:(?:\s?,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?", _dated),
    rule(rf"(?<!\w)(?!(?:may|march)\s+(?!the|(?:twenty|thirty)[ -])){MONTH}\s+(?:the\s+)?{_DAY_WORD}(?:,?\s+(?:of\s+)?{_ANY_YEAR})?", _dated),
    rule(rf"(?<!\w)(?<!\d ){MONTH}(?:\s?,\s?|\s+|-|/)(?:of\s+|in\s+)?{_ANY_YEAR}", _month_year),
    rule(rf"(?<!\w)(?<!\d\s){MONTH}\s(?P<short>\d\d)(?![\w:/%-])(?<=[4-9]\d)", _month_year),
    rule(rf"(?<!\w){YEAR}[\s/-]{MONTH}(?![a-z])(?:[\s/-]{DAY_DIGITS}(?![\w:]))?", _dated),
    rule(rf"(?<!\w){YEAR}/{DAY_DIGITS}/{MONTH}(?![a-z])", _dated),
    rule(rf"(?<!\w){_PREPOSITION}[\s-]+(?P<date>{MONTH})(?![a-z'])", _dated),
    rule(rf"(?<!\w){_STEP}\s+(?!(?:may|march)\s+[a-z]){MONTH}(?![a-z])", _dated),
    rule(rf"(?<![\w-])(?<!\d\s){MONTH}(?![a-z'])", _dated),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?:the\s+)?(?:year\s+)?(?P<date>{YEAR})(?![\w%-]|,\d|\.\d)" + _NOT_COUNTED, _bare_year),
    rule(rf"(?<!\w)(?:of|to|by|from|and|through|thru|around|than)\s+(?P<date>{YEAR})(?![\w%-]|,\d|\.\d)(?!\s+(?!(?:{_FUNCTION})\b)[a-z])", _bare_year),
    rule(rf"(?<!\w)(?:the\s+)?year\s+(?P<date>{YEAR})(?!\w)", _bare_year),
    rule(rf"(?<![\w$.,/:-]){YEAR}(?![\w%-]|[,.:]\d)" + _NOT_COUNTED, _bare_year),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?P<date>{YEAR_WORDS})", _bare_year),
    rule(rf"(?<!\w){YEAR_WORDS}", _bare_year),
    rule(r"(?<!\w)(?:the\s+)?(?:year[\s-]to[\s-]date|ytd)(?!\w)", _year_to_date),
    rule(
        r"(?<!\w)(?P<name>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|yesterday|yday|today|tomorrow|tmrw?|tomo)(?!\w)",
        _offset,
    ),
    rule(r"(?<!\w)(?:tonight|tonite)(?!\w)", _part_of_day),
    rule(r"(?<!\w)(?P<step>this|last|next)\s+(?P<part>morning|afternoon|evening|night)(?!\w)", _part_of_day),
    rule(r"(?<!\w)(?:on|over|at|during|for|by|until)\s+(?P<date>(?:the\s+)?weekend)(?!\w)(?!\s+of\b)", _weekend),
    rule(rf"(?<!\w)(?:the\s+)?{_STEP}\s+{_UNIT}(?![a-z])", _stepped),
    rule(r"(?<!\w)the\s+(?P<unit>weekend|week|month|quarter|year)\s+(?P<way>after\s+next|before\s+last)(?!\w)", lambda m, now: _beyond_of(m, now)),
    rule(rf"(?<!\w)(?:the\s+)?(?:{_STEP}\s+)(?P<season>spring|summer|fall|autumn|winter)(?![a-z])", _season),
    rule(rf"(?<!\w)(?:in\s+|during\s+)?(?:the\s+)?(?P<season>spring|summer|fall|autumn|winter)\s+(?:of\s+)?{_ANY_YEAR}", _season),
    rule(rf"(?<!\w){_STEP}\s+{WEEKDAY}", _weekday),
    rule(rf"(?<!\w)(?:on|until|till|by|since|from|before|after|to)\s+(?P<date>{FULL_WEEKDAY})(?!s)", _weekday),
    rule(rf"(?<![\w-])(?<!every )(?<!each )(?<!black )(?<!cyber )(?<!super ){WEEKDAY}\.?(?![\w-])(?!\s+(?:night|morning)s\b)", _weekday),
    rule(rf"(?<!\w){WEEKDAY}\.?,?\s+(?:the\s+)?(?:{DAY_DIGITS}(?![\w:/%])(?![.]\d)(?!\s?(?:[ap]\.?m\b|o'?clock|[-–]\s?\d|to\s+\d))|{_DAY_WORD})(?!\s+(?:of\s+)?{_MONTH_AHEAD})", _weekday_and_day),
    rule(rf"(?<!\w)(?P<date>the\s+(?:{DAY_DIGITS}|{_DAY_WORD}))(?![\w:/%-])(?![.,]\d)(?=\s*(?:$|[.,;!?)]|(?:at|from|to|until|till|and|or|between|around|is|was|for|in\s+the\s+(?:morning|afternoon|evening))\b))", _day_of_month),
    rule(r"(?<!\w)(?:on\s+|by\s+|until\s+)(?P<date>(?:the\s+)?(?P<day>(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)))(?!\w)(?=\s*(?:$|[.,;!?)–-]|(?:at|from|to|until|till|and|or|between|around)\b))", _day_of_month),
    rule(r"(?<!\w)on\s+(?P<date>(?:the\s+)?(?P<day>[1-9]|[12]\d|3[01]))(?=\s*(?:$|[.;!?)]))", _day_of_month),
    rule(rf"(?<!\w){_AMOUNTS}\s+ago(?!\w)", _ago),
    rule(r"(?<!\w)(?:(?P<ahead>in)\s+)?half\s+an?\s+(?P<unit>hour|day|month|year|century)(?(ahead)(?!\w)|\s+ago(?!\w))", _half_ago),
    rule(rf"(?<!\w)(?:(?P<ahead>in)\s+{_AMOUNTS}(?!\s*'|\s+(?:a|per)\s)(?:\s+time)?|{_AMOUNTS.replace('P<amount>', 'P<later>')}\s+(?:from\s+now|hence|later)(?!\w))", lambda m, now: _coming(m, now)),
    rule(rf"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?{_WAY}\s+(?:{COUNT}\s+(?:of\s+)?)?{_MANY}(?<=s)", _run),
    rule(r"(?<!\w)(?:(?P<within>within)\s+)?(?:the\s+)?(?P<step>next|past)\s+(?P<unit>hour|minute)(?!\w)(?P<count>)", _run),
    rule(rf"(?<!\w)(?:the\s+)?(?P<step>last|past|previous|next|coming|following)\s+{COUNT}\s+{_MANY}", _run),
    rule(rf"(?<!\w){COUNT}\s+{_WAY}\s+{_MANY}(?<=s)", _run),
    rule(rf"(?<!\w)(?P<within>within)\s+(?:the\s+next\s+)?{COUNT}\s+{_LONG}", _run),
    rule(rf"(?<!\w){COUNT}\s+{_LONG}\s+in\s+the\s+future", _run),
    rule(r"(?<!\w)(?:the\s+)?(?:(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th)\s+(?P<what>quarter|half)|(?P<q>(?<=q)[1-4]|(?!)))(?!\w)", _quarter),
    rule(r"(?<!\w)q(?P<q>[1-4])(?P<nth>)(?P<what>)(?!\w)", _quarter),
    rule(r"(?<!\w)(?:the\s+)?(?:early\s+|late\s+|mid[\s-])?(?P<full>(?:1[0-9]|20)\d0)'?s(?!\w)", _decade),
    rule(r"(?<!\w)the\s+'?(?P<tens>[1-9]0)'?s(?!\w)", _decade),
    rule(rf"(?<!\w)(?:the\s+)?(?:(?P<age>eighteen|nineteen|twenty)[\s-])?(?P<word>{'|'.join(_DECADES)})(?!\w)(?<!\bin\shis\s)", lambda m, now: _decade_word(m, now)),
    rule(r"(?<!\w)the\s+(?P<named>twenty[\s-]tens|two[\s-]thousands)(?!\w)", _decade),
    rule(rf"(?<!\w)(?:the\s+)?(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})[\s-]+century(?!\w)", _century),
    rule(r"(?<!\w)week\s+(?P<week>[1-5]?\d)(?![\w.])", _week_number),
    rule(rf"(?<!\w)(?P<count>two|three|four|\d)\s+{WEEKDAY.replace('(?:day)?', 'days')}\s+(?P<way>from\s+now|ago)(?!\w)", _several_weekdays),
    rule(r"(?<!\w)(?:the\s+)?(?:eo(?P<unit>[dwmy])|(?!))(?!\w)", _implied),
    rule(r"(?<!\w)(?:the\s+)?(?P<unit>day|week|month|quarter|year)(?![\w'-])", _the_unit),
    holidays("english"),
)


def _beyond_of(match: re.Match[str], now: datetime | None) -> Days:
    unit = cast("Unit", match["unit"].lower())
    return one(unit_at(now, unit, 2 if match["way"].lower().startswith("after") else -2), unit) if now else Days()


def _coming(match: re.Match[str], now: datetime | None) -> Days:
    return shifted(day_of(now), _amount(match["amount"] or match["later"]), 1, now) if now else Days()


def _decade_word(match: re.Match[str], now: datetime | None) -> Days:
    found = _decade(match, now)
    return found if match["age"] or match[0].lower().startswith("the") else Days(readings=found.readings, unit="decade", ambiguous=True, weak=True)


_WHAT = r"(?P<what>day|week|weekend|month|quarter|half|year|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)s?"
_OF = r"\s+(?:(?:of|in|from)\s+)?(?:the\s+)?$"

BEFORE: Final[tuple[Part, ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"(?<!\w)(?:the\s+)?(?P<part>beginning|start|middle|end|close|rest|remainder)\s+of(?:\s+the)?\s+$", _edge),
        (r"(?<!\w)(?:the\s+)?(?P<part>end|rest)(?:\s+the)?\s+$", _edge),
        (r"(?<!\w)(?P<part>early|mid|late|middle|earlier|later)(?:\s+(?:in|on))?(?:\s+the)?[\s-]+$", _edge),
        (rf"(?<!\w)(?:the\s+)?{_ORDINAL}\s+(?:(?P<count>\d{{1,2}}|{NUMBER_WORD})\s+)?{_WHAT}{_OF}", _nth_of),
        (r"(?<!\w)(?:the\s+)?(?P<unit>weekend|week|month)\s+of\s+(?:the\s+)?$", _unit_of),
        (rf"(?<!\w)(?:the\s+)?{_STEP}\s+$", _yearly),
        (rf"(?<!\w)(?:less\s+than\s+|more\s+than\s+)?{_AMOUNTS}\s+(?P<way>before|prior\s+to|after|from|since)\s+(?:the\s+)?$", _away),
        (rf"(?<!\w){_AMOUNTS}\s+(?:starting|beginning)\s+(?:from\s+|on\s+)?$", _starting),
        (rf"(?<!\w)(?:the\s+)?(?:{DAY_DIGITS}|{_DAY_WORD})(?:\s+day)?\s+of\s+(?:the\s+)?$", _day_of),
    )
)
