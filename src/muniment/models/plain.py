"""What every embedder here does to text before and to vectors after its model.

Belongs here: pure functions on texts and arrays that make the port's promises hold. Does not belong here: any model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

# NUL ends a text early in C libraries; half a surrogate pair does not encode as UTF-8.
_UNUSABLE = re.compile("[\x00\ud800-\udfff]+")


def usable(text: str, limit: int) -> str:
    """The text a model can take: no NUL, no lone surrogate, no space around it, at most `limit` characters."""
    # Cut first: a megabyte is not worth cleaning. The margin is for what cleaning takes out.
    return _UNUSABLE.sub(" ", text[: 2 * limit]).strip()[:limit]


def unit(vectors: Any) -> Vectors:
    """Rows scaled to length one; a row of zeros, or with anything not finite in it, becomes zeros."""
    rows = np.array(vectors, dtype=np.float32, ndmin=2)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    sound = np.isfinite(lengths) & (lengths > 0)
    rows[~sound] = 0.0
    rows[sound] /= lengths[sound, None]
    return rows


def encoded(
    texts: Sequence[str], *, dimension: int, limit: int, batch: int, model: Callable[[list[str]], Any]
) -> Vectors:
    """One unit row per text, in order, from a model that takes lists of non-empty texts; a zero row for an empty text.

    Texts that are alike go to the model once. Texts of like length go together, so that none waits for a long one's
    padding.
    """
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        if cleaned := usable(text, limit):
            places.setdefault(cleaned, []).append(place)
    ordered = sorted(places, key=len)
    for start in range(0, len(ordered), batch):
        part = ordered[start : start + batch]
        for text, row in zip(part, unit(model(part)), strict=True):
            vectors[places[text]] = row
    return vectors
