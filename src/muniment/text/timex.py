"""Time expressions in a statement, resolved against the moment it was said: 'since March', 'until Friday', 上周末, 从…起.

A statement that is kept needs certainty: the exact characters, the half-open UTC range, how fine it is, and which other readings
are as good. English and Chinese; days are civil days in the zone of the moment.

Belongs here: how dates and prepositions combine into an expression. Does not belong here: which dates a text names
(`timex_rules`), the lenient window of a question (`dates`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, Literal

from muniment.domain.time import Moment
from muniment.text.folding import narrow
from muniment.text.timex_calendar import DAY, Days, Stretch, Unit, date_of, midnight, one
from muniment.text.timex_rules import Atom, atoms
from muniment.text.timex_spellings import ORDINAL_WORD, number

Role = Literal["from", "until", "during"]
Range = tuple[datetime | None, datetime | None]

_BEFORE: Final = re.compile(
    r"(?:(?P<from>\b(?:ever since|since|from|starting(?: from| on| in)?|beginning(?: on| in)?|as of|as from|"
    r"effective(?: from)?|as early as|(?:at|on|in) or after|later than or (?:at|on|in)|"
    r"no earlier than|not before)|>\s?=|≥|从|自从|自|打从|打|不早于)|"
    r"(?P<after>\b(?:after|(?:later|greater) than)|晚于|>(?!\s?=))|"
    r"(?P<until>\b(?:until|till|til|up to|through|thru|by|no later than|as late as|(?:at|"
    r"on|in) or before)|<\s?=|≤|直到|(?<![提说谈讲聊])到|至|截至|截止到|截止|不晚于)|"
    r"(?P<before>\b(?:before|prior to|earlier than)|早于|<(?!\s?=))|"
    r"(?P<during>\b(?:on|in|during|throughout|at|over|of|around|between|back in)|在|于)"
    r")\s*(?:the\s+|around\s+|about\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"(?:份|那天|当天)?(?:(?P<from>\s?(?:起|开始|以来|(?:或|及|和|或者)(?:之|以)?[后後]|"
    r"(?:or|and) (?:later|greater|above|newer)\b|(?:or|and) after\b|onwards?\b|"
    r"on(?:ward)?\b(?= *,|$)))|"
    r"(?P<after>\s?(?:之[后後]|以[后後]|[后後](?!天)))|"
    r"(?P<until>\s?(?:为止|止|之?内|(?:或|及|和|或者)(?:之|以)?前|(?:or|and) (?:earlier\b|before\b(?! *\d))))|"
    r"(?P<before>\s?(?:之前|以前|前(?!天))))"
)
_BETWEEN: Final = re.compile(
    r"\s*(?:to|until|till|til|through|thru|-|–|—|到|至|~|～)\s*(?:the\s+|the\s+year\s+)?", re.IGNORECASE
)
_AND: Final = re.compile(r"\s*(?:and|和|与|跟|及)\s*(?:the\s+)?", re.IGNORECASE)
_BOTH: Final = re.compile(r"\b(?:between|from)\s*(?:the\s+)?$|[在从自]\s?$", re.IGNORECASE)
_HAN_BOTH: Final = re.compile(r"\s?(?:之间|中间|期间|间)")
_TO_DAY: Final = re.compile(
    rf"\s*(?:to|until|till|through|thru|and|-|–|—|到|至|~)\s*(?:the\s+)?(?P<day>(?:3[01]|"
    rf"[12]\d|0?[1-9])(?!\d)(?:st|nd|rd|th)?|{ORDINAL_WORD})(?![\w:/]|[.-]\d|\s?[ap]m)",
    re.IGNORECASE,
)
_YEAR_BEHIND: Final = re.compile(r",?\s+(?P<year>(?:19|20)\d\d)(?!\w)")
_FROM_DAY: Final = re.compile(
    rf"(?:\b(?P<lead>from|between)\s+)?(?:the\s+)?(?<![\w./:-])(?P<day>(?:3[01]|[12]\d|0?[1-9])"
    rf"(?!\d)(?:st|nd|rd|th)?|{ORDINAL_WORD})\s*(?:to|until|till|through|thru|and|-|–|—|"
    rf"到|至)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_OF_MONTH: Final = re.compile(
    rf"(?:\b(?P<lead>from|between)\s+)?(?:the\s+)?(?<![\w./:-])(?P<day>(?:3[01]|[12]\d|0?[1-9])"
    rf"(?!\d)(?:st|nd|rd|th)?|{ORDINAL_WORD})\s*(?:to|until|till|through|thru|and|-|–|—|"
    rf"到|至)\s*"
    rf"(?:the\s+)?(?P<last>(?:3[01]|[12]\d|0?[1-9])(?!\d)(?:st|nd|rd|th)?|{ORDINAL_WORD})\s*(?:of\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
_IN_MONTH: Final = re.compile(
    r"\s+(?:from|between)\s+(?:the\s+)?(?P<day>(?:3[01]|[12]\d|0?[1-9])(?!\d)(?:st|nd|rd|"
    r"th)?)\s*(?:to|until|till|through|thru|and|-|–)\s*(?:the\s+)?"
    r"(?P<last>(?:3[01]|[12]\d|0?[1-9])(?!\d)(?:st|nd|rd|th)?)(?![\w:/])(?!\s?[ap]\.?m)",
    re.IGNORECASE,
)
_TO_NOW: Final = re.compile(
    r"\s*(?:(?:to|until|till|and|through|-|–)\s*(?:now|the present|present)\b|至今|到现在|到如今)", re.IGNORECASE
)
_COMING: Final = re.compile(r"starting|beginning|effective|as (?:of|from)|\bfrom\b|从", re.IGNORECASE)
_THING: Final = re.compile(
    r"\b(?:notes?|photos?|pictures?|pics?|images?|e-?mails?|messages?|texts?|letters?|reports?|"
    r"minutes|results?|data|records?|recordings?|"
    r"news|versions?|drafts?|cop(?:y|ies)|posts?|entr(?:y|ies)|transcripts?|logs?|receipts?|"
    r"invoices?|statistics|stats|sales|figures|numbers|orders|expenses|purchases|articles?|"
    r"episodes?|memor(?:y|ies)|"
    r"decisions?|discussions?|meetings?|conversations?|chats?|calls?|ones?|those|that)\s+$",
    re.IGNORECASE,
)
"""Things that are from a time: of it, not from it on."""
_REACH: Final = 24
"""Characters before a date in which its preposition is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """`phrase` = text[span]: the date with its preposition. [start, end) in UTC; 'from' has no end, 'until' no start.

    Both are None where it needs a reference time and there is none. `ambiguous`: another reading is as good; `alternatives` are
    those that can be told. `granularity` is how fine the words are: a month for 'two months ago', whose range is a day.
    `named` is the date itself, whatever its preposition makes of it.
    """

    start: datetime | None
    end: datetime | None
    span: tuple[int, int]
    phrase: str
    ambiguous: bool
    role: Role
    granularity: Unit = "day"
    alternatives: tuple[Range, ...] = ()
    named: Range = (None, None)
    reference: Moment | None = field(default=None, repr=False)

    @property
    def resolved(self) -> bool:
        """Whether it names a time at all."""
        return self.start is not None or self.end is not None

    def as_json(self) -> dict[str, Any]:
        """What was said, when, and what it was taken to mean: as it is kept with what rests on it. Instants are ISO 8601."""
        shown: dict[str, Any] = {
            "phrase": self.phrase,
            "reference": self._said(),
            "start": _iso(self.start),
            "end": _iso(self.end),
            "granularity": self.granularity,
            "ambiguous": self.ambiguous,
        }
        if self.reference is not None and self.reference.zone:
            shown["zone"] = self.reference.zone
        if self.alternatives:
            shown["alternatives"] = [[_iso(start), _iso(end)] for start, end in self.alternatives]
        return shown

    def _said(self) -> str | None:
        now, zone = _civil(self.reference)
        return None if now is None else now.replace(tzinfo=zone).isoformat()


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def time_expressions(
    text: str, reference: Moment | None, *, lean: Literal["past", "future"] | None = None
) -> list[TimeExpression]:
    """The time expressions of a text, in order, without overlaps.

    `lean` says which of two equal readings the tense asks for ('on 8 May', said in June). A year said without a month, and
    anything else that needs no reference, resolves without one, in UTC. Never raises for any text; linear in its length.
    """
    now, zone = _civil(reference)
    calendar = _Calendar(zone=zone, now=now, lean=lean, reference=reference, text=text)
    found: list[TimeExpression] = []
    text = narrow(text)
    dates = atoms(text, now)
    place = 0
    while place < len(dates):
        item, used = _next(text, dates, place, calendar, found[-1].span[1] if found else 0)
        if item is not None:
            found.append(item)
        place += used
    return found


