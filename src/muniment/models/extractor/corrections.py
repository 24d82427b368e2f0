"""What a correction is of: the statement of the turn before, with another value, or one of its many values.

Belongs here: that. Does not belong here: what asks for a correction (`requests`), who may correct (governance).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from muniment.domain.enums import ActorType, Intent
from muniment.domain.records import Candidate
from muniment.models.extractor.drafts import REPLACES, Draft
from muniment.ports.models import Turn
from muniment.text.amounts import amounts, plain_number

Extract = Callable[[Turn], list[Candidate]]

_DIGITS: Final = re.compile(r"\d[\d.,'’]*\d|\d")


def earlier_of(turn: Turn, extract: Extract) -> Candidate | None:
    """The one statement of the user's last turn that a bare correction can mean; None where there is none or several."""
    last = next((text for actor, text in reversed(turn.before) if actor is ActorType.USER), None)
    if last is None:
        return None
    held = extract(replace(turn, text=last, before=()))
    slots = [item for item in held if item.predicate is not None and item.intent is not Intent.FORGET]
    return slots[0] if len(slots) == 1 else None


def in_place(item: Candidate, turn: Turn, extract: Extract) -> Candidate:
    """A correction of one of many values, told which of them it takes the place of: the one that was said just before."""
    earlier = earlier_of(turn, extract) if item.intent is Intent.CORRECT and item.predicate is not None else None
    if earlier is None or earlier.value is None or earlier.value == item.value:
        return item
    if (earlier.subject, earlier.predicate, earlier.qualifier) != (item.subject, item.predicate, item.qualifier):
        return item
    return replace(item, metadata={**item.metadata, REPLACES: earlier.value})


def restated(earlier: Candidate, value: str, turn: Turn, extract: Extract) -> Draft | None:
    """The earlier statement with another value in its place; None where that says nothing of the same slot ('No, I don't')."""
    start, end = _place(earlier, value)
    if start < 0 or not value:
        return None
    content = earlier.content[:start] + value + earlier.content[end:]
    read = extract(replace(turn, text=content, before=()))
    again = [item for item in read if item.predicate == earlier.predicate]
    if len(again) != 1 or again[0].subject != earlier.subject or again[0].value == earlier.value:
        return None
    return Draft(
        memory_type=earlier.memory_type,
        content=content,
        predicate=earlier.predicate,
        value=again[0].value,
        subject=earlier.subject,
        qualifier=earlier.qualifier,
        explicit=True,
        intent=Intent.CORRECT,
        metadata=again[0].metadata,
    )


def _place(earlier: Candidate, value: str) -> tuple[int, int]:
    """Where the old value stands in the earlier words, -1 where it does not: an amount with its currency, unless the new one
    names none, which then keeps it."""
    old, said = earlier.value or "", earlier.content
    spans = [span for span, _ in amounts(said) if old and old in plain_number(said[slice(*span)])]
    if not spans:
        start = said.find(old) if old else -1
        return start, start + len(old)
    digits = None if any(True for _ in amounts(value)) else _DIGITS.search(said, *spans[0])
    return digits.span() if digits else spans[0]
