"""Retrieval through the product, on a sample of the sets, beside the baselines of the same run."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from muniment.cli.app import app
from muniment.evaluation.options import Options
from muniment.evaluation.suites import measure

FLOOR = 0.65


def sample(data: Path, name: str, conversations: int, folder: Path) -> Path:
    """The first conversations of a set, as a file of its own."""
    source = data / f"{name}.jsonl"
    if not source.exists():
        pytest.skip(f"no {source.name} in {data}")
    file = folder / source.name
    with source.open(encoding="utf-8") as lines:
        file.write_text("".join(itertools.islice(lines, conversations)), encoding="utf-8")
    return file


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "conversations"), [("locomo", 1), ("memdaily_pool_zh", 5)])
def test_the_product_is_no_worse_than_any_baseline(
    eval_data: Path, tmp_path: Path, name: str, conversations: int
) -> None:
    outcome = measure([sample(eval_data, name, conversations, tmp_path)], Options(compare=True))
    (result,) = outcome.results
    baselines: dict[str, dict[str, Any]] = result["baselines"]
    assert set(baselines) == {"seed", "bm25", "dense", "rrf"}
    best = max(float(scores["recall@10"]) for scores in baselines.values())
    assert result["degraded_searches"] == 0
    assert result["n"] >= 50
    assert result["recall@10"] >= best, (result["recall@10"], baselines)
    assert result["recall@10"] >= FLOOR


THINGS = ("violin", "kayak", "greenhouse", "telescope", "printer", "tent", "loom", "accordion", "kiln", "drone")


@pytest.mark.timeout(600)
def test_a_search_by_hand_finds_the_very_ids_that_were_ranked(tmp_path: Path) -> None:
    docs = [
        {
            "id": f"d{at}",
            "text": f"I {deed} the {thing}." if at % 3 else f"I like the {thing}. Where did you get yours?",
            "speaker": "user" if at % 4 else "assistant",
            "time": f"2024-05-{1 + at:02d}T10:00:00Z",
            "session": f"s{at // 5}",
        }
        for at, (deed, thing) in enumerate((deed, thing) for deed in ("bought", "repaired") for thing in THINGS)
    ]
    questions = [f"When was the {thing} {deed}?" for thing in THINGS for deed in ("bought", "repaired")]
    queries = [
        {"id": f"q{at}", "question": text, "gold": [f"d{at}"], "time": "2024-06-03T08:00:00Z" if at % 2 else None}
        for at, text in enumerate(questions)
    ]
    record = {
        "kind": "retrieval",
        "dataset": "made-up",
        "conv_id": "c1",
        "lang": "en",
        "docs": docs,
        "queries": queries,
    }
    file, rankings = tmp_path / "made-up.jsonl", tmp_path / "rankings.jsonl"
    file.write_text(json.dumps(record), encoding="utf-8")
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    outcome = measure([file], Options(embedder="none", db=url, rankings=rankings))
    assert outcome.results[0]["switches"]["embedder"] == outcome.environment["embedder"]
    assert outcome.results[0]["switches"]["role_prior"] is False
    lines = [json.loads(line) for line in rankings.read_text(encoding="utf-8").splitlines()]
    assert [line["question"] for line in lines] == questions
    for line in lines:
        asked = ["search", line["question"], "--k", str(line["k"]), "--valid-at", line["valid_at"], "--json"]
        where = ["--tenant", line["tenant"], "--user", line["user"], "--db", url, "--embedder", "none"]
        shown = CliRunner().invoke(app, [*asked, *where])
        assert shown.exit_code == 0, shown.output
        found = json.loads(shown.stdout)
        assert [_id(item) for item in found["hits"]] == line["ids"]
    assert sum(bool(line["ids"]) for line in lines) == 20


def _id(item: dict[str, Any]) -> str:
    """The id of a hit in the command's output."""
    return str(item["item"].get("fact_id") or item["item"].get("evidence_id"))
