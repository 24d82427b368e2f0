"""One snapshot: which partitions there are, and the instants everything is read as of.

Belongs here: the base of the read side. Does not belong here: any one table's reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Row, select, tuple_

from muniment.domain.enums import Relation
from muniment.domain.scope import PartitionKey, Reader, partitions_of, visible_to
from muniment.domain.time import AsOf
from muniment.domain.token import Token, known_in
from muniment.store.keys import SlotKeys
from muniment.store.read_index import SqlIndexSource
from muniment.store.rows import Mapper
from muniment.store.sealing import Sealer
from muniment.store.tables.facts import fact_evidence
from muniment.store.tables.shelves import partition

# Databases bound the number of parameters of a statement; longer lists are read in slices.
SLICE = 500
T = TypeVar("T")


def slices(items: Iterable[T], size: int = SLICE) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    listed = list(items)
    return (listed[start : start + size] for start in range(0, len(listed), size))


class ReadBase(SqlIndexSource):
    """The snapshot of a unit of work: its reader, partitions, token and instants."""

    def __init__(
        self,
        connection: Connection,
        *,
        reader: Reader,
        as_of: AsOf,
        now: datetime,
        sealer: Sealer,
        slots: SlotKeys,
        embedder_id: str,
    ) -> None:
        self.reader = reader
        self.as_of = as_of
        self.now = now
        self._connection = connection
        self._map = Mapper(connection, sealer)
        self._slots = slots
        self._embedder_id = embedder_id
        self._scopes = visible_to(reader)
        self._keys = partitions_of(reader)
        # Read first: every later statement is bounded by it, so that the unit is one snapshot at READ COMMITTED too.
        self._partitions = self._load_partitions()

    def _load_partitions(self) -> dict[PartitionKey, Row[*tuple[Any, ...]]]:
        """The rows of the reader's partitions that exist."""
        columns = partition.c
        wanted = [(key.kind.value, key.target) for key in self._keys]
        rows = self._connection.execute(
            select(partition).where(
                columns.tenant_id == self.reader.tenant, tuple_(columns.kind, columns.target).in_(wanted)
            )
        ).all()
        by_name = {(row.kind, row.target): row for row in rows}
        return {key: by_name[name] for key, name in zip(self._keys, wanted, strict=True) if name in by_name}

    @cached_property
    def token(self) -> Token:
        """The snapshot's `known_at` token."""
        marks = {key: row.last_recorded_at for key, row in self._partitions.items()}
        return Token.of(marks, now=self.now)

    @cached_property
    def known(self) -> dict[PartitionKey, datetime]:
        """Per partition, the instant its belief is read as of: the snapshot's own mark, or the asked one if earlier."""
        marks = {}
        for key, row in self._partitions.items():
            asked = known_in(self.as_of.known_at, key)
            marks[key] = row.last_recorded_at if asked is None else min(asked, row.last_recorded_at)
        return marks

    @property
    def expiry_at(self) -> datetime:
        """The instant `expires_at` is compared with: `known_at` where given, else now."""
        return self.as_of.known_at or self.now

    @property
    def valid_at(self) -> datetime:
        """The instant periods are compared with: `valid_at`, else `known_at`, else now."""
        return self.as_of.valid_at or self.as_of.known_at or self.now

    def evidence_of(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[tuple[UUID, Relation]]]:
        """Each fact's evidence, in the order it was linked, with its relation."""
        columns = fact_evidence.c
        links: dict[UUID, list[tuple[UUID, Relation]]] = defaultdict(list)
        for some in slices(fact_ids):
            statement = (
                select(columns.fact_id, columns.evidence_id, columns.relation)
                .where(columns.tenant_id == self.reader.tenant, columns.fact_id.in_(some))
                .order_by(columns.recorded_at, columns.revision, columns.evidence_id)
            )
            for row in self._connection.execute(statement):
                pair = (row.evidence_id, Relation(row.relation))
                if pair not in links[row.fact_id]:
                    links[row.fact_id].append(pair)
        return dict(links)
