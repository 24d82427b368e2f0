"""Contexts of random material: never over the budget, no item cut, the budget used, nothing out of its fence."""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace

import pytest
from tests.properties.context_material import HOSTILE, Maker, hit_of

from muniment import InvalidInput
from muniment.config import ContextCaps
from muniment.domain.contexts import Context
from muniment.models.tokens import ENCODINGS, QuicktokCounter
from muniment.retrieval.build import build
from muniment.retrieval.fence import FENCE
from muniment.retrieval.material import Material
from muniment.retrieval.sections import HEADINGS

CONTEXTS = int(os.environ.get("MUNIMENT_CONTEXTS", "150"))
"""Random contexts tried; 2 000 is what the project holds itself to."""
COUNTERS = {name: QuicktokCounter(name) for name in ENCODINGS}
HEADS = {name for names in HEADINGS.values() for name in names.values()}


def made(material: Material, budget: int, encoding: str = "o200k_base", caps: ContextCaps | None = None) -> Context:
    return build(material, caps=caps or ContextCaps(), counter=COUNTERS[encoding], budget=budget)


def test_random_contexts_keep_to_their_budget_and_use_it() -> None:
    used, full = [], 0
    for seed in range(CONTEXTS):
        chance = random.Random(seed)
        encoding, budget = (
            chance.choice(ENCODINGS),
            int(chance.choice([60, 100, 300, 1_200, 5_000]) * chance.uniform(0.9, 1.3)),
        )
        maker = Maker(seed, hostile=chance.choice([0.0, 0.0, 0.3]))
        material = maker.material(most=chance.choice([5, 30, 120]))
        context = made(material, budget, encoding)
        count = COUNTERS[encoding].count
        assert context.tokens == count(context.text) <= budget, f"seed {seed}"
        tags = count("<memory>\n") + count("</memory>\n")
        assert sum(count(message["content"]) for message in context.messages) <= budget + tags, f"seed {seed}"
        lines = context.text.split("\n")
        for item in context.items:
            assert item.text in context.text, f"seed {seed}: cut"
            assert item.text.split("\n")[0] in lines, f"seed {seed}: not a line of its own"
        share = usable(context, encoding)
        if share is not None:
            full += 1
            used.append((share, seed))
    assert full >= CONTEXTS // 10
    assert min(used)[0] >= 0.85, f"{min(used)[0]:.3f} of the budget used, seed {min(used)[1]}"


def usable(context: Context, encoding: str) -> float | None:
    """The share used, where something was left out for want of room that is short beside the budget, heading and all."""
    left = [item.text for item in context.dropped if item.reason == "over the token budget" and len(item.text) < 120]
    sizes = [COUNTERS[encoding].count(text + "\n") for text in left]
    heading = max(COUNTERS[encoding].count(f"[{name}]\n") for name in HEADINGS[context.language].values())
    return context.tokens / context.budget if left and min(sizes) + heading <= 0.15 * context.budget else None


@pytest.mark.parametrize("budget", [0, -1, 1, 10])
def test_a_budget_that_holds_not_even_the_frame_is_refused(budget: int) -> None:
    with pytest.raises(InvalidInput, match="holds no context"):
        made(Maker(1).material(), budget)


def test_what_a_section_does_not_use_goes_to_evidence_first() -> None:
    maker = Maker(5)
    evidence = [hit_of(maker.evidence("a short turn about violins and halls")) for _ in range(200)]
    context = made(Material(question="violins?", language="en", evidence=evidence), 1_000)
    assert context.tokens >= 0.95 * 1_000
    facts = [hit_of(maker.fact("plays the violin every evening in the big hall")) for _ in range(200)]
    both = made(Material(question="violins?", language="en", evidence=evidence, facts=facts), 1_000)
    kinds = [item.section for item in both.items]
    assert kinds.count("Fact") > 10
    assert kinds.count("Evidence") > 10
    assert both.tokens >= 0.95 * 1_000


def test_an_item_too_long_leaves_room_for_shorter_ones_behind_it() -> None:
    maker = Maker(6)
    long = hit_of(maker.evidence("never " + "very long " * 400 + "end"))
    short = [hit_of(maker.evidence(f"short turn {number}")) for number in range(5)]
    context = made(Material(question="", language="en", evidence=[long, *short]), 300)
    assert [item.hit.id for item in context.items if item.hit] == [hit.id for hit in short]
    assert [item.id for item in context.dropped] == [long.id]
    assert "never" not in context.text


