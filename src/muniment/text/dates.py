"""The span of time a question asks about, for ranking: 'in May', 'last week', 2024年4月1日, 上周三.

The dates are those of `timex`, read leniently: a wrong span costs a little rank, nothing is stored from it. So what was is
preferred to what will be, and an inexact date is as wide as its words ('two months ago' is a month).

Belongs here: one window for one question. Does not belong here: spellings of dates, dates of statements that are kept
(`timex`), and what the window is used for.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from muniment.domain.time import Moment
from muniment.text.timex import TimeExpression, time_expressions
from muniment.text.timex_calendar import DAY, Unit, unit_at

Window = tuple[datetime, datetime]

_WIDE: Final[tuple[Unit, ...]] = ("day", "week", "month", "year", "decade", "century")
_BETWEEN: Final = re.compile(r"\bbetween\b|\bfrom\b|从|之间|[到至]", re.IGNORECASE)


def date_window(question: str, ref: datetime | None) -> Window | None:
    """The half-open span [start, end) the question names, in the zone of `ref` (UTC without one); None where it names
    none.

    What is relative ('last week'), and a month or day without its year, is read from `ref`; without it there is no
    window. 'After' and 'since' reach to `ref`; 'before' gives no window. Never raises for any text.
    """
    if ref is not None and ref.tzinfo is None:
        ref = ref.replace(tzinfo=UTC)
    said = None if ref is None else Moment.of(ref)
    found = [item for item in time_expressions(question.replace("，", ","), said, lean="past") if item.resolved]
    if not found:
        return None
    try:
        first = _wide(found[0], ref)
        last = _wide(found[1], ref) if first and len(found) > 1 and _BETWEEN.search(question) else None
    except (ValueError, OverflowError):  # beyond the years 1 to 9999 in that zone
        return None
    return (min(first[0], last[0]), max(first[1], last[1])) if first and last else first


def _wide(item: TimeExpression, ref: datetime | None) -> Window | None:
    """The window of one expression, in the zone of `ref`."""
    zone = UTC if ref is None else ref.tzinfo
    # 'from May 2023' asks about May; only 'since' and 'after' ask about all that came behind it.
    first, last = item.named if item.phrase.lower().startswith("from") else (item.start, item.end)
    if first is None:
        return None
    start = first.astimezone(zone)
    if last is None:
        return (start, max(start, ref)) if ref is not None and ref > start else None
    end = last.astimezone(zone)
    unit = item.granularity
    if unit in ("minute", "hour", "part"):
        unit = "day"
    if unit not in _WIDE:
        return start, end
    first, last = (at.replace(tzinfo=zone) for at in unit_at(start.replace(tzinfo=None), unit, 0))
    return min(start, first), (max(end, last) if end - start <= DAY else end)
