"""What must hold of a store after every step of the governed machine, whoever asks: one place for its assertions.

Belongs here: who writes, what is remembered of earlier answers, and the comparisons with the model. Does not belong here: the
steps (`governed_machine`), the model (`governed_model`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis.stateful import RuleBasedStateMachine
from tests.contracts.governed_model import SINGLE, Model, Place, Seen
from tests.properties.oracle import CONTENDER, DISPUTED, HELD

from muniment.domain.answers import Page
from muniment.domain.records import Fact, Receipt
from muniment.domain.statement import Statement, canonical
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

HOUR = timedelta(hours=1)
VIEWS: tuple[tuple[str | None, str | None], ...] = (
    (None, None),
    ("s1", None),
    ("s2", None),
    (None, "t1"),
    ("s1", "t1"),
)
"""Sessions and tasks to read and write from."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer, how it was asked for, and as of which of the model's versions."""

    view: int
    valid_at: datetime
    token: Any
    version: int
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """A write under a key: how to send it again, how to send another body, and what it was answered."""

    again: Callable[[], Receipt]
    other: Callable[[], Receipt]
    receipt: Receipt


@dataclass
class Owner:
    """One user of one tenant: what is modelled of them, and what was asked and sent."""

    tenant: str
    user: str
    model: Model = field(default_factory=Model)
    kept: list[Kept] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    undated: set[UUID] = field(default_factory=set)
    last: datetime | None = None

    @property
    def mark(self) -> str:
        """A word that stands in all of this owner's texts, and in nobody else's."""
        return f"{self.tenant}-{self.user}"

    def key(self, wanted: bool) -> str | None:
        """A fresh key. Others use the same ones."""
        return f"k{len(self.sent)}" if wanted else None


def places(view: int) -> list[Place]:
    """What a reader there sees."""
    session, task = VIEWS[view]
    found: list[Place] = [("USER", "")]
    return found + ([("SESSION", session)] if session else []) + ([("TASK", task)] if task else [])


def at(hour: int | None) -> datetime | None:
    """An instant of the few that are spoken of."""
    return None if hour is None else instant(2, hour)


def seen(facts: Sequence[Fact]) -> list[Seen]:
    """Facts as the model writes them."""
    return [(one.id, str(one.predicate), str(one.standing), canonical(one.value or one.content)) for one in facts]


def row(fact: Fact) -> tuple[Any, ...]:
    """What must not change of a past answer."""
    names = (
        "id",
        "revision",
        "segment",
        "content",
        "value",
        "standing",
        "trust",
        "confidence",
        "valid_from",
        "valid_until",
    )
    return tuple(getattr(fact, name) for name in names)


