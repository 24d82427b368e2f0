"""The exact channel: keys in any spelling, key → whose → attribute, slots, status keys; no embedder where it answers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.api.exact_answers import texts, uncounted

from muniment import Fact
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock, WordEmbedder

ENGLISH = "The order number of the user {}"
CHINESE = "用户{}的订单号是多少？"


# -- key → whose → attribute -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [ENGLISH, CHINESE, "which order does {} have?", "帮我查一下手机号{}的订单号"])
@pytest.mark.parametrize("spelling", ["13800138000", "138 0013 8000", "+86-13800138000", "１３８－００１３－８０００"])
def test_in_one_record_with_look_alikes_beside_it(
    me: Reader, embedder: WordEmbedder, question: str, spelling: str
) -> None:
    for number, phone in enumerate(("13700138000", "13800138000", "13900138000"), start=1):
        me.observe(f"user {phone}: order ORD-2024-00{number}")
    hits = uncounted(embedder, me, question.format(spelling))
    assert texts(hits) == ["user 13800138000: order ORD-2024-002"]
    assert hits[0].why.reason == "phone +8613800138000 → order ORD-2024-002"
    assert hits.route.reasons["exact"] == "phone +8613800138000: order is held"


@pytest.mark.parametrize(
    "turns",
    [
        [
            ("Ben's phone is 13800138000", None),
            ("Ben's order is ORD-7", None),
            ("Ann's phone is 13900138000", None),
            ("Ann's order is ORD-8", None),
        ],
        [
            ("小王的电话是13800138000", None),
            ("小王的订单号是ORD-7", None),
            ("小李的电话是13900138000", None),
            ("小李的订单号是ORD-8", None),
        ],
        [
            ("my phone is 13800138000", "Ben"),
            ("my order is ORD-7", "Ben"),
            ("my phone is 13900138000", "Ann"),
            ("my order is ORD-8", "Ann"),
        ],
        [
            ("我的电话是13800138000", "小王"),
            ("我的订单号是ORD-7", "小王"),
            ("我的电话是13900138000", "小李"),
            ("我的订单号是ORD-8", "小李"),
        ],
        [
            ("13800138000 belongs to Ben", None),
            ("ORD-7 is the order, says Ann. Order ORD-7 is Ben's", None),
            ("13900138000 is Ann's", None),
        ],
    ],
    ids=["named", "named, zh", "speakers", "speakers, zh", "behind the key"],
)
def test_over_the_person_from_one_turn_to_another(
    me: Reader, embedder: WordEmbedder, turns: list[tuple[str, str | None]]
) -> None:
    for text, speaker in turns:
        me.observe(text, speaker=speaker)
    for question in (ENGLISH, CHINESE):
        hits = uncounted(embedder, me, question.format("138 0013 8000"))
        assert hits[0].text == turns[1][0]
        assert hits[0].why.reason.endswith("order ORD-7")
        assert hits[0].why.reason.startswith("phone +8613800138000 → ")
        assert hits[1].text == turns[0][0]
        assert len(hits) == 2


def test_of_the_user_themself(me: Reader, memory: Muniment, embedder: WordEmbedder) -> None:
    me.observe("My phone is 13800138000")
    me.observe("my order is ORD-2024-77")
    memory.reader(tenant="acme", user="bo").observe("my order is ORD-2024-78")
    hits = uncounted(embedder, me, ENGLISH.format("13800138000"))
    assert texts(hits) == ["my order is ORD-2024-77", "My phone is 13800138000"]


def test_what_the_agent_calls_its_own_is_not_the_users(me: Reader) -> None:
    me.observe("my phone is 13800138000")
    me.observe("my order is ORD-2024-78", actor="agent")
    assert "ORD-2024-78" not in [hit.why.reason for hit in me.search(ENGLISH.format("13800138000"), channels=["exact"])]
    assert texts(me.search(ENGLISH.format("13800138000"), channels=["exact"])) == ["my phone is 13800138000"]


@pytest.mark.parametrize(
    ("content", "given"),
    [
        ('{"phone": "13800138000", "order_no": "ORD-2024-90", "user_id": "U-2024-1"}', {"actor": "tool"}),
        (
            "phone,order\n13700138000,ORD-2024-89\n13800138000,ORD-2024-90",
            {"actor": "system", "event_type": "database_row"},
        ),
        (
            "Customer: Ben\nPhone: 13800138000\nOrder: ORD-2024-90",
            {"actor": "tool", "event_type": "document", "locator": "crm/ben"},
        ),
        ("订单号：ORD-2024-90\n客户手机：13800138000", {"actor": "tool", "event_type": "api_answer"}),
    ],
)
def test_over_the_record_in_which_both_stand(
    me: Reader, embedder: WordEmbedder, content: str, given: dict[str, Any]
) -> None:
    me.observe(content, **given)
    for question in (ENGLISH, CHINESE):
        hits = uncounted(embedder, me, question.format("13800138000"))
        assert hits[0].why.reason == "phone +8613800138000 → order ORD-2024-90"


def test_over_facts_whose_words_do_not_say_it(me: Reader, embedder: WordEmbedder) -> None:
    me.add_fact("Ben's number", subject="Ben", predicate="phone", value="138-0013-8000")
    me.add_fact("Ben's order", subject="Ben", predicate="order_no", value="ORD-7")
    me.add_fact("Ann's number", subject="Ann", predicate="phone", value="139-0013-8000")
    me.add_fact("Ann's order", subject="Ann", predicate="order_no", value="ORD-8")
    me.add_fact("where Ben lives", subject="Ben", predicate="residence", value="Lyon")
    hits = uncounted(embedder, me, ENGLISH.format("13800138000"))
    assert [hit.why.reason for hit in hits] == [
        "phone +8613800138000 → ben → order ORD-7",
        "phone +8613800138000 is of ben",
    ]
    back = uncounted(embedder, me, "what is the phone number of order ORD-7?")
    assert back[0].why.reason == "code ord7 → ben → phone 138-0013-8000"
    home = uncounted(embedder, me, "what is the residence of the user 13800138000?")
    assert home[0].why.reason == "phone +8613800138000 → ben → residence Lyon"
    assert uncounted(embedder, me, "用户13800138000的住址是什么")[0].text == "where Ben lives"


def test_one_number_of_two_people_gives_both_by_name(me: Reader, embedder: WordEmbedder) -> None:
    for name, order in (("Ben", "ORD-7"), ("Ann", "ORD-11")):
        me.add_fact(f"{name} uses the shared phone", subject=name, predicate="phone", value="13800138000")
        me.add_fact(f"order of {name}", subject=name, predicate="order_no", value=order)
    hits = uncounted(embedder, me, ENGLISH.format("13800138000"))
    assert [hit.why.reason for hit in hits[:2]] == [
        "phone +8613800138000 → ben → order ORD-7",
        "phone +8613800138000 → ann → order ORD-11",
    ]
    assert hits.route.reasons["exact"] == "phone +8613800138000, held by ann and ben: order is held"
    who = uncounted(embedder, me, "who has 13800138000?")
    assert {hit.why.reason for hit in who} == {"phone +8613800138000 → ben", "phone +8613800138000 → ann"}


@pytest.mark.parametrize(
    "question",
    [
        "who has 13800138000?",
        "whose number is +86 138 0013 8000",
        "13800138000是谁的号码",
        "这个号码是谁的：13800138000",
    ],
)
def test_whose_a_number_is(me: Reader, embedder: WordEmbedder, question: str) -> None:
    me.observe("Ben's phone is 13800138000")
    me.observe("小李的电话是13900138000")
    hits = uncounted(embedder, me, question)
    assert [(hit.text, hit.why.reason) for hit in hits] == [
        ("Ben's phone is 13800138000", "phone +8613800138000 → ben")
    ]


def test_a_number_that_nobody_is_named_to_have_is_pinned_and_the_rest_is_asked(me: Reader) -> None:
    me.observe("call 13800138000 back")
    hits = me.search("who has 13800138000?")
    assert (hits[0].text, hits.route.stopped) == ("call 13800138000 back", None)
    assert hits.route.reasons["exact"] == "phone +8613800138000 is held; nobody is named as having it"


def test_an_attribute_that_is_not_held_says_so(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("Ben's phone is 13800138000")
    me.observe("the parcels come on Tuesdays")
    before = embedder.calls
    hits = me.search(ENGLISH.format("13800138000"))
    assert embedder.calls > before
    assert hits.route.reasons["exact"] == "phone +8613800138000 is of ben; no order of it is held"
    assert (hits.route.stopped, hits[0].why.channel, hits[0].text) == (None, "exact", "Ben's phone is 13800138000")
    assert {"facts", "evidence"} <= set(hits.route.channels)


@pytest.mark.parametrize("question", [ENGLISH, CHINESE, "who has {}?", "{}是谁的电话"])
def test_139_never_answers_for_138(me: Reader, question: str) -> None:
    me.observe("Ann's phone is 13900138000")
    me.observe("Ann's order is ORD-8")
    me.add_fact("Ann's other order", subject="Ann", predicate="order_no", value="ORD-9")
    hits = me.search(question.format("13800138000"))
    assert hits == []
    assert hits.route.reasons["exact"] == "phone +8613800138000 named, not held"
    context = me.context(question.format("13800138000"))
    assert "ORD-" not in context.text.split("<memory")[-1].replace(question, "")


def test_nor_where_the_attribute_is_only_held_of_another(me: Reader) -> None:
    me.observe("Ben's phone is 13800138000")
    me.observe("The user 13900138000 has order ORD-8")
    hits = me.search(ENGLISH.format("13800138000"))
    assert texts(hits) == ["Ben's phone is 13800138000"]
    assert any(item.reason == "it is about another phone than the one asked for" for item in hits.dropped)


def test_what_was_superseded_is_history(me: Reader, clock: SteppingClock, embedder: WordEmbedder) -> None:
    me.add_fact("Ben's number", subject="Ben", predicate="phone", value="13800138000")
    first = me.add_fact("Ben lives in Lyon", subject="Ben", predicate="residence", value="Lyon")
    clock.move(days=1)
    me.change(first.facts[0], value="Rome", reason="he moved")
    hits = uncounted(embedder, me, "what is the residence of the user 13800138000?")
    assert [hit.item.value for hit in hits if isinstance(hit.item, Fact) and hit.item.predicate == "residence"] == [
        "Rome"
    ]
    then = me.search("what is the residence of the user 13800138000?", valid_at=clock.now.replace(hour=0))
    assert "Lyon" in then[0].why.reason
    clock.move(days=1)
    (number,) = [fact.id for fact in me.facts(subject="Ben", predicate="phone")]
    me.change(number, value="13700138000", reason="a new phone")
    assert uncounted(embedder, me, "who has 13700138000?")
    old = me.search("who has 13800138000?")
    assert [hit for hit in old if hit.why.channel == "exact"] == []


def test_a_number_said_and_since_corrected_is_no_longer_whose_it_was(me: Reader, clock: SteppingClock) -> None:
    said = me.observe("phone: 13800138000")
    me.observe("my order is ORD-2024-7")
    clock.move(days=1)
    me.correct(said.facts[0], value="13900138000")
    assert [hit for hit in me.search(ENGLISH.format("13800138000")) if "ORD" in hit.why.reason] == []
    assert me.search(ENGLISH.format("13900138000"))[0].text == "my order is ORD-2024-7"


def test_nobody_sees_what_is_not_theirs_at_any_hop(memory: Muniment, me: Reader) -> None:
    bo = memory.reader(tenant="acme", user="bo")
    me.observe("Ben's phone is 13800138000")
    bo.observe("Ben's order is ORD-7")
    bo.add_fact("Ben's order", subject="Ben", predicate="order_no", value="ORD-8")
    memory.reader(tenant="other", user="ana").observe("Ben's order is ORD-9")
    hits = me.search(ENGLISH.format("13800138000"))
    assert texts(hits) == ["Ben's phone is 13800138000"]
    assert "no order of it is held" in hits.route.reasons["exact"]
    assert bo.search("who has 13800138000?") == []
    session = me.narrow(session="s9")
    session.add_fact("Ben's order this time", subject="Ben", predicate="order_no", value="ORD-10", scope="SESSION")
    assert session.search(ENGLISH.format("13800138000"))[0].text == "Ben's order this time"
    assert texts(me.search(ENGLISH.format("13800138000"), channels=["exact"])) == ["Ben's phone is 13800138000"]


def test_a_departments_facts_are_found_by_its_members_keys(memory: Muniment) -> None:
    admin = memory.reader(tenant="acme", user="root", departments=["desk"], roles=("admin", "reviewer"))
    made = admin.add_fact(
        "the desk's number", subject="desk", predicate="phone", value="13800138000", scope="DEPARTMENT"
    )
    for waiting in memory.review.list(reader=admin).items if not made.facts else ():
        memory.review.approve(waiting.candidate_id, by=admin)
    member = memory.reader(tenant="acme", user="ana", departments=["desk"])
    assert texts(member.lookup("phone", "138 0013 8000")) == ["the desk's number"]
    assert memory.reader(tenant="acme", user="ana").lookup("phone", "13800138000") == []


def test_a_forgotten_hop_is_gone(me: Reader) -> None:
    me.observe("Ben's phone is 13800138000")
    number = me.add_fact("the number of Ben", subject="Ben", predicate="phone", value="13800138000")
    order = me.add_fact("Ben's order", subject="Ben", predicate="order_no", value="ORD-7")
    me.forget(fact=order.facts[0], mode="erase")
    assert me.lookup("order_no", "ORD-7") == []
    assert "no order of it is held" in me.search(ENGLISH.format("13800138000")).route.reasons["exact"]
    me.forget(fact=number.facts[0])
    assert texts(me.lookup("phone", "13800138000")) == ["Ben's phone is 13800138000"]


# -- keys that are held as a digest only -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "My ID card is 11010519491231002X and my order is ORD-2024-5",
            "what is the order number of the user with id card 11010519491231002x?",
        ),
        ("我的身份证号是11010519491231002X，订单号是ORD-2024-5", "身份证号11010519491231002X的订单号是多少"),
    ],
)
def test_a_masked_number_is_found_by_its_digest_and_never_shown(
    me: Reader, embedder: WordEmbedder, text: str, question: str
) -> None:
    me.observe(text)
    hits = uncounted(embedder, me, question)
    assert hits[0].why.reason.endswith("order ORD-2024-5")
    for shown in (repr(hits), repr(hits.route), repr(me.lookup("身份证", "110105 19491231 002X"))):
        assert "11010519491231002" not in shown
    assert len(me.lookup("national_id", "11010519491231002X")) == 1
    assert me.lookup("national_id", "110105194912310038") == []
    with me.parts.store.read(me.identity) as unit:
        digest = unit.digest("identifier\x00national_id\x0011010519491231002X")
    assert me.lookup("national_id", digest) == []


# -- later words, and words that say it is not so -----------------------------------------------------------------------


def told(me: Reader, clock: SteppingClock, *turns: str) -> None:
    for turn in turns:
        me.observe(turn)
        clock.move(hours=1)


def test_a_phone_beside_another_ones_order_is_found(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("张三 13800138000 订单 A1001；李四 13900138000 订单 A1002")
    for phone, order in (("13900138000", "A1002"), ("13800138000", "A1001")):
        hits = uncounted(embedder, me, f"{phone}的订单号")
        assert hits[0].why.reason.endswith(f"→ order {order}")


def test_an_order_number_like_a_phone_is_both(me: Reader) -> None:
    me.observe("Ann's order number is 13800138000")
    for kind in ("order_no", "phone"):
        assert len(me.lookup(kind, "13800138000")) == 1
    assert me.search("what is Ann's phone?", channels=["exact"]) == []
    assert me.search("when did order 13800138000 ship?")[0].why.channel == "exact"


@pytest.mark.parametrize(
    "question",
    [
        "order of {}",
        "order for {}",
        "the order of {}",
        "what is the order of the user {}?",
        "order {}",
        "订单 {}",
    ],
)
@pytest.mark.parametrize("phone", ["13800138001", "13500001112"])
def test_an_order_of_a_phone_that_is_not_held(me: Reader, embedder: WordEmbedder, question: str, phone: str) -> None:
    me.observe("Ann's phone is 13900138001")
    me.observe("李四 13500001113 订单 A1002")
    hits = uncounted(embedder, me, question.format(phone))
    assert hits == []
    assert hits.route.reasons["exact"] == f"phone +86{phone} named, not held"


@pytest.mark.parametrize(
    ("turns", "question", "reason"),
    [
        *(
            (("小王的邮箱是 a@w.cn", f"小王的{change} b@w.cn"), "小王的邮箱", "小王 → email")
            for change in ("邮箱换成了", "邮箱改为", "邮箱变成了", "邮箱改成", "新邮箱是", "邮箱换了，新邮箱是")
        ),
        (("Ben's order is ORD-7.", "ORD-7 now belongs to Ann."), "Who owns ORD-7?", "code ord7 → ann"),
        (
            ("Ben's phone is 138 0013 8000.", "138 0013 8000 is no longer Ben's number, it is Ann's now."),
            "whose number is 13800138000?",
            "phone +8613800138000 → ann",
        ),
        (
            ("Dan's phone is 150 0000 1111.", "Correction: Dan's phone is 150 0000 3333."),
            "Dan's phone",
            "dan → phone",
        ),
        (("Ben的电话是13800138000", "13800138000现在是小安的"), "13800138000是谁的", "phone +8613800138000 → 小安"),
    ],
)
def test_later_words_that_are_understood_answer(
    me: Reader, clock: SteppingClock, embedder: WordEmbedder, turns: tuple[str, str], question: str, reason: str
) -> None:
    me.add_fact("the mail of 小王", subject="小王", predicate="email", value="a@w.cn")
    told(me, clock, *turns)
    hits = uncounted(embedder, me, question)
    assert [(hit.text, hit.why.reason) for hit in hits] == [(turns[1], reason)]


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        (("Ben's order is ORD-7.", "Ben no longer has ORD-7; it was moved to Ann."), "Who owns ORD-7?"),
        (("Ben's phone is 138 0013 8000.", "138 0013 8000 is no longer Ben's, it is Ann's now."), "Ben's phone?"),
        (("Ben's phone is 13800138000.", "Please call Ben on 13900138000 from today."), "what is Ben's phone?"),
        (("ORD-7 is Ben's order", "ORD-7 belonged to Ben"), "who has ORD-7?"),
    ],
)
def test_later_words_that_are_not_keep_the_channel_from_answering_alone(
    me: Reader, clock: SteppingClock, turns: tuple[str, str], question: str
) -> None:
    told(me, clock, *turns)
    hits = me.search(question)
    assert hits.route.stopped is None
    assert "later words speak of it too" in hits.route.reasons["exact"]
    assert texts(hits)[0] == turns[1] or "history" in next(hit for hit in hits if hit.text == turns[1]).why.flags


def test_what_the_agent_says_later_ends_nothing_by_itself(me: Reader, clock: SteppingClock) -> None:
    told(me, clock, "Ben's order is ORD-7.")
    me.observe("ORD-7 now belongs to Ann.", actor="agent")
    hits = me.search("Who owns ORD-7?", channels=["exact"])
    assert {"code ord7 → ben", "code ord7 → ann"} == {hit.why.reason for hit in hits}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Is Max's phone 13366667777?", "whose number is 13366667777?"),
        ("If Zoe's phone were 13355556666 I would call.", "whose number is 13355556666?"),
        ("Not Ann's phone: 13344445555", "whose number is 13344445555?"),
        ("小李的邮箱不是 c@w.cn", "c@w.cn是谁的"),
        ("Ann's phone was 13100000001 before.", "whose number is 13100000001?"),
        ("小安以前的电话是13100000001", "13100000001是谁的"),
    ],
)
def test_who_does_not_have_a_key_is_not_given(me: Reader, text: str, question: str) -> None:
    me.observe(text)
    hits = me.search(question)
    assert hits.route.stopped is None
    assert "nobody is named as having it" in hits.route.reasons["exact"]
    assert not any("→" in hit.why.reason for hit in hits)


def test_a_past_value_stands_behind_and_is_marked(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("Ann's phone used to be 13100000001")
    assert "history" in me.search("Ann's phone")[0].why.flags
    me.observe("Ann's phone is 13100000002")
    assert texts(uncounted(embedder, me, "Ann's phone")) == ["Ann's phone is 13100000002"]


def test_another_persons_value_is_dropped(me: Reader) -> None:
    me.observe("小李的邮箱是 li@w.cn")
    me.add_fact("the mail of 小陈", subject="小陈", predicate="email", value="chen@w.cn")
    hits = me.search("小赵的邮箱")
    assert hits == []
    assert "it is about another person than the one asked for" in {item.reason for item in hits.dropped}
    me.observe("Ben's phone is 13700137000")
    me.observe("Ann's order is ORD-8")
    found = texts(me.search("the order number of 13700137000"))
    assert found[0] == "Ben's phone is 13700137000"
    assert "Ann's order is ORD-8" not in found


def test_a_short_code_needs_no_word_before_it(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("Ann has ORD-70")
    assert me.search("ORD-70")[0].why.reason == "code ord70"
    assert uncounted(embedder, me, "who has ORD-70?")[0].why.reason == "code ord70 → ann"
    assert uncounted(embedder, me, "who has ORD-71?") == []


def test_a_plate_in_small_letters(me: Reader, embedder: WordEmbedder) -> None:
    me.observe("京A·D1234K is Ben's plate")
    assert uncounted(embedder, me, "whose plate is 京a·d1234k?")[0].why.reason == "plate 京AD1234K → ben"
