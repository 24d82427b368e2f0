"""Dates in other languages than English and Chinese, as far as `lexicons/dates_other.toml` knows their words.

A month counts only with a year or a day beside it ('10 de julio de 2026', 'août 2024'): alone it may be any word.

Belongs here: rules made of that lexicon. Does not belong here: grammar; what is not said there stays unknown.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Final, cast

from muniment.text.lexicon import lexicon
from muniment.text.timex_amounts import shifted
from muniment.text.timex_calendar import Days, Stretch, Unit, date_of, day_of, floating, months_from, one, unit_at
from muniment.text.timex_digits import Rule, rule

_UNITS: Final[tuple[Unit, ...]] = ("day", "week", "month", "year")


@cache
def other_rules() -> tuple[Rule, ...]:
    """The rules of all of them together."""
    words = lexicon("dates_other")
    months = "|".join(f"(?P<m{place}>{'|'.join(names)})" for place, names in enumerate(words["months"], start=1))
    day, year = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:er|\.|º)?", r"(?P<year>(?:1[0-9]|2[01])\d\d)"
    of = r"\s+(?:de\s+|del\s+)?"
    steps = [(int(by), "day", names) for by, names in words["day"].items()]
    steps += [(int(by), unit, names) for unit, rows in words["unit"].items() for by, names in rows.items()]
    named = "|".join(f"(?P<s{place}>{'|'.join(item[2])})" for place, item in enumerate(steps))

    def stepped(match: re.Match[str], now: datetime | None) -> Days:
        by, unit, _ = steps[int((match.lastgroup or "s0")[1:])]
        return one(unit_at(now, cast("Unit", unit), by), cast("Unit", unit)) if now else Days()

    return (
        rule(rf"(?<![\w.]){day}{of}(?:{months})\b(?:{of}{year})?(?!\w)", _dated),
        rule(rf"(?<!\w)(?:{months}){of}{year}(?!\w)", _dated),
        rule(rf"(?<!\w)(?:{named})(?!\w)".replace(" ", r"\s+"), stepped),
        *_ago_rules(words["ago"]),
    )


def _ago_rules(words: dict[str, list[str]]) -> tuple[Rule, ...]:
    counts = cast("dict[str, list[str]]", words["counts"])
    count = r"(?P<count>\d{1,3}|" + "|".join("|".join(names) for names in counts.values()) + ")"
    units = "|".join(f"(?P<{unit}>{'|'.join(words[unit])})" for unit in _UNITS)

    def ago(match: re.Match[str], now: datetime | None) -> Days:
        unit = next(unit for unit in _UNITS if match[unit])
        said = match["count"].lower()
        word = (
            said
            if said.isdigit()
            else next(value for value, names in counts.items() if re.fullmatch("|".join(names), said))
        )
        return shifted(day_of(now), [(int(word) if word.isdigit() else 2, unit, word)], -1, now) if now else Days()

    return (
        rule(rf"(?<!\w)(?:{'|'.join(words['before'])})\s+{count}\s+(?:{units})(?!\w)", ago),
        rule(rf"(?<!\w){count}\s+(?:{units})\s+(?:{'|'.join(words['behind'])})(?!\w)", ago),
    )


def _dated(match: re.Match[str], now: datetime | None) -> Days:
    groups = match.groupdict()
    month = next(place for place in range(1, 13) if groups[f"m{place}"])
    day = int(groups["day"]) if groups.get("day") else None

    def within(year: int) -> Stretch:
        return months_from(year, month) if day is None else date_of(year, month, day)

    unit: Unit = "month" if day is None else "day"
    return one(within(int(groups["year"])), unit) if groups.get("year") else floating(within, now, unit)


def names_other_dates(text: str) -> bool:
    """Whether a text holds a date in a language that is neither English nor Chinese."""
    return any(pattern.search(text) for pattern, *_ in other_rules())
