"""The fold applied to a slot: what its statements give now, and which versions that ends and begins.

Nothing is overwritten: a fact whose outcome differs is retracted and recorded again as its next revision, one row per
period it holds over.

Belongs here: the difference between what is recorded of a slot and what the fold says. Does not belong here: the fold
itself (domain/fold.py) and why the statements changed (`commit`, `amend`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import Any
from uuid import UUID

from muniment.config import Policy
from muniment.domain.confidence import combine, from_points, to_points
from muniment.domain.enums import Change, FactStatus, ItemKind, Standing
from muniment.domain.fold import fold, fold_multi
from muniment.domain.grounding import bounded, grounded
from muniment.domain.query import IndexItem
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey
from muniment.domain.statement import Segment, Statement, canonical
from muniment.ingestion.exact_keys import key_facts
from muniment.ingestion.slots import said_value
from muniment.ingestion.supports import supports
from muniment.ports.store import Slot, Told, WriteUnit
from muniment.text.tokenizer import analyse


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A fact that an operation itself changed: the fields its next revision has, and its vectors where they are new."""

    fact: Fact
    vectors: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What a refold did: the versions it recorded and the conflicts that stand in the slot."""

    recorded: tuple[Fact, ...]
    conflicts: tuple[tuple[UUID, UUID, str], ...]

    def of(self, fact_id: UUID) -> list[Fact]:
        """The recorded versions of one fact."""
        return [item for item in self.recorded if item.fact_id == fact_id]


def refold(unit: WriteUnit, policy: Policy, slot: Slot, *, edits: Sequence[Edit], live: Sequence[Fact]) -> Folded:
    """Folds the slot's statements as they stand in the unit, and records what became different.

    `live` is what was believed before; each edit's fact is recorded even where its periods did not move.
    """
    told = unit.told(slots=[slot])
    held_up = supports(unit, policy, (item.fact_id for item in told))
    statements = [
        bounded(_statement(slot, item), held_up[item.fact_id].ends)
        if item.fact_id in held_up
        else _statement(slot, item)
        for item in told
    ]
    segments = fold(statements) if slot.value is None else fold_multi(statements)
    segments = grounded(segments, held_up)
    by_fact: dict[UUID, list[Segment]] = defaultdict(list)
    for segment in segments:
        by_fact[segment.id].append(segment)
    before: dict[UUID, list[Fact]] = defaultdict(list)
    for row in live:
        before[row.fact_id].append(row)
    edited = {edit.fact.fact_id: edit.fact for edit in edits}
    recorded: list[Fact] = []
    gone: list[UUID] = []
    for fact_id in sorted({*before, *by_fact, *edited}):
        edit, weakest = edited.get(fact_id), held_up[fact_id].weakest if fact_id in held_up else None
        if weakest is not None:
            edit = _bounded(edit, before[fact_id], told, fact_id, weakest)
        rows = _versions(slot, fact_id, by_fact[fact_id], edit, before[fact_id], told, unit.recorded_at)
        if rows is None:
            continue
        recorded += rows
        if before[fact_id]:
            gone.append(fact_id)
    _link_predecessors(recorded, segments, set(edited) - {row.fact_id for row in live})
    vectors = _vectors(unit, edits, recorded)
    unit.retract(gone)
    unit.record(recorded, slot=slot)
    key_facts(unit, recorded)
    conflicts = tuple(_conflicts(segments))
    unit.set_conflicts(slot, conflicts)
    key = PartitionKey.of(unit.reader.tenant, slot.placement)
    unit.add_index(key, [_entry(row, vectors.get(row.fact_id, b"")) for row in recorded if row.standing is not None])
    return Folded(recorded=tuple(recorded), conflicts=conflicts)


def _statement(slot: Slot, told: Told) -> Statement:
    return Statement(
        id=told.fact_id,
        value=said_value(slot, told.content, told.value),
        start=told.stated_from,
        end=told.stated_until,
        trust=told.trust,
        placed=told.placed,
    )


def _versions(
    slot: Slot,
    fact_id: UUID,
    segments: list[Segment],
    edit: Fact | None,
    before: list[Fact],
    told: Iterable[Told],
    at: datetime,
) -> list[Fact] | None:
    """The rows of the fact's next revision, or None where nothing about it changed."""
    if edit is None and _shape(slot, segments) == _shape(slot, before):
        return None
    base = edit or replace(before[0], change=Change.REFOLD, reason=None)
    revision = max((row.revision for row in before), default=0) + 1
    base = replace(base, revision=revision, retracted_at=None, status=_status(base, segments, at))
    if not segments:
        return [replace(base, standing=None, segment=0, valid_from=None, valid_until=None)]
    words = {canonical(said_value(slot, item.content, item.value)): item for item in told if item.fact_id == fact_id}
    rows = []
    for ordinal, segment in enumerate(segments):
        said = words[canonical(segment.value)]
        rows.append(
            replace(
                base,
                segment=ordinal,
                standing=segment.standing,
                weakened=segment.weakened,
                content=said.content,
                value=said.value,
                valid_from=segment.start,
                valid_until=segment.end,
                valid_from_known=said.valid_from_known,
            )
        )
    return rows


