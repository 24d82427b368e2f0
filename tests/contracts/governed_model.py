"""What a store should hold, as plainly as it can be kept: a list of statements, each with when it was told and when it left.

An answer is read off the list: those told by then and not yet gone, given to the oracle of the fold, one instant at a time.

Belongs here: the statements, and what each operation does to them by the text of the data model. Does not belong here: the store,
and what is checked of it (`governed_machine`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from tests.properties.oracle import HELD, Stand, begins, covers, oracle

from muniment.domain.statement import Statement, canonical

OWN_TRUST = 80
"""The user's own words, by the default policy."""
SINGLE = frozenset({"residence", "seat", "step"})
"""Two predicates that the catalogue knows as single-valued, and a status key."""
MANY = frozenset({"likes", "gadget"})
"""One that it knows as many-valued, and one that it does not know."""

Place = tuple[str, str]
"""A scope and its target: ('USER', ''), ('SESSION', 's1'), ('TASK', 't1')."""
Seen = tuple[UUID, str, str, str]
"""A fact with its predicate, standing and canonical value."""


@dataclass(frozen=True, slots=True)
class Said:
    """One statement: where, of what, and over which of the model's versions it was believed."""

    statement: Statement
    place: Place
    predicate: str
    told: int
    gone: int | None = None

    @property
    def slot(self) -> tuple[Place, str, str | None]:
        """What it competes in; values of a many-valued predicate do not compete."""
        value = None if self.predicate in SINGLE else canonical(self.statement.value)
        return self.place, self.predicate, value

    @property
    def fact(self) -> UUID:
        """The fact it belongs to."""
        return self.statement.id

    def at(self, version: int) -> bool:
        """Whether it was believed then."""
        return self.told <= version and (self.gone is None or version < self.gone)


