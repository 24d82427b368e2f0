"""Conflicts of a reader: what disagrees, and a person's word on it.

Belongs here: checking arguments, the page of conflicts with both their sides. Does not belong here: what a resolution does
(ingestion/resolving.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from muniment.domain.answers import Page
from muniment.domain.enums import Scope
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Fact, Receipt
from muniment.domain.reviews import ConflictItem, ConflictRow, ConflictSide
from muniment.domain.scope import Reader as Identity
from muniment.domain.time import parse_instant
from muniment.ingestion.resolving import Resolutions
from muniment.ingestion.stated import clean_text, clean_words
from muniment.ports.store import ConflictFilter, FactFilter, ReadUnit
from muniment.retrieval.ask import whole
from muniment.service.parts import Parts, as_id, cursor_text, cursor_values

STATUSES = ("OPEN", "SETTLED", "RESOLVED")


class Resolves:
    """Mixed into `Reader`."""

    parts: Parts
    identity: Identity

    def conflicts(
        self, *, status: str | None = "OPEN", limit: int = 50, cursor: str | None = None
    ) -> Page[ConflictItem]:
        """Facts that disagree, two and two, with their values, periods, trust, sources and times; the oldest first.

        `status` is OPEN, SETTLED (the statements agree by now), RESOLVED (by a person), or None for all.
        """
        limits = self.parts.policy.limits
        whole(limit, name="limit", most=limits.page)
        wanted = ConflictFilter(
            statuses=None if status is None else frozenset({_status(status)}),
            limit=limit + 1,
            after=None if cursor is None else _after(cursor),
        )
        with self.parts.store.read(self.identity) as unit:
            rows = unit.conflict_rows(wanted)
            shown = rows[:limit]
            items = _items(unit, shown)
            token = unit.token
        more = (
            cursor_text([shown[-1].recorded_at.isoformat(), str(shown[-1].conflict_id)]) if len(rows) > limit else None
        )
        return Page(items=items, next=more, known_at=token)

    def resolve(
        self,
        conflict_id: UUID | str,
        *,
        pick: UUID | str | None = None,
        both: Mapping[UUID | str, str | None] | None = None,
        neither: bool = False,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Ends a conflict: `pick` one fact, and the other is withdrawn; `both` told apart, each fact by a qualifier or a
        scope's name in capitals; or `neither`, and both are withdrawn.

        The same word again gives the first receipt, marked as a replay. Raises `NotFound`, `Forbidden` where either side is
        not this reader's to write, `Conflict` where it was settled or resolved otherwise.
        """
        given: dict[str, Any] = {}
        if pick is not None:
            given["pick"] = str(as_id(pick, name="pick"))
        if both is not None:
            given["both"] = self._apart(both)
        if neither:
            given["neither"] = True
        if len(given) != 1:
            raise InvalidInput("say one of pick=, both= and neither=")
        if (kept := clean_text(reason, self.parts.policy, name="reason")) is not None:
            given["reason"] = kept
        ref = as_id(conflict_id, name="conflict_id")
        resolutions = Resolutions(pipeline=self.parts.pipeline)
        return self.parts.retrying(lambda: resolutions.resolve(self.identity, ref, given, key=idempotency_key))

    def _apart(self, both: Mapping[UUID | str, str | None]) -> dict[str, str]:
        if not isinstance(both, Mapping):
            raise InvalidInput("both= says of each fact its qualifier or scope: {fact_id: 'hotel', …}")
        found = {}
        for ref, given in both.items():
            name = given.value if isinstance(given, Scope) else clean_words(given, self.parts.policy, name="qualifier")
            if name is not None:
                found[str(as_id(ref, name="both"))] = name
        return found


def _items(unit: ReadUnit, rows: Sequence[ConflictRow]) -> tuple[ConflictItem, ...]:
    ids = tuple(dict.fromkeys(ref for row in rows for ref in row.facts))
    latest: dict[UUID, Fact] = {}
    for fact in unit.facts(FactFilter(ids=ids, include_inactive=True)) if ids else []:
        known = latest.get(fact.fact_id)
        if known is None or (known.revision, -known.segment) <= (fact.revision, -fact.segment):
            latest[fact.fact_id] = fact
    tellers = unit.tellers(ids)

    def side(ref: UUID) -> ConflictSide:
        fact = latest.get(ref)
        return ConflictSide(
            fact_id=ref,
            fact=fact,
            value=None if fact is None else fact.value or fact.content,
            valid_from=None if fact is None else fact.valid_from,
            valid_until=None if fact is None else fact.valid_until,
            standing=None if fact is None else fact.standing,
            trust=0 if fact is None else fact.trust,
            sources=() if fact is None else tuple(tellers.get(ref, ())),
            said_at=None if fact is None else fact.stated_from or fact.recorded_at,
        )

    return tuple(
        ConflictItem(
            id=row.conflict_id,
            kind=row.kind,
            status=row.status,
            sides=(side(row.facts[0]), side(row.facts[1])),
            recorded_at=row.recorded_at,
            resolved_at=row.resolved_at,
            resolved_by=row.resolved_by,
            resolution={name: value for name, value in row.resolution.items() if name != "event"},
        )
        for row in rows
    )


def _status(name: str) -> str:
    status = str(name).upper()
    if status not in STATUSES:
        raise InvalidInput(f"no conflict status {name!r}; known are {', '.join(STATUSES)}")
    return status


def _after(cursor: str) -> tuple[Any, UUID]:
    at, ref = cursor_values(cursor, 2)
    return parse_instant(str(at), name="cursor"), as_id(str(ref), name="cursor")
