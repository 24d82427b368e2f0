"""One snapshot: what a reader may see, as of two instants.

Belongs here: the reads of the store port. Does not belong here: scoring, adjudication, any write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, tuple_

from muniment.domain.enums import CandidateStatus, Relation
from muniment.domain.records import Candidate, Decision, Event, Evidence, Fact
from muniment.domain.scope import PartitionKey, Reader, partitions_of, visible_to
from muniment.domain.statement import canonical
from muniment.domain.time import AsOf
from muniment.domain.token import Token, known_in
from muniment.ports.store import FactFilter, Replay, StoredIdentifier
from muniment.store.keys import SlotKeys
from muniment.store.read_index import SqlIndexSource
from muniment.store.rows import Mapper
from muniment.store.scoping import believed, in_force, placement_of, visible
from muniment.store.sealing import Sealer
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, event_processing, evidence
from muniment.store.tables.facts import conflict, fact, fact_evidence, fact_revision
from muniment.store.tables.keeping import tombstone
from muniment.store.tables.shelves import identifier, partition

# Databases bound the number of parameters of a statement; longer lists are read in slices.
SLICE = 500
T = TypeVar("T")


def slices(items: Iterable[T], size: int = SLICE) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    listed = list(items)
    return (listed[start : start + size] for start in range(0, len(listed), size))


class SqlReadUnit(SqlIndexSource):
    """The read side of a unit of work. Everything it returns was re-checked for visibility in its own statement."""

    def __init__(
        self,
        connection: Connection,
        *,
        reader: Reader,
        as_of: AsOf,
        now: datetime,
        sealer: Sealer,
        slots: SlotKeys,
        embedder_id: str,
    ) -> None:
        self.reader = reader
        self.as_of = as_of
        self.now = now
        self._connection = connection
        self._map = Mapper(connection, sealer)
        self._slots = slots
        self._embedder_id = embedder_id
        self._scopes = visible_to(reader)
        self._keys = partitions_of(reader)
        # Read first: every later statement is bounded by it, so that the unit is one snapshot at READ COMMITTED too.
        self._partitions = self._load_partitions()

    # -- the snapshot -----------------------------------------------------------------------------------------------

    def _load_partitions(self) -> dict[PartitionKey, Row[*tuple[Any, ...]]]:
        """The rows of the reader's partitions that exist."""
        columns = partition.c
        wanted = [(key.kind.value, key.target) for key in self._keys]
        rows = self._connection.execute(
            select(partition).where(
                columns.tenant_id == self.reader.tenant, tuple_(columns.kind, columns.target).in_(wanted)
            )
        ).all()
        by_name = {(row.kind, row.target): row for row in rows}
        return {key: by_name[name] for key, name in zip(self._keys, wanted, strict=True) if name in by_name}

    @cached_property
    def token(self) -> Token:
        """The snapshot's `known_at` token."""
        marks = {key: row.last_recorded_at for key, row in self._partitions.items()}
        return Token.of(marks, now=self.now)

    @cached_property
    def known(self) -> dict[PartitionKey, datetime]:
        """Per partition, the instant its belief is read as of: the snapshot's own mark, or the asked one if earlier."""
        marks = {}
        for key, row in self._partitions.items():
            asked = known_in(self.as_of.known_at, key)
            marks[key] = row.last_recorded_at if asked is None else min(asked, row.last_recorded_at)
        return marks

    @property
    def expiry_at(self) -> datetime:
        """The instant `expires_at` is compared with: `known_at` where given, else now."""
        return self.as_of.known_at or self.now

    @property
    def valid_at(self) -> datetime:
        """The instant periods are compared with: `valid_at`, else `known_at`, else now."""
        return self.as_of.valid_at or self.as_of.known_at or self.now

    # -- facts ------------------------------------------------------------------------------------------------------

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
            where.append(columns.memory_type.in_(sorted(wanted.types)))
        if wanted.predicate is not None:
            where.append(columns.predicate == canonical(wanted.predicate))
        if wanted.subject is not None:
            where.append(columns.subject == canonical(wanted.subject))
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
        statement = statement.order_by(*order)
        if wanted.limit is not None:
            statement = statement.limit(wanted.limit)
        return self._with_evidence(self._connection.execute(statement).all())

    def _with_evidence(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[Fact]:
        links = self.evidence_of({row.fact_id for row in rows})
        return [
            self._map.fact(row, (item for item, relation in links.get(row.fact_id, []) if relation is Relation.SUPPORT))
            for row in rows
        ]

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
        rows = [row for row in rows if (at := self.known.get(self._owner(row))) is not None and row.recorded_at <= at]
        rows.sort(key=lambda row: (row.recorded_at, row.fact_id, row.revision, row.segment))
        return self._with_evidence(rows)

    def _owner(self, row: Row[*tuple[Any, ...]]) -> PartitionKey:
        return PartitionKey(tenant=row.tenant_id, kind=row.owner_type, target=row.owner_id)

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

    # -- evidence and events ----------------------------------------------------------------------------------------

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

    def evidence_of(self, fact_ids: Iterable[UUID]) -> dict[UUID, list[tuple[UUID, Relation]]]:
        """Each fact's evidence, in the order it was linked, with its relation."""
        columns = fact_evidence.c
        links: dict[UUID, list[tuple[UUID, Relation]]] = defaultdict(list)
        for some in slices(fact_ids):
            statement = (
                select(columns.fact_id, columns.evidence_id, columns.relation)
                .where(columns.tenant_id == self.reader.tenant, columns.fact_id.in_(some))
                .order_by(columns.recorded_at, columns.revision, columns.evidence_id)
            )
            for row in self._connection.execute(statement):
                pair = (row.evidence_id, Relation(row.relation))
                if pair not in links[row.fact_id]:
                    links[row.fact_id].append(pair)
        return dict(links)

    def facts_on(self, evidence_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        """For each piece of evidence, the facts it supports."""
        columns = fact_evidence.c
        found: dict[UUID, list[UUID]] = defaultdict(list)
        for some in slices(evidence_ids):
            statement = select(columns.fact_id, columns.evidence_id).where(
                columns.tenant_id == self.reader.tenant,
                columns.evidence_id.in_(some),
                columns.relation == Relation.SUPPORT.value,
            )
            for row in self._connection.execute(statement.distinct()):
                found[row.evidence_id].append(row.fact_id)
        return dict(found)

    def session_evidence(self, session: str, limit: int) -> list[Evidence]:
        """The last pieces of one session of the reader's user, oldest first."""
        columns = evidence.c
        statement = (
            select(evidence)
            .join(event, and_(event.c.tenant_id == columns.tenant_id, event.c.event_id == columns.event_id))
            .where(visible(columns, self._scopes), columns.hidden_at.is_(None))
            .where(columns.user_id == self.reader.user, columns.session_id == session)
            .order_by(columns.recorded_at.desc(), event.c.seq.desc())
            .limit(limit)
        )
        rows = [row for row in self._connection.execute(statement) if self._recorded(row)]
        return [self._map.evidence(row) for row in reversed(rows)]

    def events(self, ids: Iterable[UUID]) -> list[Event]:
        """Events of the reader's user or placement, in the order they were recorded."""
        rows: list[Row[*tuple[Any, ...]]] = []
        for some in slices(ids):
            statement = select(event).where(event.c.tenant_id == self.reader.tenant, event.c.event_id.in_(some))
            rows += self._connection.execute(statement.where(visible(event.c, self._scopes))).all()
        return [self._map.event(row) for row in sorted(rows, key=lambda row: (row.recorded_at, row.seq))]

    # -- candidates and decisions -----------------------------------------------------------------------------------

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
        grounds: dict[UUID, list[UUID]] = defaultdict(list)
        for some in slices(row.candidate_id for row in rows):
            links = candidate_evidence.c
            for link in self._connection.execute(
                select(links.candidate_id, links.evidence_id).where(
                    links.tenant_id == self.reader.tenant, links.candidate_id.in_(some)
                )
            ):
                grounds[link.candidate_id].append(link.evidence_id)
        return [self._map.candidate(row, grounds[row.candidate_id]) for row in rows]

    def decisions(self, candidate_ids: Iterable[UUID]) -> list[Decision]:
        """The decisions on the candidates, oldest first."""
        rows: list[Row[*tuple[Any, ...]]] = []
        for some in slices(candidate_ids):
            rows += self._connection.execute(
                select(decision).where(decision.c.tenant_id == self.reader.tenant, decision.c.candidate_id.in_(some))
            ).all()
        return [self._map.decision(row) for row in sorted(rows, key=lambda row: (row.decided_at, row.decision_id))]

    def conflicts(self, fact_ids: Iterable[UUID]) -> list[Mapping[str, Any]]:
        """Open conflicts that touch any of the facts."""
        columns = conflict.c
        found: dict[UUID, Mapping[str, Any]] = {}
        for some in slices(fact_ids):
            statement = select(conflict).where(
                columns.tenant_id == self.reader.tenant,
                columns.status == "OPEN",
                or_(columns.fact_id.in_(some), columns.other_id.in_(some)),
            )
            for row in self._connection.execute(statement):
                found[row.conflict_id] = {
                    "conflict_id": row.conflict_id,
                    "kind": row.kind,
                    "facts": (row.fact_id, row.other_id),
                    "recorded_at": row.recorded_at,
                }
        return list(found.values())

    # -- exact keys, replays, work ----------------------------------------------------------------------------------

    def identifiers(self, kind: str | None, value: str) -> list[StoredIdentifier]:
        """Where a normalised exact key stands, of one kind or of any."""
        columns = identifier.c
        statement = select(identifier).where(visible(columns, self._scopes), columns.value == value)
        if kind is not None:
            statement = statement.where(columns.kind == kind)
        return [self._identifier(row) for row in self._connection.execute(statement.order_by(columns.recorded_at))]

    def identifiers_in(self, refs: Iterable[UUID]) -> list[StoredIdentifier]:
        """The exact keys found in the given evidence or facts."""
        found: list[StoredIdentifier] = []
        for some in slices(refs):
            statement = select(identifier).where(visible(identifier.c, self._scopes), identifier.c.ref.in_(some))
            found += [self._identifier(row) for row in self._connection.execute(statement)]
        return found

    @staticmethod
    def _identifier(row: Row[*tuple[Any, ...]]) -> StoredIdentifier:
        return StoredIdentifier(
            kind=row.kind,
            value=row.value,
            ref_kind=row.ref_kind,
            ref=row.ref,
            placement=placement_of(row),
            held=row.held,
        )

    def replay(self, source: str, idempotency_key: str) -> Replay | None:
        """What is known of a key this user sent from this source, or None for a new one."""
        columns = event.c
        row = self._connection.execute(
            select(
                event.c.tenant_id,
                event.c.event_id,
                event.c.body_digest,
                event_processing.c.receipt,
                event_processing.c.state,
            )
            .join(
                event_processing,
                and_(
                    event_processing.c.tenant_id == columns.tenant_id, event_processing.c.event_id == columns.event_id
                ),
            )
            .where(
                columns.tenant_id == self.reader.tenant,
                columns.user_id == self.reader.user,
                columns.source == source,
                columns.idempotency_key == idempotency_key,
            )
        ).first()
        if row is not None:
            receipt = self._map.maybe(row, "receipt")
            return Replay(event_id=row.event_id, body_digest=row.body_digest, receipt=receipt, state=row.state)
        stone = tombstone.c
        erased = self._connection.scalar(
            select(stone.tombstone_id).where(
                stone.tenant_id == self.reader.tenant,
                stone.user_id == self.reader.user,
                stone.source == source,
                stone.idempotency_key == idempotency_key,
            )
        )
        return Replay(event_id=None, body_digest=None, receipt=None, state="ERASED", erased=True) if erased else None

    def receipt(self, event_id: UUID) -> str | None:
        """The receipt kept with an event, as JSON."""
        columns = event_processing.c
        row = self._connection.execute(
            select(columns.tenant_id, columns.receipt).where(
                columns.tenant_id == self.reader.tenant, columns.event_id == event_id
            )
        ).first()
        return None if row is None else self._map.maybe(row, "receipt")

    def pending(self, *, events: Iterable[UUID] | None = None, limit: int = 1000) -> list[UUID]:
        """Events of the reader's user that were received and not yet understood, in lane order."""
        joined = and_(
            event.c.tenant_id == event_processing.c.tenant_id, event.c.event_id == event_processing.c.event_id
        )
        statement = (
            select(event.c.event_id)
            .join(event_processing, joined)
            .where(event.c.tenant_id == self.reader.tenant, event.c.user_id == self.reader.user)
            .where(event_processing.c.state.in_(["RECEIVED", "FAILED"]))
            .order_by(event.c.lane_key, event.c.seq)
            .limit(limit)
        )
        if events is not None:
            statement = statement.where(event.c.event_id.in_(list(events)))
        return list(self._connection.scalars(statement))

    def counts(self) -> Mapping[str, int]:
        """How many of each record the reader may see."""
        tables = {"events": event, "evidence": evidence, "facts": fact}
        found = {
            name: int(
                self._connection.scalar(select(func.count()).select_from(table).where(visible(table.c, self._scopes)))
                or 0
            )
            for name, table in tables.items()
        }
        mine = and_(candidate.c.tenant_id == self.reader.tenant, candidate.c.user_id == self.reader.user)
        for status in CandidateStatus:
            total = select(func.count()).select_from(candidate).where(mine, candidate.c.status == status.value)
            found[f"candidates {status.value}"] = int(self._connection.scalar(total) or 0)
        return found