def test_a_question_over_its_cap_is_left_out_whole_and_said_so() -> None:
    context = made(Material(question="why " * 200, language="en", system=["be kind " * 200]), 300)
    reasons = [item.reason for item in context.dropped]
    assert reasons == ["over the cap of its section (system)", "over the cap of its section (question)"]
    assert "why" not in context.text


def test_the_head_is_the_same_whatever_is_asked() -> None:
    for seed in range(40):
        maker = Maker(seed)
        one = maker.material(most=60)
        other = Maker(seed + 10_000).material(most=20)
        other = replace_head(other, one)
        budget = random.Random(seed).choice([80, 200, 700, 3_000])
        first, second = made(one, budget), made(other, budget)
        assert first.messages[0] == second.messages[0], f"seed {seed}"
        assert [item for item in first.items if item.stable] == [item for item in second.items if item.stable]


def replace_head(material: Material, like: Material) -> Material:
    return replace(material, stable=like.stable, system=like.system, language=like.language)


def test_a_new_fact_comes_after_the_old_ones_of_its_section() -> None:
    maker = Maker(3)
    stable = [hit_of(maker.any_fact()) for _ in range(30)]
    before = made(Material(question="a", language="en", stable=stable), 8_000)
    newer = hit_of(maker.fact("the newest rule", memory_type=stable[0].item.memory_type))
    after = made(Material(question="b", language="en", stable=[newer, *stable]), 8_000)
    old = before.messages[0]["content"].split("\n")
    new = after.messages[0]["content"].split("\n")
    assert [line for line in new if "the newest rule" not in line and line in old] == old
    section = new[: next(place for place, line in enumerate(new) if "the newest rule" in line)]
    assert section == old[: len(section)], "every byte before it is as it was"


def test_too_many_rules_show_the_narrowest_and_latest_and_leave_room() -> None:
    maker = Maker(4)
    rules = [hit_of(maker.fact(f"rule number {number} of the house, to be kept")) for number in range(300)]
    context = made(Material(question="q", language="en", stable=rules, evidence=[hit_of(maker.evidence("hello"))]), 600)
    assert "rule number 299 " in context.text
    assert "rule number 0 " not in context.text
    assert "hello" in context.text


def test_nothing_remembered_leaves_its_place() -> None:
    for seed in range(CONTEXTS):
        material = Maker(seed, hostile=0.6).material(most=12)
        context = made(material, 6_000)
        intact(context.text, context)
        for message in context.messages:
            if message["role"] == "system":
                intact(message["content"], context)


@pytest.mark.parametrize("words", HOSTILE)
def test_no_hostile_words_leave_their_place(words: str) -> None:
    maker = Maker(1)
    fact = maker.fact(f"note {words} end", value=f"{words}\n{words}")
    said = maker.evidence(f"{words}\n{words}", speaker=words)
    page = maker.passage(words, source=words, title=words, locator=words, version=words)
    material = Material(
        question="q", language="en", facts=[hit_of(fact), hit_of(maker.fact(words))], evidence=[hit_of(said)],
        window=[hit_of(said)], knowledge=[hit_of(page)], conflicts=[words], past=[fact], task=[words],
    )  # fmt: skip
    context = made(material, 4_000)
    intact(context.text, context)


MARKS = re.compile(r"\[([fesk]-[0-9a-f]{8}(?:\.\d+)?)\]")


def intact(text: str, context: Context) -> None:
    """One fence, only our headings, every line inside a line of data, no citation but our own, no character that turns a line."""
    fence = FENCE[context.language]
    outside = next((item.text for item in context.items if item.section in ("Question", "问题")), "")
    assert not re.search(
        "[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad\u2028\u2029\x85]", text.replace(outside, "")
    )
    lines = text.split("\n")
    opened = [place for place, line in enumerate(lines) if line.startswith("<memory")]
    closed = [place for place, line in enumerate(lines) if line == fence[1]]
    assert len(opened) == len(closed) == 1
    assert len(re.findall(r"(?i)</\s*memory", text)) == 1
    inside = lines[opened[0] + 1 : closed[0]]
    own = {item.citation for item in context.items if item.citation}
    assert set(MARKS.findall("\n".join(inside))) <= own
    following = {line for item in context.items for line in item.text.split("\n")[1:]}
    for line in inside:
        head = re.fullmatch(r"\[(.+)\]", line)
        assert (head and head[1] in HEADS) or line.startswith("- ") or line in following, line
    for line in following:
        assert not re.match(r"\s*(\[.*\]\s*$|#+ |system\s*:)", line), line
