"""Erased words where other records quote them: reasons, receipts, rules, messages to outside.

A reason or a line is replaced whole by `[erased]`: what is left of a sentence around a name still says something of it.

Belongs here: the search for quotes and their removal. Does not belong here: the records erased themselves (`write_erase`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Column, Table, and_, delete, select, update

from muniment.domain.observation import RESERVED
from muniment.ports.forgetting import Erasing
from muniment.store.read_base import slices
from muniment.store.rows import AnyRow, Values
from muniment.store.tables.chain import candidate, decision, event, event_processing
from muniment.store.tables.facts import conflict, fact, fact_dependency, fact_revision
from muniment.store.tables.keeping import outbox, tombstone
from muniment.store.types import Sealed
from muniment.store.write_select import SelectionReader

ERASED: Final = "[erased]"
VERDICT: Final = 3
"""A verdict is kept as [rule, ruling, reason]."""
Says = Callable[[str], bool]


class QuoteWriter(SelectionReader):
    """Takes quotes of erased words out of what stays."""

    _counts: dict[str, int]

    def _count(self, table: Table, rows: int) -> None:
        self._counts[table.name] = self._counts.get(table.name, 0) + max(0, rows)

    def _unquote(self, erasing: Erasing) -> None:
        """Looks through what was recorded of the users concerned, and through what is to leave the database."""
        probes = [probe for probe in erasing.probes if probe]
        if not probes:
            return

        def says(text: str) -> bool:
            return any(probe in text for probe in probes)

        users = sorted(erasing.users)
        own = and_(candidate.c.tenant_id == decision.c.tenant_id, candidate.c.candidate_id == decision.c.candidate_id)
        done = and_(event.c.tenant_id == event_processing.c.tenant_id, event.c.event_id == event_processing.c.event_id)
        for some in slices(users):
            mine = candidate.c.user_id.in_(some)
            verdicts = select(decision).join(candidate, own).where(mine)
            self._sweep(decision, [decision.c.decision_id], verdicts, ("reason", "verdicts", "inputs"), says)
            asked = select(candidate).where(mine)
            self._sweep(candidate, [candidate.c.candidate_id], asked, ("governance_reason", "proposed"), says)
            received = select(event_processing).join(event, done).where(event.c.user_id.in_(some))
            self._sweep(
                event_processing, [event_processing.c.event_id], received, ("receipt", "error", "answers"), says
            )
            acts = select(event).where(
                event.c.user_id.in_(some), event.c.event_type.startswith(RESERVED, autoescape=True)
            )
            self._sweep(event, [event.c.event_id], acts, ("payload", "metadata"), says)
            for table, keys in ((fact, [fact.c.fact_id]), (fact_revision, _VERSION)):
                self._sweep(table, keys, select(table).where(table.c.user_id.in_(some)), ("reason",), says)
            stones = select(tombstone).where(tombstone.c.user_id.in_(some))
            self._sweep(tombstone, [tombstone.c.tombstone_id], stones, ("reason",), says)
        ended = self._sweep(fact_dependency, [fact_dependency.c.dependency_id], select(fact_dependency), _RULE, says)
        self.retract_rules(ended)
        self._sweep(conflict, [conflict.c.conflict_id], select(conflict), ("resolution",), says)
        self._sweep(outbox, [outbox.c.outbox_id], select(outbox), ("payload",), says)
        refs = {str(ref) for ref in (*erasing.facts, *erasing.evidence)}
        self._outbox_of(refs)

    def _sweep(
        self, table: Table, keys: Sequence[Column[Any]], rows: Any, names: Sequence[str], says: Says
    ) -> list[UUID]:
        """Replaces the quotes in some columns of the rows; returns the first key of each row that had one."""
        found: list[tuple[list[Any], Values]] = []
        statement = rows.where(table.c.tenant_id == self.reader.tenant)
        for row in self._connection.execute(statement):
            if changed := dict(self._changed(table, row, names, says)):
                found.append(([getattr(row, key.name) for key in keys], changed))
        for values, changed in found:
            where = [key == value for key, value in zip(keys, values, strict=True)]
            self._connection.execute(
                update(table).where(table.c.tenant_id == self.reader.tenant, *where).values(changed)
            )
            self._count(table, 1)
        return [values[0] for values, _ in found]

    def _changed(self, table: Table, row: AnyRow, names: Sequence[str], says: Says) -> Iterator[tuple[str, str | None]]:
        for name in names:
            text = getattr(row, name)
            if text is None:
                continue
            opened = self._map.opened_text(row.tenant_id, text)
            clean = without(opened, says)
            if clean != opened:
                sealed = isinstance(table.c[name].type, Sealed)
                kept = self._sealer.seal(self._home, clean) if sealed else clean
                yield name, None if table is fact_dependency else kept

    def retract_rules(self, ids: Sequence[UUID]) -> None:
        """Ends rules whose words were erased: they cannot be judged any more."""
        columns = fact_dependency.c
        for some in slices(ids):
            self._connection.execute(
                update(fact_dependency)
                .where(columns.tenant_id == self.reader.tenant, columns.dependency_id.in_(some))
                .where(columns.retracted_at.is_(None))
                .values(retracted_at=self.recorded_at, vectors=None)
            )

    def _outbox_of(self, refs: set[str]) -> None:
        """Messages about what was erased that nobody has fetched yet."""
        columns = outbox.c
        rows = self._connection.execute(select(outbox).where(columns.tenant_id == self.reader.tenant))
        ids = [row.outbox_id for row in rows if any(ref in self._map.open(row, "payload") for ref in refs)]
        for some in slices(ids):
            self._connection.execute(
                delete(outbox).where(columns.tenant_id == self.reader.tenant, columns.outbox_id.in_(some))
            )
            self._count(outbox, len(some))


_VERSION: Final = [fact_revision.c.fact_id, fact_revision.c.revision, fact_revision.c.segment]
_RULE: Final = ("when_value", "successor_value", "successor_content")


_AS_IT_IS: Final = frozenset(
    [
        *("rule", "ruling", "outcome", "scope", "memory_type", "policy_version", "decided_at", "known_at"),
        *("event", "decision_id", "candidate_id", "fact_id", "expires_at"),
    ]
)
"""Keys whose values are ids, instants and words of our own, which readers parse."""


def without(text: str, says: Says) -> str:
    """The text without what says an erased word: the one string in JSON that does, else all of it."""
    # Only an escape can hide a word from a look at the whole: most texts need no parsing.
    if not says(text) and "\\" not in text:
        return text
    try:
        value = json.loads(text) if text[:1] in "[{" else None
    except ValueError:
        value = None
    if isinstance(value, (list, dict)):
        clean = _walked(value, says)
        return text if clean == value else json.dumps(clean, ensure_ascii=False)
    return ERASED if says(text) else text


def _walked(value: Any, says: Says) -> Any:
    if isinstance(value, str):
        return ERASED if says(value) else value
    if isinstance(value, list):
        if len(value) == VERDICT and all(isinstance(item, str) for item in value):
            return [*value[:2], _walked(value[2], says)]
        return [_walked(item, says) for item in value]
    if isinstance(value, dict):
        return {
            ERASED if says(name) else name: item if name in _AS_IT_IS else _walked(item, says)
            for name, item in value.items()
        }
    return value
