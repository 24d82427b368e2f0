"""Exact keys, idempotency keys and counts.

Belongs here: look-ups by key. Does not belong here: search (index/).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, and_, bindparam, distinct, func, select

from muniment.domain.enums import CandidateStatus, OwnerType
from muniment.domain.scope import PartitionKey
from muniment.ports.store import Replay, StoredIdentifier
from muniment.store.read_base import ReadBase, slices
from muniment.store.scoping import placement_of, visible
from muniment.store.tables.chain import candidate, event, event_processing, evidence
from muniment.store.tables.facts import fact
from muniment.store.tables.keeping import tombstone
from muniment.store.tables.shelves import identifier

# Built once: an import asks these for every batch.
_SENT: Final = (
    select(
        event.c.tenant_id,
        event.c.event_id,
        event.c.idempotency_key,
        event.c.body_digest,
        event_processing.c.receipt,
        event_processing.c.state,
    )
    .join(
        event_processing,
        and_(event_processing.c.tenant_id == event.c.tenant_id, event_processing.c.event_id == event.c.event_id),
    )
    .where(
        event.c.tenant_id == bindparam("tenant"),
        event.c.user_id == bindparam("user"),
        event.c.source == bindparam("source"),
        event.c.idempotency_key.in_(bindparam("keys", expanding=True)),
    )
)
_ERASED: Final = select(tombstone.c.idempotency_key).where(
    tombstone.c.tenant_id == bindparam("tenant"),
    tombstone.c.user_id == bindparam("user"),
    tombstone.c.idempotency_key.in_(bindparam("keys", expanding=True)),
)


class KeyReader(ReadBase):
    """Look-ups by key."""

    def digest(self, text: str) -> str:
        """The text's digest under the store's key, as exact keys that must not be held are kept."""
        return self._slots.digest(text)

    def identifiers(
        self, values: Iterable[str], *, kinds: Collection[str], limit: int | None = None
    ) -> list[StoredIdentifier]:
        """Where normalised exact keys stand, of the given kinds; the newest first, at most `limit`."""
        columns = identifier.c
        found: list[StoredIdentifier] = []
        for some in slices(dict.fromkeys(values)):
            statement = select(identifier).where(
                visible(columns, self._scopes), columns.kind.in_(sorted(kinds)), columns.value.in_(some)
            )
            statement = statement.order_by(columns.recorded_at.desc(), columns.identifier_id.desc())
            if limit is not None:
                statement = statement.limit(limit)
            found += [self._identifier(row) for row in self._connection.execute(statement)]
        return found

    def identifiers_in(self, refs: Iterable[UUID]) -> list[StoredIdentifier]:
        """The exact keys found in the given evidence or facts."""
        found: list[StoredIdentifier] = []
        for some in slices(refs):
            statement = select(identifier).where(visible(identifier.c, self._scopes), identifier.c.ref.in_(some))
            found += [self._identifier(row) for row in self._connection.execute(statement)]
        return found

    @staticmethod
    def _identifier(row: Row[*tuple[Any, ...]]) -> StoredIdentifier:
        return StoredIdentifier(
            kind=row.kind,
            value=row.value,
            ref_kind=row.ref_kind,
            ref=row.ref,
            placement=placement_of(row),
            held=row.held,
        )

    def replay(self, source: str, idempotency_key: str) -> Replay | None:
        """What is known of a key this user sent from this source, or None for a new one."""
        return self.replays(source, [idempotency_key]).get(idempotency_key)

    def replays(self, source: str, keys: Iterable[str]) -> dict[str, Replay]:
        """What is known of the keys this user sent from this source; new ones are left out."""
        asked = {"tenant": self.reader.tenant, "user": self.reader.user, "source": source}
        found: dict[str, Replay] = {}
        for some in slices(dict.fromkeys(keys)):
            for row in self._connection.execute(_SENT, {**asked, "keys": some}):
                found[row.idempotency_key] = Replay(
                    event_id=row.event_id,
                    body_digest=row.body_digest,
                    receipt=self._map.maybe(row, "receipt"),
                    state=row.state,
                )
            if missing := {self._slots.idempotency(source, key): key for key in some if key not in found}:
                stones = {"tenant": self.reader.tenant, "user": self.reader.user, "keys": list(missing)}
                for digest in self._connection.scalars(_ERASED, stones):
                    found[missing[digest]] = Replay(
                        event_id=None, body_digest=None, receipt=None, state="ERASED", erased=True
                    )
        return found

    def receipt(self, event_id: UUID) -> str | None:
        """The receipt kept with an event, as JSON."""
        columns = event_processing.c
        row = self._connection.execute(
            select(columns.tenant_id, columns.receipt).where(
                columns.tenant_id == self.reader.tenant, columns.event_id == event_id
            )
        ).first()
        return None if row is None else self._map.maybe(row, "receipt")

    def forgotten_later(self) -> int:
        """How many facts and pieces of evidence of the reader's own user were hidden or erased after `known_at`."""
        own = PartitionKey(tenant=self.reader.tenant, kind=OwnerType.USER, target=self.reader.user)
        at = self.known.get(own)
        columns = tombstone.c
        if at is None:
            return 0
        statement = select(func.count(distinct(columns.ref))).where(
            columns.tenant_id == self.reader.tenant,
            columns.user_id == self.reader.user,
            columns.kind.in_(["fact", "evidence"]),
            columns.forgotten_at > at,
        )
        return int(self._connection.scalar(statement) or 0)

    def counts(self) -> Mapping[str, int]:
        """How many of each record the reader may see."""
        tables = {"events": event, "evidence": evidence, "facts": fact}
        found = {
            name: int(
                self._connection.scalar(select(func.count()).select_from(table).where(visible(table.c, self._scopes)))
                or 0
            )
            for name, table in tables.items()
        }
        mine = and_(candidate.c.tenant_id == self.reader.tenant, candidate.c.user_id == self.reader.user)
        for status in CandidateStatus:
            total = select(func.count()).select_from(candidate).where(mine, candidate.c.status == status.value)
            found[f"candidates {status.value}"] = int(self._connection.scalar(total) or 0)
        return found
