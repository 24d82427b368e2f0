"""Whose a key in a text is, and what a code is the number of: "Ben's phone is 138…", 小王的订单号是ORD-7, "ORD-8 is Anna's".

Read off the words, never guessed: a key with nobody named beside it has no owner.

Belongs here: owners, labels, and which keys of one text go together. Does not belong here: the keys themselves
(`identifiers`), and who is asked about (retrieval).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.domain.statement import canonical
from muniment.text.clauses import clauses
from muniment.text.finding import MASK
from muniment.text.folding import narrow
from muniment.text.identifiers import KINDS, Identifier, identifiers
from muniment.text.lexicon import lexicon
from muniment.text.owners import SELF, either, owner_of
from muniment.text.saying import Said, asked, said

MASKED: Final = ""
"""The value of a key that was masked: of what kind it was is all that is known."""

_END: Final = re.compile(r"[.!?](?=\s|$)|[;\n。！？；]")
_REACH: Final = 80
_LABEL_REACH: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """A key of a text: who is named with it (`person`: canonical; `SELF` for the speaker; None where nobody is), how it is
    `said` that it is theirs, and what it is the number of (a label of the lexicon; None for keys that say so themselves, or
    where no word does)."""

    key: Identifier
    person: str | None
    label: str | None
    clause: int
    said: Said = "so"

    @property
    def owner(self) -> str | None:
        """Whose it is said to be; None also where that is past, asked, supposed, doubted or denied."""
        return self.person if self.said in ("so", "new") else None


def belongings(text: str) -> list[Belonging]:
    """Every identifier of the text in reading order, those that were masked too, with its owner and label. Never raises on
    any text."""
    plain = narrow(text).replace("'", "’")
    masks = [
        Identifier(kind=match["kind"], value=MASKED, span=match.span())
        for match in MASK.finditer(text)
        if match["kind"] in KINDS
    ]
    keys = sorted([*identifiers(text), *masks], key=lambda item: item.span) if masks else identifiers(text)
    ends = [match.end() for match in _END.finditer(plain)] if keys else []
    pieces = clauses(plain) if keys else []
    starts = [piece.start for piece in pieces]
    found = []
    for place, key in enumerate(keys):
        start, end = key.span
        clause = bisect_right(ends, start)
        begin = max(ends[clause - 1] if clause else 0, start - _REACH)
        stop = min(next((at for at in ends[clause:] if at >= end), len(plain)), end + _REACH)
        last, following = _neighbours(keys, place)
        floor = begin if last is None else max(begin, last.span[1])
        roof = stop if following is None else min(stop, following.span[0])
        before, after = plain[floor:start], plain[end:roof]
        # The bracket of 'Ben (138…)' belongs to the number's spelling.
        opened = "(" if plain[start] == "(" else ""
        found.append(
            Belonging(
                key=key,
                person=owner_of(plain[begin:start] + opened, after),
                label=_label(before, after) if key.kind == "code" or _doubled(keys, place) else None,
                clause=clause,
                said=said(before, after, kind=key.kind, question=asked(pieces, starts, start)),
            )
        )
    return found


SHORT: Final = 400
"""Characters of what may be told as past by its words alone: a longer text tells of more."""


def told_as_past(text: str) -> bool:
    """Whether all that a short text says of whose its keys are is told as past: 'Ann's phone was 138… before'."""
    if len(text) > SHORT or (not any(map(str.isdigit, text)) and "@" not in text):
        return False
    told = [item.said for item in belongings(text) if item.person is not None]
    return bool(told) and set(told) == {"past"}


def held_still(text: str, key: tuple[str, str]) -> bool:
    """Whether a text does not tell of a key as past, asked, supposed, doubted or denied wherever it names it."""
    told = of_key(belongings(text), key)
    return not told or any(item.said in ("so", "new") for item in told)


def _doubled(keys: Sequence[Identifier], place: int) -> bool:
    """Whether a telephone number may be a code as well."""
    return any(other.span == keys[place].span for other in keys[place + 1 : place + 2])


