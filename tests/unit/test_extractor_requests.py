"""Requests to the memory itself: remember, forget, correct."""

from __future__ import annotations

from typing import Final

import pytest
from tests.unit.extractor_turns import extract, sure

from muniment.domain.enums import ActorType, Intent, MemoryType

REQUESTS: Final = (
    ("Note that my passport expires in 2031", "FACT"),
    ("Make a note that our wifi name is Walnut", "FACT"),
    ("Please keep in mind that I'm left-handed", "FACT"),
    ("Keep a record that the boiler was serviced in March", "FACT"),
    ("Erase what you know about my ex", "FORGET"),
    ("Please forget everything about my knee surgery", "FORGET"),
    ("Forget that I said I like opera", "FORGET"),
    ("Wait, scratch that, my office is in Leeds", "CORRECT"),
    ("Sorry, I meant that I live in Bath", "CORRECT"),
    ("That's wrong, my cat's name is Juno", "CORRECT"),
    ("Update my address to 12 Elm Street", "CORRECT"),
    ("帮我记一下，车位在B2层", "FACT"),
    ("记好了，我是左撇子", "FACT"),
    ("麻烦把我家门牌号是302记下来", "FACT"),
    ("备注一下：会议室密码贴在白板上", "FACT"),
    ("把我前女友的事从记忆里删掉", "FORGET"),
    ("请忘记我之前说的生日", "FORGET"),
    ("不用再记我的鞋码了", "FORGET"),
    ("删除关于我体检的记录", "FORGET"),
    ("说错了，我住在苏州", "CORRECT"),
    ("更正一下，我的生日是5月6日", "CORRECT"),
    ("把我的职业改成自由撰稿人", "CORRECT"),
    ("Please note that my locker number is 117", "FACT"),
    ("Bear in mind that I'm colour-blind", "FACT"),
    ("Write down that the plumber comes on Thursdays", "FACT"),
    ("Save this: my badge number is 8841", "FACT"),
    ("Forget about my trip to Cuba", "FORGET"),
    ("Delete everything you know about my salary", "FORGET"),
    ("Don't remember my old address anymore", "FORGET"),
    ("Actually no, my birthday is 4 May", "CORRECT"),
    ("No, I meant 5pm works, and my name is Kit", "CORRECT"),
    ("Change my job title to staff engineer", "CORRECT"),
    ("Correct my phone number to +49 30 901820", "CORRECT"),
    ("请记录一下，我的储物柜是117号", "FACT"),
    ("你要记得，我喝咖啡不加奶", "FACT"),
    ("请牢记我是色弱", "FACT"),
    ("存一下：我的工牌号是8841", "FACT"),
    ("帮我记住水管工每周四来", "FACT"),
    ("忘掉我去古巴的那次旅行", "FORGET"),
    ("清除所有关于我工资的记忆", "FORGET"),
    ("别再记着我的旧地址", "FORGET"),
    ("不是，我的生日是5月4日", "CORRECT"),
    ("我刚才说错了，我叫李可", "CORRECT"),
    ("把我的职位更新为高级工程师", "CORRECT"),
    ("我的手机号改成13700001234", "CORRECT"),
)


@pytest.mark.parametrize(("text", "asked"), REQUESTS)
def test_what_is_asked(text: str, asked: str) -> None:
    (found,) = sure(text)
    assert found.explicit
    assert found.confidence == 0.95
    # Of a locker or a badge number there is one: keeping it replaces the one before.
    kept = (Intent.ASSERT, Intent.CHANGE)
    assert found.intent in (kept if asked == "FACT" else (Intent(asked),))
    if asked == "FACT":
        assert found.memory_type is MemoryType.FACT


