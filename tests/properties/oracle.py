"""An independent reading of the fold, for tests to compare with: slow, plain, and written from the data model's text alone.

The oracle takes one instant at a time, knows nothing of boundaries, levels or spans, and follows the text clause by clause.
Instants are sampled at every boundary, half-way between, and beyond both ends: agreement there is agreement everywhere.

Belongs here: what the text says stands at an instant, and which instants to ask about. Does not belong here: tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

from muniment.domain.enums import Standing
from muniment.domain.statement import Segment, Statement, canonical
from muniment.domain.time import Period

HELD, CONTENDER, DISPUTED, UNPLACED = Standing.HELD, Standing.CONTENDER, Standing.DISPUTED, Standing.UNPLACED
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
SINCE_EVER = datetime.min.replace(tzinfo=UTC)

Stand = tuple[UUID, Standing, str]
"""Who stands as what with which canonical value, at one instant."""


def begins(statement: Statement) -> datetime:
    """Its start, since-ever before all others."""
    return statement.start or SINCE_EVER


def covers(statement: Statement, instant: datetime) -> bool:
    """Whether the statement speaks of the instant."""
    return statement.placed and begins(statement) <= instant and (statement.end is None or instant < statement.end)


def oracle(told_so_far: Iterable[Statement], instant: datetime) -> set[Stand]:
    """Who stands as what at one instant, by the text of the data model."""
    covering = {one for one in told_so_far if covers(one, instant)}
    ranks = sorted({(begins(one), -one.trust) for one in covering})
    voices = [{one for one in covering if (begins(one), -one.trust) == rank} for rank in ranks]
    on_line: list[set[str]] = []  # which values are on the timeline after each rank has spoken
    trust, latest = 0, SINCE_EVER
    for (start, distrust), speaking in zip(ranks, voices, strict=True):
        said = {canonical(one.value) for one in speaking}
        before = on_line[-1] if on_line else set()
        if not before or -distrust >= trust:
            on_line.append(said)
            latest = start
        elif said & before and start > latest:
            on_line.append(said & before)
            latest = start
        else:
            on_line.append(before)
        trust = max(trust, -distrust)
    if not on_line:
        return set()
    timeline = on_line[-1]
    standing = HELD if len(timeline) == 1 else DISPUTED
    standings: set[Stand] = set()
    for value in timeline:
        first = len(on_line)
        while first and value in on_line[first - 1]:
            first -= 1
        run = [one for speaking in voices[first:] for one in speaking if canonical(one.value) == value]
        standings.add((min((begins(one), one.id) for one in run)[1], standing, value))
    for one in covering:
        if begins(one) >= latest and canonical(one.value) not in timeline:
            assert one.trust < trust
            standings.add((one.id, CONTENDER, canonical(one.value)))
    return standings


def instants(told_so_far: Iterable[Statement]) -> list[datetime]:
    """Every boundary, half-way between any two, and far beyond both ends."""
    bounds = sorted({at for one in told_so_far for at in (one.start, one.end) if at is not None} | {NEW_YEAR})
    between = [left + (right - left) / 2 for left, right in pairwise(bounds)]
    return [bounds[0] - timedelta(days=9), *bounds, *between, bounds[-1] + timedelta(days=9)]


def standings(segments: Iterable[Segment], instant: datetime) -> list[Stand]:
    """What the fold's output says of one instant, unplaced ones aside."""
    return sorted(
        (one.id, one.standing, canonical(one.value))
        for one in segments
        if one.standing is not UNPLACED and Period(start=one.start, end=one.end).covers(instant)
    )