def _neighbours(keys: Sequence[Identifier], place: int) -> tuple[Identifier | None, Identifier | None]:
    """The keys before and behind one, but for those that are the same number read as another kind."""
    span = keys[place].span
    before, behind = place - 1, place + 1
    while before >= 0 and keys[before].span == span:
        before -= 1
    while behind < len(keys) and keys[behind].span == span:
        behind += 1
    return keys[before] if before >= 0 else None, keys[behind] if behind < len(keys) else None


def named(owner: str, speaker: str | None) -> str:
    """Who an owner is: the speaker, where the words say 'my' and the speaker has a name."""
    return canonical(speaker) if owner == SELF and speaker else owner


def beside(text: str, key: tuple[str, str], kinds: Collection[str]) -> list[Belonging]:
    """The keys of these kinds that a text sets beside one key: in its own clause, each given to the nearest key of the same
    kind as that one ('138… has ORD-1, 139… has ORD-2'); else in the whole text, if it speaks of no other of that kind.

    One whose named owner differs is another's."""
    every = belongings(text)
    mine = of_key(every, key)
    if not mine:
        return []
    key = (key[0], mine[0].key.value)
    owner = {item.owner for item in mine if item.owner is not None}
    found: list[Belonging] = []
    for clause in dict.fromkeys(item.clause for item in mine):
        found += _assigned([item for item in every if item.clause == clause], key, kinds)
    rivals = {item.key.value for item in every if item.key.kind == key[0]} - {key[1]}
    if not found and (not rivals or key[0] in kinds):
        found = [item for item in every if item.key.kind in kinds and (item.key.kind, item.key.value) != key]
    return [item for item in found if item.owner is None or not owner or item.owner in owner]


def _assigned(items: Sequence[Belonging], key: tuple[str, str], kinds: Collection[str]) -> list[Belonging]:
    """What of one clause is the key's: all, where it is the only one of its kind there; else what stands between it and the
    next of its kind, on the side on which the first of them has it."""
    heads = [place for place, item in enumerate(items) if item.key.kind == key[0] and item.key.kind not in kinds]
    if len({items[place].key.value for place in heads}) < 2:
        return [item for item in items if item.key.kind in kinds and (item.key.kind, item.key.value) != key]
    follows = heads[0] == 0 or not any(item.key.kind in kinds for item in items[: heads[0]])
    found = []
    for at, place in enumerate(heads):
        if items[place].key.value != key[1]:
            continue
        if follows:
            span = range(place + 1, heads[at + 1] if at + 1 < len(heads) else len(items))
        else:
            span = range(heads[at - 1] + 1 if at else 0, place)
        found += [items[other] for other in span if items[other].key.kind in kinds]
    return found


def of_key(items: Sequence[Belonging], key: tuple[str, str]) -> list[Belonging]:
    """Those of a text's keys that are this one; of a masked one, the only one of its kind there."""
    mine = [item for item in items if (item.key.kind, item.key.value) == key]
    masked = [item for item in items if item.key.kind == key[0] and item.key.value == MASKED]
    return mine or (masked if len(masked) == 1 else [])


def label_of(word: str) -> str | None:
    """The label whose word this is."""
    spelt = canonical(word)
    return next((name for name, words in lexicon("belonging")["labels"].items() if spelt in words), None)


def _label(before: str, after: str) -> str | None:
    """The label whose word stands nearest: before the code first, then right behind it."""
    near = [(match.end(), name) for name, match in _labels(before[-_LABEL_REACH:])]
    if near:
        return max(near)[1]
    behind = [(match.start(), name) for name, match in _labels(after[:_LABEL_REACH])]
    return min(behind)[1] if behind else None


def _labels(text: str) -> list[tuple[str, re.Match[str]]]:
    return [(name, match) for name, pattern in _label_patterns() for match in pattern.finditer(text)]


@cache
def _label_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(either(words))) for name, words in lexicon("belonging")["labels"].items())
