"""One transaction: its locks, the instant it is recorded at, and what it writes.

Belongs here: the writes of the store port. Does not belong here: what should be written (ingestion/).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, and_, bindparam, func, insert, select, update

from muniment.domain.enums import CandidateStatus, Eligibility, Relation
from muniment.domain.query import IndexItem
from muniment.domain.records import Candidate, Decision, Event, Evidence, Fact
from muniment.domain.scope import PartitionKey, Placement, Reader
from muniment.domain.time import AsOf
from muniment.ports.store import Slot, StoredIdentifier, Told
from muniment.store.keys import SlotKeys
from muniment.store.read import SqlReadUnit, slices
from muniment.store.rows import Sealing, Values, micros
from muniment.store.scoping import placement_values
from muniment.store.sealing import Sealer
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, event_processing, evidence
from muniment.store.tables.facts import conflict, fact, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.keeping import audit_log, tombstone
from muniment.store.tables.shelves import identifier, index_item, index_segment, lane, partition

NewId = Callable[[], UUID]


class SqlWriteUnit(SqlReadUnit):
    """The write side of a unit of work, inside locks that `SqlStore.write` took."""

    def __init__(
        self,
        connection: Connection,
        *,
        reader: Reader,
        now: datetime,
        recorded_at: datetime,
        sealer: Sealer,
        slots: SlotKeys,
        embedder_id: str,
        tokenizer_id: str,
        new_id: NewId,
        locked: Mapping[PartitionKey, Row[*tuple[Any, ...]]],
        lanes: Mapping[str, int],
    ) -> None:
        super().__init__(
            connection, reader=reader, as_of=AsOf(), now=now, sealer=sealer, slots=slots, embedder_id=embedder_id
        )
        self.recorded_at = recorded_at
        self._sealer = sealer
        self._tokenizer_id = tokenizer_id
        self._new_id = new_id
        self._locked = locked
        self._next_seq = {key: row.next_seq for key, row in locked.items()}
        self._lanes = dict(lanes)

    @property
    def known(self) -> dict[PartitionKey, datetime]:
        """A write reads what it has itself written."""
        return {key: max(self.recorded_at, row.last_recorded_at) for key, row in self._partitions.items()}

    def _sealing(self, placement: Placement) -> Sealing:
        return Sealing(self._sealer, PartitionKey.of(self.reader.tenant, placement))

    def _write(self, statement: Any, rows: Sequence[Values]) -> None:
        if rows:
            self._connection.execute(statement, list(rows))

    # -- events and evidence ----------------------------------------------------------------------------------------

    def add_events(self, events: Sequence[Event], *, digests: Sequence[str]) -> list[Event]:
        """Writes events as received, each with the next number of its lane; returns them with it."""
        numbered: list[Event] = []
        for item in events:
            seq = self._lanes[item.lane_key]
            self._lanes[item.lane_key] = seq + 1
            numbered.append(replace(item, seq=seq, recorded_at=self.recorded_at))
        rows = [
            self._sealing(item.placement).event(item, digest) for item, digest in zip(numbered, digests, strict=True)
        ]
        self._write(insert(event), rows)
        processing = [
            {
                "tenant_id": self.reader.tenant,
                "event_id": item.event_id,
                "state": "RECEIVED",
                "attempts": 0,
                "updated_at": self.recorded_at,
            }
            for item in numbered
        ]
        self._write(insert(event_processing), processing)
        return numbered

    def finish_event(self, event_id: UUID, *, state: str, receipt: str | None = None, error: str | None = None) -> None:
        """Moves an event's processing state; the receipt is kept for replays of its key."""
        columns = event_processing.c
        sealed = None if receipt is None else self._sealer.seal(self._home, receipt)
        self._connection.execute(
            update(event_processing)
            .where(columns.tenant_id == self.reader.tenant, columns.event_id == event_id)
            .values(
                state=state,
                receipt=sealed,
                error=error and error[:1024],
                attempts=columns.attempts + 1,
                updated_at=self.recorded_at,
            )
        )

    @property
    def _home(self) -> PartitionKey:
        """The reader's own user partition."""
        return next(key for key in self._keys if key.kind == "USER")

    def add_evidence(self, rows: Sequence[Evidence]) -> None:
        """Writes evidence."""
        self._write(
            insert(evidence),
            [self._sealing(item.placement).evidence(replace(item, recorded_at=self.recorded_at)) for item in rows],
        )

    def set_eligibility(self, evidence_ids: Iterable[UUID], eligibility: Eligibility) -> None:
        """What the read path may do with the evidence from now on, in its rows and its index entries."""
        ids = list(evidence_ids)
        for some in slices(ids):
            self._connection.execute(
                update(evidence)
                .where(evidence.c.tenant_id == self.reader.tenant, evidence.c.evidence_id.in_(some))
                .values(eligibility=eligibility.value)
            )
        self._touch(ids, {"eligibility": eligibility.value})

    def _touch(self, refs: Iterable[UUID], values: Values, *extra: Any) -> None:
        """Changes index entries of the locked partitions so that every process sees them change."""
        columns = index_item.c
        for key, row in self._locked.items():
            for some in slices(refs):
                self._connection.execute(
                    update(index_item)
                    .where(columns.tenant_id == key.tenant, columns.partition_id == row.partition_id)
                    .where(columns.ref.in_(some), *extra)
                    .values(touched=row.version + 1, **values)
                )

    # -- candidates and decisions -----------------------------------------------------------------------------------

    def add_candidate(self, item: Candidate, *, event_id: UUID, placement: Placement) -> None:
        """Writes a candidate and its links to evidence. Its user is the reader's, whoever will own the fact."""
        row = self._sealing(placement).candidate(item, event_id, placement, self.recorded_at)
        self._connection.execute(insert(candidate).values(row | {"user_id": self.reader.user}))
        links = [
            {
                "tenant_id": self.reader.tenant,
                "candidate_id": item.candidate_id,
                "evidence_id": ground,
                "relation": Relation.SUPPORT.value,
            }
            for ground in dict.fromkeys(item.evidence)
        ]
        self._write(insert(candidate_evidence), links)

    def set_candidate(self, candidate_id: UUID, *, status: CandidateStatus, reason: str | None) -> None:
        """Moves a candidate's status."""
        sealed = None if reason is None else self._sealer.seal(self._home, reason)
        self._connection.execute(
            update(candidate)
            .where(candidate.c.tenant_id == self.reader.tenant, candidate.c.candidate_id == candidate_id)
            .values(status=status.value, governance_reason=sealed, updated_at=self.recorded_at)
        )

    def add_decision(self, item: Decision, *, inputs: Mapping[str, Any]) -> None:
        """Writes a decision with every verdict and the ids of what it was made from."""
        verdicts = [[verdict.rule, verdict.ruling.value, verdict.reason] for verdict in item.verdicts]
        seal = Sealing(self._sealer, self._home)
        self._connection.execute(
            insert(decision).values(
                tenant_id=self.reader.tenant,
                decision_id=item.decision_id,
                candidate_id=item.candidate_id,
                ruling=item.ruling.value,
                outcome=item.outcome,
                reason=seal.text(item.reason),
                verdicts=seal.text(json.dumps(verdicts, ensure_ascii=False)),
                inputs=seal.text(json.dumps(inputs, ensure_ascii=False, default=str)),
                policy_version=item.policy_version,
                actor=item.actor,
                fact_id=item.fact_id,
                decided_at=self.recorded_at,
            )
        )

    # -- statements, versions, conflicts ----------------------------------------------------------------------------

    def _slot_ids(self, slots: Sequence[Slot]) -> list[UUID]:
        return [self._slots.id_of(self.reader.tenant, slot) for slot in slots]

    def told(self, *, slots: Sequence[Slot] = (), fact_ids: Sequence[UUID] = ()) -> list[Told]:
        """The statements of the slots or facts that were not withdrawn."""
        columns = fact_statement.c
        statement = select(fact_statement).where(
            columns.tenant_id == self.reader.tenant, columns.withdrawn_at.is_(None)
        )
        if slots:
            statement = statement.where(columns.slot_id.in_(self._slot_ids(slots)))
        else:
            statement = statement.where(columns.fact_id.in_(list(fact_ids)))
        rows = self._connection.execute(statement.order_by(columns.fact_id, columns.ordinal))
        return [self._map.told(row) for row in rows]

    def tell(self, told: Told, *, slot: Slot) -> None:
        """Adds one statement to a fact of the slot; the fact's head must be there."""
        seal = self._sealing(slot.placement)
        columns = fact_statement.c
        highest = self._connection.scalar(
            select(func.max(columns.ordinal)).where(
                columns.tenant_id == self.reader.tenant, columns.fact_id == told.fact_id
            )
        )
        self._connection.execute(
            insert(fact_statement).values(
                tenant_id=self.reader.tenant,
                fact_id=told.fact_id,
                ordinal=0 if highest is None else highest + 1,
                slot_id=self._slots.id_of(self.reader.tenant, slot),
                evidence_id=told.evidence_id,
                object_value=seal.text(told.value),
                content=seal.text(told.content),
                stated_from=told.stated_from,
                stated_until=told.stated_until,
                valid_from_known=told.valid_from_known,
                placed=told.placed,
                trust=told.trust,
                confidence=round(told.confidence * 10_000),
                source=told.source,
                recorded_at=self.recorded_at,
            )
        )

    def withdraw(self, fact_id: UUID, ordinals: Sequence[int]) -> None:
        """Takes statements out of the fold; they stay on record."""
        columns = fact_statement.c
        self._connection.execute(
            update(fact_statement)
            .where(columns.tenant_id == self.reader.tenant, columns.fact_id == fact_id, columns.ordinal.in_(ordinals))
            .where(columns.withdrawn_at.is_(None))
            .values(withdrawn_at=self.recorded_at)
        )

    def live(self, *, slots: Sequence[Slot] = (), fact_ids: Sequence[UUID] = ()) -> list[Fact]:
        """The versions believed now, of the slots or facts, hidden ones too (they still take part in the fold)."""
        columns = fact_revision.c
        statement = select(fact_revision).where(columns.tenant_id == self.reader.tenant, columns.retracted_at.is_(None))
        if slots:
            statement = statement.where(columns.slot_id.in_(self._slot_ids(slots)))
        else:
            statement = statement.where(columns.fact_id.in_(list(fact_ids)))
        rows = self._connection.execute(statement.order_by(columns.fact_id, columns.revision, columns.segment)).all()
        return self._with_evidence(rows)

    def add_head(self, item: Fact, *, slot: Slot) -> None:
        """Makes a new fact's head, which statements and versions refer to; `record` then gives it its first version."""
        key = PartitionKey.of(self.reader.tenant, slot.placement)
        slot_id = self._slots.id_of(self.reader.tenant, slot)
        values = Sealing(self._sealer, key).fact(replace(item, recorded_at=self.recorded_at), key, slot_id)
        self._connection.execute(insert(fact).values(values))

    def record(self, rows: Sequence[Fact], *, slot: Slot) -> None:
        """Writes versions of the slot's facts, and moves each fact's head to its first segment."""
        key = PartitionKey.of(self.reader.tenant, slot.placement)
        slot_id = self._slots.id_of(self.reader.tenant, slot)
        heads: dict[UUID, Values] = {}
        versions: list[Values] = []
        for item in rows:
            values = Sealing(self._sealer, key).fact(replace(item, recorded_at=self.recorded_at), key, slot_id)
            standing = None if item.standing is None else item.standing.value
            versions.append(values | {"segment": item.segment, "standing": standing})
            heads.setdefault(item.fact_id, values)
        for fact_id, values in heads.items():
            moved = {name: value for name, value in values.items() if name not in ("tenant_id", "fact_id")}
            self._connection.execute(
                update(fact).where(fact.c.tenant_id == self.reader.tenant, fact.c.fact_id == fact_id).values(moved)
            )
        self._write(insert(fact_revision), versions)

    def retract(self, fact_ids: Sequence[UUID]) -> None:
        """Ends the belief in the facts' present versions, and in their index entries."""
        columns = fact_revision.c
        for some in slices(fact_ids):
            self._connection.execute(
                update(fact_revision)
                .where(
                    columns.tenant_id == self.reader.tenant, columns.fact_id.in_(some), columns.retracted_at.is_(None)
                )
                .values(retracted_at=self.recorded_at)
            )
        self._touch(fact_ids, {"retracted_at": micros(self.recorded_at)}, index_item.c.retracted_at.is_(None))

    def hide(self, fact_ids: Sequence[UUID], *, reason: str, actor: str) -> None:
        """Hides facts, in every version, from every reader but the auditor's views; a tombstone says so."""
        for table in (fact, fact_revision):
            for some in slices(fact_ids):
                self._connection.execute(
                    update(table)
                    .where(table.c.tenant_id == self.reader.tenant, table.c.fact_id.in_(some))
                    .values(hidden_at=self.recorded_at)
                )
        self._touch(fact_ids, {"hidden_at": micros(self.recorded_at)})
        stones = [
            {
                "tenant_id": self.reader.tenant,
                "tombstone_id": self._new_id(),
                "kind": "fact",
                "ref": fact_id,
                "mode": "hide",
                "user_id": self.reader.user,
                "forgotten_at": self.recorded_at,
                "forgotten_by": actor,
                "reason": reason[:256],
            }
            for fact_id in fact_ids
        ]
        self._write(insert(tombstone), stones)

    def link_evidence(self, fact_id: UUID, revision: int, evidence_ids: Iterable[UUID], relation: Relation) -> None:
        """Says which evidence supports or contradicts a revision."""
        rows = [
            {
                "tenant_id": self.reader.tenant,
                "fact_id": fact_id,
                "revision": revision,
                "evidence_id": ground,
                "relation": relation.value,
                "recorded_at": self.recorded_at,
            }
            for ground in dict.fromkeys(evidence_ids)
        ]
        self._write(insert(fact_evidence), rows)

    def set_conflicts(self, slot: Slot, pairs: Sequence[tuple[UUID, UUID, str]]) -> None:
        """Makes the open conflicts of a slot exactly these (fact, other, kind); others of it are closed as settled."""
        slot_id = self._slots.id_of(self.reader.tenant, slot)
        columns = conflict.c
        rows = self._connection.execute(
            select(conflict).where(
                columns.tenant_id == self.reader.tenant, columns.slot_id == slot_id, columns.status == "OPEN"
            )
        ).all()
        standing = {(row.fact_id, row.other_id, row.kind): row.conflict_id for row in rows}
        gone = [conflict_id for pair, conflict_id in standing.items() if pair not in set(pairs)]
        for some in slices(gone):
            self._connection.execute(
                update(conflict)
                .where(columns.tenant_id == self.reader.tenant, columns.conflict_id.in_(some))
                .values(status="SETTLED", resolved_at=self.recorded_at, resolved_by="the fold")
            )
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in standing]
        self._write(
            insert(conflict),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "conflict_id": self._new_id(),
                    "slot_id": slot_id,
                    "kind": kind,
                    "fact_id": fact_id,
                    "other_id": other,
                    "status": "OPEN",
                    "recorded_at": self.recorded_at,
                }
                for fact_id, other, kind in fresh
            ],
        )

    # -- derived ----------------------------------------------------------------------------------------------------

    def vectors(self, refs: Iterable[UUID]) -> dict[UUID, bytes]:
        """The vectors last written for references, under this store's embedder; those without one are left out."""
        columns = index_item.c
        found: dict[UUID, bytes] = {}
        for some in slices(refs):
            statement = (
                select(columns.tenant_id, columns.ref, columns.vectors)
                .where(columns.tenant_id == self.reader.tenant, columns.ref.in_(some))
                .where(columns.model_id == self._embedder_id)
                .order_by(columns.seq)
            )
            found.update({row.ref: self._map.bytes(row, "vectors") for row in self._connection.execute(statement)})
        return found

    def add_index(self, key: PartitionKey, items: Sequence[IndexItem]) -> None:
        """Writes index entries into a locked partition."""
        row = self._locked[key]
        seal = Sealing(self._sealer, key)
        rows = []
        for item in items:
            seq = self._next_seq[key]
            self._next_seq[key] = seq + 1
            values = seal.index_item(
                replace(item, recorded_at=self.recorded_at), model_id=self._embedder_id, tokenizer_id=self._tokenizer_id
            )
            rows.append(values | {"partition_id": row.partition_id, "seq": seq, "touched": row.version + 1})
        self._write(insert(index_item), rows)

    def set_vectors(self, key: PartitionKey, vectors: Mapping[UUID, bytes]) -> None:
        """Replaces the vectors of entries by reference, under this store's embedder."""
        row = self._locked[key]
        seal = Sealing(self._sealer, key)
        columns = index_item.c
        statement = (
            update(index_item)
            .where(
                columns.tenant_id == key.tenant, columns.partition_id == row.partition_id, columns.ref == bindparam("r")
            )
            .values(vectors=bindparam("v"), model_id=self._embedder_id, touched=row.version + 1)
        )
        self._write(statement, [{"r": ref, "v": seal._seal_bytes(raw)} for ref, raw in vectors.items()])

    def words(self, refs: Sequence[UUID]) -> dict[UUID, str]:
        """The words that index entries stand for, whoever may read them: maintenance embeds them anew."""
        found: dict[UUID, str] = {}
        for table, column in ((evidence, evidence.c.evidence_id), (fact, fact.c.fact_id)):
            for some in slices(refs):
                statement = select(table).where(table.c.tenant_id == self.reader.tenant, column.in_(some))
                for row in self._connection.execute(statement):
                    found[getattr(row, column.name)] = self._map.open(row, "content")
        return found

    def add_identifiers(self, rows: Sequence[StoredIdentifier]) -> None:
        """Writes exact keys."""
        self._write(
            insert(identifier),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "identifier_id": self._new_id(),
                    "kind": item.kind,
                    "value": item.value,
                    "held": item.held,
                    "ref_kind": item.ref_kind,
                    "ref": item.ref,
                    **placement_values(item.placement),
                    "recorded_at": self.recorded_at,
                }
                for item in rows
            ],
        )

    def add_segment(self, key: PartitionKey, version: int, packed: bytes) -> None:
        """Adds the partition's next packed segment, which reaches `version`."""
        row = self._locked[key]
        where = and_(index_segment.c.tenant_id == key.tenant, index_segment.c.partition_id == row.partition_id)
        last = self._connection.scalar(select(func.max(index_segment.c.ordinal)).where(where))
        self._connection.execute(
            insert(index_segment).values(
                tenant_id=key.tenant,
                partition_id=row.partition_id,
                ordinal=0 if last is None else last + 1,
                version=version,
                packed=self._sealer.seal_bytes(key, packed),
            )
        )
        self._connection.execute(
            update(partition)
            .where(partition.c.tenant_id == key.tenant, partition.c.partition_id == row.partition_id)
            .values(segment_version=version)
        )

    def audit(self, action: str, *, ref_kind: str, ref: UUID, content: str) -> None:
        """Adds an audit row with a salted commitment to the content, never the content."""
        salt = os.urandom(16)
        self._connection.execute(
            insert(audit_log).values(
                tenant_id=self.reader.tenant,
                audit_id=self._new_id(),
                action=action,
                actor=f"user:{self.reader.user}",
                user_id=self.reader.user,
                ref_kind=ref_kind,
                ref=ref,
                commitment=hashlib.sha256(salt + content.encode("utf-8", "surrogatepass")).digest(),
                salt=salt,
                at=self.recorded_at,
            )
        )

    # -- the end of the transaction ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Advances the partitions and lanes; called once, last."""
        columns = partition.c
        for key, row in self._locked.items():
            self._connection.execute(
                update(partition)
                .where(columns.tenant_id == key.tenant, columns.partition_id == row.partition_id)
                .values(version=row.version + 1, next_seq=self._next_seq[key], last_recorded_at=self.recorded_at)
            )
        for lane_key, seq in self._lanes.items():
            self._connection.execute(
                update(lane)
                .where(lane.c.tenant_id == self.reader.tenant, lane.c.lane_key == lane_key)
                .values(next_seq=seq)
            )
