"""Retrieval through the product, on a sample of the sets, beside the baselines of the same run."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

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
