"""Chinese time expressions: the civil range of each kind of spelling. Said on Wednesday 15 May 2024, 10:00 in Shanghai."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

import pytest
from tests.unit.test_timex_english import SAID, civil

from muniment.domain.time import Moment
from muniment.text.timex import time_expressions
from muniment.text.timex_holidays import lunar_day


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("二〇二三年七月九日", "2023-07-09", "2023-07-10"),
        ("23年7月9号", "2023-07-09", "2023-07-10"),
        ("２０２３年７月", "2023-07-01", "2023-08-01"),
        ("前年三月", "2022-03-01", "2022-04-01"),
        ("大前天", "2024-05-12", "2024-05-13"),
        ("大后天", "2024-05-18", "2024-05-19"),
        ("下下周三", "2024-05-29", "2024-05-30"),
        ("上上个周五", "2024-05-03", "2024-05-04"),
        ("上个月底", "2024-04-21", "2024-05-01"),
        ("六月上旬", "2024-06-01", "2024-06-11"),
        ("去年年底", "2023-12-01", "2024-01-01"),
        ("下个月15号", "2024-06-15", "2024-06-16"),
        ("上半年", "2024-01-01", "2024-07-01"),
        ("去年下半年", "2023-07-01", "2024-01-01"),
        ("明年第三季度", "2025-07-01", "2025-10-01"),
        ("本季度", "2024-04-01", "2024-07-01"),
        ("八十年代", "1980-01-01", "1990-01-01"),
        ("十八世纪", "1700-01-01", "1800-01-01"),
        ("民国三十八年", "1949-01-01", "1950-01-01"),
        ("十天后", "2024-05-25", "2024-05-26"),
        ("半年前", "2023-11-15", "2023-11-16"),
        ("两年半以前", "2021-11-15", "2021-11-16"),
        ("三个半月后", "2024-08-30", "2024-08-31"),
        ("三四天前", "2024-05-11", "2024-05-13"),
        ("上世纪八十年代", "1980-01-01", "1990-01-01"),
        ("两周内", "2024-05-15", "2024-05-29"),
        ("大年初三", "2024-02-12", "2024-02-13"),
        ("最近三天", "2024-05-12", "2024-05-16"),
        ("未来两周", "2024-05-16", "2024-05-30"),
        ("这两天", "2024-05-14", "2024-05-16"),
        ("六月的第一周", "2024-06-03", "2024-06-10"),
        ("六月的第二个星期日", "2024-06-09", "2024-06-10"),
        ("去年的前10天", "2023-01-01", "2023-01-11"),
        ("国庆节那天", "2024-10-01", "2024-10-02"),
        ("2024年中秋节", "2024-09-17", "2024-09-18"),
        ("2025年春节", "2025-01-29", "2025-01-30"),
        ("2024年除夕", "2025-01-28", "2025-01-29"),
        ("农历2024年八月十五", "2024-09-17", "2024-09-18"),
        ("2024年清明节", "2024-04-04", "2024-04-05"),
        ("从6月3日到9日", "2024-06-03", "2024-06-10"),
        ("2015年和2018年之间", "2015-01-01", "2019-01-01"),
        ("2022年以后", "2023-01-01", None),
        ("2024年6月30日或之前", None, "2024-07-01"),
        ("明天下午三点半", "2024-05-16 15:30", "2024-05-16 15:31"),
        ("周五晚上七点到九点", "2024-05-17 19:00", "2024-05-17 21:00"),
        ("明晚八点一刻", "2024-05-16 20:15", "2024-05-16 20:16"),
        ("还剩两小时", "2024-05-15 10:00", "2024-05-15 12:00"),
    ],
)
def test_range(text: str, start: str | None, end: str | None) -> None:
    (found,) = time_expressions(text, SAID)
    assert civil(found) == (start, end)
    assert text[slice(*found.span)] == found.phrase


@pytest.mark.parametrize(
    "text",
    [
        "我今年五十八岁",
        "前面有两家店",
        "周一到周四上班",
        "每周五",
        "今天性",
        "三月份的月饼券"[4:],
        "以后再说",
        "一年级",
    ],
)
def test_what_is_no_date_gives_none(text: str) -> None:
    assert [item.phrase for item in time_expressions(text, SAID) if item.resolved] == []


def test_a_vague_count_of_years_stays_unknown() -> None:
    (found,) = time_expressions("几年前搬来的", SAID)
    assert (found.resolved, found.ambiguous) == (False, True)


WEEKDAYS: Final = [date(2024, 5, 13) + timedelta(days=by) for by in range(7)]


@pytest.mark.parametrize("day", WEEKDAYS, ids=lambda day: day.strftime("%a"))
@pytest.mark.parametrize("text", ["last weekend", "上周末"])
def test_the_last_weekend_is_that_of_the_week_before_on_every_weekday(text: str, day: date) -> None:
    said = Moment.of(f"{day.isoformat()}T09:00:00+02:00")
    (found,) = time_expressions(text, said)
    assert found.start is not None
    assert found.end is not None
    zone = said.tz()
    assert (found.start.astimezone(zone).date(), found.end.astimezone(zone).date()) == (
        date(2024, 5, 11),
        date(2024, 5, 13),
    )
    assert found.ambiguous == (day.weekday() > 4)


@pytest.mark.parametrize("day", WEEKDAYS, ids=lambda day: day.strftime("%a"))
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("下周三", date(2024, 5, 22)),
        ("上周三", date(2024, 5, 8)),
        ("这周三", date(2024, 5, 15)),
        ("下下周三", date(2024, 5, 29)),
    ],
)
def test_weeks_begin_on_monday(text: str, wanted: date, day: date) -> None:
    said = Moment.of(f"{day.isoformat()}T23:30:00+08:00")
    (found,) = time_expressions(text, said)
    assert found.start is not None
    assert found.start.astimezone(said.tz()).date() == wanted


@pytest.mark.parametrize(
    ("year", "month", "day", "civil_day"),
    [
        (2000, 1, 1, date(2000, 2, 5)),
        (2020, 4, 30, date(2020, 5, 22)),
        (2023, 12, 30, date(2024, 2, 9)),
        (2033, 8, 15, date(2033, 9, 8)),
    ],
)
def test_days_of_the_chinese_calendar(year: int, month: int, day: int, civil_day: date) -> None:
    assert lunar_day(year, month, day)[0].date() == civil_day


def test_a_leap_month_has_days_of_its_own() -> None:
    assert lunar_day(2023, 2, 1, leap=True)[0].date() == date(2023, 3, 22)
    with pytest.raises(ValueError, match="leap"):
        lunar_day(2023, 3, 1, leap=True)
    with pytest.raises(ValueError, match="calendar"):
        lunar_day(1899, 1, 1)
