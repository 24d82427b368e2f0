"""Documents: what is known of one that was observed, version by version.

Belongs here: the values. Does not belong here: how a document is cut (text/documents) and kept (ingestion/documents).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

PASSAGE_EVENT: Final = "passage"
"""Type of the event that a passage of a document comes in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPassage:
    """A passage in one version: the event it came in, its evidence, and its range of characters in that version."""

    event_id: UUID
    evidence: tuple[UUID, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """One version that was observed whole, with its passages in order. A passage that several versions share has the same ids
    in each. `current` is true of the one version that readers are shown; `late` of one that was older than the version held when
    it came, and so was never shown; `digest` is of its words, under the store's key."""

    event_id: UUID
    version: str | None
    digest: str
    occurred_at: datetime
    recorded_at: datetime
    current: bool
    late: bool
    passages: tuple[DocumentPassage, ...] = ()

    @property
    def events(self) -> frozenset[UUID]:
        """The events of its passages."""
        return frozenset(item.event_id for item in self.passages)

    @property
    def evidence(self) -> tuple[UUID, ...]:
        """The evidence of its passages, in order."""
        return tuple(ref for item in self.passages for ref in item.evidence)
