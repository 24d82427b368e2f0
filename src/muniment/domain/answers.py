"""What reads return: hits, pages, snapshots, the chain behind a fact.

Belongs here: result values and what each says about itself. Does not belong here: contexts (`contexts`), how they are found or
rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from muniment.domain.passages import Passage
from muniment.domain.reasons import HitReasons, Reasons, hit_reasons, reasons_of
from muniment.domain.records import Candidate, Decision, Event, Evidence, Fact
from muniment.domain.summaries import Summary

Item = Fact | Evidence | Summary | Passage
"""What a read can find."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a hit is there: channel, matched terms, basis, period, provenance and what is uncertain about it. `count` is how often
    it was said or held, `confirmed` when a fact was last heard."""

    channel: str
    reason: str
    scope: str
    basis: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    revision: int | None = None
    evidence: tuple[UUID, ...] = ()
    flags: tuple[str, ...] = ()
    count: int = 1
    confirmed: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer of `search`: the fact, evidence, summary or passage, its score (comparable inside its channel only), the
    score's parts and why it is there."""

    item: Item
    score: float
    parts: Mapping[str, float]
    why: Why

    @property
    def id(self) -> UUID:
        """The item's own id."""
        match self.item:
            case Fact():
                return self.item.fact_id
            case Evidence():
                return self.item.evidence_id
            case Summary():
                return self.item.summary_id
            case _:
                return self.item.passage_id

    @property
    def text(self) -> str:
        """What it says."""
        return self.item.content

    def explain(self) -> HitReasons:
        """Why it is there; `str()` of it reads well, `.plain()` is JSON."""
        return hit_reasons(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something eligible that a read left out, and why."""

    id: UUID | None
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which channels were asked, in order, and the reason for each.

    `case` is the router's case: exact, how_to, ongoing, context, interaction, general, or named (by the caller). `stopped`
    names the channel that answered alone; `spared` the ones not asked after all, each with the reason.
    """

    channels: tuple[str, ...]
    reasons: Mapping[str, str]
    case: str = "general"
    stopped: str | None = None
    spared: Mapping[str, str] = field(default_factory=dict)


class Hits(list[Hit]):
    """The hits of one search, best first; also says which channels failed, which were asked, what was left out, what
    disagrees and the snapshot's `known_at` token."""

    def __init__(
        self,
        items: list[Hit],
        *,
        route: Route,
        degraded: tuple[str, ...] = (),
        dropped: tuple[Dropped, ...] = (),
        conflicts: tuple[str, ...] = (),
        known_at: datetime | None = None,
    ) -> None:
        super().__init__(items)
        self.route = route
        self.degraded = degraded
        self.dropped = dropped
        self.conflicts = conflicts
        self.known_at = known_at

    def explain(self) -> Reasons:
        """Why each hit is there and what was left out; `str()` of it reads well, `.plain()` is JSON."""
        return reasons_of(self, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """A page of a list. Iterates over its items; `next` is the cursor of the following page, or None; of facts, `conflicts` says
    which of them others disagree with."""

    items: tuple[T, ...]
    next: str | None = None
    known_at: datetime | None = None
    conflicts: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> T:
        return self.items[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A turn that nothing was remembered of; `worth`, 0 to 1, is how likely it holds something worth it."""

    evidence_id: UUID
    text: str
    said_at: datetime
    worth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions(Page[Suggestion]):
    """A page of suggestions, the likeliest to hold something first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What is held of a reader at a glance: rules, other facts, and the value of each status key."""

    rules: tuple[Fact, ...]
    facts: tuple[Fact, ...]
    status: Mapping[str, str]
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The chain behind a fact, from the events to every revision, with the verdicts between."""

    fact: Fact
    revisions: tuple[Fact, ...]
    candidates: tuple[Candidate, ...]
    decisions: tuple[Decision, ...]
    evidence: tuple[Evidence, ...]
    events: tuple[Event, ...]
    conflicts: tuple[Mapping[str, Any], ...] = ()