def _shape(slot: Slot, rows: Sequence[Segment | Fact]) -> list[tuple[Any, ...]]:
    """What two outcomes must share to be the same version."""
    shape = []
    for row in rows:
        if isinstance(row, Segment):
            shape.append((row.standing, row.start, row.end, canonical(row.value), row.weakened))
        elif row.standing is not None:
            value = canonical(said_value(slot, row.content, row.value))
            shape.append((row.standing, row.valid_from, row.valid_until, value, row.weakened))
    return shape


def _status(base: Fact, segments: Sequence[Segment], at: datetime) -> FactStatus:
    """The stored hint: active while some period is still to come or running; to be looked at again where what is left of
    it has lost its ground."""
    if base.status is FactStatus.INVALIDATED:
        return base.status
    running = {item.standing for item in segments if item.end is None or item.end > at}
    if not running:
        return FactStatus.SUPERSEDED
    return FactStatus.NEEDS_REVALIDATION if running == {Standing.UNSUPPORTED} else FactStatus.ACTIVE


def _bounded(
    edit: Fact | None, before: Sequence[Fact], told: Sequence[Told], fact_id: UUID, weakest: float
) -> Fact | None:
    """The edit of a derived fact, its confidence no higher than that of its weakest ground; an edit of its own where the
    ground's confidence moved."""
    by_source: dict[str, int] = {}
    for item in told:
        if item.fact_id == fact_id:
            by_source[item.source] = max(by_source.get(item.source, 0), to_points(item.confidence))
    confidence = min(from_points(combine(list(by_source.values()))) if by_source else 1.0, weakest)
    if edit is not None:
        return replace(edit, confidence=confidence)
    if before and by_source and before[0].confidence != confidence:
        return replace(before[0], confidence=confidence, change=Change.REFOLD, reason=None)
    return None


def _link_predecessors(recorded: list[Fact], segments: Sequence[Segment], fresh: set[UUID]) -> None:
    """Says of each new fact what it took over from, where the timeline shows one."""
    held = [item for item in segments if item.standing in (Standing.HELD, Standing.UNSUPPORTED)]
    for position, row in enumerate(recorded):
        if row.fact_id not in fresh or row.supersedes_id is not None or row.valid_from is None:
            continue
        before = [item.id for item in held if item.end == row.valid_from and item.id != row.fact_id]
        if before:
            recorded[position] = replace(row, supersedes_id=before[0])


def _conflicts(segments: Sequence[Segment]) -> Iterable[tuple[UUID, UUID, str]]:
    """Pairs that disagree somewhere: each side of a dispute with each other, each contender with who holds there."""
    disputed: dict[datetime | None, list[UUID]] = defaultdict(list)
    for item in segments:
        if item.standing is Standing.DISPUTED:
            disputed[item.start].append(item.id)
    pairs = [(*pair, "DISPUTE") for ids in disputed.values() for pair in combinations(sorted(set(ids)), 2)]
    holders = [item for item in segments if item.standing in (Standing.HELD, Standing.DISPUTED)]
    for item in segments:
        if item.standing is Standing.CONTENDER:
            pairs += [
                (item.id, other.id, "CONTENDER") for other in holders if other.id != item.id and _overlap(item, other)
            ]
    return dict.fromkeys(pairs)


def _overlap(one: Segment, other: Segment) -> bool:
    begins = one.start is None or other.end is None or one.start < other.end
    return begins and (other.start is None or one.end is None or other.start < one.end)


def _vectors(unit: WriteUnit, edits: Sequence[Edit], recorded: Sequence[Fact]) -> Mapping[UUID, bytes]:
    """Vectors of what is recorded: new ones from the edits, else those the fact's entries already have."""
    given = {edit.fact.fact_id: edit.vectors for edit in edits if edit.vectors is not None}
    missing = {row.fact_id for row in recorded} - set(given)
    return {**unit.vectors(missing), **given}


def _findable(row: Fact) -> str:
    """The words by which a fact is found: its own, and those of its slot that it does not say itself."""
    said = canonical(row.content)
    slot = (None if row.subject == "user" else row.subject, row.predicate, row.qualifier)
    unsaid = [name for name in slot if name and canonical(name) not in said]
    return " ".join([row.content, *unsaid])


def _entry(row: Fact, vectors: bytes) -> IndexItem:
    """The index entry of one version over one period."""
    analysis = analyse(_findable(row))
    return IndexItem(
        kind=ItemKind.FACT,
        ref=row.fact_id,
        placement=row.placement,
        tokens=analysis.tokens,
        vectors=vectors,
        revision=row.revision,
        segment=row.segment,
        session=row.placement.session or "",
        occurred_at=row.stated_from,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        expires_at=row.expires_at,
        hidden_at=row.hidden_at,
        memory_type=row.memory_type.value,
        standing="" if row.standing is None else row.standing.value,
    )
