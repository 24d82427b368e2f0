"""Facts that disagree: listed with both sides, and ended by a person's word.

Belongs here: `conflicts` and `resolve` of a reader. Does not belong here: when facts disagree (contracts, properties).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

import muniment
from muniment.domain.enums import Scope, Standing
from muniment.domain.records import Fact
from muniment.domain.reviews import ConflictItem
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock


def seat(me: Reader, value: str, day: int = 1, **given: Any) -> UUID:
    fact = me.add_fact(
        f"seat: {value}", predicate="seat", value=value, valid_from=instant(day, month=1), **given
    ).fact_id
    assert fact is not None
    return fact


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(20, month=1))


@pytest.fixture
def dispute(me: Reader) -> tuple[UUID, UUID]:
    """Two seats since the same instant, by the same word."""
    return seat(me, "aisle"), seat(me, "window")


def only(me: Reader, **given: Any) -> ConflictItem:
    (item,) = me.conflicts(**given)
    return item


def seats(me: Reader, **given: Any) -> list[tuple[str | None, Standing | None]]:
    return sorted((fact.value, fact.standing) for fact in me.facts(predicate="seat", **given))


def test_a_conflict_shows_both_its_sides(me: Reader, dispute: tuple[UUID, UUID]) -> None:
    item = only(me)
    assert (item.kind, item.status, item.resolved_at) == ("DISPUTE", "OPEN", None)
    assert {side.fact_id for side in item.sides} == set(dispute)
    assert {side.value for side in item.sides} == {"aisle", "window"}
    for side in item.sides:
        assert (side.valid_from, side.trust, side.standing) == (instant(1, month=1), 80, Standing.DISPUTED)
        assert side.sources == ("USER/ana/api",)
        assert side.said_at == instant(1, month=1)


def test_a_contender_is_a_conflict_too_and_is_settled_by_the_fold(me: Reader) -> None:
    seat(me, "aisle")
    weak = seat(me, "window", day=2, trust=30)
    item = only(me)
    assert item.kind == "CONTENDER"
    assert {side.trust for side in item.sides} == {30, 80}
    me.invalidate(weak)
    assert me.conflicts().items == ()
    settled = only(me, status="SETTLED")
    assert (settled.id, settled.resolved_by) == (item.id, "the fold")
    with pytest.raises(muniment.Conflict, match="the fold"):
        me.resolve(item.id, neither=True)


def test_one_is_picked_and_the_other_does_not_come_back(
    me: Reader, dispute: tuple[UUID, UUID], clock: SteppingClock
) -> None:
    aisle, window = dispute
    item = only(me)
    clock.move(days=1)
    receipt = me.resolve(item.id, pick=window, reason="asked her")
    assert set(receipt.facts) == set(dispute)
    assert seats(me) == [("window", Standing.HELD)]
    ended = only(me, status="RESOLVED")
    assert (ended.resolved_by, ended.resolved_at) == ("user:ana", clock.now)
    assert ended.resolution == {"pick": str(window), "reason": "asked her"}
    assert me.history(aisle)[-1].reason == "asked her"
    seat(me, "middle", day=5)
    me.invalidate(me.facts(predicate="seat").items[0].id)
    assert seats(me) == [("window", Standing.HELD)], "what was withdrawn stays so when the slot is folded anew"


def test_both_hold_told_apart_by_a_qualifier(me: Reader, dispute: tuple[UUID, UUID]) -> None:
    aisle, window = dispute
    me.resolve(only(me).id, both={aisle: "short flights", window: "long flights"})
    found = {fact.value: (fact.id, fact.qualifier, fact.standing) for fact in me.facts(predicate="seat")}
    assert found == {
        "aisle": (aisle, "short flights", Standing.HELD),
        "window": (window, "long flights", Standing.HELD),
    }
    assert me.conflicts().items == ()
    assert [hit.item.id for hit in me.search("aisle seat", channels=["facts"]) if isinstance(hit.item, Fact)][:1] == [
        aisle
    ]


def test_both_hold_told_apart_by_scope(memory: Muniment) -> None:
    here = memory.reader(tenant="acme", user="ana", session="s1")
    aisle, window = seat(here, "aisle"), seat(here, "window")
    here.resolve(only(here).id, both={window: "SESSION"})
    found = {fact.value: fact.scope for fact in here.facts(predicate="seat")}
    assert found == {"aisle": Scope.USER, "window": Scope.SESSION}
    everywhere = memory.reader(tenant="acme", user="ana")
    assert seats(everywhere) == [("aisle", Standing.HELD)]
    assert {row.fact_id for row in everywhere.history(aisle)} == {aisle}


def test_neither_holds(me: Reader, dispute: tuple[UUID, UUID]) -> None:
    me.resolve(only(me).id, neither=True)
    assert seats(me, include_contenders=True) == []
    assert me.get("seat") is None
    assert me.conflicts(status=None)[0].status == "RESOLVED"


def test_the_same_word_again_is_the_first_and_another_is_a_conflict(me: Reader, dispute: tuple[UUID, UUID]) -> None:
    aisle, window = dispute
    ref = only(me).id
    first = me.resolve(ref, pick=aisle, idempotency_key="k")
    assert me.resolve(ref, pick=aisle, idempotency_key="k").event == first.event
    again = me.resolve(str(ref), pick=str(aisle))
    assert (again.replayed, again.event) == (True, first.event)
    for given in ({"pick": window}, {"neither": True}, {"both": {aisle: "x"}}):
        with pytest.raises(muniment.Conflict, match="user:ana"):
            me.resolve(ref, **given)
    assert seats(me) == [("aisle", Standing.HELD)]


def test_what_is_not_said_clearly_changes_nothing(memory: Muniment, me: Reader, dispute: tuple[UUID, UUID]) -> None:
    aisle, window = dispute
    ref = only(me).id
    wrong: list[dict[str, Any]] = [
        {},
        {"pick": aisle, "neither": True},
        {"pick": uuid4()},
        {"both": {aisle: "x", uuid4(): "y"}},
        {"both": {aisle: "same", window: "same"}},
        {"both": {}},
        {"both": {aisle: " "}},
        {"both": {window: "SESSION"}},
        {"pick": "no id"},
    ]
    for given in wrong:
        with pytest.raises(muniment.InvalidInput):
            me.resolve(ref, **given)
    for given in ({"status": "GONE"}, {"limit": 0}, {"cursor": "x"}):
        with pytest.raises(muniment.InvalidInput):
            me.conflicts(**given)
    stranger = memory.reader(tenant="acme", user="bo", roles=("reviewer",))
    for ref_ in (ref, uuid4()):
        with pytest.raises(muniment.NotFound):
            stranger.resolve(ref_, pick=aisle)
    assert stranger.conflicts(status=None).items == ()
    assert seats(me) == [("aisle", Standing.DISPUTED), ("window", Standing.DISPUTED)]


def test_what_all_read_is_resolved_by_a_reviewer(memory: Muniment) -> None:
    rita = memory.reader(tenant="acme", user="rita", roles=("reviewer",))
    aisle, _ = seat(rita, "aisle", scope="TENANT"), seat(rita, "window", scope="TENANT")
    ana = memory.reader(tenant="acme", user="ana")
    ref = only(ana).id
    with pytest.raises(muniment.Forbidden):
        ana.resolve(ref, pick=aisle)
    rita.resolve(ref, pick=aisle)
    assert seats(ana) == [("aisle", Standing.HELD)]


def test_three_that_disagree_are_three_conflicts_paged(me: Reader) -> None:
    facts = [seat(me, name) for name in ("aisle", "window", "middle")]
    pages, cursor = [], None
    while True:
        page = me.conflicts(limit=2, cursor=cursor)
        pages.append([item.id for item in page])
        if (cursor := page.next) is None:
            break
    assert [len(page) for page in pages] == [2, 1]
    assert len({ref for page in pages for ref in page}) == 3
    pair = next(item for item in me.conflicts() if {side.fact_id for side in item.sides} == set(facts[:2]))
    me.resolve(pair.id, pick=facts[0])
    assert {side.fact_id for side in only(me).sides} == {facts[0], facts[2]}


def test_a_replay_of_the_log_resolves_again(memory: Muniment, me: Reader, dispute: tuple[UUID, UUID]) -> None:
    aisle, window = dispute
    me.resolve(only(me).id, both={aisle: "short flights", window: "long flights"})
    _, mate = (me.set_status("drink", name, valid_from=instant(2, month=1)).fact_id for name in ("tea", "mate"))
    me.resolve(only(me).id, pick=str(mate))
    report = memory.replay(tenant="acme")
    assert report.void == ()
    assert report.same, [item.line for item in report.differences]


def test_every_read_that_touches_a_conflict_says_so(me: Reader) -> None:
    me.add_fact("The badge is blue.", predicate="residence", value="Oslo")
    for number in range(7):
        me.add_fact(f"Elsewhere says town {number}.", predicate="residence", value=f"Town{number}", trust=10)
    page = me.facts(predicate="residence")
    assert [fact.value for fact in page] == ["Oslo"]
    assert len(page.conflicts) == 6
    assert page.conflicts[-1] == "and 2 more records contend with: The badge is blue."
    hits = me.search("which badge is blue", channels=["facts"])
    assert hits.conflicts == page.conflicts
    assert "contested" in hits[0].why.flags
    assert len(me.context("which badge is blue").conflicts) == 6