def _civil(reference: Moment | None) -> tuple[datetime | None, tzinfo]:
    """The civil time of a moment and its zone; UTC where its zone would lead beyond the years 1 to 9999."""
    if reference is None:
        return None, UTC
    try:
        return reference.local().replace(tzinfo=None), reference.tz()
    except OverflowError:
        return reference.at.replace(tzinfo=None), UTC


def _next(
    text: str, dates: list[Atom], place: int, calendar: _Calendar, lower: int
) -> tuple[TimeExpression | None, int]:
    """The expression that begins with a date, and how many dates it takes."""
    date, (start, end) = dates[place], dates[place].span
    lead = _BEFORE.search(text, max(lower, start - _REACH), start)
    follower = dates[place + 1] if place + 1 < len(dates) else None
    if follower is not None and _parted(text, start, end, follower, lower):
        if lead is None and date.days.weekday is not None and follower.days.weekday is not None:
            return None, 2  # 'Monday to Thursday' is of every week
        days = calendar.pair(date.days, follower.days)
        if days is not None and (lead or not (date.days.weak and follower.days.weak)):
            return calendar.between(text, lead, (start, follower.span[1]), days), 2
    if date.days.unit in ("day", "month") and not date.hours and date.days.readings:
        days, span = _partial(text, date, lower) if date.days.unit == "day" else _in_month(text, date, lower)
        if days is not None:
            return calendar.between(text, None, span, days), 1
    if calendar.now and (until := _TO_NOW.match(text, end)):
        days = calendar.pair(date.days, one((midnight(calendar.now), midnight(calendar.now) + DAY), "day"))
        if days is not None:
            return calendar.between(text, lead, (start, until.end()), days), 1
    if date.days.weak:
        return None, 1
    return calendar.single(text, lead, date), 1


