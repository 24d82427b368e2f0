"""A machine that writes and reads as several users of several tenants would, beside a model that is a list of statements.

Every step goes through the public API. After each write the store must say what the model says, at the instants around it and
contenders included; an answer and its token are kept, and asked for again later.

Belongs here: the steps. Does not belong here: what must hold after each (`governed_checks`), the model (`governed_model`), and on
which databases how many steps are taken (`test_governed_machine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from tests.contracts.governed_checks import HOUR, VIEWS, Checked, Owner, at, places, seen
from tests.contracts.governed_model import MANY, OWN_TRUST, SINGLE
from tests.properties.oracle import CONTENDER, begins, instants

from muniment import Conflict, IdempotencyConflict, InvalidInput, NotFound
from muniment.domain.records import Fact, Receipt
from muniment.domain.scope import precedence
from muniment.domain.statement import canonical
from muniment.testing.contract_base import instant

# Few values, hours and trusts: ties and repeats are the rule. The first owner is met most, so that timelines grow long.
owners = st.sampled_from([0, 0, 0, 0, 1, 2, 3])
views = st.integers(0, len(VIEWS) - 1)
values = st.sampled_from(["a", "b", "c", "A."])
singles = sorted(SINGLE)
predicates = st.sampled_from([*singles, *singles, *sorted(MANY)])
hours = st.integers(0, 8)
maybe_hours = st.none() | hours
trusts = st.sampled_from([None, None, OWN_TRUST, 50, 20, 99])
picks = st.integers(0, 1000)
keyed = st.booleans()


class GovernedMachine(Checked):
    """The steps."""

    @initialize(seed=st.integers(0, 2**16))
    def begin(self, seed: int) -> None:
        """Everybody says the same at first, the first owner some more of it."""
        self.random = Random(seed)
        for owner in (0, 0, 0, 1, 2, 3):
            self.said(owner, 0, self.random.choice([*singles, "likes"]), "a", self.random.randrange(6), None)

    # -- writes -------------------------------------------------------------------------------------------------------

    @rule(
        owner=owners, view=views, predicate=predicates, value=values, start=maybe_hours, length=st.none() | st.integers(1, 4),
        trust=trusts, narrow=st.booleans(), key=keyed,
    )  # fmt: skip
    def state(
        self, owner: int, view: int, predicate: str, value: str, start: int | None, length: int | None,
        trust: int | None, narrow: bool, key: bool,
    ) -> None:  # fmt: skip
        """`add_fact` and `set_status`: dated or not, open or bounded, in whatever order, anywhere the reader may."""
        self.said(owner, view, predicate, value, start, length, trust=trust, narrow=narrow, key=key)

    def said(
        self, owner: int, view: int, predicate: str, value: str, start: int | None, length: int | None,
        *, trust: int | None = None, narrow: bool = False, key: bool = False,
    ) -> None:  # fmt: skip
        mine, me = self.owners[owner], self.reader(self.owners[owner], view)
        place = places(view)[-1] if narrow else ("USER", "")
        until = at(start + length) if start is not None and length is not None else None
        given: dict[str, Any] = {"valid_from": at(start), "valid_until": until, "trust": trust, "scope": place[0]}

        def send(key: str | None, value: str = value) -> Receipt:
            if predicate == "step":
                return me.set_status("step", value, idempotency_key=key, **given)
            content = f"{predicate} {value} {mine.mark}"
            return me.add_fact(content, predicate=predicate, value=value, idempotency_key=key, **given)

        receipt = self.write(mine, mine.key(key), send, lambda key: send(key, "z"))
        begun = at(start) or receipt.known_at
        assert begun is not None
        fact = receipt.facts[0]
        if start is None:
            mine.undated.add(fact)
        self.tell(mine, place, predicate, fact, value, begun, until, min(OWN_TRUST, trust or OWN_TRUST))
        self.settled("state", mine, begun, until)

    @rule(
        owner=owners, view=views, lines=st.lists(st.tuples(st.sampled_from(["residence", "seat", "likes", "gadget"]), values),
        min_size=1, max_size=2, unique=True), ago=st.none() | st.integers(0, 6), trust=trusts, key=keyed,
    )  # fmt: skip
    def say(
        self, owner: int, view: int, lines: list[tuple[str, str]], ago: int | None, trust: int | None, key: bool
    ) -> None:
        """`observe`: what was said, and what is read from it; now or some hours ago."""
        mine, me = self.owners[owner], self.reader(self.owners[owner], view)
        occurred = None if ago is None else self.clock.now - ago * HOUR

        def send(key: str | None, more: str = "") -> Receipt:
            text = "\n".join(f"{predicate}: {value}" for predicate, value in lines)
            return me.observe(
                f"{text}\nso said {mine.mark}{more}", occurred_at=occurred, trust=trust, idempotency_key=key
            )

        receipt = self.write(mine, mine.key(key), send, lambda key: send(key, "\nand more"))
        begun = occurred or receipt.known_at
        assert begun is not None
        assert len(receipt.decisions) == len(lines)
        for (predicate, value), decision in zip(lines, receipt.decisions, strict=True):
            assert decision.fact_id is not None
            mine.undated.add(decision.fact_id)
            told = value, begun, None, min(OWN_TRUST, trust or OWN_TRUST)
            self.tell(mine, ("USER", ""), predicate, decision.fact_id, *told)
        self.settled("say", mine, begun)

    def unsaid(self) -> str:
        """A value that nobody ever said."""
        self.fresh += 1
        return f"n{self.fresh}"

    @rule(owner=owners, view=views, pick=picks, value=st.none() | values, hour=hours, key=keyed)
    def change(self, owner: int, view: int, pick: int, value: str | None, hour: int, key: bool) -> None:
        """The world changed: a new fact takes over; without a value, nobody knows. What is many-valued gives way to a value
        that was never said before."""
        if (picked := self.pick(owner, view, pick)) is None:
            return
        mine, me, fact = picked
        one = mine.model.of(fact)[0]
        if one.predicate in MANY:
            value = self.unsaid()
        when = None if fact in mine.undated else at(hour)

        def send(key: str | None, reason: str = "moved") -> Receipt:
            content = None if value is None else f"{one.predicate} {value} {mine.mark}"
            return me.change(fact, value=value, content=content, at=when, reason=reason, idempotency_key=key)

        receipt = self.write(mine, mine.key(key), send, lambda key: send(key, "another reason"))
        begun = when or receipt.known_at
        assert begun is not None
        new = receipt.facts[0]
        told = value or f"{one.predicate}: unknown"
        self.tell(mine, one.place, one.predicate, new, told, begun, None, OWN_TRUST)
        if one.predicate in MANY:
            mine.model.ended.append((fact, new, begun, mine.model.version))
        self.settled("change", mine, begun, one.statement.start)

    @rule(owner=owners, view=views, pick=picks, value=st.none() | values, start=maybe_hours, end=maybe_hours, key=keyed)
    def correct(
        self, owner: int, view: int, pick: int, value: str | None, start: int | None, end: int | None, key: bool
    ) -> None:
        """The record was wrong: other words, another period, or other words over a part of it."""
        if (picked := self.pick(owner, view, pick)) is None:
            return
        mine, me, fact = picked
        told = mine.model.of(fact)
        predicate, several = told[0].predicate, len({canonical(one.statement.value) for one in told}) > 1
        if value is None and (several or (start, end) == (None, None)):
            value = "b"
        if predicate in MANY and value is not None:
            start = end = None
            value = self.unsaid() if any(new == fact for _, new, *_ in mine.model.ended) else value
        first, last = at(start), at(end)

        def send(key: str | None, reason: str = "misheard") -> Receipt:
            content = None if value is None else f"{predicate} {value} {mine.mark}"
            given: dict[str, Any] = {"valid_from": first, "valid_until": last, "reason": reason, "idempotency_key": key}
            return me.correct(fact, value=value, content=content, **given)

        begun = first or min(begins(one.statement) for one in told)
        ends = [one.statement.end for one in told if one.statement.end is not None]
        stops = last or (max(ends) if len(ends) == len(told) else None)
        if stops is not None and stops <= begun:
            self.unchanged(mine, lambda: send(None), InvalidInput)
            self.settled("correct in vain", mine, begun)
            return
        receipt = self.write(mine, mine.key(key), send, lambda key: send(key, "misread"))
        assert receipt.facts == (fact,)
        mine.model.correct(fact, value, first, last)
        self.settled("correct", mine, begun, stops)

    @rule(owner=owners, view=views, pick=picks, forget=st.booleans(), key=keyed)
    def take_back(self, owner: int, view: int, pick: int, forget: bool, key: bool) -> None:
        """`invalidate`, or `forget`: what was believed before it extends again; nothing says the forgotten any more."""
        if (picked := self.pick(owner, view, pick)) is None:
            return
        mine, me, fact = picked

        def send(key: str | None, reason: str = "not so") -> Receipt:
            if forget:
                return me.forget(fact=fact, reason=reason, idempotency_key=key)
            return me.invalidate(fact, reason=reason, idempotency_key=key)

        self.write(mine, mine.key(key), send, lambda key: send(key, "no"))
        left = mine.model.leave(fact)
        if forget:
            mine.model.forgotten.add(fact)
        for act in (me.history, me.explain) if forget else ():
            with pytest.raises(NotFound):
                act(fact)
        self.unchanged(mine, lambda: me.change(fact, value="a", at=at(3)), NotFound)
        self.unchanged(mine, lambda: me.forget(fact=fact), NotFound)
        self.settled("forget" if forget else "invalidate", mine, left[0].statement.start, left[-1].statement.end)

    @rule(owner=owners, view=views, pick=picks, value=values, early=st.booleans())
    def expect(self, owner: int, view: int, pick: int, value: str, early: bool) -> None:
        """A correction of the revision that was read goes through; of any other it is refused."""
        if (picked := self.pick(owner, view, pick)) is None:
            return
        mine, me, fact = picked
        if any(new == fact for _, new, *_ in mine.model.ended):
            value = self.unsaid()
        revision = max(one.revision for one in me.history(fact) if one.id == fact)
        content = f"{mine.model.of(fact)[0].predicate} {value} {mine.mark}"
        given: dict[str, Any] = {"value": value, "content": content}
        wrong = revision - 1 if early else revision + 1
        self.unchanged(mine, lambda: me.correct(fact, **given, expected_revision=wrong), Conflict)
        self.write(
            mine, None, lambda _: me.correct(fact, **given, expected_revision=revision), lambda _: me.forget(fact=fact)
        )
        mine.model.correct(fact, value, None, None)
        self.settled("expect", mine, mine.model.of(fact)[0].statement.start)

    # -- sent again ---------------------------------------------------------------------------------------------------

    @rule(owner=owners, pick=picks, other=st.booleans())
    def send_again(self, owner: int, pick: int, other: bool) -> None:
        """Invariant 5: the same body is answered as at first and changes nothing; another one is refused."""
        mine = self.owners[owner]
        if not mine.sent:
            return
        sent = mine.sent[pick % len(mine.sent)]
        if other:
            self.unchanged(mine, sent.other, IdempotencyConflict)
        else:
            before, again = self.marks(mine), sent.again()
            assert self.marks(mine) == before
            assert again.replayed
            assert (again.event, again.facts, again.evidence, again.lines, again.known_at) == (
                sent.receipt.event, sent.receipt.facts, sent.receipt.evidence, sent.receipt.lines, sent.receipt.known_at,
            )  # fmt: skip
        self.settled("another body" if other else "send again", mine)

    # -- time and reads -----------------------------------------------------------------------------------------------

    @rule(owner=owners, view=views, hour=st.integers(-1, 14), pick=picks, minutes=st.sampled_from([0, 1, 20, 60, 300]))
    def ask(self, owner: int, view: int, hour: int, pick: int, minutes: int) -> None:
        """Any reader, of any instant, as of any earlier answer: what the model says was believed then. Only here does the
        clock go on; it stands otherwise."""
        mine = self.owners[owner]
        self.clock.move(minutes=minutes)
        kept = mine.kept[pick % len(mine.kept)] if mine.kept else None
        self.asked(mine, view, instant(2, hour), kept)
        self.tally["ask"] += 1

    @rule(owner=owners, pick=picks)
    def ask_again(self, owner: int, pick: int) -> None:
        """Invariant 3: an earlier answer is given again, but for what was forgotten since."""
        mine = self.owners[owner]
        if mine.kept:
            self.given_again(mine, mine.kept[pick % len(mine.kept)])
            self.tally["ask again"] += 1

    @rule(owner=owners, view=views, predicate=predicates)
    def get(self, owner: int, view: int, predicate: str) -> None:
        """`get` and `search`: the narrowest of what holds now, and nothing that does not."""
        mine, me = self.owners[owner], self.reader(self.owners[owner], view)
        now = max(self.clock.now, mine.last or self.clock.now)
        standing = mine.model.standing(places(view), now)
        holding = {one for one in standing if one[1] == predicate and one[2] != CONTENDER}
        fact = me.get(predicate)
        assert (fact is None) == (not holding)
        if fact is not None:
            assert seen([fact])[0] in holding
            narrowest = {one.place for one in mine.model.believed() if one.fact in {one[0] for one in holding}}
            scopes = [place[0] for place in narrowest]
            assert fact.placement.scope == next(scope for scope in ("TASK", "SESSION", "USER") if scope in scopes)
            assert precedence(fact.placement) >= 3
        for hit in me.search(f"{predicate} a", k=20):
            assert hit.item.placement.user == mine.user
            if isinstance(hit.item, Fact):
                self.native(mine, [hit.item])
                assert seen([hit.item])[0] in standing
            else:
                assert not any(one.mark in hit.text for one in self.owners if one is not mine)
        self.tally["get"] += 1

    @rule(owner=owners, view=views, pick=picks)
    def look_back(self, owner: int, view: int, pick: int) -> None:
        """`history` and `explain`: versions without a gap, each of them grounded (invariant 4)."""
        if (picked := self.pick(owner, view, pick)) is None:
            return
        mine, me, fact = picked
        rows = me.history(fact)
        self.native(mine, rows)
        assert not {one.id for one in rows} & mine.model.forgotten
        own = [one for one in rows if one.id == fact]
        revisions = sorted({one.revision for one in own})
        assert revisions == list(range(1, len(revisions) + 1))
        begun = {one.revision: one.recorded_at for one in own}
        ended = {one.revision: one.retracted_at for one in own}
        assert all(ended[number] == begun[number + 1] for number in revisions[:-1])
        assert ended[revisions[-1]] is None
        told = me.explain(fact)
        assert told.evidence
        assert {piece.event_id for piece in told.evidence} == {event.event_id for event in told.events}
        self.tally["look back"] += 1

    @rule(owner=owners, other=owners, view=views, pick=picks)
    def intrude(self, owner: int, other: int, view: int, pick: int) -> None:
        """Nobody reads or changes another's facts by their id."""
        picked = self.pick(owner, 4, pick)
        if picked is None or owner == other:
            return
        fact, them = picked[2], self.owners[other]
        me = self.reader(them, view)
        for act in (
            lambda: me.history(fact), lambda: me.explain(fact), lambda: me.change(fact, value="a"),
            lambda: me.invalidate(fact), lambda: me.forget(fact=fact),
        ):  # fmt: skip
            self.unchanged(them, act, NotFound)
        self.settled("intrude", picked[0], at(4))

    # -- the end ------------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        if not hasattr(self, "random"):
            return
        for owner in self.owners:
            told = [one.statement for one in owner.model.said]
            for when in instants(told)[:20] if told else []:
                self.asked(owner, 4, when, None)
            for kept in owner.kept[:: max(1, len(owner.kept) // 12)]:
                self.given_again(owner, kept)
        longest = max(self.owners, key=lambda owner: len(owner.model.believed()))
        self.told_in_another_order(longest)

    def told_in_another_order(self, owner: Owner) -> None:
        """Invariant 2: the statements that are believed, told anew to a tenant that knows nothing, in another order and some
        of them twice, give the same timeline, contenders and disputes included."""
        said = [one for one in owner.model.believed() if one.predicate in SINGLE]
        slots = list(dict.fromkeys(one.slot for one in said))[:3]
        again = [one for one in said if one.slot in slots]
        retold = again + again[::4]
        self.random.shuffle(retold)
        anew = Owner(f"anew-{owner.tenant}", owner.user)
        for one in retold:
            told, view = one.statement, next(number for number in range(4) if one.place in places(number))
            given: dict[str, Any] = {"valid_from": told.start, "valid_until": told.end, "trust": told.trust}
            given |= {"type": "STATUS"} if one.predicate == "step" else {}
            self.reader(anew, view).add_fact(
                f"{one.predicate} {told.value}", predicate=one.predicate, value=told.value, scope=one.place[0], **given
            )
        for when in instants(one.statement for one in again) if again else []:
            for view in (2, 4):
                assert self.shown(anew, view, when, slots) == self.shown(owner, view, when, slots)
        self.tally["told in another order"] += 1

    def shown(self, owner: Owner, view: int, when: datetime, slots: Sequence[Any]) -> list[tuple[Any, ...]]:
        """What stands in these slots, ids aside."""
        facts = self.reader(owner, view).facts(valid_at=when, include_contenders=True, limit=1000)
        stands = [
            ((str(one.scope), one.placement.session or one.placement.task or ""), one.predicate, one.standing, one)
            for one in facts
        ]
        return sorted(
            (place, predicate, standing, canonical(one.value or one.content))
            for place, predicate, standing, one in stands
            if (place, predicate, None) in slots
        )
