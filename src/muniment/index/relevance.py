"""The floor: how probable it is that a proposal has to do with the question at all.

A ranking score is relative to its query: the best of nothing still comes first. The probability is a logistic
regression over features that mean the same in every store: what share of the question the turn and its window hold,
how near it is in meaning, whether it is of the person or the time asked about. The best of many is near by chance, and
a word that nobody ever said here says that this was not talked about; so the number of rows seen and the share of the
question they know nothing of weigh against it. Coefficients differ by the question's language, and where a row or the
question has no vector.

Belongs here: those features and the regression. Does not belong here: ranking, and what is done below the floor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.index.centring import Mean
from muniment.index.coefficients import coefficients
from muniment.index.products import products
from muniment.index.scoring import BACKGROUND, Keywords, Question, dated
from muniment.index.view import Floats, View
from muniment.index.visibility import instants

MATCHED_ENOUGH: Final = 4.0
"""More rare terms than this found make no difference."""
VOCABULARY: Final = 100.0
"""Rows from which half of what is talked about has been put in words: below that, an unknown word says little."""

Features = dict[str, NDArray[np.float64]]


def fixed_cosines(
    views: Sequence[View], rows: NDArray[np.int64], vector: Floats | None, documents: Mean, questions: Mean
) -> NDArray[np.float64]:
    """The best cosine of each row with the question, both measured from fixed means; NaN where either has no vector.

    `rows` are numbered as by views laid end to end.
    """
    result = np.full(len(rows), np.nan)
    if vector is None:
        return result
    centred = vector.astype(np.float64) - questions
    centred /= max(float(np.linalg.norm(centred)), 1e-9)
    for _, view, at, local in _by_view(views, rows):
        if view.block.vectors.shape[1] == len(vector):
            chunks: Any = view.block.columns["chunks"]
            counts = chunks[local].astype(np.int64)
            lines, whole = view.block.vectors, view.block.lines == len(view.block)
            firsts = local if whole else (np.cumsum(chunks, dtype=np.int64) - chunks)[local]
            held = counts > 0
            result[at[held]] = _best(lines, firsts[held], counts[held], documents, centred)
    return result


def _by_view(
    views: Sequence[View], rows: NDArray[np.int64]
) -> Iterator[tuple[int, View, NDArray[np.intp], NDArray[np.int64]]]:
    """Each view that has some of the rows: its place, the view, where these stand among `rows`, their numbers in its
    block."""
    start = 0
    for place, view in enumerate(views):
        size = len(view.block)
        at = np.flatnonzero((rows >= start) & (rows < start + size))
        if len(at):
            yield place, view, at, rows[at] - start
        start += size


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


def features(
    views: Sequence[View],
    speakers: Sequence[Sequence[str]],
    asked: Question,
    rows: NDArray[np.int64],
    words: Keywords,
    cosine: NDArray[np.float64],
) -> Features:
    """The regression's features of the rows; `speakers` gives each view's names by code.

    `fit`: BM25 of the row's window as a share of the best there could be, which long turns reach less easily. `matched`:
    how many rare terms were found. `exact`: the share of the question's identifiers found. `cosine`: from fixed means,
    NaN without a vector. `named`: the question names the row's speaker. `date`: 1 within the time asked about, 0.5 up to
    seven days after. `unknown`: the share of the question's weight that no row has, less where there are few rows.
    `size`: ln(rows + 20).
    """
    named, date = np.zeros(len(rows)), np.zeros(len(rows))
    for place, view, at, local in _by_view(views, rows):
        if asked.mentioned:
            codes = [code for code, name in enumerate(speakers[place]) if name in asked.mentioned]
            named[at] = np.isin(view.block.columns["speaker"][local].astype(np.int64), codes)
        if asked.window is not None:
            date[at] = dated(instants(view.block)[local], *asked.window)
    every = np.ones(len(rows))
    return {
        "fit": words.bm25["window"][rows].astype(np.float64) / (words.best or 1.0),
        "matched": np.minimum(words.matched[rows], MATCHED_ENOUGH).astype(np.float64),
        "exact": words.exact[rows].astype(np.float64),
        "cosine": cosine,
        "named": named,
        "date": date,
        "unknown": every * words.unknown * words.count / (words.count + VOCABULARY),
        "size": every * np.log(words.count + BACKGROUND),
    }


def probability(parts: Features, *, chinese: bool) -> NDArray[np.float64]:
    """The calibrated probability of relevance, 0..1; by words alone for rows without a cosine."""
    numbers = coefficients()
    full, words = (
        (numbers.relevance_zh, numbers.relevance_words_zh)
        if chinese
        else (numbers.relevance_en, numbers.relevance_words_en)
    )
    silent = np.isnan(parts["cosine"])
    known = {**parts, "cosine": np.where(silent, 0.0, parts["cosine"])}
    total = np.where(silent, _total(known, words), _total(known, full))
    result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-total))
    return result


def _total(parts: Features, weights: dict[str, float]) -> NDArray[np.float64]:
    """The weighted sum; a feature without a weight does not count."""
    start = np.full(len(parts["cosine"]), weights["bias"])
    return sum((weights[name] * values for name, values in parts.items() if name in weights), start=start)
