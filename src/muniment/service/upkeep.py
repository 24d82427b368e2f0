"""Packing of index segments, so that a cold start reads them instead of rows.

Belongs here: when a partition is packed. Does not belong here: what a segment holds (index/).
"""

from __future__ import annotations

import logging
import threading
from collections import Counter

from muniment.domain.enums import OwnerType
from muniment.domain.errors import StoreError
from muniment.domain.scope import PartitionKey, Reader, partitions_of
from muniment.ports.index import Index
from muniment.ports.store import Locks, Store

log = logging.getLogger(__name__)


class Upkeep:
    """Counts what this process writes and packs a partition once enough has gathered. Safe to share between threads."""

    def __init__(self, store: Store, index: Index, *, rows: int) -> None:
        self._store = store
        self._index = index
        self._rows = rows
        self._lock = threading.Lock()
        self._written: Counter[PartitionKey] = Counter()

    def __call__(self, reader: Reader, rows: int) -> None:
        """Notes rows written for a reader; packs their partition when it is time. A failure costs only a slower start."""
        home = next(key for key in partitions_of(reader) if key.kind == "USER")
        with self._lock:
            self._written[home] += rows
            due = self._written[home] >= self._rows
            if due:
                self._written[home] = 0
        if due:
            try:
                self.pack(reader, home)
            except StoreError as error:
                log.warning("a segment was not packed: %s", error.code)

    def sweep(self, *, dry: bool = False) -> int:
        """Packs every partition of whose entries enough are in no segment, whoever wrote them; returns how many segments that
        made, or, `dry`, in how many partitions it would. Raises `StoreError`."""
        due = self._store.unpacked(self._rows)
        return len(due) if dry else sum(self.pack(_reader_of(key), key) for key in due)

    def pack(self, reader: Reader, key: PartitionKey) -> int:
        """Packs what no segment of the partition covers yet; returns how many segments that made."""
        made = 0
        while True:
            with self._store.read(reader) as unit:
                state, epoch = unit.partition_states([key]).get(key), unit.epoch(key)
                packed = self._index.pack(unit, key)
            if packed is None or state is None:
                return made
            with self._store.write(reader, Locks(partitions=(key,))) as writer:
                now = writer.partition_states([key])[key]
                if now.segment_version != state.segment_version or writer.epoch(key) != epoch:
                    return made
                writer.add_segment(key, *packed)
            made += 1


def _reader_of(key: PartitionKey) -> Reader:
    """A reader one of whose partitions it is."""
    return Reader(
        tenant=key.tenant,
        user=key.target if key.kind is OwnerType.USER else "maintenance",
        departments=frozenset({key.target}) if key.kind is OwnerType.DEPARTMENT else frozenset(),
        agent=key.target if key.kind is OwnerType.AGENT else None,
    )
