"""The span of time a question asks about, for ranking: 'in May', 'last week', 2024年4月1日, 上周三.

Lenient on purpose: a wrong span costs a little rank, nothing is stored from it. English and Chinese.

Belongs here: one window for one question. Does not belong here: dates of statements that are kept (they need
certainty and the words' place), and what the window is used for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

Window = tuple[datetime, datetime]

_MONTH_NAMES = (
    "",
    *("jan january", "feb february", "mar march", "apr april", "may", "jun june"),
    *("jul july", "aug august", "sep sept september", "oct october", "nov november", "dec december"),
)
_NUMBER_NAMES = (
    *("", "a an one", "two couple", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _numbered(names: tuple[str, ...]) -> dict[str, int]:
    """Each name with its place; several names of one place are parted by spaces."""
    return {name: place for place, group in enumerate(names) for name in group.split()}


_MONTHS: Final = _numbered(_MONTH_NAMES)
_NUMBERS: Final = _numbered(_NUMBER_NAMES)
_WEEKDAYS: Final = _numbered(_DAY_NAMES)
_ZH_DIGITS: Final = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "天": 7,
    "日": 7,
}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = r"(?P<count>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_BEFORE, _SINCE = (
    re.compile(rf"\b(?:{words})\s+(?:the\s+)?$", re.IGNORECASE) for words in ("before|until|prior to|by", "since|after")
)
_BEFORE_HERE, _SINCE_HERE = (re.compile(words, re.IGNORECASE) for words in (r"before\b", r"(?:since|after)\b"))
_ZH_NUMBER = r"(?:\d{1,3}|[零〇一二两三四五六七八九十]{1,3})"


def date_window(question: str, ref: datetime | None) -> Window | None:
    """The half-open span [start, end) the question names, in the zone of `ref` (UTC without one); None where it names
    none.

    What is relative ('last week'), and a month or day without its year, is read from `ref`; without it there is no
    window. 'After' and 'since' reach to `ref`; 'before' gives no window. Never raises for any text.
    """
    found = sorted(_windows(question.replace("，", ","), ref), key=lambda item: (item[0], -item[1]))
    spans: list[tuple[int, int, Window]] = []
    for start, end, window in found:
        if not spans or start >= spans[-1][1]:
            spans.append((start, end, window))
    if not spans:
        return None
    at, end, first = spans[0]
    if len(spans) > 1 and re.search(r"\bbetween\b|\bfrom\b|从|之间|[到至]", question, re.IGNORECASE):
        last = spans[1][2]
        return (min(first[0], last[0]), max(first[1], last[1]))
    lead, span, trail = question[:at], question[at:end], question[end : end + 3]
    if _BEFORE.search(lead) or _BEFORE_HERE.match(span) or re.match(r"之?以?前", trail):
        return None
    if _SINCE.search(lead) or _SINCE_HERE.match(span) or re.match(r"之?以?后", trail):
        return (first[0], max(ref, first[1])) if ref is not None else first
    return first


def _windows(text: str, ref: datetime | None) -> Iterator[tuple[int, int, Window]]:
    """Every span the text names, with the characters that name it."""
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            try:
                window = read(match, ref)
            except (ValueError, OverflowError):  # 31 February, the year 10000
                continue
            if window is not None:
                yield match.start(), match.end(), window


def _midnight(ref: datetime | None, year: int, month: int = 1, day: int = 1) -> datetime:
    """The start of a civil day in the zone of `ref`."""
    return datetime(year, month, day, tzinfo=UTC if ref is None else ref.tzinfo or UTC)


def _days(start: datetime, count: int = 1) -> Window:
    """`count` days from `start`."""
    return start, start + timedelta(days=count)


def _month(ref: datetime | None, year: int, month: int) -> Window:
    """A month; months outside 1..12 carry into the year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return _midnight(ref, year, month), _midnight(ref, year + month // 12, month % 12 + 1)


def _year(ref: datetime | None, year: int) -> Window:
    """A year."""
    return _midnight(ref, year), _midnight(ref, year + 1)


def _calendar(ref: datetime | None, year: int | None, month: int | None, day: int | None) -> Window | None:
    """A date with what is not named left open; without a year, the latest that had begun by `ref`."""
    if year is None:
        if ref is None or month is None:
            return None
        past = (month, day or 1) <= (ref.month, ref.day)
        year = ref.year if past else ref.year - 1
    if month is None:
        return _year(ref, year)
    if day is None:
        return _month(ref, year, month)
    return _days(_midnight(ref, year, month, day))


def _named(match: re.Match[str], ref: datetime | None) -> Window | None:
    """A date by the groups year, month, day; a month is a number or an English name."""
    groups = match.groupdict()
    month = groups.get("month")
    return _calendar(
        ref,
        int(groups["year"]) if groups.get("year") else None,
        None if month is None else _MONTHS.get(month.lower()) or _number(month),
        _number(groups["day"]) if groups.get("day") else None,
    )


def _number(word: str) -> int:
    """A small number in digits, English or Chinese. Raises `ValueError`."""
    if word.isdigit():
        return int(word)
    if word.lower() in _NUMBERS:
        return _NUMBERS[word.lower()]
    tens, ten, ones = word.rpartition("十")
    if ten:
        return (_ZH_DIGITS.get(tens, 1) if tens else 1) * 10 + _ZH_DIGITS.get(ones, 0)
    if word in _ZH_DIGITS:
        return _ZH_DIGITS[word]
    raise ValueError(word)


def _slashed(match: re.Match[str], ref: datetime | None) -> Window | None:
    """3/22 or 3/22/2023: month first, unless that cannot be."""
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if first > 12 else (first, second)
    return _calendar(ref, int(match["year"]) if match["year"] else None, month, day)


def _shifted(ref: datetime | None, unit: str, by: int) -> Window | None:
    """The day, week, month or year `by` units from that of `ref`; weeks start on Monday."""
    if ref is None:
        return None
    today = _midnight(ref, ref.year, ref.month, ref.day)
    if unit == "day":
        return _days(today + timedelta(days=by))
    if unit == "week":
        return _days(today - timedelta(days=today.weekday()) + timedelta(weeks=by), 7)
    if unit == "weekend":
        return _days(today - timedelta(days=today.weekday() - 5) + timedelta(weeks=by), 2)
    return _month(ref, ref.year, ref.month + by) if unit == "month" else _year(ref, ref.year + by)


_WHICH: Final = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_ZH_WHICH: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_ZH_UNITS: Final = {
    "周末": "weekend",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "天": "day",
}
_ZH_DAYS: Final = {"大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "后天": 2}
_ZH_YEARS: Final = {"前年": -2, "去年": -1, "今年": 0, "明年": 1}
_EN_DAYS: Final = {"yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def _which_weekday(match: re.Match[str], ref: datetime | None) -> Window | None:
    """'last Monday': the latest before the day of `ref`; 'next', the first after it; 'this', of its week."""
    if ref is None:
        return None
    today = _midnight(ref, ref.year, ref.month, ref.day)
    wanted = _WEEKDAYS[match["weekday"].lower()]
    which = _WHICH[(match["which"] or "last").lower()]
    ahead = (wanted - today.weekday()) % 7
    if which == 0:
        return _days(today + timedelta(days=wanted - today.weekday()))
    return _days(today + timedelta(days=(ahead or 7) if which > 0 else (ahead - 7)))


def _zh_weekday(match: re.Match[str], ref: datetime | None) -> Window | None:
    """上周三: Wednesday of the week before."""
    week = _shifted(ref, "week", _ZH_WHICH[match["which"]])
    return None if week is None else _days(week[0] + timedelta(days=_number(match["weekday"]) - 1))


def _ago(match: re.Match[str], ref: datetime | None) -> Window | None:
    """'three weeks ago': the day, week, month or year that far back."""
    unit = match["unit"].lower()
    return _shifted(ref, _ZH_UNITS.get(unit, unit), -_number(match["count"]))


def _stretch(match: re.Match[str], ref: datetime | None) -> Window | None:
    """'the last ten days': from that far back to the end of the day of `ref`."""
    unit = match["unit"].lower()
    first, today = _shifted(ref, _ZH_UNITS.get(unit, unit), -_number(match["count"])), _shifted(ref, "day", 0)
    return None if first is None or today is None else (first[0], today[1])


def _rule(
    pattern: str, read: Callable[[re.Match[str], datetime | None], Window | None]
) -> tuple[re.Pattern[str], Callable[..., Window | None]]:
    """A compiled pattern with its reading."""
    return re.compile(pattern, re.IGNORECASE), read


_RULES: Final = (
    _rule(rf"(?<!\d){_YEAR}[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)", _named),
    _rule(rf"(?<!\d){_DAY}\.(?P<month>0?[1-9]|1[0-2])\.{_YEAR}(?!\d)", _named),
    _rule(r"(?<![\d/.])(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>(?:19|20)\d\d))?(?![\d/])", _slashed),
    _rule(rf"(?<!\w){_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?(?!\w)", _named),
    _rule(rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?(?!\w)", _named),
    _rule(rf"(?<!\w){_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\w)", _named),
    _rule(
        rf"(?<!\w)(?:in|during|of|since|last|this|early|late|mid|throughout|after|before)[\s-]+{_MONTH}(?!\w)", _named
    ),
    _rule(rf"(?<!\w)(?:in|during|of|since|year|for|throughout|after|before)\s+{_YEAR}(?!\w)", _named),
    _rule(
        r"(?<!\w)(?P<name>yesterday|last night|today|tonight|tomorrow)(?!\w)",
        lambda m, ref: _shifted(ref, "day", _EN_DAYS[m["name"].lower()]),
    ),
    _rule(
        r"(?<!\w)(?P<which>last|previous|this|current|next|coming)\s+(?P<unit>weekend|week|month|year)(?!\w)",
        lambda m, ref: _shifted(ref, m["unit"].lower(), _WHICH[m["which"].lower()]),
    ),
    _rule(
        rf"(?<!\w)(?P<which>last|previous|past|this|next|coming)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})(?!\w)",
        _which_weekday,
    ),
    _rule(rf"(?<!\w)on\s+(?P<which>)(?P<weekday>{'|'.join(_WEEKDAYS)})(?!\w)", _which_weekday),
    _rule(rf"(?<!\w){_COUNT}\s+(?:of\s+)?{_UNIT}\s+ago(?!\w)", _ago),
    _rule(rf"(?<!\w)(?:last|past)\s+{_COUNT}\s+{_UNIT}(?!\w)", _stretch),
    _rule(rf"(?<!\d){_YEAR}年(?P<month>{_ZH_NUMBER})月(?:份)?(?:(?P<day>{_ZH_NUMBER})[日号])?", _named),
    _rule(rf"(?<!\d){_YEAR}年", _named),
    _rule(rf"(?P<month>{_ZH_NUMBER})月(?:份)?(?P<day>{_ZH_NUMBER})[日号]", _named),
    _rule(
        r"(?<![个\d一二三四五六七八九十])(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?(?![\d])",
        _named,
    ),
    _rule(rf"(?P<name>{'|'.join(_ZH_DAYS)})", lambda m, ref: _shifted(ref, "day", _ZH_DAYS[m["name"]])),
    _rule(rf"(?P<name>{'|'.join(_ZH_YEARS)})", lambda m, ref: _shifted(ref, "year", _ZH_YEARS[m["name"]])),
    _rule(r"(?P<which>上上|下下|上|这|本|下)个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", _zh_weekday),
    _rule(
        r"(?P<which>上上|下下|上|这|本|下)个?(?P<unit>周末|周|星期|礼拜|月)",
        lambda m, ref: _shifted(ref, _ZH_UNITS[m["unit"]], _ZH_WHICH[m["which"]]),
    ),
    _rule(rf"(?P<count>{_ZH_NUMBER})个?(?P<unit>天|周|星期|礼拜|月|年)(?:之|以)?前", _ago),
    _rule(rf"(?:最近|过去|近)(?:的)?(?P<count>{_ZH_NUMBER})个?(?P<unit>天|周|星期|礼拜|月|年)", _stretch),
)
