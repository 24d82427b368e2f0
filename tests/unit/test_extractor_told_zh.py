"""Terse and round-about Chinese: where our things stand, what a clause singles out, what somebody is, and the words of change
that fill the same slots."""

from __future__ import annotations

from datetime import date

import pytest
from tests.unit.extractor_turns import SAID, extract, sure

from muniment.domain.enums import Intent
from muniment.domain.records import Candidate


def slot(found: Candidate) -> tuple[str | None, str | None, str]:
    return found.subject, found.predicate, found.qualifier or ""


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("我们的博客托管在 Netlify 上。", "博客已经迁移到 Vercel 了", "Vercel"),
        ("我们的报表跑在 Oracle 上", "报表终于从 Oracle 迁到 ClickHouse 了", "ClickHouse"),
        ("我们的图纸放在坚果云", "图纸已全部迁移到钉盘", "钉盘"),
        ("我们的监控用 Zabbix", "监控已改用 Grafana 了", "Grafana"),
        ("生产库是 db1.pine.example", "生产库现在是 db2.pine.example", "db2.pine.example"),
        ("我用 Emacs 当写作软件", "写作软件我换成 Typora 了", "Typora"),
        ("我去的游泳馆是碧波馆", "我现在去的游泳馆是深蓝馆", "深蓝馆"),
        ("我用的手机是松果7", "我的手机现在是青柚2", "青柚2"),
        ("我的手机是松果7", "我换手机了，现在是青柚 2", "青柚 2"),
        ("我的车是汽油车", "我的车换成电车了", "电车"),
        ("妞妞在河畔小学上学", "妞妞转学了，现在在枫林小学上学。", "枫林小学"),
        ("妞妞的起床时间是早上6点", "妞妞七岁了，起床时间改成早上6点40分", "早上6点40分"),
        ("我们店的营业时间是周一到周五", "我们店的营业时间改成周三到周日了", "周三到周日"),
    ],
)
def test_a_change_fills_the_slot_of_the_plain_statement(before: str, after: str, value: str) -> None:
    (first,), (later,) = extract(before), extract(after)
    assert slot(first) == slot(later)
    assert (later.value, later.intent) == (value, Intent.CHANGE)


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("我目前居住的城市是衢州", "residence", "衢州"),
        ("我住的小区叫云杉里", "residence", "云杉里"),
        ("我目前就职的公司是绿萝电子", "employer", "绿萝电子"),
        ("我刚跳槽到绿萝电子", "employer", "绿萝电子"),
        ("我换工作了，现在在绿萝电子", "employer", "绿萝电子"),
        ("又搬到衢州了", "residence", "衢州"),
        ("我们家上个月搬到衢州了", "residence", "衢州"),
        ("我的邮箱换了，现在是 lin@birch.example", "email", "lin@birch.example"),
    ],
)
def test_what_the_catalogue_knows_goes_to_its_slot(text: str, predicate: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.predicate, found.value, found.qualifier or "") == (predicate, value, "")


@pytest.mark.parametrize(
    ("text", "noun", "value"),
    [
        ("我坐长途车时常用的靠枕是云朵枕", "靠枕", "云朵枕"),
        ("我家漏水时应该联系的人是陶师傅", "联系人", "陶师傅"),
        ("给我开发票要用的邮箱地址是 tax@birch.example", "邮箱地址", "tax@birch.example"),
        ("我们前端团队做小程序用的编程语言是 Dart", "编程语言", "Dart"),
        ("我出差首选的航空公司是鸿雁航空", "航空公司", "鸿雁航空"),
    ],
)
def test_what_a_clause_singles_out_is_one_thing(text: str, noun: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.subject, found.predicate, found.value, found.intent) == ("user", noun, value, Intent.CHANGE)


@pytest.mark.parametrize(
    ("text", "thing", "value"),
    [
        ("报修现在找陶师傅", "报修", "陶师傅"),
        ("报销单以后寄到 fin@birch.example", "报销单", "fin@birch.example"),
        ("订单服务已升级到 Redis 7.2", "订单服务", "Redis 7.2"),
        ("记一下哈，我家打印机硒鼓型号是 HD-209X，换的时候要看", "打印机硒鼓型号", "HD-209X"),
        ("备用雨伞放在三楼老钱那儿", "备用雨伞", "三楼老钱那儿"),
        ("我们组的爬虫统一用 Rust 写", "爬虫", "Rust"),
    ],
)
def test_a_thing_and_what_it_is_on_or_with(text: str, thing: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.subject, found.predicate, found.value) == (thing, "value", value)


