"""The fold: what the statements of one slot, taken together, say holds when.

Belongs here: the pure functions from a set of statements to segments, for single-valued and multi-valued slots. Does
not belong here: which statements are live, which predicate is multi-valued (the catalogue), how rows follow.

The rule at one instant (data model, 'Statements, slots and the fold'), over the statements whose stated period covers
it, by start ascending ('since ever' first), then trust descending:

- The first holds. A later one takes over unless its trust is lower than the holder's; what it took over from has no
  standing at that instant.
- One with the holder's value joins its run: the run keeps the higher trust and is compared by its latest start.
- Statements of equal start and equal trust are heard together. If several of their values are fit to hold, those are
  in DISPUTE until a later statement takes over, or repeats one side and so settles it for that side, whatever its
  trust. Together, because one by one a repeat of both sides by less trusted voices would settle the dispute for the
  side that sorts first: no value is ever picked by its spelling.
- A CONTENDER is a statement of a value that is not on the timeline, starting no earlier than the run that is, by that
  run's latest start. It is less trusted than the run, or it would have taken over. Whatever starts earlier has been
  answered: by who took over since, or by the repeat that said the holder's value again since. So a contender never
  outlives the run it contested. Contenders do not compete among themselves: each is shown.

Who holds, disputes and contends is thus a function of the set of covering statements, never of their arrival.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import groupby
from typing import Final, NamedTuple
from uuid import UUID

from muniment.domain.enums import Standing
from muniment.domain.statement import Segment, Statement, canonical
from muniment.domain.time import MICROSECOND, utc

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class _Told(NamedTuple):
    """A statement on the number line (microseconds since 1970, or infinite), sorting as the fold hears it."""

    start: float
    distrust: int
    value: str
    id: UUID
    spelling: str
    end: float


class _Holder(NamedTuple):
    """What stands on the timeline: one side holds, several are in dispute. `sides` is the earliest telling by value."""

    sides: dict[str, _Told]
    trust: int
    latest: float


class _Level(NamedTuple):
    """The covering statements of one start, in order, and what holds once they are heard after all earlier ones."""

    start: float
    told: list[_Told]
    holder: _Holder | None


class _Span(NamedTuple):
    """One telling in one standing over [start, end)."""

    told: _Told
    standing: Standing
    start: float
    end: float


def fold(statements: Iterable[Statement]) -> list[Segment]:
    """The timeline of a single-valued slot, with its disputes and contenders, sorted by start, standing, value and id.

    The input is a set: neither order nor repeats matter. A run told by several facts is the segment of the fact that
    told it first (start, then id) among those covering the instant, in that fact's spelling; touching segments of one
    fact, value and standing are one. Contenders have a segment per fact. A statement with `placed` false takes no part
    and gives one UNPLACED segment per fact and value, without bounds. A period that ends before it begins is empty.
    Raises `NaiveInstant` for a bound without an offset.
    """
    placed, beside = _partition(statements)
    beginning: defaultdict[float, list[_Told]] = defaultdict(list)
    ending: defaultdict[float, list[_Told]] = defaultdict(list)
    for told in placed:
        beginning[told.start].append(told)
        if told.end < math.inf:
            ending[told.end].append(told)
    sweep = _Sweep()
    for at in sorted(beginning.keys() | ending.keys()):
        sweep.step(at, begun=beginning.get(at, []), ended=ending.get(at, []))
    return _segments(_coalesced(sweep.close(), lambda span: (span.told.id, span.standing, span.told.value)), beside)


def fold_multi(statements: Iterable[Statement]) -> list[Segment]:
    """The timeline of a multi-valued slot: every value holds on its own over the union of its stated periods.

    Periods of one value that overlap or touch are one segment, of the fact that told it first (start, then id), in its
    spelling. Nothing contends or is disputed, so trust plays no part. Otherwise as `fold`.
    """
    placed, beside = _partition(statements)
    spans = [_Span(told, Standing.HELD, told.start, told.end) for told in placed]
    return _segments(_coalesced(spans, lambda span: (span.told.value,)), beside)


class _Sweep:
    """The walk over all boundaries. Beginnings are heard on top of what stands; an end replays only what it changes."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._holder: _Holder | None = None
        self._since: dict[tuple[_Told, Standing], float] = {}
        self._spans: list[_Span] = []

    def step(self, at: float, *, begun: list[_Told], ended: list[_Told]) -> None:
        """Moves on to the boundary `at`, where these statements begin and those end."""
        for told in sorted(ended, reverse=True):  # the last heard first, so that few are heard again
            self._forget(told)
        if begun:
            self._levels.append(_level(at, sorted(begun), self._below(len(self._levels))))
        holder = self._below(len(self._levels))
        if holder == self._holder:  # then only contenders can have come or gone, and only among these
            gone = [(told, Standing.CONTENDER) for told in ended if (told, Standing.CONTENDER) in self._since]
            come = [(told, Standing.CONTENDER) for told in begun]
        else:
            current = self._standings(holder)
            gone = [pair for pair in self._since if pair not in current]
            come = [pair for pair in current if pair not in self._since]
        self._holder = holder
        for told, standing in gone:
            self._spans.append(_Span(told, standing, self._since.pop((told, standing)), at))
        self._since.update(dict.fromkeys(come, at))

    def close(self) -> list[_Span]:
        """Ends the walk: what still stands does so without end. Returns every span, touching ones not yet made one."""
        last = [_Span(told, standing, since, math.inf) for (told, standing), since in self._since.items()]
        return self._spans + last

    def _below(self, index: int) -> _Holder | None:
        """What holds before the level at `index` is heard."""
        return self._levels[index - 1].holder if index else None

    def _standings(self, holder: _Holder | None) -> dict[tuple[_Told, Standing], None]:
        """Who stands as what at this instant, as an ordered set."""
        if holder is None:
            return {}
        standing = Standing.HELD if len(holder.sides) == 1 else Standing.DISPUTED
        current: dict[tuple[_Told, Standing], None] = dict.fromkeys((told, standing) for told in holder.sides.values())
        for level in self._levels[bisect_left(self._levels, holder.latest, key=_start) :]:
            current |= {(told, Standing.CONTENDER): None for told in level.told if told.value not in holder.sides}
        return current

    def _forget(self, told: _Told) -> None:
        """Takes a statement out and hears the later ones again, up to where nothing changes any more."""
        first = bisect_left(self._levels, told.start, key=_start)
        self._levels[first].told.remove(told)
        if not self._levels[first].told:
            del self._levels[first]
        for index in range(first, len(self._levels)):
            old = self._levels[index]
            self._levels[index] = new = _level(old.start, old.told, self._below(index))
            if new.holder == old.holder:
                return


