"""Statements and the slots they compete for.

Belongs here: the identity of a slot, and what the fold needs to know of one telling. Does not belong here: the fold itself
(`fold.py`) and how statements are stored.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from muniment.domain.enums import Standing

SELF: Final = frozenset({"user", "the user", "i", "me", "my", "myself", "self", "我", "用户", "本人", "自己"})
"""Subjects, in canonical spelling, that mean the user."""


def canonical(text: str) -> str:
    """One spelling for comparison: NFKC, case-folded, white space collapsed, no full stop at the end."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    spaced = " ".join(folded.split())
    return spaced.rstrip(".。!！ ") or spaced


def subject_key(subject: str | None) -> str:
    """The one spelling of a subject; every word for the user, and none at all, is 'user'."""
    found = canonical(subject or "")
    return "user" if not found or found in SELF else found


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotKey:
    """What a statement is about: canonical subject, predicate and qualifier ('' where there is none)."""

    subject: str
    predicate: str
    qualifier: str = ""

    @classmethod
    def of(cls, *, subject: str | None, predicate: str | None, qualifier: str | None = None) -> SlotKey | None:
        """The key in canonical spelling, or None for a statement without a predicate, which stands alone."""
        if not predicate or not canonical(predicate):
            return None
        return cls(
            subject=subject_key(subject),
            predicate=canonical(predicate),
            qualifier=canonical(qualifier or ""),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One telling of one value for one slot: what the fold takes in.

    `id` is the fact it belongs to (a fact told twice brings two statements). `start` None is 'since ever', `end` None is
    'open'. A statement with `placed` false has no known time at all and stays beside the timeline.
    """

    id: UUID
    value: str
    start: datetime | None = None
    end: datetime | None = None
    trust: int = 0
    placed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What the fold gives out: over [start, end) the fact `id` stands as `standing`; `weakened` where one of the grounds it
    was derived from no longer holds while another does (`grounding.py`)."""

    id: UUID
    value: str
    start: datetime | None
    end: datetime | None
    standing: Standing
    weakened: bool = False
