"""Plain statements of things in English: which are read, into which slot, how they were put, and which are left alone."""

from __future__ import annotations

import pytest
from tests.unit.extractor_turns import extract, sure

from muniment.domain.enums import Intent
from muniment.domain.records import Candidate

READ = [
    (
        "The spare pump capacity for the Larch plant is 12 l/s.",
        "Larch plant",
        "spare pump capacity",
        "12 l/s",
        Intent.ASSERT,
    ),
    ("The on-call lead of Larch is now Bettina Roy.", "Larch", "on-call lead", "Bettina Roy", Intent.CHANGE),
    ("Larch's standby region has changed from eu-2 to eu-5.", "Larch", "standby region", "eu-5", Intent.CHANGE),
    ("Update: the standby region for Larch is eu-5.", "Larch", "standby region", "eu-5", Intent.CHANGE),
    ("We've moved the standby region for Larch from eu-2 to eu-5.", "Larch", "standby region", "eu-5", Intent.CHANGE),
    ("To confirm: the standby region for Larch is still eu-2.", "Larch", "standby region", "eu-2", Intent.ASSERT),
    ("The on-call lead for Larch is no longer Omar.", "Larch", "on-call lead", "no longer Omar", Intent.CHANGE),
    (
        "Remember that the kiln colour of the west hall is warm grey.",
        "west hall",
        "kiln colour",
        "warm grey",
        Intent.ASSERT,
    ),
    ("The backup passphrase is Tulip-77.", "backup passphrase", "value", "Tulip-77", Intent.ASSERT),
]

ALONE = [
    "The weather is nice.",
    "The weather in Larch is now lovely.",
    "The plan for Larch is to leave early.",
    "The price is right.",
    "It is now 8443.",
    "We moved the sofa to the window.",
    "The problem of the week is Larch.",
    "Is the standby region for Larch now eu-5?",
    "If the standby region for Larch is eu-5, tell me.",
    "Omar said the standby region for Larch is eu-5.",
    "I wonder what the standby region for Larch is.",
    "A similar note from another project says the standby region for Larch is eu-5.",
    "Unverified report: the standby region for Larch is eu-5.",
]


def _of(text: str, subject: str, predicate: str) -> list[Candidate]:
    wanted = (subject.casefold(), predicate.casefold())
    return [item for item in extract(text) if ((item.subject or "").casefold(), item.predicate) == wanted]


@pytest.mark.parametrize(("text", "subject", "predicate", "value", "intent"), READ)
def test_a_statement_of_a_thing_fills_its_slot(
    text: str, subject: str, predicate: str, value: str, intent: Intent
) -> None:
    (found,) = _of(text, subject, predicate)
    assert found.value == value
    assert found.intent is intent
    assert found.quote is not None
    assert found.quote in text


@pytest.mark.parametrize("text", ALONE)
def test_what_is_no_plain_statement_is_left_alone(text: str) -> None:
    assert [(item.subject, item.predicate, item.value) for item in sure(text)] == []


def test_hearsay_is_less_sure() -> None:
    (sure,) = _of("The standby region for Larch is eu-5.", "Larch", "standby region")
    (heard,) = _of("I heard the standby region for Larch is eu-5.", "Larch", "standby region")
    assert heard.confidence < 0.82 <= sure.confidence


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Please forget and delete the standby region for Larch: eu-2.", "eu-2"),
        ("No longer keep the standby region for Larch.", None),
        ("Forget the standby region for Larch: eu-2.", "eu-2"),
    ],
)
def test_a_thing_is_forgotten_by_its_slot(text: str, value: str | None) -> None:
    (found,) = _of(text, "Larch", "standby region")
    assert found.intent is Intent.FORGET
    assert found.value == value


def test_what_shall_not_be_kept_becomes_nothing() -> None:
    assert extract("The backup passphrase is Tulip-77. Do not save that.") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Remember that the greeting of the Larch desk is good morning.", "good morning"),
        ("Remember that quiet hours for the Larch desk are never before noon.", "never before noon"),
    ],
)
def test_what_was_asked_to_be_kept_may_sound_like_an_opinion(text: str, value: str) -> None:
    (found,) = [item for item in extract(text) if item.subject == "Larch desk"]
    assert found.value == value
    assert found.explicit


def test_an_announcement_changes_no_slot() -> None:
    announced = extract("Update: the deadline for the audit is 3 June 2024.")
    plain = extract("The deadline for the audit is 3 June 2024.")
    assert [(item.predicate, item.subject, item.qualifier, item.value) for item in announced] == [
        (item.predicate, item.subject, item.qualifier, item.value) for item in plain
    ]
    assert announced
