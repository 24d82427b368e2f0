"""One snapshot: what a reader may see, as of two instants.

Belongs here: the read side of the store port, joined. Does not belong here: scoring, adjudication, any write.
"""

from __future__ import annotations

from muniment.store.read_facts import FactReader
from muniment.store.read_keys import KeyReader
from muniment.store.read_review import ReviewReader
from muniment.store.read_summary import SummaryReader
from muniment.store.read_work import WorkReader


class SqlReadUnit(FactReader, ReviewReader, KeyReader, WorkReader, SummaryReader):
    """The read side of a unit of work. Everything it returns was checked for visibility in its own statement."""
