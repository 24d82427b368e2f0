"""Derived facts and declared successors, through the public writes and reads.

Belongs here: what happens to a dependant when its root changes, goes or comes back. Does not belong here: the review of
what was queued (test_review.py), the pure functions (unit/test_grounding.py).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from muniment.domain.enums import CandidateStatus, FactStatus, Standing
from muniment.domain.errors import InvalidInput, NotFound
from muniment.domain.records import Candidate, Fact
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock


def add(me: Reader, clock: SteppingClock, predicate: str, value: str, **given: Any) -> UUID:
    clock.move(days=1)
    made = me.add_fact(f"The {predicate} is {value}.", predicate=predicate, value=value, **given).fact_id
    assert made is not None
    return made


def held(me: Reader, **at: Any) -> dict[str, str | None]:
    return {str(fact.predicate): fact.value for fact in me.facts(**at)}


def rows(me: Reader, fact_id: UUID) -> list[Fact]:
    return [row for row in me.history(fact_id) if row.fact_id == fact_id and row.retracted_at is None]


def queued(memory: Muniment, me: Reader) -> list[Candidate]:
    with memory.parts.store.read(me.identity) as unit:
        return [item for item in unit.candidates() if item.target is not None]


def test_a_declared_successor_takes_over_from_the_instant_of_the_change(me: Reader, clock: SteppingClock) -> None:
    owner = add(me, clock, "owner", "Ana")
    approver = add(me, clock, "approver of releases", "Bo", derived_from=[owner])
    me.add_successor(approver, when=owner, value="Ivo")
    assert held(me)["approver of releases"] == "Bo"
    before = clock.now
    clock.move(days=1)
    done = me.change(owner, value="Cy")
    assert "1 taken over by a declared successor" in done.lines[1]
    assert held(me) == {"owner": "Cy", "approver of releases": "Ivo"}
    assert held(me, valid_at=before)["approver of releases"] == "Bo"
    successor = next(fact for fact in me.facts() if fact.value == "Ivo")
    assert successor.supersedes_id == approver
    assert successor.content == "The approver of releases is Ivo."
    assert me.explain(successor.fact_id).evidence, "it stands on the words that declared it"


def test_a_successor_for_one_value_waits_for_that_value_and_goes_with_it(me: Reader, clock: SteppingClock) -> None:
    plan = add(me, clock, "plan of the team", "basic")
    limit = add(me, clock, "seat limit", "5")
    me.add_successor(limit, when=plan, when_value="gold", value="50")
    clock.move(days=1)
    silver = me.change(plan, value="silver").fact_id
    assert held(me)["seat limit"] == "5"
    clock.move(days=1)
    gold = me.change(str(silver), value="gold").fact_id
    assert held(me)["seat limit"] == "50"
    clock.move(days=1)
    me.change(str(gold), value="basic again")
    assert "seat limit" not in held(me), "neither the old value nor that of a plan it has no longer"


def test_a_fact_whose_only_ground_changed_is_not_known_any_more(
    memory: Muniment, me: Reader, clock: SteppingClock
) -> None:
    city = add(me, clock, "home base", "Osverra")
    dentist = add(me, clock, "dentist", "Dr Teld", derived_from=[city])
    hygienist = add(me, clock, "hygienist", "Bo Lund", derived_from=[dentist])
    token = me.facts().known_at
    then = clock.now
    clock.move(days=3)
    done = me.change(city, value="Tarnholm")
    assert "2 to be confirmed again" in done.lines[1]
    assert held(me) == {"home base": "Tarnholm"}
    assert held(me, known_at=token) == {"home base": "Osverra", "dentist": "Dr Teld", "hygienist": "Bo Lund"}
    assert set(held(me, valid_at=then)) == {"home base", "dentist", "hygienist"}
    found = [(row.standing, row.valid_from, row.status) for row in rows(me, hygienist)]
    assert found[-1] == (Standing.UNSUPPORTED, clock.now, FactStatus.NEEDS_REVALIDATION)
    assert [(item.target, item.status) for item in queued(memory, me)] == [
        (dentist, CandidateStatus.NEEDS_CONFIRMATION),
        (hygienist, CandidateStatus.NEEDS_CONFIRMATION),
    ]
    said = me.context("What is the dentist?").text
    assert (
        f"not known since {clock.now.date().isoformat()} (home base changed); previously: The dentist is Dr Teld."
        in said
    )
    assert not [hit for hit in me.search("What is the dentist?") if hit.id == dentist]


def test_in_chinese_the_context_says_it_in_chinese(me: Reader, clock: SteppingClock) -> None:
    city = me.add_fact("办公点在杭州。", predicate="办公点", value="杭州").fact_id
    me.add_fact("周例会在西湖厅。", predicate="周例会", value="西湖厅", derived_from=[str(city)])
    clock.move(days=1)
    me.change(str(city), value="宁波")
    said = me.context("周例会在哪里开？").text
    assert f"自 {clock.now.date().isoformat()} 起不再确知（办公点已变更）；此前：周例会在西湖厅。" in said


def test_another_ground_keeps_it_and_says_so(me: Reader, clock: SteppingClock) -> None:
    city, liking = add(me, clock, "home base", "Osverra"), add(me, clock, "likes", "trams")
    commute = add(me, clock, "commute", "tram", derived_from=[city, liking])
    clock.move(days=1)
    assert "still standing on its other grounds" in me.change(city, value="Tarnholm").lines[1]
    assert held(me)["commute"] == "tram"
    assert [row.weakened for row in rows(me, commute)] == [False, True]


def test_said_again_by_itself_it_stands_by_itself(me: Reader, clock: SteppingClock) -> None:
    city = add(me, clock, "home base", "Osverra")
    dentist = add(me, clock, "dentist", "Dr Teld", derived_from=[city])
    assert add(me, clock, "dentist", "Dr Teld") == dentist
    clock.move(days=1)
    me.change(city, value="Tarnholm")
    assert held(me)["dentist"] == "Dr Teld"


def test_a_root_that_comes_back_gives_back_what_hung_on_it(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    city = add(me, clock, "home base", "Osverra")
    add(me, clock, "dentist", "Dr Teld", derived_from=[city])
    gym = add(me, clock, "gym", "Delta Hall")
    me.add_successor(gym, when=city, value="Ferrous Barn")
    before = held(me)
    clock.move(days=1)
    moved = me.change(city, value="Tarnholm").fact_id
    assert held(me) == {"home base": "Tarnholm", "gym": "Ferrous Barn"}
    clock.move(days=1)
    me.invalidate(str(moved), reason="it was a joke")
    assert held(me) == before
    assert [item.status for item in queued(memory, me)] == [CandidateStatus.SUPERSEDED]


@pytest.mark.parametrize("how", ["invalidate", "forget"])
def test_a_root_that_is_taken_away_takes_its_dependants_along(me: Reader, clock: SteppingClock, how: str) -> None:
    root = add(me, clock, "home base", "Osverra")
    dentist = add(me, clock, "dentist", "Dr Teld", derived_from=[root])
    gym = add(me, clock, "gym", "Delta Hall", derived_from=[root])
    me.add_successor(gym, when=root, value="Ferrous Barn")
    clock.move(days=1)
    if how == "invalidate":
        me.invalidate(root)
    else:
        me.forget(fact=root)
    assert held(me) == {}, "a successor follows a change, not a withdrawal"
    assert {row.standing for row in rows(me, dentist)} == {Standing.UNSUPPORTED}
    said = me.context("What is the dentist?").text
    assert "Osverra" not in said
    assert "previously: The dentist is Dr Teld." in said


def test_evidence_is_a_ground_too(me: Reader, clock: SteppingClock) -> None:
    told = me.observe("The survey of the attic says oak beams.", actor="tool")
    attic = add(me, clock, "attic beams", "oak", derived_from=[told.evidence[0]])
    assert rows(me, attic)[-1].standing is Standing.HELD


def test_circles_hold_nothing_up(me: Reader, clock: SteppingClock) -> None:
    ground = add(me, clock, "first", "1")
    one = add(me, clock, "second", "2", derived_from=[ground])
    two = add(me, clock, "third", "3", derived_from=[one])
    assert add(me, clock, "second", "2", derived_from=[two]) == one
    assert set(held(me)) == {"first", "second", "third"}
    clock.move(days=1)
    me.invalidate(ground)
    assert held(me) == {}


def test_no_derived_fact_is_surer_than_its_weakest_ground(me: Reader, clock: SteppingClock) -> None:
    sure, unsure = add(me, clock, "first", "1"), add(me, clock, "second", "2", confidence=0.83)
    both = add(me, clock, "third", "3", derived_from=[sure, unsure])
    over = add(me, clock, "fourth", "4", derived_from=[both])
    assert [rows(me, ref)[-1].confidence for ref in (sure, unsure, both, over)] == [1.0, 0.83, 0.83, 0.83]


def test_a_change_told_late_counts_from_when_it_happened(me: Reader, clock: SteppingClock) -> None:
    city = add(me, clock, "home base", "Osverra", valid_from="2026-01-01T00:00:00Z")
    add(me, clock, "dentist", "Dr Teld", derived_from=[city], valid_from="2026-01-01T00:00:00Z")
    gym = add(me, clock, "gym", "Delta Hall", valid_from="2026-01-01T00:00:00Z")
    me.add_successor(gym, when=city, value="Ferrous Barn")
    me.change(city, value="Tarnholm", at="2026-02-01T00:00:00Z")
    assert held(me, valid_at="2026-01-31T00:00:00Z") == {
        "home base": "Osverra",
        "dentist": "Dr Teld",
        "gym": "Delta Hall",
    }
    assert held(me, valid_at="2026-02-01T00:00:00Z") == {"home base": "Tarnholm", "gym": "Ferrous Barn"}


def test_a_change_on_record_before_the_rule_does_not_bring_it_about(me: Reader, clock: SteppingClock) -> None:
    city, gym = add(me, clock, "home base", "Osverra"), add(me, clock, "gym", "Delta Hall")
    moved = me.change(city, value="Tarnholm").fact_id
    clock.move(days=1)
    me.add_successor(gym, when=str(moved), value="Ferrous Barn")
    assert held(me)["gym"] == "Delta Hall"
    clock.move(days=1)
    me.change(str(moved), value="Elm")
    assert held(me)["gym"] == "Ferrous Barn"


def test_a_single_valued_slot_changes_by_a_mere_statement(me: Reader, clock: SteppingClock) -> None:
    lives = add(me, clock, "residence", "Osverra")
    gym = add(me, clock, "gym", "Delta Hall", derived_from=[lives])
    me.add_successor(gym, when=lives, value="Ferrous Barn")
    dentist = add(me, clock, "dentist", "Dr Teld", derived_from=[lives])
    add(me, clock, "residence", "Tarnholm")
    assert held(me) == {"residence": "Tarnholm", "gym": "Ferrous Barn"}
    assert rows(me, dentist)[-1].standing is Standing.UNSUPPORTED


def test_the_root_of_another_owner_is_not_named(memory: Muniment, clock: SteppingClock) -> None:
    admin = memory.reader(tenant="acme", user="root", roles=["admin"])
    ana = memory.reader(tenant="acme", user="ana")
    shared = admin.add_fact("The merger target is Initech.", predicate="merger target", value="Initech", scope="TENANT")
    mine = add(ana, clock, "desk", "4th floor", derived_from=[str(shared.fact_id)])
    assert held(ana)["desk"] == "4th floor"
    clock.move(days=1)
    admin.change(str(shared.fact_id), value="Umbrella")
    assert "desk" not in held(ana)
    assert rows(ana, mine)[-1].standing is Standing.UNSUPPORTED
    admin.forget(fact=str(shared.fact_id))
    said = ana.context("Which desk is mine?").text
    assert "previously: The desk is 4th floor." in said
    assert "Initech" not in said


def test_what_cannot_be_is_refused(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    city = add(me, clock, "home base", "Osverra")
    other = memory.reader(tenant="acme", user="eve")
    with pytest.raises(NotFound):
        other.add_fact("x", derived_from=[city])
    with pytest.raises(NotFound):
        me.add_fact("x", derived_from=[UUID(int=7)])
    with pytest.raises(InvalidInput):
        me.add_fact("x", derived_from="abc")
    gym = add(me, clock, "gym", "Delta Hall")
    with pytest.raises(InvalidInput):
        me.add_successor(gym, when=city)
    with pytest.raises(InvalidInput):
        me.add_successor(gym, when=gym, value="x")
    with pytest.raises(NotFound):
        me.add_successor(gym, when=UUID(int=7), value="x")
    with pytest.raises(NotFound):
        other.add_successor(gym, when=city, value="x")


def test_an_unknown_successor_is_an_answer(me: Reader, clock: SteppingClock) -> None:
    bike = add(me, clock, "bike", "Lark 3")
    clock.move(days=1)
    me.change(bike, reason="sold")
    said = me.context("What is the bike?").text
    assert f"not known since {clock.now.date().isoformat()}; previously: The bike is Lark 3." in said
    assert "Over Time" in me.context("Which bike did I use to have?").text


def test_the_nearest_rule_then_the_last_said_answers_a_change(me: Reader, clock: SteppingClock) -> None:
    owner, approver = add(me, clock, "owner", "Ana"), add(me, clock, "approver", "Bo")
    for given in ({"value": "Ivo"}, {"value": "Wim", "when_value": "Zoe"}, {"value": "Kim"}):
        clock.move(days=1)
        me.add_successor(approver, when=owner, **given)
    clock.move(days=1)
    changed = me.change(owner, value="Cy").fact_id
    assert held(me)["approver"] == "Kim"
    assert "disputed" not in str([fact.standing for fact in me.facts()])
    clock.move(days=1)
    me.invalidate(str(changed))
    me.change(owner, value="Zoe")
    assert held(me)["approver"] == "Wim"


def test_two_facts_cannot_follow_each_other(me: Reader, clock: SteppingClock) -> None:
    one, two, three = (add(me, clock, name, "x") for name in ("first", "second", "third"))
    me.add_successor(two, when=one, value="y")
    me.add_successor(three, when=two, value="y")
    with pytest.raises(InvalidInput, match="cannot follow each other"):
        me.add_successor(one, when=three, value="y")


def test_only_the_ground_that_went_then_is_named(me: Reader, clock: SteppingClock) -> None:
    early, late = add(me, clock, "first base", "A"), add(me, clock, "second base", "B")
    add(me, clock, "depot", "north yard", derived_from=[early, late])
    clock.move(days=1)
    me.change(early, value="C")
    clock.move(days=1)
    me.change(late, value="D")
    said = me.context("Where is the depot?").text
    assert "(second base changed); previously: The depot is north yard." in said


def test_a_change_in_talk_says_what_it_did_to_dependants(memory: Muniment, clock: SteppingClock) -> None:
    import muniment

    with muniment.open(":memory:", embedder="none", clock=clock) as talk:
        me = talk.reader(user="u")
        me.observe("The home port is Velsa.")
        me.observe("The berth is 4; this depends on the home port.")
        clock.move(days=1)
        assert "what depended on it: 1 to be confirmed again" in me.observe("The home port is now Korsholm.").lines[0]


@pytest.mark.parametrize(
    ("content", "value", "new", "expected"),
    [
        ("The cap is 8000 EUR.", "8000", "9000 EUR", "The cap is 9000 EUR."),
        ("The cap is EUR 8000.", "8000", "EUR 9000", "The cap is EUR 9000."),
        ("The cap is 8000 EUR.", "8000", "9000", "The cap is 9000 EUR."),
        ("The cap is 8000 EUR a month.", "8000", "9000 EUR", "The cap is 9000 EUR a month."),
        ("The cap is 8000 EURO.", "8000", "9000 EUR", "The cap is 9000 EUR EURO."),
    ],
)
def test_a_unit_that_the_new_value_brings_is_not_said_twice(
    me: Reader, content: str, value: str, new: str, expected: str
) -> None:
    cap = me.add_fact(content, predicate="cap", value=value).fact_id
    me.correct(str(cap), value=new)
    assert [fact.content for fact in me.facts(predicate="cap")] == [expected]


def test_talk_that_would_make_two_facts_follow_each_other_declares_only_the_first(clock: SteppingClock) -> None:
    import muniment

    with muniment.open(":memory:", embedder="none", clock=clock) as memory:
        me = memory.reader(user="u")
        for text in (
            "The home port is Velsa.",
            "The berth is 4.",
            "If the home port changes, the berth will be 9.",
            "If the berth changes, the home port will be Korsholm.",
        ):
            clock.move(days=1)
            assert me.observe(text).lines[0].startswith("committed")
        clock.move(days=1)
        me.observe("The home port is now Ulvik.")
        assert {"The home port is now Ulvik", "The berth is 9"} <= {fact.content for fact in me.facts()}


@pytest.mark.parametrize(
    "metadata",
    [
        {"depends_on": [{"predicate": 5}]},
        {"depends_on": "desk"},
        {"if_changes": {"predicate": "desk"}, "of": {"predicate": "chair"}, "then": 7},
        {"if_changes": {"predicate": ["desk"]}, "of": 3, "then": "x"},
    ],
)
def test_metadata_of_a_callers_own_that_looks_like_a_link_is_only_metadata(
    me: Reader, metadata: dict[str, Any]
) -> None:
    me.add_fact("desk", predicate="desk", value="a")
    me.add_fact("chair", predicate="chair", value="b")
    assert me.add_fact("a note", metadata=metadata).fact_id is not None
