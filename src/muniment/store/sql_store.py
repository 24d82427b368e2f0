"""The store: opens a database, brings its schema up to date, and gives out units of work.

Belongs here: locks, the instant of a transaction, the settings a store keeps about itself. Does not belong here: the
statements inside a unit (`read`, `write`) and a database's ways (`dialects/`).
"""

from __future__ import annotations

import random
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Row, Table, bindparam, select, update

from muniment.domain.enums import CandidateStatus, OwnerType
from muniment.domain.errors import ModelMismatch, StoreBusy
from muniment.domain.reviews import Waiting
from muniment.domain.scope import PartitionKey, Reader, visible_to
from muniment.domain.time import MICROSECOND, AsOf, utc
from muniment.ports.models import Clock
from muniment.ports.store import Health, Locks
from muniment.store import migrate
from muniment.store.dialects.base import Database
from muniment.store.due import DueReads
from muniment.store.due_summaries import DueSummaries
from muniment.store.erasures import ErasureStore
from muniment.store.keys import SlotKeys
from muniment.store.log import Log
from muniment.store.read import SqlReadUnit
from muniment.store.read_base import named, partitions_named
from muniment.store.rows import Mapper
from muniment.store.sealing import Sealer
from muniment.store.tables.chain import candidate
from muniment.store.tables.keeping import store_setting
from muniment.store.tables.shelves import index_item, lane, partition, slot
from muniment.store.verify import VerifyStore
from muniment.store.views import rows_of
from muniment.store.write import SqlWriteUnit

T = TypeVar("T")
SHARDS = 64
ATTEMPTS = 8
BEFORE_ALL = AsOf()


def _locking(table: Table, key: Any) -> Any:
    """The statement that locks a table's rows by key, in the order of the keys. Built once: every write begins with it."""
    chosen = select(table).where(table.c.tenant_id == bindparam("tenant"), key.in_(bindparam("keys", expanding=True)))
    return chosen.order_by(key).with_for_update()


_LANES: Final = _locking(lane, lane.c.lane_key)
_SLOTS: Final = _locking(slot, slot.c.slot_id)


