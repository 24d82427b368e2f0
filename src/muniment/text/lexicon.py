"""The lexicons that come with the library, read once on first use.

Belongs here: loading of `lexicons/*.toml`. Does not belong here: what their words mean to the detectors.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def lexicon(name: str) -> dict[str, Any]:
    """The lexicon of that name as plain data."""
    return tomllib.loads((Path(__file__).parent / "lexicons" / f"{name}.toml").read_text(encoding="utf-8"))


def whole_words(words: list[str], *, plural: bool = False) -> str:
    """A pattern (source) for English words or phrases, matched whole in any case; each may itself be a pattern.

    The look-ahead on the first letter spares most positions of a text the long alternation behind it.
    """
    suffix = "s?" if plural else ""
    return rf"(?<![A-Za-z-])(?=[{_firsts(words)}])(?i:{'|'.join(words)}){suffix}(?![A-Za-z])"


def anywhere(words: list[str]) -> str:
    """A pattern (source) for Chinese words, which have no boundary to match at."""
    return rf"(?=[{_firsts(words)}])(?:{'|'.join(words)})"


def _firsts(words: list[str]) -> str:
    """The characters with which a match of any of the words can begin, for a character class."""
    firsts = set()
    for word in words:
        if word.startswith("("):
            firsts.update(_group_firsts(word))
        else:
            firsts.update((word[0].lower(), word[0].upper()))
    return "".join(sorted(firsts))


def _group_firsts(word: str) -> set[str]:
    """First characters of a word that begins with a group of alternatives, such as '(?:a|b)c'."""
    body = word[word.index(":") + 1 : word.index(")")] if word.startswith("(?:") else ""
    options = body.split("|")
    simple = body and all(option and option[0].isalnum() for option in options)
    optional = word[word.index(")") + 1 : word.index(")") + 2] == "?" if body else False
    if not simple or optional:
        raise ValueError(f"a word of a lexicon must begin with a letter or a plain group, not {word!r}")
    return {case for option in options for case in (option[0].lower(), option[0].upper())}
