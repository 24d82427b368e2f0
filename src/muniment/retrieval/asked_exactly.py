"""What a question asks for exactly: the keys it names, and what it wants of them.

Belongs here: reading such a question. Does not belong here: looking anything up (`channels/exact`), slots asked for by name
(`asked_slots`), and whether a question means a fact (`asked`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.config import Policy
from muniment.domain.statement import canonical
from muniment.retrieval.asked import contains, lexicon
from muniment.text.belonging import label_of
from muniment.text.folding import narrow
from muniment.text.identifiers import canonical_kind, identifiers, normalise
from muniment.text.spellings import spellings

Key = tuple[str, str]
"""A kind of identifier and its value in the one spelling of that kind."""

Span = tuple[int, int]

KEYS: Final = frozenset({"phone", "email", "code", "national_id", "bank_card", "plate", "url"})
"""Kinds that name one thing."""

MARKS: Final = frozenset({"amount", "date", "version"})
"""Kinds that describe many things: they pin what matches where that is little, and answer nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What is asked of a thing or person: `name` as it is told of, the `kind` of key that it is, if it is one, what a code is
    the number of (`label`), and the catalogue's predicates for it."""

    name: str
    kind: str | None = None
    label: str | None = None
    predicates: frozenset[str] = frozenset()

    def is_predicate(self, predicate: str | None) -> bool:
        """Whether a fact of this predicate says it."""
        if not predicate:
            return False
        spelt = canonical(predicate)
        if spelt in self.predicates:
            return True
        named = self.kind is not None and canonical_kind(spelt) == self.kind
        return named and self.fits(next(filter(None, map(label_of, re.split(r"[\s_-]+", spelt))), None))

    def fits(self, label: str | None) -> bool:
        """Whether a key so labelled may be the one asked for: one that is said to be something else may not."""
        return self.label is None or label is None or label == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a question names, each with its span: `keys`, `marks` (amounts, dates, versions), and the codes it may mean
    (`possible`): of those, which are any the store knows."""

    keys: Mapping[Key, Span]
    marks: Mapping[Key, Span]
    possible: Mapping[Key, Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a question wants of the keys it names: an attribute, or whose they are (`owner`); `for_value` says that it wants
    that and nothing more."""

    attribute: Attribute | None = None
    owner: bool = False
    for_value: bool = False


_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER: Final = {lower: upper for upper, lower in _LOWER.items()}


def names(question: str) -> Named:
    """The keys and marks of a question; nothing is guessed at by similarity."""
    found = identifiers(question)
    # A plate is typed in small letters too; in a text that tells of one it is told by its capitals.
    plates = [
        item
        for item in identifiers(question.translate(_UPPER))
        if item.kind == "plate" and not question[item.span[0]].isascii() and item not in found
    ]
    found = [item for item in found if not any(_overlap(item.span, plate.span) for plate in plates)] + plates
    keys: dict[Key, Span] = {(item.kind, item.value): item.span for item in found if item.kind in KEYS}
    possible: dict[Key, Span] = {}
    for spelling, span in spellings(question):
        possible["code", spelling] = span
        if spelling.isdigit() and (number := normalise("phone", spelling)) is not None:
            possible["phone", number] = span
    return Named(
        keys=keys,
        marks={(item.kind, item.value): item.span for item in found if item.kind in MARKS},
        possible={key: span for key, span in possible.items() if key not in keys},
    )


def twins(key: Key, keys: Mapping[Key, Span]) -> list[Key]:
    """The other readings of the same number: 'order 138…' may be an order or the order of a phone."""
    return [other for other, span in keys.items() if other != key and span == keys[key]]


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def wants(question: str, keys: Mapping[Key, Span], policy: Policy) -> Wanted:
    """What the question wants of these keys, which it names at these places."""
    plain = narrow(question).translate(_LOWER).replace("’", "'")
    attribute, label, rest = _attribute(plain, list(keys.values()), policy)
    owner = any(contains(rest, word) for words in lexicon()["owner"].values() for word in words)
    if attribute is None and label is not None and not owner and any(twins(key, keys) for key in keys):
        attribute = label  # 'order 138…': the order of that phone, unless it is an order's number.
    if owner and attribute is not None and all(kind == attribute.kind for kind, _ in keys):
        attribute = None  # 'whose order is ORD-1': the order is the key itself.
    return Wanted(
        attribute=attribute,
        owner=owner and attribute is None,
        for_value=(attribute is not None or owner) and not _more(rest),
    )


