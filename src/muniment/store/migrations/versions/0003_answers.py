"""What a model answered about an event, what that cost, and when a failed event is tried again.

Belongs here: the third step, frozen. Does not belong here: any import of live tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from muniment.store import types

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COUNTS = (("calls", sa.Integer), ("tokens_in", sa.BigInteger), ("tokens_out", sa.BigInteger))


def upgrade() -> None:
    """Adds the columns; of events from before no model was asked."""
    op.add_column("event_processing", sa.Column("answers", types.Sealed))
    for name, kind in _COUNTS:
        op.add_column("event_processing", sa.Column(name, kind, nullable=False, server_default="0"))
    op.add_column("event_processing", sa.Column("retry_at", types.Instant))


def downgrade() -> None:
    """Takes the columns away again."""
    for name in ("retry_at", *(name for name, _ in reversed(_COUNTS)), "answers"):
        op.drop_column("event_processing", name)
