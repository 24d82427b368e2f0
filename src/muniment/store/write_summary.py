"""Summaries: their versions, and taking out what a forget reaches.

Belongs here: the writes of `summary` and of its index entries' end. Does not belong here: what a summary says (models/,
service/).
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Final
from uuid import UUID

from sqlalchemy import delete, insert, or_, select, update

from muniment.domain.enums import Scope
from muniment.domain.errors import StoreError
from muniment.domain.summaries import FIELDS, Summary
from muniment.domain.time import micros
from muniment.store.read_base import slices
from muniment.store.read_summary import summary_of
from muniment.store.rows import AnyRow, Values
from muniment.store.scoping import placement_values
from muniment.store.tables.chain import evidence
from muniment.store.tables.keeping import audit_log
from muniment.store.tables.shelves import index_item, summary
from muniment.store.write_base import WriteBase

_EMPTY: Final[Values] = {
    **dict.fromkeys(("tokens", "tail", "vectors"), b""),
    **dict.fromkeys(("session_id", "task_id", "occurred_at")),
    "model_id": "",
}


class SummaryWriter(WriteBase):
    """Writes of summaries."""

    def add_summary(self, item: Summary) -> Summary:
        """Writes a version and retires the one before it, with its index entries; returns it as recorded."""
        recorded = replace(item, recorded_at=self.recorded_at, retracted_at=None)
        self.retire_summary(item.summary_id)
        said = {
            "fields": {
                name: [[line.text, [ref.hex for ref in line.rests_on]] for line in getattr(item, name)]
                for name in FIELDS
            },
            "made_from": item.made_from,
            "through": None if item.through is None else item.through.isoformat(),
        }
        self._write(
            insert(summary),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "summary_id": item.summary_id,
                    "version": item.version,
                    **placement_values(item.placement),
                    "content": self._sealing(item.placement).text(json.dumps(said, ensure_ascii=False)),
                    "covers_from": item.covers_from,
                    "covers_until": item.covers_until,
                    "derived_by": item.derived_by[:128],
                    "recorded_at": self.recorded_at,
                }
            ],
        )
        return recorded

    def retire_summary(self, summary_id: UUID) -> None:
        """Ends the current version without another one."""
        columns = summary.c
        self._connection.execute(
            update(summary)
            .where(columns.tenant_id == self.reader.tenant, columns.summary_id == summary_id)
            .where(columns.retracted_at.is_(None))
            .values(retracted_at=self.recorded_at)
        )
        self._touch([summary_id], {"retracted_at": micros(self.recorded_at)}, index_item.c.retracted_at.is_(None))

    def drop_summaries(self, users: Collection[str] | None, refs: Collection[UUID] | None = None) -> int:
        """Removes the summaries that may say anything of what goes, in every version; they are made anew from what stays.

        Those are the summaries of sessions that a piece among `refs` was said in, all of a user or task, and whatever names
        one of `refs`. Without `refs`, all of the users (None: of the tenant).
        """
        columns = summary.c
        where = [columns.tenant_id == self.reader.tenant]
        tellers, sessions = self._said_by(refs or ())
        if users is not None:
            where.append(columns.user_id.in_(sorted({*users, *tellers})))
        rows = self._connection.execute(select(summary).where(*where)).all()
        reached = {row.summary_id for row in rows if refs is None or self._reaches(row, set(refs), sessions)}
        self._touch(reached, {**_EMPTY, "hidden_at": micros(self.recorded_at)})
        gone = 0
        for some in slices(reached):
            done = self._connection.execute(delete(summary).where(*where, columns.summary_id.in_(some)))
            gone += max(0, done.rowcount)
            # What the audit log holds of their content shall not be guessed from.
            self._connection.execute(
                update(audit_log)
                .where(audit_log.c.tenant_id == self.reader.tenant, audit_log.c.ref.in_(some))
                .values(salt=None)
            )
        return gone

    def _said_by(self, refs: Collection[UUID]) -> tuple[set[str], set[tuple[str, str]]]:
        """Who said the pieces among some ids, and in which of their sessions."""
        columns = evidence.c
        tellers: set[str] = set()
        sessions: set[tuple[str, str]] = set()
        for some in slices(dict.fromkeys(refs)):
            statement = (
                select(columns.user_id, columns.session_id)
                .distinct()
                .where(columns.tenant_id == self.reader.tenant, columns.evidence_id.in_(some))
                .where(or_(columns.user_id.is_not(None), columns.session_id.is_not(None)))
            )
            for row in self._connection.execute(statement):
                tellers.add(row.user_id)
                sessions.add((row.user_id, row.session_id))
        return tellers - {None}, sessions

    def _reaches(self, row: AnyRow, refs: Collection[UUID], sessions: Collection[tuple[str, str]]) -> bool:
        """Whether a version may say something of what goes. One that does not open says who knows what."""
        if row.scope != Scope.SESSION.value or (row.user_id, row.session_id) in sessions:
            return True
        try:
            return not summary_of(self._map, row).rests_on.isdisjoint(refs)
        except (StoreError, ValueError, KeyError):
            return True
