"""What the contract's tests stand on: a memory over the store under test, keys that look alike, the reading of timelines.

Belongs here: fixtures and helpers of the contract. Does not belong here: tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import muniment
from muniment.domain.enums import Standing
from muniment.domain.records import Fact
from muniment.ports.store import FactFilter
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import LinesExtractor, SteppingClock

LOOK_ALIKE = (
    "acme",
    "ACME",
    "acme ",
    " acme",
    "acm\u00e9",
    "acme\u200b",
    "acme-corp",
    "a%",
    "a_",
    "%",
    "_",
    "\U0001f98a",
    "\U0001f984",
    "ss",
    "\u00df",
    "部门",
    "部門",
    "*",
    "None",
)
"""Keys that one database or another takes for each other: by case, accents, padding, patterns, emoji, expansion."""


def instant(day: int, hour: float = 0.0, *, month: int = 6) -> datetime:
    """An instant of 2026, UTC."""
    return datetime(2026, month, day, tzinfo=UTC) + timedelta(hours=hour)


def timeline(me: Reader, predicate: str, *, standings: Sequence[Standing] = (Standing.HELD,)) -> list[tuple[Any, ...]]:
    """What is believed now of a predicate over all time, as (value, from, until), in order."""
    rows = [row for row in believed(me, predicate) if row.standing in standings]
    return sorted(((row.value, row.valid_from, row.valid_until) for row in rows), key=lambda row: (str(row[1]), row[0]))


def believed(me: Reader, predicate: str) -> list[Fact]:
    """Every version of a predicate's facts that is believed now, whenever it holds."""
    with me.parts.store.read(me.identity) as unit:
        rows = unit.facts(FactFilter(predicate=predicate, include_inactive=True))
    return [row for row in rows if row.retracted_at is None and row.standing is not None]


def value(me: Reader, predicate: str, **instants: Any) -> str | None:
    """The slot's value, as of the instants."""
    fact = me.get(predicate, **instants)
    return None if fact is None else fact.value


class ContractBase:
    """A memory over the store under test. Needs a fixture `store_url`; `open` may be overridden."""

    def open(self, url: str, **given: Any) -> Muniment:
        """A memory over the store under test. Called again with the same URL it must find what was there."""
        return muniment.open(url, **{"embedder": "none", "extractor": LinesExtractor(), **given})

    @pytest.fixture
    def clock(self) -> SteppingClock:
        """The memory's clock."""
        return SteppingClock()

    @pytest.fixture
    def memory(self, store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
        """An open memory over an empty store."""
        with self.open(store_url, clock=clock) as memory:
            yield memory

    @pytest.fixture
    def me(self, memory: Muniment) -> Reader:
        """One user's reader."""
        return memory.reader(tenant="acme", user="ana", session="s1")

    def everything(self, me: Reader) -> Any:
        """Counts, versions and index entries: what a refused write must leave as it was."""
        with me.parts.store.read(me.identity) as unit:
            rows = unit.facts(FactFilter(include_inactive=True))
            states = unit.partition_states(list(me.parts.store.partitions()))
            entries = sorted((key, state.count) for key, state in states.items())
            return dict(unit.counts()), [(row.fact_id, row.revision, row.retracted_at) for row in rows], entries
