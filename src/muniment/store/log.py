"""The log of a tenant, and what is believed of it: read whole by maintenance, whoever it belongs to.

Belongs here: what a replay reads and compares. Does not belong here: what readers see (`read`), the replay itself
(ingestion/replaying.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, and_, or_, select

from muniment.domain.records import Evidence
from muniment.ports.store import Believed, Logged
from muniment.store.read_base import slices
from muniment.store.rows import Mapper
from muniment.store.tables.chain import candidate, candidate_evidence, event, event_processing, evidence
from muniment.store.tables.facts import fact, fact_dependency, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.keeping import tombstone

PAGE = 500


class Log:
    """One tenant's log, over one snapshot."""

    def __init__(self, connection: Connection, mapper: Mapper, tenant: str, user: str | None) -> None:
        self._connection = connection
        self._map = mapper
        self._tenant = tenant
        self._user = user

    def count(self) -> int:
        """How many events there are."""
        statement = select(event.c.event_id).where(*self._mine(event))
        return len(self._connection.execute(statement).all())

    def events(self) -> Iterator[Logged]:
        """Every processed event in the order it was recorded, with its evidence and its candidates."""
        after: tuple[datetime, UUID] | None = None
        columns = event.c
        while True:
            statement = (
                select(event, event_processing.c.state)
                .join(
                    event_processing,
                    and_(
                        event_processing.c.tenant_id == columns.tenant_id,
                        event_processing.c.event_id == columns.event_id,
                    ),
                )
                .where(*self._mine(event))
                .order_by(columns.recorded_at, columns.event_id)
                .limit(PAGE)
            )
            if after is not None:
                later = and_(columns.recorded_at == after[0], columns.event_id > after[1])
                statement = statement.where(or_(columns.recorded_at > after[0], later))
            rows = self._connection.execute(statement).all()
            if not rows:
                return
            after = (rows[-1].recorded_at, rows[-1].event_id)
            yield from self._with_what_followed(rows)

    def _mine(self, table: Any) -> list[Any]:
        where = [table.c.tenant_id == self._tenant]
        return where if self._user is None else [*where, table.c.user_id == self._user]

    def _with_what_followed(self, rows: Sequence[Any]) -> Iterator[Logged]:
        ids = [row.event_id for row in rows]
        told: dict[UUID, list[Evidence]] = defaultdict(list)
        for row in self._all(select(evidence).order_by(evidence.c.evidence_id), evidence.c.event_id, ids):
            told[row.event_id].append(self._map.evidence(row))
        ordered = select(candidate).order_by(candidate.c.created_at, candidate.c.candidate_id)
        proposed = list(self._all(ordered, candidate.c.event_id, ids))
        grounds: dict[UUID, list[UUID]] = defaultdict(list)
        links = candidate_evidence.c
        for link in self._all(select(candidate_evidence), links.candidate_id, [row.candidate_id for row in proposed]):
            grounds[link.candidate_id].append(link.evidence_id)
        named: dict[UUID, list[Any]] = defaultdict(list)
        for row in proposed:
            named[row.event_id].append(self._map.candidate(row, grounds[row.candidate_id]))
        for row in rows:
            yield Logged(
                tenant=self._tenant,
                event=self._map.event(row),
                evidence=tuple(told[row.event_id]),
                candidates=tuple(named[row.event_id]),
                done=row.state == "DONE",
            )

    def evidence(self, ids: Iterable[UUID]) -> list[Evidence]:
        """Pieces by id, hidden ones too."""
        return [self._map.evidence(row) for row in self._all(select(evidence), evidence.c.evidence_id, list(ids))]

    def believed(self) -> Believed:
        """What is believed now and not hidden: versions, the statements behind them, and what they hang on."""
        columns = fact_revision.c
        standing = [columns.retracted_at.is_(None), columns.hidden_at.is_(None), *self._mine(fact_revision)]
        ids = select(columns.fact_id).where(*standing)
        order = (columns.fact_id, columns.segment)
        rows = self._connection.execute(select(fact_revision).where(*standing).order_by(*order)).all()
        told = fact_statement.c
        statements = self._connection.execute(
            select(fact_statement)
            .where(told.tenant_id == self._tenant, told.withdrawn_at.is_(None), told.fact_id.in_(ids))
            .order_by(told.fact_id, told.ordinal)
        )
        links = fact_dependency.c
        hanging = self._connection.execute(
            select(fact_dependency)
            .where(links.tenant_id == self._tenant, links.retracted_at.is_(None), links.fact_id.in_(ids))
            .order_by(links.recorded_at, links.dependency_id)
        )
        pieces: dict[UUID, dict[UUID, None]] = defaultdict(dict)
        support = fact_evidence.c
        for link in self._connection.execute(
            select(support.fact_id, support.evidence_id)
            .where(support.tenant_id == self._tenant, support.fact_id.in_(ids))
            .order_by(support.recorded_at, support.revision, support.evidence_id)
        ):
            pieces[link.fact_id][link.evidence_id] = None
        return Believed(
            facts=tuple(self._map.fact(row, pieces[row.fact_id]) for row in rows),
            told=tuple(self._map.told(row) for row in statements),
            dependencies=tuple(self._map.dependency(row) for row in hanging),
        )

    def heads(self, fact_ids: Iterable[UUID]) -> set[UUID]:
        """Those of the facts that have ever been made, believed or not."""
        return {row.fact_id for row in self._all(select(fact.c.fact_id), fact.c.fact_id, list(fact_ids), table=fact)}

    def erased(self, refs: Iterable[UUID]) -> set[UUID]:
        """Those of the facts and pieces of which an erasure left nothing."""
        ids = list(dict.fromkeys(refs))
        stones = select(tombstone.c.ref).where(tombstone.c.mode == "erase", tombstone.c.kind.in_(["fact", "evidence"]))
        gone = {row.ref for row in self._all(stones, tombstone.c.ref, ids)}
        # A piece that was erased in part still says the rest.
        kept = select(evidence.c.evidence_id).where(evidence.c.hidden_at.is_(None))
        return gone - {row.evidence_id for row in self._all(kept, evidence.c.evidence_id, list(gone))}

    def _all(self, statement: Any, column: Any, keys: Sequence[UUID], *, table: Any = None) -> Iterator[Any]:
        """The rows with any of the keys."""
        owner = column.table if table is None else table
        for some in slices(dict.fromkeys(keys)):
            yield from self._connection.execute(statement.where(owner.c.tenant_id == self._tenant, column.in_(some)))
