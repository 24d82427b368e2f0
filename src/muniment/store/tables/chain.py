"""Event, evidence, candidate, decision: the chain up to the verdict.

Belongs here: their tables. Does not belong here: facts (`facts.py`).
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKeyConstraint, Index, Integer, Table, UniqueConstraint

from muniment.store.tables.base import NAME_LENGTH, SCOPE_LENGTH, TABLE_OPTIONS, metadata, placement_columns, tenant
from muniment.store.types import Id, Instant, Key, Sealed

event = Table(
    "event",
    metadata,
    tenant(),
    Column("event_id", Id, primary_key=True),
    Column("actor_type", Key(16), nullable=False),
    Column("actor_id", Key(SCOPE_LENGTH), nullable=False),
    *placement_columns(),
    Column("event_type", Key(64), nullable=False),
    Column("source", Key(64), nullable=False),
    Column("payload", Sealed),
    Column("metadata", Sealed),
    # Departments and roles it was written with, where they go beyond an agent's; a replay decides with them.
    Column("principal", Sealed),
    Column("idempotency_key", Key(SCOPE_LENGTH)),
    Column("body_digest", Key(64)),
    Column("trace_id", Key(SCOPE_LENGTH)),
    Column("occurred_at", Instant, nullable=False),
    Column("occurred_offset", Integer, nullable=False),
    Column("occurred_zone", Key(64)),
    Column("recorded_at", Instant, nullable=False),
    Column("lane_key", Key(64), nullable=False),
    Column("seq", BigInteger, nullable=False),
    UniqueConstraint("tenant_id", "user_id", "source", "idempotency_key"),
    UniqueConstraint("tenant_id", "lane_key", "seq"),
    **TABLE_OPTIONS,
)

event_processing = Table(
    "event_processing",
    metadata,
    tenant(),
    Column("event_id", Id, primary_key=True),
    Column("state", Key(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("error", Key(1024)),
    Column("receipt", Sealed),
    Column("updated_at", Instant, nullable=False),
    # What a model answered so far, so that it is not asked again, and what of its answers could not be used.
    Column("answers", Sealed),
    Column("calls", Integer, nullable=False, server_default="0"),
    Column("tokens_in", BigInteger, nullable=False, server_default="0"),
    Column("tokens_out", BigInteger, nullable=False, server_default="0"),
    # Before when a failed one is not tried again.
    Column("retry_at", Instant),
    ForeignKeyConstraint(["tenant_id", "event_id"], ["event.tenant_id", "event.event_id"]),
    Index("ix_event_processing_state", "state", "tenant_id"),
    **TABLE_OPTIONS,
)

evidence = Table(
    "evidence",
    metadata,
    tenant(),
    Column("evidence_id", Id, primary_key=True),
    Column("evidence_type", Key(16), nullable=False),
    Column("source_system", Key(64), nullable=False),
    Column("source_id", Key(NAME_LENGTH)),
    Column("source_version", Key(64)),
    Column("event_id", Id, nullable=False),
    *placement_columns(),
    Column("content", Sealed, nullable=False),
    Column("locator", Key(512)),
    Column("metadata", Sealed),
    Column("speaker", Sealed),
    Column("actor_type", Key(16), nullable=False),
    Column("trust", Integer, nullable=False),
    Column("occurred_at", Instant),
    Column("occurred_offset", Integer, nullable=False),
    Column("occurred_zone", Key(64)),
    Column("recorded_at", Instant, nullable=False),
    Column("redacted", Boolean, nullable=False),
    Column("eligibility", Key(16), nullable=False),
    Column("hidden_at", Instant),
    ForeignKeyConstraint(["tenant_id", "event_id"], ["event.tenant_id", "event.event_id"]),
    Index("ix_evidence_event", "tenant_id", "event_id"),
    Index("ix_evidence_session", "tenant_id", "user_id", "session_id", "recorded_at"),
    **TABLE_OPTIONS,
)

candidate = Table(
    "candidate",
    metadata,
    tenant(),
    Column("candidate_id", Id, primary_key=True),
    Column("event_id", Id, nullable=False),
    *placement_columns(),
    Column("memory_type", Key(16), nullable=False),
    Column("subject", Key(NAME_LENGTH)),
    Column("predicate", Key(NAME_LENGTH)),
    Column("qualifier", Key(NAME_LENGTH)),
    Column("object_value", Sealed),
    Column("content", Sealed, nullable=False),
    Column("quote", Sealed),
    Column("quote_start", Integer),
    Column("quote_end", Integer),
    Column("confidence", Integer, nullable=False),
    Column("basis", Key(16), nullable=False),
    Column("intent", Key(16), nullable=False),
    Column("explicit", Boolean, nullable=False),
    Column("extractor_model", Key(128), nullable=False),
    Column("extractor_version", Key(64), nullable=False),
    Column("valid_from", Instant),
    Column("valid_until", Instant),
    Column("valid_from_known", Boolean, nullable=False),
    Column("expires_at", Instant),
    Column("trust", Integer),
    Column("metadata", Sealed),
    # What governance filled in or replaced, as it was proposed.
    Column("proposed", Sealed),
    # The fact it would change or confirm, where it speaks of one.
    Column("target_id", Id),
    Column("status", Key(24), nullable=False),
    Column("governance_reason", Sealed),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    ForeignKeyConstraint(["tenant_id", "event_id"], ["event.tenant_id", "event.event_id"]),
    Index("ix_candidate_status", "tenant_id", "status", "user_id"),
    Index("ix_candidate_event", "tenant_id", "event_id"),
    Index("ix_candidate_target", "tenant_id", "target_id"),
    **TABLE_OPTIONS,
)

candidate_evidence = Table(
    "candidate_evidence",
    metadata,
    tenant(),
    Column("candidate_id", Id, primary_key=True),
    Column("evidence_id", Id, primary_key=True),
    Column("relation", Key(16), nullable=False),
    ForeignKeyConstraint(["tenant_id", "candidate_id"], ["candidate.tenant_id", "candidate.candidate_id"]),
    ForeignKeyConstraint(["tenant_id", "evidence_id"], ["evidence.tenant_id", "evidence.evidence_id"]),
    Index("ix_candidate_evidence_evidence", "tenant_id", "evidence_id"),
    **TABLE_OPTIONS,
)

decision = Table(
    "decision",
    metadata,
    tenant(),
    Column("decision_id", Id, primary_key=True),
    Column("candidate_id", Id, nullable=False),
    Column("ruling", Key(16), nullable=False),
    Column("outcome", Key(32), nullable=False),
    Column("reason", Sealed, nullable=False),
    Column("verdicts", Sealed, nullable=False),
    Column("inputs", Sealed, nullable=False),
    Column("policy_version", Key(64), nullable=False),
    Column("actor", Key(SCOPE_LENGTH + 16), nullable=False),
    Column("fact_id", Id),
    Column("decided_at", Instant, nullable=False),
    ForeignKeyConstraint(["tenant_id", "candidate_id"], ["candidate.tenant_id", "candidate.candidate_id"]),
    Index("ix_decision_candidate", "tenant_id", "candidate_id"),
    **TABLE_OPTIONS,
)
