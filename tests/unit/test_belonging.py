"""Whose a key in a text is, what a code is the number of, and which keys of one text go together."""

from __future__ import annotations

import time

import pytest

from muniment.text.belonging import belongings, beside, named
from muniment.text.owners import SELF


def of(text: str) -> list[tuple[str, str | None]]:
    return [(item.key.value, item.owner) for item in belongings(text)]


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("Ben's phone is 13800138000", "ben"),
        ("Ben’s new phone number has changed to 13800138000", "ben"),
        ("James' phone is 13800138000", "james"),
        ("13800138000 is Ben's phone number.", "ben"),
        ("13800138000 is Ben", "ben"),
        ("13800138000 belongs to Anna Lee.", "anna lee"),
        ("Ben (13800138000) called", "ben"),
        ("13800138000 (Ben) called", "ben"),
        ("user Ben: 13800138000", "ben"),
        ("The phone number of Ben is 13800138000", "ben"),
        ("Ben uses 138 0013 8000", "ben"),
        ("My wife's phone is 13800138000", "user's wife"),
        ("my phone number is 13800138000", SELF),
        ("13800138000 is mine", SELF),
        ("小王的电话是13800138000", "小王"),
        ("小王的新手机号改成了13800138000", "小王"),
        ("用户王小明的手机号：13800138000", "王小明"),
        ("13800138000是小王的", "小王"),
        ("这个号码13800138000属于王小明", "王小明"),
        ("王小明（13800138000）来电", "王小明"),
        ("我妹妹的电话是13800138000", "我妹妹"),
        ("我的电话是13800138000", SELF),
        ("13800138000是我的", SELF),
    ],
)
def test_who_is_named_as_having_a_phone(text: str, owner: str) -> None:
    assert of(text) == [("+8613800138000", owner)]


@pytest.mark.parametrize(
    ("text", "owner", "label"),
    [
        ("Ben's order is ORD-7", "ben", "order"),
        ("Ben placed order ORD-2024-007 yesterday", "ben", "order"),
        ("I placed order ORD-2024-007", SELF, "order"),
        ("The ticket INC12345 was opened by Ben", "ben", "ticket"),
        ("Tracking number SF123456789", None, "tracking"),
        ("小王的订单号是ORD-2024-008", "小王", "order"),
        ("王小明下了订单ORD-2024-008", "王小明", "order"),
        ("我下了一个订单ORD-2024-008", SELF, "order"),
        ("订单ORD-2024-008是张三的", "张三", "order"),
        ("工单号WX00003186133", None, "ticket"),
        ('{"order_no": "ORD-2024-008"}', None, "order"),
        ('{"user_id": "U-2024-1"}', None, "user"),
        ("ORD-2024-008 shipped", None, None),
    ],
)
def test_whose_a_code_is_and_what_it_is_the_number_of(text: str, owner: str | None, label: str | None) -> None:
    (item,) = belongings(text)
    assert (item.key.kind, item.owner, item.label) == ("code", owner, label)


@pytest.mark.parametrize(
    "text",
    [
        "Call 13800138000",
        "the phone is 13800138000",
        "The customer's phone is 13800138000",
        "It is 13800138000",
        "他的电话是13800138000",
        "这个用户的手机号是13800138000",
        "订单的电话是13800138000",
        "电话：13800138000",
        "U-1001's phone is 13800138000",
        "Phone: 13800138000",
    ],
)
def test_a_key_with_nobody_named_has_no_owner(text: str) -> None:
    assert {owner for value, owner in of(text) if value == "+8613800138000"} == {None}


def test_each_clause_has_its_own() -> None:
    text = "张三，电话13800138000，订单号ORD-2024-001；李四，电话13900139000，订单号ORD-2024-002"
    assert of(text)[0::2] == [("+8613800138000", "张三"), ("+8613900139000", "李四")]
    for phone, order in (("+8613800138000", "ord2024001"), ("+8613900139000", "ord2024002")):
        assert [item.key.value for item in beside(text, ("phone", phone), {"code"})] == [order]


