"""What facts rest on, what was proposed, and who wrote.

Derived statements and weakened facts; successors with their ground and trust; a candidate as it was proposed, before
governance filled it in; the authority an event was written with. The last two are what a replay decides from anew.

Belongs here: the second step, frozen. Does not belong here: any import of live tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from muniment.store import types

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns; rows from before read as not derived, not weakened, proposed as they were stored."""
    op.add_column("event", sa.Column("principal", types.Sealed))
    op.add_column("candidate", sa.Column("proposed", types.Sealed))
    op.add_column("candidate", sa.Column("target_id", types.Id))
    op.create_index("ix_candidate_target", "candidate", ["tenant_id", "target_id"])
    for table, name in (("fact_statement", "derived"), ("fact", "weakened"), ("fact_revision", "weakened")):
        op.add_column(table, sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("fact_dependency", sa.Column("evidence_id", types.Id))
    op.add_column("fact_dependency", sa.Column("said_at", types.Instant))
    op.add_column("fact_dependency", sa.Column("trust", sa.Integer))
    op.add_column("fact_dependency", sa.Column("source", types.Key(256)))
    op.add_column("fact_dependency", sa.Column("vectors", types.SealedBytes))
    op.create_index("ix_fact_dependency_evidence", "fact_dependency", ["tenant_id", "root_evidence_id"])


def downgrade() -> None:
    """Takes the columns away again."""
    op.drop_index("ix_fact_dependency_evidence", "fact_dependency")
    for name in ("vectors", "source", "trust", "said_at", "evidence_id"):
        op.drop_column("fact_dependency", name)
    for table, name in (("fact_revision", "weakened"), ("fact", "weakened"), ("fact_statement", "derived")):
        op.drop_column(table, name)
    op.drop_index("ix_candidate_target", "candidate")
    for name in ("target_id", "proposed"):
        op.drop_column("candidate", name)
    op.drop_column("event", "principal")
