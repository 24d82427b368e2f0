"""The read side of the index: partitions' versions, rows and segments.

Belongs here: what `ports.index.IndexSource` asks of a snapshot. Does not belong here: arrays and scores (index/).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from muniment.domain.scope import PartitionKey
from muniment.ports.index import IndexRow, PartitionState
from muniment.store.rows import Mapper
from muniment.store.tables.shelves import index_item, index_segment


class SqlIndexSource:
    """Partitions of one snapshot as the index reads them."""

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
        columns = index_item.c
        statement = (
            select(index_item)
            .where(
                columns.tenant_id == key.tenant,
                columns.partition_id == row.partition_id,
                columns.touched > since_version,
            )
            .order_by(columns.seq)
        )
        return [self._index_row(item) for item in self._connection.execute(statement)]

    def _index_row(self, row: Row[*tuple[Any, ...]]) -> IndexRow:
        mine = row.model_id == self._embedder_id
        return IndexRow(
            seq=row.seq,
            touched=row.touched,
            kind=row.kind,
            ref=row.ref.bytes,
            revision=row.revision,
            segment=row.segment,
            scope=row.scope,
            user=row.user_id,
            department=row.department_id,
            agent=row.agent_id,
            session=row.session_id,
            task=row.task_id,
            speaker=self._map.maybe(row, "speaker") or "",
            role=row.role,
            asks=bool(row.asks),
            tokens=self._map.bytes(row, "tokens"),
            tail=self._map.bytes(row, "tail"),
            vectors=self._map.bytes(row, "vectors") if mine else b"",
            occurred_at=row.occurred_at,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            recorded_at=row.recorded_at,
            retracted_at=row.retracted_at,
            expires_at=row.expires_at,
            hidden_at=row.hidden_at,
            eligibility=row.eligibility,
            memory_type=row.memory_type,
            standing=row.standing,
            model_id=row.model_id,
        )

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
