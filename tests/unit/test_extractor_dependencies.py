"""What talk says of how things hang together, and words to be kept to the letter."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.extractor_turns import extract

from muniment.domain.records import Candidate


def only(text: str) -> Candidate:
    """The one candidate of a turn."""
    (found,) = extract(text)
    return found


def names(slots: list[dict[str, Any]]) -> list[str]:
    """The names of slots as they were said."""
    return [slot["name"] for slot in slots]


@pytest.mark.parametrize(
    ("text", "subject", "value", "roots"),
    [
        ("The berth is Quay Four; this depends on the winter port.", "berth", "Quay Four", ["winter port"]),
        ("The berth is Quay Four. It follows from the winter port and moves with it.", "berth", "Quay Four", ["winter port"]),
        ("The berth is Quay Four, which depends on the winter port and the harbour master.", "berth", "Quay Four",
         ["winter port", "harbour master"]),
        ("泊位是 Q-4，这取决于冬季港口。", "泊位", "Q-4", ["冬季港口"]),
        ("泊位是四号码头；它随冬季港口变化。", "泊位", "四号码头", ["冬季港口"]),
        ("泊位是四号码头，由冬季港口和船型决定。", "泊位", "四号码头", ["冬季港口", "船型"]),
    ],
)  # fmt: skip
def test_a_remark_of_dependency_belongs_to_the_statement_before_it(
    text: str, subject: str, value: str, roots: list[str]
) -> None:
    found = only(text)
    assert (found.subject, found.value) == (subject, value)
    assert names(found.metadata["depends_on"]) == roots


@pytest.mark.parametrize(
    ("text", "when", "of", "then", "becomes"),
    [
        ("If the winter port changes, the berth will be Quay Nine.", "winter port", "berth", "Quay Nine", None),
        (
            "Once the winter port becomes Helvik, the berth will be Quay Nine.",
            "winter port",
            "berth",
            "Quay Nine",
            "Helvik",
        ),
        ("The berth will be Quay Nine if the winter port changes.", "winter port", "berth", "Quay Nine", None),
        ("如果冬季港口变了，泊位就是 Q-9。", "冬季港口", "泊位", "Q-9", None),
        ("一旦冬季港口换成赫尔维克，泊位就改为 Q-9。", "冬季港口", "泊位", "Q-9", "赫尔维克"),
    ],
)
def test_a_declared_successor_states_nothing_of_now(
    text: str, when: str, of: str, then: str, becomes: str | None
) -> None:
    found = only(text)
    assert (found.predicate, found.value) == (None, None)
    said = found.metadata
    assert (said["if_changes"]["name"], said["of"]["name"], said["then"], said.get("becomes")) == (
        when,
        of,
        then,
        becomes,
    )


def test_a_slot_is_named_as_a_statement_about_it_would_be_filed() -> None:
    stated = only("The winter port is Orsund Bay Ltd; this depends on the release owner.")
    root = stated.metadata["depends_on"][0]
    owner = only("The release owner is Ines Roca.")
    assert (root["subject"], root["predicate"], root["qualifier"]) == (owner.subject, owner.predicate, owner.qualifier)


@pytest.mark.parametrize(
    "text",
    [
        "It depends on the weather.",
        "I'd say it depends on how you look at it.",
        "If it rains, we stay home.",
        "If the mood changes, call me.",
        "If the winter port changes, what will the berth be?",
        "He said that if the winter port changes, the berth will be Quay Nine.",
        "看情况，这取决于你。",
        "如果下雨就不去了。",
        "如果冬季港口变了，泊位就是哪个？",
        "随便，都可以",
    ],
)
def test_talk_that_hangs_on_nothing_held_is_left_alone(text: str) -> None:
    assert [item for item in extract(text) if {"depends_on", "if_changes"} & set(item.metadata)] == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('Remember verbatim: "Q-17: latch\n  stuck, ref 90021"', "Q-17: latch\n  stuck, ref 90021"),
        ("Please note down exactly: “the  two   spaces stay”.", "the  two   spaces stay"),
        ("请一字不差地记住：“错误九：闸门\n未关”", "错误九：闸门\n未关"),
        ("把下面这句原样保存：「先验货，后签字」", "先验货，后签字"),
    ],
)
def test_words_to_be_kept_to_the_letter_are(text: str, kept: str) -> None:
    found = only(text)
    assert (found.value, found.explicit, found.predicate) == (kept, True, "verbatim")
    assert found.quote is not None
    assert kept in found.quote


def test_a_quotation_that_nobody_asked_to_keep_is_none() -> None:
    assert extract('He wrote "remember the latch" on the door') == []
