"""SQLite, the embedded store: WAL, BEGIN IMMEDIATE under a deadline, one write lock in the process.

Measured: with eight writer processes and SQLite's own busy timeout one made 14 transactions and another 9 191; a jittered
retry under a deadline starves nobody. `secure_delete` and FULL sync are on: what is forgotten leaves no byte, what was
acknowledged survives a power cut.

Belongs here: what is SQLite's alone. Does not belong here: statements other databases share.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool, StaticPool

from muniment.domain.errors import InvalidInput, MunimentError, NotADatabase, ReadOnlyStore, StoreError, StoreFull
from muniment.ports.forgetting import Scrubbed
from muniment.ports.store import Health
from muniment.store.dialects.base import Database, busy, pauses
from muniment.store.dialects.sqlite_planner import inform
from muniment.store.tables.keeping import store_setting

PAGE_SIZE = 16_384
GAP_SECONDS = 0.002
"""How long a process with more to write leaves the file to others that write it: about what they take to notice."""
LEAST_BYTES = 512
"""The smallest page, and so the smallest database that is not empty."""


class FairLock:
    """A lock that is had in the order it was asked for: the standard one lets a busy thread take it again and again."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._held = False

    def acquire(self, timeout: float) -> bool:
        """Waits its turn; False when the time ran out."""
        with self._guard:
            if not self._held and not self._waiting:
                self._held = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout):
            return True
        with self._guard:
            if turn.is_set():
                return True
            self._waiting.remove(turn)
            return False

    @property
    def wanted(self) -> bool:
        """Whether anybody waits for it."""
        return bool(self._waiting)

    def release(self) -> None:
        """Hands the lock to the longest waiting, or frees it."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._held = False


class SqliteDatabase(Database):
    """One file (or memory) in one process; other processes may write the same file."""

    one_writer = True

    def __init__(self, path: str | None, *, busy_seconds: float, create: bool = True) -> None:
        self.busy_seconds = busy_seconds
        self.path = None if path is None else Path(path).expanduser()
        self._write_lock = FairLock()
        self._others = False
        # A database in memory lives in one connection, which then serves one transaction at a time.
        self._alone = FairLock() if self.path is None else None
        if self.path is not None:
            self._check_file(self.path, create=create)
        pool: dict[str, Any] = (
            {"poolclass": StaticPool}
            if self.path is None
            else {"poolclass": QueuePool, "pool_size": 8, "max_overflow": 64}
        )
        self.engine = create_engine(
            "sqlite://" if self.path is None else f"sqlite:///{self.path}",
            connect_args={"check_same_thread": False, "timeout": 0, "isolation_level": None},
            **pool,
        )
        event.listen(self.engine, "connect", self._prepare)
        event.listen(self.engine, "begin", self._begin)

    @staticmethod
    def _check_file(path: Path, *, create: bool) -> None:
        """Says clearly what is wrong with the place before SQLite says it obscurely."""
        if path.is_dir():
            raise NotADatabase(f"{path} is a folder; name a file in it, e.g. sqlite:///{path}/muniment.db")
        if not create and (not path.exists() or path.stat().st_size == 0):
            raise InvalidInput(f"there is no database {path}; check its name, or write something first, which makes it")
        if not path.parent.is_dir():
            raise ReadOnlyStore(f"the folder {path.parent} does not exist; make it first")
        if not path.exists():
            if not os.access(path.parent, os.W_OK):
                raise ReadOnlyStore(
                    f"the folder {path.parent} cannot be written; choose another place for the database"
                )
            return
        if not os.access(path, os.R_OK):
            raise ReadOnlyStore(f"{path} cannot be read; check its permissions")
        said = f"{path} is not a SQLite database; name another file, this one was left as it is"
        if 0 < path.stat().st_size < LEAST_BYTES:
            raise NotADatabase(said)
        # Through SQLite: closing a handle of our own on the file would drop every lock this process holds on it.
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.DatabaseError as error:
            if "not a database" in str(error):
                raise NotADatabase(said) from error
        finally:
            connection.close()

    def _prepare(self, connection: sqlite3.Connection, record: object) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute("PRAGMA busy_timeout = 5000")
            if self.path is not None:
                self._journal(cursor)
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.execute("PRAGMA secure_delete = ON")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA busy_timeout = 0")
        finally:
            cursor.close()

    def _journal(self, cursor: sqlite3.Cursor) -> None:
        """The journal mode stays with the file: another application's is left as it is, and refused afterwards.

        Where two connections switch a new file at once, SQLite refuses one of them without waiting: it asks again.
        """
        waiting = pauses(time.monotonic() + self.busy_seconds)
        while True:
            try:
                if self._ours(cursor):
                    cursor.execute(f"PRAGMA page_size = {PAGE_SIZE}")
                    cursor.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not _locked(error) or next(waiting, None) is None:
                    raise

    @staticmethod
    def _ours(cursor: sqlite3.Cursor) -> bool:
        """Whether the file is new or holds a store."""
        tables = {name for (name,) in cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return not tables or store_setting.name in tables

    @staticmethod
    def _begin(connection: Connection) -> None:
        if statement := connection.get_execution_options().get("begin", "BEGIN"):
            connection.exec_driver_sql(statement)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A snapshot that no later commit changes."""
        with self._translated(), self._turn(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The one writer of the file. Raises `StoreBusy` when the deadline passes before it is our turn."""
        deadline = time.monotonic() + self.busy_seconds
        if not self._write_lock.acquire(self.busy_seconds):
            raise busy(self.busy_seconds)
        try:
            with self._translated(), self._turn(), self._begun(deadline) as connection:
                yield connection
        finally:
            if self._others and self._write_lock.wanted:
                time.sleep(GAP_SECONDS)
            self._write_lock.release()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._alone is None:
            yield
            return
        if not self._alone.acquire(self.busy_seconds):
            raise busy(self.busy_seconds)
        try:
            yield
        finally:
            self._alone.release()

    @contextmanager
    def _begun(self, deadline: float) -> Iterator[Connection]:
        """Begins IMMEDIATE, trying again with jitter while another process holds the file."""
        with self.engine.connect() as raw:
            self._begin_immediate(raw, deadline)
            connection = raw.execution_options(begin="")
            with connection.begin():
                yield connection

    def _begin_immediate(self, connection: Connection, deadline: float) -> None:
        """Asks the driver itself: a try in vain then costs microseconds, so that many can wait and ask often."""
        driver: Any = connection.connection.dbapi_connection
        waiting = pauses(deadline)
        self._others = False
        while True:
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not _locked(error):
                    raise OperationalError("BEGIN IMMEDIATE", None, error) from error
            else:
                return
            self._others = True
            if next(waiting, None) is None:
                raise busy(self.busy_seconds)

    def insert_ignore(self, table: Table) -> Any:
        """INSERT … ON CONFLICT DO NOTHING."""
        return insert(table).on_conflict_do_nothing()

    def schema_made(self, connection: Connection) -> None:
        """Tells the planner which indexes single out what."""
        inform(connection)

    def translate(self, error: DBAPIError) -> MunimentError:
        """SQLite's words as our errors."""
        said = str(error.orig)
        where = self.path or "memory"
        if "not a database" in said or "malformed" in said:
            return NotADatabase(f"{where}: {said}; restore it from a backup or name another file")
        if "full" in said:
            return StoreFull(
                f"{where}: no space left; the transaction was rolled back, what was acknowledged before is safe"
            )
        if "readonly" in said or "unable to open" in said:
            return ReadOnlyStore(f"{where} cannot be written: {said}")
        if _locked(error):
            return busy(self.busy_seconds)
        if "disk I/O error" in said:
            return StoreError(f"{where}: {said}; the transaction was rolled back")
        return StoreError(f"{where}: {said}")

    @contextmanager
    def trial(self, connection: Connection) -> Iterator[None]:
        """Lets only few pages wait in memory, so that the others are written to the log although they are taken back."""
        before = connection.exec_driver_sql("PRAGMA cache_size").scalar()
        connection.exec_driver_sql("PRAGMA cache_size = 4")
        try:
            yield
        finally:
            connection.exec_driver_sql(f"PRAGMA cache_size = {before}")

    def health(self) -> Health:
        """SQLite's quick check of the file, and how it is kept."""
        with self.reading() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check(5)")]
            mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        sound = found == ["ok"]
        said = (
            f"{self.path or 'memory'}: SQLite {sqlite3.sqlite_version}, journal {mode}, quick check {'; '.join(found)}"
        )
        advice = "" if sound else "; restore it from a backup"
        return Health(sound=sound, said=said + advice, path=None if self.path is None else str(self.path))

    def files(self) -> list[Path]:
        """The database, its write-ahead log and its shared index."""
        return [] if self.path is None else [Path(f"{self.path}{end}") for end in ("", "-wal", "-shm")]

    def out_of_reach(self) -> list[str]:
        """Copies, and blocks of the disk that belong to no file any more."""
        return ["backups and other copies of the file", "blocks the file system has freed", "other processes' memory"]

    def scrub(self, seconds: float) -> Scrubbed:
        """Writes the whole file anew, without the pages and gaps that deleted rows were in, and empties the log.

        `secure_delete` overwrites what is deleted, but not what SQLite left behind when it moved rows between pages. The old
        log is emptied only when no reader needs it: until then bytes are there, and this says so.
        """
        if self.path is None:
            return Scrubbed(done=True)
        deadline = time.monotonic() + seconds
        rewritten = self._rewritten(deadline)
        if rewritten and self._truncated(deadline):
            return Scrubbed(done=True, said=(f"no byte of it is left in {self.path.name} and its log",))
        why = "its log is still read by others" if rewritten else "it is still written by others"
        return Scrubbed(done=False, said=(f"bytes of it may be left in {self.path.name}: {why}; it is tried again",))

    def _rewritten(self, deadline: float) -> bool:
        """VACUUM, as the one writer; False where others kept writing until the deadline."""
        if not self._write_lock.acquire(max(0.0, deadline - time.monotonic())):
            return False
        try:
            return self._tried(deadline, lambda driver: driver.execute("VACUUM") is not None)
        finally:
            self._write_lock.release()

    def _truncated(self, deadline: float) -> bool:
        """Writes the log back and empties it; False where a reader still needed it at the deadline."""
        asked = "PRAGMA wal_checkpoint(TRUNCATE)"
        return self._tried(deadline, lambda driver: int(driver.execute(asked).fetchone()[0]) == 0)

    def _tried(self, deadline: float, work: Callable[[sqlite3.Connection], bool]) -> bool:
        """Whether work of the driver's own, outside of any transaction, was done by the deadline; tried at least once."""
        waiting = pauses(deadline)
        with self._translated(), self.engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            while True:
                try:
                    if work(driver):
                        return True
                except sqlite3.OperationalError as error:
                    if not _locked(error):
                        raise OperationalError("scrub", None, error) from error
                if next(waiting, None) is None:
                    return False

    def checkpoint(self) -> bool:
        """Writes the WAL back and truncates it; False while a reader still needs it."""
        with self.engine.connect() as connection:
            row = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        return int(row[0]) == 0


def _locked(error: DBAPIError | sqlite3.Error) -> bool:
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    return "locked" in said or "busy" in said
