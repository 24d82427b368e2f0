"""Facts, their revisions, the statements they were told in, their grounds, dependants and conflicts.

Belongs here: those tables. Does not belong here: what leads to a fact (`chain.py`) and how it is found (`shelves.py`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, Integer, Table, false

from muniment.store.tables.base import NAME_LENGTH, SCOPE_LENGTH, TABLE_OPTIONS, metadata, placement_columns, tenant
from muniment.store.types import Id, Instant, Key, Sealed, SealedBytes


def memory_columns() -> list[Column[Any]]:
    """What a fact's head and each of its revisions both say."""
    return [
        Column("owner_type", Key(16), nullable=False),
        Column("owner_id", Key(SCOPE_LENGTH), nullable=False),
        *placement_columns(),
        Column("slot_id", Id),
        Column("memory_type", Key(16), nullable=False),
        Column("subject", Key(NAME_LENGTH)),
        Column("predicate", Key(NAME_LENGTH)),
        Column("qualifier", Key(NAME_LENGTH)),
        Column("object_value", Sealed),
        Column("content", Sealed, nullable=False),
        Column("status", Key(24), nullable=False),
        Column("confidence", Integer, nullable=False),
        Column("basis", Key(16), nullable=False),
        Column("trust", Integer, nullable=False),
        Column("sources", Integer, nullable=False),
        Column("weakened", Boolean, nullable=False, server_default=false()),
        Column("stated_from", Instant),
        Column("stated_until", Instant),
        Column("valid_from", Instant),
        Column("valid_until", Instant),
        Column("valid_from_known", Boolean, nullable=False),
        Column("expires_at", Instant),
        Column("recorded_at", Instant, nullable=False),
        Column("retracted_at", Instant),
        Column("hidden_at", Instant),
        Column("supersedes_id", Id),
        Column("source_candidate_id", Id),
        Column("change", Key(16), nullable=False),
        Column("reason", Sealed),
        Column("actor", Key(SCOPE_LENGTH + 16), nullable=False),
        Column("trace_id", Key(SCOPE_LENGTH)),
        Column("metadata", Sealed),
    ]


fact = Table(
    "fact",
    metadata,
    tenant(),
    Column("fact_id", Id, primary_key=True),
    Column("revision", Integer, nullable=False),
    *memory_columns(),
    Index("ix_fact_owner", "tenant_id", "owner_type", "owner_id", "memory_type"),
    Index("ix_fact_slot", "tenant_id", "slot_id"),
    Index("ix_fact_supersedes", "tenant_id", "supersedes_id"),
    **TABLE_OPTIONS,
)

fact_revision = Table(
    "fact_revision",
    metadata,
    tenant(),
    Column("fact_id", Id, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    # One revision of a statement may hold over several periods (what a bounded overlay leaves of it).
    Column("segment", Integer, primary_key=True, autoincrement=False),
    Column("standing", Key(16)),
    *memory_columns(),
    ForeignKeyConstraint(["tenant_id", "fact_id"], ["fact.tenant_id", "fact.fact_id"]),
    Index("ix_fact_revision_owner", "tenant_id", "owner_type", "owner_id", "retracted_at"),
    Index("ix_fact_revision_slot", "tenant_id", "slot_id", "retracted_at"),
    **TABLE_OPTIONS,
)

fact_statement = Table(
    "fact_statement",
    metadata,
    tenant(),
    Column("fact_id", Id, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("slot_id", Id),
    Column("evidence_id", Id),
    Column("object_value", Sealed),
    Column("content", Sealed, nullable=False),
    Column("stated_from", Instant),
    Column("stated_until", Instant),
    Column("valid_from_known", Boolean, nullable=False),
    Column("placed", Boolean, nullable=False),
    # Told on the ground of other facts or evidence: it stands and falls with them.
    Column("derived", Boolean, nullable=False, server_default=false()),
    Column("trust", Integer, nullable=False),
    Column("confidence", Integer, nullable=False),
    Column("source", Key(NAME_LENGTH), nullable=False),
    Column("recorded_at", Instant, nullable=False),
    Column("withdrawn_at", Instant),
    ForeignKeyConstraint(["tenant_id", "fact_id"], ["fact.tenant_id", "fact.fact_id"]),
    Index("ix_fact_statement_slot", "tenant_id", "slot_id", "withdrawn_at"),
    **TABLE_OPTIONS,
)

fact_evidence = Table(
    "fact_evidence",
    metadata,
    tenant(),
    Column("fact_id", Id, primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("evidence_id", Id, primary_key=True),
    Column("relation", Key(16), nullable=False),
    Column("recorded_at", Instant, nullable=False),
    ForeignKeyConstraint(["tenant_id", "fact_id"], ["fact.tenant_id", "fact.fact_id"]),
    ForeignKeyConstraint(["tenant_id", "evidence_id"], ["evidence.tenant_id", "evidence.evidence_id"]),
    Index("ix_fact_evidence_evidence", "tenant_id", "evidence_id"),
    **TABLE_OPTIONS,
)

fact_dependency = Table(
    "fact_dependency",
    metadata,
    tenant(),
    Column("dependency_id", Id, primary_key=True),
    Column("fact_id", Id, nullable=False),
    Column("root_fact_id", Id),
    Column("root_evidence_id", Id),
    Column("kind", Key(16), nullable=False),
    Column("when_value", Sealed),
    Column("successor_value", Sealed),
    Column("successor_content", Sealed),
    Column("evidence_id", Id),
    Column("said_at", Instant),
    Column("trust", Integer),
    Column("source", Key(NAME_LENGTH)),
    # Of the successor's words, made when they were said: no model is called when the root changes.
    Column("vectors", SealedBytes),
    Column("recorded_at", Instant, nullable=False),
    Column("retracted_at", Instant),
    ForeignKeyConstraint(["tenant_id", "fact_id"], ["fact.tenant_id", "fact.fact_id"]),
    Index("ix_fact_dependency_fact", "tenant_id", "fact_id"),
    Index("ix_fact_dependency_root", "tenant_id", "root_fact_id"),
    Index("ix_fact_dependency_evidence", "tenant_id", "root_evidence_id"),
    **TABLE_OPTIONS,
)

conflict = Table(
    "conflict",
    metadata,
    tenant(),
    Column("conflict_id", Id, primary_key=True),
    Column("slot_id", Id),
    Column("kind", Key(16), nullable=False),
    Column("fact_id", Id, nullable=False),
    Column("other_id", Id, nullable=False),
    Column("status", Key(16), nullable=False),
    Column("resolution", Sealed),
    Column("resolved_by", Key(SCOPE_LENGTH + 16)),
    Column("recorded_at", Instant, nullable=False),
    Column("resolved_at", Instant),
    Index("ix_conflict_fact", "tenant_id", "fact_id"),
    Index("ix_conflict_other", "tenant_id", "other_id"),
    Index("ix_conflict_slot", "tenant_id", "slot_id"),
    **TABLE_OPTIONS,
)
