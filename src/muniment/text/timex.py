"""Time expressions in a statement, resolved against the moment it was said: 'since March', 'until Friday', 上周末, 从…起.

A statement that is kept needs certainty: the exact characters, the half-open UTC range, and whether another reading is as
good. English and Chinese; days are civil days in the zone of the moment.

Belongs here: how dates and prepositions combine into an expression. Does not belong here: the spellings of dates
(`timex_rules`), the lenient window of a question (`dates`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Final, Literal

from muniment.domain.time import Moment
from muniment.text.timex_rules import RULES, Days

Role = Literal["from", "until", "during"]

_BEFORE: Final = re.compile(
    r"(?:(?P<from>\b(?:ever since|since|from|starting(?: from| on| in)?|beginning(?: on| in)?|as of|as from|"
    r"effective(?: from)?|after)|从|自从|自|打从|打)|"
    r"(?P<until>\b(?:until|till|til|up to|through|thru|by|no later than)|直到|(?<![提说谈讲聊])到|至|截至|截止到|截止)|"
    r"(?P<before>\b(?:before|prior to))|"
    r"(?P<during>\b(?:on|in|during|throughout|at|over|of|around|back in)|在|于))\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"(?:份|那天|当天)?(?:(?P<from>\s?(?:起|开始|以来|之后|以后|后(?!天)|onwards?\b|on(?:ward)?\b(?= *,|$)))|"
    r"(?P<until>\s?(?:为止|止|之?内))|"
    r"(?P<before>\s?(?:之前|以前|前(?!天))))"
)
_BETWEEN: Final = re.compile(r"\s*(?:to|until|till|through|and|-|–|到|至|~)\s*(?:the\s+)?", re.IGNORECASE)
_COMING: Final = re.compile(r"starting|beginning|effective|as (?:of|from)|\bfrom\b|从", re.IGNORECASE)
_REACH: Final = 24
"""Characters before a date in which its preposition is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """`phrase` = text[span]: the date with its preposition. [start, end) in UTC; 'from' has no end, 'until' no start.

    Both are None where it needs a reference time and there is none. `ambiguous`: another reading is as good.
    """

    start: datetime | None
    end: datetime | None
    span: tuple[int, int]
    phrase: str
    ambiguous: bool
    role: Role

    @property
    def resolved(self) -> bool:
        """Whether it names a time at all."""
        return self.start is not None or self.end is not None


def time_expressions(
    text: str, reference: Moment | None, *, lean: Literal["past", "future"] | None = None
) -> list[TimeExpression]:
    """The time expressions of a text, in order, without overlaps.

    `lean` says which of two equal readings the tense asks for ('on 8 May', said in June). A year said without a month, and
    anything else that needs no reference, resolves without one, in UTC. Never raises for any text; linear in its length.
    """
    calendar = _Calendar(
        zone=UTC if reference is None else reference.tz(),
        today=None if reference is None else reference.local().date(),
        lean=lean,
    )
    found: list[TimeExpression] = []
    atoms = _atoms(text, calendar.today)
    place = 0
    while place < len(atoms):
        span, days = atoms[place]
        lead = _BEFORE.search(text, max(0, span[0] - _REACH, found[-1].span[1] if found else 0), span[0])
        follower = atoms[place + 1] if place + 1 < len(atoms) else None
        if follower and lead and _BETWEEN.fullmatch(text, span[1], follower[0][0]):
            found.append(calendar.between(text, lead, days, follower))
            place += 2
        else:
            found.append(calendar.single(text, lead, span, days))
            place += 1
    return found


def _atoms(text: str, today: date | None) -> list[tuple[tuple[int, int], Days]]:
    """The dates a text names, the longest of those that overlap."""
    found: list[tuple[tuple[int, int], Days]] = []
    for pattern, read in RULES:
        for match in pattern.finditer(text):
            try:
                days = read(match, today)
            except (ValueError, OverflowError):  # 31 February, the year 10000
                continue
            found.append((match.span("date") if "date" in pattern.groupindex else match.span(), days))
    found.sort(key=lambda item: (item[0][0], -item[0][1]))
    kept: list[tuple[tuple[int, int], Days]] = []
    for item in found:
        if not kept or item[0][0] >= kept[-1][0][1]:
            kept.append(item)
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calendar:
    """The speaker's zone, the civil day it was said on, and which way the tense leans."""

    zone: tzinfo
    today: date | None
    lean: Literal["past", "future"] | None

    def single(self, text: str, lead: re.Match[str] | None, span: tuple[int, int], days: Days) -> TimeExpression:
        """One date with the preposition before or after it."""
        trail = _AFTER.match(text, span[1])
        word = (lead.lastgroup if lead else None) or "during"
        if trail:
            word = trail.lastgroup or word
        way = {"from": self.lean or "past", "until": "future", "before": "future"}.get(word, self.lean)
        if word == "from" and _COMING.search(text, lead.start() if lead else span[0], span[0]):
            way = self.lean
        (start, end), ambiguous = self._choose(days, way)
        if word == "from":
            end = None
        elif word in ("until", "before"):
            start, end = None, start if word == "before" else end
        place = (lead.start() if lead else span[0], trail.end() if trail else span[1])
        return self._expression(text, place, start, end, ambiguous, word)

    def between(
        self, text: str, lead: re.Match[str], days: Days, follower: tuple[tuple[int, int], Days]
    ) -> TimeExpression:
        """'from 1 July to 5 July', 从…到…: both ends, the last day included."""
        trail = _AFTER.match(text, follower[0][1])
        (_, end), late = self._choose(follower[1], self.lean)
        (start, _), early = self._choose(days, self.lean)
        if start and end and end <= start:
            (start, _), early = self._choose(days, "past")
            (_, end), late = self._choose(follower[1], "future")
        place = (lead.start(), trail.end() if trail else follower[0][1])
        return self._expression(text, place, start, end, early or late, "during")

    def _choose(self, days: Days, way: str | None) -> tuple[tuple[date | None, date | None], bool]:
        """The reading that points the asked way, else the nearest; and whether another is as good."""
        readings = days.readings
        if not readings:
            return (None, None), True
        if len(readings) == 1 or self.today is None or way is not None:
            return readings[-1 if way == "future" else 0], days.ambiguous
        today = self.today
        return min(readings, key=lambda item: min(abs(item[0] - today), abs(item[1] - today))), True

    def _expression(
        self, text: str, place: tuple[int, int], start: date | None, end: date | None, ambiguous: bool, word: str
    ) -> TimeExpression:
        role: Role = "from" if word == "from" else "until" if word in ("until", "before") else "during"
        phrase = text[place[0] : place[1]]
        return TimeExpression(
            start=_instant(start, self.zone),
            end=_instant(end, self.zone),
            span=place,
            phrase=phrase,
            ambiguous=ambiguous,
            role=role,
        )


def _instant(day: date | None, zone: tzinfo) -> datetime | None:
    """The start of a civil day, in UTC."""
    if day is None:
        return None
    try:
        return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
