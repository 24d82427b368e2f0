"""MySQL and MariaDB through PyMySQL, kept to what both have.

Belongs here: what is MySQL's alone. Does not belong here: statements other databases share.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.dialects.mysql import insert
from sqlalchemy.exc import DBAPIError

from muniment.domain.errors import MunimentError, ReadOnlyStore, StoreBusy, StoreError, StoreFull
from muniment.store.dialects.base import ServerDatabase, busy

# ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK.
RETRYABLE = frozenset({1205, 1213})


class MysqlDatabase(ServerDatabase):
    """A MySQL or MariaDB server."""

    driver = "mysql+pymysql"
    extra = "mysql"

    def options(self) -> dict[str, Any]:
        """UTF-8 to the last emoji, UTC, and a lock is waited for no longer than the deadline."""
        seconds = max(1, int(self.busy_seconds))
        init = f"SET time_zone = '+00:00', innodb_lock_wait_timeout = {seconds}"
        return {
            "connect_args": {"charset": "utf8mb4", "init_command": init, "connect_timeout": 10},
            "pool_recycle": 3600,
        }

    def insert_ignore(self, table: Table) -> Any:
        """INSERT IGNORE."""
        return insert(table).prefix_with("IGNORE")

    @contextmanager
    def schema_lock(self, connection: Connection) -> Iterator[None]:
        """A named lock of this database: DDL commits by itself here, so that no transaction holds others back."""
        name = func.concat("muniment:", func.md5(func.database()))
        if connection.scalar(select(func.get_lock(name, self.busy_seconds))) != 1:
            raise busy(self.busy_seconds)
        try:
            yield
        finally:
            connection.execute(select(func.release_lock(name)))

    def translate(self, error: DBAPIError) -> MunimentError:
        """MySQL's error numbers as our errors."""
        arguments = getattr(error.orig, "args", ())
        number = arguments[0] if arguments else None
        if number in RETRYABLE:
            return busy(self.busy_seconds)
        if number in (1021, 1114, 28):
            return StoreFull("the database server has no space left; the transaction was rolled back")
        if number in (1290, 1036, 1792, 1142):
            return ReadOnlyStore(f"the database refuses to be written: {error.orig}")
        if error.connection_invalidated or number in (2003, 2006, 2013):
            return StoreBusy(f"the connection to the database was lost: {error.orig}; try again")
        return StoreError(str(error.orig))
