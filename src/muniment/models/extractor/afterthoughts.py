"""What a later clause of a sentence does to the statement before it: an end ('…, until the end of May'), an exception ('…,
except shrimp'), or taking it back ('…, but not any more').

Belongs here: clauses that state nothing of their own. Does not belong here: statements; requests to the memory (`requests`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from muniment.domain.records import Candidate
from muniment.models.extractor.drafts import VALID_TIME
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit, joined
from muniment.text.timex import TimeExpression

MOST_BEHIND: Final = 6
"""Clauses behind a statement that are looked at."""


def in_jest(sentence: Sentence) -> bool:
    """Whether a sentence says of itself, or of what came before, that it was a joke."""
    views = (sentence.view, *(unit.view for unit in sentence.units))
    return any(sentence.units[0].words.pattern("mood", "jest").search(view) for view in views if sentence.units)


def only_jest(sentence: Sentence) -> bool:
    """Whether a sentence says nothing but that what came before was a joke."""
    return len(sentence.units) == 1 and in_jest(sentence)


def only_time(unit: Unit) -> TimeExpression | None:
    """The time from or until which, where a clause gives that and no more."""
    if len(unit.times) != 1 or not unit.times[0].resolved or unit.times[0].role == "during":
        return None
    time = unit.times[0]
    around = unit.view[unit.body : time.span[0]] + " " + unit.view[time.span[1] :]
    return time if unit.words.pattern("times", "alone").fullmatch(around.strip(PUNCTUATION + " ")) else None


def _told(made: Candidate, time: TimeExpression) -> dict[str, Any]:
    """The metadata with one more time that the period rests on."""
    before = made.metadata.get(VALID_TIME, [])
    return {**made.metadata, VALID_TIME: [*before, time.as_json()]}


def bounded(made: Candidate, unit: Unit) -> Candidate | None:
    """The candidate with the period that a clause behind it gives, or None where the clause gives none.

    Such a clause is a time and the verb taken up again, no more; a period that the statement has already stands. One that only
    says where a home is more exactly changes nothing, so that a period may stand behind it.
    """
    if made.predicate == "residence" and unit.words.language == "zh":
        nearer = unit.words.pattern("times", "nearer")
        if nearer.fullmatch(unit.said):
            return made
        if nearer.fullmatch(unit.view[unit.body : unit.head].strip(PUNCTUATION)):
            unit = replace(unit, body=unit.head)
    time = only_time(unit)
    if time is None:
        return None
    if time.role == "until" and made.valid_until is None and (made.valid_from is None or made.valid_from < time.end):  # type: ignore[operator]
        return replace(made, valid_until=time.end, metadata=_told(made, time))
    if time.role == "from" and made.valid_from is None and (made.valid_until is None or time.start < made.valid_until):  # type: ignore[operator]
        return replace(made, valid_from=time.start, valid_from_known=True, metadata=_told(made, time))
    return None


def with_exceptions(units: list[Unit], text: str, read: Callable[[Unit], object | None]) -> tuple[Unit, int, bool]:
    """The first unit with the clauses behind it that leave something out of it, how many those are, and whether one of them
    says that it holds no more. A clause that `read` makes a statement of its own belongs to no other."""
    taken = 1
    while taken < len(units) and taken <= MOST_BEHIND:
        behind = units[taken]
        aside = _excepts(behind) or _not_chosen(units[0], behind)
        if not aside and (not _turns(behind) or read(behind) is not None):
            break
        if _gone(behind):
            return units[0], taken, True
        taken += 1
    return (units[0] if taken == 1 else joined(units[:taken], text)), taken - 1, False


def _excepts(unit: Unit) -> bool:
    """Whether a clause only leaves something out of the one before it: it is read with that, so that no half stands alone."""
    return bool(unit.words.pattern("after", "except").match(unit.view, unit.body))


def _not_chosen(unit: Unit, behind: Unit) -> bool:
    """Whether a clause names what was not chosen in the one before it (决定用…，不用…)."""
    decided, over = unit.words.pattern("after", "decided"), behind.words.pattern("after", "over")
    return bool(decided.search(unit.view) and over.match(behind.view, behind.body))


def _turns(unit: Unit) -> bool:
    """Whether a clause turns against the one before it with a denial or a limit, which may be of that."""
    match = unit.words.pattern("after", "turn").match(unit.view)
    return match is not None and (
        bool(unit.words.pattern("after", "denies").search(unit.view, match.end())) or _gone(unit)
    )


def _gone(unit: Unit) -> bool:
    """Whether a clause says that what stands before it holds no more."""
    return bool(unit.words.pattern("after", "gone").search(unit.view))
