"""The dates that a text names, each with the civil stretch it stands for: base spellings, joined where several name one.

'Friday' and '6 July' beside each other are one date; so are 'next week' and 'Monday', 明年 and 国庆节, 'the end of' and
'March', 'tomorrow' and 'at 3 pm'.

Belongs here: finding base spellings, and joining neighbours. Does not belong here: the spellings themselves
(`timex_english`, `timex_chinese`, `timex_digits`, `timex_hours`), prepositions, ranges and zones (`timex`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Final

from muniment.text import timex_chinese, timex_digits, timex_english, timex_english_relative
from muniment.text.timex_calendar import DAY, Days, Stretch, Unit, weekday_of
from muniment.text.timex_chinese_parts import AFTER
from muniment.text.timex_digits import Rule
from muniment.text.timex_english_parts import BEFORE
from muniment.text.timex_hours import (
    CHINESE_CLOCK,
    CHINESE_PART,
    CHINESE_SPAN,
    ENGLISH_CLOCK,
    ENGLISH_PART,
    ENGLISH_SPAN,
    Hours,
    chinese_clock,
    chinese_span,
    english_clock,
    english_part,
    english_span,
    is_certain,
    part_of_day,
)
from muniment.text.timex_other import other_rules

_HAN: Final = re.compile("[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[^\W\d_\u3400-\u9fff]")
_OTHER: Final = re.compile(
    r"[àáâãäçèéêëíîïñóôõöùúûüœа-яё]|\b(?:il|la|el|le|l'\w+|letzte[nrs]?|ieri|gestern|heute|"
    r"hoy|hier|ayer|oggi|hoje|ontem|semana|woche|jahr|monat|mes|demain|fa|vor|hace|gisteren|"
    r"vandaag|deze|vorige?|volgende?|dit|este|esta)\b|\d{4}\b",
    re.IGNORECASE,
)
_MOST: Final = 400
"""Dates of one text that are read; a text with more is a table."""
_REACH: Final = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """text[span] names `days`; `hours` where a time of day was said with it, `bound` where that
    only bounds it ('Monday after 3 pm')."""

    span: tuple[int, int]
    days: Days
    hours: bool = False
    bound: str | None = None


def atoms(text: str, now: datetime | None) -> list[Atom]:
    """The dates a text names, in order, without overlaps, neighbours that name one date joined. Never raises."""
    han, latin = bool(_HAN.search(text)), bool(_LATIN.search(text))
    found = _settled(_base(text, now, han=han, latin=latin))
    if not found:
        return []
    for _ in range(2):
        found = _joined(text, _parts(text, found, now), now)
    return _timed(text, found, now, han=han, latin=latin)


@cache
def _tables() -> dict[str, tuple[Rule, ...]]:
    return {
        "digits": timex_digits.RULES,
        "english": timex_english.RULES + timex_english_relative.RULES,
        "chinese": timex_chinese.RULES,
        "other": other_rules(),
    }


def _base(text: str, now: datetime | None, *, han: bool, latin: bool) -> Iterator[Atom]:
    tables = _tables()
    chosen = list(tables["digits"]) if re.search(r"\d", text) else []
    if latin:
        chosen += tables["english"]
        if _OTHER.search(text):
            chosen += tables["other"]
    if han:
        chosen += tables["chinese"]
    low = text.lower()
    for pattern, read, cues in chosen:
        if cues and not any(cue in low for cue in cues):
            continue
        dated = "date" in pattern.groupindex
        for match in pattern.finditer(text):
            try:
                days = read(match, now)
            except (ValueError, OverflowError, KeyError):  # 31 February, the year 10000
                continue
            yield Atom(span=match.span("date") if dated else match.span(), days=days)


def _settled(found: Iterator[Atom]) -> list[Atom]:
    """The longest of those that overlap, in order."""
    ordered = sorted(found, key=lambda atom: (atom.span[0], -atom.span[1], atom.days.weak))
    kept: list[Atom] = []
    for atom in ordered[: 20 * _MOST]:
        if not kept or atom.span[0] >= kept[-1].span[1]:
            kept.append(atom)
    return kept[:_MOST]


def _parts(text: str, found: list[Atom], now: datetime | None) -> list[Atom]:
    """The dates with the words that pick a part of them, which may hold what looked like a date: 'the first Friday of May'."""
    kept: list[Atom] = []
    for atom in found:
        if kept and atom.span[0] < kept[-1].span[1]:
            continue  # it is within the words behind the date before it
        lower = kept[-2].span[1] if len(kept) > 1 else 0
        picked = _picked(text, atom, now, lower=lower)
        if kept and picked.span[0] < kept[-1].span[1]:
            if picked.span[0] <= kept[-1].span[0]:
                kept.pop()
            else:
                picked = _picked(text, atom, now, lower=kept[-1].span[1])
        kept.append(picked)
    return kept


def _picked(text: str, atom: Atom, now: datetime | None, *, lower: int) -> Atom:
    """The date with the words before or behind it that pick a part of it ('the end of', 'the first week of', 初)."""
    for _ in range(3):
        start, end = atom.span
        window = text[max(lower, start - _REACH) : start]
        word = window.rstrip(" -\t\n").rsplit(None, 1)[-1:]
        for pattern, read, endings in BEFORE if word else ():
            if word[0].lower().rpartition("-")[2] not in endings:
                continue
            match = pattern.search(text, max(lower, start - _REACH), start)
            if match and (changed := _changed(read, match, atom.days, now)):
                atom = replace(atom, span=(match.start(), end), days=changed)
                break
        for pattern, read in AFTER:
            match = pattern.match(text, atom.span[1])
            if match and match.end() > match.start() and (changed := _changed(read, match, atom.days, now)):
                atom = replace(atom, span=(atom.span[0], match.end()), days=changed)
                break
        if atom.span == (start, end):
            break
    return atom


def _changed(
    read: Callable[[re.Match[str], Days, datetime | None], Days], match: re.Match[str], days: Days, now: datetime | None
) -> Days | None:
    try:
        changed = read(match, days, now)
    except (ValueError, OverflowError, KeyError, IndexError):
        return None
    return changed if changed.readings else None


_GLUE: Final = re.compile(
    r"\s*(?:,\s*)?(?:(?:how\s+about\s+)?(?:on|of|in)\s+)?(?:the\s+)?|\s*[的，,(（]?\s*", re.IGNORECASE
)


def _joined(text: str, found: list[Atom], now: datetime | None) -> list[Atom]:
    """Neighbours that name one date, as one."""
    kept: list[Atom] = []
    for atom in found:
        if kept and _GLUE.fullmatch(text, kept[-1].span[1], atom.span[0]):
            days = _both(kept[-1].days, atom.days, now, apart=atom.span[0] - kept[-1].span[1])
            if days is not None:
                kept[-1] = Atom(span=(kept[-1].span[0], atom.span[1]), days=days)
                continue
        kept.append(atom)
    return kept


def _both(left: Days, right: Days, now: datetime | None, *, apart: int) -> Days | None:
    """What two dates beside each other name together, or None where they are two."""
    for floating, year in ((left, right), (right, left)):
        if floating.within and year.unit == "year" and len(year.readings) == 1:
            try:
                return floating.named(year.readings[0][0].year)
            except (ValueError, OverflowError):
                return None
    for weekday, other in ((left, right), (right, left)):
        if weekday.weekday is None or not other.readings:
            continue
        if other.unit == "week" and len(other.readings) == 1:
            day = weekday_of(other.readings[0][0], weekday.weekday, 0)
            return Days(readings=(day,), ambiguous=weekday.ambiguous)
        if other.unit == "day" and other.weekday is None:
            return _of_weekday(other, weekday.weekday)
    if left.unit == right.unit == "day" and left.readings and right.readings and apart:
        single, wide = (left, right) if right.within else (right, left)
        if len(left.readings) == 1 == len(right.readings) and apart == 2 and right.first is None and not right.within:
            return right if right.readings != left.readings else left
        if wide.within and wide.readings and not single.within:
            near = single.readings[single.first or 0][0]
            return Days(readings=(min(wide.readings, key=lambda item: abs(item[0] - near)),))
    return None


def _of_weekday(days: Days, weekday: int) -> Days:
    """Of the readings of a date those on that day of the week, where there are any."""
    fitting = tuple(item for item in days.readings if item[0].weekday() == weekday)
    if not fitting or len(fitting) == len(days.readings):
        return replace(days, weak=False)
    return Days(readings=fitting, unit=days.unit)


# --- times of day -------------------------------------------------------------------------------------------------------

_AT: Final = re.compile(
    r"T(?=\d\d:)|\s*(?:[,，]\s*)?(?:@|(?:at|around|about|for|from|between|\-|大约|大概|约)\s*(?:about\s+|around\s+)?)?\s*(?:的)?",
    re.IGNORECASE,
)
_AT_SAID: Final = re.compile(r"\s*(?:[,，]\s*)?(?:@|(?:at|around|about|from|between)\s)", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"\s*(?:,\s*)?(?P<word>before|after|later\s+than|until|till|by|no\s+later\s+than)\s+(?:around\s+|about\s+)?",
    re.IGNORECASE,
)
_HALF_ENDS: Final = re.compile(r"\s*(?:$|[.,;!?)]|(?:to|and|or|until)\b)", re.IGNORECASE)
_OF: Final = re.compile("的?")
_ON: Final = re.compile(r"\s*,?\s*(?:(?:on|of|this|in)\s+)?(?:the\s+)?", re.IGNORECASE)


def _timed(text: str, found: list[Atom], now: datetime | None, *, han: bool, latin: bool) -> list[Atom]:
    """Dates with the time of day said beside them."""
    kept: list[Atom] = []
    for place, atom in enumerate(found):
        upper = found[place + 1].span[0] if place + 1 < len(found) else len(text)
        lower = kept[-1].span[1] if kept else 0
        timed = _with_hours(text, atom, lower, min(upper, atom.span[1] + _REACH), han=han, latin=latin)
        kept.append(_from_clock(text, timed, lower, now) if timed.hours and now else timed)
    return kept


_TILL: Final = re.compile(r"\s*(?:to|till|until|-|–|—|到|至|~)\s*", re.IGNORECASE)


def _from_clock(text: str, atom: Atom, lower: int, now: datetime) -> Atom:
    """'2 pm till tomorrow 4 pm', 2点到明天4点: from that time of today on."""
    window = text[max(lower, atom.span[0] - 24) : atom.span[0]]
    for pattern, read in ((CHINESE_CLOCK, chinese_clock), (ENGLISH_CLOCK, english_clock)):
        for match in pattern.finditer(window):
            if not _TILL.fullmatch(window, match.end()) or (read is english_clock and not is_certain(match)):
                continue
            hours = read(match)
            if hours is None:
                continue
            start = now.replace(hour=0, minute=0, second=0, microsecond=0) + hours.start
            found = tuple((start, at) for at, _ in atom.days.readings if start < at)
            if found:
                span = (atom.span[0] - len(window) + match.start(), atom.span[1])
                return Atom(span=span, days=replace(atom.days, readings=found, closed=True, first=None), hours=True)
    return atom


def _with_hours(text: str, atom: Atom, lower: int, upper: int, *, han: bool, latin: bool) -> Atom:
    days = atom.days
    if days.unit != "day" or not days.readings or any(end - start != DAY for start, end in days.readings):
        return atom
    place, part = atom.span[1], days.part
    if latin and part is None:
        match = ENGLISH_PART.match(text, _skip(_ON, text, place, upper), upper)
        if match is not None and (not match["half"] or _HALF_ENDS.match(text, match.end())):
            clock = _clock_behind(text, match.end(), upper, han=han, latin=latin, part=english_part_name(match))
            if (
                clock is None
                and (
                    before := _before_date(
                        text, replace(atom, days=replace(days, part=english_part_name(match))), lower
                    )
                ).hours
            ):
                return replace(before, span=(before.span[0], match.end()))
            hours, end = clock[:2] if clock else (english_part(match), match.end())
            return _at(atom, hours, (atom.span[0], end), clock[2] if clock else None)
    if han:
        clock = _clock_behind(text, place, upper, han=True, latin=False, part=None)
        if clock:
            return _at(atom, clock[0], (atom.span[0], clock[1]), clock[2])
        zh = CHINESE_PART.match(text, _skip(_OF, text, place, upper), upper)
        if zh:
            return _at(atom, part_of_day(zh["part"]), (atom.span[0], zh.end()))
    if latin:
        clock = _clock_behind(text, place, upper, han=False, latin=True, part=part)
        if clock:
            return _at(atom, clock[0], (atom.span[0], clock[1]), clock[2])
        before = _before_date(text, atom, lower)
        if before is not atom:
            return before
    return _at(atom, part_of_day(part), atom.span) if part else atom


def english_part_name(match: re.Match[str]) -> str | None:
    """The part of the day that a match of `ENGLISH_PART` names."""
    if match["half"]:
        return {"am": "morning", "pm": "afternoon"}[match["half"].lower()]
    return {"nite": "night", "mornings": "morning"}.get(match["part"].lower(), match["part"].lower())


def _skip(pattern: re.Pattern[str], text: str, start: int, upper: int) -> int:
    match = pattern.match(text, start, upper)
    return match.end() if match else start


def _clock_behind(
    text: str, place: int, upper: int, *, han: bool, latin: bool, part: str | None
) -> tuple[Hours, int, str | None] | None:
    """The clock time or stretch of clock time that stands behind a date, where it ends, and the word that only bounds by it."""
    bound = _BOUND.match(text, place, upper) if latin else None
    said = bool(_AT_SAID.match(text, place, upper))
    start = bound.end() if bound else _skip(_AT, text, place, upper)
    if start == place and latin and not han:
        return None
    for pattern, read, in_words in (
        (CHINESE_SPAN, chinese_span, han), (CHINESE_CLOCK, chinese_clock, han),
        (ENGLISH_SPAN, english_span, latin), (ENGLISH_CLOCK, english_clock, latin),
    ):  # fmt: skip
        match = pattern.match(text, start, upper) if in_words else None
        if match is None:
            continue
        if read is english_clock and not said and part is None and not is_certain(match):
            continue
        try:
            hours = read(match, part)
        except ValueError:
            continue
        if hours:
            word = " ".join(bound["word"].lower().split()) if bound else None
            return (
                hours,
                match.end(),
                {"later than": "after", "till": "until", "by": "until", "no later than": "until"}.get(word or "", word),
            )
    return None


def _before_date(text: str, atom: Atom, lower: int) -> Atom:
    """'8 pm today', 'from 2 to 4 on Tuesday'."""
    window = text[max(lower, atom.span[0] - 45) : atom.span[0]]
    offset = atom.span[0] - len(window)
    best: tuple[Hours, int] | None = None
    for pattern, read in ((ENGLISH_SPAN, english_span), (ENGLISH_CLOCK, english_clock)):
        for match in pattern.finditer(window):
            if not _ON.fullmatch(window, match.end()):
                continue
            if read is english_clock and not is_certain(match):
                continue
            try:
                hours = read(match, atom.days.part)
            except ValueError:
                continue
            if hours:
                best = (hours, offset + match.start())
                break
        if best:
            return _at(atom, best[0], (best[1], atom.span[1]))
    for match in ENGLISH_PART.finditer(window):
        if (
            match["part"]
            and match.end() < len(window)
            and _ON.fullmatch(window, match.end())
            and not match[0].lower().startswith("this")
        ):
            return _at(atom, english_part(match), (offset + match.start(), atom.span[1]))
    return atom


def _at(atom: Atom, hours: Hours, span: tuple[int, int], bound: str | None = None) -> Atom:
    unit: Unit = "part" if hours.part else "minute" if hours.instant else "hour"
    readings: list[Stretch] = []
    for start, _ in atom.days.readings:
        try:
            readings.append((start + hours.start, start + hours.end))
        except OverflowError:
            continue
    days = replace(
        atom.days,
        readings=tuple(readings),
        unit=unit,
        ambiguous=atom.days.ambiguous or hours.ambiguous,
        within=None,
        part=None,
        weak=False,
    )
    return Atom(span=span, days=days, hours=True, bound=bound)