def _parted(text: str, start: int, end: int, follower: Atom, lower: int) -> bool:
    """Whether two dates are the ends of one range."""
    if _BETWEEN.fullmatch(text, end, follower.span[0]):
        return True
    if not _AND.fullmatch(text, end, follower.span[0]):
        return False
    return bool(_BOTH.search(text, max(lower, start - _REACH), start) or _HAN_BOTH.match(text, follower.span[1]))


def _partial(text: str, date: Atom, lower: int) -> tuple[Days | None, tuple[int, int]]:
    """A range one end of which is only a day of the month: '9 to 12 June', 'October 2 - 5', 一月19到20日."""
    start, end = date.span
    before = _FROM_DAY.search(text, max(lower, start - _REACH), start)
    behind = None if before else _TO_DAY.match(text, end)
    match = before or behind
    if match is None or (
        re.search(r"and", match[0])
        and not (before and before["lead"])
        and not _BOTH.search(text, max(lower, start - _REACH), start)
    ):
        return None, date.span
    year = _YEAR_BEHIND.match(text, match.end()) if behind else None
    days = date.days.named(int(year["year"])) if year and date.days.within else date.days
    day, readings = number(match["day"]), []
    for first, last in days.readings:
        try:
            other = date_of(first.year, first.month, day)
        except ValueError:
            continue
        ends = (other[0], last) if before else (first, other[1])
        if ends[0] < ends[1] - DAY:
            readings.append(ends)
    if not readings:
        return None, date.span
    span = (before.start(), end) if before else (start, (year or match).end())
    return replace(days, readings=tuple(readings)), span


