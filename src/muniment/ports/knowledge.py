"""Knowledge: what the application keeps elsewhere (documents, wikis, search services) and plugs in.

Contract. A source is asked with the question in words and how many passages are wanted, from a thread of its own and under a
deadline; it gives passages, best first. It may block, fail or hang: that costs its own passages and never the call. What it
gives is shown beside what is remembered, marked as from outside: not governed, never a fact.

Belongs here: what is asked of a source. Does not belong here: how it is asked (retrieval/channels/knowledge).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from muniment.domain.passages import Passage

Given = Passage | str | Mapping[str, Any]
"""A passage as a source may give it: a `Passage`; its words; or a mapping with `content` (or `text`) and, where known, `id`,
`title`, `locator` (or `url`), `version`, `score` and `metadata`."""


class KnowledgeSource(Protocol):
    """Any callable of this shape. A coroutine function will do too: it is run in the source's thread."""

    def __call__(self, question: str, k: int) -> Sequence[Given]: ...


class SearchableSource(Protocol):
    """An object that is searched instead of called."""

    def search(self, question: str, k: int) -> Sequence[Given]: ...
