"""One transaction: its locks, the instant it is recorded at, and what it writes.

Belongs here: the write side of the store port, joined. Does not belong here: what should be written (ingestion/).
"""

from __future__ import annotations

from muniment.store.grounds import GroundWriter
from muniment.store.write_chain import ChainWriter
from muniment.store.write_index import IndexWriter


class SqlWriteUnit(ChainWriter, GroundWriter, IndexWriter):
    """A write unit, inside the locks that `SqlStore.write` took."""
