"""Decisions of reviewers on every backend: what they write, what they refuse, and what is left of two at once.

Belongs here: approve, reject, moved, lapse and resolve through locks and transactions of each database. Does not belong here:
the queue's filters and edges (tests/api).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from uuid import UUID

import pytest

import muniment
from muniment.domain.enums import Basis, CandidateStatus, Eligibility, Scope
from muniment.domain.errors import Conflict, MunimentError
from muniment.domain.reviews import Moved
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

SAID = "deposit: 400 EUR for the ceramics course"


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1))


@pytest.fixture
def memory(store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
    with StoreContract().open(store_url, clock=clock) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana", session="s1")


@pytest.fixture
def rita(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="rita", departments=["kiln"], roles=("reviewer",))


def ask(me: Reader, said: str = SAID) -> UUID:
    receipt = me.observe(said)
    assert [item.outcome for item in receipt.decisions] == ["needs confirmation"]
    return receipt.candidates[0]


def test_an_approval_lands_with_the_owner(memory: Muniment, me: Reader, rita: Reader, clock: SteppingClock) -> None:
    candidate = ask(me)
    clock.move(days=1)
    receipt = memory.review.approve(candidate, by=rita)
    (fact,) = me.facts()
    assert (fact.basis, fact.actor, fact.source_candidate_id) == (Basis.CONFIRMED, "user:rita", candidate)
    assert rita.facts().items == ()
    assert [hit.id for hit in me.search("ceramics deposit", channels=["facts"])] == [fact.id]
    assert memory.review.approve(candidate, by=rita).event == receipt.event
    with pytest.raises(Conflict, match="user:rita"):
        memory.review.reject(candidate, by=me)
    assert memory.review.list(by=rita).items == ()


def test_a_rejection_leaves_the_words_to_the_auditor(memory: Muniment, me: Reader, rita: Reader) -> None:
    candidate = ask(me)
    memory.review.reject(candidate, by=rita, reason="no")
    assert me.facts().items == ()
    assert list(me.search("ceramics deposit")) == []
    item = memory.review.get(candidate, by=me)
    assert item.status is CandidateStatus.REJECTED
    assert [piece.eligibility for piece in item.evidence] == [Eligibility.AUDIT_ONLY]
    assert item.decision is not None
    assert (item.decision.actor, item.decision.reason) == ("user:rita", "no")


def test_a_department_gets_what_its_reviewer_approves(memory: Muniment, rita: Reader) -> None:
    ana = memory.reader(tenant="acme", user="ana", departments=["kiln"])
    (candidate,) = ana.add_fact("The kiln is off on Mondays.", scope="DEPARTMENT").candidates
    with pytest.raises(muniment.Forbidden):
        memory.review.approve(candidate, by=ana)
    memory.review.approve(candidate, by=rita)
    (fact,) = memory.reader(tenant="acme", user="zoe", departments=["kiln"]).facts()
    assert fact.scope is Scope.DEPARTMENT
    assert memory.reader(tenant="acme", user="zoe").facts().items == ()


def test_what_moved_is_not_overwritten(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    fact = me.add_fact("budget: 8000 EUR", predicate="budget", value="8000 EUR").fact_id
    clock.move(days=1)
    candidate = ask(me, "budget: 9000 EUR")
    me.correct(str(fact), value="8500 EUR")
    before = StoreContract().everything(me)
    for answer in (memory.review.approve, memory.review.reject):
        with pytest.raises(Conflict) as caught:
            answer(candidate, by=me)
        difference = caught.value.current
        assert isinstance(difference, Moved)
        assert [row.value for row in difference.then] == ["8000 EUR"]
        assert [row.value for row in difference.now] == ["8500 EUR"]
    assert StoreContract().everything(me) == before
    memory.review.approve(candidate, by=me, expected=memory.review.get(candidate, by=me).state)
    assert [row.value for row in me.facts()] == ["9000 EUR"]


def test_what_nobody_answers_lapses_in_every_tenant(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    other = memory.reader(tenant="Acme", user="ana")
    old = {ask(me), ask(other)}
    clock.move(days=20)
    young = ask(me, "fee: 7 EUR")
    clock.move(days=11)
    assert set(memory.review.lapse()) == old
    assert memory.review.lapse() == ()
    assert [item.id for item in memory.review.list(by=me)] == [young]
    assert {item.reason for item in memory.review.list(by=me, status="REJECTED")} == {"lapsed"}


def test_of_two_answers_at_once_one_counts(memory: Muniment, me: Reader, rita: Reader) -> None:
    candidate = ask(me)
    answers = [(memory.review.approve, rita), (memory.review.reject, me)] * 2
    done: list[str] = []
    refused: list[MunimentError] = []
    start = threading.Barrier(len(answers))

    def answer(place: int) -> None:
        decide, by = answers[place]
        start.wait()
        try:
            done.append("replay" if decide(candidate, by=by).replayed else "first")
        except Conflict as error:
            refused.append(error)

    threads = [threading.Thread(target=answer, args=(place,)) for place in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == ["first", "replay"]
    assert len(refused) == 2
    approved = memory.review.get(candidate, by=me).status is CandidateStatus.ACCEPTED
    assert len(me.facts()) == (1 if approved else 0)


def test_a_conflict_is_resolved_once(memory: Muniment, me: Reader) -> None:
    aisle, window = (
        me.add_fact(f"seat: {name}", predicate="seat", value=name, valid_from=instant(1, month=5)).facts[0]
        for name in ("aisle", "window")
    )
    (item,) = me.conflicts()
    assert {side.value for side in item.sides} == {"aisle", "window"}
    first = me.resolve(item.id, pick=aisle, reason="asked")
    assert me.resolve(item.id, pick=aisle).event == first.event
    with pytest.raises(Conflict):
        me.resolve(item.id, pick=window)
    assert [row.value for row in me.facts(predicate="seat")] == ["aisle"]
    (ended,) = me.conflicts(status="RESOLVED")
    assert (ended.resolved_by, ended.resolution["reason"]) == ("user:ana", "asked")
