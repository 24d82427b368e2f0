"""What the measurements share: percentiles, a stand-in embedder that costs nothing, output.

Belongs here: arithmetic and printing. Does not belong here: anything measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import numpy as np


class FixedEmbedder:
    """One fixed direction for every text: vectors of the usual size at no cost, for what is measured beside the model."""

    def __init__(self, dimension: int = 512) -> None:
        self.id = f"fixed-{dimension}"
        self.dimension = dimension

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Any:
        """Unit rows, all alike."""
        return np.full((len(texts), self.dimension), self.dimension**-0.5, np.float32)


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """p50 and p95 in milliseconds."""
    return {name: round(float(np.percentile(seconds, at)) * 1000, 3) for name, at in (("p50_ms", 50), ("p95_ms", 95))}


def resident_bytes() -> int:
    """Memory of this process now (Linux), else its peak."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def machine() -> dict[str, Any]:
    """What the figures were taken on; they say little elsewhere."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "numpy": np.__version__,
        "load": round(os.getloadavg()[0], 1),
        "reference_ms": reference_ms(),
    }


def reference_ms() -> float:
    """A million additions in this interpreter, the middle of five runs: how fast the machine was when figures were taken.
    A core of 2024 that nobody else uses takes about 40 ms; figures from shared machines compare by their ratio to it."""
    taken = []
    for _ in range(5):
        begun, total = time.perf_counter(), 0
        for number in range(1_000_000):
            total += number * number
        taken.append(time.perf_counter() - begun)
    return round(sorted(taken)[2] * 1000, 1)


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with the options that every measurement has."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--dir", type=Path, help="folder for databases; a temporary one without it", default=None)
    parser.add_argument("--seed", type=int, default=20260701, help="everything random follows from it")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    return parser


def folder(given: Path | None) -> AbstractContextManager[str]:
    """A folder of this run's own, below the given one; removed afterwards."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="muniment-bench-", dir=given)


def say(options: argparse.Namespace, line: str) -> None:
    """Tells how far it is, on standard error."""
    if not options.json:
        print(line, file=sys.stderr, flush=True)


def report(options: argparse.Namespace, found: Mapping[str, Any]) -> None:
    """Prints what was measured: JSON, or a line a figure."""
    whole = {**found, "machine": machine()}
    if options.json:
        print(json.dumps(whole, ensure_ascii=False, default=str))
        return
    for line in _lines(whole, ""):
        print(line)


def _lines(value: Any, name: str) -> list[str]:
    if isinstance(value, Mapping):
        flat = not any(isinstance(item, (Mapping, list)) for item in value.values())
        if flat and name:
            return [f"{name:<40} " + "  ".join(f"{key} {item}" for key, item in value.items())]
        return [line for key, item in value.items() for line in _lines(item, f"{name}.{key}" if name else str(key))]
    if isinstance(value, list):
        return [line for place, item in enumerate(value) for line in _lines(item, f"{name}[{place}]")]
    return [f"{name:<40} {value}"]