class SqlStore(ErasureStore, DueReads, DueSummaries, VerifyStore):
    """The source of truth on one of the known databases."""

    def __init__(
        self,
        database: Database,
        *,
        sealer: Sealer,
        clock: Clock,
        new_id: Callable[[], UUID],
        embedder_id: str,
        embedder_dimension: int,
        tokenizer_id: str,
        adopt_embedder: bool = False,
    ) -> None:
        """Opens and, where it is new, makes the schema. Raises the `StoreError` that fits."""
        self.database = database
        self.clock = clock
        self.new_id = new_id
        self._sealer = sealer
        self._tokenizer_id = tokenizer_id
        self.embedder_id = embedder_id
        migrate.ensure(database)
        with database.reading() as connection:
            sealer.check(connection)
        self._keys = SlotKeys(bytes.fromhex(self._setting("digest_key", secrets.token_hex(32))))
        if adopt_embedder:
            self._adopt_embedder(embedder_id, embedder_dimension)
        self._settle_embedder(embedder_id, embedder_dimension)

    # -- settings ---------------------------------------------------------------------------------------------------

    def _setting(self, name: str, default: str) -> str:
        """A setting of the store; the first to ask writes the default."""
        query = select(store_setting.c.value).where(store_setting.c.name == name)
        with self.database.reading() as connection:
            found = connection.scalar(query)
        if found is None:
            with self.database.writing() as connection:
                connection.execute(self.database.insert_ignore(store_setting).values(name=name, value=default))
                found = connection.scalar(query)
        return str(found)

    def _settle_embedder(self, embedder_id: str, dimension: int) -> None:
        """Refuses to mix models: their vectors do not compare."""
        if embedder_id == "none":
            return
        held = self._setting("embedder", f"{embedder_id}|{dimension}")
        if held != f"{embedder_id}|{dimension}":
            name = held.rpartition("|")[0]
            raise ModelMismatch(
                f"this store's vectors are of {name!r}, not {embedder_id!r}; open it with that embedder, "
                f"or re-compute them with `muniment reembed --db URL --embedder …`"
            )

    def _adopt_embedder(self, embedder_id: str, dimension: int) -> None:
        """Makes another model the store's own; its rows of other models count as having no vector until re-embedded."""
        with self.database.writing() as connection:
            connection.execute(self.database.insert_ignore(store_setting).values(name="embedder", value=""))
            connection.execute(
                update(store_setting)
                .where(store_setting.c.name == "embedder")
                .values(value=f"{embedder_id}|{dimension}")
            )

    def digest(self, text: str) -> str:
        """A digest under the store's own key."""
        return self._keys.digest(text)

    # -- units ------------------------------------------------------------------------------------------------------

    @contextmanager
    def read(self, reader: Reader, as_of: AsOf = BEFORE_ALL) -> Iterator[SqlReadUnit]:
        """A snapshot for one reader. Nothing is locked."""
        with self.database.reading() as connection:
            yield SqlReadUnit(
                connection,
                reader=reader,
                as_of=as_of,
                now=utc(self.clock()),
                sealer=self._sealer,
                slots=self._keys,
                embedder_id=self.embedder_id,
            )

    @contextmanager
    def write(self, reader: Reader, locks: Locks) -> Iterator[SqlWriteUnit]:
        """One transaction under the locks. Raises `StoreBusy` where they were not to be had or another writer won."""
        with self._locked(reader, locks) as (connection, rows, lanes):
            now = utc(self.clock())
            recorded_at = max([now, *(row.last_recorded_at + MICROSECOND for row in rows.values())])
            self._sealer.prepare(connection, sorted(rows), new_id=self.new_id, now=now)
            unit = SqlWriteUnit(
                connection,
                reader=reader,
                now=now,
                recorded_at=recorded_at,
                sealer=self._sealer,
                slots=self._keys,
                embedder_id=self.embedder_id,
                tokenizer_id=self._tokenizer_id,
                new_id=self.new_id,
                locked=rows,
                lanes=lanes,
            )
            yield unit
            unit.close()

    @contextmanager
    def _locked(
        self, reader: Reader, locks: Locks
    ) -> Iterator[tuple[Connection, Mapping[PartitionKey, Row[*tuple[Any, ...]]], Mapping[str, int]]]:
        """A transaction that holds lanes, slots and partitions, in that order. Missing rows are made beforehand, in a
        transaction of their own, so that two writers never wait for each other's inserts; where a database has one writer
        at a time anyway, in the same one."""
        slot_ids = sorted({self._keys.id_of(reader.tenant, item) for item in locks.slots})
        for _ in range(ATTEMPTS):
            with self.database.writing() as connection:
                held = self._held(connection, reader.tenant, locks, slot_ids)
                if held is None and self.database.one_writer:
                    self._make_missing(connection, reader.tenant, locks, slot_ids)
                    held = self._held(connection, reader.tenant, locks, slot_ids)
                if held is not None:
                    yield connection, *held
                    return
            with self.database.writing() as connection:
                self._make_missing(connection, reader.tenant, locks, slot_ids)
        raise StoreBusy("rows to lock were removed while they were made; nothing was written, try again")

    def _held(
        self, connection: Connection, tenant: str, locks: Locks, slot_ids: Sequence[UUID]
    ) -> tuple[Mapping[PartitionKey, Row[*tuple[Any, ...]]], Mapping[str, int]] | None:
        """Locks the rows; None where some are missing."""
        wanted = {(key.kind.value, key.target): key for key in locks.partitions}
        lanes = self._lock(connection, _LANES, tenant, sorted(set(locks.lanes)))
        slots = self._lock(connection, _SLOTS, tenant, slot_ids)
        chosen = partitions_named(len(wanted)).order_by(partition.c.kind, partition.c.target).with_for_update()
        rows = connection.execute(chosen, named(tenant, list(wanted))).all()
        if len(lanes) < len(set(locks.lanes)) or len(slots) < len(slot_ids) or len(rows) < len(wanted):
            return None
        return {wanted[row.kind, row.target]: row for row in rows}, {row.lane_key: row.next_seq for row in lanes}

    @staticmethod
    def _lock(
        connection: Connection, statement: Any, tenant: str, keys: Sequence[Any]
    ) -> Sequence[Row[*tuple[Any, ...]]]:
        return connection.execute(statement, {"tenant": tenant, "keys": keys}).all() if keys else []

    def _make_missing(self, connection: Connection, tenant: str, locks: Locks, slot_ids: Sequence[UUID]) -> None:
        """Makes the rows that will be locked. Every instant starts one before the clock, which no token can exceed."""
        now = utc(self.clock())
        lanes = [
            {
                "tenant_id": tenant,
                "lane_key": key,
                "shard": zlib.crc32(f"{tenant}\x00{key}".encode()) % SHARDS,
                "next_seq": 0,
                "epoch": 0,
            }
            for key in sorted(set(locks.lanes))
        ]
        partitions = [
            {
                "tenant_id": tenant,
                "partition_id": self.new_id(),
                "kind": key.kind.value,
                "target": key.target,
                "version": 0,
                "next_seq": 0,
                "segment_version": 0,
                "last_recorded_at": now - MICROSECOND,
                "epoch": 0,
            }
            for key in sorted(set(locks.partitions))
        ]
        home = partitions[0]["partition_id"] if partitions else self.new_id()
        slots = [{"tenant_id": tenant, "slot_id": key, "partition_id": home, "version": 0} for key in slot_ids]
        for table, rows in ((lane, lanes), (partition, partitions), (slot, slots)):
            if rows:
                connection.execute(self.database.insert_ignore(table), rows)

    # -- maintenance ------------------------------------------------------------------------------------------------

    def health(self) -> Health:
        """Whether the database is sound, by its own check where it has one."""
        return self.database.health()

    def try_write(self) -> None:
        """Writes a little and takes it back. Raises what a write would (`StoreFull`, `ReadOnlyStore`, `StoreBusy`)."""
        self.database.try_write()

    def partitions(self) -> list[PartitionKey]:
        """Every partition, for maintenance that walks the whole store."""
        with self.database.reading() as connection:
            rows = connection.execute(select(partition.c.tenant_id, partition.c.kind, partition.c.target))
            return sorted(
                PartitionKey(tenant=row.tenant_id, kind=OwnerType(row.kind), target=row.target) for row in rows
            )

    def waiting(self, *, tenant: str | None = None, until: datetime | None = None) -> list[Waiting]:
        """Candidates that wait for a person, the longest first, without their content: of a tenant, since `until` at least."""
        columns = candidate.c
        where = [columns.status == CandidateStatus.NEEDS_CONFIRMATION.value]
        if tenant is not None:
            where.append(columns.tenant_id == tenant)
        if until is not None:
            where.append(columns.updated_at <= until)
        statement = (
            select(columns.tenant_id, columns.user_id, columns.candidate_id, columns.updated_at)
            .where(*where)
            .order_by(columns.updated_at, columns.candidate_id)
        )
        with self.database.reading() as connection:
            return [
                Waiting(tenant=row.tenant_id, author=row.user_id, candidate_id=row.candidate_id, since=row.updated_at)
                for row in connection.execute(statement)
            ]

    @contextmanager
    def log(self, tenant: str, *, user: str | None = None) -> Iterator[Log]:
        """A tenant's log, or that of one user of it, for maintenance."""
        with self.database.reading() as connection:
            yield Log(connection, Mapper(connection, self._sealer), tenant, user)

    def view(
        self, tenant: str, name: str, *, reader: Reader | None, after: tuple[Any, ...] | None, limit: int
    ) -> list[Mapping[str, Any]]:
        """Rows of one of the three views, in its order; with a reader, only what they may see."""
        scopes = None if reader is None else visible_to(reader)
        with self.database.reading() as connection:
            mapper = Mapper(connection, self._sealer)
            return rows_of(connection, mapper, name, tenant, scopes=scopes, after=after, limit=limit)

    def foreign_vectors(self, key: PartitionKey, limit: int) -> list[tuple[str, UUID]]:
        """Index entries of a partition whose vector is not of this store's embedder, as (kind, ref); hidden ones need none."""
        columns = index_item.c
        statement = (
            select(columns.kind, columns.ref)
            .distinct()
            .join(partition, partition.c.partition_id == columns.partition_id)
            .where(partition.c.tenant_id == key.tenant, partition.c.kind == key.kind, partition.c.target == key.target)
            .where(columns.tenant_id == key.tenant, columns.model_id != self.embedder_id, columns.hidden_at.is_(None))
            .limit(limit)
        )
        with self.database.reading() as connection:
            return [(row.kind, row.ref) for row in connection.execute(statement)]

    def close(self) -> None:
        """Gives the connections back."""
        self.database.close()


def retrying(work: Callable[[], T], *, attempts: int = 5) -> T:
    """Runs a whole use case again, after a jittered pause, while another writer wins. The work must begin anew each time.

    Raises the last `StoreBusy` when the attempts are used up.
    """
    for attempt in range(attempts):
        try:
            return work()
        except StoreBusy:
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0.005, 0.02 * (attempt + 1)))
    raise StoreBusy("no attempt was made")
