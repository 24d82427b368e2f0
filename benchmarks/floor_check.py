"""What the floor lets through and what it costs, asked through the product's own `search`.

    python benchmarks/floor_check.py --data eval/dev --cache .cache --dir .stores
    python benchmarks/floor_check.py --data eval/dev --sets bfcl_memory --floors 0.3,0.5,0.7

For each set and floor: recall@10 without and with `min_score`, the share of the gold turns among the first ten hits that stay,
the same for the turns that are not gold, and the share of questions that get nothing at all: the held ones of
`unrelated_questions.toml` (those whose subject the store does not speak of, and all), and the set's own without answer. `--dir`
keeps the stores, so that another run need not import again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from muniment.bootstrap import open_memory
from muniment.evaluation.metrics import recall_at
from muniment.evaluation.options import Options, ReplayClock, Run
from muniment.evaluation.retrieval import _Documents
from muniment.service.formats import zone_named
from muniment.service.importing import write
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.service.transcripts import conversation
from muniment.service.turns import Turn
from muniment.text.clock_times import clock_time

QUESTIONS: Final = Path(__file__).resolve().parent.parent / "tests/evaluation/unrelated_questions.toml"
SETS: Final = ("locomo", "realtalk", "longmemeval_pool", "beam_100k", "bfcl_memory", "memdaily_pool_zh")
ZONE: Final = zone_named("UTC")
K: Final = 10


@dataclass
class Found:
    """Of one set and floor: lists of figures, a question each."""

    recall: list[float] = field(default_factory=list)
    recall_above: list[float] = field(default_factory=list)
    gold: list[bool] = field(default_factory=list)
    other: list[bool] = field(default_factory=list)
    empty: dict[str, list[bool]] = field(
        default_factory=lambda: {"unrelated": [], "unrelated, all": [], "without answer": []}
    )

    def figures(self) -> dict[str, Any]:
        """Means, 0 to 1; None where there was nothing to take one of."""
        shares: Mapping[str, Sequence[float]] = {
            "recall@10": self.recall,
            "recall@10 above": self.recall_above,
            "gold kept": self.gold,
            "others kept": self.other,
            **self.empty,
        }
        return {
            name: {"share": round(sum(values) / len(values), 3) if values else None, "n": len(values)}
            for name, values in shares.items()
        }


def told(memory: Muniment, clock: ReplayClock, record: Mapping[str, Any]) -> Reader:
    """A reader of the record's conversation, imported where it is not yet there; the clock stands at its end."""
    said = conversation(record, where=str(record.get("conv_id", "?")), zone=ZONE)
    times = (turn.observation.occurred for turn in said.turns if isinstance(turn, Turn))
    clock.at = max((moment.at for moment in times if moment is not None), default=None)
    tenant = f"evaluation-{said.dataset}"[:128]  # the same as `muniment eval --db` uses
    write(memory, [said], origin=said.dataset, tenant=tenant)
    return memory.reader(tenant=tenant, user=said.name)


def ask(
    reader: Reader, record: Mapping[str, Any], floors: Sequence[float], found: Mapping[float, Found], limit: int | None
) -> None:
    """Puts the record's own questions, the first `limit` of them, with every floor and without."""
    documents = _Documents()  # a fact stands for what it rests on, as in `muniment eval`
    for query in record["queries"][:limit]:
        at = clock_time(query["time"], ZONE) if query.get("time") else None
        gold = tuple(dict.fromkeys(map(str, query.get("gold") or ())))
        category = str(query.get("category") or "")
        unanswered = category == "abstention" or category.endswith("_abs")
        plain = documents.of(reader.search(query["question"], k=K * 2, valid_at=at), reader) if gold else []
        for floor in floors:
            hits = reader.search(query["question"], k=K * 2, valid_at=at, min_score=floor)
            above = documents.of(hits, reader)
            if unanswered:
                found[floor].empty["without answer"].append(not list(hits))
            if gold:
                found[floor].recall.append(recall_at(gold, plain, K))
                found[floor].recall_above.append(recall_at(gold, above, K))
                for name in plain[:K]:
                    (found[floor].gold if name in gold else found[floor].other).append(name in above)


def ask_unrelated(
    reader: Reader,
    questions: Sequence[Mapping[str, Any]],
    said: str,
    floors: Sequence[float],
    found: Mapping[float, Found],
) -> None:
    """Puts questions that have nothing to do with what was `said`."""
    for question in questions:
        near = any(word in said for word in question["about"])
        for floor in floors:
            empty = not list(reader.search(question["text"], k=K, min_score=floor))
            found[floor].empty["unrelated, all"].append(empty)
            if not near:
                found[floor].empty["unrelated"].append(empty)


def unrelated(part: str = "held") -> list[dict[str, Any]]:
    """The questions of a part, English and Chinese in turn."""
    both = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))[part]
    return [item for pair in zip(both["en"], both["zh"], strict=True) for item in pair]


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The conversations of a set."""
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def measured(options: argparse.Namespace, name: str, folder: str) -> dict[float, Found]:
    """One set: every question of it, and the unrelated ones asked of every conversation (of many, each a part of them)."""
    run = Run(Options(cache=options.cache))
    floors = options.floors or [run.policy.retrieval.floor]
    clock, found = ReplayClock(), {floor: Found() for floor in floors}
    url = f"sqlite:///{Path(folder).resolve() / f'{name}.db'}"
    memory = open_memory(url, policy=run.policy, embedder=run.embedder, clock=clock, settings=run.settings)
    with closing(memory):
        conversations = list(records(options.data / f"{name}.jsonl"))
        step = max(1, len(conversations) // 7)
        for place, record in enumerate(conversations):
            reader = told(memory, clock, record)
            ask(reader, record, floors, found, None)
            said = "\n".join(doc["text"] for doc in record["docs"]).lower()
            ask_unrelated(reader, unrelated()[place % step :: step], said, floors, found)
    run.save()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets as JSON lines")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets (default: %(default)s)")
    parser.add_argument("--floors", help="floors, comma-separated (default: retrieval.floor)")
    parser.add_argument("--cache", type=Path, help="folder that keeps embeddings between runs")
    parser.add_argument("--dir", help="folder that keeps the stores; a temporary one without it")
    options = parser.parse_args()
    options.floors = [float(item) for item in options.floors.split(",")] if options.floors else []
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.sets.split(","):
            Path(options.dir or temporary).mkdir(parents=True, exist_ok=True)
            for floor, found in measured(options, name, options.dir or temporary).items():
                print(json.dumps({"set": name, "floor": floor, **found.figures()}), flush=True)


if __name__ == "__main__":
    main()