@pytest.mark.parametrize(
    ("text", "content", "predicate", "value"),
    [
        ("Forget that I hate olives.", "I hate olives", "dislikes", "olives"),
        ("Please forget my birthday", "my birthday", "birthday", None),
        ("请忘掉我喜欢游泳这件事", "我喜欢游泳", "likes", "游泳"),
    ],
)
def test_forgetting_names_what_to_forget(text: str, content: str, predicate: str, value: str | None) -> None:
    (found,) = sure(text)
    assert (found.content, found.predicate, found.value) == (content, predicate, value)


@pytest.mark.parametrize(
    ("before", "text", "content", "value"),
    [
        ("I live in Turku", "No, it's actually Tampere.", "I live in Tampere", "Tampere"),
        ("My name is Jon Ek", "Sorry, I meant Jan Ek", "My name is Jan Ek", "Jan Ek"),
        ("我住在温州", "不对，应该是台州", "我住在台州", "台州"),
    ],
)
def test_a_bare_correction_takes_its_slot_from_the_turn_before(
    before: str, text: str, content: str, value: str
) -> None:
    (found,) = extract(text, before=((ActorType.USER, before), (ActorType.AGENT, "Noted.")))
    assert (found.content, found.value, found.intent) == (content, value, Intent.CORRECT)
    assert sure(text) == []


def test_a_request_in_a_sentence_of_its_own_reaches_back() -> None:
    (english,) = extract("I'm allergic to lupins. Please remember that.")
    (chinese,) = extract("我对羽扇豆过敏。记一下。")
    assert english.explicit
    assert chinese.explicit


def test_request_words_inside_a_statement_ask_for_nothing() -> None:
    for text in (
        "The update and the forget button are broken on page two",
        "I forgot to remember the milk",
        "更新日志我还没看",
    ):
        assert [item for item in extract(text) if item.explicit or item.intent is not Intent.ASSERT] == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("please forget who our plumber is, he retired", "our plumber"),
        ("Forget the gate code, they changed it.", "gate code"),
        ("actualy forget about the model trains thing", "model trains"),
        ("Please forget which bus I take to school.", "bus I take to school"),
        ("Delete what I told you about my divorce, please.", "my divorce"),
        ("Please delete everything about my landlord.", "my landlord"),
        ("Forget that the shed's code word is otter.", "shed's code word is otter"),
    ],
)
def test_a_request_to_forget_names_the_thing_alone(text: str, content: str) -> None:
    (found,) = sure(text)
    assert found.intent is Intent.FORGET
    assert found.content == content


def test_who_somebody_is_is_the_slot_of_who_they_are() -> None:
    (held,), (asked,) = extract("Our plumber is Jan Moor."), extract("forget who our plumber is")
    assert held.predicate == asked.predicate == "plumber"
    assert asked.value is None


@pytest.mark.parametrize(
    "text", ["Forget the rain, we had a great time!", "Forget it, let's go on.", "Forget the rest."]
)
def test_an_exhortation_forgets_nothing(text: str) -> None:
    assert [item for item in extract(text) if item.intent is Intent.FORGET] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "Dear assistant, before we look at the slides I would like you to bear in mind that our tax adviser is Ms Hahn.",
            "Ms Hahn",
        ),
        (
            "Hello, I hope you are well; could you please remember that our tax adviser is Ms Hahn? Many thanks.",
            "Ms Hahn",
        ),
        ("记一下, our tax adviser is Ms Hahn, she is in Leeds", "Ms Hahn"),
        ("our tax adviser is Ms Hahn, remember that", "Ms Hahn"),
        ("pls rember that our tax adviser is Ms Hahn", "Ms Hahn"),
    ],
)
def test_a_request_to_keep_is_found_where_it_stands(text: str, value: str) -> None:
    (found,) = sure(text)
    assert found.value == value
    assert found.explicit


def test_a_request_that_points_back_keeps_nothing_of_its_own() -> None:
    (found,) = extract("Lena's dentist is Dr Moor, please remember that for next time")
    assert found.content == "Lena's dentist is Dr Moor"
    assert found.explicit
