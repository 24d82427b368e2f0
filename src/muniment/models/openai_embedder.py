"""Embeddings from any endpoint that speaks OpenAI's protocol: POST {base_url}/embeddings.

Belongs here: the request and the check of the answer. Does not belong here: its repetition after faults (`endpoint`).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from muniment.domain.errors import MissingExtra, ModelError
from muniment.models.endpoint import Endpoint
from muniment.models.plain import Vectors, encoded

BASE_URL = "https://api.openai.com/v1"
BYTES = 8_000
"""UTF-8 bytes of a text that are sent. A token is at least a byte and the usual models take 8 191: it always fits."""


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint. Threads may share one; `close` gives connections back.

    `dimension`: None takes the model's own, learned from one small request when first asked for; a number is asked of
    the server (`dimensions`) and checked. `timeout` is in seconds, for each of at most `attempts` requests; between
    them it waits `backoff` seconds, doubled each time, or what the server's Retry-After says, up to a minute.

    Raises `MissingExtra` without httpx. The key is sent, never shown: not in `repr`, an error or a log.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        dimension: int | None = None,
        timeout: float = 30.0,
        batch: int = 32,
        attempts: int = 5,
        backoff: float = 0.5,
    ) -> None:
        if find_spec("httpx") is None:
            raise MissingExtra("the embedder openai needs httpx: pip install 'muniment[openai]'")
        self.id = f"openai:{model}"
        self._model = model
        self._asked = dimension
        self._batch = batch
        url = f"{(base_url or BASE_URL).rstrip('/')}/embeddings"
        self._endpoint = Endpoint(url, api_key, timeout=timeout, attempts=attempts, backoff=backoff)

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r}, {self._endpoint.url!r})"

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector. Asks the server once if it was not given; raises `ModelError` when that fails."""
        return self._asked or int(self._ask(["dimension"]).shape[1])

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Vectors:
        """Rows of unit length, float32, (len(texts), dimension); a zero row for text with nothing to embed.

        Raises `ModelError` when the endpoint cannot be reached, refuses, or answers something else.
        """
        return encoded(texts, dimension=self.dimension, limit=BYTES, batch=self._batch, model=self._checked)

    def close(self) -> None:
        """Closes the connections; another call opens new ones."""
        self._endpoint.close()

    def _checked(self, texts: list[str]) -> Vectors:
        rows = self._ask(texts)
        if rows.shape[1] != self.dimension:
            raise ModelError(f"{self.id} gave vectors of {rows.shape[1]} numbers instead of {self.dimension}")
        return rows

    def _ask(self, texts: list[str]) -> Vectors:
        """One vector per text, in order, as the server gave them."""
        body: dict[str, Any] = {
            "model": self._model,
            "input": [text.encode()[:BYTES].decode(errors="ignore") for text in texts],
            "encoding_format": "float",
        }
        if self._asked is not None:
            body["dimensions"] = self._asked
        try:
            return _vectors(self._endpoint.post(body).json(), len(texts))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError(f"{self._endpoint.url} did not answer with embeddings: {error}") from error


def _vectors(answer: Any, count: int) -> Vectors:
    """The embeddings of an answer, each at its index. Raises `ValueError` for all but one sound vector per text."""
    items = answer["data"]
    if len(items) != count:
        raise ValueError(f"{len(items)} vectors for {count} texts")
    # Some servers leave the index out; then the order counts.
    indexes = [item.get("index", place) for place, item in enumerate(items)]
    if sorted(indexes) != list(range(count)):
        raise ValueError("its indexes do not name each text once")
    rows = [_row(item["embedding"]) for _, item in sorted(zip(indexes, items, strict=True), key=lambda pair: pair[0])]
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise ValueError("its vectors are not of one length")
    stacked = np.vstack(rows)
    if not np.isfinite(stacked).all():
        raise ValueError("a vector holds something that is not a finite number")
    return stacked


def _row(embedding: Any) -> Vectors:
    """One vector, given as a list of numbers or as base64 of little-endian float32."""
    if isinstance(embedding, str):
        try:
            return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4").astype(np.float32)
        except binascii.Error as error:
            raise ValueError(f"a vector is neither numbers nor base64 ({error})") from error
    row = np.asarray(embedding, dtype=np.float32)
    if row.ndim != 1:
        raise ValueError("a vector is not a list of numbers")
    return row
