"""What is not known any more, and what was known before: the honest answer where the value itself would be stale.

Belongs here: which facts are said so, since when, and why. Does not belong here: recall (`channels/semantic`), rendering
(`sections`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from muniment.domain.enums import FactStatus, Standing
from muniment.domain.records import Fact
from muniment.domain.statement import canonical
from muniment.ports.store import FactFilter, ReadUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Not known since `since` (None: since it is not known when); `fact` is what was held before, `because` names what of it
    changed, as far as this reader may see that."""

    fact: Fact
    since: datetime | None
    because: tuple[str, ...] = ()


def gone(unit: ReadUnit, lost: Sequence[Fact], held: Sequence[Fact]) -> list[Gone]:
    """For each fact whose ground went, and each that says 'unknown from then': what was known before."""
    found = [Gone(fact=row, since=row.valid_from, because=names) for row, names in _with_roots(unit, lost)]
    unknown = [row for row in held if row.metadata.get("unknown") and row.supersedes_id is not None]
    earlier = _latest(unit, [row.supersedes_id for row in unknown if row.supersedes_id is not None])
    for row in unknown:
        before = earlier.get(row.supersedes_id) if row.supersedes_id is not None else None
        if before:
            found.append(Gone(fact=before[-1], since=row.valid_from))
    return found


def is_unknown(fact: Fact) -> bool:
    """Whether a fact says only that its value is not known from then on."""
    return bool(fact.metadata.get("unknown"))


def _with_roots(unit: ReadUnit, lost: Sequence[Fact]) -> list[tuple[Fact, tuple[str, ...]]]:
    """Each fact with the names of the grounds that went, of those that this reader may see."""
    if not lost:
        return []
    roots = unit.roots(row.fact_id for row in lost)
    rows = _latest(unit, [ref for refs in roots.values() for ref in refs])
    named = []
    for row in lost:
        moved = [rows[ref][-1] for ref in roots.get(row.fact_id, ()) if ref in rows and _over(rows[ref], row)]
        named.append((row, tuple(dict.fromkeys(_name(root) for root in moved))))
    return named


def _over(rows: Sequence[Fact], lost: Fact) -> bool:
    """Whether a ground no longer holds where the fact that rested on it was lost."""
    at = lost.valid_from
    if at is not None and not any(row.valid_until == at for row in rows):
        return False
    return not any(
        row.standing is Standing.HELD
        and row.status is not FactStatus.INVALIDATED
        and (row.valid_until is None or (at is not None and at < row.valid_until))
        for row in rows
    )


def _name(root: Fact) -> str:
    """A ground by what it speaks of, never by its value."""
    about = root.predicate or root.subject or ""
    subject = root.subject or "user"
    return about if not root.predicate or canonical(subject) == "user" else f"{subject}: {about}"


def timeline(unit: ReadUnit, facts: Sequence[Fact]) -> list[Fact]:
    """Everything that the slots of these facts held, one after the other, for a question about the past: each value with its
    period, in order of time, those of one slot together."""
    slots = dict.fromkeys((row.subject, row.predicate, row.qualifier) for row in facts if row.predicate)
    rows: dict[UUID, list[Fact]] = {}
    for subject, predicate, _ in slots:
        wanted = FactFilter(subject=subject, predicate=predicate, include_inactive=True)
        rows |= _revised(unit.facts(wanted))
    rows |= _revised([row for row in facts if not row.predicate])
    chosen = [
        row
        for some in rows.values()
        for row in some
        if row.standing in (Standing.HELD, Standing.DISPUTED) and not is_unknown(row)
    ]
    order: dict[object, int] = {name: place for place, name in enumerate(slots)}
    return sorted(
        chosen,
        key=lambda row: (
            order.get((row.subject, row.predicate, row.qualifier), len(order)),
            row.valid_from is not None,
            str(row.valid_from),
            row.fact_id,
        ),
    )


def _latest(unit: ReadUnit, ids: Sequence[UUID]) -> dict[UUID, list[Fact]]:
    return _revised(unit.facts(FactFilter(ids=tuple(dict.fromkeys(ids)), include_inactive=True))) if ids else {}


def _revised(rows: Sequence[Fact]) -> dict[UUID, list[Fact]]:
    """Each fact's newest revision, by fact."""
    by_fact: dict[UUID, list[Fact]] = defaultdict(list)
    for row in rows:
        by_fact[row.fact_id].append(row)
    return {
        fact_id: [row for row in some if row.revision == max(other.revision for other in some)]
        for fact_id, some in by_fact.items()
    }
