"""Clauses and language: exact spans, and what must not be broken."""

from __future__ import annotations

import pytest

from muniment.text.clauses import FILLER, clauses, own_words
from muniment.text.language import language


def parts(text: str) -> list[str]:
    return [text[item.start : item.end] for item in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 8,000 or 3.5 each. Fine!", ["It costs 8,000 or 3.5 each", "Fine"]),
        ("Dr. Wu lives on St. John's Rd. near No. 7. Good.", ["Dr. Wu lives on St. John's Rd. near No. 7", "Good"]),
        ("No. I live here.", ["No", "I live here"]),
        ("See https://a.example/x,y.html?q=1. Thanks.", ["See https://a.example/x,y.html?q=1", "Thanks"]),
        ("Write to a.b@c.example. Now", ["Write to a.b@c.example", "Now"]),
        ("I run, and my wife swims, but we walk.", ["I run", "and my wife swims", "but we walk"]),
        ("I like tea, cake and jam", ["I like tea, cake and jam"]),
        ("我住在北京，在一家公司工作。预算是3,000元。", ["我住在北京", "在一家公司工作", "预算是3,000元"]),
        ("我用 Python 3.11，他用 Go。", ["我用 Python 3.11", "他用 Go"]),
        ("好的\n\n下一条；再下一条", ["好的", "下一条", "再下一条"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_boundaries(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


def test_a_question_mark_marks_every_clause_of_its_sentence() -> None:
    found = clauses("I live here, but do you? Yes. 你呢？好。")
    assert [item.question for item in found] == [True, True, False, True, False]
    assert [item.sentence for item in found] == [0, 0, 1, 2, 3]


def test_own_words_keep_every_offset_and_fill_what_is_quoted() -> None:
    text = "I said “yes, no” and `x = 1`.\n> quoted line\nIt’s mine [photo: a cat]"
    seen = own_words(text)
    assert len(seen) == len(text)
    assert "quoted" not in seen
    assert "yes" not in seen
    assert "photo" not in seen
    assert "It's mine" in seen
    assert FILLER in seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello there", "en"),
        ("你好", "zh"),
        ("我用Python写backend", "zh"),
        ("The word 茶 means tea in this text", "en"),
        ("", "en"),
        ("123", "en"),
    ],
)
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected
