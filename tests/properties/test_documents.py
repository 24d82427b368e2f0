"""Passages of any text give the text back, each from its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.text.documents import passages

PLAIN = (
    "tea ",
    "Dr. Lee ",
    "ends. ",
    "。",
    "退款三十天，",
    "\n",
    "\n\n",
    "a" * 700,
    "杭" * 500,
    "x, y; " * 200,
    "\r\n",
    "\u2028",
)
MARKS = (
    "# Head\n",
    "## 标题\n",
    "```\n",
    "=====\n",
    "- item\n",
    "| a | b |\n",
    "👩‍👩‍👧‍👦",
    "🇫🇷",
    "e\u0301",
    "\ud800",
    "\x00",
)
WORDS = st.sampled_from(PLAIN + MARKS)
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=40).map("".join))


@given(TEXTS)
def test_passages_give_the_document_back(text: str) -> None:
    found = passages(text)
    place = 0
    for piece in found:
        assert place <= piece.start < piece.end <= len(text)
        assert not text[place : piece.start].strip()
        words = text[piece.start : piece.end]
        assert words == words.strip()
        assert piece.path[: len(piece.above)] == piece.above
        place = piece.end
    assert not text[place:].strip()


@given(TEXTS, st.data())
def test_no_span_to_be_kept_whole_is_cut(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = [(start, end) for start, end in zip(places[::2], places[1::2], strict=False) if start < end]
    for start, end in spans:
        inside = [piece for piece in passages(text, whole=spans) if piece.start < end and piece.end > start]
        assert len(inside) <= 1
