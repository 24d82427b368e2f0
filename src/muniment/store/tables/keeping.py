"""What keeps the store honest: tombstones, audit, access keys, holds, erasures, sealing keys, the outbox, settings.

Belongs here: those tables. Does not belong here: memories.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, UniqueConstraint

from muniment.store.tables.base import SCOPE_LENGTH, TABLE_OPTIONS, metadata, tenant
from muniment.store.types import Id, Instant, Key, Sealed

tombstone = Table(
    "tombstone",
    metadata,
    tenant(),
    Column("tombstone_id", Id, primary_key=True),
    Column("kind", Key(16), nullable=False),
    Column("ref", Id),
    Column("mode", Key(16), nullable=False),
    Column("user_id", Key(SCOPE_LENGTH)),
    # The idempotency key of an erased event, so that a retry answers 'erased' and re-creates nothing.
    Column("idempotency_key", Key(SCOPE_LENGTH)),
    Column("source", Key(64)),
    Column("forgotten_at", Instant, nullable=False),
    Column("forgotten_by", Key(SCOPE_LENGTH + 16), nullable=False),
    Column("reason", Key(256)),
    Index("ix_tombstone_ref", "tenant_id", "ref"),
    Index("ix_tombstone_key", "tenant_id", "user_id", "idempotency_key"),
    **TABLE_OPTIONS,
)

audit_log = Table(
    "audit_log",
    metadata,
    tenant(),
    Column("audit_id", Id, primary_key=True),
    Column("action", Key(64), nullable=False),
    Column("actor", Key(SCOPE_LENGTH + 16), nullable=False),
    Column("user_id", Key(SCOPE_LENGTH)),
    Column("ref_kind", Key(16)),
    Column("ref", Id),
    # A salted commitment to the content, never the content; erasing destroys the salt.
    Column("commitment", LargeBinary(32)),
    Column("salt", LargeBinary(16)),
    Column("at", Instant, nullable=False),
    Column("sealed_seq", BigInteger),
    Column("sealed_hash", LargeBinary(32)),
    Index("ix_audit_log_at", "tenant_id", "at"),
    Index("ix_audit_log_ref", "tenant_id", "ref"),
    **TABLE_OPTIONS,
)

api_key = Table(
    "api_key",
    metadata,
    tenant(),
    Column("key_id", Id, primary_key=True),
    Column("digest", LargeBinary(32), nullable=False),
    Column("user_id", Key(SCOPE_LENGTH), nullable=False),
    Column("departments", Key(2048), nullable=False),
    Column("roles", Key(128), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    Column("last_used_at", Instant),
    UniqueConstraint("tenant_id", "digest"),
    **TABLE_OPTIONS,
)

hold = Table(
    "hold",
    metadata,
    tenant(),
    Column("hold_id", Id, primary_key=True),
    Column("user_id", Key(SCOPE_LENGTH), nullable=False),
    Column("reason", Key(1024), nullable=False),
    Column("set_by", Key(SCOPE_LENGTH + 16), nullable=False),
    Column("set_at", Instant, nullable=False),
    Column("until", Instant),
    Column("released_at", Instant),
    **TABLE_OPTIONS,
)

erasure = Table(
    "erasure",
    metadata,
    tenant(),
    Column("erasure_id", Id, primary_key=True),
    Column("selector", Sealed, nullable=False),
    Column("status", Key(16), nullable=False),
    Column("requested_by", Key(SCOPE_LENGTH + 16), nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("finished_at", Instant),
    Column("report", Sealed),
    **TABLE_OPTIONS,
)

subject_key = Table(
    "subject_key",
    metadata,
    tenant(),
    Column("key_id", Id, primary_key=True),
    Column("kind", Key(16), nullable=False),
    Column("target", Key(SCOPE_LENGTH), nullable=False),
    # Wrapped by the master key, which lives outside the database; NULL once destroyed.
    Column("wrapped", LargeBinary(128)),
    Column("created_at", Instant, nullable=False),
    Column("destroyed_at", Instant),
    UniqueConstraint("tenant_id", "kind", "target"),
    **TABLE_OPTIONS,
)

outbox = Table(
    "outbox",
    metadata,
    tenant(),
    Column("outbox_id", Id, primary_key=True),
    Column("topic", Key(64), nullable=False),
    Column("payload", Sealed, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("ready_at", Instant, nullable=False),
    Index("ix_outbox_ready", "topic", "ready_at"),
    **TABLE_OPTIONS,
)

store_setting = Table(
    "store_setting",
    metadata,
    Column("name", Key(64), primary_key=True),
    Column("value", Sealed, nullable=False),
    **TABLE_OPTIONS,
)
