"""How found spans are counted against labelled ones."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.evaluation.detect_personal import evaluate, is_personal
from muniment.evaluation.options import Options, Run


@pytest.fixture(scope="module")
def run() -> Run:
    return Run(Options(embedder="none"))


def record(text: str, *spans: tuple[str, str]) -> dict[str, Any]:
    placed = [
        {"type": kind, "start": text.index(value), "end": text.index(value) + len(value)} for kind, value in spans
    ]
    return {"kind": "detect", "dataset": "d", "split": "dev", "text": text, "spans": placed}


def test_exact_overlapping_missed_and_false(run: Run) -> None:
    (result,) = evaluate(
        [
            record("write to a@b.com", ("EMAIL", "a@b.com")),
            record("write to c@d.com", ("EMAIL", "c@d.co")),
            record("write to nobody", ("EMAIL", "nobody")),
            record("call +86 13800138000", ("CN_MOBILE", "13800138000")),
            record("Ann, 4111 1111 1111 1111", ("PERSON", "Ann")),
        ],
        run,
    )
    email, card = result["by_kind"]["email"], result["by_kind"]["bank_card"]
    assert (email["n"], email["found"]) == (3, 2)
    assert (email["precision"], email["recall"]) == (0.5, pytest.approx(1 / 3))
    assert email["f1"] == pytest.approx(0.4)
    assert email["f1_overlap"] == pytest.approx(0.8)
    assert (card["precision"], card["recall"], card["f1"]) == (0.0, None, None)
    assert result["by_kind"]["phone"]["f1"] == 1.0
    assert (result["overall"]["n"], result["overall"]["found"]) == (4, 4)
    assert result["left_out"] == {"PERSON": 1}


def test_talk_counts_alarms_and_what_is_none(run: Run) -> None:
    docs = [{"text": text} for text in ("hi", "see https://a.example", "pay 4111 1111 1111 1111", "I have asthma")]
    (result,) = evaluate([{"kind": "retrieval", "dataset": "t", "docs": docs}], run)
    assert (result["n"], result["false_alarms"], result["per_1000"]) == (4, 1, 250.0)
    assert result["by_kind"] == {"bank_card": 1}
    assert result["proven"] == {"url": 1}
    assert result["delicate_turns"] == {"health": 1}


def test_which_records_are_of_personal_data() -> None:
    assert is_personal(record("a@b.com", ("EMAIL", "a@b.com")))
    assert is_personal({"dataset": "pii_zh", "type": "clean", "spans": []})
    assert not is_personal({"dataset": "inj_garak", "type": "injection", "spans": []})
