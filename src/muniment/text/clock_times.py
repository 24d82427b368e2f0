"""The timestamps that chats and data sets are exported with, read as aware instants.

ISO 8601, seconds since 1970, and the spellings of exports: '1:56 pm on 8 May, 2023', '2024年04月01日 周一 08:30',
'29.12.2023, 22:42:04', '2023/04/10 (Mon) 14:47', 'March-15-2024'. A stamp is read whole or not at all: nothing in it may be
left over. '03/04/2023' is refused, since it means two days.

Belongs here: one stamp that stands alone. Does not belong here: time expressions inside sentences (`timex`).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from muniment.domain.errors import InvalidInput
from muniment.text.timex_spellings import MONTH, MONTHS

_SEP = r"[\s,./-]+"
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<y>\d{4})\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]",
        r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?!\d)",
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?{_SEP}{MONTH}{_SEP}(?P<y>\d{{4}})(?!\d)",
        rf"\b{MONTH}{_SEP}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?{_SEP}(?P<y>\d{{4}})(?!\d)",
    )
)
_TIME: Final = re.compile(
    r"(?P<before>上午|早上|凌晨|中午|下午|晚上|傍晚)?\s*"
    r"(?<!\d)(?P<h>\d{1,2})(?:\s*[:：]\s*(?P<min>\d{2})(?:\s*[:：]\s*(?P<s>\d{2})(?P<frac>\.\d{1,9})?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?|\s*(?P<only>[ap])\.?m\b\.?|点(?:(?P<zh>\d{1,2})分?|(?P<halfpast>半)|整)?)",
    re.IGNORECASE,
)
_OFFSET: Final = re.compile(r"(?:\b(?:UTC|GMT|Z))?\s*(?P<sign>[+-])(?P<h>\d{2}):?(?P<m>\d{2})\b|\b(?:UTC|GMT|Z)\b")
_FILLER: Final = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?\b\.?|(?:周|星期|礼拜)[一二三四五六日天]|\b(?:on|at)\b|"
    r"\bT(?=\s|$)|[\s,，()（）\[\]·;-]+",
    re.IGNORECASE,
)
_LATER: Final = ("下午", "晚上", "傍晚")
_TWO_WAYS: Final = re.compile(r"(?<!\d)\d{1,2}[/-]\d{1,2}[/-]\d{2,4}(?!\d)")
_LATEST_SECOND: Final = 100_000_000_000
"""Numbers from here on are milliseconds: as seconds they would lie after the year 5000."""


def clock_time(stamp: str | int | float, zone: tzinfo) -> datetime:
    """The instant a timestamp names, aware. One without an offset is a civil time in `zone`; a date alone is its midnight.

    Where clocks are put back, the first of the two. Raises `InvalidInput` for what cannot be read, or reads two ways.
    """
    try:
        if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
            return _since_1970(stamp)
        if isinstance(stamp, str):
            return _iso(stamp.strip(), zone) or _exported(stamp, zone)
    except (ValueError, OverflowError, OSError):
        pass
    raise _unreadable(stamp)


def _since_1970(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp / 1000 if abs(stamp) >= _LATEST_SECOND else stamp, UTC)


def _iso(text: str, zone: tzinfo) -> datetime | None:
    """ISO 8601 with four digits of year and its signs; '20240401' alone could be anything."""
    if not re.match(r"\d{4}-", text):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _exported(text: str, zone: tzinfo) -> datetime:
    """A date with a time of day before or after it. Raises `ValueError` where something is left over."""
    date = next((match for pattern in _DATES if (match := pattern.search(text))), None)
    if date is None:
        raise _unreadable(text)
    rest = text[: date.start()] + " " + text[date.end() :]
    time = _TIME.search(rest)
    if time is not None:
        rest = rest[: time.start()] + " " + rest[time.end() :]
    offset = _OFFSET.search(rest) if time is not None else None
    if offset is not None:
        rest = rest[: offset.start()] + " " + rest[offset.end() :]
        zone = _fixed(offset)
    if _FILLER.sub("", rest):
        raise _unreadable(text)
    name = date.groupdict().get("month")
    month = MONTHS[name[:3].lower()] if name else int(date["m"])
    hour, minute, second, micros = _of_day(time)
    return datetime(int(date["y"]), month, int(date["d"]), hour, minute, second, micros, tzinfo=zone)


def _of_day(time: re.Match[str] | None) -> tuple[int, int, int, int]:
    """Hour, minute, second, microsecond; midnight where no time of day is given."""
    if time is None:
        return 0, 0, 0, 0
    hour = int(time["h"])
    half = (time["half"] or time["only"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour on a twelve-hour clock")
        hour = hour % 12 + (12 if half == "p" else 0)
    elif time["before"] in ("晚上", "傍晚") and hour == 12:
        raise ValueError("midnight before or after the day")
    elif time["before"] == "凌晨" and hour == 12:
        hour = 0
    elif (time["before"] in _LATER and 1 <= hour < 12) or (time["before"] == "中午" and hour in (1, 2)):
        hour += 12
    minute = 30 if time["halfpast"] else int(time["min"] or time["zh"] or 0)
    micros = round(float(time["frac"] or 0) * 1_000_000)
    return hour, minute, int(time["s"] or 0), min(micros, 999_999)


def _fixed(offset: re.Match[str]) -> tzinfo:
    if not offset["sign"]:
        return UTC
    east = timedelta(hours=int(offset["h"]), minutes=int(offset["m"]))
    return timezone(-east if offset["sign"] == "-" else east)


def _unreadable(stamp: object) -> InvalidInput:
    shown = repr(stamp)[:80]
    if isinstance(stamp, str) and _TWO_WAYS.search(stamp):
        return InvalidInput(f"the time {shown} reads two ways (day or month first); write it as 2024-04-03T09:00")
    return InvalidInput(
        f"the time {shown} is not one that is known here; write it as 2024-04-03T09:00, or with an offset"
    )
