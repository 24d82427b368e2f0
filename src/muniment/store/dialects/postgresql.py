"""PostgreSQL through psycopg.

Belongs here: what is PostgreSQL's alone. Does not belong here: statements other databases share.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from muniment.domain.errors import MunimentError, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from muniment.store.dialects.base import ServerDatabase, busy

# SQLSTATE: serialization_failure, deadlock_detected, lock_not_available.
RETRYABLE = frozenset({"40001", "40P01", "55P03"})

SCHEMA_LOCK = 0x6D756E696D656E74
"""The number of the advisory lock under which the schema is made: 'muniment' in ASCII."""


class PostgresqlDatabase(ServerDatabase):
    """A PostgreSQL server."""

    driver = "postgresql+psycopg"
    extra = "postgres"

    def options(self) -> dict[str, Any]:
        """A lock is waited for no longer than the deadline."""
        milliseconds = int(self.busy_seconds * 1000)
        return {"connect_args": {"options": f"-c lock_timeout={milliseconds} -c timezone=UTC", "connect_timeout": 10}}

    def insert_ignore(self, table: Table) -> Any:
        """INSERT … ON CONFLICT DO NOTHING."""
        return insert(table).on_conflict_do_nothing()

    @contextmanager
    def schema_lock(self, connection: Connection) -> Iterator[None]:
        """An advisory lock of this database, until the transaction ends."""
        connection.execute(select(func.pg_advisory_xact_lock(SCHEMA_LOCK)))
        yield

    def translate(self, error: DBAPIError) -> MunimentError:
        """SQLSTATE as our errors."""
        state = getattr(error.orig, "sqlstate", None)
        if state in RETRYABLE:
            return busy(self.busy_seconds)
        if state == "53100":
            return StoreFull("the database server has no space left; the transaction was rolled back")
        if state in ("25006", "42501"):
            return ReadOnlyStore(f"the database refuses to be written: {error.orig}")
        if error.connection_invalidated or state in ("57P01", "57P02", "57P03", "08006", "08001"):
            return StoreBusy(f"the connection to the database was lost: {error.orig}; try again")
        return StoreError(str(error.orig))
