"""Rerankers behind an HTTP endpoint, and the names they are found by: POST {base_url}/rerank, as Cohere, Jina, vLLM, TEI-style
gateways and LocalAI have it.

    {model, query, documents, top_n, return_documents: false}  →  {results: [{index, relevance_score}]}

Belongs here: the request and the check of the answer. Does not belong here: what is reranked (retrieval/rerank), repetition
after faults (`endpoint`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Final, cast

from muniment.config import Settings
from muniment.domain.errors import InvalidInput, MissingExtra, ModelError
from muniment.models.endpoint import Endpoint
from muniment.models.plain import usable
from muniment.ports.models import Reranker

GROUP: Final = "muniment.rerankers"
"""Entry points of this group are callables `(spec, settings) -> Reranker`; `spec` is the whole string asked for."""

BASE_URLS: Final[Mapping[str, str | None]] = {
    "cohere": "https://api.cohere.com/v1",
    "jina": "https://api.jina.ai/v1",
    "http": None,
}
"""The base URL of each provider that the settings need not name."""

CHARS: Final = 8_000
"""Characters of a text that are sent: more than the usual models read of one."""
LONGEST_WAIT: Final = 2.0
"""Seconds waited before a repetition at most: somebody waits for the answer, and the order without it is no worse than before."""


class HttpReranker:
    """A reranking model behind an endpoint. Threads may share one; `close` gives connections back.

    `timeout` is in seconds, for each of at most `attempts` requests. Raises `MissingExtra` without httpx. The key is sent,
    never shown.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 10.0,
        attempts: int = 2,
        backoff: float = 0.2,
    ) -> None:
        if find_spec("httpx") is None:
            raise MissingExtra("a reranker over HTTP needs httpx: pip install 'muniment[rerank]'")
        self.id = f"rerank:{model}"
        self._model = model
        self._endpoint = Endpoint(
            f"{base_url.rstrip('/')}/rerank",
            api_key,
            timeout=timeout,
            attempts=attempts,
            backoff=backoff,
            longest=LONGEST_WAIT,
        )

    def __repr__(self) -> str:
        return f"HttpReranker({self._model!r}, {self._endpoint.url!r})"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """How well each text answers the query, in the order of the texts; higher is better, None where the model gave no
        score for one or it has nothing to read. Raises `ModelError` when the endpoint cannot be reached, refuses, or answers
        something else.
        """
        cleaned = [usable(text, CHARS) for text in texts]
        places = [place for place, text in enumerate(cleaned) if text]
        question = usable(query, CHARS)
        scores: list[float | None] = [None] * len(texts)
        if not places or not question:
            return scores
        body = {
            "model": self._model,
            "query": question,
            "documents": [cleaned[place] for place in places],
            "top_n": len(places),
            "return_documents": False,
        }
        try:
            found = _scores(self._endpoint.post(body).json(), len(places))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError(f"{self._endpoint.url} did not answer with a ranking: {error}") from error
        for index, score in found.items():
            scores[places[index]] = score
        return scores

    def close(self) -> None:
        """Closes the connections; another call opens new ones."""
        self._endpoint.close()


def reranker_from(spec: str | Reranker | None, settings: Settings) -> Reranker | None:
    """The reranker `spec` names: `cohere:MODEL`, `jina:MODEL`, `http:MODEL` (with the setting reranker_base_url), an entry
    point, or `none`; an object passes through. None takes the settings' own. Nothing is asked yet.

    Raises `InvalidInput` for an unknown name or an object that cannot rerank, `MissingExtra` where httpx is not installed.
    """
    chosen = settings.reranker if spec is None else spec
    if chosen is None or chosen == "none":
        return None
    if not isinstance(chosen, str):
        if not callable(getattr(chosen, "rerank", None)):
            raise InvalidInput(f"{type(chosen).__name__} is not a reranker: it needs rerank(query, texts)")
        return chosen
    name, _, model = chosen.partition(":")
    if name in BASE_URLS:
        base = settings.reranker_base_url or BASE_URLS[name]
        if not model or base is None:
            raise InvalidInput(f"{name} needs a model ({name}:MODEL)" + ("" if base else " and reranker_base_url"))
        return HttpReranker(model, base, settings.reranker_api_key)
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    for point in found:
        if point.name == name:
            factory = cast("Callable[[str, Settings], Reranker]", point.load())
            return factory(chosen, settings)
    known = [*(f"{each}:MODEL" for each in BASE_URLS), "none", *(point.name for point in found)]
    raise InvalidInput(f"unknown reranker {chosen!r}; known are {', '.join(known)}")


def _scores(answer: Any, count: int) -> dict[int, float]:
    """The scores by index. A server may leave texts out; one that names a text twice, or one that was not sent, is not
    answering this question: raises `ValueError`."""
    found: dict[int, float] = {}
    for item in answer["results"]:
        index, score = item["index"], item["relevance_score"]
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count or index in found:
            raise ValueError(f"index {index!r} is none of its own among {count} texts")
        if isinstance(score, (bool, str)) or not math.isfinite(score):
            raise ValueError(f"the score {score!r} is not a number")
        found[index] = float(score)
    if not found:
        raise ValueError("it scores none of the texts")
    return found
