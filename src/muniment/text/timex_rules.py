"""How dates are spelt in English and Chinese, and the civil days each spelling names.

Belongs here: one rule per spelling, read against the day it was said on. Does not belong here: prepositions, zones and the
choice between readings (`timex`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from muniment.text.amounts import han_number

Stretch = tuple[date, date]
"""Civil days [first, day after the last)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """The stretches a spelling may name, earliest first: one, or a past and a coming one where the year or week is not
    said; none where it needs the day it was said on. `ambiguous`: people differ on what the words mean."""

    readings: tuple[Stretch, ...] = ()
    ambiguous: bool = False


Read = Callable[[re.Match[str], date | None], Days]
Rule = tuple[re.Pattern[str], Read]

_MONTHS: Final = {
    name: place
    for place, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_WEEKDAYS: Final = {name: place for place, name in enumerate(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])}
_HAN_WEEKDAYS: Final = {char: place for place, char in enumerate("一二三四五六日")} | {
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "7": 6,
}
_COUNTS: Final = {
    word: value
    for value, words in enumerate(
        [
            "",
            "a an one",
            "two couple",
            "three few",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
    for word in words.split()
}
_OFFSETS: Final = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今日": 0, "今早": 0, "今晚": 0,
    "明天": 1, "明日": 1, "明早": 1,
    "明晚": 1, "后天": 2, "大后天": 3, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
}  # fmt: skip
_STEPS: Final = {
    "last": -1, "this past": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "this coming": 1, "next": 1, "coming": 1,
    "the following": 1,
    "上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2, "前": -2, "去": -1, "今": 0, "明": 1, "后": 2,
}  # fmt: skip
_UNITS: Final = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "周末": "weekend",
}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?![a-z])"
_FULL_WEEKDAY = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day(?![a-z])"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = r"(?P<count>\d{1,3}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_HAN_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_HAN_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月"
_HAN_DAY = rf"(?P<day>{_HAN_NUMBER})\s?[日号]"
_HAN_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,3}|几)"
_PREPOSITION = (
    r"(?:in|since|until|till|from|by|during|of|before|after|through|to|and|starting|around|early|late|mid|back in)"
)


def number(word: str) -> int:
    """A small number in digits, English words or Chinese numerals. Raises `ValueError`."""
    if word.isdigit() and word.isascii():
        return int(word)
    if word.lower() in _COUNTS:
        return _COUNTS[word.lower()]
    value = 3 if word == "几" else han_number(word)
    if value is None:
        raise ValueError(word)
    return value


def _month_of(word: str) -> int:
    return _MONTHS.get(word[:3].lower()) or number(word)


def _month(year: int, month: int) -> Stretch:
    """A month; one outside 1..12 carries into the year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _year(year: int) -> Stretch:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _day(day: date) -> Stretch:
    return day, day + timedelta(days=1)


def _one(stretch: Stretch, *, ambiguous: bool = False) -> Days:
    return Days(readings=(stretch,), ambiguous=ambiguous)


def _named(match: re.Match[str], today: date | None) -> Days:
    """Year, month and day as far as they are said; without a year, the last and the coming one."""
    groups = match.groupdict()
    month = _month_of(groups["month"]) if groups.get("month") else None
    day = number(groups["day"]) if groups.get("day") else None

    def stretch(year: int) -> Stretch:
        if month is None:
            return _year(year)
        return _month(year, month) if day is None else _day(date(year, month, day))

    if groups.get("year"):
        return _one(stretch(int(groups["year"])))
    if groups.get("step") and today is not None:
        return _one(stretch(today.year + _STEPS[groups["step"].lower()]))
    if today is None:
        return Days()
    around = [_try(stretch, year) for year in (today.year - 1, today.year, today.year + 1)]
    past = [item for item in around if item and item[0] <= today]
    coming = [item for item in around if item and item[1] > today]
    return Days(readings=tuple(dict.fromkeys([*past[-1:], *coming[:1]])))


def _try(stretch: Callable[[int], Stretch], year: int) -> Stretch | None:
    try:
        return stretch(year)
    except ValueError:  # 29 February
        return None


def _day_of_month(match: re.Match[str], today: date | None) -> Days:
    """15号: that day of this month, or the nearest month that is not yet, or no longer, there."""
    if today is None:
        return Days()
    day = number(match["day"])
    months = [_month(today.year, today.month + by) for by in (-1, 0, 1)]
    around = [_day(first + timedelta(days=day - 1)) for first, end in months if first + timedelta(days=day - 1) < end]
    past = [item for item in around if item[0] <= today]
    coming = [item for item in around if item[1] > today]
    return Days(readings=tuple(dict.fromkeys([*past[-1:], *coming[:1]])))


def _slashed(match: re.Match[str], today: date | None) -> Days:
    """3/22/2023: month first where that can be; 03/04/2024 is said both ways."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if first > 12:
        return _one(_day(date(year, second, first)))
    if second > 12 or first == second:
        return _one(_day(date(year, first, second)))
    return _one(_day(date(year, first, second)), ambiguous=True)


