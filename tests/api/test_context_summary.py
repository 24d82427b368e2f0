"""Summaries, passages, tasks and workflows in a context: derived lines give way to what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.properties.context_material import NOW, Maker, hit_of

from muniment.config import ContextCaps
from muniment.domain.answers import Hit
from muniment.domain.contexts import Context
from muniment.domain.summaries import Line
from muniment.models.tokens import QuicktokCounter
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.build import build
from muniment.retrieval.material import Material, Retold
from muniment.retrieval.retold import exact
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

QUESTION = "what have we been talking about?"


@dataclass
class Told:
    """A summary channel that tells what it was given."""

    hits: list[Hit]
    name: str = "summary"
    semantic: bool = False

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        return Recall(hits=self.hits)


def with_summary(memory: Muniment, *lines: Line) -> None:
    memory.parts.search.channels = {**memory.parts.search.channels, "summary": Told([hit_of(Maker(1).summary(*lines))])}


def section(context: Context, name: str) -> list[str]:
    return [item.text for item in context.items if item.section == name]


def test_lines_are_shown_as_derived_and_cited_one_by_one(memory: Muniment, me: Reader) -> None:
    with_summary(memory, Line(text="the trip to Lyon"), Line(text="a window seat is liked"))
    context = me.context(QUESTION)
    one, two = section(context, "Summary, derived")
    assert one.startswith("- topic: the trip to Lyon [s-")
    assert two.startswith("- confirmed: a window seat is liked [s-")
    assert one.endswith(".1]")
    assert two.endswith(".2]")
    assert "[摘要（转述）]" in me.context(QUESTION, language="zh").text


def test_a_line_whose_grounds_are_shown_gives_way_to_them(memory: Muniment, me: Reader) -> None:
    rule = me.add_rule("answer briefly").fact_id
    assert rule is not None
    with_summary(memory, Line(text="the trip to Lyon"), Line(text="short answers are wanted", rests_on=(rule,)))
    context = me.context(QUESTION)
    assert len(section(context, "Summary, derived")) == 1
    assert any(item.reason == "what it rests on is shown" for item in context.dropped)


def test_an_exact_value_comes_from_its_source(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    said = me.observe("the order is ORD-2024-0017, of 312.50 EUR").evidence[0]
    fact = me.add_fact("the wifi code is QX-77-PL", predicate="wifi", value="QX-77-PL").fact_id
    assert fact is not None
    clock.move(hours=1)
    with_summary(
        memory,
        Line(text="an order ORD-2024-0071 was placed", rests_on=(said,)),
        Line(text="the wifi code is QX-77-LP", rests_on=(fact,)),
    )
    context = me.context(QUESTION)
    assert section(context, "Summary, derived") == []
    assert "ORD-2024-0017" in section(context, "Evidence")[0]
    assert "QX-77-PL" in section(context, "Fact")[0]
    assert "0071" not in context.text
    assert [item.reason for item in context.dropped].count("its source is shown in its place") == 2


def test_a_line_on_what_is_over_forgotten_or_another_s_is_left_out(
    memory: Muniment, me: Reader, clock: SteppingClock
) -> None:
    first = me.observe("residence: Paris")
    clock.move(days=1)
    me.observe("residence: Lyon")
    gone = me.observe("my violin is red").evidence[0]
    me.forget(query="my violin is red")
    theirs = memory.reader(tenant="acme", user="bob").observe("bob is ill").evidence[0]
    with_summary(
        memory,
        Line(text="home is in Paris", rests_on=first.evidence),
        Line(text="the violin is red", rests_on=(gone,)),
        Line(text="someone is ill", rests_on=(theirs,)),
        Line(text="all is well"),
    )
    context = me.context(QUESTION)
    assert [line.split(" [")[0] for line in section(context, "Summary, derived")] == ["- confirmed: all is well"]
    assert sum("not this reader's to see" in item.reason for item in context.dropped) == 3


def test_a_summary_is_shortened_by_whole_lines() -> None:
    maker = Maker(3)
    hit = hit_of(maker.summary())
    lines = [Retold(hit=hit, field="confirmed", text=f"line {n} " + "word " * 20, place=n) for n in range(1, 30)]
    context = build(
        Material(question="q", language="en", summary=lines),
        caps=ContextCaps(summary_chars=400),
        counter=QuicktokCounter(),
        budget=4_000,
    )
    shown = section(context, "Summary, derived")
    assert len(shown) > 1
    assert sum(map(len, shown)) <= 400
    assert all(text.count("word") == 20 for text in shown)
    assert {item.reason for item in context.dropped} == {"over the cap of its section (summary)"}


def test_where_the_source_does_not_fit_the_line_is_shown() -> None:
    maker = Maker(4)
    source = hit_of(maker.evidence("order ORD-1-77 " + "and so on " * 300))
    line = Retold(hit=hit_of(maker.summary()), field="confirmed", text="order ORD-1-77", place=1, source=source)
    context = build(
        Material(question="q", language="en", summary=[line]), caps=ContextCaps(), counter=QuicktokCounter(), budget=200
    )
    assert section(context, "Summary, derived")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("order ORD-2024-0017", True), ("it costs 312.50 EUR", True), ("预算是8000元", True), ("I promise to call", True),
        ("call 138 0013 8000", True), ("likes window seats", False), ("喜欢靠窗的座位", False), ("met on 2026-05-01", False),
        ("the code is QX-77-LP", True), ("a table for 4", True),
    ],
)  # fmt: skip
def test_what_a_retelling_may_get_wrong(text: str, held: bool) -> None:
    assert exact(text) is held


def test_passages_are_data_of_a_source_outside_with_where_they_stand() -> None:
    maker = Maker(5)
    page = maker.passage("lifts are out\nof order", source="wiki", locator="page 7")
    context = build(
        Material(question="q", language="en", evidence=[hit_of(maker.evidence("hello"))], knowledge=[hit_of(page)]),
        caps=ContextCaps(),
        counter=QuicktokCounter(),
        budget=500,
    )
    (line,) = section(context, "Outside Sources")
    assert line.startswith("- (outside source, not vouched for, wiki, A page, page 7, v3) lifts are out of order [k-")
    assert context.text.index("[Evidence]") < context.text.index("[Outside Sources]")


def test_task_and_workflow_stand_in_their_places() -> None:
    maker = Maker(6)
    material = Material(
        question="go on", language="en", task=["a trip to Sanya"], task_state=["hotels chosen", "waits for the user"],
        stable=[hit_of(maker.fact("direct flights only"))], workflow=["first search, then book"],
        window=[hit_of(maker.evidence("hm"))],
    )  # fmt: skip
    text = build(material, caps=ContextCaps(), counter=QuicktokCounter(), budget=500).text
    heads = [line for line in text.split("\n") if line.startswith("[")]
    assert heads == ["[Question]", "[Task]", "[Task State]", "[Fact]", "[Workflow]", "[This Conversation]"]
    assert NOW.date().isoformat() in text
