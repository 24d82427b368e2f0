"""Whether two wordings speak of one thing, and whether two values look alike."""

from __future__ import annotations

import pytest

from muniment.governance.things import alike, names, one_thing, thing_of


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ("who my landlord is", "My landlord is Piet Vos"),
        ("the pottery thing", "i do pottery on tuesdays"),
        ("which ferry I take", "I take the 6:40 ferry to the island."),
        ("what I told you about my stepbrother", "My stepbrother is called Ole."),
        ("我的房东是谁", "我的房东叫老范"),
        ("学陶艺的事", "我在学陶艺"),
        ("我前同事的名字", "我前同事叫段飞"),
    ],
)
def test_a_thing_is_known_by_its_words(thing: str, text: str) -> None:
    assert names(thing, text)


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ("my landlord", "My neighbour is Piet Vos"),
        ("tea", "The steak was fine"),
        ("it", "I like it"),
        ("the thing", "The thing is green"),
        ("我的房东", "我的邻居叫老范"),
        ("它", "它很好"),
        ("", "anything"),
    ],
)
def test_other_words_are_another_thing(thing: str, text: str) -> None:
    assert not names(thing, text)


def test_fewer_words_and_more_words_are_one_thing() -> None:
    assert one_thing("ledger service", "language our team uses for the ledger service")
    assert one_thing("热水器", "公寓热水器坏了应该联系的人")
    assert not one_thing("wifi password", "garage code")


def test_what_a_statement_is_about_leaves_out_the_user_and_the_generic_predicate() -> None:
    assert thing_of(subject="user", predicate="value", qualifier=None) == ""
    assert thing_of(subject="app", predicate="value", qualifier=None) == "app"
    assert thing_of(subject="user", predicate="desk", qualifier="standing") == "standing desk"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Kotlin", "Go", True),
        ("a@b.example", "c@d.example", True),
        ("blue", "3.12", False),
        ("Mr Stroud", "the key under the mat", False),
        ("若林", "桦木", True),
        ("8点", "桦木", False),
    ],
)
def test_values_look_alike_by_kind(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same
