"""Questions whose target moved after they were asked: a conflict that shows the difference, and nothing overwritten.

Belongs here: re-validation at the instant of the decision. Does not belong here: the queue itself (test_review.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

import muniment
from muniment.domain.enums import CandidateStatus
from muniment.domain.records import Candidate
from muniment.domain.reviews import Moved
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

Moves = Callable[[Reader, UUID], Any]
MOVES: dict[str, tuple[Moves, tuple[int, int, int]]] = {
    "changed": (lambda me, fact: me.correct(fact, value="8500 EUR"), (1, 0, 0)),
    "gone": (lambda me, fact: me.invalidate(fact, reason="never said"), (0, 1, 0)),
    "forgotten": (lambda me, fact: me.forget(fact=fact), (0, 1, 0)),
    "new": (lambda me, fact: me.change(fact, value="9900 EUR"), (1, 0, 1)),
}
"""What may happen to the fact that a question is about: what does it, and how many then changed, went and came."""


@pytest.fixture
def fact(me: Reader, clock: SteppingClock) -> UUID:
    """The budget that is held when the question is asked."""
    made = me.add_fact("budget: 8000 EUR", predicate="budget", value="8000 EUR").fact_id
    clock.move(days=1)
    assert made is not None
    return made


@pytest.fixture
def candidate(me: Reader, fact: UUID, clock: SteppingClock) -> UUID:
    """A question whether the budget is another one."""
    more = Candidate(
        content="budget: 12000 EUR", predicate="budget", value="12000 EUR", confidence=0.9, valid_from_known=False
    )
    (decision,) = me.propose([more])
    assert decision.outcome == "needs confirmation"
    clock.move(days=1)
    return decision.candidate_id


def everything(me: Reader) -> list[tuple[Any, ...]]:
    """All that is held, and all that was."""
    rows = me.facts(include_contenders=True)
    return sorted((row.id, row.revision, row.value, row.recorded_at) for fact in rows for row in me.history(fact.id))


def status(memory: Muniment, me: Reader, candidate: UUID) -> CandidateStatus:
    return memory.review.get(candidate, by=me).status


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("answer", ["approve", "reject", "edit"])
def test_an_answer_after_the_target_moved_is_a_conflict_with_the_difference(
    memory: Muniment, me: Reader, fact: UUID, candidate: UUID, move: str, answer: str
) -> None:
    happens, expected = MOVES[move]
    happens(me, fact)
    before = everything(me)
    given = {"value": "12500 EUR"} if answer == "edit" else {}
    with pytest.raises(muniment.Conflict) as caught:
        getattr(memory.review, answer)(candidate, by=me, **given)
    difference = caught.value.current
    assert isinstance(difference, Moved)
    assert tuple(map(len, (difference.changed, difference.gone, difference.new))) == expected
    if move != "forgotten":
        assert [row.value for row in difference.then] == ["8000 EUR"]
    assert [(row.id, row.value) for row in difference.now] == [
        (row.id, row.value) for row in memory.review.get(candidate, by=me).now
    ]
    assert everything(me) == before
    assert status(memory, me, candidate) is CandidateStatus.NEEDS_CONFIRMATION


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_whoever_saw_what_it_is_now_may_answer_all_the_same(
    memory: Muniment, me: Reader, fact: UUID, candidate: UUID, move: str, answer: str
) -> None:
    MOVES[move][0](me, fact)
    item = memory.review.get(candidate, by=me)
    assert item.moved
    getattr(memory.review, answer)(candidate, by=me, expected=item.state)
    wanted = CandidateStatus.ACCEPTED if answer == "approve" else CandidateStatus.REJECTED
    assert status(memory, me, candidate) is wanted
    # What the world became after the question was said holds on; what the question said held until then.
    held = {row.value for row in me.facts(valid_at=item.asked_at)}
    assert ("12000 EUR" in held) is (answer == "approve")


def test_what_was_seen_must_be_what_is_there(memory: Muniment, me: Reader, fact: UUID, candidate: UUID) -> None:
    """A state that was seen and has moved again does not pass, also where it is the one of the question."""
    asked = memory.review.get(candidate, by=me).state
    me.correct(fact, value="8500 EUR")
    seen = memory.review.get(candidate, by=me).state
    me.correct(fact, value="8600 EUR")
    for state in (asked, seen, "nonsense"):
        with pytest.raises(muniment.Conflict):
            memory.review.approve(candidate, by=me, expected=state)
    assert [row.value for row in me.facts()] == ["8600 EUR"]


def test_another_slot_or_the_passing_of_time_moves_nothing(
    memory: Muniment, me: Reader, fact: UUID, candidate: UUID, clock: SteppingClock
) -> None:
    me.add_fact("lives in Lund", predicate="residence", value="Lund")
    memory.reader(tenant="acme", user="bo").add_fact("budget: 1 EUR", predicate="budget", value="1 EUR")
    clock.move(days=20)
    assert not memory.review.get(candidate, by=me).moved
    memory.review.approve(candidate, by=me)
    assert "12000 EUR" in {row.value for row in me.facts()}


def test_a_period_that_ends_by_itself_moves_nothing(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    until = clock.now.replace(day=clock.now.day + 2)
    me.add_fact("预算：8000元", predicate="budget", value="8000元", valid_until=until)
    (asked,) = me.propose([Candidate(content="预算：12000元", predicate="budget", value="12000元", confidence=0.9)])
    clock.move(days=5)
    memory.review.approve(asked.candidate_id, by=me)
    assert [row.value for row in me.facts()] == ["12000元"]


def test_a_fact_that_is_doubted_and_was_changed_since(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    base = me.add_fact("home base: Osverra", predicate="home base", value="Osverra").fact_id
    dentist = me.add_fact("dentist: Dr Teld", predicate="dentist", value="Dr Teld", derived_from=[str(base)]).fact_id
    clock.move(days=2)
    me.change(str(base), value="Lund")
    (item,) = memory.review.list(by=me)
    clock.move(days=1)
    me.correct(str(dentist), value="Dr Tell", reason="a slip of the pen")
    for answer in (memory.review.approve, memory.review.reject):
        with pytest.raises(muniment.Conflict) as caught:
            answer(item.id, by=me)
        assert isinstance(caught.value.current, Moved)
        assert caught.value.current.changed == (dentist,)
