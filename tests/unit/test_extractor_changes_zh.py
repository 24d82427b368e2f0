"""What is told of a change in Chinese: a move with its day, a stack that was migrated, and what is ours."""

from __future__ import annotations

from datetime import date

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.enums import Intent
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


@pytest.mark.parametrize("owner", ["我们的", "我的", "咱们的", ""])
@pytest.mark.parametrize(
    ("text", "value"),
    [("技术栈是 FastAPI", "FastAPI"), ("技术栈已迁移到 MySQL", "MySQL"), ("技术栈已经换成 MySQL 了", "MySQL")],
)
def test_a_stack_of_ours_is_one_slot_whoever_we_are(owner: str, text: str, value: str) -> None:
    (found,) = extract(f"{owner}{text}")
    assert (found.subject or "user", found.predicate, found.qualifier or "", found.value) == (
        "user",
        "tech_stack",
        "",
        value,
    )


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("项目的技术栈已迁移到 MySQL。", ("项目", "tech_stack", "MySQL")),
        ("订单服务的数据库已经从 PostgreSQL 迁移到 MySQL", ("订单服务", "数据库", "MySQL")),
    ],
)
def test_a_migration_of_a_named_thing(text: str, slot: tuple[str, str, str]) -> None:
    (found,) = extract(text)
    assert (found.subject, found.predicate, found.value) == slot
    assert found.intent is Intent.CHANGE


def test_a_migration_of_nothing_named_is_no_fact() -> None:
    assert extract("已迁移到 MySQL。") == []
