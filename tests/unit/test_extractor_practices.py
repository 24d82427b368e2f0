"""Whether and how much: two answers to one question share a slot, in whatever way each was said."""

from __future__ import annotations

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.enums import Intent


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I smoke", "I no longer smoke"),
        ("I eat fish.", "I don't eat fish any more"),
        ("I drink coffee", "I never drink coffee"),
        ("I never drink wine", "I drink wine now"),
        ("We have 9 printers in the annex", "We have 12 printers in the annex"),
        ("I swim 2 km every Sunday", "I swim 3 km every Sunday"),
        ("我抽烟", "我不抽烟了"),
        ("我不吃辣", "我现在吃辣了"),
        ("仓库B区有9台叉车", "仓库B区有12台叉车"),
        ("我每周游2公里", "我每周游3公里"),
        ("我通勤要30分钟", "我通勤要50分钟"),
    ],
)
def test_two_answers_share_a_slot(one: str, other: str) -> None:
    (first,), (second,) = extract(one), extract(other)
    assert first.slot is not None
    assert first.slot == second.slot
    assert second.intent is Intent.CHANGE
    assert first.value != second.value


@pytest.mark.parametrize(
    "text",
    [
        "I run a small bakery",
        "I eat out a lot",
        "I have 3 questions about the invoice",
        "Do I drink too much?",
        "I drive you mad",
        "我有3个问题",
        "你抽烟吗",
        "我喝一口",
    ],
)
def test_what_is_no_practice_has_no_slot(text: str) -> None:
    assert not [item for item in extract(text) if item.intent is Intent.CHANGE]


@pytest.mark.parametrize("text", ["I no longer enjoy hiking", "我不再喜欢爬山"])
def test_a_taste_that_was_given_up_is_a_dislike(text: str) -> None:
    (found,) = extract(text)
    assert found.predicate == "dislikes"
