"""Every hit, search and context says why: route, parts, scope, period, grounds, flags, and what was left out."""

from __future__ import annotations

import json

import pytest

from muniment.domain.contexts import Context
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

QUESTION = "where shall we play the violin?"


@pytest.fixture
def told(me: Reader, clock: SteppingClock) -> Reader:
    me.add_rule("answer briefly")
    me.add_fact("plays the violin in the evening", predicate="skill", value="violin")
    me.observe_many([{"content": f"the violin hall number {number} was full"} for number in range(30)])
    me.observe_many([{"content": f"tax filing number {number}"} for number in range(5)])
    clock.move(hours=1)
    return me


def test_a_context_says_why_each_item_is_there_and_what_is_not(told: Reader) -> None:
    context = told.context(QUESTION, budget=300)
    why = context.explain()
    assert told.explain(context) == why
    shown = {item.hit.id for item in context.items if item.hit}
    assert {hit.id for hit in why.hits} == shown
    assert {hit.citation for hit in why.hits} == {item.citation for item in context.items if item.hit}
    assert sum(map(len, why.left_out.values())) == len(context.dropped)
    assert "over the token budget" in why.left_out
    assert why.made_with["embedder"] == context.made_with.embedder  # type: ignore[union-attr]
    text = str(why)
    expected = (
        "route (general)", "facts: what is held may answer", "applies here whatever is asked", "scope USER", "300 tokens",
        "left out, over the token budget", "rests on", "score", "probability of relevance 0.",
    )  # fmt: skip
    for part in expected:
        assert part in text, part
    data = json.loads(json.dumps(why.plain()))
    assert data["known_at"] == context.known_at.text  # type: ignore[union-attr]
    assert data["tokens"] == context.tokens


def test_a_search_and_its_hits_say_why(told: Reader) -> None:
    hits = told.search(QUESTION, k=10)
    why = hits.explain()
    assert told.explain(hits) == why
    assert [item.id for item in why.hits] == [hit.id for hit in hits]
    assert why.budget is None
    assert json.loads(json.dumps(why.plain()))["hits"][0]["channel"] in ("facts", "evidence")
    fact = next(hit for hit in hits if hit.why.channel == "facts")
    assert fact.explain().chain is None
    chain = told.explain(fact).chain
    assert chain is not None
    assert chain.fact.fact_id == fact.id
    assert json.dumps(told.explain(fact).plain())
    assert told.explain(fact.id) == chain
    said = next(hit for hit in hits if hit.why.channel == "evidence")
    assert told.explain(said).chain is None
    assert "evidence:" in str(told.explain(said))


def test_what_failed_is_named(told: Reader, embedder: object) -> None:
    embedder.fail = True  # type: ignore[attr-defined]
    why = told.context("violin tonight?").explain()
    if why.degraded:
        assert "failed; the answer was made without it" in str(why)
    assert "embedder" in why.degraded


def test_an_exact_answer_says_that_it_answered_alone(me: Reader) -> None:
    me.observe("residence: Paris")
    why = me.context("what is my residence?").explain()
    if why.stopped:
        assert "exact answered alone" in str(why)


def test_a_context_names_what_it_was_made_with(told: Reader) -> None:
    context = told.context(QUESTION)
    assert isinstance(context, Context)
    made = context.made_with
    assert made is not None
    assert made.policy == told.parts.policy.version
    assert made.embedder == told.parts.embedder.id
    assert made.encoding == "o200k_base"
    assert made.code
    assert made.tokenizer


@pytest.mark.parametrize(
    ("question", "language", "heading"),
    [
        ("violin?", None, "[Question]"), ("小提琴?", None, "[问题]"), ("violin?", "zh", "[问题]"),
        ("小提琴?", "en", "[Question]"), ("2 + 2 = ?", None, "[Question]"),
    ],
)  # fmt: skip
def test_headings_are_in_the_language_asked_for(
    told: Reader, question: str, language: str | None, heading: str
) -> None:
    assert heading in told.context(question, language=language).text


def test_a_question_without_letters_takes_the_language_of_what_was_said(me: Reader) -> None:
    here = me.narrow(session="s9")
    here.observe("今天晚上去拉小提琴")
    assert "[当前对话]" in here.context("?!").text
    assert "[当前对话]" in here.context("").text
