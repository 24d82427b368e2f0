"""Confidence in ten-thousandths: the thresholds to the digit, the edges, and the weighing of independent sources."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.confidence import SCALE, combine, from_points, to_points
from muniment.domain.errors import InvalidInput

points = st.integers(0, SCALE)
several = st.lists(points, max_size=6)
thorough = settings(max_examples=200, deadline=None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.82, 8200), (0.8199, 8199), (0.55, 5500), (0.5499, 5499), (0, 0), (1, 10_000), (0.5, 5000)],
)
def test_the_thresholds_are_exact(value: float, expected: int) -> None:
    assert to_points(value) == expected


def test_every_step_comes_back_as_it_went_in() -> None:
    steps = range(SCALE + 1)
    assert [to_points(from_points(step)) for step in steps] == list(steps)
    assert [to_points(float(f"{step / SCALE:.4f}")) for step in steps] == list(steps)
    assert all(low < high for low, high in pairwise(map(from_points, steps)))


def test_computed_confidence_lands_on_its_step() -> None:
    assert to_points(0.1 + 0.2) == 3000
    assert to_points(1 - 0.18) == to_points(0.82)


@pytest.mark.parametrize("value", [-0.0001, 1.0001, math.nan, math.inf, -math.inf, True, False, "0.5", None, 2])
def test_what_is_no_confidence_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="confidence"):
        to_points(value)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], 0), ([8200], 8200), ([5000, 5000], 7500), ([6000, 6000], 8400), ([0, 5500], 5500), ([SCALE, 0], SCALE)],
)
def test_independent_sources_add_up(values: list[int], expected: int) -> None:
    assert combine(values) == expected


@thorough
@given(several)
def test_combined_confidence_is_the_exact_product_to_the_step(values: list[int]) -> None:
    doubt = math.prod((1 - Fraction(value, SCALE) for value in values), start=Fraction(1))
    assert abs(combine(values) - (1 - doubt) * SCALE) <= Fraction(1, 2) + Fraction(1, 10**6)


def test_the_order_of_sources_does_not_matter() -> None:
    assert len({combine(list(order)) for order in permutations([1000, 2500, 2500])}) == 1


@thorough
@given(several, points)
def test_one_source_more_never_lessens_it_and_never_passes_certainty(values: list[int], more: int) -> None:
    assert max([*values, 0]) <= combine(values) <= combine([*values, more]) <= SCALE
