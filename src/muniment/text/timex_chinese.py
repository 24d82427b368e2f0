"""How Chinese spells dates: 二零二四年四月一日, 上周三, 三天前, 最近两周, 下个月初, 去年第三季度, 九十年代, 农历八月十五.

Belongs here: base spellings, and the words behind a date that pick a part of it. Does not belong here: prepositions and
ranges (`timex`), times of day (`timex_hours`), dates in digits (`timex_digits`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from muniment.text.amounts import han_number
from muniment.text.timex_amounts import Amount, run, shifted
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
    one,
    unit_at,
    weekday_of,
    year_of,
)
from muniment.text.timex_chinese_parts import HAN_UNITS, HAN_WEEK, edge_of, halved
from muniment.text.timex_digits import Rule, quarter, rule
from muniment.text.timex_english import day_of_month
from muniment.text.timex_holidays import holidays, in_lunar_year
from muniment.text.timex_hours import CHINESE_CLOCK, chinese_clock, next_at
from muniment.text.timex_spellings import HAN_DAY, HAN_MONTH, HAN_WEEKDAYS, HAN_YEAR, han_year, month_of, number, vague

_OFFSETS: Final = {
    "大前天": -3, "前天": -2, "前日": -2, "昨天": -1, "昨日": -1, "昨儿": -1, "今天": 0, "今日": 0,
    "今儿": 0, "当天": 0, "明天": 1, "明日": 1, "明儿": 1, "后天": 2, "後天": 2, "后日": 2, "大后天": 3, "大後天": 3, "昨": -1,
    "今": 0, "明": 1, "前": -2, "后": 2,
}  # fmt: skip
_STEPS: Final = {
    "上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "今": 0, "当": 0, "下": 1, "下下": 2, "上上上": -3, "下下下": 3,
    "前": -2, "去": -1,
    "明": 1, "后": 2, "後": 2, "大前": -3, "大后": 3,
}  # fmt: skip
_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}

_STEP = r"(?P<step>上上上|下下下|上上|下下|上|这|這|本|下)(?:一)?[个個]?"
_COUNT = r"(?P<count>\d{1,3}|[一二两兩三四五六七八九十百]{1,4}|[几幾数半])"
_LONG = r"(?P<unit>天|日|周|週|星期|礼拜|禮拜|季度|月|年|小时|钟头|分钟)"
_LEFT = r"(?<![\d一二三四五六七八九十百第每])"
_AGO = r"(?:之|以)?前(?!的?几天|面|往|提|后|台|端|锋)"
_LATER = r"(?:之|以)?[后後](?!悔|果|面|来|台|端|期)"


def _dated(match: re.Match[str], now: datetime | None) -> Days:
    """Year, month and day as far as they are said."""
    groups = match.groupdict()
    month = month_of(groups["month"]) if groups.get("month") else None
    day = number(groups["day"]) if groups.get("day") else None
    if day is not None:
        date_of(2024, month or 1, day)

    def within(year: int) -> Stretch:
        if month is None:
            return year_of(year)
        return months_from(year, month) if day is None else date_of(year, month, day)

    unit: Unit = "day" if day is not None else "month" if month is not None else "year"
    if groups.get("year"):
        return one(within(han_year(groups["year"], now.year if now else None)), unit)
    return floating(within, now, unit)


def _day_only(match: re.Match[str], now: datetime | None) -> Days:
    return day_of_month(number(match["day"]), now)


def _offset(match: re.Match[str], now: datetime | None) -> Days:
    return one(unit_at(now, "day", _OFFSETS[match["name"]]), "day") if now else Days()


def _stepped(match: re.Match[str], now: datetime | None) -> Days:
    """上个月, 下下周, 去年, 本季度."""
    if now is None:
        return Days()
    unit, by = HAN_UNITS[match["unit"]], _STEPS[match["step"]]
    return one(unit_at(now, unit, by), unit, ambiguous=unit == "weekend" and now.weekday() > 4 and by != 0)


def _half_stepped(match: re.Match[str], now: datetime | None) -> Days:
    """上个半年: the half year before; 上半年 is the first of the year."""
    return one(unit_at(now, "half", _STEPS[match["step"]]), "half") if now else Days()


def _weekday(match: re.Match[str], now: datetime | None) -> Days:
    """上周三: of the week before; 周三 alone the last and the coming one."""
    weekday = HAN_WEEKDAYS[match["weekday"]]
    if now is None:
        return Days(weekday=weekday)
    if match["step"]:
        return one(weekday_of(now, weekday, _STEPS[match["step"]]), "day")
    around = [weekday_of(now, weekday, weeks) for weeks in (-1, 0, 1)]
    return Days(readings=nearest(around, midnight(now)), weekday=weekday)


def _weekend(match: re.Match[str], now: datetime | None) -> Days:
    if now is None:
        return Days(unit="weekend")
    return Days(readings=nearest([unit_at(now, "weekend", by) for by in (-1, 0, 1)], now), unit="weekend")


_ROUGHLY: Final = frozenset(a + b for a, b in zip("一两三四五六七八一二", "两三四五六七八九二三", strict=True))
"""Two numbers beside each other that mean the one or the other: 三四天."""


def _ago(match: re.Match[str], now: datetime | None) -> Days:
    """三天前, 两周后, 一年半以前, 半个月前; a vague count of months or years (几年前) names no time."""
    if now is None:
        return Days()
    unit, word = HAN_UNITS[match["unit"]], match["count"]
    way = -1 if match["way"].endswith("前") else 1
    if vague(word):
        return shifted(day_of(now), [(3, unit, "few")], way, now) if unit in ("day", "week") else Days(ambiguous=True)
    if len(word) == 2 and word in _ROUGHLY:
        ends = [shifted(day_of(now), [(number(part), unit, part)], way, now).readings[0] for part in word]
        return one((min(ends)[0], max(ends)[1]), unit, ambiguous=True)
    half = word == "半" or bool(match.groupdict().get("half"))
    amounts: list[Amount] = [] if word == "半" else [(number(word), unit, word)]
    if half:
        amounts += {
            "year": [(6, "month", "6")],
            "month": [(15, "day", "15")],
            "day": [(12, "hour", "12")],
            "hour": [(30, "minute", "30")],
        }.get(unit, [])  # type: ignore[arg-type]
    return shifted(day_of(now), amounts, way, now)


def _run(match: re.Match[str], now: datetime | None) -> Days:
    """最近两周, 过去三天, 未来五年: up to today, or from tomorrow on."""
    if now is None:
        return Days()
    unit, word = HAN_UNITS[match["unit"]], match["count"]
    way = -1 if match["way"] in ("最近", "过去", "近", "前", "此前", "过去的", "近来", "刚过去的", "上") else 1
    if word == "半":
        unit, word = ("month", "6") if unit == "year" else ("day", "15")
    found = run(number(word), unit, way, now, ambiguous=vague(word))
    whole = match["way"] in ("上", "前") and unit not in ("hour", "minute", "quarter")
    return replace(found, readings=tuple((start, midnight(now)) for start, _ in found.readings)) if whole else found


def _these_days(match: re.Match[str], now: datetime | None) -> Days:
    """这两天, 前几天, 过几天: some days around, before or to come."""
    if now is None:
        return Days()
    count = number(match["count"]) if match["count"] not in "几幾" else 3
    start, end = day_of(now)
    way = match["way"]
    if way in ("前", "头"):
        return one((start - (5 if match["count"] in "几幾" else count) * DAY, start), "day", ambiguous=True)
    if way in ("过", "再过", "隔"):
        return one(
            (start + count * DAY, start + (count + (3 if match["count"] in "几幾" else 1)) * DAY),
            "day",
            ambiguous=match["count"] in "几幾",
        )
    return one((start - (count - 1) * DAY, end), "day", ambiguous=True)


def _half_year(match: re.Match[str], now: datetime | None) -> Days:
    half = 1 if match["half"] in "上前" else 2
    return (
        floating(lambda year: months_from(year, 6 * half - 5, 6), now, "half")
        if now is None
        else Days(
            readings=(months_from(now.year, 6 * half - 5, 6),),
            unit="half",
            within=lambda year: months_from(year, 6 * half - 5, 6),
        )
    )


def _quarter(match: re.Match[str], now: datetime | None) -> Days:
    return quarter(number(match["nth"]), None, now)


def _season(match: re.Match[str], now: datetime | None) -> Days:
    month = _SEASONS[match["season"]]
    return floating(lambda year: months_from(year, month, 3), now, "season", ambiguous=True)


def _decade(match: re.Match[str], now: datetime | None) -> Days:
    """九十年代, 十九世纪七十年代, 1990年代."""
    word = match["tens"]
    value = int(word) if word.isascii() else han_number(word) or 0
    century = match["century"]
    if match["age"] and now is not None:
        century = str((now.year - 1) // 100 + (1 if match["age"] == "本" else 0))
    if value % 10 or (value > 99 and century):
        raise ValueError(word)
    if value <= 99:
        base = (
            100 * ((int(century) if century.isascii() else han_number(century) or 0) - 1)
            if century
            else 1900
            if value > 20
            else 2000
        )
        value += base
    return one(months_from(value, 1, 120), "decade", ambiguous=not century and value < 1000)


def _century(match: re.Match[str], now: datetime | None) -> Days:
    nth = number(match["nth"])
    return one(months_from(100 * (nth - 1) or 1, 1, 1200 if nth > 1 else 1188), "century")


def _year_edge(match: re.Match[str], now: datetime | None) -> Days:
    """年底, 月初 without the year or month they belong to: of this one."""
    if now is None:
        return Days(ambiguous=True)
    unit, part = HAN_UNITS[match["unit"]], match["part"]
    found = edge_of(one(unit_at(now, unit, 0), unit), part)

    def within(year: int) -> Stretch:
        return edge_of(one(year_of(year), unit), part).readings[0]

    return replace(found, within=within) if unit == "year" else found


def _named_week(match: re.Match[str], now: datetime | None) -> Days:
    week = number(match["week"])
    return (
        Days()
        if now is None
        else Days(readings=(iso_week(now.year, week),), unit="week", within=lambda year: iso_week(year, week))
    )


_ERAS: Final = {
    "顺治": 1644, "康熙": 1662, "雍正": 1723, "乾隆": 1736, "嘉庆": 1796, "道光": 1821, "咸丰": 1851, "同治": 1862, "光绪": 1875,
    "宣统": 1909, "民国": 1912, "明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019,
}  # fmt: skip
"""First years of the eras that Chinese and Japanese texts still count by."""


def _era(match: re.Match[str], now: datetime | None) -> Days:
    """民国三十八年十月, 令和6年: its months are taken as those of the common calendar."""
    year = _ERAS[match["era"]] + (1 if match["count"] == "元" else number(match["count"])) - 1
    month = month_of(match["month"]) if match["month"] else None
    return one(year_of(year) if month is None else months_from(year, month), "year" if month is None else "month")


def _this_half_month(match: re.Match[str], now: datetime | None) -> Days:
    return one(halved(unit_at(now, "month", 0), match["half"]), "week") if now else Days()


def _left(match: re.Match[str], now: datetime | None) -> Days:
    """还剩三小时: from now on."""
    if now is None:
        return Days()
    unit = HAN_UNITS[match["unit"]]
    return one((now, moved(now, unit, number(match["count"]))), unit, ambiguous=vague(match["count"]))


def _to_clock(match: re.Match[str], now: datetime | None) -> Days:
    """从现在到八点."""
    hours = chinese_clock(match)
    if now is None or hours is None:
        return Days()
    return Days(readings=((now, next_at(hours, now)),), unit="minute", ambiguous=hours.ambiguous, closed=True)


def _lunar_any(match: re.Match[str], now: datetime | None) -> Days:
    groups = match.groupdict()
    word = match["lunarday"]
    day = number(word.removeprefix("初").replace("廿", "二十").replace("卅", "三十"))
    said = groups.get("year") or groups.get("lunaryear")
    year = han_year(said, now.year if now else None) if said else None
    return in_lunar_year(match["lunarmonth"], day, now, year, bool(match["leap"]))


def _within_run(match: re.Match[str], now: datetime | None) -> Days:
    if now is None:
        return Days()
    return run(number(match["count"]), HAN_UNITS[match["unit"]], 1, now, ambiguous=True, today=True)


RULES: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?P<era>{'|'.join(_ERAS)})(?P<count>元|\d{{1,2}}|[一二三四五六七八九十]{{1,3}})年(?:{HAN_MONTH})?",
        _era,
        *_ERAS,
    ),
    rule(
        rf"(?:(?:农历|阴历|旧历|農曆)\s?(?:{HAN_YEAR}年)?|(?<![\d〇零一二三四五六七八九])"
        rf"{HAN_YEAR.replace('year', 'lunaryear')}年(?:农历|阴历|旧历|農曆)|(?=(?:闰|正月|[冬腊臘]月|"
        rf"[一二三四五六七八九十]{{1,2}}月初)))(?P<leap>闰)?"
        r"(?P<lunarmonth>正|腊|臘|冬|十[一二]?|[一二三四五六七八九]|\d{1,2})月(?P<lunarday>初[一二三四五六七八"
        r"九十]|[二廿]?十[一二三四五六七八九]?|廿[一二三四五六七八九]|三十|卅|\d{1,2})[日号]?",
        _lunar_any,
        "历",
        "曆",
        "闰",
        "正月",
        "冬月",
        "腊月",
        "臘月",
        "月初",
    ),
    rule(
        rf"(?<![\d〇零一二三四五六七八九十.]){HAN_YEAR}\s?年(?:\s?{HAN_MONTH}(?:份|\s?{HAN_DAY})"
        rf"?)?(?![前后後级代]|之?内|以[前后来内]|[半多]|级|[来间]|龄)",
        _dated,
        "年",
    ),
    rule(
        rf"(?<![\d〇零一二三四五六七八九十.])(?P<year>(?:1[0-9]|20)\d\d|[一二][〇零○一二三四五六七八九]{{3}})"
        rf"\s?年(?:\s?{HAN_MONTH}(?:份|\s?{HAN_DAY})?)?(?!代)",
        _dated,
        "年",
    ),
    rule(rf"(?<![\d第一二三四五六七八九十]){HAN_MONTH}(?:份|\s?{HAN_DAY})?(?!球|饼|亮|光|经|薪|[嫂子])", _dated, "月"),
    rule(
        r"(?<![\d第一二三四五六七八九十])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
        r"\s?月\s?(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
        r"(?=[到至~—–-])",
        _dated,
        "月",
    ),
    rule(
        rf"(?<![\d.月/年一二三四五六七八九十第-]){HAN_DAY}(?![\d线楼门机院店铺公桌位文元])(?<!日)",
        _day_only,
        "日",
        "号",
        "號",
    ),
    rule(
        r"(?<![\d.月/年一二三四五六七八九十第-])(?P<day>3[01]|[12]\d|[1-9]|二?十[一二三四五六七八九]?|"
        r"三十一?)日(?!元|语|游|谈|内|后|前|文|本|志|常|程|记|均)",
        _day_only,
        "日",
        "号",
        "號",
    ),
    rule(
        r"(?P<name>大前天|大[后後]天|前天|前日|昨天|昨日|昨儿|今天|今日|今儿|明天|明日|明儿|(?<!以)(?<!然)(?<!最)[后後]天)(?!性)",
        _offset,
        "天",
        "日",
        "儿",
    ),
    rule(r"(?P<name>[昨今明])(?=[早晚晨夜](?!报|年))", _offset, "昨", "今", "明"),
    rule(
        r"(?<![多往每过以之])(?<!从(?=前))(?P<step>大前|前|去|今|明|[后後])(?P<unit>年)(?![轻纪龄级糕货夜]|"
        r"\s?[\d一二三四五六七八九十百]{1,4}\s?(?:[多来]?周?岁|级|班|公斤|斤|多岁))",
        _stepped,
        "年",
    ),
    rule(rf"{_STEP}{HAN_WEEK}(?P<weekday>[一二三四五六日天1-7])(?!次)", _weekday, "周", "週", "星期", "礼拜", "禮拜"),
    rule(
        rf"(?<![上下这這本每一两几个個\d天第])(?P<step>){HAN_WEEK}(?P<weekday>[一二三四五六日天])(?![到至]?\d)(?!都|次)",
        _weekday,
        "周",
        "週",
        "星期",
        "礼拜",
        "禮拜",
    ),
    rule(
        rf"{_STEP}(?P<unit>周末|週末|{HAN_WEEK[3:-1]}|季度|月|世纪|年代)(?![饼球薪供]|[一二三四五六日天])",
        _stepped,
        "上",
        "下",
        "这",
        "這",
        "本",
    ),
    rule(r"(?P<step>[本])(?P<unit>年)(?!级)", _stepped, "年"),
    rule(r"(?P<step>上|下|这)[个個]半年", _half_stepped, "半年"),
    rule(r"(?<![每个個双上下这本第])(?:周|週)末(?!都)", _weekend, "周末", "週末"),
    rule(
        rf"{_LEFT}{_COUNT}\s?(?:[个個](?P<half>半)|[个個]?多?){_LONG}(?P<way>{_AGO}|{_LATER})", _ago, "前", "后", "後"
    ),
    rule(rf"{_LEFT}{_COUNT}\s?[个個]?{_LONG}(?P<half>半)(?P<way>{_AGO}|{_LATER})", _ago, "前", "后", "後"),
    rule(
        rf"(?P<way>最近|过去|近|此前|未来|今后|接下来|往后)(?:的|这|这?过去)?{_COUNT}\s?[个個]?{_LONG}(?:之?内|以来|里)?",
        _run,
        "近",
        "过去",
        "此前",
        "未来",
        "今后",
        "接下来",
        "往后",
    ),
    rule(
        r"(?<![\d一二三四五六七八九十年月周的大最])(?P<way>前|[后後])(?P<count>\d{1,3}|[一二两三四五六七八九十"
        r"]{1,3})\s?[个個]?(?P<unit>年|周|星期|礼拜|月|小时|分钟)(?![级度])",
        _run,
        "前",
        "后",
        "後",
    ),
    rule(
        r"(?P<way>上)(?P<count>\d{1,3}|[两兩二三四五六七八九十几])\s?[个個]?(?P<unit>年|周|星期|礼拜|月|季度)(?!级)",
        _run,
        "上",
    ),
    rule(rf"{_LEFT}{_COUNT}\s?[个個]?{_LONG}(?:之|以)?内(?!容|部|心)", _within_run, "内"),
    rule(
        r"(?<![以之年月的大])(?P<way>这|這|前|头|近|最近|再过|过|隔)(?P<count>[几幾两兩三])天(?!就)", _these_days, "天"
    ),
    rule(r"(?P<half>[上下])半年", _half_year, "半年"),
    rule(r"(?P<half>[上下])半[个個]?月", _this_half_month, "半月", "半个月", "半個月"),
    rule(r"(?:第)?(?P<nth>[一二三四1-4])季度?(?!报)(?<=度)", _quarter, "季度"),
    rule(r"(?<!\d)Q(?P<nth>[1-4])(?!\w)", _quarter, "Q", "q"),
    rule(r"(?<=[年个個])(?P<season>[春夏秋冬])[天季]", _season, "春", "夏", "秋", "冬"),
    rule(
        r"(?:(?:(?P<century>\d{1,2}|[一二三四五六七八九十]{1,3})|(?P<age>上|本)[个個]?)世纪(?:的)?)?(?<![\d])(?P<tens>\d0|(?:1[0-9]|"
        r"20)\d0|[二三四五六七八九]十)年代",
        _decade,
        "年代",
    ),
    rule(
        r"(?<![\d一二三四五六七八九十半个個])(?P<nth>\d{1,2}|[一二三四五六七八九十]{1,3})世纪(?!\d|[二三四五六七八九]十年代)",
        _century,
        "世纪",
    ),
    rule(
        r"(?<![\d一二三四五六七八九十〇零去今明前后後两几多整每同当半份个個这本上下])(?P<unit>年|"
        r"月)(?P<part>[底末初尾]|中旬?(?!秋)|上旬|下旬)(?!\w?奖|级)",
        _year_edge,
        "年",
        "月",
    ),
    rule(r"第(?P<week>[1-5]?\d)[周週](?!末)", _named_week, "周", "週", "星期", "礼拜", "禮拜"),
    rule(rf"(?:还剩|剩余|剩下|只剩)\s?(?:不到)?{_COUNT}\s?[个個]?{_LONG}", _left, "剩"),
    rule(r"(?:从|自)?现在(?:起)?\s?[到至]\s?(?:" + CHINESE_CLOCK.pattern + ")", _to_clock, "现在"),
    holidays("chinese"),
)
