"""Statements of the speaker's own that name their end: 'I'm at my aunt's until 3 May', 未来十天我在….

They fill no slot of the catalogue, yet are worth holding while they last, and what was said is no longer true behind their end.

Belongs here: reading those. Does not belong here: statements with a slot, whose end is read with them (`drafts`).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.enums import MemoryType, Scope
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.text.language import Language
from muniment.text.timex_spellings import number

_LOOSE: Final = re.compile(r"\btemporar(?:y|ily)\b|临时|暂时", re.IGNORECASE)
LEAST: Final = 8
"""Characters of a statement that says something beside its end; half of it in Chinese."""


@dataclass(frozen=True, slots=True)
class _Words:
    own: re.Pattern[str]
    stretch: re.Pattern[str]
    span: re.Pattern[str]
    counts: dict[str, int]
    units: dict[str, int]


def temporary(unit: Unit) -> Draft | None:
    """The statement with the instant it ends at, or None where it names none or is not the speaker's own."""
    words = _words(unit.words.language)
    said = unit.said.strip(PUNCTUATION)
    if len(said) < LEAST // (2 if unit.words.language == "zh" else 1) or unit.occurred is None:
        return None
    if not words.own.match(_behind_time(unit, words)):
        return None
    ends = _end(unit, words)
    if ends is None or ends <= unit.occurred.at:
        return None
    # An end that is named says how long it holds; 'temporary' adds nothing to that.
    scope = Scope.USER if _LOOSE.search(unit.view) else None
    return Draft(memory_type=MemoryType.FACT, confidence=0.84, ends=ends, scope=scope)


def ending(draft: Draft, unit: Unit) -> Draft:
    """A draft of another reader with the end that 'this week' or 'for the next ten days' gives it."""
    if draft.ends is not None or draft.tense == "past" or draft.memory_type is MemoryType.RULE:
        return draft
    words = _words(unit.words.language)
    if not (words.stretch.search(unit.view) or words.span.search(unit.view)):
        return draft
    ends = _end(unit, words)
    return replace(draft, ends=ends) if ends is not None and unit.occurred and ends > unit.occurred.at else draft


def _behind_time(unit: Unit, words: _Words) -> str:
    """The statement without a time that stands before it ('until Friday I …', 'for the next ten days we …')."""
    start = unit.body
    stretch = words.stretch.match(unit.view, start)
    if stretch:
        start = stretch.end()
    elif unit.times and unit.times[0].span[0] <= start:
        start = unit.times[0].span[1]
    return unit.view[start:].strip(PUNCTUATION)


def _end(unit: Unit, words: _Words) -> datetime | None:
    """When it ends: 'until' a time, a stretch of days from now, or the end of the week or month it is said in."""
    if unit.occurred is None:
        return None
    until = [item.end for item in unit.times if item.role == "until" and item.end is not None]
    if until:
        return until[0]
    stretch = words.stretch.search(unit.view)
    if stretch:
        count, kind = stretch["count"] or stretch["count2"], stretch["unit"] or stretch["unit2"]
        days = (words.counts.get(count.lower()) or number(count)) * words.units[kind.lower()]
        return _midnight(unit, days + 1)
    if words.span.search(unit.view):
        ends = [item.end for item in unit.times if item.role == "during" and item.end is not None]
        return ends[0] if len(ends) == 1 else None
    return None


def _midnight(unit: Unit, days: int) -> datetime | None:
    """The start of the civil day that many days on, in UTC."""
    if unit.occurred is None:
        return None
    day = unit.occurred.local().replace(hour=0, minute=0, second=0, microsecond=0)
    return (day + timedelta(days=days)).astimezone(unit.occurred.at.tzinfo)


@cache
def _words(language: Language) -> _Words:
    path = Path(__file__).parent / "lexicons" / "temporary.toml"
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    own, stretch, span = (re.compile(data[name], re.IGNORECASE) for name in ("own", "stretch", "span"))
    return _Words(own=own, stretch=stretch, span=span, counts=data["counts"], units=data["units"])
