"""Erasures on record, brought to an end in the database's own files; legal holds as read.

An erasure's rows are gone when its transaction commits. Its record then says PENDING until no byte of them is left in the
files that this database itself writes; whoever opens the store next finishes what was interrupted.

Belongs here: that. Does not belong here: the transaction (`write_erase`), how a database overwrites (`dialects/`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, exists, func, select, update

from muniment.domain.errors import StoreError
from muniment.domain.forgotten import Erasure, Hold
from muniment.domain.time import utc
from muniment.ports.forgetting import Scrubbed
from muniment.ports.models import Clock
from muniment.store.dialects.base import Database
from muniment.store.read_base import slices
from muniment.store.rows import AnyRow
from muniment.store.sealing import Sealer
from muniment.store.tables.facts import conflict, fact_revision, fact_statement
from muniment.store.tables.keeping import erasure, hold, subject_key
from muniment.store.tables.shelves import slot
from muniment.store.write_select import hold_of

PENDING, DONE = "PENDING", "DONE"
SEALED: Final = (
    "copies made earlier hold it sealed; a copy that also holds its key, as a backup of the whole database does, opens with "
    "the master key"
)
OPEN: Final = "copies made earlier (backups, replicas, exports) hold it as it was"
_LOG = logging.getLogger(__name__)


class ErasureStore:
    """Mixed into `SqlStore`."""

    database: Database
    clock: Clock
    _sealer: Sealer

    def erasures(self, tenant: str | None, *, status: str | None = None) -> list[Erasure]:
        """Erasures of a tenant (None: of all), oldest first."""
        columns = erasure.c
        statement = select(erasure).order_by(columns.requested_at, columns.erasure_id)
        if tenant is not None:
            statement = statement.where(columns.tenant_id == tenant)
        if status is not None:
            statement = statement.where(columns.status == status)
        with self.database.reading() as connection:
            return [_erasure(row) for row in connection.execute(statement)]

    def finish_erasures(self, *, seconds: float) -> Scrubbed:
        """Brings pending erasures to an end, waiting so long for other readers of the files; nothing where none is pending.

        Never raises for what it could not do: it says `done` false, and the record stays PENDING.
        """
        columns = erasure.c
        with self.database.reading() as connection:
            waiting = connection.execute(
                select(columns.tenant_id, columns.erasure_id).where(columns.status == PENDING)
            ).all()
            sealed = connection.scalar(select(func.count()).select_from(subject_key)) or 0
        note = SEALED if sealed else OPEN
        self._sealer.forget_retired()
        if not waiting:
            return Scrubbed(done=True, said=(note,))
        try:
            self._drop_slots(sorted({row.tenant_id for row in waiting}))
            found = self.database.scrub(seconds)
            if found.done:
                self._finished([row.erasure_id for row in waiting])
        except StoreError as error:
            _LOG.warning("an erasure waits to be finished: %s", error.code)
            found = Scrubbed(done=False, said=(f"bytes of it may be left in the database's files: {error}",))
        return Scrubbed(done=found.done, said=(*found.said, note))

    def _finished(self, ids: Sequence[UUID]) -> None:
        with self.database.writing() as connection:
            for some in slices(ids):
                connection.execute(
                    update(erasure)
                    .where(erasure.c.erasure_id.in_(some))
                    .values(status=DONE, finished_at=utc(self.clock()))
                )

    def _drop_slots(self, tenants: Sequence[str]) -> None:
        """Removes slots that nothing stands in: their ids are digests of what was said, which could be tried out."""
        for tenant in tenants:
            with self.database.writing() as connection:
                self._drop_of(connection, tenant)

    @staticmethod
    def _drop_of(connection: Connection, tenant: str) -> None:
        used = [
            exists().where(table.c.tenant_id == slot.c.tenant_id, table.c.slot_id == slot.c.slot_id)
            for table in (fact_revision, fact_statement, conflict)
        ]
        statement = select(slot.c.slot_id).where(slot.c.tenant_id == tenant, *(~item for item in used))
        for some in slices(list(connection.scalars(statement))):
            connection.execute(delete(slot).where(slot.c.tenant_id == tenant, slot.c.slot_id.in_(some)))

    def holds_of(self, tenant: str, *, user: str | None = None) -> list[Hold]:
        """Holds of a tenant, released ones too, oldest first."""
        statement = select(hold).where(hold.c.tenant_id == tenant).order_by(hold.c.set_at, hold.c.hold_id)
        if user is not None:
            statement = statement.where(hold.c.user_id == user)
        with self.database.reading() as connection:
            return [hold_of(row) for row in connection.execute(statement)]


def _erasure(row: AnyRow) -> Erasure:
    return Erasure(
        erasure_id=row.erasure_id,
        selector=json.loads(row.selector),
        status=row.status,
        requested_by=row.requested_by,
        requested_at=row.requested_at,
        finished_at=row.finished_at,
        counts=json.loads(row.report or "{}"),
    )
