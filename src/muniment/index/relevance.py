"""The floor: how probable it is that a proposal has to do with the question at all.

A ranking score is relative to its query: the best of nothing still comes first. The probability is a logistic
regression over features that mean the same in every partition: the share of the question's weight (idf) found in the
turn and in its window, how many rare terms that is, the cosine measured from fixed neutral means, and the share of
the question's identifiers found. Coefficients differ by the question's language: Chinese bigrams cover less of a
question than English stems.

Belongs here: those features and the regression. Does not belong here: ranking, and what is done below the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.index.centring import Mean
from muniment.index.coefficients import coefficients
from muniment.index.products import products
from muniment.index.scoring import Keywords
from muniment.index.view import Floats, View

MATCHED_ENOUGH: Final = 4.0
"""More rare terms than this found make no difference."""
CLOSE: Final = 0.25
"""Cosine from which meaning counts by itself, without a word in common."""


def fixed_cosines(
    views: Sequence[View], rows: NDArray[np.int64], vector: Floats | None, documents: Mean, questions: Mean
) -> NDArray[np.float64]:
    """The best cosine of each row with the question, both measured from fixed means; 0 where either has no vector.

    `rows` are numbered as by views laid end to end.
    """
    result = np.zeros(len(rows))
    if vector is None:
        return result
    centred = vector.astype(np.float64) - questions
    centred /= max(float(np.linalg.norm(centred)), 1e-9)
    start = 0
    for view in views:
        size = len(view.block)
        at = np.flatnonzero((rows >= start) & (rows < start + size))
        if len(at) and view.block.vectors.shape[1] == len(vector):
            chunks: Any = view.block.columns["chunks"]
            local = rows[at] - start
            lines, counts = view.block.vectors, chunks[local].astype(np.int64)
            firsts = (np.cumsum(chunks, dtype=np.int64) - chunks)[local] if view.block.lines != size else local
            held = counts > 0
            result[at[held]] = _best(lines, firsts[held], counts[held], documents, centred)
        start += size
    return result


def _best(
    lines: Floats, firsts: NDArray[np.int64], counts: NDArray[np.int64], documents: Mean, centred: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each stretch of lines, the best centred cosine in it; no stretch is empty."""
    if not len(firsts):
        return np.empty(0)
    offsets = np.cumsum(counts) - counts
    chosen = np.repeat(firsts - offsets, counts) + np.arange(int(counts.sum()))
    away = lines[chosen].astype(np.float64) - documents
    cosines = products(away, centred) / np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    best: NDArray[np.float64] = np.maximum.reduceat(cosines, offsets)
    return best


def features(rows: NDArray[np.int64], words: Keywords, cosine: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The regression's features of the rows."""
    return {
        "coverage": words.coverage[rows].astype(np.float64),
        "window_coverage": words.window_coverage[rows].astype(np.float64),
        "matched": np.minimum(words.matched[rows], MATCHED_ENOUGH).astype(np.float64),
        "cosine": cosine,
        "close": np.maximum(cosine - CLOSE, 0.0),
        "exact": words.exact[rows].astype(np.float64),
    }


def probability(parts: dict[str, NDArray[np.float64]], *, chinese: bool) -> NDArray[np.float64]:
    """The calibrated probability of relevance, 0..1."""
    weights = coefficients().relevance_zh if chinese else coefficients().relevance_en
    total = weights["bias"] + sum(weights[name] * values for name, values in parts.items())
    result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.asarray(total, np.float64)))
    return result