@pytest.mark.parametrize(
    ("text", "phone", "codes"),
    [
        ("138 0013 8000 has ORD-2024-1, 139 0013 9000 has ORD-2024-2", "+8613800138000", ["ord20241"]),
        ("138 0013 8000 has ORD-2024-1, 139 0013 9000 has ORD-2024-2", "+8613900139000", ["ord20242"]),
        ("ORD-2024-1 is of 138 0013 8000, ORD-2024-2 of 139 0013 9000", "+8613900139000", ["ord20242"]),
        ("phone,order\n13800138000,ORD-2024-1\n13900139000,ORD-2024-2", "+8613900139000", ["ord20242"]),
        ("Customer: Ben\nPhone: 13800138000\nOrder: ORD-2024-1", "+8613800138000", ["ord20241"]),
        ("Phone: 13800138000\nPhone: 13900139000\nOrder: ORD-2024-1", "+8613800138000", []),
        ("13800138000 called. Anna's order is ORD-2024-2.", "+8613800138000", ["ord20242"]),
        ("Ben's phone is 13800138000. Anna's order is ORD-2024-2.", "+8613800138000", []),
        ("13700137000", "+8613800138000", []),
    ],
)
def test_keys_that_stand_together(text: str, phone: str, codes: list[str]) -> None:
    assert [item.key.value for item in beside(text, ("phone", phone), {"code"})] == codes


def test_what_was_masked_has_an_owner_too() -> None:
    text = "My ID card is [national_id …002X] and my order is ORD-2024-5"
    assert [(item.key.kind, item.owner) for item in belongings(text)] == [("national_id", SELF), ("code", SELF)]
    assert [item.key.value for item in beside(text, ("national_id", "11010519491231002X"), {"code"})] == ["ord20245"]
    two = "[national_id …002X] has ORD-2024-5; [national_id …0021] has ORD-2024-6"
    assert beside(two, ("national_id", "11010519491231002X"), {"code"}) == []


@pytest.mark.parametrize(
    ("text", "person", "said"),
    [
        ("Is Max's phone 13366667777?", "max", "open"),
        ("If Zoe's phone were 13355556666 I would call.", "zoe", "open"),
        ("Not Ann's phone: 13344445555", "ann", "open"),
        ("Maybe Ann's phone is 13344445555", "ann", "open"),
        ("小李的邮箱不是 c@w.cn", "小李", "open"),
        ("小李的电话是13800138000吗", "小李", "open"),
        ("Ann's phone was 13100000001 before.", "ann", "past"),
        ("Ann's old phone is 13100000001", "ann", "past"),
        ("小安以前的电话是13100000001", "小安", "past"),
        ("ORD-7 belonged to Ann", "ann", "past"),
        ("Ben's order was ORD-7", "ben", "so"),
        ("Ben is 30 years old and Ben's phone is 13800138000", "ben", "so"),
        ("ORD-7 now belongs to Ann", "ann", "new"),
        ("小王的邮箱换成了 b@w.cn", "小王", "new"),
        ("小王在旧金山，小王的电话是13800138000", "小王", "so"),
    ],
)
def test_how_it_is_said(text: str, person: str, said: str) -> None:
    (item,) = belongings(text)
    assert (item.person, item.said, item.owner) == (person, said, person if said in ("so", "new") else None)


def test_my_is_the_speaker() -> None:
    assert (named(SELF, "Ben "), named(SELF, None), named("anna", "Ben")) == ("ben", SELF, "anna")


@pytest.mark.parametrize(
    "unit",
    ["Ben's order is ORD-2024-7, ", "138 0013 8000 ", "小王的电话是13800138000", "的", "A b ", "’s ", "ORD-2024-7"],
)
def test_long_text_takes_linear_time(unit: str) -> None:
    text = (unit * 20_000)[:60_000]
    started = time.process_time()
    belongings(text)
    assert time.process_time() - started < 20  # several times what it takes; a quadratic scan takes minutes
