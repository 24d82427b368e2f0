"""Whether a sentence of a model's says no more, no less and nothing else than the words it rests on.

Belongs here: the comparison, and `frame.toml`. Does not belong here: what is done with a sentence that says more (`checks`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.statement import canonical
from muniment.text.folding import narrow
from muniment.text.identifiers import identifiers
from muniment.text.language import language

_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[\u3400-\u4dbf\u4e00-\u9fff]+")
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_ENDINGS: Final = ("ing", "ed", "es", "s", "'s", "d")
LONGEST: Final = 6
"""Characters of the longest piece that a run of Chinese is compared by."""
_NUMBER: Final = re.compile(r"\d")


def faithful(sentence: str, ground: str) -> bool:
    """Whether the sentence is in the ground's language, takes every word, number and identifier from it (words that only make a
    sentence aside), and denies as much as it does."""
    if language(sentence) != language(ground):
        return False
    if negations(sentence) % 2 != negations(ground) % 2:
        return False
    there = {(item.kind, item.value) for item in identifiers(ground)}
    if any((item.kind, item.value) not in there for item in identifiers(sentence)):
        return False
    return all(_from(word, ground) for word in _WORD.findall(_plain(sentence)))


def shared(one: str, other: str) -> bool:
    """Whether two texts have a word in common that is more than what any sentence needs; two characters together, of Chinese."""
    return bool(_telling(one) & _telling(other))


def _telling(text: str) -> set[str]:
    data, found = _data(), set[str]()
    for word in _WORD.findall(_plain(text)):
        if _HAN.fullmatch(word):
            found |= {word[at : at + 2] for at in range(len(word) - 1)} - data["zh"]["frame"]
        elif word not in data["en"]["frame"] and word not in data["en"]["negative"]:
            found.add(_stem(word))
    return found


def negations(text: str) -> int:
    """How many words of a text deny, in both languages together."""
    plain = _plain(text)
    denying: frozenset[str] = _data()["en"]["negative"]
    english: int = sum(word in denying or word.endswith("n't") for word in _WORD.findall(plain))
    chinese: int = len(_denying().findall("".join(_HAN.findall(plain))))
    return english + chinese


def speaker(subject: str | None) -> bool:
    """Whether a subject is the one who speaks."""
    return subject is None or canonical(subject) in _data()["speaker"]["names"]


def denies(predicate: str) -> bool | None:
    """Whether a predicate says that something is not so; None for one that says nothing of it."""
    kinds = _data()["predicates"]
    return True if predicate in kinds["negative"] else False if predicate in kinds["positive"] else None


def polite(text: str) -> bool:
    """Whether a text is nothing but thanks, greetings and assent, in either language."""
    words = _data()["polite"]
    for word in _WORD.findall(_plain(text)):
        if not (_composed(word, words["zh"]) if _HAN.fullmatch(word) else word in words["en"]):
            return False
    return True


def _plain(text: str) -> str:
    return narrow(text).replace("’", "'").casefold()


def _from(word: str, ground: str) -> bool:
    """Whether a word is the ground's, or one that only makes a sentence."""
    plain = _plain(ground)
    if _NUMBER.match(word):
        return any(word == other for other in _WORD.findall(plain))
    if _HAN.fullmatch(word):
        return _of_han(word, plain)
    data = _data()["en"]
    if word in data["frame"] or word in data["negative"] or word.endswith("n't"):
        return True
    stems = {_stem(other) for other in _WORD.findall(plain)}
    return _stem(word) in stems


def _of_han(run: str, ground: str) -> bool:
    """Whether a run of Chinese characters can be put together from pieces of the ground and words that only make a sentence."""
    data = _data()["zh"]
    own = {
        run[a:b] for a in range(len(run)) for b in range(a + 1, min(len(run), a + LONGEST) + 1) if run[a:b] in ground
    }
    return _composed(run, own | data["frame"] | data["negative"])


def _composed(run: str, pieces: Collection[str]) -> bool:
    """Whether a run of characters can be put together from pieces of at most `LONGEST`."""
    ends = {0}
    for start in range(len(run)):
        if start in ends:
            ends |= {start + size for size in range(1, LONGEST + 1) if run[start : start + size] in pieces}
    return len(run) in ends


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


@cache
def _data() -> dict[str, Any]:
    data = tomllib.loads((Path(__file__).parent / "frame.toml").read_text(encoding="utf-8"))
    words = {
        name: {key: frozenset(text.split()) for key, text in data[name].items()} for name in ("en", "zh", "polite")
    }
    return {**data, **words}


@cache
def _denying() -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, _data()["zh"]["negative"]), key=len, reverse=True)))
