"""Alembic's environment: runs over the connection that `store.migrate` hands it.

Belongs here: Alembic's settings. Does not belong here: any table.
"""

from __future__ import annotations

from alembic import context

from muniment.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=False, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
