"""Summaries as a reader sees them, and what they are made of.

Belongs here: reads of `summary`, and of the turns and facts of one session or task. Does not belong here: whether what a line
rests on still stands (retrieval/resting.py), any write (`write_summary`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, not_, select

from muniment.domain.enums import Eligibility, Relation, Scope
from muniment.domain.records import Evidence
from muniment.domain.scope import PartitionKey, Placement
from muniment.domain.summaries import FIELDS, Line, Summary
from muniment.store.read_base import ReadBase, slices
from muniment.store.rows import AnyRow, Mapper
from muniment.store.scoping import placement_of, placement_values, visible
from muniment.store.tables.chain import event, evidence
from muniment.store.tables.facts import fact, fact_evidence
from muniment.store.tables.shelves import summary
from muniment.text.passages import beginning


def summary_of(mapper: Mapper, row: AnyRow) -> Summary:
    """A row of `summary`."""
    said = json.loads(mapper.open(row, "content"))
    fields: dict[str, Any] = {
        name: tuple(
            Line(text=text, rests_on=tuple(UUID(hex=ref) for ref in refs))
            for text, refs in said["fields"].get(name, ())
        )
        for name in FIELDS
    }
    return Summary(
        summary_id=row.summary_id,
        version=row.version,
        placement=placement_of(row),
        covers_from=row.covers_from,
        covers_until=row.covers_until,
        derived_by=row.derived_by,
        recorded_at=row.recorded_at,
        retracted_at=row.retracted_at,
        made_from=said["made_from"],
        through=None if said["through"] is None else datetime.fromisoformat(said["through"]),
        **fields,
    )


class SummaryReader(ReadBase):
    """Reads of summaries and of their material."""

    def summaries(
        self, *, ids: Iterable[UUID] | None = None, places: Sequence[Placement] | None = None
    ) -> list[Summary]:
        """The versions this reader may see and that stood at the instant asked for: by id, or of exactly these places."""
        columns = summary.c
        wanted: list[ColumnElement[bool]]
        if ids is not None:
            wanted = [columns.summary_id.in_(some) for some in slices(dict.fromkeys(ids))]
        else:
            wanted = [_at(columns, place) for place in places or ()]
        rows: list[AnyRow] = []
        for part in wanted:
            statement = select(summary).where(visible(columns, self._scopes), part)
            rows += self._connection.execute(statement.order_by(columns.recorded_at, columns.summary_id)).all()
        return [self._as_known(row) for row in rows if self._stood(row)]

    def _stood(self, row: AnyRow) -> bool:
        """Whether a version was recorded and not yet retired at the instant asked for."""
        at = self.known.get(PartitionKey.of(row.tenant_id, placement_of(row)))
        return at is not None and row.recorded_at <= at and (row.retracted_at is None or row.retracted_at > at)

    def _as_known(self, row: AnyRow) -> Summary:
        """A version as it was known then: that it was to be retired was not."""
        return replace(summary_of(self._map, row), retracted_at=None)

    def stories(self, limit: int) -> list[Summary]:
        """The current summaries of the latest sessions of the reader's user, the latest first."""
        columns = summary.c
        statement = (
            select(summary)
            .where(columns.tenant_id == self.reader.tenant, columns.user_id == self.reader.user)
            .where(columns.scope == Scope.SESSION.value, columns.retracted_at.is_(None))
            .order_by(columns.covers_until.desc(), columns.summary_id.desc())
            .limit(limit)
        )
        return [summary_of(self._map, row) for row in self._connection.execute(statement)]

    def summary_places(self) -> list[Placement]:
        """The places of the reader's user that have a current summary, whoever may see it."""
        columns = summary.c
        statement = (
            select(summary)
            .where(columns.tenant_id == self.reader.tenant, columns.user_id == self.reader.user)
            .where(columns.retracted_at.is_(None))
            .order_by(columns.recorded_at, columns.summary_id)
        )
        return [placement_of(row) for row in self._connection.execute(statement)]

    def turns(self, place: Placement, *, limit: int, chars: int) -> list[Evidence]:
        """The last pieces of a session or task that may be offered, oldest first, of each as many whole sentences as fit."""
        columns = evidence.c
        statement = (
            select(evidence)
            .join(event, and_(event.c.tenant_id == columns.tenant_id, event.c.event_id == columns.event_id))
            .where(visible(columns, self._scopes), columns.hidden_at.is_(None), *_within(place))
            .where(columns.eligibility == Eligibility.ELIGIBLE.value)
            .order_by(columns.recorded_at.desc(), event.c.seq.desc(), columns.evidence_id.desc())
            .limit(limit)
        )
        found = []
        for row in self._connection.execute(statement):
            piece = self._map.evidence(row)
            found.append(replace(piece, content=beginning(piece.content, chars), metadata={}))
        return found[::-1]

    def told_in(self, place: Placement, *, limit: int) -> list[UUID]:
        """The facts whose evidence lies in a session or task, the ones told last where there are more than `limit`."""
        links, columns = fact_evidence.c, evidence.c
        statement = (
            select(links.fact_id, links.recorded_at)
            .join(evidence, and_(columns.tenant_id == links.tenant_id, columns.evidence_id == links.evidence_id))
            .join(event, and_(event.c.tenant_id == columns.tenant_id, event.c.event_id == columns.event_id))
            .where(links.tenant_id == self.reader.tenant, links.relation == Relation.SUPPORT.value)
            .where(columns.hidden_at.is_(None), *_within(place))
            .order_by(links.recorded_at.desc(), links.fact_id)
        )
        found: dict[UUID, None] = {}
        for row in self._connection.execute(statement):
            found[row.fact_id] = None
            if len(found) >= limit:
                break
        return list(found)

    def kept_apart(self, evidence_ids: Iterable[UUID]) -> set[UUID]:
        """Those of the pieces in which a fact was told that this reader cannot see, in whatever partition it lives."""
        links = fact_evidence.c
        found: set[UUID] = set()
        for some in slices(dict.fromkeys(evidence_ids)):
            statement = (
                select(links.evidence_id)
                .distinct()
                .join(fact, and_(fact.c.tenant_id == links.tenant_id, fact.c.fact_id == links.fact_id))
                .where(links.tenant_id == self.reader.tenant, links.evidence_id.in_(some))
                .where(links.relation == Relation.SUPPORT.value, not_(visible(fact.c, self._scopes)))
            )
            found |= set(self._connection.scalars(statement))
        return found

    def tasks_in(self, session: str) -> list[str]:
        """The tasks that something said in a session belongs to."""
        columns = event.c
        statement = (
            select(columns.task_id)
            .distinct()
            .where(columns.tenant_id == self.reader.tenant, columns.user_id == self.reader.user)
            .where(columns.session_id == session, columns.task_id.is_not(None))
            .order_by(columns.task_id)
        )
        return list(self._connection.scalars(statement))

    def current_summaries(self, ids: Iterable[UUID]) -> list[Summary]:
        """The latest version of each, whoever may see it: maintenance embeds it anew."""
        found: dict[UUID, AnyRow] = {}
        for some in slices(dict.fromkeys(ids)):
            statement = select(summary).where(summary.c.tenant_id == self.reader.tenant, summary.c.summary_id.in_(some))
            for row in self._connection.execute(statement.order_by(summary.c.version)):
                found[row.summary_id] = row
        return [summary_of(self._map, row) for row in found.values()]


def _at(columns: Any, place: Placement) -> ColumnElement[bool]:
    """Rows of exactly this place."""
    parts = [columns[name].is_(None) if value is None else columns[name] == value for name, value in _named(place)]
    return and_(*parts)


def _named(place: Placement) -> list[tuple[str, str | None]]:
    return list(placement_values(place).items())


def _within(place: Placement) -> list[ColumnElement[bool]]:
    """Evidence, joined with its event, of a session or task of one user."""
    mine = evidence.c.user_id == place.user
    if place.scope is Scope.TASK:
        return [mine, event.c.user_id == place.user, event.c.task_id == place.task]
    return [mine, evidence.c.session_id == place.session]
