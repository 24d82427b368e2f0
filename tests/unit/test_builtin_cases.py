"""The form of the built-in suite's cases, and the judgement on an answer: strict, and precise about what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from muniment.cli.app import app
from muniment.domain.errors import InvalidInput
from muniment.evaluation.builtin import run_cases
from muniment.evaluation.case_files import case_of, packaged, read_cases
from muniment.evaluation.options import Options, Run
from muniment.evaluation.suites import measure

AT = "2026-05-04T10:00:00+02:00"
NOON = "2026-05-04T12:00:00+02:00"
LATER = "2026-05-05T10:00:00+02:00"


def case(**changes: Any) -> dict[str, Any]:
    """A case that passes, with some of it changed."""
    row = {
        "id": "a",
        "class": "remember",
        "lang": "en",
        "turns": [{"say": "I live in Trieste.", "actor": "user", "at": AT}],
        "ask": {"query": "where do I live", "at": LATER},
        "expect": {"present": ["Trieste"], "why": "said plainly"},
    }
    return row | changes


def expecting(kind: str = "remember", say: str = "I live in Trieste.", **expect: Any) -> dict[str, Any]:
    return case(**{"class": kind}, turns=[{"say": say, "at": AT}], expect=expect | {"why": "-"})


def wrong(row: dict[str, Any]) -> list[str]:
    ((_, failed),) = run_cases([case_of(row, where="here")], Run(Options(embedder="none")))
    return failed


# -- the form


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"class": "other"}, "class"),
        ({"turns": []}, "turns"),
        ({"turns": [{"say": "x", "at": "2026-05-04T10:00:00"}]}, "turns.0"),
        ({"turns": [{"shout": "x", "at": AT}]}, "turns.0"),
        ({"turns": [{"say": "x", "at": AT, "actor": "nobody"}]}, "turns.0"),
        ({"turns": [{"write": "change", "args": {}, "at": AT, "fact": 0}]}, "turns.0.fact"),
        ({"turns": [{"write": "forget", "args": {}, "at": AT}]}, "turns.0.fact"),
        ({"turns": [{"say": "x", "at": LATER}, {"say": "y", "at": AT}]}, "turns.1.at"),
        ({"ask": {"query": "q", "at": "2020-01-01T00:00:00Z"}}, "ask.at"),
        ({"expect": {"present": ["x"]}}, "expect.why"),
        ({"expect": {"why": "nothing"}}, "expect"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_malformed_case_names_its_line_and_field(changes: dict[str, Any], field: str) -> None:
    lines = [json.dumps(case()), "", json.dumps(case(**changes))]
    with pytest.raises(InvalidInput) as raised:
        list(read_cases(lines, name="some.jsonl", split="own"))
    assert str(raised.value).startswith("some.jsonl, line 3: ")
    assert field in str(raised.value)


def test_a_line_that_is_no_json_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"some\.jsonl, line 1: not JSON"):
        list(read_cases(["{"], name="some.jsonl", split="own"))


def test_the_packaged_cases_are_sound() -> None:
    rows = packaged()
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["split"] for row in rows} >= {"known"}


# -- the judgement


def test_a_right_answer_passes() -> None:
    assert wrong(case()) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (expecting(present=["Vienna"]), ["context: lacks 'Vienna'", "search: no hit has 'Vienna'"]),
        (expecting(present=["Trieste"], say="Where do people live in Trieste?"), ["no fact was made of it"]),
        (expecting("stale_kept", absent=["Trieste"]), ["search: hit 1 (fact) has 'Trieste'", "context: [Fact] has"]),
        (expecting("not_remember", absent=["Trieste"]), ["facts: one in force has 'Trieste'", "1 in force, not 0"]),
        (expecting(never=["Trieste"]), ["which may stand nowhere"]),
        (expecting(facts=2), ["facts: 1 in force, not 2"]),
        (expecting(first="Vienna"), ["the first hit lacks 'Vienna'"]),
        (expecting("conflict", disagree=["Trieste", "Vienna"]), ["no conflict names 'Trieste' and 'Vienna'"]),
    ],
)
def test_a_wrong_answer_says_where_and_what(row: dict[str, Any], said: list[str]) -> None:
    failed = wrong(row)
    for words in said:
        assert any(words in line for line in failed), failed


def test_history_is_excused_but_not_for_what_was_forgotten() -> None:
    turns = [{"say": "I live in Trieste.", "at": AT}, {"say": "I live in Vienna now.", "at": NOON}]
    given = {"turns": turns, "expect": {"absent": ["Trieste"], "why": "-"}}
    assert wrong(case(**{"class": "stale_kept"}, **given)) == []
    assert any("'Trieste'" in line for line in wrong(case(**{"class": "forget"}, **given)))


def test_a_call_that_is_refused_fails_its_case() -> None:
    row = case(turns=[{"write": "add_fact", "args": {"content": "x", "scope": "GALAXY"}, "at": AT}])
    assert wrong(row) == ["turn 0: no scope 'GALAXY'; known are TENANT, DEPARTMENT, USER, AGENT, SESSION, TASK"]


def test_cases_see_nothing_of_each_other() -> None:
    rows = [case(id="a"), case(id="b", turns=[{"say": "Hello.", "at": AT}], expect={"absent": ["Trieste"], "why": "-"})]
    outcomes = run_cases([case_of(row, where="-") for row in rows], Run(Options(embedder="none")))
    assert [failed for _, failed in outcomes] == [[], []]


# -- the command


def test_a_file_of_cases_is_measured_and_a_failure_is_the_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    rows = [
        case(kind="builtin"),
        case(kind="builtin", id="b", expect={"present": ["Vienna"], "why": "it was not said"}),
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (result,) = measure([file], Options(embedder="none")).results
    assert (result["dataset"], result["kind"], result["passed"], result["total"]) == ("builtin", "builtin", 1, 2)
    assert [item["id"] for item in result["failures"]] == ["b"]
    ran = CliRunner().invoke(app, ["eval", str(file), "--json", "--embedder", "none"])
    assert ran.exit_code == 1
    assert json.loads(ran.stdout)["results"][0]["failures"][0]["failed"]


def test_an_unknown_split_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"no case of split 'nope'; known are .*known"):
        measure(["builtin"], Options(embedder="none", split="nope"))
