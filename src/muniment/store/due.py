"""What is due: hidden long enough, ended long enough, old enough and grounding nothing. Ids and counts, never content.

A memory that is nobody's own (a tenant's, a department's) counts as due of whoever told it: their evidence goes with it.

Belongs here: those reads, for a whole store and for one user under its locks, and the hint EXPIRED. Does not belong here:
erasing and archiving (ingestion/purging.py, service/lifecycle.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, exists, func, not_, or_, select, update

from muniment.domain.enums import ActorType, CandidateStatus, Eligibility, FactStatus, OwnerType, Scope
from muniment.domain.observation import RESERVED
from muniment.domain.scope import PartitionKey
from muniment.ports.lifecycle import Due, DueOf, Past
from muniment.store.dialects.base import Database
from muniment.store.read_base import slices
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, evidence
from muniment.store.tables.facts import fact, fact_dependency, fact_evidence, fact_revision, fact_statement
from muniment.store.tables.shelves import index_item, partition
from muniment.store.write_select import SelectionReader

SLICE: Final = 500
"""Heads that one transaction moves."""
TELLING: Final = (f"{RESERVED}statement", f"{RESERVED}proposal")
"""Acts whose words are the ground of a memory, as a turn is. The words of any other act are no raw evidence: they say what
was done, and a replay does it again."""
_SCOPED: Final = (Scope.SESSION.value, Scope.TASK.value)
_OPEN: Final = (CandidateStatus.NEEDS_CONFIRMATION.value, CandidateStatus.PENDING.value)

Where = Sequence[ColumnElement[bool]]


class DueReads:
    """Mixed into `SqlStore`."""

    database: Database
    embedder_id: str

    def due(self, wanted: Past) -> list[DueOf]:
        """How much is due of whom, in every tenant."""
        facts: Counter[tuple[str, str]] = Counter()
        pieces: Counter[tuple[str, str]] = Counter()
        with self.database.reading() as connection:
            for statement, found in ((_facts(wanted), facts), (_pieces(wanted), pieces)):
                if statement is not None:
                    found.update((row.tenant_id, row.whose) for row in connection.execute(statement) if row.whose)
        homes = sorted(facts.keys() | pieces.keys())
        return [DueOf(tenant=key[0], user=key[1], facts=facts[key], evidence=pieces[key]) for key in homes]

    def expired(self, at: datetime) -> int:
        """How many heads of facts past `expires_at` do not say so yet."""
        with self.database.reading() as connection:
            return connection.scalar(select(func.count()).select_from(fact).where(_outlived(at))) or 0

    def expire(self, at: datetime) -> int:
        """Gives heads past `expires_at` the hint EXPIRED, a slice a transaction; how many. One renewed meanwhile stays."""
        columns, moved = fact.c, 0
        order = (columns.tenant_id, columns.fact_id)
        while True:
            with self.database.writing() as connection:
                rows = connection.execute(select(*order).where(_outlived(at)).order_by(*order).limit(SLICE)).all()
                for tenant in sorted({row.tenant_id for row in rows}):
                    ids = [row.fact_id for row in rows if row.tenant_id == tenant]
                    done = connection.execute(
                        update(fact)
                        .where(columns.tenant_id == tenant, columns.fact_id.in_(ids), _outlived(at))
                        .values(status=FactStatus.EXPIRED.value)
                    )
                    moved += max(0, done.rowcount)
            if len(rows) < SLICE:
                return moved

    def unembedded(self) -> list[PartitionKey]:
        """Partitions with entries whose vector is not of this store's embedder."""
        foreign = and_(index_item.c.model_id != self.embedder_id, index_item.c.hidden_at.is_(None))
        return self._partitions_with(_within(foreign).distinct())

    def unpacked(self, least: int) -> list[PartitionKey]:
        """Partitions of whose entries at least so many are in no packed segment."""
        loose = _within(index_item.c.touched > partition.c.segment_version)
        columns = (partition.c.tenant_id, partition.c.kind, partition.c.target)
        return self._partitions_with(loose.group_by(*columns).having(func.count() >= least))

    def _partitions_with(self, statement: Select[Any]) -> list[PartitionKey]:
        with self.database.reading() as connection:
            return sorted(
                PartitionKey(tenant=row.tenant_id, kind=OwnerType(row.kind), target=row.target)
                for row in connection.execute(statement)
            )


