"""Drafts: what a reader found in one unit, and how it becomes a candidate.

Belongs here: scope by wording, confidence by hedging, valid time by time expressions. Does not belong here: the readers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from muniment.domain.enums import Basis, Intent, MemoryType, Scope
from muniment.domain.records import Candidate
from muniment.models.extractor.since import lasting_since
from muniment.models.extractor.units import Unit
from muniment.ports.models import Turn
from muniment.text.clauses import FILLER
from muniment.text.timex import TimeExpression

NAME: Final = "builtin"
REPLACES: Final = "replaces"
"""Metadata of a change that ends one value only: which."""
VERSION: Final = "1"
EXPLICIT: Final = 0.95
HEDGED: Final = 0.7
HEARSAY: Final = 0.6
VALID_TIME: Final = "valid_time"
"""Metadata: the time expressions that a candidate's valid time rests on, each with its reference time and other readings."""
CONTENT_CHARS: Final = 480
_COUNTED: Final = re.compile(
    r"\b(?:next|coming|following)\b[\w -]{1,20}\b(?:days|weeks|months|years)\b|接下来|未来|往后", re.IGNORECASE
)
_WIDE: Final = frozenset({MemoryType.CONSTRAINT, MemoryType.RULE, MemoryType.STATUS})
"""Kinds that a 'this time' anywhere in their sentence is about."""
_STOOD_FOR: Final = frozenset(set(MemoryType) - {MemoryType.EXPERIENCE})
"""Kinds that hold for a time, rather than happen at one."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What one unit says. `tense`: present, change (a move, a start), past. `ends`: when it ends, where the reader of the unit
    knows that better than its time expressions. `sole`: its slot has one value at a time, though no catalogue says so."""

    memory_type: MemoryType
    predicate: str | None = None
    value: str | None = None
    subject: str | None = None
    qualifier: str | None = None
    confidence: float = 0.85
    tense: str = "present"
    content: str | None = None
    explicit: bool = False
    stable: bool = True
    scope: Scope | None = None
    intent: Intent = Intent.ASSERT
    ends: datetime | None = None
    sole: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


_NO_NAME: Final = re.compile(
    "(?:必须|应该|应当|不得|规定|要求|决定|打算|需要|禁止|觉得|认为|希望|商定|约定|说好|同意|选择)[^的]|必须$|^决定$"
)
"""Words of will and duty: what holds one is a clause, no name of an attribute."""


def misnamed(draft: Draft) -> bool:
    """Whether a draft's slot is named by a clause rather than by a name (公司规定报销必须)."""
    return any(_NO_NAME.search(name or "") for name in (draft.predicate, draft.subject))


def candidate(draft: Draft, unit: Unit, turn: Turn, *, context: str = "") -> Candidate | None:
    """The candidate of a draft, or None where the speaker is too unsure. `context` is the sentence around the unit."""
    confidence = _confidence(draft, unit)
    content = (draft.content or unit.content).strip()
    if confidence < 0.55 or not content or len(content) > CONTENT_CHARS:
        return None
    if any(FILLER in (name or "") for name in (draft.subject, draft.predicate, draft.qualifier)):
        return None  # the slot is named by words that were only quoted
    if draft.intent is Intent.FORGET:
        times: dict[str, datetime | bool | None] = {"valid_from_known": False}
        told: list[TimeExpression] = []
    else:
        times, told = _times(draft, unit)
    return Candidate(
        content=content,
        memory_type=draft.memory_type,
        subject=draft.subject or ("user" if draft.predicate else None),
        predicate=draft.predicate,
        qualifier=draft.qualifier if draft.qualifier is not None else ("" if draft.predicate else None),
        value=draft.value,
        scope=draft.scope or scope_of(unit, turn, context if draft.memory_type in _WIDE else ""),
        quote=turn.text[unit.start : unit.end],
        quote_span=(unit.start, unit.end),
        confidence=confidence,
        basis=Basis.STATED,
        intent=draft.intent,
        explicit=draft.explicit,
        stable=draft.stable and not _passing(draft, unit),
        extractor_model=NAME,
        extractor_version=VERSION,
        metadata=dict(draft.metadata) | timed(told),
        **times,  # type: ignore[arg-type]
    )


