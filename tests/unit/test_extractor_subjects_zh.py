"""Who a Chinese clause is about: 我 before a noun is somebody of the speaker's, and what is left out is theirs."""

from __future__ import annotations

import pytest
from tests.unit.extractor_turns import extract

from muniment.models.extractor.subjects_zh import OTHER, SPEAKER, subject_of


@pytest.mark.parametrize(
    "text",
    [
        "我前妻住在罗马，喜欢意面。",
        "我客户住在北京，不吃辣。",
        "我合伙人对花生过敏，喜欢喝茶",
        "我公婆住在苏州，喜欢听戏",
        "我司机不吃辣，喜欢抽烟",
        "我学生喜欢足球，讨厌数学",
        "我们家孩子喜欢画画，不吃胡萝卜",
        "我大学同学住在厦门，喜欢爬山",
        "我导师的秘书住在昆山，喜欢喝茶",
        "我妹男朋友喜欢打篮球，住在无锡",
        "我物业经理住在楼下，喜欢下棋",
        "我牌搭子不吃辣，喜欢抽烟",
        "我电脑坏了，喜欢死机",
        "我打印机坏了，不喜欢双面打印",
        "我认识小王，小王住在北京，喜欢吃辣",
        "给客户订酒店，不吃辣，喜欢高楼层",
        "帮我妈订票，喜欢靠窗的座位。",
        "我妈要来了。电话是13800138000，喜欢靠窗的座位。",
        "小李要来了。喜欢靠过道的座位，电话是13900001111。",
        "我表妹的老师住在常州。喜欢画画。",
    ],
)
def test_what_is_said_of_somebody_else_is_never_the_users(text: str) -> None:
    found = extract(text)
    assert [item.content for item in found if item.subject == "user"] == []
    assert [item.content for item in found if item.content.startswith(("我喜欢", "我不", "我住", "我讨厌"))] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("我爸妈住在成都，不吃辣", [("我爸妈", "residence"), ("我爸妈", "diet")]),
        ("我姐夫住在徐州，不吃香菜", [("我姐夫", "residence"), ("我姐夫", "diet")]),
        ("我妈要来了。电话是13800138000", [("我妈", "phone")]),
        ("我老婆怀孕了，对海鲜过敏", [("我老婆", "allergy")]),
    ],
)
def test_it_is_theirs_where_they_have_a_name(text: str, said: list[tuple[str, str]]) -> None:
    assert [(item.subject, item.predicate) for item in extract(text) if item.predicate] == said


@pytest.mark.parametrize(
    ("text", "predicates"),
    [
        ("我叫王明，程序员，住在杭州，不吃辣", ["name", "residence", "diet"]),
        ("我的名字叫李雷，28岁，喜欢篮球", ["name", "age", "likes"]),
        ("我是北京人，喜欢吃辣", ["origin", "likes"]),
        ("我一个人住在上海，养了一只猫", ["residence", "pet"]),
        ("我个人偏好简洁，讨厌废话", ["likes", "dislikes"]),
        ("我老家在山东，爱吃面", ["origin", "likes"]),
        ("我家在成都，喜欢吃火锅", ["residence", "likes"]),
        ("本人已婚，住在天津，喜欢钓鱼", ["marital_status", "residence", "likes"]),
        ("我妈要来了。我喜欢靠窗的座位。", ["seat"]),
        ("帮我订票，喜欢靠窗的座位", ["seat"]),
        ("我讨厌咖啡但是喜欢茶", ["dislikes", "likes"]),
    ],
)
def test_the_speaker_is_carried_on(text: str, predicates: list[str]) -> None:
    found = [item for item in extract(text) if item.predicate]
    assert [item.predicate for item in found] == predicates
    assert {item.subject for item in found} == {"user"}


@pytest.mark.parametrize(
    ("clause", "subject"),
    [
        ("我住在杭州", SPEAKER),
        ("我学画画", SPEAKER),
        ("我学生喜欢足球", "我学生"),
        ("我学霸同桌走了", OTHER),
        ("我养母住在杭州", "我养母"),
        ("我养了猫", SPEAKER),
        ("他住在杭州", OTHER),
        ("老张不吃辣", OTHER),
        ("周末去爬山", None),
        ("", None),
    ],
)
def test_who_a_clause_is_about(clause: str, subject: str | None) -> None:
    assert subject_of(clause) == subject
