"""Fits the numbers of `takeover_model.toml`: which later turn took over from which earlier one.

    python benchmarks/fit_takeover.py --pairs benchmarks/takeover --labels LABELS --data eval/dev --keep pairs.npz
    python benchmarks/fit_takeover.py --from pairs.npz --write

`--pairs` are the pairs of our own in this repository, made into pools of twelve questions; `--labels` a folder with
`state_{en,zh}_dev.jsonl`, `--data` one with the sets that must lose nothing, whose answers are all taken for not taken over.
Neither is part of this repository. Each pool becomes a user of a store, each question a search of that store without marks.
A logistic regression with a ridge; tables are with a third of the pools, pairs or conversations left out in turn.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from muniment.bootstrap import open_memory
from muniment.config import load_policy, load_settings
from muniment.domain.records import Evidence
from muniment.evaluation.cached import CachedEmbedder
from muniment.evaluation.options import ReplayClock
from muniment.models.embedders import embedder_from
from muniment.retrieval import history
from muniment.retrieval.takeover_pairs import FEATURES, Pairs, Said
from muniment.retrieval.takeover_reading import says
from muniment.service.formats import zone_named
from muniment.service.importing import write
from muniment.service.transcripts import conversation
from muniment.text.clock_times import clock_time

ROOT: Final = Path(__file__).resolve().parent.parent
NUMBERS: Final = ROOT / "src/muniment/retrieval/takeover_model.toml"
SETS: Final = ("automemorybench", "realtalk", "beam_100k", "memdaily_pool_zh", "locomo", "longmemeval_pool")
POOL: Final = 12
RIDGE: Final = 3.0
STEPS: Final = 30
OLDER, NEWER = 10, 40
WEIGHTS: Final = {"own": (1.0, 0.5), "labels": (3.0, 1.5), "sets": (0.0, 0.75)}
"""What a pair that was taken over from weighs, and one that was not."""


def pools(path: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Pools of `POOL` questions each, of the lines of a file of pairs, as records of kind `retrieval`; each question with the
    ids of its `old` and `new` turn."""
    items = [
        [part.strip() for part in line.split(" | ")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    rng = random.Random(seed)
    rng.shuffle(items)
    for start in range(0, len(items), POOL):
        told: list[tuple[float, str, tuple[int, str]]] = []
        for at, (kind, _, old, new, *beside) in enumerate(items[start : start + POOL]):
            first, later = rng.uniform(0, 1), rng.uniform(1, 2)
            told += [(first, old, (at, "old")), (later, new, (at, "new"))]
            for text in beside:
                between = kind == "settled"
                told.append((rng.uniform(first, later) if between else rng.uniform(0, 2), text, (at, "beside")))
        told.sort()
        clock, docs, ids = datetime(2026, 1, 12, 8, tzinfo=UTC), [], {}
        for at, (_, text, name) in enumerate(told):
            clock = clock + (timedelta(hours=3) if at % 3 else timedelta(days=rng.choice((1, 1, 2, 5))))
            docs.append(
                {"id": f"d{at}", "text": text, "speaker": "user", "time": clock.isoformat(), "session": f"s{at // 3}"}
            )
            ids[name] = f"d{at}"
        queries = [
            {
                "question": item[1],
                "category": item[0],
                "old": ids[at, "old"],
                "new": ids[at, "new"],
                "time": (clock + timedelta(days=20)).isoformat(),
            }
            for at, item in enumerate(items[start : start + POOL])
        ]
        yield {
            "kind": "retrieval",
            "dataset": "takeover",
            "conv_id": f"{path.stem}-{seed}-{start}",
            "docs": docs,
            "queries": queries,
        }


def truth(kind: str, query: Mapping[str, Any], old: set[str], new: set[str], place: int) -> int:
    """Whether a pair of turns, by the documents they are, was taken over: 1, 0, or -1 for not known."""
    if kind == "own":
        if query["old"] in old:
            return 0 if query["category"] == "same" else (1 if query["new"] in new else -1)
        return 0 if query["category"] == "same" or place < 3 else -1
    gold, gone = set(map(str, query.get("gold") or ())), set(map(str, query.get("forbidden") or ()))
    if old & gold:
        return 0
    if kind == "sets":
        return -1
    if old & gone:
        return 2 if query["category"] == "forget" else (1 if new & gold else -1)
    return 0 if place < 3 and query["category"] == "control" else -1


def pairs_of(kind: str, query: Mapping[str, Any], turns: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Features and truth of the pairs of one question; `turns` are (documents, speaker, `Said`), best first."""
    pairs = Pairs(query["question"], [said for _, _, said in turns])
    rows, good = [], []
    for old in range(min(OLDER, len(turns))):
        for new in range(len(turns)):
            if turns[old][1] == turns[new][1] and pairs.alike(old, new):
                rows.append(pairs.features(old, new))
                good.append(truth(kind, query, turns[old][0], turns[new][0], old))
    if not rows:
        return np.zeros((0, len(FEATURES))), np.zeros(0)
    found, told = np.array(rows), np.array(good)
    asked = np.flatnonzero((told == 2) & (found[:, FEATURES.index("forget")] > 0))
    told[told == 2] = -1
    if len(asked):
        told[asked[np.argmax(found[asked, FEATURES.index("shared")])]] = 1
    return found, told


def collected(
    kind: str, records: Sequence[Mapping[str, Any]], cache: Path
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """For each question about the present its conversation, features and truth, by searches of a store without marks."""
    policy = load_policy(None)
    policy = replace(policy, retrieval=replace(policy.retrieval, takeover=1.0))
    embedder = CachedEmbedder(embedder_from(None, load_settings()), cache)
    clock, zone = ReplayClock(), zone_named("UTC")
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(f"sqlite:///{folder}/fit.db", policy=policy, embedder=embedder, clock=clock)
        for record in records:
            said = conversation(record, where=record["conv_id"], zone=zone)
            write(memory, [said], origin=said.dataset, tenant="fit")
            reader = memory.reader(tenant="fit", user=said.name)
            for query in record["queries"]:
                if history.HISTORY in history.wanted(query["question"]) or says("past", query["question"]):
                    continue
                at = clock_time(query["time"], zone) if query.get("time") else None
                hits = reader.search(query["question"], k=NEWER, channels=["evidence"], valid_at=at)
                turns = [
                    (
                        {hit.item.source_id},
                        (hit.item.actor, hit.item.speaker),
                        Said(
                            text=hit.text,
                            score=hit.score,
                            relevance=hit.parts.get("relevance", 0.0),
                            at=hit.item.occurred.at,
                            session=hit.item.session,
                        ),
                    )
                    for hit in hits
                    if isinstance(hit.item, Evidence) and hit.item.occurred and not history.BEHIND & {*hit.why.flags}
                ]
                rows, good = pairs_of(kind, query, turns)
                yield record["conv_id"], rows, good
        memory.close()
    embedder.save()


def fitted(rows: np.ndarray, good: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, scales and weights (the bias last) of the regression, by Newton's steps."""
    means = np.average(rows, axis=0, weights=weight)
    scales = np.sqrt(np.average((rows - means) ** 2, axis=0, weights=weight)) + 1e-6
    matrix = np.column_stack([(rows - means) / scales, np.ones(len(rows))])
    ridge = np.diag([*[RIDGE] * rows.shape[1], 1e-6])
    found = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-np.clip(matrix @ found, -30, 30)))
        bend = (matrix * (weight * sure * (1 - sure) + 1e-9)[:, None]).T @ matrix + ridge
        step = np.linalg.solve(bend, matrix.T @ (weight * (sure - good)) + ridge @ found)
        found -= step
        if np.abs(step).max() < 1e-5:
            break
    return means, scales, found


def weights_of(kind: np.ndarray, good: np.ndarray) -> np.ndarray:
    """What each pair weighs."""
    return np.array([WEIGHTS[str(name)][0 if was == 1 else 1] for name, was in zip(kind, good, strict=True)])


def tables(kept: Mapping[str, np.ndarray]) -> None:
    """Of what was taken over from the share found, and how often what was not is marked, by threshold."""
    known = kept["good"] >= 0
    chance = np.full(len(known), -np.inf)
    for part in range(3):
        out, use = kept["fold"] == part, known & (kept["fold"] != part)
        means, scales, found = fitted(
            kept["rows"][use], kept["good"][use] == 1, weights_of(kept["kind"][use], kept["good"][use])
        )
        chance[out] = ((kept["rows"][out] - means) / scales) @ found[:-1] + found[-1]
    for name in sorted(set(kept["name"])):
        here = known & (kept["name"] == name)
        good, bad = here & (kept["good"] == 1), here & (kept["good"] == 0)
        line = [
            f"{least:.1f}: {np.mean(chance[good] > np.log(least / (1 - least))) if good.any() else np.nan:.2f} "
            f"{np.mean(chance[bad] > np.log(least / (1 - least))):.4f}"
            for least in (0.5, 0.6, 0.7, 0.8, 0.9)
        ]
        print(f"{name:<20}{good.sum():>5} {bad.sum():>7}   " + "   ".join(line))


def numbers(kept: Mapping[str, np.ndarray]) -> str:
    """The file of the model fitted on all."""
    use = kept["good"] >= 0
    means, scales, found = fitted(
        kept["rows"][use], kept["good"][use] == 1, weights_of(kept["kind"][use], kept["good"][use])
    )
    lines = ["# Made by benchmarks/fit_takeover.py.", f"bias = {found[-1]:.4f}"]
    for name, mean, scale, weight in zip(FEATURES, means, scales, found[:-1], strict=True):
        lines.append(f"{name} = {{ mean = {mean:.4f}, scale = {scale:.6f}, weight = {weight:.4f} }}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the tables; keeps the pairs and writes the numbers where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--pairs", "--labels", "--data", "--keep", "--from"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "muniment-embeddings")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    kept = dict(np.load(getattr(given, "from"))) if getattr(given, "from") else gathered(given)
    if given.keep:
        np.savez_compressed(given.keep, **kept)
    tables(kept)
    if given.write:
        NUMBERS.write_text(numbers(kept), encoding="utf-8")


def gathered(given: argparse.Namespace) -> dict[str, np.ndarray]:
    """The pairs of everything that is given."""
    sources: list[tuple[str, str, list[Mapping[str, Any]]]] = []
    for path in sorted(given.pairs.glob("*.txt")) if given.pairs else ():
        sources.append(("own", path.stem, [record for seed in (0, 1) for record in pools(path, seed)]))
    for folder, kind, names in (
        (given.labels, "labels", ("state_en_dev", "state_zh_dev")),
        (given.data, "sets", SETS),
    ):
        for name in names if folder else ():
            lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
            sources.append((kind, name, [json.loads(line) for line in lines]))
    columns: dict[str, list[Any]] = {name: [] for name in ("rows", "good", "kind", "name", "fold")}
    for kind, name, records in sources:
        places = {str(record["conv_id"]): at % 3 for at, record in enumerate(records)}
        for where, rows, good in collected(kind, records, given.cache):
            known = good >= 0
            columns["rows"].append(rows[known])
            columns["good"] += good[known].tolist()
            columns["kind"] += [kind] * int(known.sum())
            columns["name"] += [name] * int(known.sum())
            columns["fold"] += [places[str(where)]] * int(known.sum())
    return {"rows": np.vstack(columns.pop("rows")), **{name: np.array(some) for name, some in columns.items()}}


if __name__ == "__main__":
    main()
