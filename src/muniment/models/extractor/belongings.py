"""Attributes of the speaker's of which there is one at a time, known to no catalogue: 'my physio is Ada Lind', 我的理发师是….

A definite singular names one thing, so a later value takes the earlier one's place. What there may be several of (a friend, a
hobby) and what is no name, code, number, time or day is left alone.

Belongs here: reading those, and which favourite a preference is about. Does not belong here: attributes of the catalogue
(`attributes`), of other things (`statements`).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.enums import Intent, MemoryType, Scope
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.models.extractor.values import VALUE_CHARS
from muniment.text.language import Language

CONFIDENCE: Final = 0.86
_FACE: Final = re.compile(r"\s*(?:[:;=]-?[()DPp/|]|[\U0001F300-\U0001FAFF\u2600-\u27BF\u200d\ufe0f]+)\s*$")
_STILL: Final = re.compile(r"\bstill\b|仍|还是|依然|依旧", re.IGNORECASE)
"""Words that confirm what holds: nothing is replaced by them."""


@dataclass(frozen=True, slots=True)
class _Words:
    stated: re.Pattern[str]
    changed: re.Pattern[str]
    joins: re.Pattern[str]
    value: re.Pattern[str]
    tail: re.Pattern[str]
    many: re.Pattern[str]
    favourite: re.Pattern[str]


def belonging(unit: Unit, policy: Policy) -> Draft | None:
    """The one value that an attribute of the speaker's has, told or changed, or None."""
    words = _words(unit.words.language)
    changed = words.changed.fullmatch(unit.said)
    match = changed or words.stated.fullmatch(unit.said)
    if match is None or (not changed and not words.joins.search(unit.said)):
        return None
    noun = canonical(match["noun"]).removesuffix("的")
    start, end = match.span("value")
    value = words.tail.sub("", _FACE.sub("", unit.original(start, end)).strip(PUNCTUATION)).strip(PUNCTUATION)
    if not noun or canonical(noun) in policy.names or _several(noun, unit) or len(value) > VALUE_CHARS:
        return None
    if words.joins.fullmatch(noun) or not words.value.fullmatch(value):
        return None
    starts = match.groupdict().get("starts")
    # What a team is called is no word for the whole of it: it is what this speaker says of theirs.
    shared = unit.words.pattern("scope", "team").search(unit.view) and not _once(unit)
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=f"{noun} {starts}" if starts else noun,
        value=value,
        subject=canonical(match["who"]) if match["who"] else None,
        confidence=CONFIDENCE,
        sole=True,
        intent=Intent.CHANGE if changed else Intent.ASSERT,
        scope=Scope.USER if shared else None,
    )


def _several(noun: str, unit: Unit) -> bool:
    """Whether there may be several of it at a time: friends, hobbies, relatives."""
    words = _words(unit.words.language)
    kin = unit.words.language == "zh" and unit.words.compiled("(?:大|二|小|老)?@relation").fullmatch(noun)
    return bool(kin or words.many.search(noun))


def _once(unit: Unit) -> bool:
    return bool(unit.words.pattern("scope", "once").search(unit.view))


def single(draft: Draft, unit: Unit, policy: Policy) -> Draft:
    """A draft of another reader, told as a change where what it names is one thing that the catalogue does not know, or the
    favourite of a kind: the later takes the earlier one's place."""
    draft = favourite(draft, unit)
    name = canonical(draft.predicate or "")
    if draft.intent is not Intent.ASSERT or _STILL.search(unit.said) or not name or draft.tense == "past" or draft.sole:
        return draft
    words = _words(unit.words.language)
    match = words.stated.fullmatch(unit.said)
    if match is None or not words.joins.search(unit.said) or _several(canonical(match["noun"]), unit):
        return draft
    known = policy.names.get(name)
    if known is None:
        return replace(draft, sole=True)
    if policy.predicates[known].single or draft.memory_type is not MemoryType.FACT or draft.qualifier:
        return draft
    # Of many cars, 'my car' is one: what it is can only be said anew.
    return replace(draft, qualifier=canonical(match["noun"]).removesuffix("的"), sole=True)


def favourite(draft: Draft, unit: Unit) -> Draft:
    """A preference that names the favourite of a kind, told which kind: of that there is one, and the later takes its place."""
    if draft.memory_type is not MemoryType.PREFERENCE or draft.predicate != "likes" or draft.qualifier:
        return draft
    match = _words(unit.words.language).favourite.match(unit.said)
    if match is None:
        return draft
    value = unit.original(match.end(), len(unit.said)).strip(PUNCTUATION)
    return replace(draft, qualifier=canonical(f"favourite {match['noun']}"), value=value or draft.value, sole=True)


@cache
def _words(language: Language) -> _Words:
    path = Path(__file__).parent / "lexicons" / "belongings.toml"
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    names = ("is", "changed", "joins", "value", "tail", "favourite")
    compiled = {name: re.compile(data[name], re.IGNORECASE) for name in names}
    many = re.compile(rf"(?:^|\s|的){data['many']}$", re.IGNORECASE)
    return _Words(
        stated=compiled["is"],
        changed=compiled["changed"],
        joins=compiled["joins"],
        value=compiled["value"],
        tail=compiled["tail"],
        many=many,
        favourite=compiled["favourite"],
    )
