"""The store: one unit of work over the source of truth.

Contract. `read` gives one consistent snapshot; everything it returns is visible to its reader and as of its instants.
`write` is one transaction: all of it is durable when the block is left without an exception, none of it otherwise. It
locks its lanes, then its slots, then its partitions, each in key order, and takes `recorded_at` under the last lock, later
than any token handed out for those partitions. Erasure and hiding always use now; `known_at` moves belief only.
Errors are those of `muniment.domain.errors`; a driver's own never surface.

Belongs here: `Store`, `ReadUnit`, `WriteUnit` and the values they take. Does not belong here: SQL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from muniment.domain.enums import CandidateStatus, Eligibility, MemoryType, Relation, Scope
from muniment.domain.errors import StoreBusy
from muniment.domain.query import IndexItem
from muniment.domain.records import Candidate, Decision, Dependency, Event, Evidence, Fact
from muniment.domain.reviews import Asked, ConflictRow, Waiting
from muniment.domain.scope import PartitionKey, Placement, Reader, ScopeSet
from muniment.domain.statement import SlotKey
from muniment.domain.time import AsOf
from muniment.domain.token import Token
from muniment.domain.usage import Usage
from muniment.ports.forgetting import Erasures, ForgettingUnit
from muniment.ports.index import IndexSource
from muniment.ports.lifecycle import DueStore, DueUnit
from muniment.ports.summaries import SummaryDue, SummaryReads, SummaryWrites


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot key with the place it is competed for in. Values of a multi-valued predicate do not compete, so there the
    canonical `value` is part of the slot; it is None for a single-valued one."""

    key: SlotKey
    placement: Placement
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """Which facts a read wants; None and empty mean no restriction. Ordered by recorded_at, then id; `newest` the other way
    round, so that a limit takes the latest. `or_scopes` are scopes whose facts are wanted whatever their type."""

    ids: tuple[UUID, ...] | None = None
    slots: tuple[Slot, ...] | None = None
    types: frozenset[MemoryType] | None = None
    predicate: str | None = None
    subject: str | None = None
    scopes: frozenset[str] | None = None
    or_scopes: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_contenders: bool = False
    include_doubtful: bool = False
    include_inactive: bool = False
    newest: bool = False
    limit: int | None = None
    after: tuple[datetime, UUID, int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Which candidates a read of the review queue wants; None means no restriction. `scopes` says whose may be seen: where
    they would live, with who proposed them as the user. `until` is the latest `created_at`."""

    scopes: ScopeSet
    ids: tuple[UUID, ...] | None = None
    status: CandidateStatus | None = None
    types: frozenset[MemoryType] | None = None
    author: str | None = None
    scope: Scope | None = None
    until: datetime | None = None
    limit: int | None = None
    after: tuple[datetime, UUID] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictFilter:
    """Which conflicts a read wants; None means no restriction."""

    ids: tuple[UUID, ...] | None = None
    statuses: frozenset[str] | None = None
    limit: int | None = None
    after: tuple[datetime, UUID] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One statement of a fact as it was told: the fold's input with its words, ground and independence key (`source`). A
    derived one stands and falls with the grounds of its fact."""

    fact_id: UUID
    ordinal: int
    content: str
    value: str | None
    stated_from: datetime | None
    stated_until: datetime | None
    valid_from_known: bool
    placed: bool
    trust: int
    confidence: float
    source: str
    evidence_id: UUID | None = None
    derived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIdentifier:
    """A normalised exact key and what it was found in. `held` is false where only a keyed digest is kept."""

    kind: str
    value: str
    ref_kind: str
    ref: UUID
    placement: Placement
    held: bool = True


OWNER: Final = "owner"
"""The kind of key under which a person is kept who is named as having another key of the same evidence; always a digest."""


def key_text(kind: str, value: str) -> str:
    """What the digest of an exact key is taken of."""
    return f"identifier\x00{kind}\x00{value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What the store knows of an idempotency key: the event, its body's digest and its receipt, or that it was erased."""

    event_id: UUID | None
    body_digest: str | None
    receipt: str | None
    state: str
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What became of an event: its processing state, the receipt kept for replays of its key, the error it was left with, what is
    kept of a model's answers, what was spent since they were kept last, and before when it is not tried again."""

    event_id: UUID
    state: str
    receipt: str | None = None
    error: str | None = None
    answers: str | None = None
    usage: Usage = field(default_factory=Usage)
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How far an event is understood: its state, how often that was tried, what a model answered so far (as JSON), with what
    error it was left. DONE with an error: part of an answer could not be used."""

    event_id: UUID
    state: str
    attempts: int
    answers: str | None
    error: str | None
    usage: Usage


class ReadUnit(IndexSource, SummaryReads, Protocol):
    """One snapshot, for one reader, as of two instants."""

    reader: Reader
    as_of: AsOf
    now: datetime

    @property
    def token(self) -> Token: ...

    def epoch(self, key: PartitionKey) -> int: ...
    def facts(self, wanted: FactFilter) -> list[Fact]: ...
    def revisions(self, fact_ids: Iterable[UUID]) -> list[Fact]: ...
    def evidence(self, ids: Iterable[UUID]) -> dict[UUID, Evidence]: ...
    def evidence_of(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[tuple[UUID, Relation]]]: ...
    def confined(self, fact_ids: Iterable[UUID]) -> set[UUID]: ...
    def roots(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]: ...
    def facts_on(self, evidence_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]: ...
    def session_evidence(self, session: str | None, limit: int) -> list[Evidence]: ...
    def events(self, ids: Iterable[UUID]) -> list[Event]: ...
    def candidates(
        self,
        *,
        ids: Iterable[UUID] | None = None,
        events: Iterable[UUID] | None = None,
        status: CandidateStatus | None = None,
    ) -> list[Candidate]: ...
    def decisions(self, candidate_ids: Iterable[UUID]) -> list[Decision]: ...
    def conflicts(self, fact_ids: Iterable[UUID]) -> list[Mapping[str, Any]]: ...
    def asked(self, wanted: QueueFilter) -> list[Asked]: ...
    def conflict_rows(self, wanted: ConflictFilter) -> list[ConflictRow]: ...
    def tellers(self, fact_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[str]]: ...
    def digest(self, text: str) -> str: ...
    def identifiers(
        self, values: Iterable[str], *, kinds: Collection[str], limit: int | None = None
    ) -> list[StoredIdentifier]: ...
    def identifiers_in(self, refs: Iterable[UUID]) -> list[StoredIdentifier]: ...
    def replay(self, source: str, idempotency_key: str) -> Replay | None: ...
    def replays(self, source: str, keys: Iterable[str]) -> Mapping[str, Replay]: ...
    def evidence_of_event(self, event_id: UUID) -> list[Evidence]: ...
    def receipt(self, event_id: UUID) -> str | None: ...
    def pending(
        self, *, events: Iterable[UUID] | None = None, parked: bool = False, limit: int = 1000
    ) -> list[UUID]: ...
    def work(self, event_id: UUID) -> Work | None: ...
    def unread(self, limit: int, *, failed: bool = False) -> list[Work]: ...
    def progress(self) -> tuple[Mapping[str, int], Usage]: ...
    def counts(self) -> Mapping[str, int]: ...
    def forgotten_later(self) -> int: ...


class WriteUnit(ReadUnit, ForgettingUnit, SummaryWrites, DueUnit, Protocol):
    """One transaction, with the instant its rows are recorded at."""

    recorded_at: datetime

    @property
    def follows(self) -> datetime | None: ...
    def leave(self) -> None: ...
    def add_events(self, events: Sequence[Event], *, digests: Sequence[str]) -> list[Event]: ...
    def finish_event(
        self,
        event_id: UUID,
        *,
        state: str,
        receipt: str | None = None,
        error: str | None = None,
        answers: str | None = None,
        usage: Usage = ...,
        retry_at: datetime | None = None,
    ) -> None: ...
    def finish_events(self, rows: Sequence[Finished]) -> None: ...
    def keep_answers(self, event_id: UUID, answers: str, usage: Usage) -> None: ...
    def add_evidence(self, rows: Sequence[Evidence]) -> None: ...
    def set_eligibility(self, evidence_ids: Iterable[UUID], eligibility: Eligibility) -> None: ...
    def add_candidate(
        self, candidate: Candidate, *, event_id: UUID, placement: Placement, user: str | None = None
    ) -> None: ...
    def set_candidate(
        self,
        candidate_id: UUID,
        *,
        status: CandidateStatus,
        reason: str | None,
        proposed: Mapping[str, Any] | None = None,
    ) -> None: ...
    def add_decision(self, decision: Decision, *, inputs: Mapping[str, Any]) -> None: ...
    def rivals(self, predicate: str | None) -> list[Asked]: ...
    def resolve_conflict(self, conflict_id: UUID, *, resolution: Mapping[str, Any], by: str) -> None: ...
    def told(self, *, slots: Sequence[Slot] = (), fact_ids: Sequence[UUID] = ()) -> list[Told]: ...
    def tell(self, told: Told, *, slot: Slot) -> None: ...
    def withdraw(self, fact_id: UUID, ordinals: Sequence[int]) -> None: ...
    def live(self, *, slots: Sequence[Slot] = (), fact_ids: Sequence[UUID] = ()) -> list[Fact]: ...
    @property
    def depended_on(self) -> bool: ...
    def dependencies(self, *, of: Iterable[UUID] = (), on: Iterable[UUID] = ()) -> list[Dependency]: ...
    def add_dependencies(self, rows: Sequence[Dependency], *, placement: Placement) -> None: ...
    def retract_dependencies(self, ids: Iterable[UUID]) -> None: ...
    def followers(self, fact_ids: Iterable[UUID]) -> list[Fact]: ...
    def standing_evidence(self, ids: Iterable[UUID]) -> set[UUID]: ...
    def queued(self, fact_ids: Iterable[UUID]) -> list[Candidate]: ...
    def holds(self, key: PartitionKey) -> bool: ...
    def take_recorded(self) -> list[UUID]: ...
    def add_head(self, item: Fact, *, slot: Slot) -> None: ...
    def record(self, rows: Sequence[Fact], *, slot: Slot) -> None: ...
    def retract(self, fact_ids: Sequence[UUID]) -> None: ...
    def hide(self, fact_ids: Sequence[UUID], *, reason: str, actor: str) -> None: ...
    def hide_evidence(self, evidence_ids: Iterable[UUID]) -> None: ...
    def link_evidence(self, fact_id: UUID, revision: int, evidence_ids: Iterable[UUID], relation: Relation) -> None: ...
    def set_conflicts(self, slot: Slot, pairs: Sequence[tuple[UUID, UUID, str]]) -> None: ...
    def add_index(self, key: PartitionKey, items: Sequence[IndexItem]) -> None: ...
    def add_identifiers(self, rows: Sequence[StoredIdentifier]) -> None: ...
    def drop_identifiers(self, refs: Iterable[UUID]) -> None: ...
    def set_vectors(self, key: PartitionKey, vectors: Mapping[UUID, bytes]) -> None: ...
    def words(self, refs: Sequence[UUID]) -> Mapping[UUID, str]: ...
    def add_segment(self, key: PartitionKey, version: int, packed: bytes) -> None: ...
    def audit(self, action: str, *, ref_kind: str, ref: UUID, content: str, actor: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """What one write must hold: lanes (session keys), slots, partitions. Taken in that order, each sorted."""

    lanes: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    partitions: tuple[PartitionKey, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One event of the log with its evidence, the candidates found in it, and whether its processing had ended."""

    tenant: str
    event: Event
    evidence: tuple[Evidence, ...]
    candidates: tuple[Candidate, ...]
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """What a tenant's store believes now and has not hidden: versions, live statements, live dependencies."""

    facts: tuple[Fact, ...]
    told: tuple[Told, ...]
    dependencies: tuple[Dependency, ...]


class LogReader(Protocol):
    """A tenant's whole log over one snapshot, for maintenance."""

    def count(self) -> int: ...
    def events(self) -> Iterator[Logged]: ...
    def evidence(self, ids: Iterable[UUID]) -> list[Evidence]: ...
    def believed(self) -> Believed: ...
    def heads(self, fact_ids: Iterable[UUID]) -> set[UUID]: ...
    def erased(self, refs: Iterable[UUID]) -> set[UUID]: ...


class WiderLocks(StoreBusy):
    """What a write leads to lies in partitions it did not lock. Nothing was written; it is begun anew with them too."""

    def __init__(self, partitions: Iterable[PartitionKey]) -> None:
        super().__init__("the write reaches further than it locked; nothing was written, it is begun anew")
        self.partitions = tuple(partitions)


class Fenced(StoreBusy):
    """What the work was begun from was forgotten meanwhile. Nothing was written; it is begun anew from what is left."""

    def __init__(
        self, message: str = "something was forgotten meanwhile; nothing was written, it is begun anew"
    ) -> None:
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a database is: whether it is sound, what it says of itself, and the file it is in, where it is one."""

    sound: bool
    said: str
    path: str | None = None


class Store(Erasures, DueStore, SummaryDue, Protocol):
    """The source of truth."""

    def health(self) -> Health: ...
    def try_write(self) -> None: ...

    def read(self, reader: Reader, as_of: AsOf = ...) -> AbstractContextManager[ReadUnit]: ...
    def write(self, reader: Reader, locks: Locks) -> AbstractContextManager[WriteUnit]: ...
    def log(self, tenant: str, *, user: str | None = None) -> AbstractContextManager[LogReader]: ...
    def view(
        self, tenant: str, name: str, *, reader: Reader | None, after: tuple[Any, ...] | None, limit: int
    ) -> list[Mapping[str, Any]]: ...
    def digest(self, text: str) -> str: ...
    def partitions(self) -> list[PartitionKey]: ...
    def waiting(self, *, tenant: str | None = None, until: datetime | None = None) -> list[Waiting]: ...
    def foreign_vectors(self, key: PartitionKey, limit: int) -> list[tuple[str, UUID]]: ...
    def close(self) -> None: ...
