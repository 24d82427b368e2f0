"""Instants and periods.

Belongs here: aware instants in UTC at microsecond precision, the offset and zone they were given in, half-open periods.
Does not belong here: the clock (a port) and the reading of time expressions in text (an extractor's work).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from muniment.domain.errors import InvalidInput, NaiveInstant

MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(value: datetime, *, name: str = "datetime") -> datetime:
    """The same instant in UTC. Raises `NaiveInstant`, naming the argument, where no offset is given."""
    if not isinstance(value, datetime):
        raise InvalidInput(f"{name} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveInstant(
            f"{name}={value.isoformat()!r} has no offset; write one, as in 2026-07-01T09:00:00+08:00 (Python: an aware datetime)"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"{name}={value.isoformat()!r} lies outside the years 1 to 9999 in UTC") from None


def micros(at: datetime | None) -> int | None:
    """Whole microseconds since 1970, as the index keeps instants; None stays None."""
    return None if at is None else (at - EPOCH) // MICROSECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An instant, with the offset (minutes east of UTC) and the IANA zone it was given in, where one was named."""

    at: datetime
    offset: int = 0
    zone: str | None = None

    @classmethod
    def of(cls, value: datetime | str, *, name: str = "datetime") -> Moment:
        """Reads an aware datetime, or ISO 8601 text with an offset. Raises `NaiveInstant` or `InvalidInput`."""
        if isinstance(value, str):
            value = parse_instant(value, name=name)
        at = utc(value, name=name)
        offset = value.utcoffset() or timedelta()
        zone = getattr(value.tzinfo, "key", None)
        return cls(at=at, offset=round(offset.total_seconds() / 60), zone=zone)

    def local(self) -> datetime:
        """The instant as it was given: in its zone where that is known here, else at its offset."""
        return self.at.astimezone(self.tz())

    def tz(self) -> tzinfo:
        """The zone in which civil dates of this moment ('today', 上周末) resolve."""
        if self.zone:
            try:
                return ZoneInfo(self.zone)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                pass
        return timezone(timedelta(minutes=self.offset))


def parse_instant(text: str, *, name: str = "datetime") -> datetime:
    """ISO 8601 text with an offset as an aware datetime. Raises `InvalidInput` (unreadable) or `NaiveInstant`."""
    try:
        value = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError):
        raise InvalidInput(f"{name}={text!r} is not an ISO 8601 instant such as 2026-07-01T09:00:00+08:00") from None
    utc(value, name=name)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A half-open span [start, end) of UTC instants; None means without bound on that side."""

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        """Takes the bounds to UTC; refuses naive ones and a span that ends before it begins."""
        start = None if self.start is None else utc(self.start, name="start")
        end = None if self.end is None else utc(self.end, name="end")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        if start is not None and end is not None and end <= start:
            raise InvalidInput(f"a period must end after it begins: [{start.isoformat()}, {end.isoformat()})")

    def covers(self, instant: datetime) -> bool:
        """Whether the instant lies in the period; the end does not."""
        instant = utc(instant, name="instant")
        return (self.start is None or self.start <= instant) and (self.end is None or instant < self.end)

    def overlaps(self, other: Period) -> bool:
        """Whether the two share an instant."""
        begins = self.start is None or other.end is None or self.start < other.end
        ends = self.end is None or other.start is None or other.start < self.end
        return begins and ends


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """The two instants a read is made for: when it held in the world, and when the store believed it.

    None means now; `known_at` is a token that an earlier read returned, or any instant.
    """

    valid_at: datetime | None = None
    known_at: datetime | None = None
