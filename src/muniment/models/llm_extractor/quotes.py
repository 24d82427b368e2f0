"""Finding a quote in the text it is said to come from, whatever a model did to its spelling, and giving back the text's own span.

Belongs here: that. Does not belong here: what follows where it is not there (`checks`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from muniment.text.folding import INVISIBLE

MOST_CHARS: Final = 2_000
"""Characters of a quote that are looked for; a longer one quotes no statement."""
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "「": '"', "」": '"', "‹": "<", "›": ">"})
_EDGE: Final = " \t\r\n\"'“”‘’「」.。…,，;；:：!！?？"


class Quotable:
    """A text in which quotes are looked for. Spans are half-open, in characters of the text as given."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded, self._at = _folded(text)

    def span(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands: letter by letter, else whatever its white space, width, quotation marks and capitals; None
        where it does not, or only inside other words."""
        wanted = quote.strip()
        if not wanted or len(wanted) > MOST_CHARS:
            return None
        for exact in (wanted, wanted.strip(_EDGE)):
            if exact and (found := next(self._exact(exact), None)):
                return found
        return next(self._alike(wanted), None) or next(self._alike(wanted.strip(_EDGE)), None)

    def _exact(self, wanted: str) -> Iterator[tuple[int, int]]:
        for match in re.finditer(re.escape(wanted), self.text):
            if _whole(self.text, *match.span()):
                yield match.span()

    def _alike(self, wanted: str) -> Iterator[tuple[int, int]]:
        folded, _ = _folded(wanted)
        if not folded:
            return
        for match in re.finditer(re.escape(folded), self._folded):
            start, end = self._at[match.start()], self._at[match.end() - 1] + 1
            if _whole(self.text, start, end):
                yield start, end


def says(text: str, words: str) -> bool:
    """Whether a text holds the words, whatever their spelling, and not only inside other words."""
    return Quotable(text).span(words) is not None


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without white space, invisible characters and capitals, width and quotation marks made one; with the offset in
    the text that each character comes from."""
    seen: list[str] = []
    positions: list[int] = []
    for place, char in enumerate(text):
        if char.isspace() or INVISIBLE.match(char):
            continue
        for each in unicodedata.normalize("NFKC", char).translate(_QUOTES).casefold():
            if not each.isspace():
                seen.append(each)
                positions.append(place)
    return "".join(seen), positions


def _whole(text: str, start: int, end: int) -> bool:
    """Whether no word of a script with spaces is cut at either end."""
    return not (_inside(text, start) or _inside(text, end))


def _inside(text: str, place: int) -> bool:
    before, after = text[place - 1 : place] if place else "", text[place : place + 1]
    return bool(before and after) and _spaced(before) and _spaced(after)


def _spaced(char: str) -> bool:
    return char.isalnum() and not "\u0e00" <= char <= "\u0eff" and not char >= "\u2e80"
