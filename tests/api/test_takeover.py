"""What later words perhaps took over from: put behind what is current, with the reason; nothing hidden, nothing kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.api.conftest import Open

from muniment.config import Policy, load_policy
from muniment.domain.answers import Hit, Hits
from muniment.retrieval.history import DOUBTED, EARLIER, UNWANTED
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

FILLER = {
    "en": (
        "The cellar smells of apples.",
        "My aunt collects stamps from Peru.",
        "There is a bus stop outside the bakery.",
        "The cat sleeps on the printer.",
        "I water the ferns on Sundays.",
        "The lift makes a humming noise.",
    ),
    "zh": (
        "地下室有一股苹果味。",
        "我姨收集秘鲁邮票。",
        "面包店门口有个公交站。",
        "猫睡在打印机上。",
        "蕨类植物周日浇水。",
        "电梯嗡嗡响。",
    ),
}
CHANGES = (
    ("en", "Who repairs our bicycles?", "Wilfred repairs our bicycles.",
     "Wilfred has retired, so Agnes repairs our bicycles these days."),
    ("en", "Which bakery delivers the rolls?", "The rolls are delivered by Huxley's bakery every morning.",
     "Huxley's bakery shut down in June. Our rolls come from Pemberley instead."),
    ("zh", "自行车谁修？", "自行车一直是老温修。", "老温退休了，自行车现在归小艾修。"),
    ("zh", "早餐面包哪家送？", "早餐面包是霍记每天送来的。", "霍记关门了，早餐面包换成潘记送。"),
)  # fmt: skip


def told(me: Reader, clock: SteppingClock, language: str, *turns: str) -> None:
    """Says the turns, each a day later and in a session of its own, among others about nothing of the kind."""
    filler = FILLER[language]
    for at, text in enumerate((turns[0], *filler[:3], *turns[1:], *filler[3:])):
        clock.move(days=1)
        me.observe(text, session=f"s{at}")


def one(hits: Hits, text: str) -> Hit:
    return next(hit for hit in hits if hit.text == text)


@pytest.fixture
def off() -> Policy:
    policy = load_policy(None)
    return replace(policy, retrieval=replace(policy.retrieval, takeover=1.0))


@pytest.mark.parametrize(("language", "question", "old", "new"), CHANGES)
def test_what_was_taken_over_stands_behind_and_says_by_what(
    me: Reader, clock: SteppingClock, language: str, question: str, old: str, new: str
) -> None:
    told(me, clock, language, old, new)
    hits = me.search(question)
    texts = [hit.text for hit in hits]
    assert texts.index(new) < texts.index(old)
    earlier, later = one(hits, old), one(hits, new)
    assert EARLIER in earlier.why.flags
    assert str(later.id) in earlier.why.reason
    assert not DOUBTED.intersection(later.why.flags)
    assert all(texts.index(other.text) < texts.index(old) for other in hits if not other.why.flags)
    assert "perhaps no longer so: later words of" in str(hits.explain())


@pytest.mark.parametrize(("language", "question", "old", "new"), CHANGES)
def test_nothing_is_hidden_by_it_and_it_is_the_same_each_time(
    sqlite_url: str, open_at: Open, clock: SteppingClock, off: Policy, language: str, question: str, old: str, new: str
) -> None:
    with open_at(sqlite_url) as memory:
        me = memory.reader(tenant="acme", user="ana")
        told(me, clock, language, old, new)
        hits, again = me.search(question, k=20), me.search(question, k=20)
    with open_at(sqlite_url, policy=off) as memory:
        plain = memory.reader(tenant="acme", user="ana").search(question, k=20)
    assert [hit.id for hit in hits] == [hit.id for hit in again]
    assert {hit.id for hit in hits} == {hit.id for hit in plain}
    assert not any(DOUBTED.intersection(hit.why.flags) for hit in plain)
    unmarked = [hit.id for hit in plain if hit.text not in (old, new)]
    assert [hit.id for hit in hits if hit.text not in (old, new)] == unmarked


@pytest.mark.parametrize("question", ["Who repaired our bicycles before Agnes?", "Who used to repair our bicycles?"])
def test_a_question_about_the_past_finds_it_in_its_place(me: Reader, clock: SteppingClock, question: str) -> None:
    _, _, old, new = CHANGES[0]
    told(me, clock, "en", old, new)
    assert not any(DOUBTED.intersection(hit.why.flags) for hit in me.search(question))


def test_what_the_reader_may_not_see_changes_nothing(
    memory_of_two: tuple[Reader, Reader], clock: SteppingClock
) -> None:
    me, other = memory_of_two
    _, question, old, new = CHANGES[0]
    told(me, clock, "en", old)
    told(other, clock, "en", new)
    hits = me.search(question)
    assert [hit for hit in hits if hit.text == old]
    assert not any(DOUBTED.intersection(hit.why.flags) for hit in hits)


@pytest.fixture
def memory_of_two(sqlite_url: str, open_at: Open) -> tuple[Reader, Reader]:
    memory = open_at(sqlite_url)
    return memory.reader(tenant="acme", user="ana"), memory.reader(tenant="acme", user="ben")


def test_words_that_came_after_the_instant_asked_about_take_nothing_over(me: Reader, clock: SteppingClock) -> None:
    _, question, old, new = CHANGES[0]
    told(me, clock, "en", old)
    before = clock()
    told(me, clock, "en", new)
    assert EARLIER in one(me.search(question), old).why.flags
    assert EARLIER not in one(me.search(question, valid_at=before), old).why.flags


@pytest.mark.parametrize(
    ("language", "question", "old", "later"),
    [
        ("en", "Who repairs our bicycles?", "Wilfred repairs our bicycles.", "Wilfred likes his tea strong."),
        ("en", "Who repairs our bicycles?", "Wilfred repairs our bicycles.", "If Wilfred stopped, who would do bicycles?"),
        ("zh", "自行车谁修？", "自行车一直是老温修。", "老温爱喝浓茶。"),
        ("zh", "自行车谁修？", "自行车一直是老温修。", "要是哪天老温不修了，自行车找谁啊？"),
    ],
)  # fmt: skip
def test_more_about_the_same_or_what_is_only_supposed_takes_nothing_over(
    me: Reader, clock: SteppingClock, language: str, question: str, old: str, later: str
) -> None:
    told(me, clock, language, old, later)
    hits = me.search(question)
    assert not DOUBTED.intersection(one(hits, old).why.flags)


@pytest.mark.parametrize(("language", "question", "old", "new"), CHANGES[:1] + CHANGES[2:3])
def test_a_context_says_that_it_is_the_earlier_word(
    me: Reader, clock: SteppingClock, language: str, question: str, old: str, new: str
) -> None:
    told(me, clock, language, old, new)
    lines = me.context(question, budget=2000).text.splitlines()
    note = {"en": "earlier, perhaps no longer so", "zh": "较早的说法，可能已变"}[language]
    of_old = [line for line in lines if old in line]
    assert all(note in line for line in of_old)
    assert any(new in line and note not in line for line in lines)


@pytest.mark.parametrize(
    ("language", "question", "old", "request_", "kept"),
    [
        ("en", "What do you know about Oswald?", "Oswald owes his brother money and drinks.",
         "What I said about Oswald and the money was gossip. Please forget it.", "Oswald lives in Dover."),
        ("zh", "老郝你知道些什么？", "老郝欠了一屁股赌债。", "老郝欠赌债那个话我不该说，你把它忘了吧。", "老郝住在大连。"),
    ],
)  # fmt: skip
def test_what_was_asked_to_be_forgotten_stands_behind_and_is_in_no_prompt(
    me: Reader, clock: SteppingClock, language: str, question: str, old: str, request_: str, kept: str
) -> None:
    told(me, clock, language, old, kept, request_)
    hits = me.search(question)
    if any(hit.text == old for hit in hits):  # a request that the write path understood hid it at once
        assert UNWANTED in one(hits, old).why.flags
        assert not DOUBTED.intersection(one(hits, kept).why.flags)
    assert old not in me.context(question, budget=2000).text