def _attribute(
    plain: str, spans: Sequence[tuple[int, int]], policy: Policy
) -> tuple[Attribute | None, Attribute | None, str]:
    """The attribute asked for, what labels a key as a code of some kind, and the question without the keys and these words."""
    rest = plain
    for start, end in spans:
        rest = rest[:start] + "\x00" * (end - start) + rest[end:]
    matches = []
    for word, attribute in attribute_words(policy).items():
        at = rest.find(word)
        while at >= 0:
            if _whole(rest, at, word):
                matches.append((len(word), at, attribute))
            at = rest.find(word, at + 1)
    chosen: Attribute | None = None
    label: Attribute | None = None
    for length, at, attribute in sorted(matches, key=lambda item: (-item[0], item[1])):
        if _labels_a_key(rest, at, at + length, spans):
            if attribute.kind == "code" and label is None and rest[at : at + length].strip():
                label = attribute
            rest = rest[:at] + " " * length + rest[at + length :]
        elif chosen is None and rest[at : at + length].strip():
            chosen = attribute
            rest = rest[:at] + "\x01" * length + rest[at + length :]
    return chosen, label, rest.replace("\x01", " ")


def _whole(text: str, at: int, word: str) -> bool:
    """Whether the word found at a place stands there whole, or in the plural; one in Chinese always does."""
    if not word.isascii():
        return True
    behind = text[at + len(word) : at + len(word) + 3]
    behind = behind.removeprefix("'s") if behind.startswith("'s") else behind.removeprefix("s")
    return not _letter(text[at - 1 : at]) and not _letter(behind[:1])


def _letter(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _labels_a_key(rest: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a word stands right before a key, or right behind it in Chinese (138…这个手机号), and so says what the key is."""
    for first, last in spans:
        if 0 <= first - end <= 24 and _between().fullmatch(rest[end:first]):
            return True
        if last <= start and re.fullmatch(r"\s?(?:这个|那个|这|此)", rest[last:start]):
            return True
    return False


@cache
def _between() -> re.Pattern[str]:
    words = lexicon()["between"]
    either = "|".join(map(re.escape, sorted((*words["en"], *words["zh"]), key=len, reverse=True)))
    return re.compile(rf"(?:{either}|[\s:：#=\"'(\x01,.])*")


def _more(rest: str) -> bool:
    """Whether a question says anything beside its keys, its attribute and the words of asking."""
    words = lexicon()["glue"]
    if set(re.findall(r"[a-z][a-z'-]*", rest)) - set(words["en"]):
        return True
    left = re.sub("|".join(map(re.escape, sorted(words["zh"], key=len, reverse=True))), " ", rest)
    return any(char.isalpha() and not char.isascii() for char in left) or any(map(str.isdigit, left))


def attribute_words(policy: Policy) -> Mapping[str, Attribute]:
    """Every word for an attribute: the lexicon's, and the catalogue's names."""
    table: dict[str, Attribute] = {}
    names = policy.names
    for name, predicate in names.items():
        if len(name) > 1 and not _common(name):
            table[name] = Attribute(name=predicate, predicates=frozenset({predicate}))
    for name, entry in lexicon()["attributes"].items():
        predicates = frozenset(names[word] for word in (name, *entry["words"]) if word in names)
        label = name if entry["kind"] == "code" and name != "code" else None
        for word in entry["words"]:
            table[word] = Attribute(name=name, kind=entry["kind"], label=label, predicates=predicates)
    return table


def _common(name: str) -> bool:
    """Whether a catalogue's name is a word that questions have for other reasons."""
    return name in {"user", "uses", "use", "company", "school", "major"}
