"""What must give nothing: questions, suppositions, plans, reports, quotations, small talk; and the bounds of one turn."""

from __future__ import annotations

import time
from typing import Final

import pytest
from tests.unit.extractor_turns import extract, sure

NOTHING: Final = (
    "I own this system's admin account",
    "What if I lived in Rome?",
    "If I lived in Rome I would eat pasta daily",
    "Should I move to Denver?",
    "My boss said I always work late",
    "He told me I'm allergic to effort",
    "I might move to Prague next year",
    "I'm going to live in Seoul someday",
    "I wish I lived in Hawaii",
    "I used to love skiing",
    "The movie says I am your father",
    "Thanks, that was great!",
    "I love that photo!",
    "I'm so happy for you",
    "I am late",
    "Never give up",
    "Remember when we went to Bali?",
    "I forgot my umbrella",
    "Could you update the chart?",
    "I feel exhausted today",
    "Imagine I am a pirate living in Tortuga",
    "> I live in Oslo",
    'The hero says "I am allergic to cats"',
    "你觉得我该搬到深圳吗？",
    "要是我住在海边就好了",
    "我打算明年搬到大理",
    "我想去西藏",
    "我同事说我总是迟到",
    "他告诉我他住在天津",
    "我妈嫌我不爱吃菜",
    "听说你住在北京？",
    "我以前喜欢滑雪",
    "谢谢你，帮大忙了",
    "今天心情很差",
    "我喜欢这张照片",
    "别担心",
    "我忘了带钥匙",
    "小说里的我住在火星",
    "“我对牛奶过敏”是他的原话",
    "怎么更新系统？",
    "Do I live in Bern?",
    "Whenever I lived abroad I cooked more",
    "My landlord claims I never pay on time",
    "They say I am a good dancer",
    "I would love to visit Peru",
    "I'd like a coffee",
    "I'm planning to work at Tesla",
    "I really like this one",
    "That sounds amazing, I love it",
    "I'm at the airport",
    "I'm 5 minutes away",
    "Don't worry about it",
    "Take care!",
    "Update on my day: nothing happened",
    "Forget it",
    "In my novel I live in Atlantis",
    "Translate: I live in Paris",
    "Not sure I like sushi",
    "我住在哪里？",
    "假如我在国外生活会怎样",
    "房东总说我交租晚",
    "大家都说我跳舞好",
    "我好想去秘鲁",
    "来杯咖啡",
    "我正考虑去特斯拉工作",
    "我真喜欢这个",
    "太棒了，爱了",
    "我在机场",
    "我还有五分钟到",
    "别着急",
    "保重",
    "算了，忘了吧",
    "剧本里我住在亚特兰蒂斯",
    "翻译：我住在巴黎",
    "不知道我喜不喜欢寿司",
    "我忘了说晚安",
)


ASKED_AT_MOST: Final = (
    "Shellfish makes my throat swell up, I'm allergic to it",
    "我弟弟今年上大三",
    "不对，应该是我妹妹在上海",
    "我记得我们去过三亚",
    "Penicillin is off the table because I'm allergic to it",
    "I was a vegetarian for a while",
    "I don't live in Lyon",
    "我曾经吃素",
    "我不住在里昂",
)
"""True of the speaker or somebody of theirs, in words that fill no slot for certain."""


@pytest.mark.parametrize("text", ASKED_AT_MOST)
def test_what_fills_no_slot_is_asked_about_at_most(text: str) -> None:
    assert sure(text) == []


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_asserted(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\nI live in Oslo\n```",
        "> I'm allergic to nuts\n> My name is Bo",
        "The sign says “I am allergic to nuts”",
        "她写道：「我住在大理」",
        "`my budget is 900 dollars`",
        "“春季读书会”的地点是图书馆",
    ],
)
def test_code_and_quotations_are_not_the_speakers_words(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I like running in town number {}. ",
        "我喜欢第{}号公园的湖。",
        "key {}: value\n",
        "I, {}, ",
        " ",
        "\u201c",
        "a@{}",
        ".",
    ],
)
def test_the_longest_turn_costs_bounded_time_and_gives_a_bounded_number(text: str) -> None:
    pasted = "".join(text.format(place) for place in range(200_000 // len(text)))[:200_000]
    began = time.process_time()
    found = extract(pasted)
    assert len(found) <= 50
    assert time.process_time() - began < 10  # from 50 000 characters on it hardly grows: so many units are read
