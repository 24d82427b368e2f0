"""The read side of the index: partitions' versions, rows and segments.

Belongs here: what `ports.index.IndexSource` asks of a snapshot. Does not belong here: arrays and scores (index/).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, select, type_coerce

from muniment.domain.scope import PartitionKey, Reader
from muniment.ports.index import IndexRow, PartitionState
from muniment.store.rows import Mapper
from muniment.store.tables.shelves import index_item, index_segment
from muniment.store.types import IdBytes

# Databases bound the number of parameters of a statement; longer lists are read in slices.
SLICE: Final = 500
_NAMES: Final = {
    "user": "user_id",
    "department": "department_id",
    "agent": "agent_id",
    "session": "session_id",
    "task": "task_id",
}
_INSTANTS: Final = IndexRow._fields.index("occurred_at")
"""Where, of a row's fields, those begin that are passed on as they are."""
_ROWS: Final = (
    select(
        *(
            type_coerce(index_item.c.ref, IdBytes) if name == "ref" else index_item.c[_NAMES.get(name, name)]
            for name in IndexRow._fields
        )
    )
    .where(
        index_item.c.tenant_id == bindparam("tenant"),
        index_item.c.partition_id == bindparam("partition"),
        index_item.c.touched > bindparam("since"),
    )
    .order_by(index_item.c.seq)
)


# Built once: every refold runs it.
_VECTORS: Final = (
    select(index_item.c.tenant_id, index_item.c.ref, index_item.c.vectors)
    .where(
        index_item.c.tenant_id == bindparam("tenant"),
        index_item.c.ref.in_(bindparam("refs", expanding=True)),
        index_item.c.model_id == bindparam("model"),
    )
    .order_by(index_item.c.seq)
)


class SqlIndexSource:
    """Partitions of one snapshot as the index reads them."""

    reader: Reader
    _connection: Connection
    _map: Mapper
    _partitions: dict[PartitionKey, Row[*tuple[Any, ...]]]
    _embedder_id: str

    def partition_states(self, keys: Sequence[PartitionKey]) -> dict[PartitionKey, PartitionState]:
        """Versions of the partitions that exist."""
        return {
            key: PartitionState(version=row.version, segment_version=row.segment_version, count=row.next_seq)
            for key, row in self._partitions.items()
            if key in keys
        }

    def index_rows(self, key: PartitionKey, since_version: int) -> Sequence[IndexRow]:
        """Index rows written or changed after a version, in their order."""
        row = self._partitions.get(key)
        if row is None:
            return []
        asked = {"tenant": key.tenant, "partition": row.partition_id, "since": since_version}
        return [self._index_row(key.tenant, item) for item in self._connection.execute(_ROWS, asked).all()]

    def _index_row(self, tenant: str, row: Sequence[Any]) -> IndexRow:
        """A row of `_ROWS`, by position: a cold start reads tens of thousands. Another model's vectors are left out."""
        *placed, speaker, role, asks, tokens, tail, vectors = row[:_INSTANTS]
        opened = self._map.opened
        return IndexRow._make(
            (
                *placed,
                "" if speaker is None else self._map.opened_text(tenant, speaker),
                role,
                bool(asks),
                opened(tenant, tokens),
                opened(tenant, tail),
                opened(tenant, vectors) if row[-1] == self._embedder_id else b"",
                *row[_INSTANTS:],
            )
        )

    def vectors(self, refs: Iterable[UUID]) -> dict[UUID, bytes]:
        """The vectors last written for references, under this store's embedder; those without one are left out."""
        found: dict[UUID, bytes] = {}
        listed = list(refs)
        for start in range(0, len(listed), SLICE):
            some = listed[start : start + SLICE]
            asked = {"tenant": self.reader.tenant, "refs": some, "model": self._embedder_id}
            rows = self._connection.execute(_VECTORS, asked)
            found.update({row.ref: self._map.bytes(row, "vectors") for row in rows})
        return found

    def index_segments(self, key: PartitionKey) -> Sequence[tuple[int, bytes]]:
        """Packed segments of a partition, in order, with the version each reaches."""
        row = self._partitions.get(key)
        if row is None:
            return []
        columns = index_segment.c
        statement = (
            select(index_segment)
            .where(columns.tenant_id == key.tenant, columns.partition_id == row.partition_id)
            .order_by(columns.ordinal)
        )
        return [(item.version, self._map.bytes(item, "packed")) for item in self._connection.execute(statement)]
