"""Confidence as the store keeps it: an integer of ten-thousandths, so that every backend compares alike.

Belongs here: conversion and combination. Does not belong here: thresholds (policy).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Final

from muniment.domain.errors import InvalidInput

SCALE: Final = 10_000


def to_points(value: Any) -> int:
    """0..1 as 0..10 000, what lies between two steps counts as the lower (.82 is 8200, .81999
    is 8199). Raises `InvalidInput` outside 0..1, for NaN and for what is no number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InvalidInput(f"confidence must be a number from 0 to 1, not {value!r}")
    return int(Decimal(str(float(value))) * SCALE)


def from_points(points: int) -> float:
    """0..10 000 as 0..1."""
    return points / SCALE


def combine(points: list[int]) -> int:
    """The confidence of what several independent sources say alike: 1 - product of (1 - p) (noisy-or).

    The caller passes each independent source once; an empty list gives 0.
    """
    doubt = Fraction(1)
    for value in points:
        doubt *= 1 - Fraction(value, SCALE)
    return min(SCALE, round((1 - doubt) * SCALE))