@dataclass
class Model:
    """One user's memories."""

    version: int = 0
    said: list[Said] = field(default_factory=list)
    ended: list[tuple[UUID, UUID, datetime, int]] = field(default_factory=list)
    """A value of a many-valued predicate that gave way, what took its place at which instant, and since which version. What takes
    a place says a value that nobody said before, so that its slot is its own."""
    forgotten: set[UUID] = field(default_factory=set)
    known: set[UUID] = field(default_factory=set)
    """Every fact there ever was."""

    # -- reading ------------------------------------------------------------------------------------------------------

    def believed(self, version: int | None = None) -> list[Said]:
        """What is believed, in the order it was told."""
        at = self.version if version is None else version
        return [one for one in self.said if one.at(at)]

    def of(self, fact: UUID) -> list[Said]:
        """What is told of a fact now."""
        return [one for one in self.believed() if one.fact == fact]

    def facts(self, places: Iterable[Place]) -> list[UUID]:
        """The facts in these places that are believed now, in the order they were told."""
        return list(dict.fromkeys(one.fact for one in self.believed() if one.place in set(places)))

    def standing(self, places: Iterable[Place], instant: datetime, version: int | None = None) -> set[Seen]:
        """What a reader of these places should be shown of an instant, contenders included."""
        at = self.version if version is None else version
        slots: dict[tuple[Place, str, str | None], list[Statement]] = {}
        for one in self.believed(at):
            slots.setdefault(one.slot, []).append(one.statement)
        seen: set[Seen] = set()
        for (place, predicate, value), told in slots.items():
            if place in set(places):
                stands = oracle(told, instant) if value is None else self._of_many(told, instant, at)
                seen |= {(fact, predicate, str(standing), text) for fact, standing, text in stands}
        return {one for one in seen if one[0] not in self.forgotten}

    def _of_many(self, told: list[Statement], instant: datetime, version: int) -> set[Stand]:
        """A value holds while anyone says so, in the name of who said it first without a break."""
        bounded = [self._bounded(one, version) for one in told]
        run = next((some for some in runs(bounded) if any(covers(one, instant) for one in some)), None)
        return set() if run is None else {(owner(run), HELD, canonical(run[0].value))}

    def _bounded(self, one: Statement, version: int) -> Statement:
        """A statement, up to where something took its place after it began; what is said of a later time begins anew."""
        ends = [end for end in self._ends(one.id, version) if begins(one) < end]
        return replace(one, end=min([*ends, *([one.end] if one.end else [])], default=None))

    def _ends(self, fact: UUID, version: int) -> list[datetime]:
        """Where that which took the fact's place begins: what is still believed of it at that instant, or after it."""
        ends = []
        for old, new, at, since in self.ended:
            if old == fact and since <= version:
                told = [self._bounded(one.statement, version) for one in self.believed(version) if one.fact == new]
                spans = [(min(map(begins, run)), [one.end for one in run]) for run in runs(told)]
                starts = [start for start, stops in spans if any(stop is None or stop > at for stop in stops)]
                ends += [min(starts)] if starts else []
        return ends

    # -- writing ------------------------------------------------------------------------------------------------------

    def same(self, place: Place, predicate: str, statement: Statement) -> UUID | None:
        """The fact that already says so over a period that overlaps or touches, or None for a new one."""
        slot = Said(statement, place, predicate, 0).slot
        alike = [
            one.fact
            for one in self.believed()
            if one.slot == slot
            and canonical(one.statement.value) == canonical(statement.value)
            and _touch(one.statement, statement)
        ]
        return min(alike, default=None)

    def tell(self, place: Place, predicate: str, statement: Statement) -> None:
        """A statement joins."""
        self.said.append(Said(statement, place, predicate, self.version))
        self.known.add(statement.id)

    def leave(self, fact: UUID) -> list[Said]:
        """All of a fact's statements leave."""
        mine = self.of(fact)
        self.said = [replace(one, gone=self.version) if one in mine else one for one in self.said]
        return mine

    def correct(self, fact: UUID, value: str | None, start: datetime | None, end: datetime | None) -> None:
        """The same fact with another value or period; with both, only over that part of what was stated."""
        mine = self.leave(fact)
        place, predicate = mine[0].place, mine[0].predicate
        told = [one.statement for one in mine]
        first = min(told, key=begins)
        ends = [one.end for one in told if one.end is not None]
        whole = replace(
            first,
            value=first.value if value is None else value,
            start=first.start if start is None else start,
            end=end if end is not None else max(ends) if len(ends) == len(told) else None,
            trust=max(first.trust, OWN_TRUST),
        )
        parts = [whole]
        if value is not None and (start is not None or end is not None):
            parts += [rest for one in told for rest in _outside(one, whole.start, whole.end)]
        for part in sorted(parts, key=begins):
            self.tell(place, predicate, part)


def runs(told: Iterable[Statement]) -> list[list[Statement]]:
    """Statements of one value in groups that follow each other without a break."""
    found: list[list[Statement]] = []
    for one in sorted((one for one in told if one.end is None or begins(one) < one.end), key=begins):
        last = found[-1] if found else []
        if last and any(before.end is None or begins(one) <= before.end for before in last):
            last.append(one)
        else:
            found.append([one])
    return found


def owner(run: Iterable[Statement]) -> UUID:
    """Whose a run is: who said it first."""
    return min((begins(one), one.id) for one in run)[1]


def _outside(one: Statement, start: datetime | None, end: datetime | None) -> list[Statement]:
    """What a statement says of the time before and after a period."""
    parts = []
    if start is not None and begins(one) < start:
        parts.append(replace(one, end=start if one.end is None else min(one.end, start)))
    if end is not None and (one.end is None or one.end > end):
        parts.append(replace(one, start=max(begins(one), end)))
    return parts


def _touch(one: Statement, other: Statement) -> bool:
    return (other.end is None or begins(one) <= other.end) and (one.end is None or begins(other) <= one.end)
