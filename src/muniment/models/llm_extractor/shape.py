"""The shape of a model's answer: memories, each with the words it rests on.

Belongs here: the fields, what they are called for the model, and what is read for a value that is nearly right. Does not belong
here: whether an item is true (`checks`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

UNSURE: Final = 0.5
"""The confidence of an item that gives none."""
_NUMBER: Final = re.compile(r"\s*\[?\s*#?(\d{1,4})\s*\]?\s*\Z")


def _type(value: Any) -> Any:
    return "FACT" if value is None else value.strip().upper() if isinstance(value, str) else value


def _act(value: Any) -> Any:
    return "say" if value in (None, "") else value.strip().lower() if isinstance(value, str) else value


def _scope(value: Any) -> Any:
    named = value.strip().upper() if isinstance(value, str) else value
    return named if named in ("USER", "SESSION", "TASK") else None


def _text(value: Any) -> Any:
    """A number for a text is its digits; an empty text is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None if isinstance(value, str) and not value.strip() else value
    return str(value)


def _handle(value: Any) -> Any:
    """'[2]' is 2; what is no number at all names nothing."""
    if value in (None, "", 0):
        return None
    match = _NUMBER.match(value) if isinstance(value, str) else None
    return int(match[1]) if match else value


def _share(value: Any) -> Any:
    """A confidence that is none is no confidence."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return UNSURE
    return number if math.isfinite(number) and 0 <= number <= 1 else UNSURE


Words = Annotated[str | None, BeforeValidator(_text)]


@dataclass
class Memory:
    """One memory."""

    quote: Annotated[str, Field(min_length=1, description="the words of the turn it rests on, copied exactly")]
    type: Annotated[
        Literal["FACT", "PREFERENCE", "CONSTRAINT", "DECISION", "EXPERIENCE", "RULE", "STATUS"], BeforeValidator(_type)
    ] = "FACT"
    act: Annotated[Literal["say", "change", "correct", "forget"], BeforeValidator(_act)] = "say"
    content: Annotated[Words, Field(description="one short sentence in the language of the turn")] = None
    subject: Annotated[Words, Field(description="whom or what it is about; left out for the speaker")] = None
    predicate: Words = None
    value: Annotated[Words, Field(description="the value as the turn has it")] = None
    when: Annotated[Words, Field(description="the words that say since or until when, copied")] = None
    scope: Annotated[Literal["USER", "SESSION", "TASK"] | None, BeforeValidator(_scope)] = None
    known: Annotated[
        int | None, BeforeValidator(_handle), Field(description="the number of the known memory it is about")
    ] = None
    confidence: Annotated[float, BeforeValidator(_share), Field(description="from 0 to 1")] = UNSURE


@dataclass
class Found:
    """The memories found in the turn; an empty list where there are none."""

    memories: list[Memory] = field(default_factory=list)
