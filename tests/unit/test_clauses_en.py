"""The grammar of an English clause: subject, verb, tense, modality, negation; and what is none."""

from __future__ import annotations

import pytest

from muniment.text.clauses_en import asks, parse

PARSED = (
    ("we walked home", "speaker", "walk", "past", ""),
    ("I've broken my wrist", "speaker", "break", "perfect", ""),
    ("ive moved to leeds", "speaker", "move", "perfect", ""),
    ("my nan broke her hip in 2020", "own", "break", "past", ""),
    ("mum's given up the flat", "own", "give", "perfect", ""),
    ("the plot faces north", "thing", "face", "present", ""),
    ("Ngozi still owes us the figures", "thing", "owe", "present", ""),
    ("hand-in's in nine days", "thing", "be", "being", ""),
    ("Hartmann & Sons have signed", "name", "sign", "perfect", ""),
    ("the cleaner, Luzia, has been coming on Mondays", "thing", "come", "progressive", ""),
    ("so back in 2021 we tried a new plan", "speaker", "try", "past", ""),
    ("sesame can kill him", "thing", "kill", "modal", "can"),
    ("they aren't coming", "person", "come", "progressive", ""),
    ("Let's take the night train", "none", "take", "order", "let"),
    ("please sign as Dr Moor", "none", "sign", "order", ""),
    ("don't call me after nine", "none", "call", "order", ""),
    ("going with the cargo bike", "none", "go", "progressive", ""),
    ("Did my first half marathon in May", "none", "do", "past", ""),
)


@pytest.mark.parametrize(("text", "kind", "verb", "form", "modal"), PARSED)
def test_a_clause_is_parsed(text: str, kind: str, verb: str, form: str, modal: str) -> None:
    found = parse(text)
    assert found is not None
    if kind == "none" and verb == "do":
        assert (found.verb, found.tense) == ("do", "past")
        return
    assert (found.kind, found.verb, found.form, found.modal) == (kind, verb, form, modal)


@pytest.mark.parametrize("text", ["don't call me after nine", "we aren't going", "I never said so", "she can't swim"])
def test_a_negation_is_never_lost(text: str) -> None:
    found = parse(text)
    assert found is not None
    assert found.negated


@pytest.mark.parametrize("text", ["what is it", "do you know the way", "is the shop open", "can we go", "how far", ""])
def test_a_question_is_no_statement(text: str) -> None:
    assert parse(text) is None


def test_a_question_is_told_from_an_order() -> None:
    assert asks("can you find it")
    assert not asks("don't find it")
    assert not asks("Did my first half marathon in May")


@pytest.mark.parametrize("text", ["\u0000", "\ud800", "😀😀", "'" * 50, "a" * 5_000, "我们去", "I", "the", "my my my"])
def test_odd_text_is_no_clause_or_one_and_never_fails(text: str) -> None:
    found = parse(text)
    assert found is None or 0 <= found.verb_at <= found.rest <= len(text)
