"""Requests to forget that name no thing: what was said just before, or everything that is held of the speaker.

Belongs here: finding them in a turn. Does not belong here: requests that name what is to be forgotten (extractors), what is
not to be kept in the first place (`standing`), what is hidden (ingestion).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from muniment.text.clauses import Clause, clauses, own_words
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

Reach = Literal["here", "last", "everything"]
_ASKED: Final[tuple[Literal["last", "everything"], ...]] = ("last", "everything")
CHARS: Final = 200
"""Characters of the longest clause that is read as such a request."""
LEAST: Final = 9
LEAST_ZH: Final = 4
_ENDS: Final = " \t\r\n,，.。;；:：!！?？~～…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """text[start:end] asks it; `reach` says what is to be forgotten: what the same turn says before it ('here'), the turn before
    ('last'), or everything."""

    reach: Reach
    start: int
    end: int


def retractions(text: str) -> list[Retraction]:
    """Every such request in the speaker's own words, in reading order; [] for nearly every text. Linear in its length."""
    folded = text.casefold()
    if not any(need in folded for need in lexicon("retractions")["needs"]):
        return []
    plain = narrow(own_words(text))
    read = ((clause, _reach(plain, clause)) for clause in clauses(plain))
    found = []
    for clause, reach in read:
        if reach is not None:
            here = reach == "last" and _says_something(text[: clause.start])
            found.append(Retraction(reach="here" if here else reach, start=clause.start, end=clause.end))
    return found


def _says_something(text: str) -> bool:
    """Whether the words before a request are more than 'Oh no.' or 不对."""
    letters = "".join(char for char in text if char.isalnum())
    return len(letters) >= (LEAST if letters.isascii() else LEAST_ZH)


def _reach(plain: str, clause: Clause) -> Literal["last", "everything"] | None:
    said = plain[clause.start : clause.end].strip(_ENDS)
    if len(said) > CHARS:
        return None
    return next((reach for reach in _ASKED if _pattern(reach).fullmatch(said)), None)


@cache
def _pattern(reach: Literal["last", "everything"]) -> re.Pattern[str]:
    data = lexicon("retractions")
    # What a name stands for holds no name itself.
    words = {"@ask": data["ask"]["en"], "@polite_zh": data["ask"]["zh"], "@drop_zh": data["ask"]["drop_zh"]}
    english = [f"{item}{data['ask']['end_en']}" for item in data[reach]["en"]]
    chinese = [f"{item}{data['ask']['end_zh']}" for item in data[reach]["zh"]]
    names = re.compile("|".join(words))
    filled = (names.sub(lambda match: words[match[0]], item) for item in (*english, *chinese))
    return re.compile("|".join(f"(?:{item})" for item in filled), re.IGNORECASE)
