"""Long definite descriptions in English: 'the brand of paint we use for the fence is Kelm', 'the town where I live is Aske'.

A clause of the speaker's tells the thing from all others, so that what it is called is a fact of theirs. Where the catalogue
or a plain noun has a name for the slot (`residence`, 'my dentist'), it is filed there.

Belongs here: those. Does not belong here: 'the port of the gateway is …' (`attribute_statements_en`), the words
(lexicons/things_en.toml).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.domain.enums import Intent, MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.attribute_statements_en import plainly_named
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.statements import NAME_CHARS, VALUE
from muniment.models.extractor.things_en import lexicon
from muniment.models.extractor.units import PUNCTUATION, Unit

CONFIDENCE: Final = 0.86
_CATALOGUED: Final = ("residence", "employer")
_LEAST_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class _Words:
    described: re.Pattern[str]
    clause: re.Pattern[str]
    self_: re.Pattern[str]
    never: re.Pattern[str]
    small: re.Pattern[str]
    bygone: re.Pattern[str]
    slots: tuple[tuple[str, re.Pattern[str]], ...]
    role: re.Pattern[str]
    roles: re.Pattern[str]
    wish: re.Pattern[str]


def described(unit: Unit) -> Draft | None:
    """What the thing that a unit describes is called, or None."""
    if unit.words.language != "en":
        return None
    words = _words()
    match = words.described.fullmatch(unit.said.strip(PUNCTUATION))
    if match is None:
        return None
    phrase = match["np"].strip()
    if len(phrase) > NAME_CHARS or len(phrase.split()) < _LEAST_WORDS or not _is_own(phrase, match["head"], words):
        return None
    value = unit.original(*match.span("value")).strip(PUNCTUATION)
    if match["small"] and not (words.small.search(phrase) and plainly_named(value)):
        return None
    slot = _slot(phrase, words)
    changed = bool(match["now"] or match["now2"])
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=slot[1],
        subject=slot[0],
        value=value,
        confidence=CONFIDENCE,
        intent=Intent.CHANGE if changed else Intent.ASSERT,
        tense="change" if changed else "present",
    )


def _is_own(phrase: str, head: str, words: _Words) -> bool:
    """Whether a clause or purpose of the speaker's tells the thing from others, and the thing is one that lasts."""
    if words.bygone.search(phrase):
        return False
    clause = words.clause.search(phrase)
    if clause is None or not clause.start() or words.never.search(phrase[: clause.start()].strip()):
        return False
    return bool(words.self_.search(phrase)) or (head.lower() in ("my ", "our ") and bool(words.wish.fullmatch(phrase)))


def _slot(phrase: str, words: _Words) -> tuple[str | None, str]:
    """(subject, predicate): the catalogue's, the plain noun's ('dentist'), else the whole phrase's own."""
    for predicate, pattern in words.slots:
        if pattern.fullmatch(phrase):
            return None, predicate
    role = words.role.fullmatch(phrase)
    if role and words.roles.search(role["role"]):
        return None, canonical(role["role"])
    wish = words.wish.fullmatch(phrase)
    if wish:
        return None, canonical(wish["wish"])
    return phrase, VALUE


@cache
def _words() -> _Words:
    data = lexicon()
    said = data["described"]
    number = r"\d[\w:.,/-]*(?: ?(?:am|pm|(?!and\b|or\b|but\b)[a-z]+)){0,2}"
    names = {
        name: re.compile(said[name], re.IGNORECASE)
        for name in ("self", "never", "bygone", "role", "roles", "wish", "small")
    }
    value = data["value"].removesuffix(")") + rf"|{number}|(?P<small>[a-z][\w.+-]{{1,20}}))"
    return _Words(
        described=re.compile(
            rf"(?P<head>{said['head']})(?P<np>[^:;,?!]{{8,140}}?) (?:is|are)(?P<now> now)?(?: currently| still| called| named)? "
            rf"{value}(?P<now2>{data['now']})?",
            re.IGNORECASE,
        ),
        clause=re.compile(rf"\b(?:{said['own']}|{said['purpose']})", re.IGNORECASE),
        self_=names["self"],
        never=names["never"],
        small=names["small"],
        bygone=names["bygone"],
        slots=tuple((name, re.compile(said[name], re.IGNORECASE)) for name in _CATALOGUED),
        role=names["role"],
        roles=names["roles"],
        wish=names["wish"],
    )
