"""The ground floor.

Belongs here: the first step, frozen. Does not belong here: any import of live tables.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from muniment.store import types

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

OPTIONS: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_row_format": "DYNAMIC", "mysql_default_charset": "utf8mb4"}
NOW = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')",
    "postgresql": "now()",
    "mysql": "UTC_TIMESTAMP(6)",
    "mariadb": "UTC_TIMESTAMP(6)",
}
MEMORY = """tenant_id, fact_id, revision, segment, owner_type, owner_id, scope, user_id, department_id, agent_id, session_id,
    task_id, memory_type, subject, predicate, qualifier, object_value, content, standing, confidence, basis, trust,
    valid_from, valid_until, valid_from_known, expires_at, recorded_at"""
VIEWS = {
    # What an agent may see now: believed, valid, not hidden, not past its lifetime, on the timeline or disputed.
    "active_memory": f"""SELECT {MEMORY} FROM fact_revision
        WHERE retracted_at IS NULL AND hidden_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
        AND (valid_from IS NULL OR valid_from <= :now) AND (valid_until IS NULL OR valid_until > :now)
        AND standing IN ('HELD', 'DISPUTED')""",
    # Every revision ever believed, with who, when and why.
    "audit_memory": f"""SELECT {MEMORY}, status, stated_from, stated_until, retracted_at, hidden_at, supersedes_id,
        source_candidate_id, "change", reason, actor, trace_id FROM fact_revision""",
    # What was hidden or forgotten, when and on whose request; never its content.
    "compliance_memory": """SELECT tenant_id, tombstone_id, kind, ref, mode, user_id, forgotten_at, forgotten_by, reason
        FROM tombstone""",
}


def tenant() -> sa.Column[Any]:
    """First in every primary key."""
    return sa.Column("tenant_id", types.Key(128), nullable=False)


def placement() -> list[sa.Column[Any]]:
    """The scope of a record and the ids it speaks of."""
    names = ("user_id", "department_id", "agent_id", "session_id", "task_id")
    return [sa.Column("scope", types.Key(16), nullable=False), *(sa.Column(name, types.Key(128)) for name in names)]


def memory() -> list[sa.Column[Any]]:
    """What a fact's head and each of its revisions both say."""
    return [
        sa.Column("owner_type", types.Key(16), nullable=False),
        sa.Column("owner_id", types.Key(128), nullable=False),
        *placement(),
        sa.Column("slot_id", types.Id(), nullable=True),
        sa.Column("memory_type", types.Key(16), nullable=False),
        sa.Column("subject", types.Key(256), nullable=True),
        sa.Column("predicate", types.Key(256), nullable=True),
        sa.Column("qualifier", types.Key(256), nullable=True),
        sa.Column("object_value", types.Sealed(), nullable=True),
        sa.Column("content", types.Sealed(), nullable=False),
        sa.Column("status", types.Key(24), nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=False),
        sa.Column("basis", types.Key(16), nullable=False),
        sa.Column("trust", sa.Integer(), nullable=False),
        sa.Column("sources", sa.Integer(), nullable=False),
        sa.Column("stated_from", types.Instant(), nullable=True),
        sa.Column("stated_until", types.Instant(), nullable=True),
        sa.Column("valid_from", types.Instant(), nullable=True),
        sa.Column("valid_until", types.Instant(), nullable=True),
        sa.Column("valid_from_known", sa.Boolean(), nullable=False),
        sa.Column("expires_at", types.Instant(), nullable=True),
        sa.Column("recorded_at", types.Instant(), nullable=False),
        sa.Column("retracted_at", types.Instant(), nullable=True),
        sa.Column("hidden_at", types.Instant(), nullable=True),
        sa.Column("supersedes_id", types.Id(), nullable=True),
        sa.Column("source_candidate_id", types.Id(), nullable=True),
        sa.Column("change", types.Key(16), nullable=False),
        sa.Column("reason", types.Sealed(), nullable=True),
        sa.Column("actor", types.Key(144), nullable=False),
        sa.Column("trace_id", types.Key(128), nullable=True),
        sa.Column("metadata", types.Sealed(), nullable=True),
    ]


