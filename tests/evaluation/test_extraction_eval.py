"""Kinds `extraction` and `pref`: on labels made here, whose figures can be told by hand, and the form of our own labels."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from muniment.domain.errors import InvalidInput
from muniment.evaluation.extraction import labelled
from muniment.evaluation.options import Options
from muniment.evaluation.report import show
from muniment.evaluation.suites import Outcome, measure

LABELS = Path(__file__).parent / "labelled"


def statement(quote: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": [kind], "subject": "user", "quote": quote, "scope": ["USER"], "value": None, **more}


def label(number: int, text: str, *expected: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "extraction",
        "id": f"made-{number}",
        "lang": "en",
        "split": "dev",
        "at": "2031-03-03T09:00:00+01:00",
        "text": text,
        "expected": list(expected),
        "tags": [],
        **more,
    }


RIGHT = label(1, "I live in Porto.", statement("I live in Porto", "FACT", value="Porto"))
MISSED = label(2, "The tide tables hang by the door.", statement("tide tables hang by the door", "RULE"))
WRONG_TYPE = label(3, "I love rye bread.", statement("I love rye bread", "FACT", value="rye bread"))
EMPTY = label(4, "What time is it?")
SPOKEN_ANYWAY = label(5, "I live in Bonn.")
OPTIONAL = label(6, "I live in Lyon.", statement("I live in Lyon", "FACT", optional=True))
NEGATED = label(7, "I don't like mint.", statement("I don't like mint", "PREFERENCE", value="mint", negated=True))
CORRECTED = label(
    8,
    "No, it's Hanover.",
    statement("it's Hanover", "FACT", value="Hanover", intent="CORRECT"),
    before=[["user", "I live in Minden."]],
)


def run(tmp_path: Path, *records: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    """The results of the suite on these records."""
    file = tmp_path / "made.jsonl"
    file.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in records), encoding="utf-8")
    return measure([file], Options(embedder="none", **given)).results


def test_what_is_right_missed_wrong_or_neither_is_counted_so(tmp_path: Path) -> None:
    (result,) = run(tmp_path, RIGHT, MISSED, WRONG_TYPE, EMPTY, SPOKEN_ANYWAY, OPTIONAL, NEGATED)
    assert (result["n"], result["expected"]) == (7, 4)
    assert result["precision_accepted"] == 0.5  # right and negated, of four that count
    assert result["recall"] == 0.5
    assert result["optional_found"] == 1
    assert result["abstention"]["n"] == 3
    assert result["abstention"]["none_accepted"] == pytest.approx(2 / 3, abs=1e-3)
    assert result["details"]["negation"] == 1.0
    assert sum(part["n"] for part in result["reliability"]) == 5  # the missed one was read as something else


def test_a_negation_that_is_lost_is_wrong(tmp_path: Path) -> None:
    (result,) = run(tmp_path, label(1, "I live in Porto.", statement("I live in Porto", "FACT", negated=True)))
    assert result["precision_accepted"] == 0.0


def test_what_is_of_another_and_filed_as_the_speakers_is_wrong(tmp_path: Path) -> None:
    (result,) = run(tmp_path, label(1, "I live in Porto.", {**statement("I live in Porto", "FACT"), "subject": "Ann"}))
    assert result["precision_accepted"] == 0.0


def test_turns_before_are_said_before(tmp_path: Path) -> None:
    (result,) = run(tmp_path, CORRECTED)
    assert result["recall"] == 1.0
    assert result["details"]["intent"] == 1.0


def test_a_task_and_a_document_have_places_of_their_own(tmp_path: Path) -> None:
    scoped = statement("I prefer the quiet coach for this trip", "PREFERENCE", value="the quiet coach")
    trip = label(1, "I prefer the quiet coach for this trip.", {**scoped, "scope": ["TASK"]}, task=True)
    letter = label(2, "Parents are reminded to label all coats.", actor="document", source="document")
    (result,) = run(tmp_path, trip, letter)
    assert result["details"]["scope"] == 1.0
    assert result["abstention"]["none_accepted"] == 1.0


def test_a_malformed_label_is_named_before_anything_is_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="made-2"):
        run(tmp_path, RIGHT, label(2, "Hello.", statement("not in it", "FACT")))


def test_the_split_and_the_limit_choose(tmp_path: Path) -> None:
    held = {**RIGHT, "id": "made-9", "split": "held"}
    (result,) = run(tmp_path, RIGHT, held, split="held")
    assert (result["split"], result["n"]) == ("held", 1)
    (limited,) = run(tmp_path, RIGHT, MISSED, limit=1)
    assert limited["n"] == 1


def test_a_report_has_totals_and_no_words_of_any_turn(tmp_path: Path) -> None:
    results = run(tmp_path, RIGHT, WRONG_TYPE)
    out = StringIO()
    show(Outcome(results=results), Console(file=out, width=200))
    assert "precision of accepted" in out.getvalue()
    assert "0.82 to 1.00" in out.getvalue()
    assert "Porto" not in out.getvalue()
    assert "Porto" not in json.dumps(results)


def test_preferences_are_counted_by_category(tmp_path: Path) -> None:
    record = {"kind": "pref", "dataset": "made", "split": "dev", "category": "explicit"}
    texts = ["I love rye bread.", "I have a severe nut allergy.", "What a morning!"]
    chosen = {"user_selection": "The first. I can't stand ferries."}
    (result,) = run(
        tmp_path,
        *({**record, "id": str(place), "preference": text} for place, text in enumerate(texts)),
        {**record, "id": "x", "category": "chosen", "preference": "What a morning!", "conversation": chosen},
    )
    explicit = result["by_category"]["explicit"]
    assert explicit["typed"] == pytest.approx(1 / 3, abs=1e-3)
    assert explicit["typed_or_limit"] == pytest.approx(2 / 3, abs=1e-3)
    assert result["by_category"]["chosen"]["typed"] == 1.0
    show(Outcome(results=[result]), Console(file=StringIO(), width=120))


def test_a_record_without_a_preference_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="preference"):
        run(tmp_path, {"kind": "pref", "id": "1", "preference": " "})


@pytest.mark.parametrize("name", ["extraction_en_dev", "extraction_zh_dev", "extraction_en_held", "extraction_zh_held"])
def test_our_labels_have_the_form_the_suite_reads(name: str) -> None:
    """Their form only; the held halves are for the final run."""
    rows = [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    labels = [labelled(row) for row in rows]
    assert len({item.id for item in labels}) == len(labels) >= 100
    assert sum(not item.expected for item in labels) >= 20


@pytest.mark.parametrize(("name", "precision", "recall"), [("en", 0.6, 0.5), ("zh", 0.6, 0.5)])
def test_the_development_half_is_read_as_well_as_it_was(name: str, precision: float, recall: float) -> None:
    (result,) = measure([LABELS / f"extraction_{name}_dev.jsonl"], Options(embedder="none")).results
    assert result["precision_shown"] >= precision
    assert result["recall"] >= recall
    assert result["details"]["negation"] == 1.0
