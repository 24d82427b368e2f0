"""Reading a question for the exact channel: the keys it names, what it wants of them, whose slot, which status."""

from __future__ import annotations

import pytest

from muniment.config import load_policy
from muniment.retrieval.asked_exactly import Wanted, names, wants
from muniment.retrieval.asked_slots import slot, status_keys

POLICY = load_policy(None)


def wanted(question: str) -> Wanted:
    named = names(question)
    phones = {key: span for key, span in named.possible.items() if key[0] == "phone"}
    return wants(question, named.keys or phones, POLICY)


@pytest.mark.parametrize(
    "question",
    [
        "The order number of the user 13800138000",
        "what is the order number of the user 138-0013-8000?",
        "Can you look up the order number for the customer whose phone is 13800138000?",
        "which order belongs to 13800138000",
        "13800138000's order number?",
        "please tell me the order id of the customer with the phone number +86 138 0013 8000",
        "用户13800138000的订单号是多少",
        "帮我查一下手机号13800138000的订单号",
        "请问13800138000这个用户的订单是哪个？",
        "手机号为13800138000的客户，订单号是什么",
        "查询13800138000名下的订单号",
    ],
)
def test_a_value_is_asked_of_a_key_and_nothing_more(question: str) -> None:
    asked = wanted(question)
    assert asked.attribute is not None
    assert (asked.attribute.name, asked.for_value, asked.owner) == ("order", True, False)


@pytest.mark.parametrize(
    "question",
    [
        "what did the user 13800138000 say about the weather?",
        "Why was the order of 13800138000 late?",
        "when will the customer 13800138000 get the order we discussed in Lyon",
        "用户13800138000对订单有什么抱怨",
        "13800138000的订单为什么晚到",
        "13800138000",
        "what about ORD-2024-001?",
        "ORD-2024-001怎么样了",
    ],
)
def test_more_than_a_value_is_asked(question: str) -> None:
    assert not wanted(question).for_value


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("what is the status of order ORD-2024-001?", "status"),
        ("订单ORD-2024-001的状态是什么", "status"),
        ("what is the phone number of order ORD-2024-001?", "phone"),
        ("订单ORD-2024-001的客户电话是多少", "phone"),
        ("which e-mail does the user 13800138000 have", "email"),
        ("the tracking number of order ORD-2024-001", "tracking"),
        ("the order number of the e-mail a@b.com", "order"),
        ("how much was order ORD-2024-001", "amount"),
        ("what is order ORD-2024-001?", None),
        ("phone number 13800138000", None),
    ],
)
def test_a_word_that_labels_a_key_is_not_what_is_asked(question: str, attribute: str | None) -> None:
    asked = wanted(question)
    assert (asked.attribute.name if asked.attribute else None) == attribute


@pytest.mark.parametrize(
    "question",
    [
        "who has 13800138000?",
        "whose number is 13800138000",
        "who does 13800138000 belong to?",
        "Whose order is ORD-2024-001?",
        "13800138000是谁的号码",
        "这个号码是谁的：13800138000",
        "谁在用13800138000",
        "ORD-2024-001是谁的订单？",
        "who is 13800138000",
    ],
)
def test_whose_a_key_is(question: str) -> None:
    asked = wanted(question)
    assert (asked.owner, asked.for_value) == (True, True)


@pytest.mark.parametrize(
    ("question", "subject", "attribute"),
    [
        ("what is my phone number?", "user", "phone"),
        ("我的电话是多少？", "user", "phone"),
        ("my e-mail?", "user", "email"),
        ("do you remember my order number", "user", "order"),
        ("What is Anna's phone number?", "anna", "phone"),
        ("Anna’s e-mail", "anna", "email"),
        ("the phone number of Anna Lee?", "anna lee", "phone"),
        ("tell me Ben's current residence", "ben", "residence"),
        ("小王的邮箱", "小王", "email"),
        ("小王的邮箱是什么？", "小王", "email"),
        ("请问王小明的手机号是多少", "王小明", "phone"),
        ("what is my wife's phone number", "user's wife", "phone"),
        ("what is the user's phone number", "user", "phone"),
    ],
)
def test_whose_slot_is_asked_for(question: str, subject: str, attribute: str) -> None:
    found = slot(question, POLICY)
    assert found is not None
    assert (found.subjects[0], found.attribute.name) == (subject, attribute)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "how are you",
        "what is Anna's favourite violin sonata by the sea",
        "Anna's phone broke",
        "Anna told Ben's phone story",
        "what is that",
        "小王的邮箱为什么打不开",
        "小王喜欢什么",
        "what's the weather's effect on my phone number plan",
        "it's my phone number",
        "谁的电话",
    ],
)
def test_other_questions_ask_for_no_slot(question: str) -> None:
    assert slot(question, POLICY) is None


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("what is the step?", "step"),
        ("What's the current step?", "step"),
        ("当前步骤是什么", "step"),
        ("现在的步骤是什么？", "step"),
        ("what is the current status", "status"),
        ("目前状态是什么", "status"),
        ("show me the phase", "phase"),
        ("what is the build number now?", "build number"),
        ("what is the build number now?", "build_number"),
    ],
)
def test_a_status_is_asked_for_by_its_key(question: str, key: str) -> None:
    assert key in status_keys(question, POLICY)


@pytest.mark.parametrize(
    "question", ["", "how are you", "where do I live", "what is the matter with Ben's car", "怎么样", "步骤"]
)
def test_other_questions_ask_for_no_status(question: str) -> None:
    assert not {"step", "status", "phase"} & set(status_keys(question, POLICY))


def test_what_describes_many_things_is_no_key() -> None:
    named = names("did I pay 8000元 on 2026-03-05 for v2.3.1?")
    assert not named.keys
    assert set(named.marks) == {("amount", "8000 CNY"), ("date", "2026-03-05"), ("version", "2.3.1")}


@pytest.mark.parametrize(
    "question", ["\x00", "\ud800", "a1 " * 5_000, "1-" * 10_000, "的是" * 5_000, "'s " * 5_000, "ß1İ2 13800138000"]
)
def test_any_question_can_be_read(question: str) -> None:
    named = names(question)
    assert len(named.possible) <= 128
    wants(question, named.keys, POLICY)
    slot(question, POLICY)
    status_keys(question, POLICY)
