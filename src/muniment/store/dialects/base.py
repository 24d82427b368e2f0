"""What the store asks of a database.

Belongs here: the `Database` base and what servers share. Does not belong here: any one database's ways.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import URL, Connection, Engine, Table, create_engine
from sqlalchemy.exc import DBAPIError, OperationalError

from muniment.domain.errors import MissingExtra, MunimentError, StoreBusy, StoreError
from muniment.ports.forgetting import Scrubbed
from muniment.ports.store import Health
from muniment.store.tables.keeping import store_setting

TRIAL_ROWS: Final = 40
TRIAL_CHARS: Final = 16_000
"""Of a trial write: together more than an ordinary turn takes, each less than any page or packet."""
PAUSE_SECONDS = 0.012
PAUSE_LEAST_SECONDS = 0.002
PAUSE_HALVES_SECONDS = 0.15


class _TakenBack(Exception):
    """A trial write went well, and is rolled back."""


class Database:
    """An engine with its ways of writing, waiting and failing."""

    engine: Engine
    busy_seconds: float
    one_writer = False
    """Whether a write transaction keeps every other from beginning."""

    def insert_ignore(self, table: Table) -> Any:
        """An INSERT that leaves an existing row alone."""
        raise StoreError(f"{type(self).__name__} has no insert_ignore")

    def translate(self, error: DBAPIError) -> MunimentError:
        """The error of ours for one of the driver's."""
        return StoreError(str(error.orig))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection inside a read transaction; driver errors leave it as ours."""
        with self._translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection inside a write transaction: committed when the block is left, rolled back on any exception."""
        with self._translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def schema_lock(self, connection: Connection) -> Iterator[None]:
        """Holds back every other process that would migrate this database. A write transaction does already, unless the
        database allows several."""
        yield

    def health(self) -> Health:
        """Whether the database answers, and which one it is."""
        with self.reading() as connection:
            version = ".".join(str(part) for part in connection.dialect.server_version_info or ())
        return Health(sound=True, said=f"{self.engine.dialect.name} {version} answers")

    def try_write(self) -> None:
        """Writes rows of several pages, and takes them back. Raises what a write would."""
        with suppress(_TakenBack), self.writing() as connection:
            # Of their own names, so that another trial's do not stand in their way.
            rows = [{"name": f"trial-{uuid4().hex}", "value": "x" * TRIAL_CHARS} for _ in range(TRIAL_ROWS)]
            with self.trial(connection):
                connection.execute(store_setting.insert(), rows)
            raise _TakenBack

    @contextmanager
    def trial(self, connection: Connection) -> Iterator[None]:
        """Makes what is written inside reach the disk although it is taken back, where that needs doing."""
        yield

    def scrub(self, seconds: float) -> Scrubbed:
        """Overwrites what deleted rows left in the database's own files, waiting so long for their other readers. A server
        does that by itself, in its own time."""
        return Scrubbed(done=True, said=("the server's dead rows and logs hold it until it cleans and recycles them",))

    def files(self) -> list[Path]:
        """The files that this database is, where they can be read."""
        return []

    def out_of_reach(self) -> list[str]:
        """What a search for erased content cannot look into."""
        return ["the server's data files, dead rows and logs", "backups and replicas", "other processes' memory"]

    def schema_made(self, connection: Connection) -> None:
        """Called in the transaction that made or changed the schema, at its end."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self.translate(error) from error

    def close(self) -> None:
        """Gives every connection back."""
        self.engine.dispose()


class ServerDatabase(Database):
    """A database server reached through a driver of an extra."""

    driver: str
    extra: str

    def __init__(self, url: URL, *, busy_seconds: float) -> None:
        self.busy_seconds = busy_seconds
        module = self.driver.split("+")[1]
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(f"{url.get_backend_name()} needs its driver: pip install 'muniment[{self.extra}]'")
        self.engine = create_engine(
            url.set(drivername=self.driver), isolation_level="READ COMMITTED", pool_pre_ping=True, **self.options()
        )

    def options(self) -> dict[str, Any]:
        """Further arguments of the engine."""
        return {}


def pauses(deadline: float, *, clock: Callable[[], float] = time.monotonic) -> Iterator[float]:
    """Jittered pauses, slept before each is yielded, until the deadline. Jitter keeps waiting writers from meeting again;
    who has waited longer asks more often, so that the turn comes to the longest waiting first, or nearly."""
    begun = clock()
    while (now := clock()) < deadline:
        step = max(PAUSE_LEAST_SECONDS, PAUSE_SECONDS * 0.5 ** ((now - begun) / PAUSE_HALVES_SECONDS))
        pause = random.uniform(0.5, 1.5) * step
        time.sleep(pause)
        yield pause


def busy(seconds: float) -> StoreBusy:
    """The error for a lock that was not to be had."""
    return StoreBusy(f"the store was locked by other writers for {seconds:g} s; nothing was written, try again")


__all__ = ["Database", "OperationalError", "ServerDatabase", "busy", "pauses"]
