"""English dates by name or number: 'the second of May', 'Friday the 13th', 'the seventies', 'Q3', holidays.

Belongs here: those spellings. Does not belong here: dates told from today (`timex_english_relative`), parts of a date
(`timex_english_parts`), prepositions and ranges (`timex`), times of day (`timex_hours`), dates in digits (`timex_digits`).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from muniment.text.timex_calendar import (
    DAY,
    Days,
    Stretch,
    date_of,
    day_of,
    floating,
    iso_week,
    midnight,
    months_from,
    nearest,
    one,
    weekday_of,
    year_of,
)
from muniment.text.timex_digits import Rule, quarter, rule
from muniment.text.timex_english_parts import STEP, STEPS
from muniment.text.timex_holidays import holidays
from muniment.text.timex_spellings import DAY as DAY_DIGITS
from muniment.text.timex_spellings import (
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
    year_in_words,
)

_SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""First months of the meteorological seasons of the northern hemisphere; always ambiguous."""
_DECADES: Final = {word: 10 * place for place, word in enumerate(
    ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"], start=2
)}  # fmt: skip

_DAY_WORD = rf"(?P<dayword>{ORDINAL_WORD})"
_ANY_YEAR = rf"(?:{YEAR}(?!\d)|{YEAR_WORDS}|'(?P<short>\d\d)(?!\d))"
_PREPOSITION = (
    r"(?:in|since|until|till|from|by|during|of|before|after|through|thru|to|and|starting|"
    r"around|early|late|mid|back\s+in|throughout|between|than)"
)
_IN_YEAR = r"(?:in|circa|since|until|till|during|before|after|starting|early|late|mid|back\s+in|throughout|between)"
_FUNCTION = (
    "and|or|but|to|until|till|on|i|we|he|she|they|it|was|is|were|when|that|which|at|in|"
    "as|for|with|because|so|then|the|my|our"
)
_MONTH_AHEAD = MONTH.replace("?P<month>", "?:")
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


def _bare_year(match: re.Match[str], now: datetime | None) -> Days:
    year = _year(match, now)
    found = one(year_of(year or 0), "year")
    return found if "date" in match.groupdict() else Days(readings=found.readings, unit="year", weak=True)


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


def _quarter(match: re.Match[str], now: datetime | None) -> Days:
    """'the third quarter', 'the first half', of a year said beside it."""
    nth = number(match["nth"])
    if match["what"].lower() == "quarter":
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


def _decade_word(match: re.Match[str], now: datetime | None) -> Days:
    found = _decade(match, now)
    return (
        found
        if match["age"] or match[0].lower().startswith("the")
        else Days(readings=found.readings, unit="decade", ambiguous=True, weak=True)
    )


_MONTH_CUES: Final = tuple(MONTHS)
_WEEKDAY_CUES: Final = tuple(WEEKDAYS)

