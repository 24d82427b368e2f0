"""Index entries, exact keys and segments: the writes of what is derived.

Belongs here: those tables' writes. Does not belong here: what an entry holds (ingestion/, index/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import and_, bindparam, func, insert, select, update

from muniment.domain.enums import Eligibility
from muniment.domain.query import IndexItem
from muniment.domain.scope import PartitionKey
from muniment.ports.store import StoredIdentifier
from muniment.store.read_base import slices
from muniment.store.rows import Sealing
from muniment.store.scoping import placement_values
from muniment.store.tables.chain import evidence
from muniment.store.tables.facts import fact
from muniment.store.tables.shelves import identifier, index_item, index_segment, partition
from muniment.store.write_summary import SummaryWriter


class IndexWriter(SummaryWriter):
    """Writes of the derived tables."""

    def add_index(self, key: PartitionKey, items: Sequence[IndexItem]) -> None:
        """Writes index entries into a locked partition."""
        row = self._locked[key]
        seal = Sealing(self._sealer, key)
        rows = []
        for item in items:
            seq = self._next_seq[key]
            self._next_seq[key] = seq + 1
            # With the model down there is no vector: the entry says so, for whoever embeds next. What no channel offers
            # needs none.
            missing = not item.vectors and item.eligibility is not Eligibility.AUDIT_ONLY
            values = seal.index_item(
                replace(item, recorded_at=self.recorded_at),
                model_id="" if missing else self._embedder_id,
                tokenizer_id=self._tokenizer_id,
            )
            rows.append(values | {"partition_id": row.partition_id, "seq": seq, "touched": row.version + 1})
        self._write(insert(index_item), rows)

    def set_vectors(self, key: PartitionKey, vectors: Mapping[UUID, bytes]) -> None:
        """Replaces the vectors of entries by reference, under this store's embedder."""
        row = self._locked[key]
        seal = Sealing(self._sealer, key)
        columns = index_item.c
        statement = (
            update(index_item)
            .where(
                columns.tenant_id == key.tenant, columns.partition_id == row.partition_id, columns.ref == bindparam("r")
            )
            .values(vectors=bindparam("v"), model_id=self._embedder_id, touched=row.version + 1)
        )
        self._write(statement, [{"r": ref, "v": seal._seal_bytes(raw)} for ref, raw in vectors.items()])

    def words(self, refs: Sequence[UUID]) -> dict[UUID, str]:
        """The words that index entries stand for, whoever may read them: maintenance embeds them anew."""
        found: dict[UUID, str] = {}
        for table, column in ((evidence, evidence.c.evidence_id), (fact, fact.c.fact_id)):
            for some in slices(refs):
                statement = select(table).where(table.c.tenant_id == self.reader.tenant, column.in_(some))
                for row in self._connection.execute(statement):
                    found[getattr(row, column.name)] = self._map.open(row, "content")
        return found | {item.summary_id: item.content for item in self.current_summaries(refs)}

    def add_identifiers(self, rows: Sequence[StoredIdentifier]) -> None:
        """Writes exact keys."""
        self._write(
            insert(identifier),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "identifier_id": self._new_id(),
                    "kind": item.kind,
                    "value": item.value,
                    "held": item.held,
                    "ref_kind": item.ref_kind,
                    "ref": item.ref,
                    **placement_values(item.placement),
                    "recorded_at": self.recorded_at,
                }
                for item in rows
            ],
        )

    def add_segment(self, key: PartitionKey, version: int, packed: bytes) -> None:
        """Adds the partition's next packed segment, which reaches `version`."""
        row = self._locked[key]
        where = and_(index_segment.c.tenant_id == key.tenant, index_segment.c.partition_id == row.partition_id)
        last = self._connection.scalar(select(func.max(index_segment.c.ordinal)).where(where))
        self._connection.execute(
            insert(index_segment).values(
                tenant_id=key.tenant,
                partition_id=row.partition_id,
                ordinal=0 if last is None else last + 1,
                version=version,
                packed=self._sealer.seal_bytes(key, packed),
            )
        )
        self._connection.execute(
            update(partition)
            .where(partition.c.tenant_id == key.tenant, partition.c.partition_id == row.partition_id)
            .values(segment_version=version)
        )
