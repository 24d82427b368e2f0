"""Whether two wordings speak of one thing: 'the billing service' and 'the language our team uses for the billing service',
婚宴酒店 and 我们的婚宴酒店.

Words, not likeness: every content word of one must stand in the other, Chinese ones in one piece. What asks or points
('who', 'the thing about', 是谁, 那件事) says nothing of the thing.

Belongs here: that comparison. Does not belong here: whether two statements say the same (`sameness`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from muniment.domain.records import Fact
from muniment.domain.statement import SELF, canonical
from muniment.governance.sameness import reading
from muniment.text.identifiers import identifiers

_POINTING: Final = frozenset({
    "who", "whom", "whose", "what", "which", "where", "when", "how", "why", "this", "that", "these", "those", "here", "there",
    "name", "named", "call", "called", "thing", "stuff", "matter", "tell", "told", "said", "say", "mention", "about",
    "you", "your", "we", "us", "our", "he", "his", "she", "her", "they", "their", "any", "some", "all", "one", "ones",
    "from", "with", "for", "in", "on", "at", "by", "and", "or", "as", "new", "old", "current", "currently", "now",
})  # fmt: skip
_POINTING_ZH: Final = re.compile(
    r"是谁|是什么|叫什么|叫啥|在哪里?|在哪儿|是哪|哪[个家里儿一种]?|几[路号点个]?|多少|什么|的?名字|的?事情?|这件|那件|关于|我们|你们|他们|咱们"
    r"|现在|目前|当前|[我你他她它的了呢吧呀啊这那]"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]+")
GENERIC: Final = "value"
"""The predicate of a statement that only says what something is."""


@dataclass(frozen=True, slots=True)
class _Named:
    words: frozenset[str]
    pieces: tuple[str, ...]

    @property
    def says_enough(self) -> bool:
        return any(len(word) > 2 or word.isdigit() for word in self.words) or any(
            len(piece) > 1 for piece in self.pieces
        )


def _named(text: str) -> _Named:
    plain = canonical(text)
    latin = " ".join(_HAN.sub(" ", plain).split())
    words = {word for word in reading(latin)[0] if word not in _POINTING and word != "#"} | set(reading(latin)[2])
    return _Named(frozenset(words), tuple(_HAN.findall(_POINTING_ZH.sub(" ", plain))))


def names(thing: str, text: str) -> bool:
    """Whether a text speaks of a thing: all of the thing's words are among its own."""
    wanted, said = _named(thing), _named(text)
    joined = "".join(said.pieces)
    return wanted.says_enough and wanted.words <= said.words and all(piece in joined for piece in wanted.pieces)


def alike(one: str, other: str) -> bool:
    """Whether two values are of one kind by their looks: the same kind of identifier, a name and a name, a number and a number.
    A colour does not take the place of a version."""
    return _looks(one) == _looks(other)


def _looks(value: str) -> str:
    kinds = {item.kind for item in identifiers(value)}
    if kinds:
        return min(kinds)
    if any(char.isdigit() for char in value):
        return "number"
    if _HAN.search(value):
        return "han"
    return "name" if any(word[:1].isupper() for word in value.split()) else "word"


def one_thing(first: str, second: str) -> bool:
    """Whether one of two names of things is within the other."""
    return names(first, second) or names(second, first)


def thing_of(*, subject: str | None, predicate: str | None, qualifier: str | None) -> str:
    """The words that say what a statement is about: its subject unless that is the user, its predicate unless it is the
    generic one, its qualifier."""
    about = "" if not subject or canonical(subject) in SELF else subject
    attribute = "" if not predicate or predicate == GENERIC else predicate
    return " ".join(part for part in (about, qualifier or "", attribute) if part)


def fact_thing(fact: Fact) -> str:
    """What a fact is about, in words."""
    return thing_of(subject=fact.subject, predicate=fact.predicate, qualifier=fact.qualifier)
