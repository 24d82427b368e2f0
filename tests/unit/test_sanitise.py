"""Cleaning of text and payloads."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.domain.errors import InvalidInput, TooLarge
from muniment.text.sanitise import sanitise, sanitise_json


@pytest.mark.parametrize(
    ("given", "text", "flags"),
    [
        ("plain 文本\n\t\r", "plain 文本\n\t\r", ()),
        ("\ufeffI live in Oslo", "I live in Oslo", ("bom",)),
        ("\ufeff\ufeff我住在杭州", "我住在杭州", ("bom",)),
        ("a\ufeffb", "a\ufeffb", ()),
        ("a\x00b", "ab", ("nul",)),
        ("a\x07\x1bb", "ab", ("control",)),
        ("a\ud800b", "a\ufffdb", ("surrogate",)),
        ("\ud83d\ude00", "😀", ("surrogate",)),
        ("\x00\x01\udfff", "\ufffd", ("nul", "control", "surrogate")),
        ("e\u0301", "e\u0301", ()),
        ("", "", ()),
    ],
)
def test_text_keeps_all_but_what_no_store_can_hold(given: str, text: str, flags: tuple[str, ...]) -> None:
    clean = sanitise(given)
    assert (clean.text, clean.flags) == (text, flags)
    clean.text.encode()


def test_text_must_be_text() -> None:
    with pytest.raises(InvalidInput, match="bytes"):
        sanitise(b"abc")  # type: ignore[arg-type]


def test_json_is_cleaned_in_keys_and_values_and_tuples_become_lists() -> None:
    clean = sanitise_json({"k\x00": ("a\x01", 1, 1.5, None, True, {"x": []})}, limit_depth=4, limit_bytes=1000)
    assert clean.value == {"k": ["a", 1, 1.5, None, True, {"x": []}]}
    assert clean.flags == ("control", "nul")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, {"b": object()}]}, r"\$\.a\[1\]\.b is a object"),
        ({"a": float("nan")}, r"\$\.a is nan"),
        ({"a": float("inf")}, r"\$\.a is inf"),
        ({1: "a"}, "key 1, which is not text"),
        ({"a": 2**63}, r"\$\.a is an integer of more than 64 bits"),
        ({"a": {1, 2}}, r"\$\.a is a set"),
        ({"a": b"x"}, r"\$\.a is a bytes"),
        ({"k": 1, "k\x00": 2}, "twice"),
    ],
)
def test_json_names_the_path_of_what_it_cannot_hold(value: Any, path: str) -> None:
    with pytest.raises(InvalidInput, match=path):
        sanitise_json(value, limit_depth=8, limit_bytes=1000)


def test_json_depth_is_counted_in_containers() -> None:
    nested: Any = "leaf"
    for _ in range(3):
        nested = [nested]
    assert sanitise_json(nested, limit_depth=3, limit_bytes=100).value == [[["leaf"]]]
    with pytest.raises(TooLarge, match="deeper than 2"):
        sanitise_json(nested, limit_depth=2, limit_bytes=100)


def test_json_size_is_that_of_compact_utf8() -> None:
    value = {"键": "值"}  # {"键":"值"} is 7 ASCII bytes and two characters of three bytes
    assert sanitise_json(value, limit_depth=1, limit_bytes=13).value == value
    with pytest.raises(TooLarge, match="13 bytes"):
        sanitise_json(value, limit_depth=1, limit_bytes=12)


def test_shared_references_cannot_blow_up_before_the_limit() -> None:
    value: Any = ["x"] * 10
    for _ in range(12):
        value = [value] * 10
    with pytest.raises(TooLarge):
        sanitise_json(value, limit_depth=16, limit_bytes=10_000)


def test_a_deep_value_is_refused_without_exhausting_the_stack() -> None:
    value: Any = []
    for _ in range(50_000):
        value = [value]
    with pytest.raises(TooLarge):
        sanitise_json(value, limit_depth=16, limit_bytes=10_000)
    while value:  # unwind by hand: freeing so deep a list is not what is tested
        value = value.pop()