def scope_of(unit: Unit, turn: Turn, context: str = "") -> Scope | None:
    """The scope the words ask for; None leaves it to governance.

    'This time' without a task is the session's, never the user's.
    """
    said = f"{context} {unit.view}"
    if unit.words.pattern("scope", "once").search(said):
        return Scope.TASK if turn.reader.task else Scope.SESSION
    if unit.words.pattern("scope", "tenant").search(said):
        return Scope.TENANT
    if unit.words.pattern("scope", "team").search(unit.view):
        return Scope.DEPARTMENT
    return Scope.USER if unit.words.pattern("scope", "lasting").search(unit.view) else None


def unsure(unit: Unit) -> bool:
    """Whether the speaker says that they do not know, or jests."""
    return bool(unit.words.pattern("mood", "unsure").search(unit.view))


def _confidence(draft: Draft, unit: Unit) -> float:
    """Hedged words stay below what is accepted unasked, hearsay near what is dropped, both together below it."""
    hedged = bool(unit.words.pattern("mood", "hedge").search(unit.view))
    heard = bool(unit.words.pattern("mood", "hearsay").search(unit.view))
    if hedged and heard:
        return 0.5
    ceiling = HEARSAY if heard else HEDGED if hedged else 1.0
    return min(EXPLICIT if draft.explicit and not (hedged or heard) else draft.confidence, ceiling)


def _passing(draft: Draft, unit: Unit) -> bool:
    """Whether it is of the day only: a taste or state with 'today' in it that fills no lasting slot."""
    soft = (draft.memory_type is MemoryType.PREFERENCE or draft.predicate is None) and draft.ends is None
    return soft and bool(unit.words.pattern("mood", "passing").search(unit.view)) and not draft.explicit


def timed(told: list[TimeExpression]) -> dict[str, Any]:
    """The metadata of a candidate whose valid time rests on these words; {} for none."""
    return {VALID_TIME: [item.as_json() for item in told]} if told else {}


def _times(draft: Draft, unit: Unit) -> tuple[dict[str, datetime | bool | None], list[TimeExpression]]:
    """Valid time, as the words give it, and the words it rests on. A present statement without a date leaves its start to the
    committer; one of the past whose time is not known is not placed."""
    start, end = None, draft.ends
    if draft.memory_type in _STOOD_FOR and draft.predicate not in ("birthday", "deadline", "age"):
        for item in unit.times:
            if not item.resolved or (draft.sole and _is_value(item.phrase, draft.value)):
                continue
            if item.role == "from" or (item.role == "during" and draft.tense == "change"):
                start = start or item.start
            elif item.role == "until":
                end = end or item.end
            elif (
                draft.tense == "past"
                or (item.start is not None and _ranges(item.phrase))
                or (_ahead(item, unit) and not _is_value(item.phrase, draft.value))
            ):
                start, end = start or item.start, end or item.end
    said = unit.occurred.at if unit.occurred else None
    if start is None and draft.tense == "present":
        start = lasting_since(unit)
    if start and end and end <= start:
        start = end = None
    past = draft.tense == "past"
    lost = (past and start is None) or (end is not None and start is None and said is not None and end <= said)
    end = None if lost else end
    told = [
        item
        for item in unit.times
        if (start is not None and item.start == start) or (end is not None and item.end == end)
    ]
    return {
        "valid_from": start,
        "valid_until": end,
        "valid_from_known": start is not None,
        "placed": not lost,
    }, told


def _ahead(item: TimeExpression, unit: Unit) -> bool:
    """Whether a period lies wholly ahead ('I live in Rome next week'): what is said of it does not hold yet. One that is counted
    from now on ('over the next two weeks') has begun."""
    if unit.occurred is None or item.start is None or _COUNTED.search(item.phrase):
        return False
    return item.start > unit.occurred.at


def _is_value(phrase: str, value: str | None) -> bool:
    """Whether a time that is named is what the statement says ('opening hours are Tuesday to Friday'), not when it holds."""
    return bool(value) and (value in phrase or phrase in value)  # type: ignore[operator]


def _ranges(phrase: str) -> bool:
    """Whether a phrase names both ends ('from 3 to 9 May')."""
    return bool(re.search(r"\b(?:to|until|till|through|and)\b|到|至|[-–~]", phrase))


def explicit(draft: Draft) -> Draft:
    """The draft of something the user asked to keep in so many words."""
    return replace(draft, explicit=True)
