"""Traditional Chinese characters as simplified ones, so that one set of wordings reads both.

Belongs here: the fold, character for character, so that every offset stays. Does not belong here: words that differ between
regions; showing text to anybody (what is kept is what was written).
"""

from __future__ import annotations

from functools import cache

from muniment.text.lexicon import lexicon


def simplified(text: str) -> str:
    """The text with traditional characters as simplified ones; same length."""
    return text if text.isascii() else text.translate(_table())


@cache
def _table() -> dict[int, int]:
    data = lexicon("simplified")
    return {ord(old): ord(new) for old, new in zip(data["traditional"], data["simplified"], strict=True)}
