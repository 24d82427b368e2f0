"""`mem.views`: what is active, what was ever believed, what was forgotten; each for the roles that may see it.

Belongs here: who may read which view, paging. Does not belong here: the views (store/).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from muniment.domain.answers import Page
from muniment.domain.errors import Forbidden, InvalidInput
from muniment.domain.scope import Reader as Identity
from muniment.domain.time import parse_instant
from muniment.retrieval.ask import whole
from muniment.service.parts import Parts, cursor_text, cursor_values
from muniment.service.reader import Reader

ROLES: Final[Mapping[str, frozenset[str]]] = {
    "active_memory": frozenset({"agent", "user", "reviewer", "auditor", "admin"}),
    "audit_memory": frozenset({"auditor", "admin"}),
    "compliance_memory": frozenset({"auditor", "admin"}),
}
"""The roles that may read each view; the active one shows a reader what they may see, the others a whole tenant."""

Row = Mapping[str, Any]


class Views:
    """The three views, a page at a time (`.items`, `.next`)."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def active(self, *, by: Reader | Identity, limit: int = 50, cursor: str | None = None) -> Page[Row]:
        """What this reader may see now: believed, valid, not hidden, not past its lifetime."""
        return self._page("active_memory", by, limit, cursor)

    def audit(self, *, by: Reader | Identity, limit: int = 50, cursor: str | None = None) -> Page[Row]:
        """Every revision of the tenant, hidden ones too, with who, when and why. Raises `Forbidden` but for an auditor or
        admin."""
        return self._page("audit_memory", by, limit, cursor)

    def compliance(self, *, by: Reader | Identity, limit: int = 50, cursor: str | None = None) -> Page[Row]:
        """What was forgotten or hidden in the tenant, when and on whose request, never its content. Raises `Forbidden` but
        for an auditor or admin."""
        return self._page("compliance_memory", by, limit, cursor)

    def _page(self, name: str, by: Reader | Identity, limit: int, cursor: str | None) -> Page[Row]:
        reader = by.identity if isinstance(by, Reader) else by
        if not isinstance(reader, Identity):
            raise InvalidInput('by= is a reader: mem.reader(…, roles=["auditor"])')
        limits = self._parts.policy.limits
        whole(limit, name="limit", most=limits.page)
        if not reader.roles & ROLES[name]:
            raise Forbidden(
                f"{name} is read by {' or '.join(sorted(ROLES[name]))}, not by {', '.join(sorted(reader.roles))}"
            )
        mine = reader if name == "active_memory" else None
        rows = self._parts.store.view(
            reader.tenant, name, reader=mine, after=None if cursor is None else _after(cursor), limit=limit + 1
        )
        more = len(rows) > limit
        return Page(items=tuple(rows[:limit]), next=_cursor(name, rows[limit - 1]) if more else None)


def _cursor(name: str, row: Row) -> str:
    if name == "compliance_memory":
        return cursor_text([row["forgotten_at"].isoformat(), str(row["tombstone_id"]), 0, 0])
    return cursor_text([row["recorded_at"].isoformat(), str(row["fact_id"]), row["revision"], row["segment"]])


def _after(cursor: str) -> tuple[Any, ...]:
    at, ref, revision, segment = cursor_values(cursor, 4)
    try:
        return parse_instant(str(at), name="cursor"), UUID(str(ref)), int(revision), int(segment)
    except (ValueError, TypeError):
        raise InvalidInput("cursor is not one that a page of this view returned as `.next`") from None
