"""Attributes of the speaker's of which there is one at a time, though no catalogue knows them: 'my physio is Ada Lind', 我的理发师是….

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
from muniment.domain.enums import Intent, MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.models.extractor.values import VALUE_CHARS
from muniment.text.language import Language

CONFIDENCE: Final = 0.86


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
    value = words.tail.sub("", unit.original(start, end).strip(PUNCTUATION)).strip(PUNCTUATION)
    if not noun or canonical(noun) in policy.names or words.many.search(noun) or len(value) > VALUE_CHARS:
        return None
    if words.joins.fullmatch(noun) or not words.value.fullmatch(value):
        return None
    starts = match.groupdict().get("starts")
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=f"{noun} {starts}" if starts else noun,
        value=value,
        subject=canonical(match["who"]) if match["who"] else None,
        confidence=CONFIDENCE,
        intent=Intent.CHANGE,
    )


def favourite(draft: Draft, unit: Unit) -> Draft:
    """A preference that names the favourite of a kind, told which kind: of that there is one, and the later takes its place."""
    if draft.memory_type is not MemoryType.PREFERENCE or draft.predicate != "likes" or draft.qualifier:
        return draft
    match = _words(unit.words.language).favourite.match(unit.said)
    if match is None:
        return draft
    return replace(draft, qualifier=canonical(f"favourite {match['noun']}"), intent=Intent.CHANGE)


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
