"""Token counts are exact, and no text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.errors import InvalidInput
from muniment.models.tokens import ENCODINGS, QuicktokCounter


# Counted with OpenAI's published tables, by another implementation.
@pytest.mark.parametrize(
    ("encoding", "text", "count"),
    [
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "", 0),
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("o200k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "2 + 2 = 4", 7),
        ("o200k_base", "2 + 2 = 4", 7),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "お誕生日おめでとう", 8),
    ],
)
def test_known_counts(encoding: str, text: str, count: int) -> None:
    assert QuicktokCounter(encoding).count(text) == count


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_markers_are_ordinary_text(encoding: str) -> None:
    counter = QuicktokCounter(encoding)
    for marker in ("<|endoftext|>", "<|im_start|>", "<|eot_id|>"):
        assert counter.count(marker) > 1


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_no_text_is_refused(text: str) -> None:
    counter = QuicktokCounter("o200k_base")
    replaced = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    assert counter.count(text) == counter.count(replaced)
    assert (counter.count(text) == 0) == (text == "")
    assert counter.count(text) <= len(replaced.encode())


def test_a_megabyte_is_counted() -> None:
    assert QuicktokCounter().count("hello world " * 100_000) > 190_000


def test_an_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="o200k_base"):
        QuicktokCounter("p50k_edit_of_mine")
