"""Evidence, events, candidates, decisions, conflicts as a reader sees them.

Belongs here: reads of the chain. Does not belong here: facts (`read_facts`), exact keys (`read_keys`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, false, not_, or_, select

from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import CandidateStatus, DependencyKind, OwnerType, Relation, Scope
from muniment.domain.observation import RESERVED
from muniment.domain.records import Candidate, Decision, Event, Evidence
from muniment.domain.scope import PartitionKey
from muniment.store.read_base import ReadBase, slices
from muniment.store.scoping import placement_of, visible
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, evidence
from muniment.store.tables.facts import conflict, fact, fact_dependency, fact_evidence


class ChainReader(ReadBase):
    """Reads of the chain."""

    def evidence(self, ids: Iterable[UUID]) -> dict[UUID, Evidence]:
        """The pieces that are visible, not hidden, and were recorded by `known_at`."""
        columns = evidence.c
        found: dict[UUID, Evidence] = {}
        for some in slices(ids):
            statement = select(evidence).where(
                visible(columns, self._scopes), columns.hidden_at.is_(None), columns.evidence_id.in_(some)
            )
            for row in self._connection.execute(statement):
                if self._recorded(row):
                    found[row.evidence_id] = self._map.evidence(row)
        return found

    def _recorded(self, row: Row[*tuple[Any, ...]]) -> bool:
        """Whether a row placed by scope was recorded by the instant asked for."""
        at = self.known.get(PartitionKey.of(row.tenant_id, placement_of(row)))
        return at is not None and row.recorded_at <= at

    def evidence_of_event(self, event_id: UUID) -> list[Evidence]:
        """The pieces of one event that may be read at all, in the order they were cut."""
        columns = evidence.c
        statement = select(evidence).where(
            visible(columns, self._scopes), columns.hidden_at.is_(None), columns.event_id == event_id
        )
        return [self._map.evidence(row) for row in self._connection.execute(statement.order_by(columns.evidence_id))]

    def facts_on(self, evidence_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """For each piece of evidence, the facts of the reader's partitions that it supported by `known_at`."""
        columns = fact_evidence.c
        found: dict[UUID, dict[UUID, None]] = defaultdict(dict)
        for some in slices(evidence_ids):
            statement = (
                select(columns.tenant_id, columns.fact_id, columns.evidence_id, columns.recorded_at)
                .add_columns(fact.c.owner_type, fact.c.owner_id)
                .join(fact, and_(fact.c.tenant_id == columns.tenant_id, fact.c.fact_id == columns.fact_id))
                .where(columns.tenant_id == self.reader.tenant, columns.evidence_id.in_(some))
                .where(columns.relation == Relation.SUPPORT.value)
                .order_by(columns.fact_id)
            )
            for row in self._connection.execute(statement):
                if self._known(row):
                    found[row.evidence_id][row.fact_id] = None
        return {evidence_id: list(facts) for evidence_id, facts in found.items()}

    def confined(self, fact_ids: Iterable[UUID]) -> set[UUID]:
        """Those of the facts that belong to a session or task that is not this reader's."""
        found: set[UUID] = set()
        for some in slices(fact_ids):
            statement = select(fact.c.fact_id).where(
                fact.c.tenant_id == self.reader.tenant,
                fact.c.fact_id.in_(some),
                fact.c.scope.in_([Scope.SESSION.value, Scope.TASK.value]),
                not_(visible(fact.c, self._scopes)),
            )
            found |= set(self._connection.scalars(statement))
        return found

    def roots(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """The facts that each of these is derived from, whoever may see them: look them up as this reader before naming
        them."""
        columns = fact_dependency.c
        found: dict[UUID, list[UUID]] = defaultdict(list)
        for some in slices(fact_ids):
            statement = (
                select(columns.fact_id, columns.root_fact_id)
                .where(columns.tenant_id == self.reader.tenant, columns.fact_id.in_(some))
                .where(columns.kind == DependencyKind.DERIVED.value, columns.root_fact_id.is_not(None))
                .order_by(columns.recorded_at, columns.dependency_id)
            )
            for row in self._connection.execute(statement):
                found[row.fact_id].append(row.root_fact_id)
        return found

    def session_evidence(self, session: str | None, limit: int) -> list[Evidence]:
        """The last pieces of one session (None: outside of any) of the reader's user that were said in it by `known_at`, oldest
        first, whatever may be done with them; what a structured write left behind is no turn, nor is a passage of a document."""
        columns = evidence.c
        statement = (
            select(evidence)
            .join(event, and_(event.c.tenant_id == columns.tenant_id, event.c.event_id == columns.event_id))
            .where(visible(columns, self._scopes), columns.hidden_at.is_(None))
            .where(columns.user_id == self.reader.user, columns.session_id == session)
            .where(event.c.event_type.not_like(f"{RESERVED}%"))
            .where(
                or_(
                    false(),
                    *(and_(_shelved(columns, key), columns.recorded_at <= at) for key, at in self.known.items()),
                )
            )
            .where(event.c.event_type != PASSAGE_EVENT)
            .order_by(columns.recorded_at.desc(), event.c.seq.desc(), columns.evidence_id.desc())
            .limit(limit)
        )
        return [self._map.evidence(row) for row in reversed(self._connection.execute(statement).all())]

    def events(self, ids: Iterable[UUID]) -> list[Event]:
        """Events of the reader's user or placement, in the order they were recorded."""
        rows: list[Row[*tuple[Any, ...]]] = []
        for some in slices(ids):
            statement = select(event).where(event.c.tenant_id == self.reader.tenant, event.c.event_id.in_(some))
            rows += self._connection.execute(statement.where(visible(event.c, self._scopes))).all()
        return [self._map.event(row) for row in sorted(rows, key=lambda row: (row.recorded_at, row.seq))]

    def candidates(
        self,
        *,
        ids: Iterable[UUID] | None = None,
        events: Iterable[UUID] | None = None,
        status: CandidateStatus | None = None,
    ) -> list[Candidate]:
        """Candidates of the reader's own user, oldest first."""
        columns = candidate.c
        statement = select(candidate).where(
            columns.tenant_id == self.reader.tenant, columns.user_id == self.reader.user
        )
        if ids is not None:
            statement = statement.where(columns.candidate_id.in_(list(ids)))
        if events is not None:
            statement = statement.where(columns.event_id.in_(list(events)))
        if status is not None:
            statement = statement.where(columns.status == status.value)
        rows = self._connection.execute(statement.order_by(columns.created_at, columns.candidate_id)).all()
        grounds = self._grounds_of([row.candidate_id for row in rows])
        return [self._map.candidate(row, grounds[row.candidate_id]) for row in rows]

    def _grounds_of(self, candidate_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """The evidence that candidates rest on."""
        grounds: dict[UUID, list[UUID]] = defaultdict(list)
        links = candidate_evidence.c
        for some in slices(candidate_ids):
            for link in self._connection.execute(
                select(links.candidate_id, links.evidence_id).where(
                    links.tenant_id == self.reader.tenant, links.candidate_id.in_(some)
                )
            ):
                grounds[link.candidate_id].append(link.evidence_id)
        return grounds

    def decisions(self, candidate_ids: Iterable[UUID]) -> list[Decision]:
        """The decisions on the candidates, oldest first."""
        rows: list[Row[*tuple[Any, ...]]] = []
        for some in slices(candidate_ids):
            rows += self._connection.execute(
                select(decision).where(decision.c.tenant_id == self.reader.tenant, decision.c.candidate_id.in_(some))
            ).all()
        return [self._map.decision(row) for row in sorted(rows, key=lambda row: (row.decided_at, row.decision_id))]

    def conflicts(self, fact_ids: Iterable[UUID]) -> list[Mapping[str, Any]]:
        """Conflicts that touch any of the facts and stood open at `known_at`."""
        columns = conflict.c
        found: dict[UUID, Mapping[str, Any]] = {}
        for some in slices(fact_ids):
            statement = (
                select(conflict, fact.c.owner_type, fact.c.owner_id)
                .join(fact, and_(fact.c.tenant_id == columns.tenant_id, fact.c.fact_id == columns.fact_id))
                .where(columns.tenant_id == self.reader.tenant)
                .where(or_(columns.fact_id.in_(some), columns.other_id.in_(some)))
                .order_by(columns.recorded_at, columns.conflict_id)
            )
            for row in self._connection.execute(statement):
                if not self._known(row) or self._settled(row):
                    continue
                found[row.conflict_id] = {
                    "conflict_id": row.conflict_id,
                    "kind": row.kind,
                    "facts": (row.fact_id, row.other_id),
                    "recorded_at": row.recorded_at,
                }
        return list(found.values())

    def _settled(self, row: Row[*tuple[Any, ...]]) -> bool:
        """Whether a conflict had been resolved by the instant asked for."""
        return row.resolved_at is not None and row.resolved_at <= self.known[self._owner(row)]


_SHELVED = {
    OwnerType.TENANT: (Scope.TENANT,),
    OwnerType.DEPARTMENT: (Scope.DEPARTMENT,),
    OwnerType.AGENT: (Scope.AGENT,),
}
"""The scopes of each partition's rows; all others belong to their user."""


def _shelved(columns: Any, key: PartitionKey) -> ColumnElement[bool]:
    """Rows placed by scope that live in a partition."""
    scopes = _SHELVED.get(key.kind, (Scope.USER, Scope.SESSION, Scope.TASK))
    target = {
        OwnerType.DEPARTMENT: columns.department_id,
        OwnerType.AGENT: columns.agent_id,
        OwnerType.USER: columns.user_id,
    }.get(key.kind)
    placed: ColumnElement[bool] = columns.scope.in_([scope.value for scope in scopes])
    return placed if target is None else and_(placed, target == key.target)
