"""The cut of a document: headings, sentences, places; versions and which of them is later."""

from __future__ import annotations

import pytest

from muniment.text.documents import LONGEST_SENTENCE, passages
from muniment.text.passages import PASSAGE_CHARS

MARKDOWN = """# Handbook

Welcome. This is for everyone.

## Refunds

Refunds are paid within 30 days. Ask Dr. Lee.

### Deadlines

The deadline is 5 p.m. on the last day.

```
# not a heading
```

Travel
======

Fly direct.

-----

Book early.
"""


def told(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(piece.path, text[piece.start : piece.end]) for piece in passages(text)]


def test_a_passage_knows_the_headings_it_stands_under() -> None:
    found = told(MARKDOWN)
    assert [path for path, _ in found] == [
        ("Handbook",),
        ("Handbook", "Refunds"),
        ("Handbook", "Refunds", "Deadlines"),
        ("Travel",),
    ]
    assert found[1][1] == "## Refunds\n\nRefunds are paid within 30 days. Ask Dr. Lee."
    assert "# not a heading" in found[2][1]
    assert found[3][1].startswith("Travel\n======")
    assert found[3][1].endswith("Book early.")


def test_its_fragment_leads_to_its_place() -> None:
    for piece in passages(MARKDOWN):
        path, _, place = piece.fragment.rpartition(":")
        start, end = map(int, place.split("-"))
        assert MARKDOWN[start:end] == MARKDOWN[piece.start : piece.end]
        assert tuple(path.split("/")) == piece.path
    assert passages("Just words.")[0].fragment == "0-11"


def test_a_passage_lacks_only_the_headings_it_does_not_hold() -> None:
    text = "# One\n\n## Two\n\n" + "\n\n".join(f"Paragraph {n}. " + "Some more words here. " * 25 for n in range(6))
    found = passages(text)
    assert len(found) > 2
    assert found[0].above == ()
    assert {piece.above for piece in found[1:]} == {("One", "Two")}


def test_a_heading_stands_with_what_follows_it() -> None:
    found = told("# One\n\n## Two\n\nWords.\n\n## Three\n\nMore.")
    assert [text for _, text in found] == ["# One\n\n## Two\n\nWords.", "## Three\n\nMore."]


@pytest.mark.parametrize(
    "sentence",
    [
        "The committee met on 3.5 hours' notice and Dr. Smith, J. R. Brown and others agreed to wait.",
        "委员会今天开会，讨论了退款的期限（三十天）和“直飞”的要求，大家都同意再等等看。",
        "Is it so?! She said “no.” Then all left… quietly",
    ],
)
def test_no_sentence_is_cut(sentence: str) -> None:
    text = (sentence + (" " if sentence.isascii() or "?" in sentence else "")) * 60
    whole = "".join(sentence.split())
    for piece in passages(text):
        words = "".join(text[piece.start : piece.end].split())
        assert len(words) <= PASSAGE_CHARS
        if "?!" in sentence:
            assert words.startswith(("Isitso", "Shesaid", "Thenall"))
        else:
            assert words == whole * (len(words) // len(whole))


def test_an_endless_line_is_cut_between_characters() -> None:
    family, flag = "👩‍👩‍👧‍👦", "🇫🇷"
    for unit in (family, flag, "e\u0301", "杭", "👍🏽"):
        text = unit * (3 * LONGEST_SENTENCE // len(unit))
        found = passages(text)
        assert len(found) >= 3
        assert "".join(text[piece.start : piece.end] for piece in found) == text
        assert all(text[piece.start : piece.end].count(unit) * len(unit) == piece.end - piece.start for piece in found)


def test_a_table_is_cut_at_its_lines() -> None:
    text = "\n".join(f"{number},name {number},{number * 7}" for number in range(2000))
    found = passages(text)
    assert all("\n" not in text[piece.start - 1 : piece.start].strip() for piece in found)
    lines = [line for piece in found for line in text[piece.start : piece.end].split("\n")]
    assert lines == text.split("\n")


def test_a_span_to_be_kept_whole_is_not_cut() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "Words and words. " * 40 for n in range(9))
    for start in range(0, len(text) - 3000, 517):
        span = (start, start + 2500)
        assert any(piece.start <= span[0] and span[1] <= piece.end for piece in passages(text, whole=[span])) or (
            not text[span[0] : span[1]].strip()
        )


@pytest.mark.parametrize("text", ["", " \n\n\t ", "\n"])
def test_nothing_gives_nothing(text: str) -> None:
    assert passages(text) == []


def test_an_edit_changes_the_passages_near_it_only() -> None:
    paragraphs = [
        f"Paragraph {n} speaks of matter {n * 37 % 101}. " + "It goes on a little. " * (n % 9) for n in range(300)
    ]
    before = "\n\n".join(paragraphs)
    edited = "\n\n".join([*paragraphs[:100], "Something quite new was put in here. " * 9, *paragraphs[100:]])
    old = {before[piece.start : piece.end] for piece in passages(before)}
    new = [edited[piece.start : piece.end] for piece in passages(edited)]
    assert len(new) > 30
    assert sum(text not in old for text in new) <= 4
