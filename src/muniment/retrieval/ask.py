"""A question, with everything the read path needs to answer it.

Belongs here: `Ask` and what channels give back. Does not belong here: any channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muniment.config import Policy
from muniment.domain.answers import Dropped, Hit, Item
from muniment.domain.enums import MemoryType
from muniment.domain.errors import InvalidInput, TooLarge, UnknownField
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import Reader
from muniment.domain.time import AsOf, utc
from muniment.retrieval.where import matches
from muniment.text.sanitise import sanitise

CHANNELS = ("exact", "task", "facts", "window", "summary", "workflow", "evidence", "knowledge")
"""The channels, in the order in which the merge ranks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked, by whom, as of when; `vector` is the question embedded beforehand, where the caller has it."""

    query: str
    reader: Reader
    policy: Policy
    k: int = 10
    as_of: AsOf = field(default_factory=AsOf)
    channels: tuple[str, ...] | None = None
    types: frozenset[MemoryType] | None = None
    since: datetime | None = None
    until: datetime | None = None
    where: Mapping[str, Any] | None = None
    min_score: float | None = None
    vector: Any = None
    role_prior: bool | None = None

    def wants(self, item: Fact | Evidence) -> bool:
        """Whether a record passes the question's metadata filter."""
        return self.where is None or matches(self.where, item.metadata)

    def admits(self, item: Item) -> bool:
        """Whether a record that no index was asked for passes the question's types, time bounds and metadata filter."""
        if not isinstance(item, (Fact, Evidence)) or not self.wants(item):
            return False
        if isinstance(item, Fact):
            typed = self.types is None or item.memory_type in self.types
            begins = self.until is None or item.valid_from is None or item.valid_from < self.until
            return (
                typed and begins and (self.since is None or item.valid_until is None or item.valid_until > self.since)
            )
        at = item.recorded_at if item.occurred is None else item.occurred.at
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


@dataclass(slots=True)
class Recall:
    """What one channel found, best first, and what it left out with the reason.

    `answers` says that this is all the question asks for, so that what the router made conditional on it is not asked any
    more; `reason` is the channel's own word for the route. `lost` are facts that bear on the question but whose ground went,
    `past` those that held before, where the question asks for that. `degraded` names what of the channel failed while the
    rest of it answered. `people` are those whose value is asked for, by the names they go by, where that is known, and `kind` the
    kind of key that it is.
    """

    hits: list[Hit] = field(default_factory=list)
    answers: bool = False
    reason: str = ""
    dropped: list[Dropped] = field(default_factory=list)
    lost: list[Fact] = field(default_factory=list)
    past: list[Fact] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    people: frozenset[str] = frozenset()
    kind: str | None = None


def checked(ask: Ask) -> Ask:
    """The question, cleaned. Raises `TooLarge`, `UnknownField` (a channel) or `InvalidInput`, naming what is wrong."""
    from dataclasses import replace

    limits = ask.policy.limits
    if not isinstance(ask.query, str):
        raise InvalidInput(f"query must be text, not {type(ask.query).__name__}")
    if len(ask.query) > limits.query_chars:
        raise TooLarge(f"the question has {len(ask.query)} characters, over limits.query_chars = {limits.query_chars}")
    whole(ask.k, name="k", most=limits.page)
    unknown = sorted(set(ask.channels or ()) - set(CHANNELS))
    if unknown:
        raise UnknownField(f"no channel {unknown[0]!r}; known are {', '.join(CHANNELS)}")
    score: object = ask.min_score
    if score is not None and not (isinstance(score, int | float) and 0 <= score <= 1):
        raise InvalidInput(f"min_score is a probability from 0 to 1, not {score!r}")
    for name in ("since", "until"):
        if (at := getattr(ask, name)) is not None:
            utc(at, name=name)
    return replace(ask, query=sanitise(ask.query).text)


def whole(value: object, *, name: str, most: int) -> None:
    """Raises `InvalidInput`, naming the argument, for anything but a whole number from 1 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InvalidInput(f"{name} must be a whole number from 1 to {most}, not {value!r}")
