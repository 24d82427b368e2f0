"""`ScopeSet` and `AsOf` as SQL.

Belongs here: the compilation of visibility and of the two time axes into WHERE clauses. Does not belong here: their
meaning (domain/scope.py, domain/time.py); a property proves the compilation equal to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, and_, false, or_

from muniment.domain.enums import Scope, Standing
from muniment.domain.scope import Clause, PartitionKey, Placement, ScopeSet

COLUMN_OF = {
    "user": "user_id",
    "department": "department_id",
    "agent": "agent_id",
    "session": "session_id",
    "task": "task_id",
}


def placement_values(placement: Placement) -> dict[str, str | None]:
    """The scope columns of a row so placed."""
    return {
        "scope": placement.scope.value,
        **{column: getattr(placement, name) for name, column in COLUMN_OF.items()},
    }


def placement_of(row: Row[*tuple[Any, ...]]) -> Placement:
    """The placement a row's scope columns say."""
    return Placement(
        scope=Scope(row.scope),
        user=row.user_id,
        department=row.department_id,
        agent=row.agent_id,
        session=row.session_id,
        task=row.task_id,
    )


def visible(columns: Any, scopes: ScopeSet) -> ColumnElement[bool]:
    """Rows of the tenant that some clause admits."""
    return _visible(columns.tenant_id.table, scopes)


@lru_cache(maxsize=1024)
def _visible(table: FromClause, scopes: ScopeSet) -> ColumnElement[bool]:
    """Kept: a read asks for it a dozen times, and building it takes as long as the smaller of its queries."""
    columns: Any = table.c
    admitted = or_(false(), *(_clause(columns, clause) for clause in scopes.clauses))
    return and_(columns.tenant_id == scopes.tenant, admitted)


def _clause(columns: Any, clause: Clause) -> ColumnElement[bool]:
    parts: list[ColumnElement[bool]] = [columns.scope == clause.scope.value]
    for name, allowed in clause.ids:
        column = columns[COLUMN_OF[name]]
        named = column.in_(sorted(value for value in allowed if value is not None))
        parts.append(or_(column.is_(None), named) if None in allowed else named)
    return and_(*parts)


def believed(columns: Any, known: Mapping[PartitionKey, datetime]) -> ColumnElement[bool]:
    """Versions believed at each partition's instant: recorded by then and not yet retracted."""
    return or_(
        false(),
        *(
            and_(
                columns.owner_type == key.kind.value,
                columns.owner_id == key.target,
                columns.recorded_at <= at,
                or_(columns.retracted_at.is_(None), columns.retracted_at > at),
            )
            for key, at in known.items()
        ),
    )


def in_force(
    columns: Any,
    *,
    valid_at: datetime,
    expiry_at: datetime,
    include_contenders: bool,
    include_doubtful: bool = False,
) -> ColumnElement[bool]:
    """Versions that hold at `valid_at`, are not past their lifetime, and stand on the timeline."""
    parts = [
        or_(columns.valid_from.is_(None), columns.valid_from <= valid_at),
        or_(columns.valid_until.is_(None), columns.valid_until > valid_at),
        or_(columns.expires_at.is_(None), columns.expires_at > expiry_at),
    ]
    standings = [Standing.HELD.value, Standing.DISPUTED.value]
    if include_doubtful:
        standings += [Standing.UNSUPPORTED.value, Standing.UNPLACED.value]
    if include_contenders:
        standings.append(Standing.CONTENDER.value)
        placed = and_(*parts[:2], columns.standing.in_(standings))
        return and_(parts[2], or_(placed, columns.standing == Standing.UNPLACED.value))
    return and_(*parts, columns.standing.in_(standings))
