"""What no longer holds is out of the way of a question for what does, marked, and in its place for one about the past."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from muniment import Evidence
from muniment.config import load_policy
from muniment.models.extractor import BuiltinExtractor
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

QUESTION = "What is the standby region for Larch?"
OLD = "The standby region for Larch is eu-2."
NEW = "Update: the standby region for Larch is now eu-5."


@pytest.fixture
def memory_of(sqlite_url: str, open_at: Callable[..., Muniment]) -> Iterator[Callable[[str], Reader]]:
    """Ana's readers by session, over one memory with the built-in extractor."""
    with open_at(sqlite_url, extractor=BuiltinExtractor(load_policy())) as memory:
        yield lambda session: memory.reader(tenant="acme", user="ana", session=session)


@pytest.fixture
def me(memory_of: Callable[[str], Reader]) -> Reader:
    return memory_of("s")


def flags(me: Reader, question: str, **given: Any) -> dict[str, tuple[str, ...]]:
    """Text to flags of the evidence found, in order."""
    hits = me.search(question, channels=["evidence"], **given)
    return {hit.text: hit.why.flags for hit in hits if isinstance(hit.item, Evidence)}


def tell(me: Reader, clock: SteppingClock, *texts: str) -> None:
    for text in texts:
        me.observe(text)
        clock.move(days=1)


def test_a_value_that_was_replaced_is_history(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, OLD, "To confirm: the standby region for Larch is still eu-2.", NEW, "Larch has a standby pump.")
    found = flags(me, QUESTION)
    assert set(list(found)[:2]) == {NEW, "Larch has a standby pump."}
    assert set(list(found)[2:]) == {OLD, "To confirm: the standby region for Larch is still eu-2."}
    assert all("history" in found[text] for text in list(found)[2:])
    assert "history" not in found[NEW]
    assert [fact.value for fact in me.facts(subject="Larch").items] == ["eu-5"]


def test_a_question_for_the_past_finds_it_in_its_place(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, OLD, NEW, "Lunch is at noon.", "The kiln was cleaned.")
    found = flags(me, "What was the standby region for Larch before it changed?")
    assert "history" in found[OLD]
    assert list(found).index(OLD) < 2
    context = me.context("Which standby region for Larch was there previously?")
    assert OLD in {item.hit.text for item in context.items if item.hit is not None}


def test_at_an_earlier_instant_the_value_of_then_is_current(me: Reader, clock: SteppingClock) -> None:
    me.observe(OLD)
    clock.move(hours=1)
    then = clock()
    clock.move(days=2)
    me.observe(NEW)
    assert "history" not in flags(me, QUESTION, valid_at=then)[OLD]
    assert "history" in flags(me, QUESTION)[OLD]


def test_other_slots_and_plain_repeats_close_nothing(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, OLD, "The standby region for Birch is now eu-5.", "The standby region for Larch is eu-9.")
    assert "history" not in flags(me, QUESTION)[OLD]
    assert sorted(fact.value or "" for fact in me.facts(subject="Larch").items) == ["eu-2", "eu-9"]


def test_no_longer_ends_one_value(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, "The on-call lead for Larch is Omar Diaz.", "The on-call lead for Larch is no longer Omar Diaz.")
    assert "history" in flags(me, "Who is the on-call lead for Larch?")["The on-call lead for Larch is Omar Diaz."]


def test_a_correction_leaves_the_wrong_words_behind(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, OLD, "Correction: the standby region for Larch is eu-7.")
    found = flags(me, QUESTION)
    assert list(found)[-1] == OLD
    assert "history" in found[OLD]
    assert [fact.value for fact in me.facts(subject="Larch").items] == ["eu-7"]
    (cited,) = [hit for hit in me.search(QUESTION, channels=["facts"]) if hit.text.endswith("eu-7")]
    assert len(cited.why.evidence) == 1
    assert me.search("Correction eu-7", channels=["evidence"])[0].id in cited.why.evidence


def test_what_was_forgotten_is_not_found(me: Reader, clock: SteppingClock) -> None:
    tell(me, clock, OLD, "The standby region for Birch is eu-2.")
    receipt = me.observe("Forget and delete the standby region for Larch: eu-2.")
    assert "forgotten" in receipt.lines[0]
    assert list(flags(me, QUESTION)) == ["The standby region for Birch is eu-2."]


def test_a_request_to_forget_that_must_be_asked_about_stands_behind(me: Reader, clock: SteppingClock) -> None:
    request = "Forget and delete the standby region for Larch: eu-4."
    tell(me, clock, OLD, request)
    found = flags(me, QUESTION)
    assert list(found) == [OLD, request]
    assert "history" in found[request]


def test_what_shall_not_be_kept_is_not_found(me: Reader) -> None:
    me.observe("Larch opens at nine. The standby passphrase for Larch is heron-12. Do not save that.")
    assert list(flags(me, "standby passphrase for Larch")) == ["Larch opens at nine."]
    assert me.facts(subject="Larch").items == ()


def test_marks_of_a_piece_itself(me: Reader, clock: SteppingClock) -> None:
    doubtful = "Unverified report on the standby region of Larch: eu-8."
    other = "A similar note from another project has the standby region of Larch as eu-9."
    over = "This standby code has expired, Larch: 5519."
    dated = "The standby pass for Larch is valid until 4 January 2026."
    tell(me, clock, doubtful, other, over, dated, OLD)
    clock.move(days=400)
    found = flags(me, QUESTION)
    assert next(iter(found)) == OLD
    assert ("unverified" in found[doubtful], "elsewhere" in found[other]) == (True, True)
    assert ("history" in found[over], "history" in found[dated]) == (True, True)
    asked = flags(me, "Which rumours are there: an unverified report on the standby region of Larch?")
    assert next(iter(asked)) == doubtful


def test_what_another_session_holds_is_not_over(memory_of: Callable[[str], Reader]) -> None:
    said = "My budget for this trip is 900 euros."
    memory_of("s").observe(said)
    assert "history" not in flags(memory_of("t"), "What is the budget of the trip?")[said]


def test_a_passing_event_is_no_lapsed_value(me: Reader, clock: SteppingClock) -> None:
    said = "I'm hiking with some friends this weekend."
    me.observe(said)
    clock.move(days=30)
    assert "history" not in flags(me, "Who did I go hiking with?")[said]


@pytest.mark.parametrize(
    ("old", "new", "is_history"),
    [
        ("I live in Larch Court.", "I live in the Larch Court estate.", False),
        ("I live in Larch Court.", "I live in Birch Court.", True),
        ("我住在锦绣江南这个小区。", "我住在锦绣江南小区。", False),
        ("我住在锦绣江南小区。", "我住在金色家园小区。", True),
    ],
)
def test_a_value_told_in_other_words_is_not_over(
    me: Reader, clock: SteppingClock, old: str, new: str, is_history: bool
) -> None:
    tell(me, clock, old, new)
    found = flags(me, "Where do I live?" if old.isascii() else "我住在哪里？")
    assert ("history" in found[old]) is is_history
    assert "history" not in found[new]