def _offset(match: re.Match[str], today: date | None) -> Days:
    """Today and its neighbours."""
    if today is None:
        return Days()
    return _one(_day(today + timedelta(days=_OFFSETS[" ".join(match["name"].lower().split())])))


def _shift(today: date, unit: str, by: int) -> Stretch:
    """The day, week, weekend, month or year `by` units from that of `today`; weeks start on Monday."""
    monday = today - timedelta(days=today.weekday())
    if unit == "day":
        return _day(today + timedelta(days=by))
    if unit == "week":
        return monday + timedelta(weeks=by), monday + timedelta(weeks=by + 1)
    if unit == "weekend":
        return monday + timedelta(weeks=by, days=5), monday + timedelta(weeks=by + 1)
    return _month(today.year, today.month + by) if unit == "month" else _year(today.year + by)


def _stepped(match: re.Match[str], today: date | None) -> Days:
    """'next month', 上周末, 去年."""
    if today is None:
        return Days()
    unit = match["unit"].lower()
    return _one(_shift(today, _UNITS.get(unit, unit), _STEPS[" ".join(match["step"].lower().split())]))


def _edge(match: re.Match[str], today: date | None) -> Days:
    """'the end of the month', 年底: the last third of a month, the last month of a year, the weekend of a week."""
    if today is None:
        return Days()
    unit, step = match["unit"].lower(), _STEPS.get((match["step"] or "").lower(), 0)
    start, end = _shift(today, _UNITS.get(unit, unit), step)
    last = {"month": timedelta(days=10), "year": timedelta(days=31)}.get(_UNITS.get(unit, unit), timedelta(days=2))
    return _one((max(start, end - last), end), ambiguous=True)


def _named_edge(match: re.Match[str], today: date | None) -> Days:
    """'the end of March', 3月底: the last third of the month that is named."""
    named = _named(match, today)
    last = tuple((max(start, end - timedelta(days=10)), end) for start, end in named.readings)
    return Days(readings=last, ambiguous=True)


def _weekday(match: re.Match[str], today: date | None) -> Days:
    """'last Monday': the latest before today; 'next', the first after it (ambiguous within the week); bare: both."""
    if today is None:
        return Days()
    wanted = _WEEKDAYS[match["weekday"][:3].lower()]
    ahead = (wanted - today.weekday()) % 7
    past, coming = (
        _day(today + timedelta(days=(ahead or 7) - 7 if ahead else -7)),
        _day(today + timedelta(days=ahead or 7)),
    )
    step = (match["step"] or "").lower()
    if not step:
        return Days(readings=(past, coming if ahead else _day(today)))
    by = _STEPS[" ".join(step.split())]
    if by == 0:
        return _one(_day(today + timedelta(days=wanted - today.weekday())))
    return _one(past if by < 0 else coming, ambiguous=by > 0 and wanted > today.weekday())


def _han_weekday(match: re.Match[str], today: date | None) -> Days:
    """上周三: Wednesday of the week before; bare 周三: the last and the coming one."""
    if today is None:
        return Days()
    wanted = _HAN_WEEKDAYS[match["weekday"]]
    if match["step"]:
        return _one(_day(_shift(today, "week", _STEPS[match["step"]])[0] + timedelta(days=wanted)))
    ahead = (wanted - today.weekday()) % 7
    return Days(readings=(_day(today + timedelta(days=ahead - 7)), _day(today + timedelta(days=ahead))))


def _ago(match: re.Match[str], today: date | None) -> Days:
    """'three weeks ago', 'in two days', 三天前, 两周后: that unit, so far back or ahead; vague beyond days."""
    if today is None:
        return Days()
    unit = match["unit"].lower()
    unit = _UNITS.get(unit, unit)
    by = number(match["count"]) * (1 if match.groupdict().get("ahead") else -1)
    if unit == "week":
        return _one(_day(today + timedelta(weeks=by)))
    return _one(_shift(today, unit, by), ambiguous=match["count"].lower() in ("couple", "few", "几"))


def _rule(pattern: str, read: Read) -> Rule:
    return re.compile(pattern, re.IGNORECASE), read


_STEP_EN = r"(?P<step>last|this\s+past|previous|past|this\s+coming|this|current|next|coming)"
_STEP_ZH = r"(?P<step>上上|下下|上|这|本|下)(?:一)?个?"
_UNIT_EN = r"(?P<unit>weekend|week|month|year)"
_UNIT_ZH = r"(?P<unit>周末|周|星期|礼拜|月)"

