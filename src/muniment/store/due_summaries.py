"""Which summaries are due, found in the whole store without a word of anything.

Belongs here: those statements. Does not belong here: what is then made (service/summaries.py).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, exists, func, select

from muniment.domain.enums import ActorType, Eligibility, EvidenceType, OwnerType, Scope
from muniment.ports.summaries import Home, Quiet
from muniment.store.dialects.base import Database
from muniment.store.tables.chain import evidence
from muniment.store.tables.shelves import partition, summary


class DueSummaries:
    """Mixed into `SqlStore`."""

    database: Database

    def quiet_sessions(self, before: datetime) -> list[Quiet]:
        """Sessions whose last word was recorded by then, and that no summary covers up to it."""
        columns = evidence.c
        last = (
            select(columns.tenant_id, columns.user_id, columns.session_id, func.max(columns.recorded_at).label("last"))
            .where(columns.session_id.is_not(None), columns.user_id.is_not(None), columns.hidden_at.is_(None))
            .where(columns.eligibility == Eligibility.ELIGIBLE.value, columns.content != "")
            .where(columns.evidence_type == EvidenceType.CONVERSATION.value)
            .where(columns.actor_type.in_([ActorType.USER.value, ActorType.AGENT.value]))
            .group_by(columns.tenant_id, columns.user_id, columns.session_id)
            .having(func.max(columns.recorded_at) <= before)
            .subquery()
        )
        covered = exists().where(
            summary.c.tenant_id == last.c.tenant_id,
            summary.c.user_id == last.c.user_id,
            summary.c.session_id == last.c.session_id,
            summary.c.scope == Scope.SESSION.value,
            summary.c.retracted_at.is_(None),
            summary.c.recorded_at >= last.c.last,
        )
        statement = select(last).where(~covered).order_by(last.c.tenant_id, last.c.user_id, last.c.last)
        with self.database.reading() as connection:
            return [
                Quiet(tenant=row.tenant_id, user=row.user_id, session=row.session_id)
                for row in connection.execute(statement)
            ]

    def summarised_homes(self) -> list[Home]:
        """Users with summaries whose memory was written to after the last of them."""
        columns = summary.c
        written = and_(
            partition.c.tenant_id == columns.tenant_id,
            partition.c.kind == OwnerType.USER.value,
            partition.c.target == columns.user_id,
        )
        statement = (
            select(columns.tenant_id, columns.user_id)
            .join(partition, written)
            .where(columns.retracted_at.is_(None))
            .group_by(columns.tenant_id, columns.user_id, partition.c.last_recorded_at)
            .having(partition.c.last_recorded_at > func.max(columns.recorded_at))
            .order_by(columns.tenant_id, columns.user_id)
        )
        with self.database.reading() as connection:
            return [Home(tenant=row.tenant_id, user=row.user_id) for row in connection.execute(statement)]
