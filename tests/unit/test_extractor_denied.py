"""What is denied, over, ahead, or put right: amounts, allergies, homes, and the bare correction of the turn before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.enums import ActorType, Intent, Scope
from muniment.text.amounts import english_number, plain_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My budget is 5.000,50 €", "5000.5"),
        ("My budget is €1.250", "1250"),
        ("My budget is 5'000 CHF", "5000"),
        ("My budget is 49,90 EUR", "49.9"),
        ("My budget is 1,250.75 USD", "1250.75"),
        ("My budget is five thousand dollars", "5000"),
        ("My hotel budget is two hundred and fifty euros", "250"),
        ("My budget is not more than 5000 euros.", "5000"),
        ("我的预算不超过5000元", "5000"),
        ("我的 budget 大概是 5k USD。", "5000"),
    ],
)
def test_an_amount_in_the_spellings_of_europe_and_in_words(text: str, value: str) -> None:
    (found,) = extract(text)
    assert (found.predicate, found.value) == ("budget", value)


@pytest.mark.parametrize(
    "text",
    ["My budget is not 5000 euros.", "My budget isn't 5000 euros", "My budget is -100 euros.", "我的预算不是5000元"],
)
def test_a_denied_or_negative_amount_is_no_budget(text: str) -> None:
    assert [item.value for item in extract(text) if item.predicate == "budget"] == []


def test_numbers_in_words_and_marks() -> None:
    assert english_number("about five thousand dollars") == ((6, 20), 5000)
    assert english_number("a million") == ((0, 9), 1_000_000)
    assert english_number("five apples") is None
    assert [plain_number(text) for text in ("5.000,50", "1,200", "3.5", "5'000", "1.234.567")] == [
        "5000.50", "1200", "3.5", "5000", "1234567",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("Remember that I'm not allergic to nuts.", "no_allergy", "nuts"),
        ("I'm no longer allergic to milk", "no_allergy", "milk"),
        ("I have no allergies to nuts", "no_allergy", "nuts"),
        ("请记住我对坚果不过敏", "no_allergy", "坚果"),
        ("我对海鲜不再过敏了", "no_allergy", "海鲜"),
        ("我没有花粉过敏", "no_allergy", "花粉"),
        ("I'm allergic to nuts", "allergy", "nuts"),
        ("我从小对芒果过敏", "allergy", "芒果"),
        ("I'm not diabetic.", "is", "not diabetic"),
    ],
)
def test_a_denied_condition_is_told_from_the_condition(text: str, predicate: str, value: str) -> None:
    (found,) = extract(text)
    assert (found.predicate, found.value) == (predicate, value)


@pytest.mark.parametrize(
    ("text", "predicate", "ends"),
    [
        ("I no longer live in Berlin.", "residence", "Berlin"),
        ("I don't live in Rome anymore", "residence", "Rome"),
        ("I don't work at Nokia any more", "employer", "Nokia"),
        ("我已经不住在北京了。", "residence", "北京"),
        ("我早就不住上海了", "residence", "上海"),
        ("我不在百度工作了", "employer", "百度"),
    ],
)
def test_what_holds_no_more_names_what_it_ends(text: str, predicate: str, ends: str) -> None:
    (found,) = extract(text)
    assert (found.predicate, found.intent, found.metadata["replaces"]) == (predicate, Intent.CHANGE, ends)


@pytest.mark.parametrize(
    ("before", "text", "content", "value"),
    [
        ("I live in Berlin.", "Actually Bern, not Berlin.", "I live in Bern", "Bern"),
        ("I live in Berlin.", "I meant Bern.", "I live in Bern", "Bern"),
        ("My budget is 5000 euros.", "Actually, it's 6000 euros.", "My budget is 6000 euros", "6000"),
        ("My budget is 5000 euros.", "Sorry, it should be 6,500.", "My budget is 6,500 euros", "6500"),
        ("我住在北京。", "说错了，是南京。", "我住在南京", "南京"),
        ("我的预算是5000元", "不对，是6000元", "我的预算是6000元", "6000"),
    ],
)
def test_a_bare_correction_is_of_the_turn_before(before: str, text: str, content: str, value: str) -> None:
    (found,) = extract(text, before=((ActorType.USER, before),))
    assert (found.content, found.value, found.intent) == (content, value, Intent.CORRECT)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Berlin.", "No, I don't."),
        ("I live in Berlin.", "Actually, it's a nice day"),
        ("I live in Berlin.", "No, that's not what I meant."),
        ("My budget is 5000 euros.", "Actually, it's blue."),
    ],
)
def test_what_names_no_other_value_corrects_nothing(before: str, text: str) -> None:
    assert [item.content for item in extract(text, before=((ActorType.USER, before),)) if item.predicate] == []


def test_a_correction_of_one_of_many_names_the_one() -> None:
    (found,) = extract("That's wrong, I like tea", before=((ActorType.USER, "I like coffee"),))
    assert (found.value, found.metadata["replaces"]) == ("tea", "coffee")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I live in Rome next week.", datetime(2024, 5, 19, 16, tzinfo=UTC), datetime(2024, 5, 26, 16, tzinfo=UTC)),
        ("我下周住在上海", datetime(2024, 5, 19, 16, tzinfo=UTC), datetime(2024, 5, 26, 16, tzinfo=UTC)),
        ("I've been living in Berlin for three years", datetime(2021, 5, 14, 16, tzinfo=UTC), None),
        ("我在北京住了三年了", datetime(2021, 5, 14, 16, tzinfo=UTC), None),
        ("我从2019年起住在杭州", datetime(2018, 12, 31, 16, tzinfo=UTC), None),
        ("I live in Rome", None, None),
    ],
)
def test_when_it_holds(text: str, since: datetime | None, until: datetime | None) -> None:
    (found,) = extract(text)
    assert (found.valid_from, found.valid_until, found.valid_from_known) == (since, until, since is not None)


def test_an_end_that_is_no_date_is_no_part_of_a_name() -> None:
    (found,) = extract("I work at Acme until 31 February 2027")
    assert found.value == "Acme"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Remember for all users: I like tea", "I like tea"),
        ("Remember for the whole company: we use Slack", "we use Slack"),
        ("记住，全公司都用飞书", "全公司都用飞书"),
    ],
)
def test_what_is_asked_to_be_kept_for_all_is_of_the_whole_store(text: str, content: str) -> None:
    (found,) = extract(text)
    assert (found.content, found.scope) == (content, Scope.TENANT)


def test_a_clause_names_no_slot() -> None:
    for text in ("我们决定用 PostgreSQL，不用 MySQL", "我们公司规定报销必须在30天内"):
        (found,) = extract(text)
        assert (found.predicate, found.content) == (None, text)


@pytest.mark.parametrize("text", ["叫我起床。", "叫我妈来。", "叫我一声", "请叫我早点睡"])
def test_what_somebody_is_told_to_do_is_no_name(text: str) -> None:
    assert [item.value for item in extract(text) if item.predicate == "name"] == []


@pytest.mark.parametrize(
    ("text", "name"), [("叫我小李就行", "小李"), ("你可以叫我阿杰", "阿杰"), ("以后叫我老王吧", "老王")]
)
def test_a_name_is_still_one(text: str, name: str) -> None:
    assert [item.value for item in extract(text)] == [name]
