"""Erasure: content out of every table, in one transaction.

Rows are emptied first; those that nothing left refers to are then removed. What stays of a row are links: its id, whose it
is and when it was recorded, so that what else stands on it leads to a tombstone.

Belongs here: those statements. Does not belong here: what is to go (ingestion/selecting.py), words quoted elsewhere
(`write_quoted`), the files of a database (`dialects/`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, Table, and_, case, delete, select, update

from muniment.domain.enums import Eligibility, FactStatus
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import PartitionKey
from muniment.domain.time import micros
from muniment.ports.forgetting import Erasing
from muniment.store.read_base import slices
from muniment.store.rows import Sealing, Values
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, event_processing, evidence
from muniment.store.tables.facts import conflict, fact, fact_dependency, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.keeping import audit_log, tombstone
from muniment.store.tables.shelves import identifier, index_item, index_segment, partition
from muniment.store.write_quoted import QuoteWriter
from muniment.text.tokenizer import analyse

GONE: Final = "erased"
_SCOPED: Final = dict.fromkeys(("department_id", "agent_id", "session_id", "task_id"))
_EVIDENCE: Final[Values] = {
    **_SCOPED,
    **dict.fromkeys(("source_id", "source_version", "locator", "metadata", "speaker", "occurred_zone")),
    "content": "",
    "source_system": GONE,
    "eligibility": Eligibility.AUDIT_ONLY.value,
}
_PARTLY: Final[Values] = dict.fromkeys(("payload", "metadata", "idempotency_key", "body_digest", "trace_id"))
_EVENT: Final[Values] = {
    **_PARTLY,
    **_SCOPED,
    **dict.fromkeys(("principal", "occurred_zone")),
    "event_type": GONE,
    "source": GONE,
    "actor_id": case((event.c.actor_id == event.c.user_id, event.c.actor_id), else_=GONE),
}
_FACT: Final[Values] = {
    **_SCOPED,
    **dict.fromkeys(("slot_id", "subject", "predicate", "qualifier", "object_value", "reason", "trace_id", "metadata")),
    **dict.fromkeys(("source_candidate_id", "stated_from", "stated_until", "valid_from", "valid_until")),
    "content": "",
    "status": FactStatus.INVALIDATED.value,
    "actor": GONE,
}
_ENTRY: Final[Values] = {
    **_SCOPED,
    **dict.fromkeys(("speaker", "occurred_at", "valid_from", "valid_until")),
    "asks": False,
    "tokens": b"",
    "tail": b"",
    "vectors": b"",
    "model_id": "",
    "memory_type": "",
}


class EraseWriter(QuoteWriter):
    """Erasing, inside a write that holds every partition concerned."""

    def erase(self, erasing: Erasing) -> dict[str, int]:
        """Takes the content of all of it out of this database's tables; returns how many rows of each table that was."""
        self._counts = {}
        gone = [ref for ref in erasing.evidence if ref not in erasing.rests]
        self._stones(erasing.events)
        self._derived([*erasing.facts, *erasing.evidence], erasing)
        self._facts(erasing.facts)
        for item in erasing.reworded.values():
            self._reworded(item, erasing.evidence)
        self._candidates(erasing.candidates)
        self._blank(evidence, evidence.c.evidence_id, gone, {**_EVIDENCE, "hidden_at": self.recorded_at})
        for piece in erasing.rests.values():
            self._rest(piece)
        self._events(erasing)
        refs = [*erasing.facts, *erasing.evidence, *erasing.candidates, *erasing.events]
        self._blank(audit_log, audit_log.c.ref, refs, {"salt": None}, audit_log.c.salt.is_not(None))
        self._unquote(erasing)
        self._remove_unreferenced(erasing, gone)
        return {name: count for name, count in sorted(self._counts.items()) if count}

    # -- statements by id --------------------------------------------------------------------------------------------

    def _blank(
        self, table: Table, column: Column[Any], ids: Iterable[UUID], values: Values, *extra: Any, count: bool = True
    ) -> None:
        for some in slices(dict.fromkeys(ids)):
            where = [table.c.tenant_id == self.reader.tenant, column.in_(some), *extra]
            done = self._connection.execute(update(table).where(*where).values(values))
            if count:
                self._count(table, done.rowcount)

    def _delete(self, table: Table, column: Column[Any], ids: Iterable[UUID], *extra: Any, count: bool = True) -> None:
        for some in slices(dict.fromkeys(ids)):
            done = self._connection.execute(
                delete(table).where(table.c.tenant_id == self.reader.tenant, column.in_(some), *extra)
            )
            if count:
                self._count(table, done.rowcount)

    def _named(self, column: Column[Any], ids: Sequence[UUID], *extra: Any) -> set[UUID]:
        """Those of the ids that a column of some table still names."""
        found: set[UUID] = set()
        for some in slices(ids):
            statement = select(column).where(column.table.c.tenant_id == self.reader.tenant, column.in_(some), *extra)
            found |= set(self._connection.scalars(statement))
        return found

    # -- one kind of row each ---------------------------------------------------------------------------------------

    def _stones(self, events: Sequence[UUID]) -> None:
        """A tombstone for each idempotency key, as a digest: a retry is answered 'erased' and re-creates nothing."""
        columns = event.c
        stones = []
        for some in slices(events):
            statement = select(event).where(columns.tenant_id == self.reader.tenant, columns.event_id.in_(some))
            for row in self._connection.execute(statement.where(columns.idempotency_key.is_not(None))):
                stones.append(
                    {
                        "tenant_id": self.reader.tenant,
                        "tombstone_id": self._new_id(),
                        "kind": "key",
                        "ref": row.event_id,
                        "mode": "erase",
                        "user_id": row.user_id,
                        "idempotency_key": self._slots.idempotency(row.source, row.idempotency_key),
                        "forgotten_at": self.recorded_at,
                        "forgotten_by": GONE,
                    }
                )
        self._write(tombstone.insert(), stones)

    def _derived(self, refs: Sequence[UUID], erasing: Erasing) -> None:
        """Exact keys, index entries, segments. An emptied entry keeps its place, so that entries stay numbered without a
        gap; a process that holds it sees it change and reads the partition anew."""
        self._delete(identifier, identifier.c.ref, refs)
        for key, row in self._locked.items():
            here = and_(index_item.c.tenant_id == key.tenant, index_item.c.partition_id == row.partition_id)
            emptied = {**_ENTRY, "hidden_at": micros(self.recorded_at), "touched": row.version + 1}
            for some in slices(dict.fromkeys([*refs, *erasing.candidates])):
                done = self._connection.execute(
                    update(index_item).where(here, index_item.c.ref.in_(some)).values(emptied)
                )
                self._count(index_item, done.rowcount)
            for ref, kept in erasing.reworded.items():
                older = index_item.c.revision < kept.revision
                done = self._connection.execute(
                    update(index_item).where(here, index_item.c.ref == ref, older).values(emptied)
                )
                self._count(index_item, done.rowcount)
            segments = index_segment.c
            done = self._connection.execute(
                delete(index_segment).where(segments.tenant_id == key.tenant, segments.partition_id == row.partition_id)
            )
            self._count(index_segment, done.rowcount)
            self._connection.execute(
                update(partition)
                .where(partition.c.tenant_id == key.tenant, partition.c.partition_id == row.partition_id)
                .values(segment_version=0)
            )

    def _facts(self, facts: Sequence[UUID]) -> None:
        """Facts in every version, their statements, links, rules and conflicts."""
        self._delete(fact_statement, fact_statement.c.fact_id, facts)
        self._delete(fact_evidence, fact_evidence.c.fact_id, facts)
        self._delete(fact_dependency, fact_dependency.c.fact_id, facts)
        for column in (conflict.c.fact_id, conflict.c.other_id):
            self._delete(conflict, column, facts)
        for table in (fact_revision, fact):
            self._blank(table, table.c.fact_id, facts, {**_FACT, "hidden_at": self.recorded_at})

    def _reworded(self, item: Fact, pieces: Sequence[UUID]) -> None:
        """A fact that also stands on other ground: every version in that ground's words, none in those that went."""
        self._delete(fact_statement, fact_statement.c.evidence_id, pieces, fact_statement.c.fact_id == item.fact_id)
        seal = self._sealing(item.placement)
        words = {
            "content": seal.text(item.content),
            "object_value": seal.text(item.value),
            **dict.fromkeys(("reason", "metadata", "trace_id")),
        }
        for table in (fact_revision, fact):
            self._blank(table, table.c.fact_id, [item.fact_id], words)

    def _candidates(self, ids: Sequence[UUID]) -> None:
        self._delete(decision, decision.c.candidate_id, ids)
        self._delete(candidate_evidence, candidate_evidence.c.candidate_id, ids)
        self._delete(candidate, candidate.c.candidate_id, ids)

    def _rest(self, piece: Evidence) -> None:
        """A piece with the words that remain of it. Its entry has no vector until it is embedded anew, and the places that
        quotes had in it are no longer known."""
        seal = self._sealing(piece.placement)
        words = {"content": seal.text(piece.content), "locator": None, "metadata": None}
        self._blank(evidence, evidence.c.evidence_id, [piece.evidence_id], words)
        analysis = analyse(piece.content)
        for key, row in self._locked.items():
            sealed = Sealing(self._sealer, key)
            self._connection.execute(
                update(index_item)
                .where(index_item.c.tenant_id == key.tenant, index_item.c.partition_id == row.partition_id)
                .where(index_item.c.ref == piece.evidence_id)
                .values(
                    tokens=sealed._seal_bytes(analysis.tokens),
                    tail=sealed._seal_bytes(analysis.tail),
                    asks=analysis.asks,
                    speaker=sealed.text(piece.speaker),
                    session_id=piece.session,
                    occurred_at=micros(None if piece.occurred is None else piece.occurred.at),
                    hidden_at=None,
                    touched=row.version + 1,
                )
            )
        links = candidate_evidence.c
        resting = select(links.candidate_id).where(
            links.tenant_id == self.reader.tenant, links.evidence_id == piece.evidence_id
        )
        ids = list(self._connection.scalars(resting))
        self._blank(candidate, candidate.c.candidate_id, ids, {"quote_start": None, "quote_end": None}, count=False)

    def _events(self, erasing: Erasing) -> None:
        whole = [ref for ref in erasing.events if ref not in erasing.partial]
        processed = event_processing.c
        empty = {"receipt": None, "error": None, "answers": None}
        self._blank(event_processing, processed.event_id, whole, {**empty, "state": "ERASED"})
        self._blank(event_processing, processed.event_id, erasing.partial, empty)
        self._blank(event, event.c.event_id, whole, _EVENT)
        self._blank(event, event.c.event_id, erasing.partial, _PARTLY)

    def _remove_unreferenced(self, erasing: Erasing, gone: Sequence[UUID]) -> None:
        """Removes the emptied rows that nothing refers to any more. They were counted when they were emptied."""
        facts = list(erasing.facts)
        links = fact_dependency.c
        kept = self._named(links.root_fact_id, facts) | self._named(fact.c.supersedes_id, facts, fact.c.content != "")
        loose = [ref for ref in facts if ref not in kept]
        self._delete(fact_revision, fact_revision.c.fact_id, loose, count=False)
        self._delete(fact, fact.c.fact_id, loose, count=False)
        self._delete(
            fact_revision, fact_revision.c.fact_id, kept, fact_revision.c.retracted_at.is_not(None), count=False
        )
        referring = (candidate_evidence.c.evidence_id, fact_evidence.c.evidence_id, fact_statement.c.evidence_id)
        kept = set().union(
            *(self._named(column, gone) for column in (*referring, links.root_evidence_id, links.evidence_id))
        )
        self._delete(evidence, evidence.c.evidence_id, [ref for ref in gone if ref not in kept], count=False)
        whole = [ref for ref in erasing.events if ref not in erasing.partial]
        kept = self._named(evidence.c.event_id, whole) | self._named(candidate.c.event_id, whole)
        loose = [ref for ref in whole if ref not in kept]
        self._delete(event_processing, event_processing.c.event_id, loose, count=False)
        self._delete(event, event.c.event_id, loose, count=False)

    def retire_keys(self, keys: Iterable[PartitionKey]) -> list[PartitionKey]:
        """Destroys the keys that the partitions' content was sealed under, and makes new ones for what follows; those that
        had one."""
        retired = [key for key in keys if self._sealer.retire(self._connection, key, now=self.recorded_at)]
        self._sealer.prepare(
            self._connection, [key for key in retired if key in self._locked], new_id=self._new_id, now=self.recorded_at
        )
        return retired