# fmt: off
def upgrade() -> None:
    """Makes every table and the three views."""
    op.create_table('api_key', tenant(),
    sa.Column('key_id', types.Id(), nullable=False),
    sa.Column('digest', sa.LargeBinary(length=32), nullable=False),
    sa.Column('user_id', types.Key(128), nullable=False),
    sa.Column('departments', types.Key(2048), nullable=False),
    sa.Column('roles', types.Key(128), nullable=False),
    sa.Column('created_at', types.Instant(), nullable=False),
    sa.Column('expires_at', types.Instant(), nullable=True),
    sa.Column('revoked_at', types.Instant(), nullable=True),
    sa.Column('last_used_at', types.Instant(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'key_id', name=op.f('pk_api_key')),
    sa.UniqueConstraint('tenant_id', 'digest', name=op.f('uq_api_key_tenant_id_digest')), **OPTIONS)
    op.create_table('audit_log', tenant(),
    sa.Column('audit_id', types.Id(), nullable=False),
    sa.Column('action', types.Key(64), nullable=False),
    sa.Column('actor', types.Key(144), nullable=False),
    sa.Column('user_id', types.Key(128), nullable=True),
    sa.Column('ref_kind', types.Key(16), nullable=True),
    sa.Column('ref', types.Id(), nullable=True),
    sa.Column('commitment', sa.LargeBinary(length=32), nullable=True),
    sa.Column('salt', sa.LargeBinary(length=16), nullable=True),
    sa.Column('at', types.Instant(), nullable=False),
    sa.Column('sealed_seq', sa.BigInteger(), nullable=True),
    sa.Column('sealed_hash', sa.LargeBinary(length=32), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'audit_id', name=op.f('pk_audit_log')), **OPTIONS)
    op.create_index('ix_audit_log_at', 'audit_log', ['tenant_id', 'at'], unique=False)
    op.create_index('ix_audit_log_ref', 'audit_log', ['tenant_id', 'ref'], unique=False)
    op.create_table('conflict', tenant(),
    sa.Column('conflict_id', types.Id(), nullable=False),
    sa.Column('slot_id', types.Id(), nullable=True),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('other_id', types.Id(), nullable=False),
    sa.Column('status', types.Key(16), nullable=False),
    sa.Column('resolution', types.Sealed(), nullable=True),
    sa.Column('resolved_by', types.Key(144), nullable=True),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('resolved_at', types.Instant(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'conflict_id', name=op.f('pk_conflict')), **OPTIONS)
    op.create_index('ix_conflict_fact', 'conflict', ['tenant_id', 'fact_id'], unique=False)
    op.create_index('ix_conflict_other', 'conflict', ['tenant_id', 'other_id'], unique=False)
    op.create_index('ix_conflict_slot', 'conflict', ['tenant_id', 'slot_id'], unique=False)
    op.create_table('erasure', tenant(),
    sa.Column('erasure_id', types.Id(), nullable=False),
    sa.Column('selector', types.Sealed(), nullable=False),
    sa.Column('status', types.Key(16), nullable=False),
    sa.Column('requested_by', types.Key(144), nullable=False),
    sa.Column('requested_at', types.Instant(), nullable=False),
    sa.Column('finished_at', types.Instant(), nullable=True),
    sa.Column('report', types.Sealed(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'erasure_id', name=op.f('pk_erasure')), **OPTIONS)
    op.create_table('event', tenant(),
    sa.Column('event_id', types.Id(), nullable=False),
    sa.Column('actor_type', types.Key(16), nullable=False),
    sa.Column('actor_id', types.Key(128), nullable=False),
    *placement(),
    sa.Column('event_type', types.Key(64), nullable=False),
    sa.Column('source', types.Key(64), nullable=False),
    sa.Column('payload', types.Sealed(), nullable=True),
    sa.Column('metadata', types.Sealed(), nullable=True),
    sa.Column('idempotency_key', types.Key(128), nullable=True),
    sa.Column('body_digest', types.Key(64), nullable=True),
    sa.Column('trace_id', types.Key(128), nullable=True),
    sa.Column('occurred_at', types.Instant(), nullable=False),
    sa.Column('occurred_offset', sa.Integer(), nullable=False),
    sa.Column('occurred_zone', types.Key(64), nullable=True),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('lane_key', types.Key(64), nullable=False),
    sa.Column('seq', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'event_id', name=op.f('pk_event')),
    sa.UniqueConstraint('tenant_id', 'lane_key', 'seq', name=op.f('uq_event_tenant_id_lane_key_seq')),
    sa.UniqueConstraint('tenant_id', 'user_id', 'source', 'idempotency_key', name=op.f('uq_event_tenant_id_user_id_source_idempotency_key')), **OPTIONS)
    op.create_table('fact', tenant(),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    *memory(),
    sa.PrimaryKeyConstraint('tenant_id', 'fact_id', name=op.f('pk_fact')), **OPTIONS)
    op.create_index('ix_fact_owner', 'fact', ['tenant_id', 'owner_type', 'owner_id', 'memory_type'], unique=False)
    op.create_index('ix_fact_slot', 'fact', ['tenant_id', 'slot_id'], unique=False)
    op.create_index('ix_fact_supersedes', 'fact', ['tenant_id', 'supersedes_id'], unique=False)
    op.create_table('hold', tenant(),
    sa.Column('hold_id', types.Id(), nullable=False),
    sa.Column('user_id', types.Key(128), nullable=False),
    sa.Column('reason', types.Key(1024), nullable=False),
    sa.Column('set_by', types.Key(144), nullable=False),
    sa.Column('set_at', types.Instant(), nullable=False),
    sa.Column('until', types.Instant(), nullable=True),
    sa.Column('released_at', types.Instant(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'hold_id', name=op.f('pk_hold')), **OPTIONS)
    op.create_table('identifier', tenant(),
    sa.Column('identifier_id', types.Id(), nullable=False),
    sa.Column('kind', types.Key(32), nullable=False),
    sa.Column('value', types.Key(256), nullable=False),
    sa.Column('held', sa.Boolean(), nullable=False),
    sa.Column('ref_kind', types.Key(16), nullable=False),
    sa.Column('ref', types.Id(), nullable=False),
    *placement(),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'identifier_id', name=op.f('pk_identifier')), **OPTIONS)
    op.create_index('ix_identifier_ref', 'identifier', ['tenant_id', 'ref'], unique=False)
    op.create_index('ix_identifier_value', 'identifier', ['tenant_id', 'kind', 'value'], unique=False)
    op.create_table('lane', tenant(),
    sa.Column('lane_key', types.Key(64), nullable=False),
    sa.Column('shard', sa.Integer(), nullable=False),
    sa.Column('next_seq', sa.BigInteger(), nullable=False),
    sa.Column('ready_at', types.Instant(), nullable=True),
    sa.Column('lease_token', types.Key(64), nullable=True),
    sa.Column('leased_until', types.Instant(), nullable=True),
    sa.Column('epoch', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'lane_key', name=op.f('pk_lane')), **OPTIONS)
    op.create_index('ix_lane_ready', 'lane', ['shard', 'ready_at'], unique=False)
    op.create_table('outbox', tenant(),
    sa.Column('outbox_id', types.Id(), nullable=False),
    sa.Column('topic', types.Key(64), nullable=False),
    sa.Column('payload', types.Sealed(), nullable=False),
    sa.Column('created_at', types.Instant(), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('ready_at', types.Instant(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'outbox_id', name=op.f('pk_outbox')), **OPTIONS)
    op.create_index('ix_outbox_ready', 'outbox', ['topic', 'ready_at'], unique=False)
    op.create_table('partition', tenant(),
    sa.Column('partition_id', types.Id(), nullable=False),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('target', types.Key(128), nullable=False),
    sa.Column('version', sa.BigInteger(), nullable=False),
    sa.Column('next_seq', sa.BigInteger(), nullable=False),
    sa.Column('segment_version', sa.BigInteger(), nullable=False),
    sa.Column('last_recorded_at', types.Instant(), nullable=False),
    sa.Column('epoch', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'partition_id', name=op.f('pk_partition')),
    sa.UniqueConstraint('tenant_id', 'kind', 'target', name=op.f('uq_partition_tenant_id_kind_target')), **OPTIONS)
    op.create_table('slot', tenant(),
    sa.Column('slot_id', types.Id(), nullable=False),
    sa.Column('partition_id', types.Id(), nullable=False),
    sa.Column('version', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('tenant_id', 'slot_id', name=op.f('pk_slot')), **OPTIONS)
    op.create_table('store_setting',
    sa.Column('name', types.Key(64), nullable=False),
    sa.Column('value', types.Sealed(), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_store_setting')), **OPTIONS)
    op.create_table('subject_key', tenant(),
    sa.Column('key_id', types.Id(), nullable=False),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('target', types.Key(128), nullable=False),
    sa.Column('wrapped', sa.LargeBinary(length=128), nullable=True),
    sa.Column('created_at', types.Instant(), nullable=False),
    sa.Column('destroyed_at', types.Instant(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'key_id', name=op.f('pk_subject_key')),
    sa.UniqueConstraint('tenant_id', 'kind', 'target', name=op.f('uq_subject_key_tenant_id_kind_target')), **OPTIONS)
    op.create_table('summary', tenant(),
    sa.Column('summary_id', types.Id(), nullable=False),
    sa.Column('version', sa.Integer(), autoincrement=False, nullable=False),
    *placement(),
    sa.Column('content', types.Sealed(), nullable=False),
    sa.Column('covers_from', types.Instant(), nullable=True),
    sa.Column('covers_until', types.Instant(), nullable=True),
    sa.Column('derived_by', types.Key(128), nullable=False),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('retracted_at', types.Instant(), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'summary_id', 'version', name=op.f('pk_summary')), **OPTIONS)
    op.create_index('ix_summary_session', 'summary', ['tenant_id', 'user_id', 'session_id'], unique=False)
    op.create_table('tombstone', tenant(),
    sa.Column('tombstone_id', types.Id(), nullable=False),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('ref', types.Id(), nullable=True),
    sa.Column('mode', types.Key(16), nullable=False),
    sa.Column('user_id', types.Key(128), nullable=True),
    sa.Column('idempotency_key', types.Key(128), nullable=True),
    sa.Column('source', types.Key(64), nullable=True),
    sa.Column('forgotten_at', types.Instant(), nullable=False),
    sa.Column('forgotten_by', types.Key(144), nullable=False),
    sa.Column('reason', types.Key(256), nullable=True),
    sa.PrimaryKeyConstraint('tenant_id', 'tombstone_id', name=op.f('pk_tombstone')), **OPTIONS)
    op.create_index('ix_tombstone_key', 'tombstone', ['tenant_id', 'user_id', 'idempotency_key'], unique=False)
    op.create_index('ix_tombstone_ref', 'tombstone', ['tenant_id', 'ref'], unique=False)
    op.create_table('candidate', tenant(),
    sa.Column('candidate_id', types.Id(), nullable=False),
    sa.Column('event_id', types.Id(), nullable=False),
    *placement(),
    sa.Column('memory_type', types.Key(16), nullable=False),
    sa.Column('subject', types.Key(256), nullable=True),
    sa.Column('predicate', types.Key(256), nullable=True),
    sa.Column('qualifier', types.Key(256), nullable=True),
    sa.Column('object_value', types.Sealed(), nullable=True),
    sa.Column('content', types.Sealed(), nullable=False),
    sa.Column('quote', types.Sealed(), nullable=True),
    sa.Column('quote_start', sa.Integer(), nullable=True),
    sa.Column('quote_end', sa.Integer(), nullable=True),
    sa.Column('confidence', sa.Integer(), nullable=False),
    sa.Column('basis', types.Key(16), nullable=False),
    sa.Column('intent', types.Key(16), nullable=False),
    sa.Column('explicit', sa.Boolean(), nullable=False),
    sa.Column('extractor_model', types.Key(128), nullable=False),
    sa.Column('extractor_version', types.Key(64), nullable=False),
    sa.Column('valid_from', types.Instant(), nullable=True),
    sa.Column('valid_until', types.Instant(), nullable=True),
    sa.Column('valid_from_known', sa.Boolean(), nullable=False),
    sa.Column('expires_at', types.Instant(), nullable=True),
    sa.Column('trust', sa.Integer(), nullable=True),
    sa.Column('metadata', types.Sealed(), nullable=True),
    sa.Column('status', types.Key(24), nullable=False),
    sa.Column('governance_reason', types.Sealed(), nullable=True),
    sa.Column('created_at', types.Instant(), nullable=False),
    sa.Column('updated_at', types.Instant(), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'event_id'], ['event.tenant_id', 'event.event_id'], name=op.f('fk_candidate_tenant_id_event_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'candidate_id', name=op.f('pk_candidate')), **OPTIONS)
    op.create_index('ix_candidate_event', 'candidate', ['tenant_id', 'event_id'], unique=False)
    op.create_index('ix_candidate_status', 'candidate', ['tenant_id', 'status', 'user_id'], unique=False)
    op.create_table('event_processing', tenant(),
    sa.Column('event_id', types.Id(), nullable=False),
    sa.Column('state', types.Key(16), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('error', types.Key(1024), nullable=True),
    sa.Column('receipt', types.Sealed(), nullable=True),
    sa.Column('updated_at', types.Instant(), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'event_id'], ['event.tenant_id', 'event.event_id'], name=op.f('fk_event_processing_tenant_id_event_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'event_id', name=op.f('pk_event_processing')), **OPTIONS)
    op.create_index('ix_event_processing_state', 'event_processing', ['state', 'tenant_id'], unique=False)
    op.create_table('evidence', tenant(),
    sa.Column('evidence_id', types.Id(), nullable=False),
    sa.Column('evidence_type', types.Key(16), nullable=False),
    sa.Column('source_system', types.Key(64), nullable=False),
    sa.Column('source_id', types.Key(256), nullable=True),
    sa.Column('source_version', types.Key(64), nullable=True),
    sa.Column('event_id', types.Id(), nullable=False),
    *placement(),
    sa.Column('content', types.Sealed(), nullable=False),
    sa.Column('locator', types.Key(512), nullable=True),
    sa.Column('metadata', types.Sealed(), nullable=True),
    sa.Column('speaker', types.Sealed(), nullable=True),
    sa.Column('actor_type', types.Key(16), nullable=False),
    sa.Column('trust', sa.Integer(), nullable=False),
    sa.Column('occurred_at', types.Instant(), nullable=True),
    sa.Column('occurred_offset', sa.Integer(), nullable=False),
    sa.Column('occurred_zone', types.Key(64), nullable=True),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('redacted', sa.Boolean(), nullable=False),
    sa.Column('eligibility', types.Key(16), nullable=False),
    sa.Column('hidden_at', types.Instant(), nullable=True),
    sa.ForeignKeyConstraint(['tenant_id', 'event_id'], ['event.tenant_id', 'event.event_id'], name=op.f('fk_evidence_tenant_id_event_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'evidence_id', name=op.f('pk_evidence')), **OPTIONS)
    op.create_index('ix_evidence_event', 'evidence', ['tenant_id', 'event_id'], unique=False)
    op.create_index('ix_evidence_session', 'evidence', ['tenant_id', 'user_id', 'session_id', 'recorded_at'], unique=False)
    op.create_table('fact_dependency', tenant(),
    sa.Column('dependency_id', types.Id(), nullable=False),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('root_fact_id', types.Id(), nullable=True),
    sa.Column('root_evidence_id', types.Id(), nullable=True),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('when_value', types.Sealed(), nullable=True),
    sa.Column('successor_value', types.Sealed(), nullable=True),
    sa.Column('successor_content', types.Sealed(), nullable=True),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('retracted_at', types.Instant(), nullable=True),
    sa.ForeignKeyConstraint(['tenant_id', 'fact_id'], ['fact.tenant_id', 'fact.fact_id'], name=op.f('fk_fact_dependency_tenant_id_fact_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'dependency_id', name=op.f('pk_fact_dependency')), **OPTIONS)
    op.create_index('ix_fact_dependency_fact', 'fact_dependency', ['tenant_id', 'fact_id'], unique=False)
    op.create_index('ix_fact_dependency_root', 'fact_dependency', ['tenant_id', 'root_fact_id'], unique=False)
    op.create_table('fact_revision', tenant(),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('revision', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('segment', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('standing', types.Key(16), nullable=True),
    *memory(),
    sa.ForeignKeyConstraint(['tenant_id', 'fact_id'], ['fact.tenant_id', 'fact.fact_id'], name=op.f('fk_fact_revision_tenant_id_fact_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'fact_id', 'revision', 'segment', name=op.f('pk_fact_revision')), **OPTIONS)
    op.create_index('ix_fact_revision_owner', 'fact_revision', ['tenant_id', 'owner_type', 'owner_id', 'retracted_at'], unique=False)
    op.create_index('ix_fact_revision_slot', 'fact_revision', ['tenant_id', 'slot_id', 'retracted_at'], unique=False)
    op.create_table('fact_statement', tenant(),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('ordinal', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('slot_id', types.Id(), nullable=True),
    sa.Column('evidence_id', types.Id(), nullable=True),
    sa.Column('object_value', types.Sealed(), nullable=True),
    sa.Column('content', types.Sealed(), nullable=False),
    sa.Column('stated_from', types.Instant(), nullable=True),
    sa.Column('stated_until', types.Instant(), nullable=True),
    sa.Column('valid_from_known', sa.Boolean(), nullable=False),
    sa.Column('placed', sa.Boolean(), nullable=False),
    sa.Column('trust', sa.Integer(), nullable=False),
    sa.Column('confidence', sa.Integer(), nullable=False),
    sa.Column('source', types.Key(256), nullable=False),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.Column('withdrawn_at', types.Instant(), nullable=True),
    sa.ForeignKeyConstraint(['tenant_id', 'fact_id'], ['fact.tenant_id', 'fact.fact_id'], name=op.f('fk_fact_statement_tenant_id_fact_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'fact_id', 'ordinal', name=op.f('pk_fact_statement')), **OPTIONS)
    op.create_index('ix_fact_statement_slot', 'fact_statement', ['tenant_id', 'slot_id', 'withdrawn_at'], unique=False)
    op.create_table('index_item', tenant(),
    sa.Column('partition_id', types.Id(), nullable=False),
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('touched', sa.BigInteger(), nullable=False),
    sa.Column('kind', types.Key(16), nullable=False),
    sa.Column('ref', types.Id(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('segment', sa.Integer(), nullable=False),
    *placement(),
    sa.Column('speaker', types.Sealed(), nullable=True),
    sa.Column('role', types.Key(16), nullable=False),
    sa.Column('asks', sa.Boolean(), nullable=False),
    sa.Column('tokens', types.SealedBytes(), nullable=False),
    sa.Column('tail', types.SealedBytes(), nullable=False),
    sa.Column('vectors', types.SealedBytes(), nullable=False),
    sa.Column('occurred_at', sa.BigInteger(), nullable=True),
    sa.Column('valid_from', sa.BigInteger(), nullable=True),
    sa.Column('valid_until', sa.BigInteger(), nullable=True),
    sa.Column('recorded_at', sa.BigInteger(), nullable=False),
    sa.Column('retracted_at', sa.BigInteger(), nullable=True),
    sa.Column('expires_at', sa.BigInteger(), nullable=True),
    sa.Column('hidden_at', sa.BigInteger(), nullable=True),
    sa.Column('eligibility', types.Key(16), nullable=False),
    sa.Column('memory_type', types.Key(16), nullable=False),
    sa.Column('standing', types.Key(16), nullable=False),
    sa.Column('model_id', types.Key(128), nullable=False),
    sa.Column('tokenizer_id', types.Key(64), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'partition_id'], ['partition.tenant_id', 'partition.partition_id'], name=op.f('fk_index_item_tenant_id_partition_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'partition_id', 'seq', name=op.f('pk_index_item')), **OPTIONS)
    op.create_index('ix_index_item_ref', 'index_item', ['tenant_id', 'ref'], unique=False)
    op.create_index('ix_index_item_touched', 'index_item', ['tenant_id', 'partition_id', 'touched'], unique=False)
    op.create_table('index_segment', tenant(),
    sa.Column('partition_id', types.Id(), nullable=False),
    sa.Column('ordinal', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('version', sa.BigInteger(), nullable=False),
    sa.Column('packed', types.SealedBytes(), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'partition_id'], ['partition.tenant_id', 'partition.partition_id'], name=op.f('fk_index_segment_tenant_id_partition_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'partition_id', 'ordinal', name=op.f('pk_index_segment')), **OPTIONS)
    op.create_table('candidate_evidence', tenant(),
    sa.Column('candidate_id', types.Id(), nullable=False),
    sa.Column('evidence_id', types.Id(), nullable=False),
    sa.Column('relation', types.Key(16), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'candidate_id'], ['candidate.tenant_id', 'candidate.candidate_id'], name=op.f('fk_candidate_evidence_tenant_id_candidate_id')),
    sa.ForeignKeyConstraint(['tenant_id', 'evidence_id'], ['evidence.tenant_id', 'evidence.evidence_id'], name=op.f('fk_candidate_evidence_tenant_id_evidence_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'candidate_id', 'evidence_id', name=op.f('pk_candidate_evidence')), **OPTIONS)
    op.create_index('ix_candidate_evidence_evidence', 'candidate_evidence', ['tenant_id', 'evidence_id'], unique=False)
    op.create_table('decision', tenant(),
    sa.Column('decision_id', types.Id(), nullable=False),
    sa.Column('candidate_id', types.Id(), nullable=False),
    sa.Column('ruling', types.Key(16), nullable=False),
    sa.Column('outcome', types.Key(32), nullable=False),
    sa.Column('reason', types.Sealed(), nullable=False),
    sa.Column('verdicts', types.Sealed(), nullable=False),
    sa.Column('inputs', types.Sealed(), nullable=False),
    sa.Column('policy_version', types.Key(64), nullable=False),
    sa.Column('actor', types.Key(144), nullable=False),
    sa.Column('fact_id', types.Id(), nullable=True),
    sa.Column('decided_at', types.Instant(), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'candidate_id'], ['candidate.tenant_id', 'candidate.candidate_id'], name=op.f('fk_decision_tenant_id_candidate_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'decision_id', name=op.f('pk_decision')), **OPTIONS)
    op.create_index('ix_decision_candidate', 'decision', ['tenant_id', 'candidate_id'], unique=False)
    op.create_table('fact_evidence', tenant(),
    sa.Column('fact_id', types.Id(), nullable=False),
    sa.Column('revision', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('evidence_id', types.Id(), nullable=False),
    sa.Column('relation', types.Key(16), nullable=False),
    sa.Column('recorded_at', types.Instant(), nullable=False),
    sa.ForeignKeyConstraint(['tenant_id', 'evidence_id'], ['evidence.tenant_id', 'evidence.evidence_id'], name=op.f('fk_fact_evidence_tenant_id_evidence_id')),
    sa.ForeignKeyConstraint(['tenant_id', 'fact_id'], ['fact.tenant_id', 'fact.fact_id'], name=op.f('fk_fact_evidence_tenant_id_fact_id')),
    sa.PrimaryKeyConstraint('tenant_id', 'fact_id', 'revision', 'evidence_id', name=op.f('pk_fact_evidence')), **OPTIONS)
    op.create_index('ix_fact_evidence_evidence', 'fact_evidence', ['tenant_id', 'evidence_id'], unique=False)
    preparer = op.get_bind().dialect.identifier_preparer
    for name, query in VIEWS.items():
        now = NOW[op.get_bind().dialect.name]
        quoted = query.replace(":now", now).replace('"change"', preparer.quote_identifier("change"))
        op.execute(sa.text(f"CREATE VIEW {name} AS {quoted}".replace(":", r"\:")))
# fmt: on


def downgrade() -> None:
    """Takes everything away."""
    for name in VIEWS:
        op.execute(sa.text(f"DROP VIEW {name}"))
    for name in reversed(TABLES):
        op.drop_table(name)


TABLES = (
    "api_key", "audit_log", "conflict", "erasure", "event", "fact", "hold", "identifier", "lane", "outbox", "partition", "slot", "store_setting", "subject_key", "summary", "tombstone", "candidate", "event_processing", "evidence", "fact_dependency", "fact_revision", "fact_statement", "index_item", "index_segment", "candidate_evidence", "decision", "fact_evidence",
)  # fmt: skip
