"""Statements, versions, links and conflicts of facts.

Belongs here: those tables' writes. Does not belong here: what they should say (ingestion/).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, func, insert, select, update

from muniment.domain.confidence import to_points
from muniment.domain.enums import Relation
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey
from muniment.domain.time import micros
from muniment.ports.store import Slot, Told
from muniment.store.read_base import slices
from muniment.store.rows import Sealing, Values
from muniment.store.tables.chain import evidence
from muniment.store.tables.facts import conflict, fact, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.keeping import tombstone
from muniment.store.tables.shelves import index_item
from muniment.store.write_base import WriteBase

# Built once: every statement of a fact runs them. A new head differs from the old in everything but its key.
_HIGHEST: Final = select(func.max(fact_statement.c.ordinal)).where(
    fact_statement.c.tenant_id == bindparam("tenant"), fact_statement.c.fact_id == bindparam("fact")
)
_TOLD: Final = (
    select(fact_statement)
    .where(fact_statement.c.tenant_id == bindparam("tenant"), fact_statement.c.withdrawn_at.is_(None))
    .order_by(fact_statement.c.fact_id, fact_statement.c.ordinal)
)
_TOLD_OF = {
    name: _TOLD.where(fact_statement.c[name].in_(bindparam("keys", expanding=True))) for name in ("slot_id", "fact_id")
}
_LIVE: Final = (
    select(fact_revision)
    .where(fact_revision.c.tenant_id == bindparam("tenant"), fact_revision.c.retracted_at.is_(None))
    .order_by(fact_revision.c.fact_id, fact_revision.c.revision, fact_revision.c.segment)
)
_LIVE_OF = {
    name: _LIVE.where(fact_revision.c[name].in_(bindparam("keys", expanding=True))) for name in ("slot_id", "fact_id")
}
_OPEN: Final = select(conflict).where(
    conflict.c.tenant_id == bindparam("tenant"),
    conflict.c.slot_id == bindparam("slot"),
    conflict.c.status == "OPEN",
)
_MOVE: Final = (
    update(fact)
    .where(fact.c.tenant_id == bindparam("to_tenant_id"), fact.c.fact_id == bindparam("to_fact_id"))
    .values({item.name: bindparam(f"to_{item.name}") for item in fact.c if item.name not in ("tenant_id", "fact_id")})
)


class FactWriter(WriteBase):
    """Writes of facts."""

    def _slot_ids(self, slots: Sequence[Slot]) -> list[UUID]:
        return [self._slots.id_of(self.reader.tenant, slot) for slot in slots]

    def _keyed(
        self, statements: Mapping[str, Any], slots: Sequence[Slot], fact_ids: Sequence[UUID]
    ) -> tuple[Any, Values]:
        """The statement over slots or over facts, with its parameters."""
        name, keys = ("slot_id", self._slot_ids(slots)) if slots else ("fact_id", list(fact_ids))
        return statements[name], {"tenant": self.reader.tenant, "keys": keys}

    def told(self, *, slots: Sequence[Slot] = (), fact_ids: Sequence[UUID] = ()) -> list[Told]:
        """The statements of the slots or facts that were not withdrawn."""
        rows = self._connection.execute(*self._keyed(_TOLD_OF, slots, fact_ids))
        return [self._map.told(row) for row in rows]

    def tell(self, told: Told, *, slot: Slot) -> None:
        """Adds one statement to a fact of the slot; the fact's head must be there."""
        seal = self._sealing(slot.placement)
        highest = self._connection.scalar(_HIGHEST, {"tenant": self.reader.tenant, "fact": told.fact_id})
        row = {
            "tenant_id": self.reader.tenant,
            "fact_id": told.fact_id,
            "ordinal": 0 if highest is None else highest + 1,
            "slot_id": self._slots.id_of(self.reader.tenant, slot),
            "evidence_id": told.evidence_id,
            "object_value": seal.text(told.value),
            "content": seal.text(told.content),
            "stated_from": told.stated_from,
            "stated_until": told.stated_until,
            "valid_from_known": told.valid_from_known,
            "placed": told.placed,
            "trust": told.trust,
            "confidence": to_points(told.confidence),
            "source": told.source,
            "derived": told.derived,
            "recorded_at": self.recorded_at,
        }
        self._write(insert(fact_statement), [row])

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
        rows = self._connection.execute(*self._keyed(_LIVE_OF, slots, fact_ids)).all()
        return self._with_evidence(rows)

    def add_head(self, item: Fact, *, slot: Slot) -> None:
        """Makes a new fact's head, which statements and versions refer to; `record` then gives it its first version."""
        key = PartitionKey.of(self.reader.tenant, slot.placement)
        slot_id = self._slots.id_of(self.reader.tenant, slot)
        values = Sealing(self._sealer, key).fact(replace(item, recorded_at=self.recorded_at), key, slot_id)
        self._write(insert(fact), [values])

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
        self._recorded_facts |= dict.fromkeys(heads)
        self._write(_MOVE, [{f"to_{name}": value for name, value in values.items()} for values in heads.values()])
        self._write(insert(fact_revision), versions)

    def take_recorded(self) -> list[UUID]:
        """The facts recorded, and the evidence hidden, in this unit since this was last asked, in order."""
        taken = list(self._recorded_facts)
        self._recorded_facts.clear()
        return taken

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
        self.drop_identifiers(fact_ids)
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

    def hide_evidence(self, evidence_ids: Iterable[UUID]) -> None:
        """Hides evidence, its index entries and its exact keys from every reader but the auditor's views. It counts as
        recorded: what depends on it is settled with the rest."""
        ids = list(evidence_ids)
        self._recorded_facts |= dict.fromkeys(ids)
        for some in slices(ids):
            self._connection.execute(
                update(evidence)
                .where(evidence.c.tenant_id == self.reader.tenant, evidence.c.evidence_id.in_(some))
                .values(hidden_at=self.recorded_at)
            )
        self.drop_identifiers(ids)
        self._touch(ids, {"hidden_at": micros(self.recorded_at)})

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
        rows = self._connection.execute(_OPEN, {"tenant": self.reader.tenant, "slot": slot_id}).all()
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
