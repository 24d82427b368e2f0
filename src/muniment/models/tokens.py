"""Exact token counts, offline, in the encodings of common models.

Belongs here: counting. Does not belong here: budgets and what is dropped to keep them (retrieval).
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from muniment.domain.errors import InvalidInput

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")
"""The encodings whose tables come with the package; another one raises."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_loading = threading.Lock()


class QuicktokCounter:
    """Counts tokens as `encoding` cuts them. Markers such as <|endoftext|> inside a text are counted as ordinary text.

    The table loads on first use (0.5 s, once a process); then a million characters take 5 ms. Raises `InvalidInput` for
    an unknown encoding.
    """

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in ENCODINGS:
            raise InvalidInput(f"unknown encoding {encoding!r}; known are {', '.join(ENCODINGS)}")
        self.encoding = encoding

    def count(self, text: str) -> int:
        """The number of tokens. A lone surrogate, which no encoding holds, counts as the replacement character."""
        table = _table(self.encoding)
        try:
            return int(table.count(text))
        except TypeError:
            return int(table.count(_SURROGATE.sub("\ufffd", text)))


def _table(encoding: str) -> Any:
    """The encoding's table, loaded by one thread only: two that start together would each read it."""
    with _loading:
        return _read(encoding)


@lru_cache(maxsize=len(ENCODINGS))
def _read(encoding: str) -> Any:
    import quicktok

    return quicktok.get_encoding(encoding)
