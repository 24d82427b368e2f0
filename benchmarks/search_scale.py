"""Search for one user as their own memories grow, and as everybody else's do.

    python benchmarks/search_scale.py                                          seconds, a smoke test
    python benchmarks/search_scale.py --dir /var/tmp --sizes 1000,10000,50000 --others 10000,1000000

For each number of items of other users the store is filled (on disk, SQLite), and for each size a user of that many items
is asked questions that were embedded beforehand: p50 and p95 of `search`, warm. Then: the first touch of each user's
memories after they were dropped, from rows and from packed segments, in this process and in a new one; memory an item;
where the time of a search goes; and the growth from the smallest store to the largest, both asked the same in turn.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.filling import DIMENSION, Speech, fill, home
from benchmarks.measuring import FixedEmbedder, arguments, folder, percentiles, report, resident_bytes, say

import muniment
from muniment.domain.scope import Reader as Identity
from muniment.service.muniment import Muniment
from muniment.service.upkeep import Upkeep

CROWD = 1_000
"""Items of each of the other users."""
FACTS = 50
"""Facts that each measured user has, stated through the library."""
WARM = 5


@dataclass(slots=True)
class Clock:
    """Adds up the time spent in calls, outermost only."""

    seconds: float = 0.0
    depth: int = 0

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **given: Any) -> Any:
            self.depth += 1
            begun = time.perf_counter()
            try:
                return work(*args, **given)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.seconds += time.perf_counter() - begun

        return run


def opened(url: str) -> Muniment:
    return muniment.open(url, embedder=FixedEmbedder(DIMENSION))


def ask(memory: Muniment, user: str, speech: Speech, count: int) -> list[float]:
    """Seconds of each of so many questions of the user's."""
    me = memory.reader(user=user)
    questions = [speech.question() for _ in range(count + WARM)]
    times = []
    for place, (words, vector) in enumerate(questions):
        begun = time.perf_counter()
        hits = me.search(words, vector=vector)
        if place >= WARM:
            times.append(time.perf_counter() - begun)
        if not len(hits):
            raise SystemExit(f"{user}: a search found nothing; the store is not what was meant to be measured")
    return times


def touch(memory: Muniment, user: str, speech: Speech) -> float:
    """Seconds of one search when nothing of the user's is in memory. The system may still have the file in its cache."""
    memory.parts.index.forget(home(user))
    me = memory.reader(user=user)
    words, vector = speech.question()
    begun = time.perf_counter()
    me.search(words, vector=vector)
    return round(time.perf_counter() - begun, 3)


def touch_anew(url: str, user: str) -> dict[str, Any]:
    """The same in a process of its own: seconds to open the store, and of the first search and the second."""
    command = [sys.executable, __file__, "--touch", url, user]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def touched(url: str, user: str) -> dict[str, Any]:
    """What `touch_anew` starts."""
    speech = Speech(1)
    begun = time.perf_counter()
    with opened(url) as memory:
        opening = time.perf_counter() - begun
        memory.reader(user="nobody").search("warm the code, not the data", vector=speech.question()[1])
        first = touch(memory, user, speech)
        second = ask(memory, user, speech, 1)[0]
    return {"open_s": round(opening, 3), "first_s": first, "later_s": round(second, 4)}


def shares(memory: Muniment, user: str, speech: Speech, count: int) -> dict[str, float]:
    """Milliseconds of a search spent in the index, in the store (beginning the snapshot included), and in the rest."""
    index, store = Clock(), Clock()
    names = ("facts", "evidence", "facts_on", "identifiers", "revisions", "conflicts", "_load_partitions")
    from muniment.index.local import LocalIndex
    from muniment.store.read import SqlReadUnit

    kept = {name: getattr(SqlReadUnit, name) for name in names}
    searched = LocalIndex.search
    try:
        LocalIndex.search = index.timed(searched)  # type: ignore[method-assign]
        for name, method in kept.items():
            setattr(SqlReadUnit, name, store.timed(method))
        whole = sum(ask(memory, user, speech, count - WARM)) + 0.0
        asked = count - WARM
    finally:
        LocalIndex.search = searched  # type: ignore[method-assign]
        for name, method in kept.items():
            setattr(SqlReadUnit, name, method)
    scale = 1000 / count
    total = whole * 1000 / asked
    parts = {"index_ms": index.seconds * scale, "store_ms": store.seconds * scale}
    return {name: round(value, 3) for name, value in (parts | {"rest_ms": total - sum(parts.values())}).items()}


