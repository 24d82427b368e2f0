"""Kind `temporal`: on records made here, whose figures can be told by hand."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from muniment.domain.errors import InvalidInput
from muniment.evaluation.options import Options
from muniment.evaluation.report import show
from muniment.evaluation.suites import measure

REF = "2031-03-05T09:00:00"  # a Wednesday


def record(text: str, expected: Any, *, lang: str = "en", spec: str = "Model", ref: str | None = REF) -> dict[str, Any]:
    return {
        "kind": "temporal", "dataset": "made_here", "id": text, "split": "dev", "lang": lang, "spec": spec, "text": text,
        "ref": ref, "expected": expected,
    }  # fmt: skip


def phrase(text: str, phrase: str, kind: str, *values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "text": phrase,
            "type": f"datetimeV2.{kind}",
            "start": text.index(phrase),
            "resolution": {"values": list(values)},
        }
    ]


def run(tmp_path: Path, *records: dict[str, Any]) -> dict[str, Any]:
    file = tmp_path / "made.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in records), encoding="utf-8")
    outcome = measure([file], Options())
    console = Console(file=StringIO(), width=120)
    show(outcome, console)
    assert "made_here" in console.file.getvalue()  # type: ignore[attr-defined]
    (result,) = outcome.results
    return result


YESTERDAY = "we spoke yesterday"


def test_a_text_counts_once_and_all_its_phrases_must_be_right(tmp_path: Path) -> None:
    right = phrase(YESTERDAY, "yesterday", "date", {"value": "2031-03-04"})
    wrong = phrase("yesterday or next week", "yesterday", "date", {"value": "2031-03-04"})
    wrong += phrase("yesterday or next week", "next week", "daterange", {"start": "2031-03-11", "end": "2031-03-18"})
    result = run(
        tmp_path,
        record(YESTERDAY, right),
        record(YESTERDAY, right, spec="Other"),
        record("yesterday or next week", wrong),
    )
    assert (result["by_language"]["en"]["n"], result["by_language"]["en"]["right"]) == (2, 1)
    assert result["by_kind"]["date"]["exact"] == 1.0


@pytest.mark.parametrize(
    ("text", "said", "kind", "value", "exact"),
    [
        (YESTERDAY, "yesterday", "date", {"value": "2031-03-03"}, False),
        ("in May 2030", "May 2030", "daterange", {"start": "2030-05-01", "end": "2030-06-01"}, True),
        ("in May 2030", "May 2030", "daterange", {"start": "2030-05-01", "end": "2030-05-31"}, False),
        (
            "from 3 to 9 May 2030",
            "from 3 to 9 May 2030",
            "daterange",
            {"start": "2030-05-03", "end": "2030-05-09"},
            True,
        ),
        (
            "between 2010 and 2012",
            "between 2010 and 2012",
            "daterange",
            {"start": "2010-01-01", "end": "2012-01-01"},
            True,
        ),
        ("before 2010", "before 2010", "daterange", {"end": "2010-01-01", "Mod": "before"}, True),
        ("tomorrow at 3 pm", "tomorrow at 3 pm", "datetime", {"value": "2031-03-06 15:00:00"}, True),
        ("tomorrow at 3 pm", "tomorrow at 3 pm", "datetime", {"value": "2031-03-06 03:00:00"}, False),
    ],
)
def test_what_exact_means(tmp_path: Path, text: str, said: str, kind: str, value: dict[str, Any], exact: bool) -> None:
    result = run(tmp_path, record(text, phrase(text, said, kind, value)))
    assert result["by_language"]["en"] == {
        "n": 1,
        "right": int(exact),
        "none": 0,
        "given": 0,
        "exact": float(exact),
        "none_given": None,
    }


def test_any_of_the_readings_of_an_ambiguous_reference_will_do(tmp_path: Path) -> None:
    both = phrase("on Friday", "Friday", "date", {"value": "2031-02-28"}, {"value": "2031-03-07"})
    neither = phrase("on Monday", "Monday", "date", {"value": "2031-02-24"}, {"value": "2031-03-17"})
    assert run(tmp_path, record("on Friday", both), record("on Monday", neither))["by_language"]["en"]["right"] == 1


def test_plain_ranges_are_inclusive_of_their_last_microsecond(tmp_path: Path) -> None:
    week = ["2031-02-24T00:00:00", "2031-03-02T23:59:59.999999"]
    result = run(
        tmp_path,
        record("上周", week, lang="zh"),
        record("last week", week, lang="other"),
        record("hier", week, lang="other"),
    )
    assert {lang: part["right"] for lang, part in result["by_language"].items()} == {"zh": 1, "en": 1, "other": 0}


def test_texts_without_a_date_must_be_given_none(tmp_path: Path) -> None:
    result = run(tmp_path, record("a plain remark", None), record("a plain remark of yesterday", []))
    assert (result["by_language"]["en"]["none"], result["by_language"]["en"]["given"]) == (2, 1)


def test_what_is_not_measured_is_told(tmp_path: Path) -> None:
    weekly = phrase("every week", "every week", "set", {"value": "not resolved"})
    bare = [{"text": "May", "type": "date", "start": 0, "resolution": None, "value": None}]
    result = run(tmp_path, record("every week", weekly), record("May", bare, ref=None))
    assert result["n"] == 0
    assert result["skipped"] == {"no reference given": 1, "set: not a date or a range": 1}


def test_a_record_without_a_text_is_refused(tmp_path: Path) -> None:
    broken = record("x", None)
    del broken["text"]
    with pytest.raises(InvalidInput, match="temporal record"):
        run(tmp_path, broken)
