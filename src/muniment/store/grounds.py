"""What facts hang on: their roots, and the values that take their place.

Belongs here: reads and writes of `fact_dependency`, and of facts by what they superseded. Does not belong here: what
follows from a lost ground (ingestion/dependants.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from sqlalchemy import and_, bindparam, insert, not_, or_, select, update

from muniment.domain.enums import Eligibility, EvidenceType
from muniment.domain.records import Candidate, Dependency, Fact
from muniment.domain.scope import PartitionKey, Placement
from muniment.store.read_base import slices
from muniment.store.rows import Sealing
from muniment.store.tables.chain import candidate, evidence
from muniment.store.tables.facts import fact, fact_dependency, fact_revision
from muniment.store.write_facts import FactWriter

_ANY: Final = select(fact_dependency.c.dependency_id).where(fact_dependency.c.tenant_id == bindparam("tenant")).limit(1)


class GroundWriter(FactWriter):
    """Dependencies, inside a write."""

    @cached_property
    def depended_on(self) -> bool:
        """Whether any fact of the tenant hangs on anything: where not, nothing need be looked for. Asked once a unit."""
        return self._connection.execute(_ANY, {"tenant": self.reader.tenant}).first() is not None

    def dependencies(self, *, of: Iterable[UUID] = (), on: Iterable[UUID] = ()) -> list[Dependency]:
        """The live dependencies of some facts, or on some roots (facts or evidence), in the order they were made."""
        if not self.depended_on:
            return []
        columns = fact_dependency.c
        rows: dict[UUID, Any] = {}
        for wanted, keys in ((columns.fact_id.in_, of), (_on_root, on)):
            for some in slices(dict.fromkeys(keys)):
                statement = select(fact_dependency).where(
                    columns.tenant_id == self.reader.tenant, columns.retracted_at.is_(None), wanted(some)
                )
                rows |= {row.dependency_id: row for row in self._connection.execute(statement)}
        found = [self._map.dependency(row) for row in rows.values()]
        return sorted(found, key=lambda item: (str(item.recorded_at), item.dependency_id))

    def add_dependencies(self, rows: Sequence[Dependency], *, placement: Placement) -> None:
        """Writes dependencies of facts that live there."""
        seal = Sealing(self._sealer, PartitionKey.of(self.reader.tenant, placement))
        self._write(insert(fact_dependency), [seal.dependency(item, self.recorded_at) for item in rows])
        if rows:
            self.__dict__["depended_on"] = True

    def retract_dependencies(self, ids: Iterable[UUID]) -> None:
        """Ends dependencies; they stay on record."""
        columns = fact_dependency.c
        for some in slices(ids):
            self._connection.execute(
                update(fact_dependency)
                .where(columns.tenant_id == self.reader.tenant, columns.dependency_id.in_(some))
                .where(columns.retracted_at.is_(None))
                .values(retracted_at=self.recorded_at)
            )

    def followers(self, fact_ids: Iterable[UUID]) -> list[Fact]:
        """The versions believed now of facts that superseded any of these."""
        columns = fact_revision.c
        rows: list[Any] = []
        for some in slices(fact_ids):
            statement = select(fact_revision).where(
                columns.tenant_id == self.reader.tenant,
                columns.retracted_at.is_(None),
                columns.fact_id.in_(
                    select(fact.c.fact_id).where(fact.c.tenant_id == self.reader.tenant, fact.c.supersedes_id.in_(some))
                ),
            )
            rows += self._connection.execute(statement).all()
        return self._with_evidence(rows)

    def standing_evidence(self, ids: Iterable[UUID]) -> set[UUID]:
        """Those of the evidence that are still there, not hidden, and not of a version of a document that was replaced."""
        columns = evidence.c
        found: set[UUID] = set()
        for some in slices(ids):
            replaced = and_(
                columns.evidence_type == EvidenceType.DOCUMENT.value, columns.eligibility == Eligibility.HISTORY.value
            )
            statement = select(columns.evidence_id).where(
                columns.tenant_id == self.reader.tenant,
                columns.evidence_id.in_(some),
                columns.hidden_at.is_(None),
                not_(replaced),
            )
            found |= set(self._connection.scalars(statement))
        return found

    def queued(self, fact_ids: Iterable[UUID]) -> list[Candidate]:
        """What was asked about these facts, whoever is to answer it, oldest first."""
        columns = candidate.c
        rows: list[Any] = []
        for some in slices(fact_ids):
            statement = select(candidate).where(columns.tenant_id == self.reader.tenant, columns.target_id.in_(some))
            rows += self._connection.execute(statement.order_by(columns.created_at, columns.candidate_id)).all()
        return [self._map.candidate(row) for row in rows]

    def holds(self, key: PartitionKey) -> bool:
        """Whether this unit locked the partition, and so may write there."""
        return key in self._locked


def _on_root(ids: Sequence[UUID]) -> Any:
    return or_(fact_dependency.c.root_fact_id.in_(ids), fact_dependency.c.root_evidence_id.in_(ids))
