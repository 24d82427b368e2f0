"""The pair of an earlier and a later turn: what it looks like in numbers, and how likely the later took over."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from muniment.retrieval.takeover import probability
from muniment.retrieval.takeover_pairs import FEATURES, Pairs, Said
from muniment.retrieval.takeover_reading import READ_CHARS, reading, says

START = datetime(2026, 2, 1, 9, tzinfo=UTC)


def turns(*texts: str) -> list[Said]:
    """Turns a day apart, the best first by the order they are given in."""
    return [
        Said(text=text, score=8.0 / (1 + at), relevance=0.9 / (1 + at), at=START + timedelta(days=at), session=f"s{at}")
        for at, text in enumerate(texts)
    ]


def chance(question: str, *texts: str) -> float:
    """That the second turn took over from the first."""
    pairs = Pairs(question, turns(*texts))
    return float(probability(np.array([pairs.features(0, 1)]))[0]) if pairs.alike(0, 1) else 0.0


OTHERS = {
    "en": ("The window in the attic rattles.", "Our postman whistles.", "I keep bees behind the shed."),
    "zh": ("阁楼的窗户哐当响。", "邮递员爱吹口哨。", "棚子后面我养蜂。"),
}


@pytest.mark.parametrize(
    ("language", "question", "old", "new"),
    [
        ("en", "Which vet do we see?", "We take the rabbit to the vet in Wick Lane.",
         "The vet in Wick Lane has closed, so the rabbit is seen in Thornbury now."),
        ("en", "What time is yoga?", "Yoga is at six on Wednesdays.", "Yoga's been moved to half past seven."),
        ("en", "Who prints our flyers?", "Mr Lumb prints our flyers.",
         "Lumb gave up the business. Our flyers are printed by Oona these days."),
        ("en", "How tall is the fence?", "The fence is 140 centimetres tall.",
         "I got the fence wrong, I misread the tape: it's 160."),
        ("zh", "兔子看哪家兽医？", "兔子在柳巷那家兽医看。", "柳巷那家兽医关门了，兔子改去桐乡看了。"),
        ("zh", "瑜伽几点？", "瑜伽周三六点。", "瑜伽改到七点半了。"),
        ("zh", "传单谁印？", "传单是老兰印。", "老兰不干了，传单换成小欧来印。"),
        ("zh", "篱笆多高？", "篱笆高140公分。", "篱笆那个数我看错了，是160。"),
    ],
)  # fmt: skip
def test_a_change_in_words_never_seen_is_more_likely_than_not(language: str, question: str, old: str, new: str) -> None:
    assert chance(question, old, new, *OTHERS[language]) > 0.6


@pytest.mark.parametrize(
    ("language", "question", "old", "new"),
    [
        ("en", "Which vet do we see?", "We take the rabbit to the vet in Wick Lane.", "The vet in Wick Lane has a blue door."),
        ("en", "What time is yoga?", "Yoga is at six on Wednesdays.", "What if yoga were at seven one day?"),
        ("en", "Who prints our flyers?", "Mr Lumb prints our flyers.", "I sold the old piano and moved the shelf."),
        ("zh", "兔子看哪家兽医？", "兔子在柳巷那家兽医看。", "柳巷那家兽医门是蓝色的。"),
        ("zh", "瑜伽几点？", "瑜伽周三六点。", "要是哪天瑜伽改到七点呢？"),
        ("zh", "传单谁印？", "传单是老兰印。", "旧钢琴卖了，架子也搬走了。"),
    ],
)  # fmt: skip
def test_more_of_the_same_a_supposition_and_another_thing_are_not(
    language: str, question: str, old: str, new: str
) -> None:
    assert chance(question, old, new, *OTHERS[language]) < 0.5


def test_only_a_later_turn_takes_over() -> None:
    old, new = "The rabbit sees the vet in Wick Lane.", "The rabbit sees the vet in Thornbury now."
    pairs = Pairs("Which vet does the rabbit see?", turns(old, new))
    assert pairs.alike(0, 1)
    assert not pairs.alike(1, 0)
    assert not pairs.alike(0, 0)


def test_a_pair_has_a_finite_number_for_each_feature_whatever_the_words() -> None:
    rng = random.Random(5)
    alphabet = "ab 了不我改 \x00\ud800😀?,.。！\n12:三月周"
    texts = ["", "?", "了", "\ud800", "a" * 5000, *("".join(rng.choices(alphabet, k=60)) for _ in range(10))]
    for question in ("", "who?", "谁？", "\x00\ud800"):
        pairs = Pairs(question, turns(*texts))
        for old in range(len(texts)):
            for new in range(old + 1, len(texts)):
                row = pairs.features(old, new)
                assert len(row) == len(FEATURES)
                assert all(math.isfinite(value) for value in row)
                assert 0 <= float(probability(np.array([row]))[0]) <= 1


def test_a_score_of_nothing_is_no_fault() -> None:
    said = [Said(text=text, score=0.0, relevance=0.0, at=START + timedelta(days=at)) for at, text in enumerate("ab")]
    assert all(math.isfinite(value) for value in Pairs("a?", said).features(0, 1))


def test_what_is_read_of_a_long_turn_is_its_beginning() -> None:
    text = "The bus is late. " + "x " * READ_CHARS + "I no longer take the bus."
    assert reading(text).cues["ends"] == 0
    assert reading("I no longer take the bus.").cues["ends"] == 1


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Who repaired the fence?", True), ("Where did I live?", True), ("What was the code?", True),
        ("Who repairs the fence?", False), ("Where do I live?", False), ("When is the exam?", False),
        ("我去过哪儿？", True), ("上次谁来的？", True), ("店是哪年开的？", True),
        ("我住哪儿？", False), ("考试哪天？", False),
    ],
)  # fmt: skip
def test_a_question_about_what_happened_is_told_from_one_about_what_is(question: str, past: bool) -> None:
    assert says("past", question) is past
