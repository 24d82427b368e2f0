"""Facts as a reader sees them, as of two instants.

Belongs here: reads of facts and their versions. Does not belong here: the chain before them (`read_chain`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, or_, select, tuple_

from muniment.domain.enums import Relation
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey
from muniment.domain.statement import canonical, subject_key
from muniment.ports.store import FactFilter
from muniment.store.read_base import ReadBase, slices
from muniment.store.scoping import believed, in_force, visible
from muniment.store.tables.facts import fact, fact_revision


class FactReader(ReadBase):
    """Reads of facts."""

    def facts(self, wanted: FactFilter) -> list[Fact]:
        """Facts of the filter in the order of (recorded_at, id, revision, segment); hidden ones never."""
        if not self.known:
            return []
        columns = fact_revision.c
        where = [visible(columns, self._scopes), columns.hidden_at.is_(None), *self._filters(wanted)]
        if wanted.include_inactive:
            where.append(or_(*(self._written(columns, key, at) for key, at in self.known.items())))
        else:
            where.append(believed(columns, self.known))
            where.append(
                in_force(
                    columns,
                    valid_at=self.valid_at,
                    expiry_at=self.expiry_at,
                    include_contenders=wanted.include_contenders,
                    include_doubtful=wanted.include_doubtful,
                )
            )
        return self._page(select(fact_revision).where(*where), wanted)

    @staticmethod
    def _written(columns: Any, key: PartitionKey, at: datetime) -> ColumnElement[bool]:
        """Versions of a partition recorded by then."""
        return and_(columns.owner_type == key.kind.value, columns.owner_id == key.target, columns.recorded_at <= at)

    def _filters(self, wanted: FactFilter) -> list[ColumnElement[bool]]:
        columns = fact_revision.c
        where: list[ColumnElement[bool]] = []
        if wanted.ids is not None:
            where.append(columns.fact_id.in_(wanted.ids))
        if wanted.slots is not None:
            where.append(columns.slot_id.in_([self._slots.id_of(self.reader.tenant, slot) for slot in wanted.slots]))
        if wanted.types:
            typed = columns.memory_type.in_(sorted(wanted.types))
            whatever = wanted.or_scopes
            where.append(or_(typed, columns.scope.in_(sorted(whatever))) if whatever else typed)
        if wanted.predicate is not None:
            where.append(columns.predicate == canonical(wanted.predicate))
        if wanted.subject is not None:
            where.append(columns.subject == subject_key(wanted.subject))
        if wanted.scopes:
            where.append(columns.scope.in_(sorted(wanted.scopes)))
        if wanted.since is not None:
            where.append(or_(columns.valid_until.is_(None), columns.valid_until > wanted.since))
        if wanted.until is not None:
            where.append(or_(columns.valid_from.is_(None), columns.valid_from < wanted.until))
        return where

    def _page(self, statement: Select[Any], wanted: FactFilter) -> list[Fact]:
        columns = fact_revision.c
        order = (columns.recorded_at, columns.fact_id, columns.revision, columns.segment)
        if wanted.after is not None:
            at, fact_id, revision, segment = wanted.after
            after_tail = tuple_(columns.revision, columns.segment) > tuple_(revision, segment)
            statement = statement.where(
                or_(
                    columns.recorded_at > at,
                    and_(columns.recorded_at == at, columns.fact_id > fact_id),
                    and_(columns.recorded_at == at, columns.fact_id == fact_id, after_tail),
                )
            )
        statement = statement.order_by(*(column.desc() for column in order) if wanted.newest else order)
        if wanted.limit is not None:
            statement = statement.limit(wanted.limit)
        return self._with_evidence(self._connection.execute(statement).all())

    def _with_evidence(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[Fact]:
        links = self._links({row.fact_id for row in rows})
        return [self._version(row, links[row.fact_id]) for row in rows]

    def _version(self, row: Row[*tuple[Any, ...]], links: Sequence[Row[*tuple[Any, ...]]]) -> Fact:
        """A version as it was known at the instant asked for: what it was given to stand on by its revision, and whether
        it had been retracted by then."""
        supports = [link for link in links if link.relation == Relation.SUPPORT.value and link.revision <= row.revision]
        found = self._map.fact(row, dict.fromkeys(link.evidence_id for link in supports))
        at = self.known.get(self._owner(row))
        later = found.retracted_at is not None and at is not None and found.retracted_at > at
        return replace(found, retracted_at=None) if later else found

    def revisions(self, fact_ids: Iterable[UUID]) -> list[Fact]:
        """Every version of the facts recorded by `known_at`, and of what they supersede or are superseded by."""
        chain = self._lineage(set(fact_ids))
        columns = fact_revision.c
        rows: list[Row[*tuple[Any, ...]]] = []
        for some in slices(sorted(chain)):
            statement = select(fact_revision).where(
                visible(columns, self._scopes), columns.hidden_at.is_(None), columns.fact_id.in_(some)
            )
            rows += self._connection.execute(statement).all()
        rows = [row for row in rows if self._known(row)]
        rows.sort(key=lambda row: (row.recorded_at, row.fact_id, row.revision, row.segment))
        return self._with_evidence(rows)

    def _lineage(self, found: set[UUID]) -> set[UUID]:
        """The ids and everything reached over `supersedes_id`, both ways."""
        frontier = set(found)
        columns = fact.c
        while frontier:
            near: set[UUID] = set()
            for some in slices(sorted(frontier)):
                rows = self._connection.execute(
                    select(columns.fact_id, columns.supersedes_id).where(
                        columns.tenant_id == self.reader.tenant,
                        or_(columns.fact_id.in_(some), columns.supersedes_id.in_(some)),
                    )
                )
                for row in rows:
                    near |= {row.fact_id} | ({row.supersedes_id} if row.supersedes_id else set())
            frontier = near - found
            found |= frontier
        return found
