"""What a write needs of the review queue, and the end of a conflict.

Belongs here: open candidates beside a new one, the resolution of a conflict. Does not belong here: which give way
(ingestion/questions.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, select, update

from muniment.domain.enums import CandidateStatus
from muniment.domain.reviews import Asked
from muniment.store.tables.chain import candidate
from muniment.store.tables.facts import conflict
from muniment.store.write_base import WriteBase

NAMED, ALONE = 200, 50
"""Open candidates of a predicate, and of none, that a new one is held against, the newest: their words have to be read."""

# Built once: every candidate that is kept runs one of them.
_RIVALS: Final = (
    select(candidate)
    .where(
        candidate.c.tenant_id == bindparam("tenant"),
        candidate.c.status == CandidateStatus.NEEDS_CONFIRMATION.value,
        candidate.c.user_id == bindparam("author"),
    )
    .order_by(candidate.c.created_at.desc(), candidate.c.candidate_id.desc())
)
_NAMED: Final = _RIVALS.where(candidate.c.predicate == bindparam("predicate")).limit(NAMED)
_ALONE: Final = _RIVALS.where(candidate.c.predicate.is_(None)).limit(ALONE)


class ReviewWriter(WriteBase):
    """Writes around what waits for a person."""

    def rivals(self, predicate: str | None) -> list[Asked]:
        """The open candidates that the unit's user proposed of a predicate (or of none), the newest first."""
        asked = {"tenant": self.reader.tenant, "author": self.reader.user}
        if predicate is None:
            return self._asked(self._connection.execute(_ALONE, asked).all())
        return self._asked(self._connection.execute(_NAMED, asked | {"predicate": predicate}).all())

    def resolve_conflict(self, conflict_id: UUID, *, resolution: Mapping[str, Any], by: str) -> None:
        """Ends an open conflict by a person's word, which is kept."""
        sealed = self._sealer.seal(self._home, json.dumps(resolution, ensure_ascii=False))
        columns = conflict.c
        self._connection.execute(
            update(conflict)
            .where(columns.tenant_id == self.reader.tenant, columns.conflict_id == conflict_id)
            .where(columns.status == "OPEN")
            .values(status="RESOLVED", resolution=sealed, resolved_by=by, resolved_at=self.recorded_at)
        )
