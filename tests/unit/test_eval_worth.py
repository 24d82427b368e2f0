"""Which turns count as noted, and the figure that says whether they rank first."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.domain.errors import InvalidInput
from muniment.evaluation.metrics import average_precision
from muniment.evaluation.options import Options
from muniment.evaluation.suites import measure
from muniment.evaluation.worth import noted


def test_average_precision_counts_a_tie_as_a_tie() -> None:
    assert average_precision([(3, True), (2, False), (1, True)]) == pytest.approx((1 + 2 / 3) / 2)
    assert (
        average_precision([(1, True), (1, False), (1, False), (1, True)])
        == average_precision([(1, False), (1, True), (1, True), (1, False)])
        == pytest.approx(0.5)
    )
    assert average_precision([(1, False)]) is None


def test_observations_name_turns() -> None:
    record: dict[str, Any] = {
        "docs": [{"id": "D1:1", "text": "Hello"}, {"id": "D1:12", "text": "I moved to Oslo"}],
        "observation": {"session_1_observation": {"Ann": [["Ann moved to Oslo", "D1:12"]]}},
    }
    assert noted(record) == [("Hello", False), ("I moved to Oslo", True)]


def test_a_memory_point_is_laid_to_the_turn_that_shares_its_words_in_its_session() -> None:
    record: dict[str, Any] = {
        "dialogue": [
            {"id": "t0", "text": "Good morning to you", "speaker": "user", "session": "s0"},
            {"id": "t1", "text": "I sing in the cathedral choir on Thursdays", "speaker": "user", "session": "s0"},
            {"id": "t2", "text": "You sing in the cathedral choir!", "speaker": "assistant", "session": "s0"},
            {"id": "t3", "text": "The cathedral choir sang", "speaker": "user", "session": "s1"},
        ],
        "memory_points": [
            {"memory_content": "Lea sings in the cathedral choir", "memory_source": "secondary", "session": "s0"},
            {"memory_content": "The cathedral choir sang", "memory_source": "interference", "session": "s1"},
        ],
    }
    assert [good for _, good in noted(record)] == [False, True, False]


def test_an_unknown_suite_is_named() -> None:
    with pytest.raises(InvalidInput, match="unknown suite 'wroth'; known are worth"):
        measure([], Options(suite="wroth"))
