"""Which version is the later."""

from __future__ import annotations

import pytest

from muniment.text.versions import compare

ORDERED = [
    ("1", "2"),
    ("9", "10"),
    ("v9", "V10"),
    ("1.9", "1.10"),
    ("1.0", "1.0.1"),
    ("2.0.0-alpha", "2.0.0-alpha.1"),
    ("2.0.0-alpha.1", "2.0.0-alpha.beta"),
    ("2.0.0-beta.2", "2.0.0-beta.11"),
    ("2.0.0-rc.1", "2.0.0"),
    ("2026-01-31", "2026-02-01"),
    ("2026-01-31", "2026-02"),
    ("2026-01-31", "2026-01-31T08:00:00+00:00"),
    ("2026-01-31T08:00:00+08:00", "2026-01-31T01:00:00Z"),
    ("2026年1月31日", "2026-02-01"),
    ("2026年1月", "2026年2月"),
    ("第3版", "第12版"),
    ("版本 3", "版本４"),
    ("rev. 7", "rev. 8"),
    ("20260131", "20260201"),
    ("1" * 25, "2" * 25),
]


@pytest.mark.parametrize(("earlier", "later"), ORDERED)
def test_the_later_is_later_either_way_round(earlier: str, later: str) -> None:
    assert compare(earlier, later) == -1
    assert compare(later, earlier) == 1
    assert compare(later, later) == 0


@pytest.mark.parametrize(("one", "same"), [("1.0", "1"), ("v2", "2"), ("1.0+a", "1.0+b"), ("2026-01-01", "2026/1/1")])
def test_two_spellings_of_one_version(one: str, same: str) -> None:
    assert compare(one, same) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [("draft", "final"), ("a1b2c3", "d4e5f6"), ("1", "draft"), ("2026-01-31", "3"), ("2026-13-45", "draft"), ("", "1")],
)
def test_what_cannot_be_compared_is_not_guessed(one: str, other: str) -> None:
    assert compare(one, other) is None
    assert compare(other, one) is None
