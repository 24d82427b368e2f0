"""What tests of the exact channel ask of its answers.

Belongs here: shared assertions. Does not belong here: any case (`test_exact`, `test_exact_keys`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muniment.domain.answers import Hits
from muniment.service.reader import Reader
from muniment.testing.doubles import WordEmbedder


def texts(hits: Sequence[Any]) -> list[str]:
    return [hit.text for hit in hits]


def uncounted(embedder: WordEmbedder, me: Reader, question: str) -> Hits:
    """The answer, which no embedder was asked for."""
    before = embedder.calls
    hits = me.search(question)
    assert embedder.calls == before, question
    assert (hits.route.stopped, hits.route.channels) == ("exact", ("exact",)), hits.route
    return hits
