"""What was received and how far it is understood: the events that wait, those that were given up, and what models were asked.

Belongs here: reads of `event_processing`. Does not belong here: the receipts it keeps for keys (`read_keys`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, and_, func, or_, select

from muniment.domain.scope import Reader
from muniment.domain.usage import Usage
from muniment.ports.store import Work
from muniment.store.read_base import ReadBase
from muniment.store.rows import AnyRow
from muniment.store.tables.chain import event, event_processing

WAITING: Final = ("RECEIVED", "FAILED", "PARKED")
"""States of an event that is not understood: new, to be tried again, given up until somebody asks for it."""


class WorkReader(ReadBase):
    """Reads of how far events are understood."""

    def pending(self, *, events: Iterable[UUID] | None = None, parked: bool = False, limit: int = 1000) -> list[UUID]:
        """Events of the reader's user that were received and not yet understood, in lane order: those that are to be tried now,
        with `parked` also those that were given up, or those of `events` whatever their turn is."""
        columns = event_processing.c
        statement = _own(select(event.c.event_id), self.reader).order_by(event.c.lane_key, event.c.seq).limit(limit)
        if events is not None:
            statement = statement.where(event.c.event_id.in_(list(events)), columns.state.in_(WAITING))
        elif parked:
            statement = statement.where(columns.state.in_(WAITING))
        else:
            due = or_(columns.retry_at.is_(None), columns.retry_at <= self.now)
            statement = statement.where(or_(columns.state == "RECEIVED", and_(columns.state == "FAILED", due)))
        return list(self._connection.scalars(statement))

    def work(self, event_id: UUID) -> Work | None:
        """How far one event is understood; None for one that is not there."""
        columns = event_processing.c
        row = self._connection.execute(
            select(event_processing).where(columns.tenant_id == self.reader.tenant, columns.event_id == event_id)
        ).first()
        return None if row is None else self._work(row)

    def unread(self, limit: int, *, failed: bool = False) -> list[Work]:
        """Events of the reader's user that were given up, and those of whose answers a part could not be used; with `failed` also
        those that are to be tried again."""
        columns = event_processing.c
        states = ["PARKED", "FAILED"] if failed else ["PARKED"]
        wanted = or_(columns.state.in_(states), and_(columns.state == "DONE", columns.error.is_not(None)))
        statement = _own(select(event_processing), self.reader).where(wanted).order_by(event.c.lane_key, event.c.seq)
        return [self._work(row) for row in self._connection.execute(statement.limit(limit))]

    def _work(self, row: AnyRow) -> Work:
        return Work(
            event_id=row.event_id,
            state=row.state,
            attempts=row.attempts,
            answers=self._map.maybe(row, "answers"),
            error=row.error,
            usage=Usage(calls=row.calls, tokens_in=row.tokens_in, tokens_out=row.tokens_out),
        )

    def progress(self) -> tuple[Mapping[str, int], Usage]:
        """How many events of the reader's user are in which state ('UNREAD': done, with a part of an answer that could not be
        used), and what models were asked about them in all."""
        columns = event_processing.c
        sums = [func.coalesce(func.sum(column), 0) for column in (columns.calls, columns.tokens_in, columns.tokens_out)]
        statement = _own(select(columns.state, func.count(), func.count(columns.error), *sums), self.reader)
        states: dict[str, int] = {}
        usage = Usage()
        for state, count, errors, calls, tokens_in, tokens_out in self._connection.execute(
            statement.group_by(columns.state)
        ):
            states[state] = count
            if state == "DONE" and errors:
                states["UNREAD"] = errors
            usage += Usage(calls=int(calls), tokens_in=int(tokens_in), tokens_out=int(tokens_out))
        return states, usage


def _own(statement: Select[Any], reader: Reader) -> Select[Any]:
    """The statement over events of the reader's user with how far they are understood."""
    joined = and_(event.c.tenant_id == event_processing.c.tenant_id, event.c.event_id == event_processing.c.event_id)
    return (
        statement.select_from(event)
        .join(event_processing, joined)
        .where(event.c.tenant_id == reader.tenant, event.c.user_id == reader.user)
    )
