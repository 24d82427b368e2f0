"""What every write of a transaction needs: its partitions, its instant, its end.

Belongs here: the base of the write side. Does not belong here: any one table's writes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, delete, insert, update

from muniment.domain.scope import PartitionKey, Placement, Reader
from muniment.domain.time import AsOf
from muniment.store.keys import SlotKeys
from muniment.store.read import SqlReadUnit
from muniment.store.read_base import slices
from muniment.store.rows import Sealing, Values
from muniment.store.sealing import Sealer
from muniment.store.tables.keeping import audit_log
from muniment.store.tables.shelves import identifier, index_item, lane, partition

NewId = Callable[[], UUID]

# Built once: every write ends with them.
_ADVANCE: Final = (
    update(partition)
    .where(partition.c.tenant_id == bindparam("tenant"), partition.c.partition_id == bindparam("id"))
    .values(version=bindparam("to_version"), next_seq=bindparam("to_seq"), last_recorded_at=bindparam("at"))
)
_NUMBER: Final = (
    update(lane)
    .where(lane.c.tenant_id == bindparam("tenant"), lane.c.lane_key == bindparam("lane"))
    .values(next_seq=bindparam("to_seq"))
)


class WriteBase(SqlReadUnit):
    """The write side of a unit of work, inside locks that `SqlStore.write` took."""

    def __init__(
        self,
        connection: Connection,
        *,
        reader: Reader,
        now: datetime,
        recorded_at: datetime,
        sealer: Sealer,
        slots: SlotKeys,
        embedder_id: str,
        tokenizer_id: str,
        new_id: NewId,
        locked: Mapping[PartitionKey, Row[*tuple[Any, ...]]],
        lanes: Mapping[str, int],
    ) -> None:
        super().__init__(
            connection, reader=reader, as_of=AsOf(), now=now, sealer=sealer, slots=slots, embedder_id=embedder_id
        )
        self.recorded_at = recorded_at
        self._sealer = sealer
        self._tokenizer_id = tokenizer_id
        self._new_id = new_id
        self._locked = locked
        self._next_seq = {key: row.next_seq for key, row in locked.items()}
        self._lanes = dict(lanes)
        self._left = False
        self._recorded_facts: dict[UUID, None] = {}

    @property
    def known(self) -> dict[PartitionKey, datetime]:
        """A write reads what it has itself written."""
        return {key: max(self.recorded_at, row.last_recorded_at) for key, row in self._partitions.items()}

    @property
    def follows(self) -> datetime | None:
        """Up to when the reader's own partition had been written before this unit; None where it does not hold that."""
        row = self._locked.get(self._home)
        return None if row is None else row.last_recorded_at

    def epoch(self, key: PartitionKey) -> int:
        """The fence of a partition, under its lock where this unit holds that."""
        row = self._locked.get(key)
        return super().epoch(key) if row is None else int(row.epoch)

    def _sealing(self, placement: Placement) -> Sealing:
        return Sealing(self._sealer, PartitionKey.of(self.reader.tenant, placement))

    def _write(self, statement: Any, rows: Sequence[Values]) -> None:
        if rows:
            self._connection.execute(statement, list(rows))

    @property
    def _home(self) -> PartitionKey:
        """The reader's own user partition."""
        return next(key for key in self._keys if key.kind == "USER")

    def _touch(self, refs: Iterable[UUID], values: Values, *extra: Any) -> None:
        """Changes index entries of the locked partitions so that every process sees them change."""
        columns = index_item.c
        for key, row in self._locked.items():
            for some in slices(refs):
                self._connection.execute(
                    update(index_item)
                    .where(columns.tenant_id == key.tenant, columns.partition_id == row.partition_id)
                    .where(columns.ref.in_(some), *extra)
                    .values(touched=row.version + 1, **values)
                )

    def drop_identifiers(self, refs: Iterable[UUID]) -> None:
        """Takes out the exact keys of evidence or facts."""
        for some in slices(refs):
            self._connection.execute(
                delete(identifier).where(identifier.c.tenant_id == self.reader.tenant, identifier.c.ref.in_(some))
            )

    def audit(self, action: str, *, ref_kind: str, ref: UUID, content: str, actor: str | None = None) -> None:
        """Adds an audit row with a salted commitment to the content, never the content. Its actor is the reader's user
        unless another is named, who acted on what is the reader's."""
        salt = os.urandom(16)
        self._write(
            insert(audit_log),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "audit_id": self._new_id(),
                    "action": action,
                    "actor": actor or f"user:{self.reader.user}",
                    "user_id": self.reader.user,
                    "ref_kind": ref_kind,
                    "ref": ref,
                    "commitment": hashlib.sha256(salt + content.encode("utf-8", "surrogatepass")).digest(),
                    "salt": salt,
                    "at": self.recorded_at,
                }
            ],
        )

    def leave(self) -> None:
        """Says that nothing is written after all: partitions keep their versions and marks."""
        self._left = True

    def close(self) -> None:
        """Advances the partitions and lanes; called once, last."""
        if self._left:
            return
        self._write(
            _ADVANCE,
            [
                {
                    "tenant": key.tenant,
                    "id": row.partition_id,
                    "to_version": row.version + 1,
                    "to_seq": self._next_seq[key],
                    "at": self.recorded_at,
                }
                for key, row in self._locked.items()
            ],
        )
        self._write(
            _NUMBER,
            [{"tenant": self.reader.tenant, "lane": key, "to_seq": seq} for key, seq in self._lanes.items()],
        )
