"""How fast conversations are imported, with the default embedder and without, beside the bare driver writing the same rows.

    python benchmarks/import_rate.py                                  seconds, a made-up conversation
    python benchmarks/import_rate.py --turns 5000 --dir /var/tmp
    python benchmarks/import_rate.py --file conversations.jsonl       any file that `muniment import` reads

The driver's part is the standard library's sqlite3, given the finished rows of every table in transactions of the same size
with the same settings: what writing them costs at the least.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import arguments, folder, report, say

import muniment

TOPICS = ("the harbour", "a bicycle", "rye bread", "the tax office", "an old piano", "the mountain hut", "a parcel")
DEEDS = ("cleaned", "looked for", "wrote about", "paid for", "talked over", "waited at", "dreamt of")
DINGE = ("茶叶", "自行车", "签证", "钢琴", "快递", "会议室", "图书馆")
TATEN = ("整理了", "打听过", "预订了", "讨论了", "路过", "想起")
KEPT = ("I like {topic}.", "I moved to Porto.", "我喜欢{ding}。", "我搬到了成都。")


def conversation(path: Path, turns: int, seed: int) -> None:
    """A made-up conversation in two languages, one turn in ten with something to remember."""
    chance = random.Random(seed)
    docs = []
    for number in range(turns):
        topic, ding = chance.choice(TOPICS), chance.choice(DINGE)
        if number % 10 == 0:
            said = chance.choice(KEPT).format(topic=topic, ding=ding)
        elif number % 2:
            said = " ".join(f"Then we {chance.choice(DEEDS)} {chance.choice(TOPICS)} again." for _ in range(3))
        else:
            said = "，".join(f"后来{chance.choice(TATEN)}{chance.choice(DINGE)}" for _ in range(4)) + "。"
        docs.append(
            {
                "id": f"t{number}",
                "text": said,
                "speaker": "assistant" if number % 2 else "user",
                "time": f"2025-{1 + number // 2000 % 12:02}-{1 + number // 80 % 28:02}T{number % 24:02}:00:00Z",
                "session": f"s{number // 80}",
            }
        )
    record = {"kind": "retrieval", "dataset": "made up", "conv_id": "c", "docs": docs}
    path.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


class _Timed:
    """An embedder whose time is added up."""

    def __init__(self, embedder: Any) -> None:
        self.id, self.dimension = embedder.id, embedder.dimension
        self.seconds = 0.0
        self._embedder = embedder

    def encode(self, texts: Any, kind: Any = "document") -> Any:
        begun = time.perf_counter()
        try:
            return self._embedder.encode(texts, kind)
        finally:
            self.seconds += time.perf_counter() - begun


def imported(url: str, path: Path, embedder: str | None, batch: int) -> dict[str, Any]:
    """One import: its rate, and its rate without what the embedder took."""
    with muniment.open(url, embedder=embedder) as memory:
        timed = _Timed(memory.parts.pipeline.embedder)
        if timed.dimension:
            timed.encode(["loads the model"])
            timed.seconds = 0.0
            memory.parts.pipeline.embedder = timed
        report_ = memory.import_file(path, reader=memory.reader(user="ana"), batch=batch)
    beside = report_.seconds - timed.seconds
    return {
        "turns": report_.turns,
        "facts": report_.facts,
        "turns_per_s": round(report_.turns / report_.seconds, 1),
        "turns_per_s_without_embedding": round(report_.turns / beside, 1),
        "embedding_ms_a_turn": round(timed.seconds * 1000 / report_.turns, 2),
    }


def bare(source: Path, target: Path, turns: int, batch: int) -> dict[str, Any]:
    """The same rows by the driver alone, each table's spread evenly over as many transactions as the import had.

    Foreign keys are off, because even shares part children from their parents; it is what writing costs at the least.
    """
    new = sqlite3.connect(target, isolation_level=None)
    for pragma in ("page_size = 16384", "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        new.execute(f"PRAGMA {pragma}")
    tables = copied_tables(source, new)
    rounds = max(1, turns // batch)
    begun = time.perf_counter()
    for place in range(rounds):
        new.execute("BEGIN IMMEDIATE")
        for rows, statement in tables:
            new.executemany(statement, rows[len(rows) * place // rounds : len(rows) * (place + 1) // rounds])
        new.execute("COMMIT")
    seconds = time.perf_counter() - begun
    new.close()
    return {"turns_per_s": round(turns / seconds, 1), "rows": sum(len(rows) for rows, _ in tables)}


def copied_tables(source: Path, new: sqlite3.Connection) -> list[tuple[list[Any], str]]:
    """Makes the tables and indexes of a finished database in a new one; each table's rows and the statement to write them."""
    old = sqlite3.connect(source)
    made = old.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    tables = []
    for kind, name, statement in made.fetchall():
        new.execute(statement)
        rows = old.execute(f"SELECT * FROM {name}").fetchall() if kind == "table" else []
        if rows:
            tables.append((rows, f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})"))
    old.close()
    return tables


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--turns", type=int, default=400, help="turns of the made-up conversation (default 400)")
    parser.add_argument("--file", type=Path, help="a file to import instead")
    parser.add_argument("--batch", type=int, default=200, help="turns of one transaction (default 200)")
    parser.add_argument("--embedder", default="", help="the embedder to measure with ('' is the library's default)")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with folder(options.dir) as place:
        path = options.file or Path(place) / "conversation.jsonl"
        if options.file is None:
            conversation(path, options.turns, options.seed)
        for name, embedder in (("without_embedder", "none"), ("with_embedder", options.embedder or None)):
            target = Path(place) / f"{name}.db"
            found[name] = imported(f"sqlite:///{target}", path, embedder, options.batch)
            found[name]["driver"] = bare(target, Path(place) / f"{name}-bare.db", found[name]["turns"], options.batch)
            driver, mine = found[name]["driver"]["turns_per_s"], found[name]["turns_per_s_without_embedding"]
            found[name]["times_the_driver"] = round(driver / mine, 1)
            say(options, f"{name}: {found[name]}")
    report(options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
