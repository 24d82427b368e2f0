"""What the product is set beside: plain keyword search, plain vectors, and the two fused by rank.

Each gets what the product gets: the same tokens of the same tokeniser, the same vectors of the same chunks.

Belongs here: the three rankings over one conversation's documents. Does not belong here: the `seed` preset, which is asked
through the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from muniment.evaluation.metrics import fused
from muniment.ports.models import Embedder
from muniment.text.passages import CHUNK_CHARS, pieces
from muniment.text.tokenizer import tokenize

K1, B = 1.2, 0.75
POOL = 100
"""How many of each list rank fusion looks at."""


class Baselines:
    """BM25, cosine and their fusion over documents given as (id, text)."""

    def __init__(self, documents: Sequence[tuple[str, str]], embedder: Embedder) -> None:
        """Indexes and embeds the documents."""
        self._ids = [name for name, _ in documents]
        self._embedder = embedder
        self._lengths, self._postings = _postings([text for _, text in documents])
        self._vectors, self._owners = _vectors([text for _, text in documents], embedder)

    def rankings(self, question: str, k: int) -> dict[str, list[str]]:
        """The first `k` ids by each baseline; without vectors, by keyword alone."""
        keyword = self._best(self._bm25(question), POOL, positive=True)
        found = {"bm25": keyword[:k]}
        if self._embedder.dimension:
            dense = self._best(self._cosine(question), POOL, positive=False)
            found |= {"dense": dense[:k], "rrf": fused([keyword, dense])[:k]}
        return found

    def _bm25(self, question: str) -> Any:
        """Robertson and Zaragoza (2009), k1 1.2, b 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5))."""
        scores = np.zeros(len(self._ids))
        norm = K1 * (1 - B + B * self._lengths / max(float(self._lengths.mean()), 1e-9))
        for term in dict.fromkeys(tokenize(question)):
            if term in self._postings:
                rows, counts = self._postings[term]
                idf = np.log1p((len(self._ids) - len(rows) + 0.5) / (len(rows) + 0.5))
                scores[rows] += idf * counts * (K1 + 1) / (counts + norm[rows])
        return scores

    def _cosine(self, question: str) -> Any:
        """The best chunk's cosine."""
        vector = np.asarray(self._embedder.encode([question], kind="query"), np.float32)[0]
        scores = np.full(len(self._ids), -1.0, np.float32)
        np.maximum.at(scores, self._owners, self._vectors @ vector)
        return scores

    def _best(self, scores: Any, k: int, *, positive: bool) -> list[str]:
        order = np.argsort(-scores, kind="stable")[:k]
        return [self._ids[row] for row in order if not positive or scores[row] > 0]


def _postings(texts: Sequence[str]) -> tuple[Any, dict[str, tuple[Any, Any]]]:
    """Lengths in tokens, and for each token its rows and counts."""
    raw: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.zeros(len(texts))
    for row, text in enumerate(texts):
        counts = Counter(tokenize(text))
        lengths[row] = counts.total()
        for term, count in counts.items():
            rows, often = raw.setdefault(term, ([], []))
            rows.append(row)
            often.append(count)
    return lengths, {term: (np.array(rows), np.array(often, float)) for term, (rows, often) in raw.items()}


def _vectors(texts: Sequence[str], embedder: Embedder) -> tuple[Any, Any]:
    """One vector a chunk, and whose chunk it is."""
    chunks = [(row, chunk) for row, text in enumerate(texts) for chunk in pieces(text, CHUNK_CHARS) or [text]]
    if not embedder.dimension or not chunks:
        return np.zeros((0, embedder.dimension), np.float32), np.zeros(0, int)
    vectors = np.asarray(embedder.encode([chunk for _, chunk in chunks], kind="document"), np.float32)
    return vectors, np.array([row for row, _ in chunks])