def pack(memory: Muniment, user: str) -> int:
    """Packs the user's items; how many segments that made."""
    parts = memory.parts
    upkeep = parts.upkeep
    if not isinstance(upkeep, Upkeep):
        raise SystemExit("this memory packs no segments")
    return upkeep.pack(Identity.of(tenant="default", user=user), home(user))


def measured(url: str, sizes: list[int], questions: int, speech: Speech, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of one store."""
    found: dict[str, Any] = {}
    with opened(url) as memory:
        for size in sizes:
            user = f"user-{size}"
            before, held = resident_bytes(), memory.parts.index.nbytes
            rows = touch(memory, user, speech)
            grown = memory.parts.index.nbytes - held
            found[str(size)] = {
                "search": percentiles(ask(memory, user, speech, questions)),
                "where": shares(memory, user, speech, questions),
                "first_touch": {"rows_s": rows},
                "memory": {
                    "index_bytes_an_item": round(grown / size),
                    "resident_bytes_an_item": round((resident_bytes() - before) / size),
                },
            }
            say(options, f"  {size} items: {found[str(size)]}")
        for size in sizes:
            user = f"user-{size}"
            first = found[str(size)]["first_touch"]
            first["rows_new_process"] = touch_anew(url, user)["first_s"]
            segments = pack(memory, user)
            first |= {"segments": segments, "segments_s": touch(memory, user, speech)}
            first["segments_new_process"] = touch_anew(url, user)["first_s"]
            say(options, f"  {size} items, first touch: {first}")
    return found


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--sizes", default="200,1000", help="items of the measured users")
    parser.add_argument("--others", default="1000,5000", help="items of all other users, store by store")
    parser.add_argument("--questions", type=int, default=50, help="questions asked for each figure")
    parser.add_argument("--touch", nargs=2, metavar=("URL", "USER"), help="only the first touch, for the script itself")
    options = parser.parse_args()
    if options.touch:
        print(json.dumps(touched(*options.touch)))
        return 0
    sizes = [int(size) for size in options.sizes.split(",")]
    stores: dict[str, Any] = {}
    with ExitStack() as stack:
        place = stack.enter_context(folder(options.dir))
        for others in (int(count) for count in options.others.split(",")):
            speech = Speech(options.seed)
            url = f"sqlite:///{place}/others-{others}.db"
            begun = time.perf_counter()
            _fill(url, sizes, others, speech)
            say(options, f"{others} items of others: filled in {time.perf_counter() - begun:.0f} s")
            stores[str(others)] = measured(url, sizes, options.questions, speech, options)
        urls = [f"sqlite:///{place}/others-{others}.db" for others in (min(stores, key=int), max(stores, key=int))]
        growth = grown(urls, sizes, options.questions, Speech(options.seed + 1))
    report(options, {"others": stores, "growth": growth, "questions": options.questions})
    return 0


def grown(urls: list[str], sizes: list[int], questions: int, speech: Speech) -> dict[str, Any]:
    """The smallest store and the largest, asked the same questions in turn: machines drift by more than stores differ."""
    found = {}
    with opened(urls[0]) as least, opened(urls[1]) as most:
        for size in sizes:
            readers = [memory.reader(user=f"user-{size}") for memory in (least, most)]
            taken: list[list[float]] = [[], []]
            for place in range(questions + WARM):
                words, vector = speech.question()
                for which in (0, 1) if place % 2 else (1, 0):
                    begun = time.perf_counter()
                    readers[which].search(words, vector=vector)
                    taken[which].append(time.perf_counter() - begun)
            small, large = (percentiles(times[WARM:]) for times in taken)
            found[str(size)] = {
                "least_p50_ms": small["p50_ms"],
                "most_p50_ms": large["p50_ms"],
                "p50": round(large["p50_ms"] / small["p50_ms"], 2),
                "p95": round(large["p95_ms"] / small["p95_ms"], 2),
            }
    return found


def _fill(url: str, sizes: list[int], others: int, speech: Speech) -> None:
    """A store with the measured users, half of the others before them and half after."""
    crowd = [min(CROWD, others - start) for start in range(0, others, CROWD)]
    with opened(url) as memory:
        for number, count in enumerate(crowd):
            if number == len(crowd) // 2:
                _measured_users(memory, sizes, speech)
            fill(memory, f"other-{number}", count, speech)
        if not crowd:
            _measured_users(memory, sizes, speech)


def _measured_users(memory: Muniment, sizes: list[int], speech: Speech) -> None:
    for size in sizes:
        fill(memory, f"user-{size}", size, speech)
        me = memory.reader(user=f"user-{size}")
        for text, _ in speech.turns(FACTS):
            me.add_fact(f"likes {text}", predicate="likes", value=text)


if __name__ == "__main__":
    sys.exit(main())
