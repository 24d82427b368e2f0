"""One snapshot: which partitions there are, and the instants everything is read as of.

Belongs here: the base of the read side. Does not belong here: any one table's reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Row, Select, and_, bindparam, false, or_, select

from muniment.domain.enums import OwnerType, Relation
from muniment.domain.scope import PartitionKey, Reader, partitions_of, visible_to
from muniment.domain.time import AsOf
from muniment.domain.token import Token, known_in
from muniment.store.keys import SlotKeys
from muniment.store.read_index import SLICE, SqlIndexSource
from muniment.store.rows import Mapper
from muniment.store.sealing import Sealer
from muniment.store.tables.facts import fact_evidence
from muniment.store.tables.shelves import partition

T = TypeVar("T")

_LINKS: Final = (
    select(fact_evidence.c.fact_id, fact_evidence.c.evidence_id, fact_evidence.c.relation, fact_evidence.c.revision)
    .where(
        fact_evidence.c.tenant_id == bindparam("tenant"),
        fact_evidence.c.fact_id.in_(bindparam("facts", expanding=True)),
    )
    .order_by(fact_evidence.c.recorded_at, fact_evidence.c.revision, fact_evidence.c.evidence_id)
)


@lru_cache(maxsize=64)
def partitions_named(count: int) -> Select[Any]:
    """The statement for so many partitions of a tenant by kind and target; its parameters are those of `named`.

    Spelt out pair by pair: SQLite reads a whole tenant for (kind, target) IN (…).
    """
    columns = partition.c
    pairs = [
        and_(columns.kind == bindparam(f"kind_{place}"), columns.target == bindparam(f"target_{place}"))
        for place in range(count)
    ]
    return select(partition).where(columns.tenant_id == bindparam("tenant"), or_(false(), *pairs))


def named(tenant: str, names: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The parameters of `partitions_named`."""
    parameters = {"tenant": tenant}
    for place, (kind, target) in enumerate(names):
        parameters |= {f"kind_{place}": kind, f"target_{place}": target}
    return parameters


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
        self._connection = connection
        self._map = Mapper(connection, sealer)
        self._slots = slots
        self._embedder_id = embedder_id
        self._scopes = visible_to(reader)
        self._keys = partitions_of(reader)
        # Read first: every later statement is bounded by it, so that the unit is one snapshot at READ COMMITTED too.
        self._partitions = self._load_partitions()
        # A reader's present is never before what was written: clocks stand still, go back and differ between hosts.
        self.now = max([now, *(row.last_recorded_at for row in self._partitions.values())])

    def _load_partitions(self) -> dict[PartitionKey, Row[*tuple[Any, ...]]]:
        """The rows of the reader's partitions that exist."""
        wanted = [(key.kind.value, key.target) for key in self._keys]
        rows = self._connection.execute(partitions_named(len(wanted)), named(self.reader.tenant, wanted)).all()
        by_name = {(row.kind, row.target): row for row in rows}
        return {key: by_name[name] for key, name in zip(self._keys, wanted, strict=True) if name in by_name}

    def epoch(self, key: PartitionKey) -> int:
        """The fence of a partition: it is raised whenever something in it is forgotten. 0 for one that is not there yet."""
        row = self._partitions.get(key)
        return 0 if row is None else int(row.epoch)

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
        return {
            fact_id: list(dict.fromkeys((link.evidence_id, Relation(link.relation)) for link in links))
            for fact_id, links in self._links(fact_ids).items()
        }

    def _links(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[Row[*tuple[Any, ...]]]]:
        """The facts' links to evidence, in the order they were made."""
        links: dict[UUID, list[Row[*tuple[Any, ...]]]] = defaultdict(list)
        for some in slices(fact_ids):
            for row in self._connection.execute(_LINKS, {"tenant": self.reader.tenant, "facts": some}):
                links[row.fact_id].append(row)
        return links

    def _owner(self, row: Row[*tuple[Any, ...]]) -> PartitionKey:
        """The partition of a row that names its owner."""
        return PartitionKey(tenant=row.tenant_id, kind=OwnerType(row.owner_type), target=row.owner_id)

    def _known(self, row: Row[*tuple[Any, ...]]) -> bool:
        """Whether a row that names its owner was recorded by the instant asked for."""
        at = self.known.get(self._owner(row))
        return at is not None and row.recorded_at <= at
