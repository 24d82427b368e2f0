"""Where a derived fact still stands: its timeline, bounded by that of its grounds.

A derived fact is folded like any other; then it is looked at beside its grounds. Over what no ground covers any more it
is UNSUPPORTED: not known, previously this. Over what only some of its grounds cover it stands, weakened. Where something took
its place, what was told of it before ends.

Belongs here: that, as pure functions over half-open periods. Does not belong here: which grounds a fact has and how far
they reach (ingestion/supports.py), the fold (`fold.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from muniment.domain.enums import Standing
from muniment.domain.statement import Segment, Statement

Span = tuple[datetime | None, datetime | None]
"""[start, end); None is since ever, or open."""
Cover = tuple[Span, ...]
"""Disjoint spans in order."""

_SINCE_EVER: Final = datetime.min.replace(tzinfo=UTC)
ALWAYS: Final[Cover] = ((None, None),)
NEVER: Final[Cover] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """`cover` is where at least one ground holds, `full` where all of them do; `ends` are the instants at which something
    else took the fact's place.
    `weakest` is the least confidence among the grounds: no fact derived from them has more."""

    cover: Cover = ALWAYS
    full: Cover = ALWAYS
    ends: tuple[datetime, ...] = ()
    weakest: float = 1.0


def union(covers: Iterable[Cover]) -> Cover:
    """What any of the covers covers."""
    merged: list[Span] = []
    for start, end in sorted((span for cover in covers for span in cover), key=_begins):
        if merged and _reaches(merged[-1][1], start):
            merged[-1] = (merged[-1][0], _later(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersection(one: Cover, other: Cover) -> Cover:
    """What both cover."""
    found = []
    for start, end in one:
        for begin, stop in other:
            first, last = _after(start, begin), _before(end, stop)
            if first is None or last is None or first < last:
                found.append((first, last))
    return tuple(sorted(found, key=_begins))


def complement(cover: Cover) -> Cover:
    """What the cover does not cover."""
    found: list[Span] = []
    since: datetime | None = None
    for start, end in cover:
        if start is not None and (since is None or since < start):
            found.append((since, start))
        if end is None:
            return tuple(found)
        since = end
    return (*found, (since, None))


def reaching(cover: Cover) -> Cover:
    """The cover, extended to since ever: what was derived from a ground is not doubted for the time before the ground
    began, only for the time after it went."""
    return union([cover, ((None, cover[0][0]),)]) if cover and cover[0][0] is not None else cover


def bounded(statement: Statement, ends: Iterable[datetime]) -> Statement:
    """The statement, ended where something took its place after it began. What is told of a later time is not touched: it
    begins anew."""
    start = statement.start or _SINCE_EVER
    after = [end for end in ends if start < end and (statement.end is None or end < statement.end)]
    return replace(statement, end=min(after)) if after else statement


def grounded(segments: Sequence[Segment], supports: Mapping[UUID, Support]) -> list[Segment]:
    """The segments of a slot, those of derived facts split where their support begins or ends.

    UNPLACED segments have no period to bound: they are UNSUPPORTED where their support has gone for good.
    """
    found: list[Segment] = []
    for segment in segments:
        support = supports.get(segment.id)
        found += [segment] if support is None else _split(segment, support)
    return found


def _split(segment: Segment, support: Support) -> list[Segment]:
    if segment.standing is Standing.UNPLACED:
        standing = Standing.UNPLACED if support.cover and support.cover[-1][1] is None else Standing.UNSUPPORTED
        return [replace(segment, standing=standing)]
    alive: Cover = ((segment.start, segment.end),)
    parts = [
        *((span, segment.standing, False) for span in intersection(alive, intersection(support.cover, support.full))),
        *((span, segment.standing, True) for span in intersection(alive, _without(support.cover, support.full))),
        *((span, Standing.UNSUPPORTED, False) for span in intersection(alive, complement(support.cover))),
    ]
    parts.sort(key=lambda part: _begins(part[0]))
    return [
        replace(segment, start=span[0], end=span[1], standing=standing, weakened=weakened)
        for span, standing, weakened in parts
    ]


def _without(one: Cover, other: Cover) -> Cover:
    return intersection(one, complement(other))


def _begins(span: Span) -> datetime:
    return span[0] or _SINCE_EVER


def _reaches(end: datetime | None, start: datetime | None) -> bool:
    return end is None or start is None or start <= end


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)


def _after(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two starts."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _before(one: datetime | None, other: datetime | None) -> datetime | None:
    """The earlier of two ends."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
