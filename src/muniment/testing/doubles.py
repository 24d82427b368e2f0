"""Small, deterministic stand-ins for models and the clock, so that tests of a store need no weights and no waiting.

Belongs here: real implementations of the ports that are fit for tests only. Does not belong here: mocks that record calls.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import numpy as np

from muniment.domain.enums import ActorType
from muniment.domain.errors import ModelError
from muniment.domain.records import Candidate
from muniment.ports.models import Turn
from muniment.text.tokenizer import tokenize

DIMENSION: Final = 32
_LINE: Final = re.compile(r"^[ \t]*(?P<key>[^\W\d][\w -]{0,40}): *(?P<value>\S.*?)[ \t]*$", re.MULTILINE)


class SteppingClock:
    """A clock that stands until it is moved. `clock()` is the instant, `clock.move(hours=1)` goes on and returns it."""

    def __init__(self, now: datetime = datetime(2026, 6, 1, 9, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, **delta: float) -> datetime:
        """Goes on by a `timedelta` of these keywords."""
        self.now += timedelta(**delta)
        return self.now

    def to(self, now: datetime) -> datetime:
        """Goes to an instant."""
        self.now = now
        return now


class LinesExtractor:
    """Reads each line `key: value` of a user's turn as a statement of that predicate, held from when it was said.

    `fail` makes every call raise `ModelError`, as a model that is down does; `local` false makes it one that is called
    outside the transaction.
    """

    id = "lines"
    version = "1"

    def __init__(self, *, local: bool = True) -> None:
        self.local = local
        self.fail = False

    def extract(self, turn: Turn) -> Sequence[Candidate]:
        """A candidate for each such line, quoting it."""
        if self.fail:
            raise ModelError("the lines extractor was told to fail")
        if turn.actor is not ActorType.USER:
            return []
        return [
            Candidate(
                content=match[0].strip(),
                predicate=match["key"],
                value=match["value"],
                quote=match[0],
                quote_span=match.span(),
                confidence=0.9,
                valid_from_known=False,
                extractor_model=self.id,
                extractor_version=self.version,
            )
            for match in _LINE.finditer(turn.text)
        ]


class WordEmbedder:
    """Vectors as sums of one fixed direction a word: alike where words are shared. `fail` makes it raise `ModelError`."""

    id = "words-1"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.fail = False
        self.calls = 0

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Any:
        """Unit rows; a zero row for a text without words."""
        self.calls += 1
        if self.fail:
            raise ModelError("the word embedder was told to fail")
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokenize(text):
                row += _direction(word)
            length = float(np.linalg.norm(row))
            if length:
                row /= length
        return rows


def _direction(word: str) -> Any:
    seed = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(seed, "big")).standard_normal(DIMENSION).astype(np.float32)
