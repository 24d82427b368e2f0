"""What a question asks for exactly: the identifiers it names, the attribute it wants of them, the slot it means.

Belongs here: reading the question. Does not belong here: looking anything up (`channels/exact`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from muniment.config import Policy, shipped_predicates
from muniment.domain.records import Fact
from muniment.domain.statement import canonical, subject_key
from muniment.text.identifiers import identifiers

KEYS = frozenset({"phone", "email", "code", "national_id", "bank_card", "plate", "url"})
"""Kinds that name one thing. Amounts, dates and versions describe many, and are matched by keyword."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`keys` are (kind, normalised value) of the identifiers named; `attribute` the kind of key asked for; `predicate` the
    slot asked for; `for_value` whether the question wants the value itself and nothing more."""

    keys: tuple[tuple[str, str], ...]
    attribute: str | None
    predicate: str | None
    for_value: bool


@cache
def _lexicon() -> Mapping[str, Any]:
    text = (resources.files("muniment.retrieval") / "attributes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def contains(question: str, word: str) -> bool:
    """Whether a word stands in a canonical question: whole for Latin script, anywhere for Chinese."""
    if word not in question:
        return False
    if word.isascii():
        return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?:s|'s)?(?![a-z0-9])", question) is not None
    return True


def _longest(question: str, table: Mapping[str, str]) -> str | None:
    found = [word for word in table if contains(question, word)]
    return table[max(found, key=len)] if found else None


def read(question: str, policy: Policy) -> Asked:
    """What the question asks for; nothing in it is guessed at by similarity."""
    text = canonical(question)
    lexicon = _lexicon()
    keys = {(item.kind, item.value) for item in identifiers(question) if item.kind in KEYS}
    attribute = _longest(text, {word: kind for kind, words in lexicon["attributes"].items() for word in words})
    predicate = _longest(text, policy.names)
    asking = any(contains(text, word) for words in lexicon["asking"].values() for word in words)
    return Asked(keys=tuple(sorted(keys)), attribute=attribute, predicate=predicate, for_value=asking)


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
    return any(contains(text, word) for words in _lexicon()["exactly"].values() for word in words)


def meant(question: str, fact: Fact, policy: Policy) -> bool:
    """Whether a question means a fact by name, so that its likeness need not be asked: by its slot, or, where words are
    wanted to the letter, as one that keeps such."""
    to_the_letter = fact.predicate == VERBATIM and asks_exactly(question)
    return to_the_letter or asks_for(question, fact, policy) or names_slot(question, fact, policy)


OWN = re.compile(
    r"(?:^|\b)(?:what(?:'s| is| are)|tell me|show me)\s+my\s+(?:current\s+|usual\s+)?([^,?？]+?)\s*[?？.]*$"
)
OWN_ZH = re.compile(
    r"^(?:请问|告诉我|查一下)?\s*我的?(?:现在|目前|当前|平时)?的?([^，,?？是有]+?)(?:是|有)?(?:什么|多少|哪里|哪儿|几号|哪天|谁)?\s*(?:呢|呀|来着)?[?？]*$"
)


def own_slot(question: str, policy: Policy) -> str | None:
    """The predicate of a question that asks for a value of the asker's own and for nothing else ('what is my phone number?',
    我的电话是多少？); None for any other question, however alike."""
    text = canonical(question)
    match = OWN.search(text) or OWN_ZH.match(text)
    return None if match is None else policy.names.get(match[1].strip())
