"""Declarations in English and Chinese: which slot, whose, since when, in which scope."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import pytest
from tests.unit.extractor_turns import SAID, extract

from muniment.config import load_policy
from muniment.domain.enums import ActorType, EvidenceType, Intent, MemoryType, Scope
from muniment.domain.scope import Reader
from muniment.models.extractor import BuiltinExtractor
from muniment.ports.models import Turn

SLOTS: Final = (
    ("I've been residing in Valparaíso since 2019", "residence"),
    ("We're settled in Ghent now", "residence"),
    ("Just relocated to Tallinn last week", "residence"),
    ("People usually call me Bex", "name"),
    ("I go by Theo", "name"),
    ("The name's Oluwaseun Adeyemi", "name"),
    ("I'm employed by a small vineyard near Bordeaux", "employer"),
    ("I work for Maersk as a logistics planner", "employer"),
    ("I make my living as a luthier", "occupation"),
    ("By trade I'm a bricklayer", "occupation"),
    ("I'm a paediatric nurse", "occupation"),
    ("I was born on 17 February 1988", "birthday"),
    ("My birthday falls on October 9th", "birthday"),
    ("I just turned 41", "age"),
    ("I'm twenty-nine years old", "age"),
    ("I have a severe penicillin allergy", "allergy"),
    ("I'm coeliac", "diet"),
    ("I don't eat pork", "diet"),
    ("Mushrooms are something I can't stand", "dislikes"),
    ("I can't stand country music", "dislikes"),
    ("I'm not a fan of open-plan offices", "dislikes"),
    ("I steer clear of crowded bars", "dislikes"),
    ("Gardening is my favourite way to unwind", "likes"),
    ("I'm really into bouldering", "likes"),
    ("My favorite cuisine is Ethiopian", "likes"),
    ("I've got a soft spot for old vinyl records", "likes"),
    ("I'd rather take the train than fly", "likes"),
    ("I prefer sitting by the window on long flights", "seat"),
    ("I always choose an aisle seat", "seat"),
    ("We have two border collies named Fern and Moss", "pet"),
    ("I've got a tortoise called Sheldon", "pet"),
    ("You can reach me at mira.k@posteo.net", "email"),
    ("My new number is +44 7911 123456", "phone"),
    ("I'm on Pacific time", "timezone"),
    ("My partner works at a bakery", "employer"),
    ("My brother is allergic to bees", "allergy"),
    ("My grandma was born in 1941", "birthday"),
    ("Our release owner is Priya", "owner"),
    ("My total budget for flights is $1,400", "budget"),
    ("Please bump the marketing budget up to 25k", "budget"),
    ("I can spend at most 300 euros on the gift", "budget"),
    ("Keep the hotel under £120 a night", "budget"),
    ("The deadline for the grant application is 14 June", "deadline"),
    ("My tax return is due by the end of the month", "deadline"),
    ("Don't forget that I hate surprises", "dislikes"),
    ("I'm divorced", "marital_status"),
    ("I speak Finnish and Estonian", "speaks"),
    ("My mother tongue is Catalan", "native_language"),
    ("I drive a red Toyota Yaris", "vehicle"),
    ("I'm studying marine biology at Galway", "field_of_study"),
    ("I graduated from McGill", "education"),
    ("We have three kids", "children"),
    ("I've been playing the cello for twelve years", "activity"),
    ("I go swimming every Tuesday", "activity"),
    ("I'm the root user", "role_claim"),
    ("我目前定居在昆明", "residence"),
    ("我家在珠海", "residence"),
    ("去年刚从大连搬到青岛", "residence"),
    ("我常住无锡", "residence"),
    ("本人姓名李慕白", "name"),
    ("大家都喊我阿杰", "name"),
    ("你叫我小满就行", "name"),
    ("我任职于中科院计算所", "employer"),
    ("我在一家律所当助理", "employer"),
    ("我是小学数学老师", "occupation"),
    ("我的职业是兽医", "occupation"),
    ("我干装修这行的", "occupation"),
    ("我出生于1992年3月8日", "birthday"),
    ("我生日是农历八月十五", "birthday"),
    ("我今年四十二岁", "age"),
    ("我才19岁", "age"),
    ("我对猫毛过敏", "allergy"),
    ("我有青霉素过敏史", "allergy"),
    ("我吃素", "diet"),
    ("我不吃香菜", "diet"),
    ("我从来不喝酒", "diet"),
    ("我特别讨厌排队", "dislikes"),
    ("我受不了烟味", "dislikes"),
    ("我对综艺节目没什么兴趣", "dislikes"),
    ("我挺喜欢爬山的", "likes"),
    ("我最爱的歌手是李健", "likes"),
    ("我对天文很感兴趣", "likes"),
    ("我是个骨灰级咖啡爱好者", "likes"),
    ("我的爱好是集邮", "likes"),
    ("我坐飞机喜欢靠过道的座位", "seat"),
    ("我家养了两只英短", "pet"),
    ("我养了一条金毛叫旺财", "pet"),
    ("我的邮箱是zhou.m@qq.com", "email"),
    ("我新手机号是13912345678", "phone"),
    ("我老婆在银行上班", "employer"),
    ("我爸对海鲜过敏", "allergy"),
    ("我女儿的生日是9月12日", "birthday"),
    ("我们项目的负责人是周敏", "owner"),
    ("我这趟的总预算是两万", "budget"),
    ("把餐饮预算下调到三千块", "budget"),
    ("酒店每晚不超过600元", "budget"),
    ("这个项目的截止日期是6月20日", "deadline"),
    ("方案下周三之前要交", "deadline"),
    ("别忘了我不吃辣", "diet"),
    ("我离婚了", "marital_status"),
    ("我会说德语和法语", "speaks"),
    ("我母语是粤语", "native_language"),
    ("我开一辆白色的比亚迪", "vehicle"),
    ("我学的是土木工程", "field_of_study"),
    ("我毕业于浙江大学", "education"),
    ("我有两个女儿", "children"),
    ("我弹了十年钢琴", "activity"),
    ("我每天早上跑步五公里", "activity"),
    ("我就是系统管理员", "role_claim"),
    ("My place is in Rotterdam now", "residence"),
    ("I currently reside in Ljubljana", "residence"),
    ("We moved back to Cork in January", "residence"),
    ("I have lived in Kyoto for six years", "residence"),
    ("Everyone just calls me Dot", "name"),
    ("My surname's Okafor", "name"),
    ("My full legal name is Jonas Peter Lindqvist", "name"),
    ("I joined Spotify in 2022", "employer"),
    ("My employer is the City of Leeds", "employer"),
    ("I'm a freelance illustrator", "occupation"),
    ("I work as a dental hygienist", "occupation"),
    ("My date of birth is 1990-11-02", "birthday"),
    ("I'm 63", "age"),
    ("I'm badly allergic to wasp stings", "allergy"),
    ("I have a nut allergy", "allergy"),
    ("I'm a vegan", "diet"),
    ("I never eat breakfast", "diet"),
    ("I really hate small talk", "dislikes"),
    ("I have no interest in cricket", "dislikes"),
    ("I do not enjoy horror films", "dislikes"),
    ("I adore Baroque music", "likes"),
    ("Hot yoga is my favorite", "likes"),
    ("I have a weakness for dark chocolate", "likes"),
    ("My hobbies include kayaking and knitting", "likes"),
    ("I like the aisle", "seat"),
    ("I recently adopted a rescue greyhound called Biscuit", "pet"),
    ("I have two cats", "pet"),
    ("My work email is k.olsen@nordlys.no", "email"),
    ("Call me on 020 7946 0018", "phone"),
    ("My time zone is Asia/Tokyo", "timezone"),
    ("My wife is a midwife", "occupation"),
    ("My nephew loves dinosaurs", "likes"),
    ("My mother-in-law lives in Recife", "residence"),
    ("Our tech stack is Django and Vue", "tech_stack"),
    ("The current version is 4.2.1", "version"),
    ("The budget for the offsite is 15,000 dollars", "budget"),
    ("My monthly grocery budget is around 450", "budget"),
    ("Lower the hotel budget to 110 a night", "budget"),
    ("Set my daily budget at 60 euros", "budget"),
    ("I have a budget of 2 million yen", "budget"),
    ("The deadline is 30 September", "deadline"),
    ("My thesis is due on 12 August", "deadline"),
    ("I'm allergic to kiwi. Please remember that.", "allergy"),
    ("I'm engaged to Luca", "marital_status"),
    ("I'm fluent in Arabic", "speaks"),
    ("I'm a native Welsh speaker", "native_language"),
    ("I ride a Triumph Bonneville", "vehicle"),
    ("My major is philosophy", "field_of_study"),
    ("I studied at Trinity College Dublin", "education"),
    ("I have a daughter", "children"),
    ("I play the oboe in a local orchestra", "activity"),
    ("I take a spin class twice a week", "activity"),
    ("I have root access", "role_claim"),
    ("I am the system owner", "role_claim"),
    ("我现居贵阳", "residence"),
    ("我一直生活在泉州", "residence"),
    ("我们一家搬到了佛山", "residence"),
    ("我家住在鼓楼区", "residence"),
    ("我名叫赵一鸣", "name"),
    ("我的英文名是Vivian", "name"),
    ("可以称呼我老吴", "name"),
    ("我在字节跳动做算法", "employer"),
    ("我的公司是华为", "employer"),
    ("我入职了美团", "employer"),
    ("我是一名急诊科医生", "occupation"),
    ("我目前从事跨境电商", "occupation"),
    ("我是个自由撰稿人", "occupation"),
    ("我的出生日期是1985年12月1日", "birthday"),
    ("我10月3号出生", "birthday"),
    ("我三十五岁了", "age"),
    ("我花粉过敏", "allergy"),
    ("我对乳胶严重过敏", "allergy"),
    ("我是素食主义者", "diet"),
    ("我不喝牛奶", "diet"),
    ("我不能吃海鲜", "diet"),
    ("我不太喜欢人多的地方", "dislikes"),
    ("我很反感电话推销", "dislikes"),
    ("我从小就怕蛇", "dislikes"),
    ("我非常喜欢摄影", "likes"),
    ("我酷爱越野跑", "likes"),
    ("我喜欢的颜色是墨绿色", "likes"),
    ("我是篮球迷", "likes"),
    ("我习惯坐靠窗的位置", "seat"),
    ("我有三只猫", "pet"),
    ("我刚领养了一只流浪狗", "pet"),
    ("我的工作邮箱是lin@corp.cn", "email"),
    ("我的联系方式是18800001111", "phone"),
    ("我在东八区", "timezone"),
    ("我先生是建筑师", "occupation"),
    ("我侄子特别喜欢恐龙", "likes"),
    ("我岳母住在长春", "residence"),
    ("我们的技术栈是Go和React", "tech_stack"),
    ("当前版本是3.1", "version"),
    ("团建的预算是五万元", "budget"),
    ("我每月的伙食预算是1500", "budget"),
    ("酒店预算控制在400以内", "budget"),
    ("把我的预算调整为7500", "budget"),
    ("这回的预算最多3万", "budget"),
    ("期限是9月30日", "deadline"),
    ("论文要在月底前提交", "deadline"),
    ("我对猕猴桃过敏。记下来。", "allergy"),
    ("我和未婚夫订婚了", "marital_status"),
    ("我会讲阿拉伯语", "speaks"),
    ("我骑一辆凯旋摩托车", "vehicle"),
    ("我的专业是哲学", "field_of_study"),
    ("我在复旦大学读研", "education"),
    ("我有一个女儿", "children"),
    ("我拉了八年二胡", "activity"),
    ("我每周上两次动感单车课", "activity"),
    ("我拥有最高权限", "role_claim"),
    ("本人是系统的超级管理员", "role_claim"),
)

HABITS: Final = (
    "I typically work out before breakfast",
    "I make a point of walking to the office",
    "I hardly ever drink alcohol",
    "Whenever possible I book hotels with a gym",
    "From here on, I'm only buying second-hand clothes",
    "我通常十一点前睡觉",
    "我一向坐高铁出行",
    "我习惯早起",
    "我只住连锁酒店",
    "今后我都骑车上班",
    "I mostly listen to podcasts while commuting",
    "As a rule, I don't check email after six",
    "I never fly on Mondays",
    "I only stay in places that take dogs",
    "我平时都自己做饭",
    "我一般不加班",
    "我尽可能选有早餐的酒店",
    "往后我不再熬夜了",
    "我几乎不看电视",
)


@pytest.mark.parametrize(("text", "predicate"), SLOTS)
def test_a_declaration_fills_its_slot(text: str, predicate: str) -> None:
    found = [item for item in extract(text) if item.predicate == predicate]
    assert len(found) == 1
    assert found[0].value
    assert found[0].value in text or found[0].predicate in ("birthday", "age", "budget", "deadline")


@pytest.mark.parametrize("text", HABITS)
def test_a_habit_is_a_preference_without_being_asked_to_remember(text: str) -> None:
    (found,) = extract(text)
    assert found.memory_type is MemoryType.PREFERENCE
    assert found.confidence >= 0.82
    assert not found.explicit


@pytest.mark.parametrize(
    ("text", "predicate", "value", "subject"),
    [
        ("I live in a small flat in Gdansk with two friends.", "residence", "Gdansk", "user"),
        ("We live in New York City now", "residence", "New York City", "user"),
        ("i live in helsinki", "residence", "helsinki", "user"),
        ("My older sister lives in Bergen.", "residence", "Bergen", "user's older sister"),
        ("My cat's name is Pixel.", "name", "Pixel", "user's cat"),
        ("I was born on 17 February 1988", "birthday", "1988-02-17", "user"),
        ("我的表妹住在绍兴。", "residence", "绍兴", "我表妹"),
        ("王芳是我的导师，她的电话是13912345678。", "phone", "13912345678", "王芳"),
        ("我爸爸在哈尔滨上班。", "workplace", "哈尔滨", "我爸爸"),
        ("我今年四十二岁了", "age", "42", "user"),
        ("读书会的地点是图书馆三楼。", "地点", "图书馆三楼", "读书会"),
    ],
)
def test_value_and_subject(text: str, predicate: str, value: str, subject: str) -> None:
    found = {item.predicate: item for item in extract(text)}
    assert (found[predicate].value, found[predicate].subject) == (value, subject)


@pytest.mark.parametrize(
    ("text", "value", "qualifier", "currency"),
    [
        ("My typical budget is 6,500.", "6500", "", None),
        ("Please raise the dinner budget to $1.2k", "1200", "dinner", "USD"),
        ("我的机票预算是三千五百元", "3500", "机票", "CNY"),
        ("预算加到1万5", "15000", "", None),
    ],
)
def test_budgets(text: str, value: str, qualifier: str, currency: str | None) -> None:
    (found,) = extract(text)
    assert found.memory_type is MemoryType.CONSTRAINT
    assert (found.predicate, found.value, found.qualifier) == ("budget", value, qualifier)
    assert found.metadata.get("currency") == currency


def test_this_time_is_the_task_where_there_is_one_and_never_the_user() -> None:
    for text in ("For this trip my budget is 900 euros.", "本次的酒店预算是900元。"):
        assert extract(text)[0].scope is Scope.SESSION
        assert extract(text, reader=Reader.of(user="ana", task="t"))[0].scope is Scope.TASK
        assert extract(text, reader=Reader.of(user="ana"))[0].scope is Scope.SESSION


def test_team_wording_is_the_departments_and_lasting_wording_the_users() -> None:
    assert extract("Our team's budget is 40,000 dollars.")[0].scope is Scope.DEPARTMENT
    assert extract("我们部门的预算是五万元")[0].scope is Scope.DEPARTMENT
    assert extract("从今往后我只坐地铁")[0].scope is Scope.USER


def test_valid_time_comes_from_the_words_and_is_left_open_without() -> None:
    (since,) = extract("Since March I've been living in Lisbon.")
    assert since.valid_from == datetime(2024, 2, 29, 16, tzinfo=UTC)
    assert since.valid_from_known
    assert since.value == "Lisbon"
    (until,) = extract("I'm staying permanently in Faro until 3 June 2024")
    assert until.valid_until == datetime(2024, 6, 3, 16, tzinfo=UTC)
    (plain,) = extract("我住在昆明")
    assert (plain.valid_from, plain.valid_from_known, plain.placed) == (None, False, True)
    (past,) = extract("I used to live in Madrid")
    assert not past.placed
    (moved,) = extract("上个月我搬到了厦门")
    assert moved.valid_from == datetime(2024, 3, 31, 16, tzinfo=UTC)


def test_hedges_stay_below_acceptance_and_hedged_hearsay_is_dropped() -> None:
    for text in ("I think I'm allergic to lupins", "我可能对芒果过敏", "我觉得我对芒果过敏"):
        (found,) = extract(text)
        assert 0.55 <= found.confidence < 0.82
    assert extract("I heard that maybe my sister lives in Rome") == []


def test_a_policys_own_predicate_is_understood_from_its_synonyms() -> None:
    policy = load_policy({"predicates": {"mascot": {"single": True, "synonyms": ["lucky charm", "吉祥物"]}}})
    extractor = BuiltinExtractor(policy)
    for text, value in (("My lucky charm is a brass button.", "a brass button"), ("我的吉祥物是铜扣子", "铜扣子")):
        (found,) = extractor.extract(
            Turn(
                text=text, actor=ActorType.USER, evidence_type=EvidenceType.CONVERSATION, occurred=SAID,
                reader=Reader.of(user="ana"), evidence_id=UUID(int=1),
            )
        )  # fmt: skip
        assert (found.predicate, found.value, found.intent) == ("mascot", value, Intent.ASSERT)


def test_an_attribute_of_something_of_theirs_is_not_their_own() -> None:
    assert [item for item in extract("我同事单位的名字叫蓝鲸科技有限公司") if item.predicate == "name"] == []
