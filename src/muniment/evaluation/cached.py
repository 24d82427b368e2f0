"""An embedder that remembers: the same text is embedded once over many runs of an evaluation.

Vectors are kept in one .npz file for each model, keyed by a digest of kind and text, so that the words themselves are not in
it. They are the model's own numbers, unrounded: a run from the cache gives the figures of a run without.

Belongs here: the proxy. Does not belong here: caching in the product (cache/).
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from muniment.domain.errors import InvalidInput
from muniment.ports.models import Embedder

_DIGEST = 16


class CachedEmbedder:
    """`Embedder` over another one; `save` writes what was added since it was opened."""

    def __init__(self, inner: Embedder, folder: str | Path) -> None:
        """Reads the model's file where there is one. Raises `InvalidInput` for a file that is not such a cache."""
        self.inner = inner
        name = hashlib.sha256(inner.id.encode()).hexdigest()[:16]
        self.path = Path(folder) / f"embeddings-{name}.npz"
        self._held: dict[bytes, Any] = self._read() if self.path.exists() else {}
        self._added = 0

    @property
    def id(self) -> str:
        """The model's own id: its vectors are the same."""
        return self.inner.id

    @property
    def dimension(self) -> int:
        """The model's dimension."""
        return self.inner.dimension

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Any:
        """The model's vectors, those it gave before from memory."""
        if not self.dimension:
            return self.inner.encode(texts, kind)
        keys = [_key(kind, text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._held}
        if missing:
            fresh = np.asarray(self.inner.encode(list(missing.values()), kind), np.float32)
            self._held.update(zip(missing, fresh, strict=True))
            self._added += len(missing)
        if not keys:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([self._held[key] for key in keys])

    def save(self) -> None:
        """Writes the file anew where something was added; another process's additions since may be lost, never garbled."""
        if not self._added:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        keys = np.frombuffer(b"".join(self._held), np.uint8).reshape(-1, _DIGEST)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        with draft.open("wb") as file:
            np.savez(file, id=np.array(self.id), keys=keys, vectors=np.stack(list(self._held.values())))
        draft.replace(self.path)
        self._added = 0

    def _read(self) -> dict[bytes, Any]:
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as data:
                if str(data["id"]) != self.id or data["vectors"].shape != (len(data["keys"]), self.dimension):
                    raise ValueError("made by another model")
                keys, vectors = data["keys"], data["vectors"]
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise InvalidInput(f"{self.path} is not a cache of {self.id} ({error}); delete it to start anew") from error
        return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