RULES: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?<!\w){MONTH}\s?,\s?(?:the\s+)?{DAY_DIGITS}(?<=[a-z])(?![\w:/])(?:,?\s+{_ANY_YEAR})?", _dated, *_MONTH_CUES
    ),
    rule(rf"(?<!\w){MONTH}\s+of\s+'?(?P<short>\d\d)(?![\w:/%-])", _dated, *_MONTH_CUES),
    rule(
        r"(?<![\w-])(?<!\d\s)(?-i:(?P<date>(?P<month>January|February|July|September|October|November|December)))(?![\w'-])",
        _dated,
    ),
    rule(
        rf"(?<!\w)(?!(?:may|march)\s+(?!(?:twenty|thirty)[ -])){MONTH}\s+(?P<dayword>{DAY_CARDINAL})"
        rf"(?!\s*(?:percent|people|times))(?:,?\s+(?:of\s+)?{_ANY_YEAR})?",
        _dated,
        *_MONTH_CUES,
    ),
    rule(
        rf"(?<!\w)(?P<dayword>{DAY_CARDINAL})\s+(?:of\s+)?(?!(?:may|march)\s+[a-z]){MONTH}(?![a-z])(?:,?\s+{_ANY_YEAR})?",
        _dated,
        *_MONTH_CUES,
    ),
    rule(
        rf"(?<![\w.:]){DAY_DIGITS}(?:\s+(?:of\s+)?|\s?[-/.]\s?|\s?(?:of\s+))?{MONTH}(?![a-z])"
        rf"(?:(?:,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?",
        _dated,
        *_MONTH_CUES,
    ),
    rule(rf"(?<!\w){_DAY_WORD}\s+of\s+{MONTH}(?![a-z])(?:,?\s+(?:of\s+|in\s+)?{_ANY_YEAR})?", _dated, *_MONTH_CUES),
    rule(
        rf"(?<!\w){MONTH}(?:\s+(?:the\s+)?|[-/.]\s?)?{DAY_DIGITS}(?![\w:/])(?!\.\d)(?!\s?(?:[ap]\.?m\b|"
        rf"%))(?:(?:\s?,?\s+(?:of\s+|in\s+)?|\s?,\s?|[-/.]){_ANY_YEAR}(?!%))?",
        _dated,
        *_MONTH_CUES,
    ),
    rule(
        rf"(?<!\w)(?!(?:may|march)\s+(?!the|(?:twenty|thirty)[ -])){MONTH}\s+(?:the\s+)?{_DAY_WORD}(?:,?\s+(?:o"
        rf"f\s+)?{_ANY_YEAR})?",
        _dated,
        *_MONTH_CUES,
    ),
    rule(rf"(?<!\w)(?<!\d ){MONTH}(?:\s?,\s?|\s+|-|/)(?:of\s+|in\s+)?{_ANY_YEAR}", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w)(?<!\d\s){MONTH}\s(?P<short>\d\d)(?![\w:/%-])(?<=[4-9]\d)", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){YEAR}[\s/-]{MONTH}(?![a-z])(?:[\s/-]{DAY_DIGITS}(?![\w:]))?", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){YEAR}/{DAY_DIGITS}/{MONTH}(?![a-z])", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){_PREPOSITION}[\s-]+(?!(?-i:may|march)\b)(?P<date>{MONTH})(?![a-z'])", _dated, *_MONTH_CUES),
    rule(
        r"(?<!\w)(?:in|since|until|till|from|during|before|after|through|early|late|mid|back\s+in)"
        r"[\s-]+(?P<date>(?P<month>may|march))(?![a-z'])",
        _dated,
    ),
    rule(rf"(?<!\w){STEP}\s+(?!(?:may|march)\s+[a-z]){MONTH}(?![a-z])", _dated, *_MONTH_CUES),
    rule(rf"(?<![\w-])(?<!\d\s)(?!(?-i:may|march)\b){MONTH}(?![a-z'])", _dated, *_MONTH_CUES),
    rule(
        rf"(?<!\w)(?:in|of|during|since|until|by)\s+the\s+(?!may|march|sep)(?P<date>{MONTH})(?![a-z'])",
        _dated,
        *_MONTH_CUES,
    ),
    rule(rf"(?<!\w){MONTH}\s+(?P<year>0\d\d[1-9])(?!\w)", _dated, *_MONTH_CUES),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?:the\s+)?(?:year\s+)?(?P<date>{YEAR})(?![\w%-]|,\d|\.\d)" + _NOT_COUNTED, _bare_year),
    rule(
        rf"(?<!\w)(?:of|to|by|from|and|through|thru|around|than)\s+(?P<date>{YEAR})(?![\w%-]|"
        rf",\d|\.\d)(?!\s+(?!(?:{_FUNCTION})\b)[a-z])",
        _bare_year,
    ),
    rule(rf"(?<!\w)(?:the\s+)?year\s+(?P<date>{YEAR})(?!\w)", _bare_year),
    rule(rf"(?<![\w$.,/:-]){YEAR}(?![\w%-]|[,.:]\d)" + _NOT_COUNTED, _bare_year),
    rule(rf"(?<!\w){_IN_YEAR}\s+(?P<date>{YEAR_WORDS})", _bare_year, "nineteen", "twenty", "eighteen", "thousand"),
    rule(rf"(?<!\w){YEAR_WORDS}", _bare_year, "nineteen", "twenty", "eighteen", "thousand"),
    rule(rf"(?<!\w)(?:the\s+)?(?:{STEP}\s+)(?P<season>spring|summer|fall|autumn|winter)(?![a-z])", _season, *_SEASONS),
    rule(
        rf"(?<!\w)(?:in\s+|during\s+)?(?:the\s+)?(?P<season>spring|summer|fall|autumn|winter)\s+(?:of\s+)?{_ANY_YEAR}",
        _season,
        *_SEASONS,
    ),
    rule(rf"(?<!\w){STEP}\s+{WEEKDAY}", _weekday, *_WEEKDAY_CUES),
    rule(
        rf"(?<!\w)(?:on|until|till|by|since|from|before|after|to)\s+(?P<date>{FULL_WEEKDAY})(?!s)",
        _weekday,
        *_WEEKDAY_CUES,
    ),
    rule(
        rf"(?<![\w-])(?<!every )(?<!each )(?<!black )(?<!cyber )(?<!super ){WEEKDAY}\.?(?![\w-])(?!\s+(?:night|morning)s\b)",
        _weekday,
        *_WEEKDAY_CUES,
    ),
    rule(
        rf"(?<!\w){WEEKDAY}\.?,?\s+(?:the\s+)?(?:{DAY_DIGITS}(?![\w:/%])(?![.]\d)(?!\s?(?:[ap]\.?m\b|"
        rf"o'?clock|[-–]\s?\d|to\s+\d))|{_DAY_WORD})(?!\s+(?:of\s+)?{_MONTH_AHEAD})",
        _weekday_and_day,
        *_WEEKDAY_CUES,
    ),
    rule(
        rf"(?<!\w)(?P<date>the\s+(?:{DAY_DIGITS}|{_DAY_WORD}))(?![\w:/%-])(?![.,]\d)(?=\s*(?:$|"
        rf"[.,;!?)]|(?:at|from|to|until|till|and|or|between|around|is|was|for|in\s+the\s+(?:morning|"
        rf"afternoon|evening))\b))",
        _day_of_month,
        "the ",
        "on ",
        "by ",
        "until ",
    ),
    rule(
        r"(?<!\w)(?:on\s+|by\s+|until\s+)(?P<date>(?:the\s+)?(?P<day>(?:0?[1-9]|[12]\d|3[01])"
        r"(?:st|nd|rd|th)))(?!\w)(?=\s*(?:$|[.,;!?)–-]|(?:at|from|to|until|till|and|or|between|"
        r"around)\b))",
        _day_of_month,
        "the ",
        "on ",
        "by ",
        "until ",
    ),
    rule(
        r"(?<!\w)on\s+(?P<date>(?:the\s+)?(?P<day>[1-9]|[12]\d|3[01]))(?=\s*(?:$|[.;!?)](?!\d)"
        r"|at\s+\d))",
        _day_of_month,
        "the ",
        "on ",
        "by ",
        "until ",
    ),
    rule(
        r"(?<!\w)(?:the\s+)?(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th)\s+(?P<what>quarter|half)(?!\w)",
        _quarter,
        "quarter",
        "half",
    ),
    rule(
        r"(?<!\w)q(?P<nth>[1-4])(?!\w)",
        lambda match, now: quarter(int(match["nth"]), None, now),
        "q1",
        "q2",
        "q3",
        "q4",
    ),
    rule(
        r"(?<!\w)(?:the\s+)?(?P<full>(?:1[0-9]|20)\d0)(?:'?|\s)"
        r"s(?!\w)",
        _decade,
        "0s",
        "0's",
        "0 s",
    ),
    rule(r"(?<!\w)the\s+'?(?P<tens>[1-9]0)'?s(?!\w)", _decade, "0s", "0's", "0 s"),
    rule(r"(?<!\w)(?:early|late|mid)[\s-]+(?:the\s+)?(?P<date>'?(?P<tens>[1-9]0)'?s)(?!\w)", _decade, "0s", "0's"),
    rule(
        rf"(?<!\w)(?:the\s+)?(?:(?P<age>eighteen|nineteen|twenty)[\s-])?(?P<word>{'|'.join(_DECADES)})(?!\w)(?<!\bin\shis\s)",
        _decade_word,
        *_DECADES,
    ),
    rule(r"(?<!\w)the\s+(?P<named>twenty[\s-]tens|two[\s-]thousands)(?!\w)", _decade, "tens", "thousands"),
    rule(
        rf"(?<!\w)(?:the\s+)?(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORD})[\s-]+century(?!\w)", _century, "century"
    ),
    rule(r"(?<!\w)(?:the\s+)?week\s+(?P<week>[1-5]?\d)(?![\w.])", _week_number, "week"),
    holidays("english"),
)
