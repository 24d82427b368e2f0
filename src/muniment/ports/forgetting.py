"""What forgetting asks of a unit of work, beside what every write asks.

These reads see a whole tenant, whoever reads: who may forget what is settled before they are asked (service/), and what they
give is never shown but to whom it belongs.

Belongs here: those methods and the values they take. Does not belong here: what is selected and why (ingestion/).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from muniment.domain.forgotten import Erasure, Hold, Mode
from muniment.domain.records import Candidate, Evidence, Fact
from muniment.domain.scope import PartitionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Everything of a user, or of one of their sessions or tasks; `user` None: of the whole tenant."""

    user: str | None
    session: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """Ids of what lies in an extent."""

    events: tuple[UUID, ...] = ()
    evidence: tuple[UUID, ...] = ()
    candidates: tuple[UUID, ...] = ()
    facts: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of a fact or of a piece of evidence, in every version; `hidden` says that it was hidden before."""

    kind: Literal["fact", "evidence"]
    id: UUID
    texts: tuple[str, ...]
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Where a fact lives, and the user it names."""

    partition: PartitionKey
    user: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stone:
    """A tombstone: what was forgotten, never its content."""

    kind: str
    ref: UUID | None
    user: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """What one erasure takes: whole facts, pieces, candidates and events; `rests` are the words that pieces keep, `reworded`
    facts that also stand on other ground, whose earlier words go; `partial` events of which something stays."""

    facts: tuple[UUID, ...]
    evidence: tuple[UUID, ...]
    candidates: tuple[UUID, ...]
    events: tuple[UUID, ...]
    rests: Mapping[UUID, Evidence]
    reworded: Mapping[UUID, Fact]
    partial: frozenset[UUID]
    probes: tuple[str, ...]
    users: frozenset[str]


class ForgettingUnit(Protocol):
    """Selecting, hiding and erasing inside one write."""

    def extent(self, wanted: Extent) -> Selected: ...
    def events_of(self, evidence_ids: Iterable[UUID]) -> dict[UUID, UUID]: ...
    def evidence_on(self, event_ids: Iterable[UUID]) -> dict[UUID, UUID]: ...
    def pieces(self, ids: Iterable[UUID]) -> dict[UUID, Evidence]: ...
    def told_on(self, evidence_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]: ...
    def owners(self, fact_ids: Iterable[UUID]) -> dict[UUID, Owner]: ...
    def candidates_on(
        self, *, evidence: Iterable[UUID] = (), facts: Iterable[UUID] = (), events: Iterable[UUID] = ()
    ) -> list[Candidate]: ...
    def alone(self, fact_ids: Collection[UUID], *, single: bool) -> set[UUID]: ...
    def versions(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[tuple[str, str | None]]]: ...
    def acts_on(self, fact_ids: Collection[UUID], *, user: str | None) -> list[UUID]: ...
    def words_of(self, user: str) -> Iterator[Words]: ...
    def keyed(self, keys: Collection[tuple[str, str]], *, user: str) -> set[UUID]: ...
    def lanes_of(self, event_ids: Iterable[UUID]) -> set[str]: ...
    def holds_on(self, users: Collection[str] | None) -> list[Hold]: ...
    def add_hold(self, hold: Hold) -> None: ...
    def release_hold(self, hold_id: UUID) -> None: ...
    def bury(self, stones: Sequence[Stone], *, mode: Mode, actor: str, reason: str) -> None: ...
    def close_candidates(self, ids: Iterable[UUID], *, reason: str) -> int: ...
    def conceal(self, fact_ids: Iterable[UUID]) -> None: ...
    def hide_versions(self, fact_id: UUID, *, before: int) -> None: ...
    def unembed(self, refs: Iterable[UUID]) -> None: ...
    def raise_epochs(self, lanes: Iterable[str]) -> None: ...
    def erase(self, erasing: Erasing) -> dict[str, int]: ...
    def retire_keys(self, keys: Iterable[PartitionKey]) -> list[PartitionKey]: ...
    def add_erasure(self, item: Erasure) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """Whether no byte of what was erased is left in the database's own files, and what can be said of copies."""

    done: bool
    said: tuple[str, ...] = ()


class Erasures(Protocol):
    """Erasures on record, of a store."""

    def erasures(self, tenant: str | None, *, status: str | None = None) -> list[Erasure]: ...
    def finish_erasures(self, *, seconds: float) -> Scrubbed: ...
    def holds_of(self, tenant: str, *, user: str | None = None) -> list[Hold]: ...
    def signed(self, report: Mapping[str, Any]) -> str: ...
    def verify(self, canaries: Sequence[str], *, at: datetime) -> Mapping[str, Any]: ...
