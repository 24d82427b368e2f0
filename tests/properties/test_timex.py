"""Time expressions: no text, moment or zone makes the reading fail, and what is read is sound."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.time import Moment
from muniment.text.dates import date_window
from muniment.text.timex import time_expressions

WORDS: Final = (
    *(
        "the ",
        "last ",
        "next ",
        "first ",
        "end of ",
        "week ",
        "month",
        " of ",
        "from ",
        "to ",
        " and ",
        "between ",
        "until ",
    ),
    *(
        "May",
        "march ",
        "Friday",
        "mon ",
        "31",
        "29 ",
        "12:30",
        " pm",
        "2024",
        "0001",
        "9999",
        "-",
        "/",
        ", ",
        "ago",
        "in ",
        "two ",
    ),
    *("tomorrow", "tonight", "now", "Easter", "decade", "century", "years ", "9999 ", "q3 ", "W53"),
    *(
        "上",
        "下",
        "个",
        "月",
        "周",
        "三",
        "天",
        "前",
        "后",
        "年",
        "初",
        "底",
        "十",
        "到",
        "点",
        "半",
        "最近",
        "农历",
        "初一",
        "国庆节",
        "晚上",
    ),
    *("août ", "il y a ", "\x00", "\ud800", "😀", "\n", "１２", "²"),
)
TEXTS: Final = st.one_of(st.lists(st.sampled_from(WORDS), max_size=14).map("".join), st.text(max_size=60))
ZONES: Final = st.sampled_from(
    ["Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", None]
)
EDGES: Final = st.sampled_from(
    [
        datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2024, 2, 29, 12, tzinfo=UTC),
        datetime(2024, 12, 31, 23, 59, tzinfo=UTC), datetime(2024, 3, 10, 7, tzinfo=UTC),
        datetime(2024, 11, 3, 5, 30, tzinfo=UTC),
    ]
)  # fmt: skip
MOMENTS: Final = st.builds(
    lambda at, offset, zone: Moment(at=at, offset=offset, zone=zone),
    st.one_of(EDGES, st.datetimes(timezones=st.just(UTC))),
    st.integers(-12 * 60, 14 * 60),
    ZONES,
)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, said=st.one_of(st.none(), MOMENTS), lean=st.sampled_from([None, "past", "future"]))
def test_every_expression_is_sound(text: str, said: Moment | None, lean: str | None) -> None:
    place = 0
    for item in time_expressions(text, said, lean=lean):  # type: ignore[arg-type]
        assert place <= item.span[0] < item.span[1] <= len(text)
        assert item.phrase == text[slice(*item.span)]
        assert item.reference == said
        for start, end in ((item.start, item.end), *item.alternatives):
            assert start is None or end is None or start < end
            assert all(at is None or at.utcoffset() == timedelta(0) for at in (start, end))
        assert item.ambiguous or not item.alternatives
        item.as_json()
        place = item.span[1]


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, ref=st.one_of(st.none(), EDGES, st.datetimes(timezones=st.just(timezone(timedelta(hours=14))))))
def test_a_window_ends_after_it_begins(text: str, ref: datetime | None) -> None:
    window = date_window(text, ref)
    assert window is None or window[0] < window[1]
