"""What a replay of the log found.

Belongs here: the report. Does not belong here: the replay (ingestion/replaying.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from muniment.domain.records import Fact
from muniment.domain.statement import canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact that the log gives otherwise than it is held: it would appear, change or vanish."""

    kind: Literal["appear", "change", "vanish"]
    fact_id: UUID
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]

    @property
    def line(self) -> str:
        """In words, one line."""
        sign = {"appear": "+", "change": "~", "vanish": "-"}[self.kind]
        rows = self.after or self.before
        return f"{sign} {rows[0].content} ({rows[0].scope}, fact {self.fact_id})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """`events` were done again, `facts` are believed by the log; `void` are acts whose fact the log does not give, in words;
    `applied` says that the differences were made true."""

    policy_version: str
    events: int
    facts: int
    differences: tuple[Difference, ...]
    void: tuple[str, ...] = ()
    applied: bool = False

    @property
    def same(self) -> bool:
        """Whether the log gives exactly what is held."""
        return not self.differences

    def of(self, kind: str) -> tuple[Difference, ...]:
        """The differences of one kind."""
        return tuple(item for item in self.differences if item.kind == kind)


def shape(row: Fact) -> tuple[Any, ...]:
    """All that a version says, but when it was recorded and by which operation: what replays are compared by."""
    return (
        row.segment,
        row.placement,
        row.memory_type,
        row.subject,
        row.predicate,
        row.qualifier,
        canonical(row.content),
        row.value,
        row.standing,
        row.weakened,
        row.stated_from,
        row.stated_until,
        row.valid_from,
        row.valid_until,
        row.valid_from_known,
        row.expires_at,
        row.confidence,
        row.basis,
        row.trust,
        row.sources,
        row.supersedes_id,
        frozenset(row.evidence),
    )


def differences(held: Sequence[Fact], given: Sequence[Fact]) -> tuple[Difference, ...]:
    """Fact by fact, in the order of their ids; a fact without a standing is not on any timeline and counts as absent."""
    before, after = _by_fact(held), _by_fact(given)
    found = []
    for fact_id in sorted({*before, *after}):
        old, new = before.get(fact_id, ()), after.get(fact_id, ())
        if [shape(row) for row in old] == [shape(row) for row in new]:
            continue
        kind: Literal["appear", "change", "vanish"] = "change" if old and new else "appear" if new else "vanish"
        found.append(Difference(kind=kind, fact_id=fact_id, before=old, after=new))
    return tuple(found)


def _by_fact(rows: Sequence[Fact]) -> dict[UUID, tuple[Fact, ...]]:
    found: dict[UUID, tuple[Fact, ...]] = {}
    for row in sorted(rows, key=lambda row: (row.fact_id, row.segment)):
        if row.standing is not None:
            found[row.fact_id] = (*found.get(row.fact_id, ()), row)
    return found
