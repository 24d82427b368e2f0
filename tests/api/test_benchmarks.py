"""The measurements run, at sizes that take seconds, and say what they promise. No figure is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from benchmarks.add_time import START, stated_in_one_slot
from benchmarks.filling import fill_slot
from benchmarks.races import shape

import muniment

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


SCRIPTS = ["add_time.py", "import_rate.py", "races.py", "raw_driver.py", "read_cost.py", "search_scale.py"]


@pytest.mark.parametrize("script", SCRIPTS)
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


def test_read_cost(tmp_path: Path) -> None:
    found = run("read_cost.py", *["--users", "2x60,2x30", "--questions", "3", "--dir"], str(tmp_path))
    assert set(found["sizes"]) == {"60", "30"}
    for figures in found["sizes"].values():
        for name in ("first_touch", "search", "context"):
            assert 0 < figures[name]["p50_ms"] <= figures[name]["p95_ms"], name
        assert figures["context_to_search"]["p50"] > 0
    assert 0 < found["memory"]["index_bytes"] < found["memory"]["limit"]
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


def test_add_time(tmp_path: Path) -> None:
    found = run(
        "add_time.py", *["--few", "4", "--many", "12", "--operations", "2", "--slot", "12", "--dir"], str(tmp_path)
    )
    assert set(found["ways"]) == {"many values", "unknown predicate", "single-valued", "no predicate", "observe"}
    for figures in (*found["ways"].values(), found["one_slot"]):
        assert min(figures["few_ms"], figures["many_ms"], figures["ratio"]) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_slot_filled_past_the_pipeline_is_as_the_library_leaves_it() -> None:
    with muniment.open(":memory:", embedder="none") as memory:
        fill_slot(memory, "filled", 5, since=START)
        filled, stated = memory.reader(user="filled"), memory.reader(user="stated")
        for number in range(5):
            stated_in_one_slot(stated, number)
        for number in (2, 7):  # one between the others, one after them
            stated_in_one_slot(filled, number)
            stated_in_one_slot(stated, number)
        for hour in range(-1, 9):
            at = START + timedelta(hours=hour)
            one, other = (
                [(fact.value, fact.standing) for fact in me.facts(valid_at=at, include_contenders=True)]
                for me in (filled, stated)
            )
            assert one == other


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
