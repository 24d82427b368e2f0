"""The measurements run, at sizes that take seconds, and say what they promise. No figure is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.races import shape

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(script: str, *arguments: str) -> dict[str, Any]:
    """The JSON document that a measurement prints."""
    command = [sys.executable, "-W", "error", str(BENCHMARKS / script), "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["machine"]["reference_ms"] > 0
    return found


@pytest.mark.parametrize("script", ["import_rate.py", "races.py", "raw_driver.py", "search_scale.py"])
def test_every_measurement_explains_itself(script: str) -> None:
    said = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), "--help"], capture_output=True, text=True, timeout=60
    )
    assert said.returncode == 0
    assert "--json" in said.stdout
    assert "--dir" in said.stdout


def test_search_scale(tmp_path: Path) -> None:
    found = run(
        "search_scale.py", *["--sizes", "40,120", "--others", "60,200", "--questions", "6", "--dir"], str(tmp_path)
    )
    assert set(found["others"]) == {"60", "200"}
    for store in found["others"].values():
        for size in ("40", "120"):
            assert 0 < store[size]["search"]["p50_ms"] <= store[size]["search"]["p95_ms"]
            assert store[size]["first_touch"]["segments"] == 1
            assert store[size]["memory"]["index_bytes_an_item"] > 0
            assert store[size]["where"]["index_ms"] > 0
            assert store[size]["where"]["store_ms"] > 0
    assert set(found["growth"]) == {"40", "120"}
    assert all(found["growth"][size]["p50"] > 0 for size in ("40", "120"))
    assert list(tmp_path.iterdir()) == []


def test_import_rate(tmp_path: Path) -> None:
    found = run("import_rate.py", "--turns", "60", "--batch", "20", "--dir", str(tmp_path))
    for name in ("without_embedder", "with_embedder"):
        assert found[name]["turns"] == 60
        assert found[name]["facts"] > 0
        assert found[name]["turns_per_s"] > 0
        assert found[name]["driver"]["rows"] > 60 * 4
    assert found["with_embedder"]["embedding_ms_a_turn"] > 0
    assert found["without_embedder"]["embedding_ms_a_turn"] == 0


def test_raw_driver(tmp_path: Path) -> None:
    found = run("raw_driver.py", "--operations", "6", "--items", "100", "--dir", str(tmp_path))
    assert {"observe", "fact", "search_100"} <= set(found)
    assert all(found[name]["ratio"] > 0 for name in ("observe", "fact", "search_100"))


def test_races(tmp_path: Path) -> None:
    found = run("races.py", *["--seconds", "1", "--processes", "2", "--threads", "3", "--dir"], str(tmp_path))
    assert found["writers"] == 4
    assert found["errors"] == []
    assert found["faults"] == []
    assert found["acknowledged"] >= found["writers"]


@pytest.mark.parametrize(
    ("processes", "threads", "each"),
    [
        (8, 16, [4, 4, 4, 4, 1, 1, 1, 1]),
        (8, 8, [1] * 8),
        (1, 16, [16]),
        (2, 3, [3, 1]),
        (4, 5, [3, 2, 1, 1]),
    ],
)
def test_threads_are_spread_over_the_first_half_of_the_processes(processes: int, threads: int, each: list[int]) -> None:
    assert shape(processes, threads) == each
