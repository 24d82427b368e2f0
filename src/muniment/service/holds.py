"""Legal holds: they stop purging and erasing what is of a user, until released. Hiding still works.

Belongs here: `mem.holds`. Does not belong here: what a hold stops (ingestion/forgetting_many.py, the lifecycle).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from muniment.domain.enums import OwnerType
from muniment.domain.errors import Forbidden, InvalidInput, NotFound
from muniment.domain.forgotten import Hold
from muniment.domain.scope import PartitionKey, scope_key
from muniment.domain.scope import Reader as Identity
from muniment.ingestion.stated import clean_text
from muniment.ports.store import Locks
from muniment.service.parts import Parts, as_id, as_instant
from muniment.service.reader import Reader

SETS: Final = frozenset({"auditor", "admin"})
"""Roles that set, release and read holds with their reasons."""
REASON_CHARS: Final = 1_024


class Holds:
    """The holds of a memory. `by` is who asks, a reader with the role auditor or admin; without it, the program itself."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def set(
        self,
        *,
        user: str,
        reason: str,
        until: datetime | str | None = None,
        tenant: str = "default",
        by: Reader | None = None,
    ) -> Hold:
        """Holds everything of a user, until released or until an instant. Returns the hold; its id is what others may know.

        Raises `Forbidden` for a reader who may not, `InvalidInput` without a reason.
        """
        who = self._allowed(by)
        tenant = tenant if by is None else by.identity.tenant
        why = clean_text(reason, self._parts.policy, name="reason") or ""
        if not why.strip() or len(why) > REASON_CHARS:
            raise InvalidInput(f"a hold needs a reason of 1 to {REASON_CHARS} characters")
        key = scope_key(user, name="user")
        end = as_instant(until, "until")

        def write() -> Hold:
            with self._parts.store.write(_of(tenant, key), _locks(tenant, key)) as unit:
                if end is not None and end <= unit.now:
                    raise InvalidInput("until is past; a hold that binds nobody is none")
                item = Hold(
                    hold_id=self._parts.pipeline.new_id(),
                    user=key,
                    set_by=who,
                    set_at=unit.recorded_at,
                    until=end,
                    released_at=None,
                    reason=why,
                )
                unit.add_hold(item)
                unit.audit("hold.set", ref_kind="hold", ref=item.hold_id, content=key, actor=who)
            return item

        return self._parts.retrying(write)

    def release(self, hold_id: UUID | str, *, tenant: str = "default", by: Reader | None = None) -> Hold:
        """Ends a hold now; it stays on record. Raises `NotFound` for one that is not there or was released before."""
        who = self._allowed(by)
        tenant = tenant if by is None else by.identity.tenant
        ref = as_id(hold_id, name="hold_id")

        def write() -> Hold:
            found = {item.hold_id: item for item in self._parts.store.holds_of(tenant)}.get(ref)
            if found is None or found.released_at is not None:
                raise NotFound(f"no hold {ref} that is in force")
            with self._parts.store.write(_of(tenant, found.user), _locks(tenant, found.user)) as unit:
                unit.release_hold(ref)
                unit.audit("hold.released", ref_kind="hold", ref=ref, content=found.user, actor=who)
                return replace(found, released_at=unit.recorded_at)

        return self._parts.retrying(write)

    def list(self, *, user: str | None = None, tenant: str = "default", by: Reader | None = None) -> list[Hold]:
        """Holds, released ones too, oldest first. A reader without the role sees those on itself, without their reasons."""
        if by is None:
            return self._parts.store.holds_of(tenant, user=user)
        who = by.identity
        if who.roles & SETS:
            return self._parts.store.holds_of(who.tenant, user=user)
        if user not in (None, who.user):
            raise Forbidden("holds on others are listed by an auditor or admin")
        return [replace(item, reason=None) for item in self._parts.store.holds_of(who.tenant, user=who.user)]

    @staticmethod
    def _allowed(by: Reader | None) -> str:
        if by is None:
            return "system:muniment"
        if not by.identity.roles & SETS:
            raise Forbidden("a hold is set and released by an auditor or admin")
        return f"user:{by.identity.user}"


def _of(tenant: str, user: str) -> Identity:
    return Identity(tenant=tenant, user=user)


def _locks(tenant: str, user: str) -> Locks:
    """The user's own partition: an erasure under way is either before the hold or after it."""
    return Locks(partitions=(PartitionKey(tenant=tenant, kind=OwnerType.USER, target=user),))
