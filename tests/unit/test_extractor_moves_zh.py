"""Moves told in Chinese with their day: where to, from when, and that a day told with 了 lies behind."""

from __future__ import annotations

from datetime import date

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.time import Moment

SATURDAY = Moment.of("2026-05-02T10:00+08:00")


@pytest.mark.parametrize(
    ("text", "place", "since"),
    [
        ("我今天搬到了上海。", "上海", date(2026, 5, 2)),
        ("我昨天刚搬到了上海", "上海", date(2026, 5, 1)),
        ("我周一搬到了北京", "北京", date(2026, 4, 27)),
        ("我上周一从天津搬到了北京", "北京", date(2026, 4, 20)),
        ("我3月5日搬到深圳了", "深圳", date(2026, 3, 5)),
        ("我十月一号搬到了成都", "成都", date(2025, 10, 1)),
        ("我上个月搬回武汉了", "武汉", date(2026, 4, 1)),
        ("我妈妈上周搬到了苏州", "苏州", date(2026, 4, 20)),
    ],
)
def test_a_move_is_dated(text: str, place: str, since: date) -> None:
    (found,) = extract(text, occurred=SATURDAY)
    assert (found.predicate, found.value) == ("residence", place)
    assert found.valid_from is not None
    assert found.valid_from.astimezone(SATURDAY.tz()).date() == since


@pytest.mark.parametrize(
    "text", ["我下周搬到上海", "我明天要搬到上海", "我今天搬到了新工位", "我上周搬到了楼上", "我周五搬到新办公室了"]
)
def test_what_is_to_come_or_no_home_is_no_move(text: str) -> None:
    assert not [item for item in extract(text, occurred=SATURDAY) if item.predicate == "residence"]