class DueReader(SelectionReader):
    """Mixed into the write unit."""

    def due(self, wanted: Past, *, limit: int) -> Due:
        """What is due of the reader's user, at most so many facts and so many pieces, the oldest first."""
        tenant, user = self.reader.tenant, self.reader.user
        facts, pieces = _facts(wanted), _pieces(wanted)
        found = [] if facts is None else self._of(facts, fact.c.tenant_id == tenant, _whose() == user, limit=limit)
        told = (
            [] if pieces is None else self._of(pieces, evidence.c.tenant_id == tenant, _teller() == user, limit=limit)
        )
        partly = self._partly(told) if wanted.kind == "hidden" else frozenset()
        return Due(facts=tuple(found), evidence=tuple(told), partly=partly)

    def _of(self, statement: Select[Any], *mine: ColumnElement[bool], limit: int) -> list[UUID]:
        return [row.ref for row in self._connection.execute(statement.where(*mine).order_by("ref").limit(limit))]

    def _partly(self, pieces: Sequence[UUID]) -> frozenset[UUID]:
        """Facts told in the pieces that are shown, of which earlier versions are hidden."""
        told, versions = fact_statement.c, fact_revision.c
        found: set[UUID] = set()
        for some in slices(pieces):
            statement = (
                select(versions.fact_id)
                .distinct()
                .join(fact_statement, _same(fact_statement, fact_revision, "fact_id"))
                .join(fact, _same(fact, fact_revision, "fact_id"))
                .where(versions.tenant_id == self.reader.tenant, told.evidence_id.in_(some))
                .where(versions.hidden_at.is_not(None), fact.c.hidden_at.is_(None))
            )
            found |= set(self._connection.scalars(statement))
        return frozenset(found)


def _same(one: Any, other: Any, column: str) -> ColumnElement[bool]:
    """Rows of two tables that are of one tenant and one id."""
    return and_(one.c.tenant_id == other.c.tenant_id, one.c[column] == other.c[column])


def _within(wanted: ColumnElement[bool]) -> Select[Any]:
    columns = partition.c
    return (
        select(columns.tenant_id, columns.kind, columns.target)
        .join(index_item, _same(index_item, partition, "partition_id"))
        .where(wanted)
    )


def _outlived(at: datetime) -> ColumnElement[bool]:
    columns = fact.c
    return and_(columns.status == FactStatus.ACTIVE.value, columns.expires_at <= at, columns.hidden_at.is_(None))


# -- whose -----------------------------------------------------------------------------------------------------------


def _whose() -> ColumnElement[str]:
    """The user a fact names; for what is nobody's own, the first by name of those who told it."""
    tellers = (
        select(func.min(evidence.c.user_id))
        .join(fact_evidence, _same(fact_evidence, evidence, "evidence_id"))
        .where(fact_evidence.c.tenant_id == fact.c.tenant_id, fact_evidence.c.fact_id == fact.c.fact_id)
        .correlate(fact)
        .scalar_subquery()
    )
    return func.coalesce(fact.c.user_id, tellers)


def _teller() -> ColumnElement[str]:
    return evidence.c.user_id


# -- facts -----------------------------------------------------------------------------------------------------------


def _facts(wanted: Past) -> Select[Any] | None:
    """Facts of a kind that are due, each with whose it is; None for a kind that names no facts."""
    columns = fact.c
    statement = select(columns.tenant_id, columns.fact_id.label("ref"), _whose().label("whose"))
    # What was erased keeps its row where others name it.
    statement = statement.where(columns.content != "")
    if wanted.kind == "hidden":
        return statement.where(columns.hidden_at <= wanted.before)
    if wanted.kind == "scoped":
        return statement.where(columns.scope.in_(_SCOPED), columns.hidden_at.is_(None), *_quiet_since(wanted.before))
    return None


def _quiet_since(before: datetime) -> Where:
    """Of a fact: told by then at the latest, and no version of it holds later where it has an end."""
    told, versions = fact_statement, fact_revision
    later = exists().where(_same(told, fact, "fact_id"), told.c.recorded_at > before)
    runs = exists().where(
        _same(versions, fact, "fact_id"), versions.c.retracted_at.is_(None), versions.c.valid_until > before
    )
    return (~later.correlate(fact), ~runs.correlate(fact))


