"""How far the grounds of derived facts reach, and from when a declared successor takes over.

A ground holds where it is on its own timeline and, where it is derived itself, where its own grounds hold: the least set
of that kind, so that facts which only rest on each other hold nothing up.

Belongs here: reading that from a unit of work. Does not belong here: what it does to a timeline (domain/grounding.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import DependencyKind, FactStatus, Standing
from muniment.domain.grounding import ALWAYS, NEVER, Cover, Support, complement, intersection, reaching, union
from muniment.domain.records import Dependency, Fact
from muniment.domain.statement import canonical
from muniment.governance.sameness import same_value
from muniment.ingestion.slots import fact_slot
from muniment.ports.store import Told, WriteUnit

PLACED = frozenset({Standing.HELD, Standing.DISPUTED, Standing.UNSUPPORTED})
"""Standings on the timeline. An unsupported ground was there; whether it still carries is asked of its own grounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """From when a successor's value holds, and the fact whose coming brought it about."""

    at: datetime | None
    cause: UUID


@dataclass(slots=True)
class _Grounds:
    """Facts with everything below them: their spans, what they hang on, where they also stand by themselves, and where they
    were told on the ground of others."""

    bases: dict[UUID, Cover] = field(default_factory=dict)
    roots: dict[UUID, list[Dependency]] = field(default_factory=lambda: defaultdict(list))
    own: dict[UUID, Cover] = field(default_factory=dict)
    leant: dict[UUID, Cover] = field(default_factory=dict)
    confidence: dict[UUID, float] = field(default_factory=dict)
    evidence: set[UUID] = field(default_factory=set)


def supports(unit: WriteUnit, policy: Policy, fact_ids: Iterable[UUID]) -> dict[UUID, Support]:
    """The support of each of these facts that hangs on anything; the others are not in it."""
    wanted = list(dict.fromkeys(fact_ids))
    links = unit.dependencies(of=wanted)
    if not links:
        return {}
    grounds = _gathered(unit, wanted)
    covers = _covers(grounds)
    found: dict[UUID, Support] = {}
    for fact_id in dict.fromkeys(link.fact_id for link in links):
        derived = grounds.roots.get(fact_id, [])
        reaches = [reaching(_root_cover(link, covers, grounds)) for link in derived]
        rules = [link for link in links if link.fact_id == fact_id and link.kind is DependencyKind.SUCCESSOR]
        ends = [when.at for rule in rules if (when := takeover(unit, policy, rule)) is not None and when.at is not None]
        ends += _ends(unit, [link for link in links if link.fact_id == fact_id and link.kind is DependencyKind.ENDED])
        found[fact_id] = Support(
            cover=union([*reaches, grounds.own.get(fact_id, NEVER)]) if derived else ALWAYS,
            full=union([_all(reaches), complement(grounds.leant.get(fact_id, ALWAYS))]),
            ends=tuple(sorted(set(ends))),
            weakest=min(
                (grounds.confidence.get(link.root_fact_id or link.fact_id, 1.0) for link in derived), default=1.0
            ),
        )
    return found


def _ends(unit: WriteUnit, links: Sequence[Dependency]) -> list[datetime]:
    """Where what a fact was changed to begins, as far as that is believed: the start of what holds of it at the change, or
    after it."""
    found = []
    rows = unit.live(fact_ids=[link.root_fact_id for link in links if link.root_fact_id is not None]) if links else []
    for link in links:
        starts = [
            row.valid_from
            for row in rows
            if row.fact_id == link.root_fact_id
            and _stands(row)
            and row.valid_from is not None
            and (link.said_at is None or row.valid_until is None or row.valid_until > link.said_at)
        ]
        if starts:
            found.append(min(starts))
    return found


def _gathered(unit: WriteUnit, fact_ids: Sequence[UUID]) -> _Grounds:
    """The facts and all they hang on, level by level."""
    grounds = _Grounds()
    level = list(fact_ids)
    while level:
        told = unit.told(fact_ids=level)
        for item in told:
            side = grounds.leant if item.derived else grounds.own
            side[item.fact_id] = union([side.get(item.fact_id, NEVER), _stated(item)])
        for row in unit.live(fact_ids=level):
            grounds.bases[row.fact_id] = union([grounds.bases.get(row.fact_id, NEVER), _span(row)])
            grounds.confidence[row.fact_id] = row.confidence
        links = [link for link in unit.dependencies(of=level) if link.kind is DependencyKind.DERIVED]
        for link in links:
            grounds.roots[link.fact_id].append(link)
        named = [link.root_evidence_id for link in links if link.root_evidence_id is not None]
        grounds.evidence |= unit.standing_evidence(named)
        for fact_id in level:
            grounds.bases.setdefault(fact_id, NEVER)
        below = dict.fromkeys(link.root_fact_id for link in links if link.root_fact_id is not None)
        level = [fact_id for fact_id in below if fact_id not in grounds.bases]
    return grounds