class Checked(RuleBasedStateMachine):
    """Four users, two of each name and two of each tenant, over one store."""

    random: Random

    def __init__(self, memory: Muniment, clock: SteppingClock, number: int, tally: Counter[str]) -> None:
        super().__init__()
        self.memory, self.clock, self.tally = memory, clock, tally
        self.owners = [Owner(f"{way}{number}", user) for way in ("north", "south") for user in ("ana", "ben")]
        self.fresh = 0
        clock.to(instant(2))

    # -- access -------------------------------------------------------------------------------------------------------

    def reader(self, owner: Owner, view: int = 0) -> Reader:
        session, task = VIEWS[view]
        return self.memory.reader(tenant=owner.tenant, user=owner.user, session=session, task=task)

    def pick(self, owner: int, view: int, pick: int) -> tuple[Owner, Reader, UUID] | None:
        """One of the facts that are believed and seen there."""
        mine = self.owners[owner]
        facts = mine.model.facts(places(view))
        return (mine, self.reader(mine, view), facts[pick % len(facts)]) if facts else None

    def write(
        self,
        owner: Owner,
        key: str | None,
        send: Callable[[str | None], Receipt],
        other: Callable[[str | None], Receipt],
    ) -> Receipt:
        """A first sending: later than all before, and remembered under its key."""
        receipt = send(key)
        assert not receipt.replayed
        assert receipt.known_at is not None
        assert owner.last is None or receipt.known_at > owner.last
        assert receipt.known_at >= self.clock.now
        owner.last = receipt.known_at
        owner.model.version += 1
        if key is not None:
            owner.sent.append(Sent(lambda: send(key), lambda: other(key), receipt))
        return receipt

    def tell(
        self, owner: Owner, place: Place, predicate: str, fact: UUID, value: str, start: datetime, end: datetime | None,
        trust: int,
    ) -> None:  # fmt: skip
        """The model hears a statement; the store must have put it where the model would."""
        said = Statement(id=fact, value=value, start=start, end=end, trust=trust)
        same = owner.model.same(place, predicate, said)
        if same is None:
            assert all(fact not in one.model.known for one in self.owners)
        else:
            assert fact == same
        owner.model.tell(place, predicate, said)

    # -- checks -------------------------------------------------------------------------------------------------------

    def settled(self, kind: str, owner: Owner, *around: datetime | None) -> None:
        """After a step: the store says what the model says, around these instants, to some reader."""
        self.tally[kind] += 1
        view = self.random.randrange(len(VIEWS))
        moments = [when for when in around if when is not None][:2] or [self.clock.now]
        for when in (*moments, self.random.choice(moments) - HOUR / 2):
            self.asked(owner, view, when, None)

    def asked(self, owner: Owner, view: int, valid_at: datetime, kept: Kept | None) -> Page[Fact]:
        """Asks, as of an earlier answer's token if given; the answer must be the model's."""
        known_at = None if kept is None else kept.token
        page = self.reader(owner, view).facts(valid_at=valid_at, known_at=known_at, include_contenders=True, limit=1000)
        version = owner.model.version if kept is None else kept.version
        assert sorted(seen(page.items)) == sorted(owner.model.standing(places(view), valid_at, version))
        self.native(owner, page.items)
        self.one_value(page.items, gaps=kept is not None and bool(owner.model.forgotten))
        if kept is None:
            assert page.known_at is not None
            token = self.random.choice([page.known_at, page.known_at.text])  # type: ignore[attr-defined]
            owner.kept.append(Kept(view, valid_at, token, version, tuple(map(row, page.items))))
        return page

    def native(self, owner: Owner, facts: Sequence[Fact]) -> None:
        """Not one row of anybody else's."""
        for fact in facts:
            assert fact.id in owner.model.known
            assert fact.placement.user == owner.user
            assert not any(one.mark in fact.content for one in self.owners if one is not owner)

    @staticmethod
    def one_value(facts: Sequence[Fact], *, gaps: bool) -> None:
        """Invariant 1: of a single-valued slot one value, a dispute, or none. An earlier answer with `gaps`, from which some fact
        was forgotten since, may hold one side of a dispute alone: it is told as it was, but for what was forgotten."""
        slots: dict[Any, list[Fact]] = {}
        for fact in facts:
            if fact.predicate in SINGLE and fact.standing is not CONTENDER:
                slots.setdefault((fact.placement, fact.predicate), []).append(fact)
        for some in slots.values():
            assert [one.standing for one in some] in ([HELD], [DISPUTED] * max(1 if gaps else 2, len(some)))
            assert len({canonical(one.value or one.content) for one in some}) == len(some)

    def unchanged(self, owner: Owner, refused: Callable[[], object], error: type[Exception]) -> None:
        """A write that is refused, with that error, and leaves everything as it was."""
        before = self.marks(owner)
        with pytest.raises(error):
            refused()
        assert self.marks(owner) == before

    def marks(self, owner: Owner) -> tuple[Any, ...]:
        """How far the owner's memories have been written, and how much there is of them."""
        me = self.reader(owner)
        return me.facts(limit=1).known_at.marks, dict(self.memory.counts(reader=me))  # type: ignore[union-attr]

    def given_again(self, owner: Owner, kept: Kept) -> None:
        """Asks again; only what was forgotten since is missing."""
        page = self.asked(owner, kept.view, kept.valid_at, kept)
        assert list(map(row, page.items)) == [one for one in kept.rows if one[0] not in owner.model.forgotten]
