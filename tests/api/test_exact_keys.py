"""The exact channel: any spelling of a key among look-alikes, slots and status keys, look-ups."""

from __future__ import annotations

import pytest
from tests.api.exact_answers import texts, uncounted

from muniment import Evidence, Fact
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock, WordEmbedder

# -- any spelling ------------------------------------------------------------------------------------------------------

LOOK_ALIKES = [f"XK-{number}-{letter}" for number in range(7700, 7750) for letter in "PQRO"] + [
    "XK-7713-Q",
    "XK7731P",
    "KX-7731-Q",
    "XK-7731-QQ",
    "XK-77310-Q",
    "XK-773-1Q-2",
    "X-7731-Q",
    "XK-7731",
    "XK-17731-Q",
    "XQ-7731-K",
]
SPELLINGS = [
    "XK-7731-Q",
    "xk 7731 q",
    "XK_7731_Q",
    "XK–7731–Q",
    "XK—7731—Q",
    "ＸＫ－７７３１－Ｑ",
    "xk7731q",
    "XK/7731/Q",
    "xk.7731.q",
]


@pytest.fixture
def crowd(me: Reader) -> Reader:
    """400 near-duplicates, in words and as facts, and one XK-7731-Q."""
    others = [code for code in dict.fromkeys(LOOK_ALIKES) if code != "XK-7731-Q"]
    me.observe_many([{"content": f"the part {code} was shipped on Tuesday"} for code in others])
    for code in others[:200]:
        me.add_fact(f"the part {code} is in stock", subject=code, predicate="stock", value="yes")
    me.observe("the part XK-7731-Q was shipped on Tuesday")
    return me


def test_of_400_near_duplicates_the_one_comes_first(crowd: Reader) -> None:
    for spelling in SPELLINGS:
        for question in (f"when was {spelling} shipped?", f"配件{spelling}什么时候发货", spelling):
            hits = crowd.search(question, k=5)
            assert hits[0].text == "the part XK-7731-Q was shipped on Tuesday", question
            assert (hits[0].why.channel, hits[0].why.reason) == ("exact", "code xk7731q")
            assert [hit for hit in hits if hit.why.channel == "exact"] == hits[:1]
        assert texts(crowd.lookup("order_no", spelling)) == ["the part XK-7731-Q was shipped on Tuesday"]


def test_what_stands_in_many_records_is_pinned_by_the_questions_words(me: Reader) -> None:
    me.observe_many([{"content": f"ORD-2024-001 was mentioned, note {number}"} for number in range(20)])
    me.observe("ORD-2024-001 was left at the concierge")
    hits = me.search("what about the concierge and ord 2024 001?")
    assert hits[0].text == "ORD-2024-001 was left at the concierge"
    assert sum(hit.why.channel == "exact" for hit in hits) == 3


@pytest.mark.parametrize(
    ("told", "questions"),
    [
        ("the rent is ¥8,000", ["what costs 8000元?", "RMB 8000", "什么是八千元？", "8,000 yuan"]),
        ("房租八千元", ["what costs ¥8,000?", "8000元", "RMB 8000"]),
        ("we run v2.3.1 now", ["version 2.3.1", "谁在用2.3.1版", "V 2.3.1?"]),
        ("上线的是2.3.1版", ["what about v2.3.1?", "version 2.3.1"]),
        ("2026年3月5日开会", ["what was on 2026-03-05?", "5 March 2026", "March 5th, 2026", "2026/3/5"]),
        ("the audit is on 5 March 2026", ["2026年3月5日有什么安排", "2026-03-05"]),
    ],
)
def test_an_amount_date_or_version_pins_and_does_not_stop(me: Reader, told: str, questions: list[str]) -> None:
    me.observe(told)
    me.observe("the violin lesson of ¥9,000 with v2.3.2 was moved to 2026-03-06")
    for question in questions:
        hits = me.search(question)
        assert (hits[0].text, hits[0].why.channel, hits.route.stopped) == (told, "exact", None), question


def test_an_ambiguous_date_pins_nothing(me: Reader) -> None:
    me.observe("the audit is on 5 March 2026")
    for question in ("what was on 03/05?", "what was on 03/05/2026?"):
        assert {hit.why.channel for hit in me.search(question)} == {"evidence"}


def test_a_mark_that_many_share_singles_nothing_out(me: Reader) -> None:
    me.observe_many([{"content": f"lunch number {number} was ¥80"} for number in range(8)])
    assert {hit.why.channel for hit in me.search("which lunch was 80元?")} == {"evidence"}


# -- slots and status keys ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "subject", "value"),
    [
        (
            ["what is Anna's e-mail?", "Anna's email address", "tell me the e-mail of Anna", "Anna的邮箱是什么"],
            "Anna",
            "anna@example.com",
        ),
        (["小王的邮箱", "小王的邮箱是多少？", "请问小王的电子邮件是什么"], "小王", "wang@example.com"),
    ],
)
def test_a_slot_of_another_person(
    me: Reader, embedder: WordEmbedder, questions: list[str], subject: str, value: str
) -> None:
    me.add_fact(f"the mail of {subject}", subject=subject, predicate="email", value=value)
    me.add_fact("the mail of Ann", subject="Ann", predicate="email", value="ann@example.com")
    for question in questions:
        hits = uncounted(embedder, me, question)
        assert [hit.item.value for hit in hits if isinstance(hit.item, Fact)] == [value], question
        assert hits[0].why.reason == f"{subject.lower()} → email"


