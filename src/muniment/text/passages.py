"""Cutting long text where it breaks by itself.

Belongs here: passages (what a document becomes evidence as) and chunks (what is embedded at a time). Does not belong here:
clauses (`clauses`), tokens (`tokenizer`).
"""

from __future__ import annotations

import re
from typing import Final

PASSAGE_CHARS: Final = 1200
"""About 300 English tokens: one citation that can be read at a glance."""

CHUNK_CHARS: Final = 350
"""What retrieval-recipe.md measured for long turns: embed pieces, take the best."""

_BREAKS: Final = (
    re.compile(r"\n\s*\n"),
    re.compile(r"(?<=[。！？!?])|(?<=\.)\s+|\n"),
    re.compile(r"(?<=[，、；,;:：])|\s+"),
)
_SENTENCE_END: Final = re.compile(r"[。！？!?\n]|\.(?=\s)")


def spans(text: str, limit: int) -> list[tuple[int, int]]:
    """Half-open spans that cover the text but for white space between them, none over `limit` characters.

    Breaks at the last paragraph before the limit, else sentence, else comma or space, else at the limit itself.
    """
    found: list[tuple[int, int]] = []
    start, size = 0, len(text)
    while start < size:
        end = size if size - start <= limit else start + _break(text[start : start + limit])
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            found.append((start + lead, start + len(piece.rstrip())))
        start = end
    return found


def _break(window: str) -> int:
    """Where to end a piece inside a full window; never at its very start."""
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(window) if match.end() > len(window) // 3]
        if ends:
            return ends[-1]
    return len(window)


def pieces(text: str, limit: int) -> list[str]:
    """The text of `spans`."""
    return [text[start:end] for start, end in spans(text, limit)]


def beginning(text: str, limit: int) -> str:
    """As many whole sentences from the start as fit in `limit` characters; none of one that does not: what is cut inside a
    sentence may lose its 'not'."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, limit)]
    return text[: ends[-1]] if ends else ""
