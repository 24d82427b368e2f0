"""Civil calendar arithmetic: days, weeks, months and longer units around a moment, and what a spelling of a date names.

All stretches are half-open and of civil time, without a zone. Weeks begin on Monday (ISO 8601).

Belongs here: arithmetic, and the type that rules give. Does not belong here: spellings (`timex_english` and its like), zones.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

Stretch = tuple[datetime, datetime]
"""Civil time [first, after the last)."""
Unit = Literal[
    "minute", "hour", "part", "day", "weekend", "week", "fortnight", "month", "quarter", "half", "season", "year",
    "decade", "century",
]  # fmt: skip
Within = Callable[[int], Stretch]

DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(weeks=1)
_MONTHS: Final = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_SPANS: Final = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": DAY, "week": WEEK, "weekend": WEEK,
    "fortnight": 2 * WEEK,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """The stretches a spelling may name, earliest first: one, or a past and a coming one where the year or week is not
    said; none where it needs the moment it was said at.

    `ambiguous`: people differ on what the words mean. `first` is the reading that is meant where nothing tells, `unit` how
    fine the words are, `within` what they name in a given year, `weekday` set for a bare day of the week, `month_day`
    for a bare day of the month, `part` for the part of the day that the words hold ('tonight'), `closed` where they
    name both ends. `weak` words are a
    date only beside another, or behind a preposition.
    """

    readings: tuple[Stretch, ...] = ()
    ambiguous: bool = False
    unit: Unit = "day"
    first: int | None = None
    within: Within | None = None
    weekday: int | None = None
    month_day: int | None = None
    part: str | None = None
    closed: bool = False
    weak: bool = False

    def named(self, year: int) -> Days:
        """The same in a year. Raises `ValueError` where there is none."""
        if self.within is None:
            raise ValueError("names its own year")
        return replace(self, readings=(self.within(year),), within=None, weak=False, first=None)


def one(stretch: Stretch, unit: Unit, *, ambiguous: bool = False) -> Days:
    """A single reading."""
    return Days(readings=(stretch,), ambiguous=ambiguous, unit=unit)


def floating(within: Within, now: datetime | None, unit: Unit, *, ambiguous: bool = False, weak: bool = False) -> Days:
    """What comes every year: the last that has begun and the next that is not over."""
    readings: tuple[Stretch, ...] = ()
    if now is not None:
        around = [found for year in range(now.year - 4, now.year + 5) if (found := _try(within, year))]
        readings = nearest(around, now)
    return Days(readings=readings, ambiguous=ambiguous, unit=unit, within=within, weak=weak)


def nearest(around: Iterable[Stretch], now: datetime) -> tuple[Stretch, ...]:
    """Of stretches in order, the last that has begun and the first that is not over."""
    found = list(around)
    past = [item for item in found if item[0] <= now]
    coming = [item for item in found if item[1] > now]
    return tuple(dict.fromkeys([*past[-1:], *coming[:1]]))


def _try(within: Within, year: int) -> Stretch | None:
    try:
        return within(year)
    except (ValueError, OverflowError):  # 29 February, the year 0
        return None


def midnight(at: datetime) -> datetime:
    """The start of the civil day."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(at: datetime) -> Stretch:
    """The civil day an instant lies in."""
    return midnight(at), midnight(at) + DAY


def _civil(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)  # noqa: DTZ001 - civil time; the zone is put on by `timex`


def date_of(year: int, month: int, day: int) -> Stretch:
    """A day by its date. Raises `ValueError` where there is none."""
    return day_of(_civil(year, month, day))


def months_from(year: int, month: int, count: int = 1) -> Stretch:
    """`count` months from one on; a month outside 1..12 carries into the year."""
    return _first(year, month), _first(year, month + count)


