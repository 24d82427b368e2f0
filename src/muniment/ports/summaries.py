"""What summaries ask of a store: the material they are made of, their versions, and those that a forget takes along.

Belongs here: those methods. Does not belong here: how a summary is made (models/summarisers) and when (service/summaries.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from muniment.domain.records import Evidence
from muniment.domain.scope import Placement
from muniment.domain.summaries import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """A session in which nothing more was said for a while, and that has no summary of all that was."""

    tenant: str
    user: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A user whose memory was written to after their last summary was."""

    tenant: str
    user: str


class SummaryReads(Protocol):
    """Summaries in a snapshot."""

    def summaries(
        self, *, ids: Iterable[UUID] | None = None, places: Sequence[Placement] | None = None
    ) -> list[Summary]:
        """The versions this reader may see and that stood at the instant asked for: by id, or of exactly these places. Their
        lines are as they were written: whether what they rest on still stands is to be checked."""
        ...

    def stories(self, limit: int) -> list[Summary]:
        """The current summaries of the latest sessions of the reader's user, whichever session asks, the latest first: what is
        folded into the user's own. Never shown as they are."""
        ...

    def summary_places(self) -> list[Placement]:
        """The places of the reader's user that have a current summary, whoever may see it."""
        ...

    def turns(self, place: Placement, *, limit: int, chars: int) -> list[Evidence]:
        """The last pieces of a session or task of a user that may be offered, oldest first, at most `chars` of each."""
        ...

    def told_in(self, place: Placement, *, limit: int) -> list[UUID]:
        """The facts whose evidence lies in a session or task, the ones told last where there are more than `limit`."""
        ...

    def kept_apart(self, evidence_ids: Iterable[UUID]) -> set[UUID]:
        """Those of the pieces in which a fact was told that this reader cannot see, in whatever partition it lives."""
        ...

    def tasks_in(self, session: str) -> list[str]:
        """The tasks that something said in a session belongs to."""
        ...

    def vectors(self, refs: Iterable[UUID]) -> Mapping[UUID, bytes]:
        """The vectors last written for references, under this store's embedder; those without one are left out."""
        ...


class SummaryWrites(Protocol):
    """Summaries inside one write that holds the user's partition."""

    def add_summary(self, item: Summary) -> Summary:
        """Writes a version and retires the one before it, with its index entries; returns it as recorded."""
        ...

    def retire_summary(self, summary_id: UUID) -> None:
        """Ends the current version without another one."""
        ...

    def drop_summaries(self, users: Collection[str] | None, refs: Collection[UUID] | None = None) -> int:
        """Removes the summaries that may say anything of what goes, in every version: of a session that a piece was said in,
        of any user or task, and whatever rests on it. Without `refs`, all of the users (None: of the tenant)."""
        ...


class SummaryDue(Protocol):
    """Which summaries are due, in the whole store."""

    def quiet_sessions(self, before: datetime) -> list[Quiet]: ...
    def summarised_homes(self) -> list[Home]: ...
