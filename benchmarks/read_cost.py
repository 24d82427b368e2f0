"""What a read costs in a store of many users: `search` and `context`, warm and at first touch, and the memory it takes.

    python benchmarks/read_cost.py                                                  seconds, a smoke test
    python benchmarks/read_cost.py --dir /var/tmp --users 10x50000,50x10000 --k 20  a store of 1 000 000 items

The store is filled on disk (SQLite) and packed. Of each size every user's first touch is timed, then several users are asked
in turn, warm, with questions that were embedded beforehand. `context` gets the same question and takes whatever of it is
above the floor. `where` tells the milliseconds of a search in the index, in the store, and in the rest. With --keep the
filled store is used again.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.filling import DIMENSION, Speech, fill, home
from benchmarks.measuring import FixedEmbedder, arguments, folder, percentiles, report, resident_bytes, say
from benchmarks.search_scale import FACTS, pack, shares

import muniment
from muniment.service.muniment import Muniment

WARM = 3
ASKED = 5
"""Users of each size that are asked in turn."""


class Vectors(FixedEmbedder):
    """Gives each question the vector that was made for it beforehand, so that no model's time is measured."""

    def __init__(self, speech: Speech) -> None:
        super().__init__(DIMENSION)
        self._speech = speech

    def encode(self, texts: Any, kind: Any = "document") -> Any:
        """A random direction for a question, the fixed one for all else."""
        return self._speech.vectors(len(texts)).astype("<f4") if kind == "query" else super().encode(texts, kind)


def user(size: int, number: int) -> str:
    return f"user-{size}-{number}"


def filled(url: str, sizes: dict[int, int], speech: Speech, options: argparse.Namespace) -> None:
    """The store with all users, each with some facts, packed."""
    with muniment.open(url, embedder=FixedEmbedder(DIMENSION)) as memory:
        for size, count in sizes.items():
            begun = time.perf_counter()
            for number in range(count):
                fill(memory, user(size, number), size, speech)
                me = memory.reader(user=user(size, number))
                for text, _ in speech.turns(FACTS):
                    me.add_fact(f"likes {text}", predicate="likes", value=text)
                pack(memory, user(size, number))
                memory.parts.index.forget(home(user(size, number)))
            say(options, f"{count} users of {size} items filled in {time.perf_counter() - begun:.0f} s")


def measured(memory: Muniment, size: int, count: int, speech: Speech, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of the users of one size."""
    names = [user(size, number) for number in range(min(count, ASKED))]
    before, first = resident_bytes(), []
    for name in names:
        words, vector = speech.question()
        begun = time.perf_counter()
        memory.reader(user=name).search(words, k=options.k, vector=vector)
        first.append(time.perf_counter() - begun)
    grown = (resident_bytes() - before) / len(names) / size
    search: list[float] = []
    context: list[float] = []
    for place in range(WARM + options.questions):
        for name in names:
            me = memory.reader(user=name)
            words, vector = speech.question()
            begun = time.perf_counter()
            hits = me.search(words, k=options.k, vector=vector)
            between = time.perf_counter()
            me.context(words, budget=1200)
            ended = time.perf_counter()
            if len(hits) < options.k:
                raise SystemExit(f"{name}: {len(hits)} hits; the store is not what was meant to be measured")
            if place >= WARM:
                search.append(between - begun)
                context.append(ended - between)
    found = {
        "first_touch": percentiles(first),
        "search": percentiles(search),
        "context": percentiles(context),
        "context_to_search": {"p50": round(percentiles(context)["p50_ms"] / percentiles(search)["p50_ms"], 2)},
        "where": shares(memory, names[0], speech, options.questions),
        "resident_bytes_an_item": round(grown),
    }
    say(options, f"  {size} items: {found}")
    return found


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--users", default="3x500,6x100", help="how many users of how many items")
    parser.add_argument("--questions", type=int, default=20, help="questions asked of each user")
    parser.add_argument("--k", type=int, default=20, help="hits asked for")
    parser.add_argument("--keep", type=Path, help="a store's file: filled where it is missing, used again, and kept")
    options = parser.parse_args()
    sizes = {int(size): int(count) for count, size in (part.split("x") for part in options.users.split(","))}
    with nullcontext() if options.keep else folder(options.dir) as place:
        url = f"sqlite:///{options.keep or Path(place) / 'read-cost.db'}"
        if not (options.keep and options.keep.exists()):
            filled(url, sizes, Speech(options.seed), options)
        speech = Speech(options.seed + 1)
        with muniment.open(url, embedder=Vectors(speech)) as memory:
            memory.reader(user="nobody").search("warm the code, not the data")
            found = {str(size): measured(memory, size, count, speech, options) for size, count in sizes.items()}
            held = {"index_bytes": memory.parts.index.nbytes, "limit": memory.policy.retrieval.index_bytes}
            held["resident_bytes"] = resident_bytes()
    report(options, {"sizes": found, "memory": held, "questions": options.questions, "k": options.k})
    return 0


if __name__ == "__main__":
    sys.exit(main())
