"""Whether a question means a fact by name, so that its likeness need not be asked.

Belongs here: that. Does not belong here: the keys a question names and the values it wants of them (`asked_exactly`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from muniment.config import Policy, shipped_predicates
from muniment.domain.records import Fact
from muniment.domain.statement import canonical, subject_key


@cache
def lexicon() -> Mapping[str, Any]:
    """The words by which questions ask for exact things."""
    text = (resources.files("muniment.retrieval") / "attributes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def contains(question: str, word: str) -> bool:
    """Whether a word stands in a canonical question: whole for Latin script, anywhere for Chinese."""
    if word not in question:
        return False
    if word.isascii():
        return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:s|'s)?(?![a-z0-9])", question) is not None
    return True


@cache
def _shipped() -> frozenset[str]:
    return frozenset(shipped_predicates())


def names_slot(question: str, fact: Fact, policy: Policy) -> bool:
    """Whether a question names what a fact speaks of: a subject other than the user; its predicate, by its own name; one
    of the shipped catalogue by several words (a single one, 'name' or 'order', says too little)."""
    text, predicate = canonical(question), fact.predicate
    if not predicate:
        return False
    if (about := canonical(fact.subject or "user")) != "user" and len(about) > 1 and contains(text, about):
        return True
    if predicate not in _shipped():
        named = [name for name, meant in policy.names.items() if meant == predicate]
        return any(len(name) > 1 and contains(text, name) for name in (predicate, *named))
    spelt = [name for name, meant in policy.names.items() if meant == predicate]
    if fact.qualifier and contains(text, fact.qualifier):
        return any(contains(text, name) for name in spelt)
    return any(contains(text, name) for name in spelt if " " in name or (not name.isascii() and len(name) > 2))


VERBATIM: Final = "verbatim"
"""The predicate of words that were to be kept to the letter."""


_ENGLISH_WHO: Final = r"(?:i|we|me|you|the user|user|he|she|they)"
_CHINESE_WHO: Final = (
    r"(?:^|(?<=[，,。？?、\s]))(?:请问|那|那么|你知道|知道|查查|看看)?(?:我们?|咱们?|用户|他们?|她们?)?"
    r"(?:现在|目前|当前|如今|平时|一般|还|是|都|到底|究竟|的|所){0,3}"
)
WHO: Final = rf"(?:{_ENGLISH_WHO}|{_CHINESE_WHO})"
WHOSE: Final = r"(?:my|our|the user's|user's|his|her|their|your)"


def asks_for(question: str, fact: Fact, policy: Policy) -> bool:
    """Whether a question asks for what a fact of the user says, in one of the catalogue's patterns for it ('where do I live')."""
    entry = policy.predicates.get(fact.predicate or "")
    if entry is None or not entry.questions or subject_key(fact.subject) != "user":
        return False
    text = canonical(question).replace("’", "'")
    return any(_question(pattern).search(text) for pattern in entry.questions)


@cache
def _question(pattern: str) -> re.Pattern[str]:
    spelt = pattern.replace("{whose}", WHOSE).replace("{who}", WHO)
    return re.compile(rf"(?<![a-z]){spelt}" if pattern[:1].isascii() else spelt)


def asks_exactly(question: str) -> bool:
    """Whether a question asks for words as they were kept, to the letter."""
    text = canonical(question)
    return any(contains(text, word) for words in lexicon()["exactly"].values() for word in words)


def meant(question: str, fact: Fact, policy: Policy) -> bool:
    """Whether a question means a fact by name, so that its likeness need not be asked: by its slot, or, where words are
    wanted to the letter, as one that keeps such."""
    to_the_letter = fact.predicate == VERBATIM and asks_exactly(question)
    return to_the_letter or asks_for(question, fact, policy) or names_slot(question, fact, policy)
