"""Chinese words behind a date that pick a part of it: 初, 下旬, 的第一周, 15号, 上半月.

Belongs here: those words, and what they make of the date before them. Does not belong here: base spellings (`timex_chinese`).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from muniment.text.timex_calendar import DAY, Days, Stretch, Unit, midnight, months_from, nth_unit, nth_weekday
from muniment.text.timex_english_parts import Part
from muniment.text.timex_spellings import HAN_DAY, HAN_WEEKDAYS, number

HAN_UNITS: Final[dict[str, Unit]] = {
    "天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "禮拜": "week", "月": "month",
    "年": "year",
    "周末": "weekend", "週末": "weekend", "季度": "quarter", "季": "quarter", "小时": "hour", "钟头": "hour", "分钟": "minute",
    "世纪": "century",
    "年代": "decade",
}  # fmt: skip
HAN_WEEK = r"(?:周|週|星期|礼拜|禮拜)"
HAN_COUNT = r"(?:\d{1,3}|[一二两兩三四五六七八九十百]{1,4})"


def edge_of(days: Days, part: str) -> Days:
    """初, 中, 底 and the three 旬 of a month, year or week: a month's thirds, a year's first and last month; vague but for 旬."""
    found = []
    for start, end in days.readings:
        if days.unit == "month":
            cuts = (start, start + 10 * DAY, start + 20 * DAY, end)
        elif days.unit == "year":
            cuts = (start, months_from(start.year, 2)[0], months_from(start.year, 12)[0], end)
            if part.startswith("中"):
                cuts = (start, months_from(start.year, 5)[0], months_from(start.year, 9)[0], end)
        else:
            third = (end - start) / 3
            cuts = (start, midnight(start + third), midnight(end - third), end)
        place = 0 if part[0] in "初上" else 1 if part[0] == "中" else 2
        stretch = (cuts[place], cuts[place + 1])
        if part in ("底", "末", "尾") and days.unit == "month":
            stretch = (end - 10 * DAY, end)
        found.append(stretch)
    return Days(readings=tuple(found), unit=days.unit, ambiguous=not part.endswith("旬"), first=days.first)


def _edge(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    if days.unit not in ("month", "year", "decade", "century", "week"):
        raise ValueError("no part of it")
    return edge_of(days, match["part"])


def _nth(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """十月的第一周, 明年第九个月, 去年的前10天, 最后一周."""
    unit = HAN_UNITS[match["unit"]]
    way = match["way"]
    size = number(match["n"]) if match["n"] else 1
    nth, count = (size, 1) if way == "第" else (1, size) if way == "前" else (-1, size)
    found = [nth_unit(item, unit, nth, count) for item in days.readings]
    return Days(readings=tuple(found), unit=unit, first=days.first)


def _nth_weekday(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """五月的第二个星期日."""
    nth = number(match["n"]) if match["n"] else -1
    found = tuple(nth_weekday(item, HAN_WEEKDAYS[match["weekday"]], nth) for item in days.readings)
    return Days(readings=found, first=days.first)


def _half_month(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """三月上半月: to the 15th, or from the 16th on."""
    if days.unit != "month":
        raise ValueError("no half of it")
    return Days(readings=tuple(halved(item, match["half"]) for item in days.readings), unit="week", first=days.first)


def halved(month: Stretch, half: str) -> Stretch:
    """A month to its 15th (上), or from the 16th on (下)."""
    middle = month[0] + 15 * DAY
    return (month[0], middle) if half == "上" else (middle, month[1])


def _day_in(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """上个月15号."""
    if days.unit != "month":
        raise ValueError("no day of it")
    day = number(match["day"])
    return Days(readings=tuple(nth_unit(item, "day", day) for item in days.readings), unit="day", first=days.first)


def _month_in(match: re.Match[str], days: Days, now: datetime | None) -> Days:
    """去年本月: the month it is said in, in another year."""
    if now is None or days.unit != "year":
        raise ValueError("no month of it")
    return Days(readings=tuple(months_from(start.year, now.month) for start, _ in days.readings), unit="month")


AFTER: Final[tuple[Part, ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            r"份?(?:的)?(?P<part>上旬|中旬|下旬|[底末初尾](?!中|级)|中(?:期)?(?=$|[^\u4e00-\u9fff])|中期|初期|末期)",
            _edge,
        ),
        (
            rf"的?(?P<way>第|最[后後]一?)(?P<n>[一二三四五])?[个個]?{HAN_WEEK}(?P<weekday>[一二三四五六日天])",
            _nth_weekday,
        ),
        (
            rf"的?(?P<way>第|前|最[后後]|[后後])\s?(?P<n>{HAN_COUNT})?\s?[个個]?(?P<unit>天|周|週|星期|礼拜|月|季度|年)(?!前|后)",
            _nth,
        ),
        (r"的?(?P<half>[上下])半[个個]?月", _half_month),
        (rf"的?{HAN_DAY}", _day_in),
        (r"的?[本这]个?月", _month_in),
    )
)