@pytest.mark.parametrize(
    ("said", "denied", "who"),
    [
        ("我是左撇子", "我不是左撇子", "user"),
        ("我是早起的人", "我已经不是早起的人了", "user"),
        ("我姐姐是合唱团的成员", "我姐姐已经不再是合唱团的成员了", "我姐姐"),
    ],
)
def test_what_somebody_is_has_one_answer(said: str, denied: str, who: str) -> None:
    (first,), (later,) = extract(said), extract(denied)
    assert slot(first) == slot(later)
    assert first.subject == who
    assert (later.value or "").startswith("不是")


def test_giving_up_answers_the_same_question_as_the_habit() -> None:
    (first,), (later,) = extract("我抽烟"), extract("我戒烟了")
    assert slot(first) == slot(later)


def test_a_bare_elder_is_the_speakers_own() -> None:
    (lives,), (moved,) = extract("外婆住在松江"), extract("外婆周一搬到敬老院了，挺喜欢那里")
    assert slot(lives) == slot(moved) == ("我外婆", "residence", "")


def test_a_stay_ends_though_its_place_is_told_in_between() -> None:
    (found,) = extract("我住在舅舅家，在槐树巷，住到6月30日。")
    assert found.valid_until is not None
    assert found.valid_until.astimezone(SAID.tz()).date() == date(2024, 7, 1)


def test_times_that_are_the_value_bound_nothing() -> None:
    (found,) = extract("我的上班时间是周三到周日")
    assert (found.value, found.valid_until) == ("周三到周日", None)


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("麻烦先看一下，方便日后联系：我的上班时间是周三到周日，谢谢", "上班时间", "周三到周日"),
        ("自我介绍：做陶艺的，干了八年", "occupation", "陶艺"),
        ("我网名叫山雀，老家建德", "origin", "建德"),
        ("我 husband 对花生过敏", "allergy", "花生"),
        ("我妈的眼科医生姓鲍", "眼科医生", "鲍"),
        ("孩子上枫林小学", "education", "枫林小学"),
    ],
)
def test_what_is_told_in_passing_is_kept(text: str, predicate: str, value: str) -> None:
    assert (predicate, value) in [(found.predicate, found.value) for found in extract(text)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("忘记我的房东是谁，他要走了", "我的房东是谁"),
        ("嗯，我练书法的事你忘了吧", "我练书法"),
        ("年会场地忘掉吧，已经取消了", "年会场地"),
        ("别再记着我几点起床了，忘掉", "我几点起床"),
        ("请把我前女友的名字删掉", "我前女友的名字"),
        ("我同事的生日删掉吧", "我同事的生日"),
    ],
)
def test_what_to_forget_is_the_thing_in_the_speakers_words(text: str, content: str) -> None:
    (found,) = sure(text)
    assert (found.intent, found.content, found.value) == (Intent.FORGET, content, None)


@pytest.mark.parametrize(("text", "who"), [("忘记我的房东是谁", "我房东"), ("请把我前女友的名字删掉", "我前女友")])
def test_a_person_to_forget_is_found_by_their_name(text: str, who: str) -> None:
    (found,) = sure(text)
    assert slot(found) == (who, "name", "")


@pytest.mark.parametrize(
    "text",
    [
        "公司打算迁移到 AWS", "项目下个月迁移到 AWS", "我们还没迁移到 AWS", "听说他们迁移到 AWS 了", "把文档迁移到飞书吧",
        "前端用 React 吧", "后端用 Go 好还是 Java 好", "发票现在寄到哪", "有事现在找他", "你的意见我放在心上",
        "我昨天去的餐厅是海底捞", "我想去的城市是大理", "他用的手机是小米", "我看的电影是星际穿越", "我去的那个景区是世界之窗",
        "我是第一次来", "我是为你好", "我不是这个意思", "如果我是左撇子就好了", "主角是魔法协会的成员",
        "请写一个故事：小明在阳光小学上学", "邻居上实验小学", "换了个话题，现在是关于经济的", "换工作了，现在在等通知",
        "变量名是 user_id", "错误是 KeyError:name", "昵称不能为空", "我手机是静音的", "搬到一起了", "搬到新家了",
        "我想跳槽到华星",
        "那些不愉快都忘了吧", "这件事别忘了吧", "我差点忘了吧", "我密码忘了", "把我电脑里的名字删掉", "把这个文件删掉",
    ],
)  # fmt: skip
def test_plans_questions_and_remarks_state_nothing(text: str) -> None:
    assert sure(text) == []


def test_latin_words_before_chinese_ones_are_read_once() -> None:
    """Every way to part them would be tried otherwise, and the turn never be done."""
    extract("the violin is red " + "and old " * 9 + "小提琴是红色的" + "很旧" * 60)
    (found,) = sure("zuò 个 自我介绍：做陶艺的，干了八年")
    assert found.value == "陶艺"
