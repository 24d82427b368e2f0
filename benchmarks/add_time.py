"""How long stating a fact takes beside a hundred facts of the same user, and beside ten thousand.

    python benchmarks/add_time.py                                               seconds, a smoke test
    python benchmarks/add_time.py --dir /var/tmp --few 100 --many 10000 --operations 60 --slot 10000

Two users of one store, one with few facts and one with many, state and observe in turn, in one process: for each way of
stating the middle time of both, and the middle of the ratios of each pair. The facts are of many predicates: values of a
many-valued one, predicates that the catalogue does not know, single-valued slots of many subjects. The slot measured last is one
single-valued slot that everything was stated in, at another instant each; it is filled past the pipeline, as a store is that
has been told so much, and its few are in a slot of their own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.filling import fill_slot
from benchmarks.measuring import arguments, folder, report, say

import muniment
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader

WARM: Final = 3
"""Pairs that are not counted."""
SLOT_PAIRS: Final = 5
"""Pairs stated in the full slot: each takes seconds there."""
START: Final = datetime(2020, 1, 1, tzinfo=UTC)

State = Callable[[Reader, int], object]


def _many(me: Reader, number: int) -> object:
    return me.add_fact(f"likes blend {number}", predicate="likes", value=f"blend {number}")


def _unknown(me: Reader, number: int) -> object:
    return me.add_fact(f"valve {number} turns left", predicate=f"valve {number}", value="left")


def _single(me: Reader, number: int) -> object:
    return me.add_fact(
        f"guest {number} lives in Lyon", subject=f"guest {number}", predicate="residence", value=f"Lyon {number % 9}"
    )


def _alone(me: Reader, number: int) -> object:
    return me.add_fact(f"the key of locker {number} hangs in the hall")


def _observed(me: Reader, number: int) -> object:
    receipt = me.observe(f"I like blend {number}.")
    if not receipt.facts:
        raise SystemExit("an observation gave no fact; the extractor is not what was meant to be measured")
    return receipt


WAYS: Final[Mapping[str, State]] = {
    "many values": _many,
    "unknown predicate": _unknown,
    "single-valued": _single,
    "no predicate": _alone,
    "observe": _observed,
}


def stated_in_one_slot(me: Reader, number: int) -> object:
    """States a residence from that hour on: through the library, what `fill_slot` writes past it."""
    return me.add_fact(
        f"lives at number {number}",
        predicate="residence",
        value=f"number {number}",
        valid_from=START + timedelta(hours=number),
    )


def fill(memory: Muniment, user: str, count: int) -> None:
    """Gives a user that many facts, of every kind in turn, through the library."""
    me = memory.reader(user=user)
    stating = [state for name, state in WAYS.items() if name != "observe"]
    for number in range(count):
        stating[number % len(stating)](me, number)


def in_turn(few: Reader, many: Reader, state: State, *, start: int, count: int) -> dict[str, float]:
    """Milliseconds of both, and how much longer the second takes: each pair one after the other, who begins in turn."""
    taken: dict[str, list[float]] = {"few": [], "many": []}
    for place in range(count + WARM):
        order = [("few", few), ("many", many)][:: 1 if place % 2 else -1]
        for name, me in order:
            begun = time.perf_counter()
            state(me, start + place)
            if place >= WARM:
                taken[name].append(time.perf_counter() - begun)
    ratios = np.array(taken["many"]) / np.array(taken["few"])
    middle = {f"{name}_ms": round(float(np.median(times)) * 1000, 2) for name, times in taken.items()}
    return {**middle, "ratio": round(float(np.median(ratios)), 2)}


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--few", type=int, default=20, help="facts of the one user (default 20)")
    parser.add_argument("--many", type=int, default=200, help="facts of the other (default 200)")
    parser.add_argument("--operations", type=int, default=10, help="how often each is stated by each (default 10)")
    parser.add_argument("--slot", type=int, default=200, help="statements of the one full slot; 0: none (default 200)")
    options = parser.parse_args()
    found: dict[str, Any] = {"few": options.few, "many": options.many, "slot": options.slot, "ways": {}}
    with folder(options.dir) as place, muniment.open(f"sqlite:///{place}/muniment.db", embedder="none") as memory:
        say(options, f"stating {options.many} facts")
        fill(memory, "many", options.many)
        for name, state in WAYS.items():
            # Each way has a user with few of its own: what was measured before adds nothing to them.
            fill(memory, f"few {name}", options.few)
            readers = memory.reader(user=f"few {name}"), memory.reader(user="many")
            found["ways"][name] = in_turn(*readers, state, start=options.many * 2, count=options.operations)
            say(options, f"{name}: {found['ways'][name]}")
        if options.slot:
            for user, count in (("few slot", options.few), ("many slot", options.slot)):
                fill_slot(memory, user, count, since=START)
            readers = memory.reader(user="few slot"), memory.reader(user="many slot")
            found["one_slot"] = in_turn(
                *readers, stated_in_one_slot, start=options.slot, count=min(options.operations, SLOT_PAIRS)
            )
    report(options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
