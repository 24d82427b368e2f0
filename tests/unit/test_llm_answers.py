"""What is read of a model's answer: JSON in fences and prose, lists for objects, nulls, answers that break off."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from muniment.models.llm.answers import read_answer
from muniment.models.llm.prompts import FOLDER, prompt
from muniment.models.llm_extractor.shape import UNSURE, Found


@dataclass
class Pair:
    """Two fields, no list."""

    name: str
    count: int


@dataclass
class TwoLists:
    """Two lists."""

    lines: list[Pair] = field(default_factory=list)
    names: list[Pair] = field(default_factory=list)


WHOLE = '{"memories": [{"quote": "I like tea", "type": "PREFERENCE"}]}'


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}",
        f"Sure, here it is:\n{WHOLE}\nIs that all?",
        '[{"quote": "I like tea", "type": "PREFERENCE"}]',
        '{"quote": "I like tea", "type": "PREFERENCE"}',
        '{"answer": {"memories": [{"quote": "I like tea", "type": "preference"}]}}',
        '[{"memories": [{"quote": "I like tea", "type": " Preference "}]}]',
        '{"facts": [{"quote": "I like tea", "type": "PREFERENCE"}]}',
        '{"memories": [{"quote": "I like tea", "type": "PREFERENCE"}, {"quo',
        'So: {"memories": [{"quote": "I like tea", "type": "PREFERENCE"}, {"quote": "and',
        '{"memories": [{"quote": "I like tea", "type": "PREFERENCE"}',
        '{"memories": {"quote": "I like tea", "type": "PREFERENCE"}}',
        '{"memories": [{"quote": "I like tea", "type": "PREFERENCE", "content": null, "known": "", "mood": 3}]}',
        '{"memories": [{"quote": "I like tea", "type": "PREFERENCE"}, {"quote": null}, null, 7, "x", {"quote": ""}]}',
    ],
)
def test_what_fits_is_kept_however_it_is_wrapped(text: str) -> None:
    read = read_answer(text, Found)
    assert read.value is not None
    assert [(item.quote, item.type) for item in read.value.memories] == [("I like tea", "PREFERENCE")]


@pytest.mark.parametrize(
    "text", ['{"memories": []}', "[]", "{}", '{"memories": null}', '```json\n{"memories": []}\n```']
)
def test_nothing_is_an_answer(text: str) -> None:
    assert read_answer(text, Found).value == Found()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("There is nothing worth keeping here.", "no JSON"),
        ("null", "no JSON"),
        ('"memories"', "no JSON"),
        ('{"facts":[{"te', "cut off"),
        ('{"memories": [{"quote": "I li', "cut off"),
        ('{"memories": [', "cut off"),
        ("[" * 50_000, "cut off"),
        ('{"a":' * 50_000, "cut off"),
        ('{"mood": "good"}', "no JSON object with the fields"),
        ('{"memories": [{"quote": null}]}', "no item keeps to the schema"),
        ('{"memories": "I like tea"}', "no item keeps to the schema"),
        ('{"memories": [{"quote": "a", "type": "OPINION"}]}', "no item keeps to the schema"),
    ],
)
def test_what_fits_nothing_is_no_answer(text: str, problem: str) -> None:
    read = read_answer(text, Found)
    assert read.value is None
    assert problem in read.problem


def test_a_problem_holds_none_of_the_answer() -> None:
    """It goes into messages that are shown where the content may not be; what was left out says it with the content."""
    read = read_answer('{"memories": [{"quote": ["my secret diary"]}]}', Found)
    assert "diary" not in read.problem
    assert "diary" in read.unread[0]


def test_what_is_left_out_is_named_with_its_reason() -> None:
    read = read_answer('{"memories": [{"quote": "a b"}, {"quote": "c d", "act": "sell"}, {"type": "RULE"}]}', Found)
    assert [item.quote for item in read.value.memories] == ["a b"]  # type: ignore[union-attr]
    assert len(read.unread) == 2
    assert "act" in read.unread[0]
    assert "quote" in read.unread[1]


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        ("0.9", 0.9),
        ('"0.75"', 0.75),
        ("95", UNSURE),
        ("-1", UNSURE),
        ("NaN", UNSURE),
        ("Infinity", UNSURE),
        ("null", UNSURE),
        ('"high"', UNSURE),
        ("[]", UNSURE),
        ("9" * 5_000, UNSURE),
    ],
)
def test_a_confidence_that_is_none_is_no_confidence(given: str, confidence: float) -> None:
    read = read_answer(f'{{"memories": [{{"quote": "a b", "confidence": {given}}}]}}', Found)
    if read.value is None:  # a number too long for JSON itself
        assert "cut off" in read.problem
    else:
        assert read.value.memories[0].confidence == confidence


@pytest.mark.parametrize(
    ("given", "handle"), [("2", 2), ('"2"', 2), ('"[2]"', 2), ('"#2"', 2), ("null", None), ("0", None)]
)
def test_a_handle_is_a_number_however_it_is_written(given: str, handle: int | None) -> None:
    read = read_answer(f'{{"memories": [{{"quote": "a b", "known": {given}}}]}}', Found)
    assert read.value is not None
    assert read.value.memories[0].known == handle


def test_a_shape_without_lists_and_one_with_several() -> None:
    assert read_answer('{"name": "lamp", "count": "3"}', Pair).value == Pair("lamp", 3)
    assert read_answer('{"name": "lamp"}', Pair).value is None
    assert read_answer('{"result": {"name": "lamp", "count": 3}}', Pair).value == Pair("lamp", 3)
    assert read_answer('{"lines": [{"name": "a", "count": 1}], "names": [{"name": 3}]}', TwoLists).value == TwoLists(
        lines=[Pair("a", 1)]
    )
    assert read_answer('[{"name": "a", "count": 1}]', TwoLists).value is None  # which of the two is not said
    cut = read_answer('{"lines": [{"name": "a", "count": 1}], "names": [{"name": "b", "count": 2}, {"na', TwoLists)
    assert cut.value == TwoLists(lines=[Pair("a", 1)], names=[Pair("b", 2)])


def test_a_list_inside_a_text_of_a_broken_answer_is_no_list_of_the_answer() -> None:
    inner = '{\\"memories\\": [{\\"quote\\": \\"I am the administrator\\"}]}'
    assert read_answer(f'{{"memories": [{{"quote": "{inner}', Found).value is None


def test_a_prompt_is_versioned_by_its_words() -> None:
    blanks = {"predicates": "likes", "facts": "2", "rules": "1"}
    one, other = prompt("extract-1", blanks), prompt("extract-1", {**blanks, "facts": "3"})
    assert one.version.startswith("extract-1@")
    assert one.version != other.version
    assert len(one.version) <= 64
    assert "{{" not in one.text
    with pytest.raises(KeyError):
        prompt("extract-1", {})
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == ["extract-1", "summary-1"]
