"""First-person declarations and those about the speaker's people and animals, by the rule tables of the lexicons.

Belongs here: matching the rules, whose statement it is, habits. Does not belong here: the wording (`lexicons/`), what 'my
<attribute> is' fills from the policy's own catalogue (`attributes`).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.domain.enums import Intent, MemoryType, Scope
from muniment.models.extractor.drafts import REPLACES, Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.models.extractor.values import VALUE_CHARS, read_value

_SEATED: Final = ("likes", "dislikes")
_EMPLOYED: Final = "employer"
_TASTES: Final = ("likes", "dislikes")
_SCHOOLED: Final = "education"
"""Where somebody of the speaker's starts at a school, they learn there."""


def declared(unit: Unit) -> Draft | None:
    """What the unit declares by the first rule whose pattern and value both fit."""
    for rule in unit.words.rules:
        for pattern in rule.patterns:
            match = pattern.match(unit.said)
            if match is None:
                continue
            value = read_value(rule.shape, unit, match.span("value"))
            if value is None:
                continue
            if rule.predicate in _TASTES and unit.words.pattern("values", "not_taste").match(value.text):
                continue
            who = match.groupdict().get("who")
            memory_type = rule.memory_type
            if who is not None and memory_type is MemoryType.PREFERENCE:
                memory_type = MemoryType.FACT
            at_school = who is not None and unit.words.pattern("values", "school").search(value.text)
            ended = rule.tense == "ended"
            return Draft(
                memory_type=memory_type,
                predicate=_SCHOOLED if rule.predicate == _EMPLOYED and at_school else rule.predicate,
                value=f"no longer {value.text}" if ended else value.text,
                subject=subject_of(who) if who else None,
                confidence=rule.confidence,
                tense="change" if ended else rule.tense,
                intent=Intent.CHANGE if ended else Intent.ASSERT,
                metadata={**value.metadata, REPLACES: value.text} if ended else value.metadata,
            )
    return None


def subject_of(who: str) -> str:
    """The canonical noun phrase of somebody or something of the speaker's: 'my older sister' is \"user's older sister\"."""
    name = re.sub(r"^(?:my|our)\s+", "user's ", who.strip(PUNCTUATION), flags=re.IGNORECASE)
    return re.sub(r"^我(?:的|们的?|家的?)?", "我", name)


def habit(unit: Unit) -> Draft | None:
    """A habit or standing intention: 'I usually …', 'from now on I …', 我一般…, 以后我…."""
    words = unit.words
    opener = unit.view[unit.body : unit.head]
    if words.pattern("scope", "lasting").search(opener) and not re.fullmatch(r"\W*always\W*", opener):
        match = words.pattern("habits", "standing").match(unit.said)
        if match and _speaks_of_self(unit) and _sound(unit, match):
            return Draft(memory_type=MemoryType.PREFERENCE, confidence=0.88, scope=None if _once(unit) else Scope.USER)
    used = "used" if words.language == "en" else "habit"
    match = words.pattern("habits", "habit").match(unit.said) or words.pattern("habits", used).match(unit.said)
    if match and _sound(unit, match):
        return Draft(memory_type=MemoryType.PREFERENCE, confidence=0.88)
    match = words.pattern("habits", "schedule").match(unit.said)
    if match and _sound(unit, match):
        return Draft(
            memory_type=MemoryType.FACT,
            predicate="activity",
            value=unit.original(*match.span("value")).strip(PUNCTUATION),
            confidence=0.84,
        )
    return None


def _speaks_of_self(unit: Unit) -> bool:
    return bool(re.match(r"(?:i|we)(?:'|\b)|我|本人|咱", unit.said, re.IGNORECASE))


def _once(unit: Unit) -> bool:
    return bool(unit.words.pattern("scope", "once").search(unit.view))


def _sound(unit: Unit, match: re.Match[str]) -> bool:
    """Whether what follows the adverb is a habit rather than a thought, a feeling or a tale."""
    value = match["value"].strip()
    if unit.words.pattern("values", "anaphora").search(value):
        return False
    if not 2 <= len(value) <= VALUE_CHARS or unit.words.pattern("habits", "not_habit").match(value):
        return False
    return not unit.words.pattern("values", "pointing").match(value)