RULES: Final[tuple[Rule, ...]] = (
    _rule(rf"(?<!\d){_YEAR}[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)", _named),
    _rule(rf"(?<!\d){_DAY}\.(?P<month>0?[1-9]|1[0-2])\.{_YEAR}(?!\d)", _named),
    _rule(r"(?<![\d/.])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)(?![\d/])", _slashed),
    _rule(rf"(?<![\w.]){_DAY}\s+(?:of\s+)?{_MONTH}(?![a-z])(?:,?\s+{_YEAR}(?!\d))?", _named),
    _rule(rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?![\w:])(?:,?\s+{_YEAR}(?!\d))?", _named),
    _rule(rf"(?<!\w)(?<!\d ){_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)", _named),
    _rule(rf"(?<!\w){_PREPOSITION}\s+(?P<date>{_MONTH})(?![a-z])", _named),
    _rule(rf"(?<!\w)(?P<step>last|this|next)\s+{_MONTH}(?![a-z])", _named),
    _rule(
        rf"(?<!\w){_PREPOSITION}\s+(?:the\s+year\s+)?(?P<date>{_YEAR})(?![\w%-])(?!\s(?:dollars|euros|people|km|kg))",
        _named,
    ),
    _rule(
        r"(?<!\w)(?P<name>the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|yesterday|last\s+night|today|tonight|"
        r"tomorrow|this\s+(?:morning|afternoon|evening))(?!\w)",
        _offset,
    ),
    _rule(rf"(?<!\w)(?:the\s+)?{_STEP_EN}\s+{_UNIT_EN}(?!\w)", _stepped),
    _rule(rf"(?<!\w){_STEP_EN}\s+{_WEEKDAY}", _weekday),
    _rule(rf"(?<!\w)(?P<step>)(?:on|until|till|by|since|from|before|to)\s+(?P<date>{_FULL_WEEKDAY})(?!s)", _weekday),
    _rule(r"(?<!\w)(?:the\s+)?end\s+of\s+(?:the|(?P<step>this|next|last))\s+(?P<unit>week|month|year)(?!\w)", _edge),
    _rule(rf"(?<!\w)(?:the\s+)?end\s+of\s+{_MONTH}(?![a-z])(?:,?\s+{_YEAR}(?!\d))?", _named_edge),
    _rule(rf"(?<![\d年])(?:{_YEAR}\s?年\s?)?{_HAN_MONTH}份?[底末]", _named_edge),
    _rule(rf"(?<!\w){_COUNT}\s+(?:of\s+)?(?P<unit>day|week|month|year)s?\s+ago(?!\w)", _ago),
    _rule(rf"(?<!\w)(?P<ahead>in)\s+{_COUNT}\s+(?:of\s+)?(?P<unit>day|week|month|year)s?(?!\w|')", _ago),
    _rule(rf"(?<!\d){_YEAR}\s?年(?:\s?{_HAN_MONTH}(?:份|\s?{_HAN_DAY})?)?", _named),
    _rule(rf"(?P<step>去|今|明)年\s?{_HAN_MONTH}(?:份|\s?{_HAN_DAY})?", _named),
    _rule(rf"(?<![\d年]){_HAN_MONTH}(?:份|\s?{_HAN_DAY})?(?!球|饼|亮|光|经|薪)", _named),
    _rule(rf"(?<![\d.月一二三四五六七八九十]){_HAN_DAY}(?![\d线楼门机院店铺公院桌])(?<!日)", _day_of_month),
    _rule(
        r"(?P<name>大前天|大后天|前天|前晚|昨天|昨日|昨晚|今天|今日|今早|今晚|明天|明日|明早|明晚|(?<!以)(?<!然)后天)",
        _offset,
    ),
    _rule(r"(?<![多往每])(?P<step>前|去|今|明|后)(?P<unit>年)(?![轻纪龄级\d一二三四五六七八九十])", _stepped),
    _rule(rf"{_STEP_ZH}(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天1-7])", _han_weekday),
    _rule(
        r"(?<![上下这本每一两几个\d])(?P<step>)(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])(?![到至\d])(?!都)",
        _han_weekday,
    ),
    _rule(rf"{_STEP_ZH}{_UNIT_ZH}(?![饼球薪供])", _stepped),
    _rule(r"(?P<step>)(?P<unit>年|月)(?:底|末)(?!\w?奖)", _edge),
    _rule(rf"{_HAN_COUNT}\s?个?(?P<unit>天|周|星期|礼拜|月|年)(?:之|以)?前", _ago),
    _rule(rf"{_HAN_COUNT}\s?个?(?P<unit>天|周|星期|礼拜|月|年)(?P<ahead>(?:之|以)?后)", _ago),
)
