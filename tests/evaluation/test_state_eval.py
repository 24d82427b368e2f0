"""Kind `state`: on bundles made here, whose figures can be told by hand, and on the set where it is present."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from muniment.config import load_policy
from muniment.domain.errors import InvalidInput
from muniment.evaluation.bundles import bundle
from muniment.evaluation.options import Options
from muniment.evaluation.report import show
from muniment.evaluation.state import declared
from muniment.evaluation.states import edge_f1
from muniment.evaluation.suites import Outcome, measure

DAYS = ("2031-03-01T08:00:00Z", "2031-03-02T08:00:00Z", "2031-03-03T08:00:00Z")


def record(
    name: str, texts: list[str], claims: list[tuple[str | None, str | None, str, int]], **gold: Any
) -> dict[str, Any]:
    """A bundle: claims as (subject, slot, value, event), named c0, c1, … in the gold."""
    return {
        "kind": "state",
        "dataset": "made_here",
        "id": name,
        "split": "dev",
        "category": gold.pop("category", "made"),
        "events": [{"id": f"e{place}", "time": DAYS[place], "text": text} for place, text in enumerate(texts)],
        "claims": [
            {"id": f"{name}:c{place}", "subject": subject, "slot": slot, "value": value, "events": [event]}
            for place, (subject, slot, value, event) in enumerate(claims)
        ],
        "current": [f"{name}:{item}" for item in gold["current"]],
        "supersede": [[f"{name}:{old}", f"{name}:{new}"] for old, new in gold.get("supersede", [])],
    }


BACK_AGAIN = record(
    "back",
    ["relay-7 当前版本是 v4.1", "relay-7 已升级到 v4.2", "relay-7 已回退到 v4.1"],
    [("relay-7", "sw.version", value, place) for place, value in enumerate(("v4.1", "v4.2", "v4.1"))],
    current=["c2"],
    supersede=[("c0", "c1"), ("c1", "c2")],
)
SIDE_BY_SIDE = record(
    "side",
    ["harbour 的 east 节点当前状态为 idle", "harbour 的 west 节点当前状态为 busy"],
    [("harbour", "state.node", "idle", 0), ("harbour", "state.node", "busy", 1)],
    current=["c0", "c1"],
    category="beside",
)
PLANNED = record(
    "plan",
    ["打算下个月把 relay-9 升级到 v5.0"],
    [(None, None, "a plan", 0)],
    current=[],
    category="beside",
)
LONG_AGO = record(
    "ago",
    ["2027 年的时候 relay-3 的版本是 v1.1"],
    [("relay-3", "sw.version", "the old one", 0)],
    current=[],
)


def run(tmp_path: Path, *records: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    """The results of the suite on these records."""
    file = tmp_path / "made.jsonl"
    file.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in records), encoding="utf-8")
    return measure([file], Options(embedder="none", **given)).results


def test_a_value_that_comes_back_parts_that_stand_side_by_side_and_what_is_no_state(tmp_path: Path) -> None:
    (result,) = run(tmp_path, BACK_AGAIN, SIDE_BY_SIDE, PLANNED, LONG_AGO)
    assert (result["kind"], result["n"]) == ("state", 4)
    assert (result["current_accuracy"], result["supersede_f1"], result["from_text"]) == (1.0, 1.0, 1.0)
    assert result["by_category"]["beside"] == {
        "n": 2, "current_accuracy": 1.0, "supersede_f1": None, "from_text": 1.0,
    }  # fmt: skip


def test_what_the_gold_says_otherwise_is_counted_as_wrong(tmp_path: Path) -> None:
    stale = {**BACK_AGAIN, "current": ["back:c1"], "supersede": [["back:c0", "back:c2"]]}
    (result,) = run(tmp_path, stale)
    assert (result["current_accuracy"], result["supersede_f1"], result["from_text"]) == (0.0, 0.0, 0.0)


def test_a_state_taken_from_words_that_state_none_is_wrong_from_text_only(tmp_path: Path) -> None:
    silent = {**PLANNED, "events": [{"id": "e0", "time": DAYS[0], "text": "relay-9 已升级到 v5.0"}]}
    (result,) = run(tmp_path, silent)
    assert (result["current_accuracy"], result["from_text"]) == (1.0, 0.0)


def test_records_without_claims_are_named_not_measured(tmp_path: Path) -> None:
    (result,) = run(
        tmp_path, {"kind": "state", "dataset": "profiles", "split": "dev", "id": "p", "before": [], "after": []}
    )
    assert (result["n"], result["unmeasured"], result["current_accuracy"]) == (0, 1, None)


def test_split_limit_and_progress(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    other = {**PLANNED, "split": "test", "id": "other"}
    (result,) = run(
        tmp_path, BACK_AGAIN, SIDE_BY_SIDE, other, split="dev", limit=1,
        progress=lambda what, done, of: told.append((what, done, of)),
    )  # fmt: skip
    assert result["n"] == 1
    assert told == [("bundles of made_here", 1, 1)]


def test_a_bundle_that_names_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no claim 'back:c9'"):
        run(tmp_path, {**BACK_AGAIN, "current": ["back:c9"]})
    with pytest.raises(InvalidInput, match="event that is not there"):
        run(tmp_path, {**BACK_AGAIN, "events": BACK_AGAIN["events"][:1]})


def test_slots_are_declared_by_name_and_nothing_of_the_gold() -> None:
    from datetime import UTC

    policy = load_policy()
    given = declared(policy, [bundle(BACK_AGAIN, UTC)])
    blank = declared(policy, [bundle({**BACK_AGAIN, "current": [], "supersede": []}, UTC)])
    assert given.predicate("sw.version")[1].single
    assert given.version == blank.version


def test_f1_over_all_edges_together() -> None:
    gold = frozenset({("a", "b"), ("b", "c")})
    assert edge_f1([(gold, gold)]) == 1.0
    assert edge_f1([(frozenset({("a", "b"), ("a", "c")}), gold)]) == 0.5
    assert edge_f1([(frozenset(), frozenset())]) is None


def test_the_tables_show_the_figures(tmp_path: Path) -> None:
    console = Console(width=160, record=True, file=StringIO())
    show(Outcome(results=run(tmp_path, BACK_AGAIN, SIDE_BY_SIDE)), console)
    shown = console.export_text()
    assert all(part in shown for part in ("beside", "100.0 %"))


@pytest.mark.timeout(600)
def test_the_set_of_states(eval_data: Path) -> None:
    file = eval_data / "hlmem_state_zh.jsonl"
    if not file.exists():
        pytest.skip(f"no {file.name} in {eval_data}")
    (result,) = measure([file], Options(embedder="none")).results
    assert result["current_accuracy"] >= 0.95
    assert result["supersede_f1"] >= 0.95
    assert result["from_text"] >= 0.75
