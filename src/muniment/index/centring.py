"""Where meaning is measured from: means of documents and of questions.

Sentence vectors share a large common part, and questions another than statements. Taking both off doubles what cosine
is worth on named dialogues. With named speakers the questions' mean is that of generic questions about those names;
without names it is the documents' own (measured: templates hurt there).

Belongs here: the means, embedded once and kept. Does not belong here: the embedder, and the cosine's weight.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from muniment.index.coefficients import coefficients
from muniment.index.view import View
from muniment.ports.models import Embedder

Mean = NDArray[np.float64]
_KEPT: Final = 256
_NAMES: Final = 8
_ROLE_WORDS = """
    user assistant agent system tool human ai bot model you me customer client support unknown none speaker
    用户 助手 客服 系统 工具 机器人 我 你
"""
_UNNAMED: Final = frozenset(_ROLE_WORDS.split())
_LOG = logging.getLogger(__name__)


def named(speakers: Iterable[str]) -> frozenset[str]:
    """The speakers that are names and not roles; empty where a partition's turns carry only roles."""
    return frozenset(name for name in speakers if name.strip() and name.strip().casefold() not in _UNNAMED)


@dataclass(frozen=True, slots=True)
class Means:
    """What is taken off documents and off questions."""

    documents: Mean
    questions: Mean


class Centring:
    """Means by speakers, bounded. An embedder that fails costs the centring of this query, not the query."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Nothing is embedded before the first question."""
        self._embedder = embedder
        self._kept: OrderedDict[tuple[str, ...], Mean] = OrderedDict()
        self._lock = threading.Lock()

    def means(self, views: Sequence[View], speakers: frozenset[str], dimension: int, *, chinese: bool) -> Means:
        """The means of what is visible, its documents' mean drawn towards the neutral one where there are few."""
        lines = sum(view.lines for view in views)
        total = np.sum([view.vector_sum for view in views], axis=0) if views else np.zeros(dimension)
        neutral = self.neutral("document", dimension)
        prior = coefficients().prior_lines
        documents = (total + prior * neutral) / (lines + prior)
        if not speakers:
            return Means(documents, documents)
        questions = self._about(tuple(sorted(speakers)[:_NAMES]), dimension, chinese=chinese)
        return Means(documents, documents if questions is None else questions)

    def neutral(self, kind: Literal["document", "query"], dimension: int) -> Mean:
        """The fixed mean of neutral statements or questions; the origin where the embedder fails."""
        texts = coefficients().neutral_statements if kind == "document" else coefficients().neutral_questions
        found = self._mean(("neutral", kind), lambda: texts, kind, dimension)
        return np.zeros(dimension) if found is None else found

    def _about(self, names: tuple[str, ...], dimension: int, *, chinese: bool) -> Mean | None:
        """The mean of generic questions about the names."""
        templates = coefficients().templates_zh if chinese else coefficients().templates_en
        # replace, not format: a name may hold braces.
        key = ("zh" if chinese else "en", *names)
        return self._mean(
            key, lambda: [line.replace("{name}", name) for name in names for line in templates], "query", dimension
        )

    def _mean(
        self,
        key: tuple[str, ...],
        texts: Callable[[], Sequence[str]],
        kind: Literal["document", "query"],
        dimension: int,
    ) -> Mean | None:
        """The mean vector of some texts, embedded once; None where there is no embedder, or it fails."""
        if self._embedder is None:
            return None
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        try:
            vectors = np.asarray(self._embedder.encode(list(texts()), kind), np.float64)
        except Exception as error:  # any model's failure: ranking goes on without this mean
            _LOG.warning("no centring: the embedder failed with %s", type(error).__name__)
            return None
        if vectors.ndim != 2 or vectors.shape[1] != dimension or not np.isfinite(vectors).all():
            return None
        mean: Mean = vectors.mean(axis=0)
        with self._lock:
            self._kept[key] = mean
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return mean
