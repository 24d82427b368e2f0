"""The records of the chain: event, evidence, candidate, decision, fact, and the receipt that reports on them.

Belongs here: what each record holds. Does not belong here: how it is stored (store/) or decided (governance/).
Times are aware UTC datetimes; confidence is 0..1; trust is an integer, higher is more trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from muniment.domain.enums import (
    ActorType,
    Basis,
    CandidateStatus,
    Change,
    DependencyKind,
    Eligibility,
    EvidenceType,
    FactStatus,
    Intent,
    MemoryType,
    Ruling,
    Scope,
    Standing,
)
from muniment.domain.scope import Placement
from muniment.domain.statement import SlotKey
from muniment.domain.time import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something happened. Immutable; `occurred` keeps the offset and zone it was told in."""

    event_id: UUID
    actor_type: ActorType
    actor_id: str
    placement: Placement
    event_type: str
    source: str
    occurred: Moment
    recorded_at: datetime
    lane_key: str
    seq: int
    payload: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str | None = None
    trace_id: str | None = None
    principal: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The raw ground a memory stands on, as it was kept (`redacted` says whether something was masked first)."""

    evidence_id: UUID
    evidence_type: EvidenceType
    event_id: UUID
    placement: Placement
    content: str
    source_system: str
    recorded_at: datetime
    source_id: str | None = None
    source_version: str | None = None
    locator: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    trust: int = 0
    occurred: Moment | None = None
    redacted: bool = False
    speaker: str | None = None
    actor: ActorType = ActorType.USER
    session: str | None = None
    eligibility: Eligibility = Eligibility.ELIGIBLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What an extractor, a caller or a model proposes to remember; `content` is the only thing a caller must give.

    `quote` is the span of the evidence it rests on; `scope` None lets governance choose (USER, or narrower by the wording).
    `derived_from` are facts or evidence it stands and falls with; `target` the fact it would change or confirm; `proposed`
    what governance replaced, as it was.
    """

    content: str
    memory_type: MemoryType = MemoryType.FACT
    subject: str | None = None
    predicate: str | None = None
    qualifier: str | None = None
    value: str | None = None
    scope: Scope | None = None
    department: str | None = None
    quote: str | None = None
    quote_span: tuple[int, int] | None = None
    evidence: tuple[UUID, ...] = ()
    derived_from: tuple[UUID, ...] = ()
    target: UUID | None = None
    confidence: float = 0.5
    basis: Basis = Basis.STATED
    intent: Intent = Intent.ASSERT
    explicit: bool = False
    stable: bool = True
    extractor_model: str = "caller"
    extractor_version: str = "1"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    valid_from_known: bool = True
    placed: bool = True
    expires_at: datetime | None = None
    trust: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    candidate_id: UUID | None = None
    status: CandidateStatus = CandidateStatus.PENDING
    governance_reason: str | None = None
    created_at: datetime | None = None
    proposed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slot(self) -> SlotKey | None:
        """The slot it competes for, or None where it stands alone."""
        return SlotKey.of(subject=self.subject, predicate=self.predicate, qualifier=self.qualifier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one governance rule said of a candidate, and why."""

    rule: str
    ruling: Ruling
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One governance outcome with every rule's verdict. `outcome` is the word of the receipt's line: committed, reinforced,
    needs confirmation, rejected, dropped, duplicate, in conflict. `inputs` names what it was made from, where it was read
    back from the store."""

    decision_id: UUID
    candidate_id: UUID
    ruling: Ruling
    outcome: str
    reason: str
    verdicts: tuple[Verdict, ...]
    policy_version: str
    actor: str
    decided_at: datetime
    fact_id: UUID | None = None
    conflicts_with: tuple[UUID, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A governed memory in one of its versions, over one of its valid periods.

    `stated_from`/`stated_until` is what was claimed; `valid_from`/`valid_until` is what the fold made of it beside the
    other statements of its slot. `recorded_at`/`retracted_at` is when the store believed this version. `weakened` says that
    one of the grounds it was derived from no longer holds while another does.
    """

    fact_id: UUID
    revision: int
    placement: Placement
    memory_type: MemoryType
    content: str
    status: FactStatus
    standing: Standing | None
    confidence: float
    basis: Basis
    trust: int
    recorded_at: datetime
    subject: str | None = None
    predicate: str | None = None
    qualifier: str | None = None
    value: str | None = None
    stated_from: datetime | None = None
    stated_until: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    valid_from_known: bool = True
    expires_at: datetime | None = None
    retracted_at: datetime | None = None
    hidden_at: datetime | None = None
    supersedes_id: UUID | None = None
    source_candidate_id: UUID | None = None
    change: Change = Change.ASSERT
    reason: str | None = None
    actor: str = ""
    trace_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    segment: int = 0
    evidence: tuple[UUID, ...] = ()
    sources: int = 1
    weakened: bool = False

    @property
    def id(self) -> UUID:
        """The fact's id, the same through all its revisions."""
        return self.fact_id

    @property
    def type(self) -> MemoryType:
        """The memory type."""
        return self.memory_type

    @property
    def scope(self) -> Scope:
        """The scope it applies in."""
        return self.placement.scope

    @property
    def slot(self) -> SlotKey | None:
        """The slot it competes for, or None where it stands alone."""
        return SlotKey.of(subject=self.subject, predicate=self.predicate, qualifier=self.qualifier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """What a fact hangs on: a root fact or a root evidence it was derived from (DERIVED), or a value that takes its place
    from the instant the root changes (SUCCESSOR; `when_value` None: whatever it changes to).

    `evidence_id`, `trust` and `source` are those of the words that declared a successor, `said_at` when they were said.
    """

    dependency_id: UUID
    fact_id: UUID
    kind: DependencyKind
    root_fact_id: UUID | None = None
    root_evidence_id: UUID | None = None
    when_value: str | None = None
    value: str | None = None
    content: str | None = None
    evidence_id: UUID | None = None
    said_at: datetime | None = None
    trust: int = 0
    source: str = ""
    vectors: bytes = b""
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one write. `lines` says it in a line each; `replayed` marks the answer to a repeated key. `follows` is up to
    when the user's partition had been written before; it is not kept."""

    event: UUID
    evidence: tuple[UUID, ...] = ()
    candidates: tuple[UUID, ...] = ()
    decisions: tuple[Decision, ...] = ()
    facts: tuple[UUID, ...] = ()
    lines: tuple[str, ...] = ()
    replayed: bool = False
    pending: bool = False
    degraded: tuple[str, ...] = ()
    known_at: datetime | None = None
    follows: datetime | None = field(default=None, compare=False, repr=False)

    @property
    def fact_id(self) -> UUID | None:
        """The fact this write made or touched first, or None."""
        return self.facts[0] if self.facts else None
