"""What the speaker does or does not do, and counts: 'I eat meat', 'I don't eat meat any more', 'we have 14 servers in the lab'.

Whether, and how many, has one answer at a time: the words without the negation or the count are what two statements compete for.

Belongs here: those. Does not belong here: likes and dislikes (`declarations`, whose opposites the catalogue knows).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.enums import MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.declarations import subject_of
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.text.language import Language

DIET: Final = "diet"
IS: Final = "is"
"""The predicate of what somebody is or is not; what that is stands in the qualifier."""
_ARTICLE: Final = re.compile(r"^(?:an?|the)\s(?:(?:full|total|real|complete|big|huge|true)\s)?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d[\d.,]*\s?")


@dataclass(frozen=True, slots=True)
class _Words:
    practice: re.Pattern[str]
    tail: re.Pattern[str]
    counted: re.Pattern[str]
    identity: re.Pattern[str] | None
    diet: re.Pattern[str] | None
    stems: dict[str, str]


def practice(unit: Unit) -> Draft | None:
    """What the speaker does, or a count of theirs, or None. What they do not do is read as a diet or habit already."""
    words = _words(unit.words.language)
    said = words.tail.sub("", unit.said.strip(PUNCTUATION))
    match = words.practice.fullmatch(said)
    if match:
        return Draft(
            memory_type=MemoryType.PREFERENCE,
            predicate=DIET,
            value=said,
            qualifier=_what(match, words),
            confidence=0.84,
            sole=True,
        )
    match = words.diet.fullmatch(said) if words.diet else None
    if match and match["not"]:
        value = f"not {match['what']}"
        what = canonical(match["what"])
        kind = MemoryType.PREFERENCE
        return Draft(memory_type=kind, predicate=DIET, value=value, qualifier=what, confidence=0.84, sole=True)
    match = words.identity.fullmatch(said) if words.identity else None
    if match:
        return _identity(match)
    match = words.counted.fullmatch(said)
    if match is None:
        return None
    name = canonical(f"{match.groupdict().get('place') or ''} {match['verb']}{match['what']}")
    return Draft(memory_type=MemoryType.FACT, predicate=name, value=match["count"], confidence=0.84, sole=True)


def _identity(match: re.Match[str]) -> Draft:
    """Whether somebody is something: the speaker, or who is named."""
    who = match["who"]
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=IS,
        qualifier=canonical(_ARTICLE.sub("", match["what"])),
        value=f"{'not ' if match['not'] else ''}{match['what']}",
        subject=None if who.lower() in ("i", "we") else subject_of(who),
        confidence=0.84,
        sole=True,
    )


def one_answer(draft: Draft, unit: Unit) -> Draft:
    """A diet or an activity of another reader, told what it is an answer to, so that a later answer takes its place."""
    if draft.qualifier or draft.subject not in (None, "user"):
        return draft
    words = _words(unit.words.language)
    if draft.predicate == DIET:
        said = words.tail.sub("", unit.said.strip(PUNCTUATION))
        kept = words.diet.fullmatch(said) if words.diet else None
        if kept:
            return replace(draft, qualifier=canonical(kept["what"]), sole=True)
        match = words.practice.fullmatch(said)
        return draft if match is None else replace(draft, qualifier=_what(match, words), sole=True)
    if draft.predicate == "activity" and draft.value and _NUMBER.search(draft.value):
        return replace(draft, qualifier=canonical(_NUMBER.sub("", draft.value)), sole=True)
    return draft


def _what(match: re.Match[str], words: _Words) -> str:
    """The practice in its plain form: 'eating meat' is 'eat meat'."""
    first, _, rest = canonical(match["what"]).partition(" ")
    return f"{words.stems.get(first, first)} {rest}".strip()


@cache
def _words(language: Language) -> _Words:
    path = Path(__file__).parent / "lexicons" / "practices.toml"
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    practice, tail, counted = (re.compile(data[name], re.IGNORECASE) for name in ("practice", "tail", "counted"))
    identity, diet = (re.compile(data[name], re.IGNORECASE) if name in data else None for name in ("identity", "diet"))
    return _Words(practice=practice, tail=tail, counted=counted, identity=identity, diet=diet, stems=data["stems"])
