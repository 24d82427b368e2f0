"""One transaction: its locks, the instant it is recorded at, and what it writes.

Belongs here: the write side of the store port, joined. Does not belong here: what should be written (ingestion/).
"""

from __future__ import annotations

from muniment.store.due import DueReader
from muniment.store.grounds import GroundWriter
from muniment.store.write_chain import ChainWriter
from muniment.store.write_index import IndexWriter
from muniment.store.write_keeping import KeepingWriter
from muniment.store.write_review import ReviewWriter


class SqlWriteUnit(ChainWriter, GroundWriter, IndexWriter, ReviewWriter, KeepingWriter, DueReader):
    """A write unit, inside the locks that `SqlStore.write` took."""
