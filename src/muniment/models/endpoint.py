"""One HTTP endpoint of a model: JSON posted, repeated after faults that pass.

Belongs here: the request, its repetition, and what of a failure may be shown. Does not belong here: what is asked and how an
answer is read (`openai_embedder`, `reranker`).
"""

from __future__ import annotations

import contextlib
import math
import random
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from muniment.domain.errors import ModelError

if TYPE_CHECKING:
    import httpx

LONGEST_WAIT = 60.0
"""Seconds waited before a repetition at most, whatever the server asks for."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may well succeed."""


class Endpoint:
    """A URL that takes JSON, with its key. Threads may share one; `close` gives connections back.

    `timeout` is in seconds, for each of at most `attempts` requests; between them it waits `backoff` seconds, doubled each
    time, or what the server's Retry-After says, up to `longest`. The key is sent, never shown: not in an error or a log.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        timeout: float,
        attempts: int,
        backoff: float,
        longest: float = LONGEST_WAIT,
    ) -> None:
        self.url = url
        self._key = key
        self._timeout = timeout
        self._attempts = attempts
        self._backoff = backoff
        self._longest = longest
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def post(self, body: Mapping[str, Any]) -> httpx.Response:
        """The answer with status 200. Repeats after faults that pass; raises `ModelError` for the rest and the last."""
        import httpx

        fault = ""
        for attempt in range(self._attempts):
            told: str | None = None
            try:
                answer = self._open().post(self.url, json=dict(body))
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise ModelError(f"{self.url} is not a URL of an endpoint: {error}") from None
            except httpx.TransportError as error:
                fault = f"{type(error).__name__}: {error}"
            else:
                if answer.status_code == httpx.codes.OK:
                    return answer
                fault = self._fault(answer)
                if answer.status_code not in PASSING:
                    raise ModelError(f"{self.url} refused: {fault}")
                told = answer.headers.get("retry-after")
            if attempt + 1 < self._attempts:
                time.sleep(waited(told, self._backoff * 2**attempt, self._longest))
        raise ModelError(f"{self.url} failed {self._attempts} times, last with {self._hidden(fault)}")

    def close(self) -> None:
        """Closes the connections; another call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(timeout=self._timeout, headers=headers)
            return self._client

    def _fault(self, answer: httpx.Response) -> str:
        """Status and the server's own words, shortened."""
        try:
            said = answer.json()["error"]
            said = said["message"] if isinstance(said, dict) else said
        except (ValueError, KeyError, TypeError):
            said = answer.text
        return self._hidden(f"HTTP {answer.status_code} {str(said)[:300]}".strip())

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat in their complaints."""
        return text.replace(self._key, "***") if self._key else text


def waited(told: str | None, otherwise: float, longest: float = LONGEST_WAIT) -> float:
    """Seconds to wait: what Retry-After says (a number or a date), else the back-off with up to half as much again.

    The jitter keeps many clients that failed together from coming back together.
    """
    seconds = otherwise * (1 + random.random() / 2)
    if told is not None:
        try:
            seconds = float(told)
        except ValueError:
            with contextlib.suppress(ValueError, TypeError):
                seconds = (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), longest) if math.isfinite(seconds) else otherwise
