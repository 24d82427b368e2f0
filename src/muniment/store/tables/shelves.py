"""Partitions, lanes and slots (what is locked), and the derived tables that find things.

Belongs here: partition, lane, slot, index_item, index_segment, identifier, summary. Does not belong here: the truth they
are derived from; all but the first three can be rebuilt.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKeyConstraint, Index, Integer, Table, UniqueConstraint

from muniment.store.tables.base import NAME_LENGTH, SCOPE_LENGTH, TABLE_OPTIONS, metadata, placement_columns, tenant
from muniment.store.types import Id, Instant, Key, Micros, Sealed, SealedBytes

partition = Table(
    "partition",
    metadata,
    tenant(),
    Column("partition_id", Id, primary_key=True),
    Column("kind", Key(16), nullable=False),
    Column("target", Key(SCOPE_LENGTH), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("next_seq", BigInteger, nullable=False),
    Column("segment_version", BigInteger, nullable=False),
    Column("last_recorded_at", Instant, nullable=False),
    Column("epoch", Integer, nullable=False),
    UniqueConstraint("tenant_id", "kind", "target"),
    **TABLE_OPTIONS,
)

lane = Table(
    "lane",
    metadata,
    tenant(),
    Column("lane_key", Key(64), primary_key=True),
    Column("shard", Integer, nullable=False),
    Column("next_seq", BigInteger, nullable=False),
    Column("ready_at", Instant),
    Column("lease_token", Key(64)),
    Column("leased_until", Instant),
    Column("epoch", Integer, nullable=False),
    Index("ix_lane_ready", "shard", "ready_at"),
    **TABLE_OPTIONS,
)

slot = Table(
    "slot",
    metadata,
    tenant(),
    Column("slot_id", Id, primary_key=True),
    Column("partition_id", Id, nullable=False),
    Column("version", BigInteger, nullable=False),
    **TABLE_OPTIONS,
)

index_item = Table(
    "index_item",
    metadata,
    tenant(),
    Column("partition_id", Id, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("touched", BigInteger, nullable=False),
    Column("kind", Key(16), nullable=False),
    Column("ref", Id, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("segment", Integer, nullable=False),
    *placement_columns(),
    Column("speaker", Sealed),
    Column("role", Key(16), nullable=False),
    Column("asks", Boolean, nullable=False),
    Column("tokens", SealedBytes, nullable=False),
    Column("tail", SealedBytes, nullable=False),
    Column("vectors", SealedBytes, nullable=False),
    Column("occurred_at", Micros),
    Column("valid_from", Micros),
    Column("valid_until", Micros),
    Column("recorded_at", Micros, nullable=False),
    Column("retracted_at", Micros),
    Column("expires_at", Micros),
    Column("hidden_at", Micros),
    Column("eligibility", Key(16), nullable=False),
    Column("memory_type", Key(16), nullable=False),
    Column("standing", Key(16), nullable=False),
    Column("model_id", Key(128), nullable=False),
    Column("tokenizer_id", Key(64), nullable=False),
    ForeignKeyConstraint(["tenant_id", "partition_id"], ["partition.tenant_id", "partition.partition_id"]),
    Index("ix_index_item_touched", "tenant_id", "partition_id", "touched"),
    Index("ix_index_item_ref", "tenant_id", "ref"),
    **TABLE_OPTIONS,
)

index_segment = Table(
    "index_segment",
    metadata,
    tenant(),
    Column("partition_id", Id, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("packed", SealedBytes, nullable=False),
    ForeignKeyConstraint(["tenant_id", "partition_id"], ["partition.tenant_id", "partition.partition_id"]),
    **TABLE_OPTIONS,
)

identifier = Table(
    "identifier",
    metadata,
    tenant(),
    Column("identifier_id", Id, primary_key=True),
    Column("kind", Key(32), nullable=False),
    # The normalised value, or its keyed digest for kinds that must not be held.
    Column("value", Key(NAME_LENGTH), nullable=False),
    Column("held", Boolean, nullable=False),
    Column("ref_kind", Key(16), nullable=False),
    Column("ref", Id, nullable=False),
    *placement_columns(),
    Column("recorded_at", Instant, nullable=False),
    Index("ix_identifier_value", "tenant_id", "kind", "value"),
    Index("ix_identifier_ref", "tenant_id", "ref"),
    **TABLE_OPTIONS,
)

summary = Table(
    "summary",
    metadata,
    tenant(),
    Column("summary_id", Id, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    *placement_columns(),
    Column("content", Sealed, nullable=False),
    Column("covers_from", Instant),
    Column("covers_until", Instant),
    Column("derived_by", Key(128), nullable=False),
    Column("recorded_at", Instant, nullable=False),
    Column("retracted_at", Instant),
    Index("ix_summary_session", "tenant_id", "user_id", "session_id"),
    **TABLE_OPTIONS,
)
