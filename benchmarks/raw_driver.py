"""Single operations beside the least that they could cost: as ratios, which say the same on a slow machine and a fast one.

    python benchmarks/raw_driver.py --operations 300

- observe: one turn observed, beside the bare driver inserting the rows that this made, one transaction each, durable
- fact: one fact stated, likewise
- search: one question to a user of some items, beside the driver reading as many rows by id and one product of the user's
  vectors with the question's
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.filling import DIMENSION, Speech, fill
from benchmarks.import_rate import copied_tables
from benchmarks.measuring import FixedEmbedder, arguments, folder, percentiles, report

import muniment

READ = 50
"""Rows that a search of ten hits reads by id, roughly."""


def timed(work: Callable[[int], object], count: int) -> list[float]:
    """Seconds of each of so many calls."""
    taken = []
    for number in range(count):
        begun = time.perf_counter()
        work(number)
        taken.append(time.perf_counter() - begun)
    return taken


def writes(place: Path, count: int) -> dict[str, Any]:
    """`observe` and `add_fact`, each beside the driver."""
    found: dict[str, Any] = {}
    for name in ("observe", "fact"):
        path = place / f"{name}.db"
        with muniment.open(f"sqlite:///{path}", embedder="none") as memory:
            me = memory.reader(user="ana", session="s")
            me.observe("The word lists are read at the first use. I like tea.")

            def work(number: int, name: str = name, me: Any = me) -> object:
                if name == "observe":
                    return me.observe(f"We met at the station again, for the {number}th time, and nobody was late.")
                return me.add_fact(f"likes thing {number}", predicate="likes", value=f"thing {number}")

            mine = percentiles(timed(work, count))
        bare = percentiles(timed(_inserting(path, place / f"{name}-bare.db", count), count))
        found[name] = {**mine, "driver_p50_ms": bare["p50_ms"], "ratio": round(mine["p50_ms"] / bare["p50_ms"], 1)}
    return found


def _inserting(source: Path, target: Path, count: int) -> Callable[[int], object]:
    """Inserts an even share of every table's rows, as one durable transaction."""
    new = sqlite3.connect(target, isolation_level=None)
    for pragma in ("page_size = 16384", "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        new.execute(f"PRAGMA {pragma}")
    tables = copied_tables(source, new)

    def work(number: int) -> None:
        new.execute("BEGIN IMMEDIATE")
        for rows, statement in tables:
            new.executemany(statement, rows[len(rows) * number // count : len(rows) * (number + 1) // count])
        new.execute("COMMIT")

    return work


def searches(place: Path, items: int, count: int, seed: int) -> dict[str, Any]:
    """`search` beside the rows and the product it cannot do without."""
    speech, path = Speech(seed), place / "search.db"
    with muniment.open(f"sqlite:///{path}", embedder=FixedEmbedder(DIMENSION)) as memory:
        fill(memory, "ana", items, speech)
        me = memory.reader(user="ana")
        questions = [speech.question() for _ in range(count)]
        me.search(questions[0][0], vector=questions[0][1])
        mine = percentiles(timed(lambda number: me.search(questions[number][0], vector=questions[number][1]), count))
    driver = sqlite3.connect(path)
    ids = [row[0] for row in driver.execute("SELECT evidence_id FROM evidence LIMIT ?", (READ,))]
    query = f"SELECT * FROM evidence WHERE tenant_id = 'default' AND evidence_id IN ({', '.join('?' * len(ids))})"
    vectors = speech.vectors(items).astype(np.float32)

    def work(number: int) -> None:
        np.einsum("ij,j->i", vectors, questions[number][1])
        driver.execute(query, ids).fetchall()

    bare = percentiles(timed(work, count))
    driver.close()
    ratio = round(mine["p50_ms"] / bare["p50_ms"], 1)
    return {f"search_{items}": {**mine, "driver_p50_ms": bare["p50_ms"], "ratio": ratio}}


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--operations", type=int, default=50, help="how often each is done (default 50)")
    parser.add_argument("--items", type=int, default=1000, help="items of the user who searches (default 1000)")
    options = parser.parse_args()
    with folder(options.dir) as place:
        found = writes(Path(place), options.operations)
        found |= searches(Path(place), options.items, options.operations, options.seed)
    report(options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
