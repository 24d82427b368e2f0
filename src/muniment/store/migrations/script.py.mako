"""${message}.

Belongs here: the step from ${down_revision} to ${up_revision}, frozen. Does not belong here: any import of live tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from muniment.store import types

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the step."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Takes it back."""
    ${downgrades if downgrades else "pass"}