def _stated(item: Told) -> Cover:
    """Where a statement holds by its own word."""
    return ((item.stated_from, item.stated_until),) if item.placed else ALWAYS


def _span(row: Fact) -> Cover:
    if row.hidden_at is not None or row.status is FactStatus.INVALIDATED:
        return NEVER
    if row.standing is Standing.UNPLACED:
        return ALWAYS
    return ((row.valid_from, row.valid_until),) if row.standing in PLACED else NEVER


def _covers(grounds: _Grounds) -> Mapping[UUID, Cover]:
    """Where each fact holds: its spans, within what carries it. Begun from nothing, so that a circle carries nothing."""
    covers: dict[UUID, Cover] = {
        fact_id: intersection(base, grounds.own.get(fact_id, NEVER)) if grounds.roots.get(fact_id) else base
        for fact_id, base in grounds.bases.items()
    }
    for _ in grounds.bases:
        before = dict(covers)
        for fact_id, links in grounds.roots.items():
            own = grounds.own.get(fact_id, NEVER)
            carried = union([own, *(reaching(_root_cover(link, covers, grounds)) for link in links)])
            covers[fact_id] = intersection(grounds.bases[fact_id], carried)
        if covers == before:
            break
    return covers


def _root_cover(link: Dependency, covers: Mapping[UUID, Cover], grounds: _Grounds) -> Cover:
    if link.root_fact_id is not None:
        return covers.get(link.root_fact_id, NEVER)
    return ALWAYS if link.root_evidence_id in grounds.evidence else NEVER


def _all(covers: Sequence[Cover]) -> Cover:
    common = ALWAYS
    for cover in covers:
        common = intersection(common, cover)
    return common


def takeover(unit: WriteUnit, policy: Policy, rule: Dependency) -> Takeover | None:
    """When the successor of a rule takes over: at the first change of its root that was not on record yet when the rule was
    said, to `when_value` where it names one, and that no nearer or later rule answers; None while there is none. A rule ends
    with the fact it was said of."""
    held = [row for row in unit.live(fact_ids=[rule.fact_id]) if row.hidden_at is None]
    if not held or held[0].status is FactStatus.INVALIDATED or rule.root_fact_id is None:
        return None
    for row in changes(unit, policy, rule.root_fact_id):
        late = rule.said_at is None or (row.valid_from is not None and row.valid_from > rule.said_at)
        if late and _fits(rule, row) and _first(unit, rule, row):
            return Takeover(at=row.valid_from, cause=row.fact_id)
    return None


def _fits(rule: Dependency, change: Fact) -> bool:
    return rule.when_value is None or same_value(change.value or change.content, rule.when_value)


def _first(unit: WriteUnit, rule: Dependency, change: Fact) -> bool:
    """Whether a rule goes before the others of the same fact and root: the one for this very value, then the last said."""
    rivals = [
        link
        for link in unit.dependencies(of=[rule.fact_id])
        if link.kind is DependencyKind.SUCCESSOR and link.root_fact_id == rule.root_fact_id and _fits(link, change)
    ]
    ahead = max(
        rivals, key=lambda link: (link.when_value is not None, str(link.recorded_at), link.dependency_id), default=rule
    )
    return ahead.dependency_id == rule.dependency_id


def changes(unit: WriteUnit, policy: Policy, root: UUID) -> list[Fact]:
    """What took the root's place, one after the other: the later values of its slot, and the facts that superseded it."""
    rows = unit.live(fact_ids=[root])
    if not rows:
        return []
    value = canonical(rows[0].value or rows[0].content)
    found = {row.fact_id: row for row in _later(unit.live(slots=[fact_slot(policy, rows[0])]), rows, value)}
    chain, level = {root}, [root]
    while level:
        followers = [row for row in unit.followers(level) if row.fact_id not in chain and _stands(row)]
        found |= {row.fact_id: row for row in followers}
        level = list(dict.fromkeys(row.fact_id for row in followers))
        chain |= set(level)
    return sorted(found.values(), key=lambda row: (str(row.valid_from), row.fact_id))


def _stands(row: Fact) -> bool:
    return row.hidden_at is None and row.standing in PLACED and row.valid_from is not None


def _later(slot: Sequence[Fact], root: Sequence[Fact], value: str) -> list[Fact]:
    """The slot's other values that begin where the root once held."""
    ends = {row.valid_until for row in root if row.valid_until is not None}
    since = min(ends, default=None)
    return [
        row
        for row in slot
        if _stands(row)
        and canonical(row.value or row.content) != value
        and since is not None
        and row.valid_from is not None
        and row.valid_from >= since
    ]