# -- evidence --------------------------------------------------------------------------------------------------------


def _pieces(wanted: Past) -> Select[Any] | None:
    """Evidence of a kind that is due, each piece with who told it; None for a kind that names none."""
    columns = evidence.c
    statement = select(columns.tenant_id, columns.evidence_id.label("ref"), _teller().label("whose"))
    statement = statement.where(columns.content != "")
    if wanted.kind == "hidden":
        return statement.where(columns.hidden_at <= wanted.before)
    if wanted.kind == "scoped":
        return None
    statement = statement.where(columns.recorded_at <= wanted.before)
    if wanted.kind == "evidence":
        return statement.join(event, _same(event, evidence, "event_id")).where(*_groundless(wanted.at))
    return statement.where(*_over(wanted.at))


def _believed(at: datetime) -> ColumnElement[bool]:
    """A version that is believed at an instant; the stored status is trusted for INVALIDATED alone, which no time changes."""
    columns = fact_revision.c
    return and_(
        *(columns.retracted_at.is_(None), columns.hidden_at.is_(None), columns.standing.is_not(None)),
        columns.status != FactStatus.INVALIDATED.value,
        or_(columns.expires_at.is_(None), columns.expires_at > at),
    )


def _grounding(links: Any, column: Any, *versions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a table's rows tie the piece to a fact with such a version. Every telling links its fact to its evidence, so
    that statements need not be looked through."""
    tied = select(links.c.fact_id).join(fact_revision, _same(fact_revision, links, "fact_id"))
    tied = tied.where(links.c.tenant_id == evidence.c.tenant_id, column == evidence.c.evidence_id, *versions)
    return tied.correlate(evidence).exists()


def _groundless(at: datetime) -> Where:
    """Of a piece: no fact that is believed stands on it, no question about it is open, and it is no act's own words."""
    believed, links = _believed(at), fact_dependency.c
    # The words of a rule are few, and no index finds them by evidence.
    named = links.evidence_id.is_not(None)
    begins = and_(event.c.event_type >= RESERVED, event.c.event_type < RESERVED[:-1] + "/")
    asked = (
        select(candidate.c.candidate_id)
        .join(candidate_evidence, _same(candidate_evidence, candidate, "candidate_id"))
        .where(candidate.c.tenant_id == evidence.c.tenant_id, candidate.c.status.in_(_OPEN))
        .where(candidate_evidence.c.evidence_id == evidence.c.evidence_id)
        .correlate(evidence)
        .exists()
    )
    # What was stated on other evidence stands on the statement too: without it a replay would not make the fact.
    stated = (
        select(decision.c.decision_id)
        .join(candidate, _same(candidate, decision, "candidate_id"))
        .join(fact_revision, _same(fact_revision, decision, "fact_id"))
        .where(candidate.c.tenant_id == evidence.c.tenant_id, candidate.c.event_id == evidence.c.event_id, believed)
        .correlate(evidence)
        .exists()
    )
    return (
        ~_grounding(fact_evidence, fact_evidence.c.evidence_id, believed),
        ~_grounding(fact_dependency, links.root_evidence_id, links.retracted_at.is_(None), believed),
        evidence.c.evidence_id.not_in(select(links.evidence_id).where(links.retracted_at.is_(None), named)),
        ~asked,
        or_(not_(begins), and_(event.c.event_type.in_(TELLING), ~stated)),
        not_(and_(begins, evidence.c.actor_type == ActorType.SYSTEM.value)),
    )


def _over(at: datetime) -> Where:
    """Of a piece that is offered: it told some fact, and no version of any is believed and runs. What ran to the end it was
    told with is past, not over."""
    columns = fact_revision.c
    runs = and_(
        _believed(at),
        or_(columns.valid_until.is_(None), columns.valid_until > at, columns.valid_until == columns.stated_until),
    )
    return (
        evidence.c.hidden_at.is_(None),
        evidence.c.eligibility == Eligibility.ELIGIBLE.value,
        _grounding(fact_evidence, fact_evidence.c.evidence_id),
        ~_grounding(fact_evidence, fact_evidence.c.evidence_id, runs),
    )
