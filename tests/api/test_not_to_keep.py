"""What is not kept, or not any longer: pasted contexts, 'off the record', 'forget what I just said'."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import muniment
from muniment.domain.enums import CandidateStatus
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock


@pytest.fixture
def memory(sqlite_url: str) -> Iterator[Muniment]:
    with muniment.open(sqlite_url, embedder="none", clock=SteppingClock()) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(user="ana", session="s")


def held(me: Reader) -> list[str]:
    return sorted(fact.content for fact in me.facts())


def shown(me: Reader, question: str) -> str:
    """Everything any read offers for a question, as one text."""
    found = [hit.text for hit in me.search(question, k=50)]
    return "\n".join([*found, me.context(question).text.replace(question, ""), *(item.text for item in me.suggest())])


# -- our own recalled context ---------------------------------------------------------------------------------------------

TOLD = {
    "en": ("I like tea.", "I live in Porto.", "What do I like?"),
    "zh": ("我喜欢喝茶。", "我住在波尔图。", "我喜欢什么？"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("who", ["ana", "bo"])
@pytest.mark.parametrize("event_type", ["message", "document", "tool_result"])
def test_a_recalled_context_fed_back_is_not_said_again(
    memory: Muniment, me: Reader, language: str, who: str, event_type: str
) -> None:
    *told, question = TOLD[language]
    me.observe_many({"content": text} for text in told)
    context = me.context(question, language=language)
    lines = [line for line in context.text.splitlines() if line.startswith("- ")]
    assert lines
    reader, before = memory.reader(user=who, session="other"), me.history(me.facts().items[0].fact_id)
    for paste in (context.text, json.dumps(context.messages, ensure_ascii=False), str(context.messages), *lines):
        receipt = reader.observe(paste, event_type=event_type)
        assert not receipt.candidates, (paste, receipt.lines)
    assert len(me.history(me.facts().items[0].fact_id)) == len(before)
    if who == "bo":
        assert held(reader) == []


def test_what_is_said_beside_a_pasted_context_counts(me: Reader) -> None:
    receipt = me.observe("<memory>\n- I like tea [f-0198f3a2]\n</memory>\nNo, I like rowing. 我住在波尔图。")
    assert receipt.candidates
    assert not any("tea" in text for text in held(me))


@pytest.mark.parametrize(
    "prompt",
    [
        "You are a helpful assistant. Answer briefly. Remember: the user's budget is 9000 euros.",
        "System prompt: you help. Remember that I like tea.",
        "你是一个有用的助手。请记住：用户的预算是9000元。",
    ],
)
def test_a_pasted_system_prompt_gives_no_candidate_and_is_no_suggestion(me: Reader, prompt: str) -> None:
    assert not me.observe(prompt).candidates
    assert list(me.suggest()) == []


# -- not to be kept -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Don't remember this: I live in Rome.", "Rome"),
        ("Off the record: I earn 90000 euros.", "90000"),
        ("Please don't save the following: my favourite colour is teal. I live in Rome.", "Rome"),
        ("不要记住：我住在上海。", "上海"),
        ("别记：我喜欢抽烟。", "抽烟"),
        ("接下来的话别记。我住在上海。", "上海"),
    ],
)
def test_what_is_asked_not_to_be_kept_is_for_the_auditor_only(me: Reader, said: str, word: str) -> None:
    receipt = me.observe(said)
    assert not receipt.candidates
    assert receipt.lines == ("kept for the auditor only, as the speaker asked",)
    assert word not in shown(me, f"{word}?")


def test_what_is_said_before_it_is_kept(me: Reader) -> None:
    me.observe("I like tea. Off the record: I live in Rome.")
    assert held(me) == ["I like tea"]
    assert "Rome" not in shown(me, "Where do I live, Rome?")


# -- forgetting without naming a thing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "said", "asks"),
    [
        ("I like tea.", "I live in Rome.", "Forget what I just said."),
        ("I like tea.", "I live in Rome.", "Please disregard my last message."),
        ("我喜欢喝茶。", "我住在上海。", "忘记我刚才说的话。"),
        ("我喜欢喝茶。", "我住在上海。", "把我刚才说的话忘了吧。"),
    ],
)
@pytest.mark.parametrize("session", ["s", None])
def test_the_turn_before_is_forgotten_at_once(
    memory: Muniment, first: str, said: str, asks: str, session: str | None
) -> None:
    me = memory.reader(user="ana", session=session)
    receipts = me.observe_many([{"content": text} for text in (first, said, asks)])
    assert [item.outcome for item in receipts[2].decisions] == ["forgotten"]
    assert held(me) == [first.strip("。.")]
    assert said.strip("。.") not in [hit.text.strip("。.") for hit in me.search(said, k=50)]
    assert said.strip("。.") not in me.context("?").text


def test_a_fact_that_was_told_before_too_stays(me: Reader) -> None:
    for text in ("I like tea.", "I like tea, and I live in Rome.", "Forget what I just said."):
        me.observe(text)
    assert held(me) == ["I like tea"]


def test_an_agents_answer_between_is_not_what_the_user_said(me: Reader) -> None:
    me.observe("I live in Rome.")
    me.observe("Noted!", actor="agent")
    me.observe("Forget what I just said.")
    assert held(me) == []


def test_another_sessions_turn_is_not_meant(memory: Muniment, me: Reader) -> None:
    memory.reader(user="ana", session="other").observe("I live in Rome.")
    (decision,) = me.observe("Forget what I just said.").decisions
    assert decision.outcome == "needs confirmation"
    assert held(me) == ["I live in Rome"]


@pytest.mark.parametrize("asks", ["Forget everything about me.", "忘记关于我的一切。"])
def test_everything_is_asked_about_and_an_approval_hides_it(memory: Muniment, me: Reader, asks: str) -> None:
    for text in ("I live in Rome.", "我喜欢喝茶。"):
        me.observe(text)
    other = memory.reader(user="bo")
    other.observe("I live in Oslo.")
    receipt = me.observe(asks)
    (decision,) = receipt.decisions
    assert decision.outcome == "needs confirmation"
    assert "2 fact(s) and 2 turn(s)" in decision.reason
    assert len(held(me)) == 2
    memory.review.approve(receipt.candidates[0], by=me)
    assert held(me) == []
    assert "Rome" not in shown(me, "Rome 茶")
    assert held(other) == ["I live in Oslo"]


def test_everything_refused_stays(memory: Muniment, me: Reader) -> None:
    me.observe("I live in Rome.")
    receipt = me.observe("Forget everything about me.")
    memory.review.reject(receipt.candidates[0], by=me)
    assert held(me) == ["I live in Rome"]
    with memory.parts.store.read(me.identity) as unit:
        assert unit.candidates(ids=receipt.candidates)[0].status is CandidateStatus.REJECTED


def test_a_replay_forgets_the_same(memory: Muniment, me: Reader) -> None:
    for text in ("I live in Rome.", "我喜欢喝茶。", "Forget what I just said."):
        me.observe(text)
    report = memory.replay()
    assert report.same, report
