"""Tombstones, holds, erasures on record, fences: what forgetting writes beside the memories themselves.

Belongs here: those writes, and hiding where it is more than one fact. Does not belong here: taking content out
(`write_erase`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import and_, insert, update

from muniment.domain.enums import CandidateStatus
from muniment.domain.forgotten import Erasure, Hold, Mode
from muniment.domain.time import micros
from muniment.ports.forgetting import Stone
from muniment.store.read_base import slices
from muniment.store.tables.chain import candidate
from muniment.store.tables.facts import fact, fact_revision, fact_statement
from muniment.store.tables.keeping import erasure, hold, tombstone
from muniment.store.tables.shelves import index_item, lane, partition
from muniment.store.write_erase import EraseWriter

REASON_LENGTH = 256


class KeepingWriter(EraseWriter):
    """What is kept of forgetting."""

    def bury(self, stones: Sequence[Stone], *, mode: Mode, actor: str, reason: str) -> None:
        """Writes tombstones."""
        self._write(
            insert(tombstone),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "tombstone_id": self._new_id(),
                    "kind": item.kind,
                    "ref": item.ref,
                    "mode": mode,
                    "user_id": item.user,
                    "forgotten_at": self.recorded_at,
                    "forgotten_by": actor,
                    "reason": reason[:REASON_LENGTH],
                }
                for item in stones
            ],
        )

    def close_candidates(self, ids: Iterable[UUID], *, reason: str) -> int:
        """Takes candidates out of the review queue; how many were in it."""
        closed = 0
        columns = candidate.c
        waiting = [CandidateStatus.NEEDS_CONFIRMATION.value, CandidateStatus.PENDING.value]
        said = self._sealer.seal(self._home, reason)
        for some in slices(dict.fromkeys(ids)):
            done = self._connection.execute(
                update(candidate)
                .where(columns.tenant_id == self.reader.tenant, columns.candidate_id.in_(some))
                .where(columns.status.in_(waiting))
                .values(status=CandidateStatus.REJECTED.value, governance_reason=said, updated_at=self.recorded_at)
            )
            closed += max(0, done.rowcount)
        return closed

    def conceal(self, fact_ids: Iterable[UUID]) -> None:
        """Hides facts and withdraws their statements, where whole timelines go and nothing is left of them to fold."""
        for some in slices(fact_ids):
            for table in (fact, fact_revision):
                self._connection.execute(
                    update(table)
                    .where(table.c.tenant_id == self.reader.tenant, table.c.fact_id.in_(some))
                    .values(hidden_at=self.recorded_at)
                )
            told = fact_statement.c
            self._connection.execute(
                update(fact_statement)
                .where(told.tenant_id == self.reader.tenant, told.fact_id.in_(some), told.withdrawn_at.is_(None))
                .values(withdrawn_at=self.recorded_at)
            )
            self.drop_identifiers(some)
            self._touch(some, {"hidden_at": micros(self.recorded_at)})

    def hide_versions(self, fact_id: UUID, *, before: int) -> None:
        """Hides the earlier versions of a fact that stays, with their entries."""
        columns = fact_revision.c
        self._connection.execute(
            update(fact_revision)
            .where(columns.tenant_id == self.reader.tenant, columns.fact_id == fact_id, columns.revision < before)
            .values(hidden_at=self.recorded_at)
        )
        self._touch([fact_id], {"hidden_at": micros(self.recorded_at)}, index_item.c.revision < before)

    def unembed(self, refs: Iterable[UUID]) -> None:
        """Marks entries as having no vector of this store's embedder, for whoever embeds next."""
        self._touch(refs, {"model_id": ""})

    def raise_epochs(self, lanes: Iterable[str]) -> None:
        """Raises the fence of the locked partitions and of lanes: work begun before must look again before it writes."""
        for key, row in self._locked.items():
            self._connection.execute(
                update(partition)
                .where(partition.c.tenant_id == key.tenant, partition.c.partition_id == row.partition_id)
                .values(epoch=partition.c.epoch + 1)
            )
        for some in slices(sorted(lanes)):
            self._connection.execute(
                update(lane)
                .where(and_(lane.c.tenant_id == self.reader.tenant, lane.c.lane_key.in_(some)))
                .values(epoch=lane.c.epoch + 1)
            )

    def add_hold(self, item: Hold) -> None:
        """Sets a legal hold."""
        self._write(
            insert(hold),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "hold_id": item.hold_id,
                    "user_id": item.user,
                    "reason": item.reason or "",
                    "set_by": item.set_by,
                    "set_at": item.set_at,
                    "until": item.until,
                }
            ],
        )

    def release_hold(self, hold_id: UUID) -> None:
        """Ends a hold; it stays on record."""
        self._connection.execute(
            update(hold)
            .where(hold.c.tenant_id == self.reader.tenant, hold.c.hold_id == hold_id, hold.c.released_at.is_(None))
            .values(released_at=self.recorded_at)
        )

    def add_erasure(self, item: Erasure) -> None:
        """Puts an erasure on record. It holds no content, so it is not sealed: no key's destruction may take it along."""
        self._write(
            insert(erasure),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "erasure_id": item.erasure_id,
                    "selector": json.dumps(dict(item.selector), ensure_ascii=False),
                    "status": item.status,
                    "requested_by": item.requested_by,
                    "requested_at": item.requested_at,
                    "report": json.dumps(dict(item.counts)),
                }
            ],
        )
