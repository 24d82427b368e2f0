"""Statements that name their own end, and attributes of which there is one at a time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
from tests.unit.extractor_turns import extract, sure

from muniment.domain.enums import Intent, MemoryType, Scope

ENDS: Final = (
    ("I'm house-sitting in Bonn until 3 June 2024", datetime(2024, 6, 3, 16, tzinfo=UTC)),
    ("Over the next two weeks I'm in Graz for a course.", datetime(2024, 5, 29, 16, tzinfo=UTC)),
    ("Owing to the strike I cycle to work until 25 May.", datetime(2024, 5, 25, 16, tzinfo=UTC)),
    ("My desk is at the annex this week.", datetime(2024, 5, 19, 16, tzinfo=UTC)),
    ("接下来三天我在绍兴出差", datetime(2024, 5, 18, 16, tzinfo=UTC)),
    ("5月25日之前我骑车上班", datetime(2024, 5, 24, 16, tzinfo=UTC)),
    ("我替同事看店，到5月25日为止", datetime(2024, 5, 25, 16, tzinfo=UTC)),
    ("本周我们的例会改到三楼", datetime(2024, 5, 19, 16, tzinfo=UTC)),
)


@pytest.mark.parametrize(("text", "end"), ENDS)
def test_a_statement_with_an_end_of_its_own(text: str, end: datetime) -> None:
    (found,) = sure(text)
    assert found.memory_type is MemoryType.FACT
    assert (found.valid_from, found.valid_until) == (None, end)


@pytest.mark.parametrize(
    "text",
    [
        "I need the report until Friday.",
        "Can you watch the shop until Friday?",
        "I was in Bonn until Monday",
        "I'm so bored this week",
        "I'm going to paint until dusk",
        "If I'm in Graz until Friday, call me there",
        "我想睡到周日",
        "我今天好无聊",
        "你能帮我看店到周五吗？",
    ],
)
def test_what_only_asks_wishes_or_is_past_is_none(text: str) -> None:
    assert sure(text) == []


def test_temporary_is_no_narrower_than_its_end() -> None:
    (found,) = extract("I can be reached at a temporary number until 25 May, 0170 555 12")
    assert found.scope is Scope.USER


ONE: Final = (
    ("My chiropractor is Ole Brandt", None, "chiropractor", "Ole Brandt"),
    ("our retro starts at 14:15", None, "retro starts", "14:15"),
    ("Mila's swimming class is on Saturdays", "mila", "swimming class", "Saturdays"),
    ("Our choir has been renamed to Larks", None, "choir", "Larks"),
    ("my locker is number B-7 now", None, "locker", "B-7"),
    ("my bay is number D-12 :)", None, "bay", "D-12"),
    ("我的理发师是韦一舟", None, "理发师", "韦一舟"),
    ("我们的复盘会改到14点15分了", None, "复盘会", "14点15分"),
    ("圆圆的游泳课在周六", "圆圆", "游泳课", "周六"),
)


@pytest.mark.parametrize(("text", "whose", "what", "value"), ONE)
def test_the_later_value_of_one_thing_takes_the_earlier_ones_place(
    text: str, whose: str | None, what: str, value: str
) -> None:
    (found,) = sure(text)
    assert ((found.subject or "").casefold(), found.predicate) == (whose or "user", what)
    assert value in (found.value or "")
    assert found.intent is Intent.CHANGE


@pytest.mark.parametrize(
    "text",
    [
        "My friend is Ole",
        "My guess is Monday",
        "Our problem is Brexit",
        "My weekend was great",
        "my cousin is Ida",
        "我的朋友是小周",
        "我的感觉是5分",
        "我们的问题是周五",
        "我的同学叫王可",
    ],
)
def test_what_there_may_be_several_of_replaces_nothing(text: str) -> None:
    assert not [item for item in sure(text) if item.intent is Intent.CHANGE]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("My favourite season is autumn", "favourite season", "autumn"),
        ("我最喜欢的季节是秋天", "favourite 季节", "秋天"),
    ],
)
def test_there_is_one_favourite_of_a_kind(text: str, kind: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.predicate, found.qualifier, found.value) == ("likes", kind, value)
    assert found.intent is Intent.CHANGE


def test_one_of_many_is_told_which() -> None:
    (found,) = extract("My car is a pickup")
    assert (found.predicate, found.qualifier, found.intent) == ("vehicle", "car", Intent.CHANGE)


def test_a_label_before_a_statement_is_no_order_to_the_agent() -> None:
    assert all(item.memory_type is not MemoryType.RULE for item in extract("Update: my fare is 90 a month from now on"))
