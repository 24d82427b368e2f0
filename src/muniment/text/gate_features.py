"""A sentence as numbers, for the learned detector of the gate.

Words (as stems), pairs of words, runs of Chinese characters, and the sequence of what the words are about
(`lexicons/concepts.toml`) are hashed to places of one table. Each counts twice: for any source, and for the kind of source
it came from, so that what is common to both is learned once (Daumé 2007, "Frustratingly easy domain adaptation").

Belongs here: the features, the same in training and use; a change to anything here needs the model trained anew. Does not
belong here: weights and thresholds (`gate.py`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from zlib import crc32

import numpy as np
import Stemmer

from muniment.text.lexicon import lexicon

BITS: Final = 16
PLACES: Final = 1 << BITS
REACH: Final = 6
"""Concepts this many apart or nearer make a pair."""
TOKENS: Final = 160
"""Tokens of one unit that are read; units are sentences."""
LONGEST: Final = 7
"""Characters of the longest Chinese entry."""

_TOKEN: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>，。；！？、]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,4}|[A-Za-z]+(?:['’-][A-Za-z]+)*"
    r"|\d[\d.,:/-]*|[\u3400-\u9fff]+|[?？!！:：\"“”「」{}<>\[\]#*=|]",
    re.ASCII,
)
_SALT: Final = {"user": np.uint32(0x9E3779B1), "content": np.uint32(0x85EBCA77)}


def places(text: str, source: str) -> np.ndarray:
    """The places of the table that a text touches, sorted, each once; `source` is 'user' or 'content'. Empty for a text
    without words."""
    tokens = [_token(match[0]) for match in _TOKEN.finditer(text)][:TOKENS]
    names = _names(tokens)
    if not names:
        return np.zeros(0, dtype=np.uint32)
    common = np.fromiter((crc32(name.encode("utf-8", "surrogatepass")) for name in names), np.uint32, len(names))
    own = (common ^ (common >> np.uint32(15))) * _SALT[source]
    return np.unique(np.concatenate((common, own)) >> np.uint32(32 - BITS))


def concepts(text: str) -> list[str]:
    """What the words of a text are about, in order of appearance."""
    return _concepts([_token(match[0]) for match in _TOKEN.finditer(text)][:TOKENS])


def _token(word: str) -> str:
    """A word as its stem, an address or number as what it is; Chinese and marks as they stand."""
    if word[0].isdigit():
        return "<number>"
    if "@" in word:
        return "<mail>"
    if word.startswith(("http", "www.")) and "." in word:
        return "<link>"
    return _stem(word.replace("’", "'").lower()) if word[0].isascii() and word[0].isalpha() else word


def _names(tokens: list[str]) -> set[str]:
    found: set[str] = set()
    before, second = "^", ""
    for token in tokens:
        if token[0] >= "\u3400":
            for size in (1, 2, 3, 4):
                found.update(f"z{token[start : start + size]}" for start in range(len(token) - size + 1))
            found.add(f"b{before[-1]}|{token[0]}")
            before, second = token, ""
            continue
        found.add(f"w{token}")
        found.add(f"b{before} {token}")
        if second:
            found.add(f"s{second} {token}")
        before, second = token, before
    sequence = _concepts(tokens)
    found.update(f"c{name}" for name in sequence)
    for place, name in enumerate(sequence):
        found.update(f"p{name}>{other}" for other in sequence[place + 1 : place + 1 + REACH] if other != name)
        if place + 2 < len(sequence):
            found.add(f"t{name}>{sequence[place + 1]}>{sequence[place + 2]}")
    return found


def _concepts(tokens: list[str]) -> list[str]:
    english, chinese = _tables()
    found: list[str] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token[0] >= "\u3400":
            found += _of_run(token, chinese)
            place += 1
            continue
        if token[0] == "<":
            found.append(token)
            place += 1
            continue
        for size in (3, 2, 1):
            named = english.get(" ".join(tokens[place : place + size]))
            if named and place + size <= len(tokens):
                found += named
                break
        place += size if named else 1
    return found


def _of_run(run: str, table: dict[str, tuple[str, ...]]) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(run):
        for size in range(min(LONGEST, len(run) - place), 0, -1):
            named = table.get(run[place : place + size])
            if named:
                found += named
                break
        else:
            size = 1
        place += size
    return found


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Which concepts an English phrase of stems and a Chinese word stand for."""
    english: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, tuple[str, ...]] = {}
    for name, part in lexicon("concepts").items():
        for phrase in part["en"]:
            key = " ".join(_stem(word) for word in phrase.split())
            english[key] = tuple(dict.fromkeys((*english.get(key, ()), name)))
        for word in part["zh"]:
            key = _stem(word.lower()) if word.isascii() else word
            table = english if word.isascii() else chinese
            table[key] = tuple(dict.fromkeys((*table.get(key, ()), name)))
    return english, chinese


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))
