"""What a selector of forgetting reaches, read from inside the write that will forget it.

These reads are bounded by tenant, not by what a reader sees: the caller has settled who may ask.

Belongs here: those reads. Does not belong here: what follows from them (ingestion/selecting.py), any write.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Table, and_, or_, select

from muniment.domain.enums import OwnerType, Relation
from muniment.domain.forgotten import Hold
from muniment.domain.observation import RESERVED
from muniment.domain.records import Candidate, Evidence
from muniment.domain.scope import PartitionKey
from muniment.ports.forgetting import Extent, Owner, Selected, Words
from muniment.store.read_base import slices
from muniment.store.rows import AnyRow
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, evidence
from muniment.store.tables.facts import fact, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.keeping import hold
from muniment.store.tables.shelves import identifier
from muniment.store.write_base import WriteBase

_IDS: Final = {
    "events": (event, event.c.event_id),
    "candidates": (candidate, candidate.c.candidate_id),
    "facts": (fact, fact.c.fact_id),
}


def hold_of(row: AnyRow) -> Hold:
    """A row of `hold`."""
    return Hold(
        hold_id=row.hold_id,
        user=row.user_id,
        set_by=row.set_by,
        set_at=row.set_at,
        until=row.until,
        released_at=row.released_at,
        reason=row.reason,
    )


class SelectionReader(WriteBase):
    """Reads that forgetting needs."""

    def _rows_in(self, table: Table, column: Any, ids: Iterable[UUID], *columns: Any) -> Iterator[AnyRow]:
        """The tenant's rows of a table whose column is among the ids."""
        for some in slices(dict.fromkeys(ids)):
            statement = select(*columns) if columns else select(table)
            yield from self._connection.execute(
                statement.where(table.c.tenant_id == self.reader.tenant, column.in_(some))
            )

    def extent(self, wanted: Extent) -> Selected:
        """The ids of everything in an extent; evidence by its event, which knows session and task."""
        found: dict[str, tuple[UUID, ...]] = {}
        for name, (table, column) in _IDS.items():
            where = [table.c.tenant_id == self.reader.tenant]
            for key, value in (("user_id", wanted.user), ("session_id", wanted.session), ("task_id", wanted.task)):
                if value is not None:
                    where.append(table.c[key] == value)
            found[name] = tuple(self._connection.scalars(select(column).where(*where).order_by(column)))
        pieces = tuple(self.evidence_on(found["events"]))
        return Selected(evidence=pieces, **found)

    def evidence_on(self, event_ids: Iterable[UUID]) -> dict[UUID, UUID]:
        """Every piece of the events, with its event."""
        columns = evidence.c
        rows = self._rows_in(evidence, columns.event_id, event_ids, columns.evidence_id, columns.event_id)
        return {row.evidence_id: row.event_id for row in rows}

    def events_of(self, evidence_ids: Iterable[UUID]) -> dict[UUID, UUID]:
        """The event of each piece."""
        columns = evidence.c
        rows = self._rows_in(evidence, columns.evidence_id, evidence_ids, columns.evidence_id, columns.event_id)
        return {row.evidence_id: row.event_id for row in rows}

    def pieces(self, ids: Iterable[UUID]) -> dict[UUID, Evidence]:
        """Pieces by id, hidden ones too."""
        return {
            row.evidence_id: self._map.evidence(row) for row in self._rows_in(evidence, evidence.c.evidence_id, ids)
        }

    def told_on(self, evidence_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """For each piece the facts it supports or that were told in it."""
        found: dict[UUID, dict[UUID, None]] = defaultdict(dict)
        ids = list(evidence_ids)
        columns = fact_evidence.c
        for row in self._rows_in(fact_evidence, columns.evidence_id, ids):
            if row.relation == Relation.SUPPORT.value:
                found[row.evidence_id][row.fact_id] = None
        for row in self._rows_in(fact_statement, fact_statement.c.evidence_id, ids):
            found[row.evidence_id][row.fact_id] = None
        return {ref: list(facts) for ref, facts in found.items()}

    def owners(self, fact_ids: Iterable[UUID]) -> dict[UUID, Owner]:
        """Where facts live and which user they name."""
        columns = fact.c
        rows = self._rows_in(
            fact, columns.fact_id, fact_ids, columns.fact_id, columns.owner_type, columns.owner_id, columns.user_id
        )
        return {
            row.fact_id: Owner(
                partition=PartitionKey(tenant=self.reader.tenant, kind=OwnerType(row.owner_type), target=row.owner_id),
                user=row.user_id,
            )
            for row in rows
        }

    def candidates_on(
        self, *, evidence: Iterable[UUID] = (), facts: Iterable[UUID] = (), events: Iterable[UUID] = ()
    ) -> list[Candidate]:
        """Candidates that rest on the pieces, that led to or speak of the facts, or that came of the events."""
        links, grounds = candidate_evidence.c, defaultdict[UUID, list[UUID]](list)
        facts = list(facts)
        wanted = {row.candidate_id for row in self._rows_in(candidate_evidence, links.evidence_id, evidence)}
        wanted |= {row.candidate_id for row in self._rows_in(decision, decision.c.fact_id, facts)}
        wanted |= {row.candidate_id for row in self._rows_in(candidate, candidate.c.target_id, facts)}
        wanted |= {row.candidate_id for row in self._rows_in(candidate, candidate.c.event_id, events)}
        for row in self._rows_in(candidate_evidence, links.candidate_id, wanted):
            grounds[row.candidate_id].append(row.evidence_id)
        rows = self._rows_in(candidate, candidate.c.candidate_id, sorted(wanted))
        return [self._map.candidate(row, grounds[row.candidate_id]) for row in rows]

    def acts_on(self, fact_ids: Collection[UUID], *, user: str | None) -> list[UUID]:
        """Events of acts on these facts: their payload names the fact."""
        wanted = {str(ref) for ref in fact_ids}
        columns = event.c
        # Every reserved type begins alike; bounded on both sides so that an index on it could serve.
        begins = and_(columns.event_type >= RESERVED, columns.event_type < RESERVED[:-1] + "/")
        statement = select(event).where(columns.tenant_id == self.reader.tenant, begins)
        if user is not None:
            statement = statement.where(columns.user_id == user)
        rows = self._connection.execute(statement) if wanted else ()
        return [row.event_id for row in rows if _payload(self._map.maybe(row, "payload")).get("fact_id") in wanted]

    def alone(self, fact_ids: Collection[UUID], *, single: bool) -> set[UUID]:
        """Those of the facts in whose slots there are none but these; with `single`, none but the one."""
        columns = fact.c
        inside = set(fact_ids)
        named = {
            row.fact_id: row.slot_id
            for row in self._rows_in(fact, columns.fact_id, inside, columns.fact_id, columns.slot_id)
        }
        there: dict[UUID, set[UUID]] = defaultdict(set)
        for table in (fact, fact_statement):
            wanted = set(named.values()) - {None}
            for row in self._rows_in(table, table.c.slot_id, wanted, table.c.fact_id, table.c.slot_id):
                there[row.slot_id].add(row.fact_id)
        return {
            ref
            for ref, slot_id in named.items()
            if slot_id is not None and there[slot_id] <= inside and (len(there[slot_id]) == 1 or not single)
        }

    def versions(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[tuple[str, str | None]]]:
        """Content and value of every version and statement of the facts, hidden and retracted ones too; versions last."""
        found: dict[UUID, list[tuple[str, str | None]]] = defaultdict(list)
        ids = list(fact_ids)
        for table in (fact_statement, fact_revision):
            for row in self._rows_in(table, table.c.fact_id, ids):
                found[row.fact_id].append((self._map.open(row, "content"), self._map.maybe(row, "object_value")))
        return dict(found)

    def words_of(self, user: str) -> Iterator[Words]:
        """The words of every fact and piece of a user."""
        columns = evidence.c
        for row in self._connection.execute(
            select(evidence).where(columns.tenant_id == self.reader.tenant, columns.user_id == user)
        ):
            text = (self._map.open(row, "content"),)
            yield Words(kind="evidence", id=row.evidence_id, texts=text, hidden=row.hidden_at is not None)
        texts: dict[UUID, dict[str, None]] = defaultdict(dict)
        hidden: dict[UUID, bool] = {}
        versions = fact_revision.c
        for row in self._connection.execute(
            select(fact_revision).where(versions.tenant_id == self.reader.tenant, versions.user_id == user)
        ):
            hidden[row.fact_id] = row.hidden_at is not None
            found = (self._map.open(row, "content"), self._map.maybe(row, "object_value"))
            texts[row.fact_id] |= dict.fromkeys(text for text in found if text)
        for ref, said in texts.items():
            yield Words(kind="fact", id=ref, texts=tuple(said), hidden=hidden[ref])

    def keyed(self, keys: Collection[tuple[str, str]], *, user: str) -> set[UUID]:
        """What of a user's holds any of these exact keys (kind, normalised value)."""
        if not keys:
            return set()
        columns = identifier.c
        pairs = or_(*(and_(columns.kind == kind, columns.value == value) for kind, value in sorted(keys)))
        statement = select(columns.ref).where(columns.tenant_id == self.reader.tenant, columns.user_id == user, pairs)
        return set(self._connection.scalars(statement))

    def lanes_of(self, event_ids: Iterable[UUID]) -> set[str]:
        """The lanes of events."""
        return {row.lane_key for row in self._rows_in(event, event.c.event_id, event_ids, event.c.lane_key)}

    def holds_on(self, users: Collection[str] | None) -> list[Hold]:
        """Holds in force on any of the users, or on anybody of the tenant."""
        columns = hold.c
        statement = select(hold).where(columns.tenant_id == self.reader.tenant, columns.released_at.is_(None))
        found = [hold_of(row) for row in self._connection.execute(statement.order_by(columns.set_at, columns.hold_id))]
        return [item for item in found if item.binds(self.now) and (users is None or item.user in users)]


def _payload(text: str | None) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}