def _first(year: int, month: int) -> datetime:
    return _civil(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def year_of(year: int) -> Stretch:
    """A year."""
    return months_from(year, 1, 12)


def moved(at: datetime, unit: Unit, by: int) -> datetime:
    """The instant `by` units on; a day that a month lacks becomes its last. Raises `OverflowError` or `ValueError`."""
    if unit in _SPANS:
        return at + by * _SPANS[unit]
    first = _first(at.year, at.month + by * _MONTHS[unit])
    return at.replace(year=first.year, month=first.month, day=min(at.day, monthrange(first.year, first.month)[1]))


def unit_at(now: datetime, unit: Unit, by: int) -> Stretch:
    """The calendar unit `by` units from that of `now`: weeks of Monday, weekends of Saturday, decades of years in 0."""
    today = midnight(now)
    if unit in ("minute", "hour"):
        start = (
            now.replace(second=0, microsecond=0) if unit == "minute" else now.replace(minute=0, second=0, microsecond=0)
        )
        return moved(start, unit, by), moved(start, unit, by + 1)
    if unit == "day":
        return day_of(today + by * DAY)
    monday = today - today.weekday() * DAY
    if unit == "week":
        return monday + by * WEEK, monday + (by + 1) * WEEK
    if unit == "weekend":
        return monday + by * WEEK + 5 * DAY, monday + (by + 1) * WEEK
    if unit == "fortnight":
        return (today - 2 * WEEK, today) if by < 0 else (today + DAY, today + DAY + 2 * WEEK)
    size = _MONTHS[unit]
    if size >= 12:
        first = now.year - now.year % (size // 12) + by * (size // 12)
        return months_from(max(first, 1) if by == 0 else first, 1, size)
    return months_from(now.year, ((now.month - 1) // size + by) * size + 1, size)


def weekday_of(now: datetime, weekday: int, weeks: int) -> Stretch:
    """A day of the week `weeks` weeks from that of `now`; Monday is 0."""
    return day_of(now + (weekday - now.weekday()) * DAY + weeks * WEEK)


def iso_week(year: int, week: int) -> Stretch:
    """A week by its ISO 8601 number. Raises `ValueError` where the year has none such."""
    start = datetime.fromisocalendar(year, week, 1)
    return start, start + WEEK


def nth_week(stretch: Stretch, nth: int) -> Stretch:
    """The nth week of a month or year (-1 the last): those whose Thursday lies in it, as ISO 8601 numbers them."""
    first = stretch[0] + ((3 - stretch[0].weekday()) % 7) * DAY
    last = stretch[1] - DAY - ((stretch[1].weekday() - 4) % 7) * DAY
    thursday = first + (nth - 1) * WEEK if nth > 0 else last + (nth + 1) * WEEK
    if not stretch[0] <= thursday < stretch[1]:
        raise ValueError("no such week")
    return thursday - 3 * DAY, thursday + 4 * DAY


def nth_weekday(stretch: Stretch, weekday: int, nth: int) -> Stretch:
    """The nth Monday (0) .. Sunday (6) of a stretch, -1 the last. Raises `ValueError` where there is none."""
    if nth > 0:
        day = stretch[0] + ((weekday - stretch[0].weekday()) % 7) * DAY + (nth - 1) * WEEK
    else:
        day = stretch[1] - (((stretch[1].weekday() - weekday - 1) % 7) + 1) * DAY + (nth + 1) * WEEK
    if not stretch[0] <= day < stretch[1]:
        raise ValueError("no such day")
    return day_of(day)


def nth_unit(stretch: Stretch, unit: Unit, nth: int, count: int = 1) -> Stretch:
    """`count` units from the nth on within a stretch; -1 counts from its end. Raises `ValueError` beyond it."""
    if unit == "week":
        start = nth_week(stretch, nth)[0] - (count - 1) * WEEK * (nth < 0)
        return start, start + count * WEEK
    start = moved(stretch[0], unit, nth - 1) if nth > 0 else moved(stretch[1], unit, nth - count + 1)
    end = moved(start, unit, count)
    if start < stretch[0] or end > stretch[1]:
        raise ValueError("beyond the stretch")
    return start, end


def easter(year: int) -> datetime:
    """Easter Sunday of the western churches: the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, ch. 8)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = b // 4, b % 4
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = c // 4, c % 4
    ell = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * ell) // 451
    month, day = divmod(h + ell - 7 * m + 114, 31)
    return _civil(year, month, day + 1)
