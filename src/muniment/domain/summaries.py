"""Summaries: what a session, a user or a task has been about, in five fields.

A summary is derived and never a source of facts. Each line names the facts and evidence it rests on, so that one of them that
is forgotten takes the line along, and so that an exact value can be shown from its source instead of from a retelling.

Belongs here: the values, and how many lines of a draft fit. Does not belong here: how they are made, kept and found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from muniment.domain.scope import Placement

FIELDS: Final = ("topic", "confirmed", "open_items", "entities", "mood")
"""The five fields, in the order in which they are shown."""
_SHARES: Final[Mapping[str, float]] = {
    "topic": 0.3,
    "confirmed": 0.3,
    "open_items": 0.2,
    "entities": 0.12,
    "mood": 0.08,
}
"""What part of the tokens a field may take before the others have had theirs."""
_FIRST: Final = ("confirmed", "open_items", "topic", "entities", "mood")
"""Which fields take what the others left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a summary; `rests_on` are the facts and pieces of evidence it was made from."""

    text: str
    rests_on: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The five fields before they are a version: what a summariser gives, each field's best line first."""

    topic: tuple[Line, ...] = ()
    confirmed: tuple[Line, ...] = ()
    open_items: tuple[Line, ...] = ()
    entities: tuple[Line, ...] = ()
    mood: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, in the order of the fields."""
        return tuple(_lines(self))

    @property
    def content(self) -> str:
        """Every line, one under the other."""
        return "\n".join(line.text for line in self.lines)

    def within(self, most: int, count: Callable[[str], int]) -> Draft:
        """As many whole lines as fit in `most` tokens as `count` counts them; every field first gets its share."""
        costs = {name: [count(line.text) + 1 for line in getattr(self, name)] for name in FIELDS}
        taken: dict[str, list[int]] = {name: [] for name in FIELDS}
        left = most
        for name in FIELDS:
            share = int(most * _SHARES[name])
            for place, cost in enumerate(costs[name]):
                if cost <= share:
                    taken[name].append(place)
                    share, left = share - cost, left - cost
        for name in _FIRST:
            for place, cost in enumerate(costs[name]):
                if place not in taken[name] and cost <= left:
                    taken[name].append(place)
                    left -= cost
        found = Draft(**{name: tuple(getattr(self, name)[place] for place in sorted(taken[name])) for name in FIELDS})
        # Odd text may count for more in one piece than line by line.
        while found.lines and count(found.content) > most:
            last = next(name for name in reversed(_FIRST) if getattr(found, name))
            found = replace(found, **{last: getattr(found, last)[:-1]})
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One version of a rolling summary: of a session where its placement has one, of a task, or of a user across sessions.

    `covers_from` to `covers_until` is the time of what was said that it covers; `derived_by` names what made it, `made_from`
    is a digest of what it was made of, and `through` when the last of that was recorded. `stale` counts the lines that this
    read left out, because what they rest on does not hold any more or is not this reader's to see.
    """

    summary_id: UUID
    version: int
    placement: Placement
    topic: tuple[Line, ...]
    confirmed: tuple[Line, ...]
    open_items: tuple[Line, ...]
    entities: tuple[Line, ...]
    mood: tuple[Line, ...]
    covers_from: datetime | None
    covers_until: datetime | None
    derived_by: str
    recorded_at: datetime
    retracted_at: datetime | None = None
    made_from: str = ""
    through: datetime | None = None
    stale: int = 0

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, in the order of the fields."""
        return tuple(_lines(self))

    @property
    def content(self) -> str:
        """Every line, one under the other, in the order of the fields."""
        return "\n".join(line.text for line in self.lines)

    @property
    def rests_on(self) -> frozenset[UUID]:
        """Everything that any line rests on."""
        return frozenset(ref for line in self.lines for ref in line.rests_on)

    def standing_on(self, standing: Collection[UUID]) -> Summary:
        """The summary with only those lines whose every ground is among the given ones."""
        kept: dict[str, Any] = {
            name: tuple(line for line in getattr(self, name) if line.rests_on and set(line.rests_on) <= set(standing))
            for name in FIELDS
        }
        lost = len(self.lines) - sum(len(lines) for lines in kept.values())
        return replace(self, stale=self.stale + lost, **kept) if lost else self


def _lines(item: Any) -> Iterator[Line]:
    return (line for name in FIELDS for line in getattr(item, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What ending a session led to: its summary (None for a session in which nothing was said), which summaries got a new
    version ('session', 'task', 'user'), and that in words."""

    session: str
    summary: Summary | None
    made: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
