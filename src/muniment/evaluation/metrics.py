"""Figures of ranked lists, each in plain arithmetic.

Belongs here: pure functions from ids to numbers. Does not belong here: how the lists came about.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence


def recall_at(gold: Collection[str], ranked: Sequence[str], k: int) -> float:
    """The share of the gold ids among the first `k` of the list, 0 to 1. Raises `ValueError` without gold ids."""
    wanted = set(gold)
    if not wanted:
        raise ValueError("recall is not defined for a question without gold ids")
    return len(wanted & set(ranked[:k])) / len(wanted)


def hit_at(gold: Collection[str], ranked: Sequence[str], k: int) -> float:
    """1 where any gold id is among the first `k`, else 0. Raises `ValueError` without gold ids."""
    if not gold:
        raise ValueError("a hit is not defined for a question without gold ids")
    return 1.0 if set(gold) & set(ranked[:k]) else 0.0


def any_at(unwanted: Collection[str], ranked: Sequence[str], k: int) -> float:
    """1 where any of the unwanted ids is among the first `k`, else 0."""
    return 1.0 if set(unwanted) & set(ranked[:k]) else 0.0


def mean(values: Iterable[float]) -> float | None:
    """The mean, or None of nothing."""
    held = list(values)
    return math.fsum(held) / len(held) if held else None


def percentile(values: Iterable[float], share: float) -> float | None:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank); None of nothing."""
    held = sorted(values)
    if not held:
        return None
    return held[max(0, math.ceil(share * len(held)) - 1)]


def fused(rankings: Iterable[Sequence[str]], *, constant: int = 60) -> list[str]:
    """Reciprocal rank fusion: ids by the sum of 1 / (constant + rank) over the lists (Cormack et al., 2009: 60).

    Ties in the order of first sight.
    """
    score: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            score[item] = score.get(item, 0.0) + 1 / (constant + rank)
    return sorted(score, key=lambda item: -score[item])


def average_precision(scored: Iterable[tuple[float, bool]]) -> float | None:
    """The mean, over the good items, of the share of good ones among all that rank as high; None without a good one.

    Items of equal score share a rank: each counts with the precision at the end of its tie, so that the order in which ties
    happen to stand is worth nothing.
    """
    by_score: dict[float, list[bool]] = {}
    for score, good in scored:
        by_score.setdefault(score, []).append(good)
    seen = found = 0
    total = 0.0
    for score in sorted(by_score, reverse=True):
        tied = by_score[score]
        seen += len(tied)
        found += sum(tied)
        total += sum(tied) * found / seen
    return total / found if found else None
