"""States of named things and plain statements of things in Chinese: what is one, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.enums import Intent
from muniment.domain.records import Candidate


def slots(text: str) -> list[tuple[str | None, str | None, str | None, str | None]]:
    """(subject, predicate, qualifier, value) of what is proposed for things."""
    return [
        (item.subject, item.predicate, item.qualifier, item.value) for item in extract(text) if item.subject != "user"
    ]


def only(text: str) -> Candidate:
    """The one candidate of a turn."""
    (found,) = extract(text)
    return found


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "qualifier", "value"),
    [
        ("mailer-3 的版本现在是 2.8.1", "mailer-3", "version", "", "2.8.1"),
        ("mailer-3 已经升级到 v2.9", "mailer-3", "version", "", "v2.9"),
        ("已把结算网关回滚到 v1.4.2", "结算网关", "version", "", "v1.4.2"),
        ("结算网关从 1.4 升级到 1.5", "结算网关", "version", "", "1.5"),
        ("ledger 服务当前 version 为 v7", "ledger", "version", "", "v7"),
        ("ledger 的金丝雀部署当前版本是 v8-rc1", "ledger", "version", "金丝雀部署", "v8-rc1"),
        ("ledger 的 fetch 任务当前状态为 queued", "ledger", "status", "fetch任务", "queued"),
        ("二号风机已经更换轴承", "二号风机", "status", "轴承", "已更换"),
        ("二号风机的轴承尚未更换", "二号风机", "status", "轴承", "未更换"),
        ("仓库 B 恢复正常了", "仓库 B", "status", "", "正常"),
        ("redis-2 目前不可用", "redis-2", "status", "", "不可用"),
    ],
)
def test_a_state_is_of_a_thing_and_its_part(
    text: str, subject: str, predicate: str, qualifier: str, value: str
) -> None:
    assert slots(text) == [(subject, predicate, qualifier, value)]


@pytest.mark.parametrize(
    "text",
    [
        "准备周四把 mailer-3 升级到 v3.0",
        "mailer-3 必须保持在 v2.9",
        "如果 mailer-3 升级到 v3.0 就要停机",
        "mailer-3 是不是已经升级到 v3.0？",
        "mailer-3 并不是 running 状态",
        "mailer-3 不再处于 running 状态",
        "发布手册写着：mailer-3 当前版本是 v3.0",
        "老徐说 mailer-3 的版本是 v3.0",
        "比如 mailer-3 当前状态为 down",
        "“mailer-3 当前版本是 v3.0”这句话不要改",
        "mailer-3 使用 PostgreSQL 存储",
        "大家目前很忙",
    ],
)
def test_what_is_planned_demanded_denied_supposed_or_told_by_another_is_no_state(text: str) -> None:
    assert [item for item in slots(text) if item[1] in ("version", "status")] == []


def test_clauses_of_one_line_share_their_thing() -> None:
    assert slots("ledger 的 API 服务当前 healthy；fetch 任务当前 stalled") == [
        ("ledger", "status", "api服务", "healthy"),
        ("ledger", "status", "fetch任务", "stalled"),
    ]
    assert slots("mailer-3 已回退，当前版本是 v2.8") == [("mailer-3", "version", "", "v2.8")]
    assert slots("二号风机已经更换轴承，但电机尚未更换")[0] == ("二号风机", "status", "轴承", "已更换")


def test_a_line_of_its_own_takes_no_thing_from_the_line_before() -> None:
    _, *others = slots("ledger 的 API 服务当前 healthy\nfetch 任务当前 stalled")
    assert "ledger" not in [subject for subject, *_ in others]


def test_a_state_of_a_time_that_is_over_is_past_and_a_late_entry_holds_from_then_on() -> None:
    over = only("2021 年时 mailer-3 的版本是 v0.4")
    assert (over.valid_from, over.valid_until) == (
        datetime(2020, 12, 31, 16, tzinfo=UTC), datetime(2021, 12, 31, 16, tzinfo=UTC),
    )  # fmt: skip
    late = only("补录：2024 年 5 月 2 日时 mailer-3 的版本是 v2.7")
    assert (late.valid_from, late.valid_until) == (datetime(2024, 5, 1, 16, tzinfo=UTC), None)
    assert not only("历史记录：mailer-3 的版本是 v0.4").placed


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "value", "intent"),
    [
        ("门禁系统的口令现在是 K7731", "门禁系统", "口令", "K7731", Intent.CHANGE),
        ("年会的场地从枫林厅改成松涛厅", "年会", "场地", "松涛厅", Intent.CHANGE),
        ("快递柜现在是 B12", "快递柜", "value", "B12", Intent.CHANGE),
        ("巡检的路线仍是东环", "巡检", "路线", "东环", Intent.ASSERT),
    ],
)
def test_an_attribute_of_a_thing_is_told_confirmed_or_changed(
    text: str, subject: str, predicate: str, value: str, intent: Intent
) -> None:
    found = only(text)
    assert (found.subject, found.predicate, found.value, found.intent) == (subject, predicate, value, intent)


@pytest.mark.parametrize(
    "text",
    ["顾客是上帝", "天气现在是晴天", "这件事的关键是沟通", "他的口令是 K7731", "时间就是金钱"],
)
def test_what_states_no_attribute_of_a_thing_is_left_alone(text: str) -> None:
    assert slots(text) == []
