"""Requests to forget that name no thing, and words that ask not to be kept from the outset."""

from __future__ import annotations

import pytest

from muniment.text.retractions import retractions
from muniment.text.standing import withheld

LAST = (
    "Forget what I just said.",
    "Please forget what I just said",
    "Could you please forget what I just told you?",
    "Forget my last message, please.",
    "Disregard my previous message.",
    "Forget I said that.",
    "Oh no. Forget what I just said.",
    "Pretend I never said that.",
    "忘记我刚才说的话。",
    "请忘掉我刚说的",
    "把我刚才说的话忘了吧。",
    "刚才说的不算。",
    "当我没说。",
    "请把上一条消息删掉。",
)
EVERYTHING = (
    "Forget everything about me.",
    "Erase everything you know about me, please.",
    "Delete all my data.",
    "Forget everything I've told you",
    "Wipe your whole memory of me",
    "忘记关于我的一切。",
    "请删除你记得的关于我的全部信息。",
    "把我的所有资料都删了。",
    "清空你对我的记忆",
)


@pytest.mark.parametrize("text", LAST)
def test_the_turn_before_is_meant(text: str) -> None:
    assert [item.reach for item in retractions(text)] == ["last"]
    assert withheld(text) == []


@pytest.mark.parametrize("text", EVERYTHING)
def test_everything_is_meant(text: str) -> None:
    assert [item.reach for item in retractions(text)] == ["everything"]


@pytest.mark.parametrize(
    "text",
    [
        "Forget what I said about Rome.",
        "Forget my address.",
        "What should I do to forget what I just said?",
        "I forgot what I just said.",
        "Don't forget what I just said.",
        "Ignore the noise.",
        "Delete all my unread mails.",
        "忘记我的地址。",
        "删掉我刚才说的地址。",
        "我忘了我刚才说的话。",
        "别忘记我刚才说的话。",
        '"Forget everything about me" is a song.',
    ],
)
def test_other_words_ask_no_such_thing(text: str) -> None:
    assert retractions(text) == []


def test_behind_other_words_it_takes_these_back() -> None:
    for text in ("My code is heron. I like tea. Forget what I just said.", "我的口令是苍鹭。忘记我刚才说的话。"):
        assert [item.reach for item in retractions(text)] == ["here"]
        assert withheld(text) == [(0, len(text) - 1)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Don't remember this: I live in Rome.", ""),
        ("Please do not save the following: I live in Rome. I earn a lot.", ""),
        ("I like tea. Off the record, I earn a lot.", "I like tea."),
        ("Off the record: I earn a lot.", ""),
        ("No need to note this: I live in Rome", ""),
        ("Don't remember my salary: a lot", ""),
        ("Don't store that I live in Rome. I like tea.", "I like tea."),
        ("Keep this out of your memory: I smoke.", ""),
        ("Without saving this, I smoke.", ""),
        ("不要记住：我住在上海。", ""),
        ("别记：我抽烟", ""),
        ("我喜欢喝茶。以下内容不要记录：我抽烟。我住在上海。", "我喜欢喝茶。"),
        ("接下来的话别记。我抽烟。", ""),
        ("别把我抽烟的事记下来。我喜欢喝茶。", "我喜欢喝茶。"),
        ("私下说，我准备辞职。", ""),
    ],
)
def test_what_shall_not_be_kept_from_the_outset(text: str, rest: str) -> None:
    spans = withheld(text)
    assert spans
    kept = "".join(char for place, char in enumerate(text) if not any(start <= place < end for start, end in spans))
    assert kept.strip() == rest


@pytest.mark.parametrize(
    "text",
    [
        "I don't remember: was it Rome?",
        "Don't forget: I like tea.",
        "My boss told me off the record that we move.",
        "We had an off-the-record chat.",
        "Don't remember my name wrong.",
        "别记错了，我住在北京。",
        "别记仇，我喜欢喝茶。",
        "我没记住：密码是什么？",
    ],
)
def test_other_words_keep_nothing_back(text: str) -> None:
    assert withheld(text) == []


def test_reading_is_linear() -> None:
    assert retractions("forget what " * 20_000) == []
    assert withheld("off the recor d " * 20_000) == []