def _in_month(text: str, date: Atom, lower: int) -> tuple[Days | None, tuple[int, int]]:
    """Days of a month that is named beside them: 'from 4 to 22 this month', 'November between 19 and 20'."""
    start, end = date.span
    before = _OF_MONTH.search(text, max(lower, start - 2 * _REACH), start)
    match = before or _IN_MONTH.match(text, end)
    if match is None or (before and re.search(r"and", before[0]) and not before["lead"]):
        return None, date.span
    readings = []
    for first, _ in date.days.readings:
        try:
            ends = (
                date_of(first.year, first.month, number(match["day"]))[0],
                date_of(first.year, first.month, number(match["last"]))[1],
            )
        except ValueError:
            continue
        if ends[1] - ends[0] > DAY:
            readings.append(ends)
    if not readings:
        return None, date.span
    span = (before.start(), end) if before else (start, match.end())
    return Days(readings=tuple(readings), unit="day", ambiguous=date.days.ambiguous), span


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calendar:
    """The speaker's zone, the civil time it was said at, and which way the tense leans."""

    zone: tzinfo
    now: datetime | None
    lean: Literal["past", "future"] | None
    reference: Moment | None
    text: str

    def single(self, text: str, lead: re.Match[str] | None, date: Atom) -> TimeExpression:
        """One date with the preposition before or after it."""
        trail = _AFTER.match(text, date.span[1])
        word = (lead.lastgroup if lead else None) or "during"
        if trail:
            word = trail.lastgroup or word
        if word == "from" and (date.days.closed or text[slice(*date.span)].lower().endswith("ago")):
            word = "during"
        if date.bound:
            word = date.bound
        if (
            word == "from"
            and lead
            and lead["from"]
            and lead["from"].lower() == "from"
            and _THING.search(text, max(0, lead.start() - _REACH), lead.start())
        ):
            word = "during"
        way = {"from": self.lean or "past", "after": self.lean, "until": "future", "before": "future"}.get(
            word, self.lean
        )
        if word == "from" and _COMING.search(text, lead.start() if lead else date.span[0], date.span[0]):
            way = self.lean
        chosen, ambiguous = self._choose(date.days, way)
        others = [item for item in date.days.readings if item != chosen]
        place = (lead.start() if lead else date.span[0], trail.end() if trail else date.span[1])
        return self._expression(text, place, date.days, chosen, others, ambiguous, word)

    def between(self, text: str, lead: re.Match[str] | None, span: tuple[int, int], days: Days) -> TimeExpression:
        """'from 1 July to 5 July', 从…到…: both ends, the last day included."""
        trail = _AFTER.match(text, span[1]) or _HAN_BOTH.match(text, span[1])
        chosen, ambiguous = self._choose(days, self.lean)
        others = [item for item in days.readings if item != chosen]
        place = (lead.start() if lead else span[0], trail.end() if trail else span[1])
        return self._expression(text, place, days, chosen, others, ambiguous, "during")

    def pair(self, first: Days, last: Days) -> Days | None:
        """The stretches from one date to another, the second after the first; None where there is none. What the one leaves
        unsaid, the other says: 'from January to April 2015', 'from next Monday to Friday'."""
        found: list[Stretch] = []
        if first.first is not None:
            first = replace(first, readings=(first.readings[first.first],), first=None)
        if first.month_day is not None and last.unit == "day" and last.month_day is None:
            for start, end in last.readings:
                try:
                    before = start if first.month_day < start.day else start - start.day * DAY
                    found.append((date_of(before.year, before.month, first.month_day)[0], end))
                except ValueError:
                    continue
        elif last.month_day is not None and first.unit == "day":
            starts = [(start, end) for start, end in first.readings]
            for start, _ in starts:
                try:
                    found.append((start, date_of(start.year, start.month, last.month_day)[1]))
                except ValueError:
                    continue
        elif first.within and len(last.readings) == 1 and not last.within:
            found += self._into(first, last.readings[0])
        elif last.within:
            found += [(start, end) for start, _ in first.readings for end in self._after(last, start)]
        elif last.weekday is not None and last.unit == "day":
            found += [
                (start, start + (((last.weekday - start.weekday()) % 7 or 7) + 1) * DAY) for start, _ in first.readings
            ]
        else:
            found += [(start, end) for start, _ in first.readings for _, end in last.readings]
        kept = tuple(dict.fromkeys(sorted(item for item in found if item[0] < item[1])))
        return Days(readings=kept[:4], unit=last.unit, ambiguous=len(kept) > 1) if kept else None

    def _into(self, first: Days, last: Stretch) -> list[Stretch]:
        """A yearless start before an end whose year is known: the nearest before it."""
        for year in (last[0].year, last[0].year - 1):
            try:
                start = first.named(year).readings[0][0]
            except (ValueError, OverflowError):
                continue
            if start < last[1]:
                return [(start, last[1])]
        return []

    def _after(self, last: Days, start: datetime) -> list[datetime]:
        """The first end after a start, of a date that comes every year."""
        for year in range(start.year, start.year + 5):
            try:
                end = last.named(year).readings[0][1]
            except (ValueError, OverflowError):
                continue
            if end > start + DAY or (end > start and last.unit != "day"):
                return [end]
        return []

    def _choose(self, days: Days, way: str | None) -> tuple[Stretch | None, bool]:
        """The reading that points the asked way, else the nearest; and whether another is as good."""
        readings = days.readings
        if not readings:
            return None, True
        if days.first is not None and days.first < len(readings):
            return readings[days.first], days.ambiguous or len(readings) > 1
        if len(readings) == 1 or self.now is None or way is not None:
            return readings[-1 if way == "future" else 0], days.ambiguous
        now = self.now
        return min(readings, key=lambda item: min(abs(item[0] - now), abs(item[1] - now))), True

    def _expression(
        self,
        text: str,
        place: tuple[int, int],
        days: Days,
        chosen: Stretch | None,
        others: list[Stretch],
        ambiguous: bool,
        word: str,
    ) -> TimeExpression:
        role: Role = "from" if word in ("from", "after") else "until" if word in ("until", "before") else "during"
        start, end = self._bounded(chosen, word, days.unit)
        return TimeExpression(
            start=start,
            end=end,
            span=place,
            phrase=self.text[place[0] : place[1]],
            ambiguous=ambiguous,
            role=role,
            granularity=days.unit,
            named=self._bounded(chosen, "during", days.unit),
            alternatives=tuple(self._bounded(item, word, days.unit) for item in others) if ambiguous else (),
            reference=self.reference,
        )

    def _bounded(self, stretch: Stretch | None, word: str, unit: Unit) -> Range:
        """A stretch as the preposition bounds it, in UTC. 'After' a day or more begins with its end, 'after 3 pm' at once."""
        if stretch is None:
            return None, None
        first, last = (_instant(at, self.zone) for at in stretch)
        if first is not None and last is not None and first >= last:
            return None, None
        if word == "after":
            return (first if unit in ("minute", "hour") else last), None
        if word == "from":
            return first, None
        if word == "until":
            return None, (first if unit == "minute" else last)
        return (None, first) if word == "before" else (first, last)


def _instant(at: datetime, zone: tzinfo) -> datetime | None:
    """A civil time in UTC; None beyond the years 1 to 9999."""
    try:
        return at.replace(tzinfo=zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
