"""Which of the two built-in languages a text is in.

Belongs here: the guess by script. Does not belong here: what differs between the languages (lexicons, tokeniser).
"""

from __future__ import annotations

import re
from typing import Final, Literal

Language = Literal["zh", "en"]

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ebef]")
_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:'[a-z]+)?")
_SHARE: Final = 0.4
"""A Chinese sentence names products and tools in Latin letters; an English one seldom holds a Chinese word."""


def language(text: str) -> Language:
    """'zh' where Chinese characters make up at least two fifths of all characters and Latin words, else 'en'."""
    han = sum(1 for _ in _HAN.finditer(text))
    if not han:
        return "en"
    words = sum(1 for _ in _WORD.finditer(text))
    return "zh" if han >= _SHARE * (han + words) else "en"
