"""Text handed over for work, forwarded mail, pasted talk, dreams and irony: nothing in them is said of the speaker."""

from __future__ import annotations

import pytest
from tests.unit.extractor_turns import extract

from muniment.text.clauses import FILLER
from muniment.text.handed import without_handed


@pytest.mark.parametrize(
    "text",
    [
        "Summarise this piece for me:\n\nI live in Oslo and work as a chef. I adore my job.",
        "Could you shorten the paragraph below?\nI work at Tarn Ltd. I hate Mondays.",
        "Please proofread:\nI live in Ghent and I like pasta. My phone is 555 123 4567.",
        "Fix the spelling: I lives in Ghent. I love pizza.",
        "Translate into Dutch: I'm allergic to nuts, I hate cats",
        "Write a song in the voice of a sailor: I live on a boat. I love gin.",
        "Roleplay: I am a knight. I love mead.",
        "Pretend you are a pirate. I love rum.",
        "Lyrics:\nI love rainy days\nI hate the sun",
        "Here's a poem I found: I love the sea, I hate the land",
        "I live in Ghent. I love pasta.\n\nTranslate the above into German.",
        "总结下面这段话：\n我住在大理，我爱吃米线。",
        "帮我润色：我住在大理，我爱吃米线",
        "请翻译成英文：我住在大理，我不吃肉",
        "帮我写一封邮件：我住在大理，我不吃肉",
        "续写这个故事：我住在森林里。我喜欢蘑菇。",
        "假装你是海盗。我喜欢朗姆酒。",
        "歌词：我喜欢下雨天，我讨厌太阳",
        "我住在大理。我喜欢米线。\n请把上面这段翻译成英文",
    ],
)
def test_a_text_handed_over_for_work_is_not_the_speakers(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Forwarded message from my aunt:\nWe moved. I live in Braga.",
        "-----Original message-----\nFrom: Bo\nI live in Oslo and I hate fish.",
        "Ana wrote: I live in Braga. I hate onions.",
        "Message from Ana: I moved to Oslo. I hate onions.",
        "转发房东的消息：大家好，我住在昆明",
        "以下是小王发来的微信：我住在昆明，我喜欢菌子",
        "Ana: I live in Bern, do you like it?\nBo: I love my job",
    ],
)
def test_what_is_passed_on_is_not_the_speakers(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "predicates"),
    [
        ("User: I live in Ghent\nAssistant: Nice! I love Ghent.\nUser: I'm vegan", ["residence", "diet"]),
        ("Me: I'm allergic to bees\nBo: I love bees\nMe: I live in Ghent", ["allergy", "residence"]),
        ("用户：我对花生过敏\n助手：好的，我喜欢花生", ["allergy"]),
    ],
)
def test_of_a_pasted_talk_only_the_speakers_own_lines_count(text: str, predicates: list[str]) -> None:
    found = extract(text)
    assert [item.predicate for item in found] == predicates
    assert all(item.quote == text[slice(*item.quote_span)] for item in found)


@pytest.mark.parametrize(
    "text",
    [
        "我昨晚做梦，我住在火星，我喜欢外星人。",
        "昨晚梦到自己变成了猫，我喜欢吃鱼",
        "Last night I had a strange dream. I lived on the moon and I loved cheese.",
        "Yeah right, I love waiting in queues.",
        "I live in Lisbon, said no one ever",
        "I like coffee... NOT.",
        "I like coffee. Not!",
        "我喜欢排队才怪",
        "我喜欢咖啡是假的",
        "For the test account, my name is Test User and I live in Testville.",
        "测试账号：我叫小测，我住在火星",
        "I never said I like coffee",
        "It's not true that I live in Rome",
        "我从来没说过我喜欢咖啡",
    ],
)
def test_dreams_irony_and_made_up_people_state_nothing(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("Remember this: I live in Ghent.", "residence"),
        ("Write this down: my budget is 3000 euros", "budget"),
        ("Plan a trip for me: I love museums, I don't eat meat", "diet"),
        ("I'm a translator: I speak Dutch and French", "occupation"),
        ("I translate novels. I live in Ghent.", "residence"),
        ("Explain it simply. I live in Ghent.", "residence"),
        ("Please summarize our meeting. I live in Ghent.", "residence"),
        ("I dreamed of becoming a pilot. I live in Ghent.", "residence"),
        ("My email: ana@posteo.net", "email"),
        ("记住：我住在杭州", "residence"),
        ("说一下情况：我住在杭州，我不吃辣", "residence"),
        ("我写小说。我住在大理。", "residence"),
        ("我的梦想是当飞行员，我住在杭州", "residence"),
        ("我没说清楚，我住在大理", "residence"),
    ],
)
def test_what_only_looks_like_it_is_read(text: str, predicate: str) -> None:
    assert predicate in [item.predicate for item in extract(text)]


def test_a_text_keeps_its_length_and_lines() -> None:
    text = "Translate:\nI live\nin Oslo"
    assert without_handed(text) == f"{FILLER * 10}\n{FILLER * 6}\n{FILLER * 7}"
    assert without_handed("No work: none.") == "No work: none."
    assert without_handed("") == ""
