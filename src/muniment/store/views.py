"""The three database views, read: what is active, what was ever believed, what was forgotten.

The same views are there for whoever looks at the database by other means; this opens what is sealed in them.

Belongs here: their statements. Does not belong here: who may read which (service/views.py), their definition (migrations).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, column, false, or_, select, table
from sqlalchemy.sql.selectable import TableClause

from muniment.domain.confidence import from_points
from muniment.domain.scope import ScopeSet
from muniment.store.rows import Mapper
from muniment.store.scoping import visible
from muniment.store.tables import metadata

SEALED: Final = frozenset({"object_value", "content", "reason"})
"""Columns of content, where the view has them from sealed columns; a tombstone's reason is plain."""
ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "active_memory": ("recorded_at", "fact_id", "revision", "segment"),
    "audit_memory": ("recorded_at", "fact_id", "revision", "segment"),
    "compliance_memory": ("forgotten_at", "tombstone_id"),
}
SOURCE: Final[Mapping[str, str]] = {
    "active_memory": "fact_revision",
    "audit_memory": "fact_revision",
    "compliance_memory": "tombstone",
}
# fmt: off
SAID: Final = (
    "tenant_id", "fact_id", "revision", "segment", "owner_type", "owner_id", "scope", "user_id", "department_id", "agent_id",
    "session_id", "task_id", "memory_type", "subject", "predicate", "qualifier", "object_value", "content", "standing",
    "confidence", "basis", "trust", "valid_from", "valid_until", "valid_from_known", "expires_at", "recorded_at",
)
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "active_memory": SAID,
    "audit_memory": (
        *SAID, "status", "stated_from", "stated_until", "retracted_at", "hidden_at", "supersedes_id", "source_candidate_id",
        "change", "reason", "actor", "trace_id",
    ),
    "compliance_memory": (
        "tenant_id", "tombstone_id", "kind", "ref", "mode", "user_id", "forgotten_at", "forgotten_by", "reason",
    ),
}
# fmt: on


def _view(name: str) -> TableClause:
    """The view with the types of the columns it shows."""
    types = metadata.tables[SOURCE[name]].c
    return table(name, *(column(item, types[item].type) for item in COLUMNS[name]))


def rows_of(
    connection: Connection,
    mapper: Mapper,
    name: str,
    tenant: str,
    *,
    scopes: ScopeSet | None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> list[Mapping[str, Any]]:
    """Rows of a view in its order, content opened; with `scopes`, only what they admit."""
    view = _view(name)
    columns = view.c
    where = [columns.tenant_id == tenant] if scopes is None else [visible(columns, scopes)]
    keys = [columns[item] for item in ORDER[name]]
    if after is not None:
        where.append(_later(keys, after[: len(keys)]))
    found: list[Mapping[str, Any]] = []
    for row in connection.execute(select(view).where(*where).order_by(*keys).limit(limit)):
        values = dict(row._mapping)
        if SOURCE[name] == "fact_revision":
            values |= {item: mapper.maybe(row, item) for item in SEALED & values.keys()}
            values["confidence"] = from_points(values["confidence"])
        found.append(values)
    return found


def _later(keys: Sequence[Any], after: Sequence[Any]) -> ColumnElement[bool]:
    """Rows behind these values, compared key by key: a tuple of them would lose the columns' types."""
    parts = [
        and_(*(key == value for key, value in zip(keys[:place], after, strict=False)), keys[place] > after[place])
        for place in range(len(keys))
    ]
    return or_(false(), *parts)