def test_a_slot_of_another_person_that_was_only_said(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("Anna's e-mail is anna@example.com")
    me.observe("Ann's e-mail is ann@example.com")
    hits = uncounted(embedder, me, "what is Anna's e-mail?")
    assert texts(hits) == ["Anna's e-mail is anna@example.com"]
    missing = me.search("what is Annabel's e-mail?")
    assert missing.route.reasons["exact"] == "the question asks for annabel's email, which is not held"
    assert missing.route.stopped is None


def test_many_values_of_another_person_do_not_stop_the_search(me: Reader) -> None:
    me.add_fact("Anna likes tea", subject="Anna", predicate="likes", value="tea")
    hits = me.search("Anna's likes")
    assert (hits[0].text, hits[0].why.channel, hits.route.stopped) == ("Anna likes tea", "exact", None)


def test_the_narrowest_scope_answers(me: Reader, embedder: WordEmbedder) -> None:
    me.add_fact("budget 8000", predicate="budget", value="8000")
    session = me.narrow(session="trip")
    session.add_fact("budget 10000 this time", predicate="budget", value="10000", scope="SESSION")
    assert texts(uncounted(embedder, session, "what is my budget?")) == ["budget 10000 this time"]
    assert texts(uncounted(embedder, me, "我的预算是多少？")) == ["budget 8000"]


def test_what_was_only_said_of_oneself_is_pinned(me: Reader) -> None:
    me.observe("my order is ORD-2024-77")
    hits = me.search("what is my order number?")
    assert (hits[0].why.channel, hits[0].text, hits.route.stopped) == ("exact", "my order is ORD-2024-77", None)


@pytest.mark.parametrize(
    "question", ["what is the step?", "what's the current step?", "当前步骤是什么", "现在的步骤是什么？"]
)
def test_a_status_key_is_read_as_it_is_held(
    me: Reader, clock: SteppingClock, embedder: WordEmbedder, question: str
) -> None:
    me.set_status("step", "address")
    clock.move(hours=1)
    me.set_status("step", "payment")
    hits = uncounted(embedder, me, question)
    assert [hit.item.value for hit in hits if isinstance(hit.item, Fact)] == ["payment"]
    assert hits[0].why.reason == "status step"
    task = me.narrow(session="s1")
    task.add_fact("step: review", type="STATUS", predicate="step", value="review", scope="SESSION")
    assert [hit.item.value for hit in task.search(question) if isinstance(hit.item, Fact)] == ["review"]


def test_a_status_key_of_the_applications_own(me: Reader, embedder: WordEmbedder) -> None:
    me.set_status("build_number", "42")
    assert uncounted(embedder, me, "what is the build number?")[0].item.value == "42"  # type: ignore[union-attr]
    assert me.search("what is the step?").route.stopped is None


def test_a_question_of_the_status_of_one_thing(me: Reader, embedder: WordEmbedder) -> None:
    me.add_fact("ORD-7 is on its way", subject="order ORD-7", predicate="status", value="shipped")
    me.add_fact("ORD-8 was cancelled", subject="order ORD-8", predicate="status", value="cancelled")
    for question in ("what is the status of order ORD-7?", "订单ORD-7的状态是什么"):
        assert texts(uncounted(embedder, me, question)) == ["ORD-7 is on its way"], question


# -- look-ups ----------------------------------------------------------------------------------------------------------


def test_look_ups_of_facts_and_evidence(me: Reader) -> None:
    me.add_fact("the flat", predicate="rent", value="¥8,000")
    me.observe("rent of 8000元 was paid")
    assert texts(me.lookup("amount", "RMB 8000")) == ["the flat", "rent of 8000元 was paid"]
    assert {type(hit.item) for hit in me.lookup("金额", "八千元")} == {Fact, Evidence}


@pytest.mark.parametrize("kind", ["", " ", "no such kind", "电", "\x00", "\ud800", "%", "owner", "x" * 5_000])
def test_a_kind_that_there_is_not_is_named(me: Reader, kind: str) -> None:
    from muniment import InvalidInput

    with pytest.raises(InvalidInput, match=r"no kind of key is called .*known are url, email, .*phone"):
        me.lookup(kind, "ORD-7")


def test_the_nearest_kind_is_named(me: Reader) -> None:
    from muniment import InvalidInput

    with pytest.raises(InvalidInput, match="did you mean 'phone'"):
        me.lookup("phon", "13800138000")
    assert me.lookup("password", "x1y2z3") == []  # masked by the policy


@pytest.mark.parametrize("kind", ["order_no", "phone", "e-mail", "车牌", "version", "amount"])
@pytest.mark.parametrize(
    "value", ["", " ", "\x00", "\ud800", "%", "_", "' OR 1=1 --", "🎻", "1" * 50_000, "ORD-7" * 9_000]
)
def test_look_ups_of_what_is_none(me: Reader, kind: str, value: str) -> None:
    me.observe("Ben's order is ORD-7; budget 8000元")
    assert me.lookup(kind, value) == []


def test_look_ups_take_text(me: Reader) -> None:
    from muniment import InvalidInput

    for kind, value in ((None, "1"), ("phone", 13800138000), (b"phone", "1")):
        with pytest.raises(InvalidInput):
            me.lookup(kind, value)  # type: ignore[arg-type]


def test_a_filter_that_nothing_can_be_called_finds_nothing(me: Reader) -> None:
    me.add_fact("budget 8000", predicate="budget", value="8000", valid_from=instant(1, month=1))
    me.set_status("step", "payment")
    for odd in ("", " ", "\x00", "\ud800", "%", "x" * 3_000):
        assert me.facts(predicate=odd).items == ()
        assert me.get(odd) is None
        assert me.status(odd) is None
        assert me.facts(subject=f"{odd}x").items == ()
