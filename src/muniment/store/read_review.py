"""The review queue and conflicts, by the page.

Belongs here: reads of candidates that ask a person, and of conflicts whatever became of them. Does not belong here: the rest
of the chain (`read_chain`), what is decided (ingestion/).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row, and_, or_, select

from muniment.domain.enums import Scope
from muniment.domain.reviews import Asked, ConflictRow
from muniment.domain.scope import Placement
from muniment.ports.store import ConflictFilter, QueueFilter
from muniment.store.read_base import slices
from muniment.store.read_chain import ChainReader
from muniment.store.scoping import placement_of, visible
from muniment.store.tables.chain import candidate
from muniment.store.tables.facts import conflict, fact, fact_statement

SHARED = frozenset({Scope.DEPARTMENT, Scope.TENANT})
"""Scopes that name no user: a candidate's user is who proposed it."""


class ReviewReader(ChainReader):
    """Reads of what waits for a person."""

    def asked(self, wanted: QueueFilter) -> list[Asked]:
        """Candidates that the filter's `scopes` admit, in the order of (created_at, id)."""
        columns = candidate.c
        where = [visible(columns, wanted.scopes)]
        if wanted.ids is not None:
            where.append(columns.candidate_id.in_(wanted.ids))
        if wanted.status is not None:
            where.append(columns.status == wanted.status.value)
        if wanted.types:
            where.append(columns.memory_type.in_(sorted(wanted.types)))
        if wanted.author is not None:
            where.append(columns.user_id == wanted.author)
        if wanted.scope is not None:
            where.append(columns.scope == wanted.scope.value)
        if wanted.until is not None:
            where.append(columns.created_at <= wanted.until)
        if wanted.after is not None:
            at, ref = wanted.after
            where.append(
                or_(columns.created_at > at, and_(columns.created_at == at, columns.candidate_id > ref)),
            )
        statement = select(candidate).where(*where).order_by(columns.created_at, columns.candidate_id)
        if wanted.limit is not None:
            statement = statement.limit(wanted.limit)
        return self._asked(self._connection.execute(statement).all())

    def _asked(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[Asked]:
        grounds = self._grounds_of([row.candidate_id for row in rows])
        return [
            Asked(
                candidate=self._map.candidate(row, grounds[row.candidate_id]),
                candidate_id=row.candidate_id,
                event_id=row.event_id,
                author=row.user_id,
                placement=_placement(row),
                created_at=row.created_at,
                since=row.updated_at,
            )
            for row in rows
        ]

    def conflict_rows(self, wanted: ConflictFilter) -> list[ConflictRow]:
        """Conflicts of facts that are visible now, whatever became of them, in the order of (recorded_at, id)."""
        columns = conflict.c
        where = [visible(fact.c, self._scopes), columns.tenant_id == self.reader.tenant]
        if wanted.ids is not None:
            where.append(columns.conflict_id.in_(wanted.ids))
        if wanted.statuses is not None:
            where.append(columns.status.in_(sorted(wanted.statuses)))
        if wanted.after is not None:
            at, ref = wanted.after
            where.append(or_(columns.recorded_at > at, and_(columns.recorded_at == at, columns.conflict_id > ref)))
        statement = (
            select(conflict)
            .join(fact, and_(fact.c.tenant_id == columns.tenant_id, fact.c.fact_id == columns.fact_id))
            .where(*where)
            .order_by(columns.recorded_at, columns.conflict_id)
        )
        if wanted.limit is not None:
            statement = statement.limit(wanted.limit)
        return [self._conflict(row) for row in self._connection.execute(statement)]

    def _conflict(self, row: Row[*tuple[Any, ...]]) -> ConflictRow:
        return ConflictRow(
            conflict_id=row.conflict_id,
            kind=row.kind,
            facts=(row.fact_id, row.other_id),
            status=row.status,
            recorded_at=row.recorded_at,
            resolved_at=row.resolved_at,
            resolved_by=row.resolved_by,
            resolution=self._map.json(row, "resolution"),
        )

    def tellers(self, fact_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
        """Who told each fact, by the keys under which sources are independent, in the order they told it."""
        columns = fact_statement.c
        found: dict[UUID, dict[str, None]] = defaultdict(dict)
        for some in slices(fact_ids):
            statement = (
                select(columns.fact_id, columns.source)
                .join(fact, and_(fact.c.tenant_id == columns.tenant_id, fact.c.fact_id == columns.fact_id))
                .where(visible(fact.c, self._scopes), columns.fact_id.in_(some))
                .order_by(columns.fact_id, columns.ordinal)
            )
            for row in self._connection.execute(statement):
                found[row.fact_id][row.source] = None
        return {fact_id: list(sources) for fact_id, sources in found.items()}


def _placement(row: Row[*tuple[Any, ...]]) -> Placement:
    """Where the candidate would live; what is shared names no user."""
    placement = placement_of(row)
    if placement.scope not in SHARED:
        return placement
    return Placement(scope=placement.scope, department=placement.department)
