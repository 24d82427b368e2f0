"""Whether a text says a phrase, word for word: 'tea' is said in 'green tea', not in 'team'.

Belongs here: that comparison, alike in scripts with and without spaces. Does not belong here: likeness of meaning (index/).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from muniment.text.identifiers import identifiers


def spelt(text: str) -> str:
    """One spelling for comparison: NFKC, case-folded, white space collapsed, trimmed of punctuation at the ends."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split()).strip(".,;:!?。，；：！？、\"'“”‘’「」 ")


def mentions(text: str, phrase: str) -> bool:
    """Whether the text holds the phrase as whole words. In scripts without spaces every place is a word's edge."""
    wanted = spelt(phrase)
    return bool(wanted) and _whole(wanted).search(_folded(text)) is not None


def exact_keys(phrase: str) -> frozenset[tuple[str, str]]:
    """The phrase as exact keys (kind, normalised value), where all of it is one: a phone or order number, an address."""
    plain = phrase.strip()
    return frozenset((item.kind, item.value) for item in identifiers(plain) if item.span == (0, len(plain)))


@lru_cache(maxsize=256)
def _whole(wanted: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if _spaced(wanted[0]) else ""
    after = r"(?!\w)" if _spaced(wanted[-1]) else ""
    return re.compile(before + re.escape(wanted) + after)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def _spaced(char: str) -> bool:
    """Whether a letter belongs to a script whose words stand apart: Han, kana, Thai, Lao, Khmer, Burmese do not."""
    return char.isalnum() and not (
        "\u0e00" <= char <= "\u0eff"
        or "\u1000" <= char <= "\u109f"
        or "\u1780" <= char <= "\u17ff"
        or "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or char >= "\U00020000"
    )