def _start(level: _Level) -> float:
    """Where a level begins; levels are kept in this order."""
    return level.start


def _level(start: float, told: list[_Told], holder: _Holder | None) -> _Level:
    """The level these statements of one start make on top of that holder."""
    for _, group in groupby(told, key=lambda one: one.distrust):
        holder = _heard(holder, list(group))
    return _Level(start, told, holder)


def _heard(holder: _Holder | None, group: list[_Told]) -> _Holder:
    """What holds once statements of one start and one trust, later in the fold's order, are heard together."""
    start, trust = group[0].start, -group[0].distrust
    voices: dict[str, _Told] = {}
    for told in group:
        voices.setdefault(told.value, told)
    if holder is None:
        return _Holder(voices, trust, start)
    again = {
        value: min(holder.sides[value], told, key=_earliest) for value, told in voices.items() if value in holder.sides
    }
    if trust >= holder.trust:  # then also later: of one start, the more trusted were heard before
        return _Holder(voices | again, trust, start)
    if not again:
        return holder
    if start > holder.latest:
        return _Holder(again, holder.trust, start)
    return holder._replace(sides=holder.sides | again)


def _earliest(told: _Told) -> tuple[float, UUID, str]:
    """Whose a run is: the first to begin, then the lowest id; the spelling only to be sure of one answer."""
    return told.start, told.id, told.spelling


def _partition(statements: Iterable[Statement]) -> tuple[set[_Told], set[_Told]]:
    """The statements that cover some instant, and those that have no known time, each told once."""
    placed: set[_Told] = set()
    beside: set[_Told] = set()
    for one in statements:
        start = _ticks(one.start, -math.inf) if one.placed else -math.inf
        end = _ticks(one.end, math.inf) if one.placed else math.inf
        told = _Told(start, -one.trust, canonical(one.value), one.id, one.value, end)
        if not one.placed:
            beside.add(told)
        elif start < end:
            placed.add(told)
    return placed, beside


def _coalesced(spans: Iterable[_Span], key: Callable[[_Span], tuple[object, ...]]) -> list[_Span]:
    """Spans of one key that overlap or touch made one, with the earliest telling of the first."""
    by_key: defaultdict[tuple[object, ...], list[_Span]] = defaultdict(list)
    for span in spans:
        by_key[key(span)].append(span)
    merged: list[_Span] = []
    for alike in by_key.values():
        alike.sort(key=lambda span: (span.start, _earliest(span.told)))
        current = alike[0]
        for span in alike[1:]:
            if span.start <= current.end:
                current = current._replace(end=max(current.end, span.end))
            else:
                merged.append(current)
                current = span
        merged.append(current)
    return merged


def _segments(spans: list[_Span], beside: set[_Told]) -> list[Segment]:
    """Spans, and statements beside the timeline (one per fact and value), as sorted segments."""
    by_fact: dict[tuple[UUID, str], _Told] = {}
    for told in sorted(beside, key=_earliest):
        by_fact.setdefault((told.id, told.value), told)
    spans = spans + [_Span(told, Standing.UNPLACED, -math.inf, math.inf) for told in by_fact.values()]
    spans.sort(key=lambda span: (span.start, span.standing, span.told.spelling, span.told.id))
    return [
        Segment(
            id=span.told.id,
            value=span.told.spelling,
            start=_instant(span.start),
            end=_instant(span.end),
            standing=span.standing,
        )
        for span in spans
    ]


def _ticks(instant: datetime | None, unbounded: float) -> float:
    """Microseconds since 1970 (an exact integer), or that infinity where there is no bound."""
    return unbounded if instant is None else (utc(instant, name="statement bound") - _EPOCH) // MICROSECOND


def _instant(ticks: float) -> datetime | None:
    """The bound at these microseconds since 1970, or None for an infinite one."""
    return None if math.isinf(ticks) else _EPOCH + int(ticks) * MICROSECOND
