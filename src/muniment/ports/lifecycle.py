"""What the lifecycle asks of a store: what is due, without a word of it.

Belongs here: those methods and the values they give. Does not belong here: what is then done (ingestion/purging.py,
service/lifecycle.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from muniment.domain.scope import PartitionKey

Kind = Literal["hidden", "scoped", "evidence", "archive"]
"""`hidden`: facts and evidence hidden by then. `scoped`: SESSION and TASK memories that ended and were last told by then.
`evidence`: evidence recorded by then that grounds nothing believed. `archive`: such whose every fact is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What is looked for: a kind, by when it came about, and the instant that 'believed' and 'over' are judged at."""

    kind: Kind
    before: datetime
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DueOf:
    """How much is due of one user, or was told by them where it is nobody's own."""

    tenant: str
    user: str
    facts: int
    evidence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What is due, by id. `partly` are facts that stay, though versions told in this evidence were hidden."""

    facts: tuple[UUID, ...] = ()
    evidence: tuple[UUID, ...] = ()
    partly: frozenset[UUID] = frozenset()


class DueUnit(Protocol):
    """What is due of the reader's user, read under the locks of the write that deals with it."""

    def due(self, wanted: Past, *, limit: int) -> Due: ...


class DueStore(Protocol):
    """What is due in the whole store, and the one thing that takes no event: a hint that moves."""

    def due(self, wanted: Past) -> list[DueOf]: ...
    def expired(self, at: datetime) -> int: ...
    def expire(self, at: datetime) -> int: ...
    def unembedded(self) -> list[PartitionKey]: ...
    def unpacked(self, least: int) -> Sequence[PartitionKey]: ...
