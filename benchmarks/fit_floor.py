"""Fits the floor: the regression that turns what the index knows of a proposal into a probability of relevance.

    python benchmarks/fit_floor.py --data eval/dev --cache .cache                  tables on standard output
    python benchmarks/fit_floor.py --data eval/dev --cache .cache --write          and the numbers into coefficients.toml

`--data` is a folder with the sets as JSON lines (locomo, realtalk, longmemeval_pool, beam_100k, bfcl_memory, memdaily_pool_zh,
prefeval); they are not part of this repository. Positives are the gold turns among the first ten proposals; negatives, for each
question that has nothing to do with the store, the proposal that looks most relevant (found anew each round, as the numbers
change). The two sides weigh the same, and so do their parts (`WEIGHTS`). Signs are fixed beforehand: what is found may only speak
for a proposal, what is unknown and how much there is only against.

Tables: the shipped numbers over every floor; then the same with a set left out of the fit together with every broad store that
holds it, and with a fifth of the conversations left out in turn. `held` questions are never fitted on.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.floor_stores import BROAD, CHINESE, ENGLISH, NEAR, Asked, Stores

from muniment.evaluation.cached import CachedEmbedder
from muniment.evaluation.options import Options, Run

ROOT: Final = Path(__file__).resolve().parent.parent
NUMBERS: Final = ROOT / "src/muniment/index/coefficients.toml"
QUESTIONS: Final = ROOT / "tests/evaluation/unrelated_questions.toml"
SIGNS: Final = {"fit": 1, "matched": 1, "cosine": 1, "named": 1, "date": 1, "unknown": -1, "size": -1}
BY_HAND: Final = {"exact": 1.0}
"""The sets hardly have identifiers; what names one thing exactly and is found speaks for a proposal."""
WEIGHTS: Final = {
    "en": {**dict.fromkeys((*ENGLISH, *BROAD), 1.0), "small, en": 1.0, "preferences": 2.0},
    "zh": {CHINESE: 1.0, "small, zh": 2.0},
}
"""Preferences weigh double: they are what a small store is asked about, and share no word with the question. By words alone
they cannot be found, and weigh nothing. The small Chinese stores weigh double too: all others there have about a hundred rows."""
KINDS: Final = {"en": {"fit": 0.5, "cross": 0.5, "swap": 0.25}, "zh": {"fit": 0.85, "cross": 0.05}}
"""Chinese questions of other users are about the same relatives and things, so nearly all of them touch the store."""
RIDGE: Final = 1e-3
ROUNDS: Final = 6
FLOORS: Final = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)


@dataclass
class Table:
    """All proposals as columns; `question` gives each row's question, the rest of the first line is by question."""

    features: dict[str, np.ndarray]
    question: np.ndarray
    gold: np.ndarray
    sets: np.ndarray
    conversations: np.ndarray
    kinds: np.ndarray
    near: np.ndarray
    abstention: np.ndarray

    @classmethod
    def of(cls, asked: Sequence[Asked]) -> Table:
        sizes = [len(item.gold) for item in asked]
        ranks = np.concatenate([np.arange(size) for size in sizes])
        names = asked[0].features
        category = [item.question.category for item in asked]
        return cls(
            features={name: np.concatenate([item.features[name] for item in asked]) for name in names},
            question=np.repeat(np.arange(len(asked)), sizes),
            gold=np.concatenate([item.gold for item in asked]) & (ranks < NEAR),
            sets=np.array([item.set for item in asked]),
            conversations=np.array([item.conversation for item in asked]),
            kinds=np.array([item.question.kind for item in asked]),
            near=np.array([item.question.near for item in asked]),
            abstention=np.array([name == "abstention" or name.endswith("_abs") for name in category]),
        )

    def best(self, chances: np.ndarray) -> np.ndarray:
        """By question, the highest chance of its proposals."""
        result = np.zeros(len(self.sets))
        np.maximum.at(result, self.question, chances)
        return result


Numbers = dict[str, float]


def regression(x: np.ndarray, y: np.ndarray, w: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, float]:
    """Weighted logistic regression by Newton's method, features standardised, with a ridge; a coefficient of the wrong sign is
    set to nought, the worst first, and the rest fitted anew."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    free = np.ones(z.shape[1], bool)
    while True:
        b, a = np.zeros(z.shape[1]), z[:, free]
        ridge = np.r_[np.full(free.sum() - 1, RIDGE), 0.0]
        for _ in range(60):
            p = 1 / (1 + np.exp(-np.clip(a @ b[free], -30, 30)))
            slope = a.T @ (w * (p - y)) / w.sum() + ridge * b[free]
            bend = (a * (w * p * (1 - p))[:, None]).T @ a / w.sum() + np.diag(ridge + 1e-9)
            step = np.linalg.solve(bend, slope)
            b[free] -= step
            if np.abs(step).max() < 1e-8:
                break
        wrong = np.where(signs * b[:-1] < 0, np.abs(b[:-1]), 0.0)
        if not wrong.any():
            coefficients = b[:-1] / spread
            return coefficients, float(b[-1] - coefficients @ mean)
        free[int(np.argmax(wrong))] = False


def fitted(table: Table, language: str, chosen: np.ndarray, *, words: bool = False) -> Numbers:
    """The numbers from the chosen questions; `words` without the cosine."""
    names = [name for name in SIGNS if not (words and name == "cosine")]
    signs = np.array([SIGNS[name] for name in names])
    weights = WEIGHTS[language] | ({"preferences": 0.0} if words else {})
    x = np.stack([table.features[name] for name in names], 1)
    true = np.flatnonzero(table.gold & chosen[table.question])
    unrelated = chosen & np.isin(table.kinds, list(KINDS[language])) & ~table.near
    chances = table.features["matched"] + table.features["cosine"]
    for _ in range(ROUNDS):
        top = unrelated[table.question] & (chances >= table.best(chances)[table.question])
        rows = np.r_[true, np.flatnonzero(top)]
        y = np.r_[np.ones(len(true)), np.zeros(int(top.sum()))]
        b, bias = regression(x[rows], y, _shares(table, weights, KINDS[language], rows, y), signs)
        chances = 1 / (1 + np.exp(-(x @ b + bias)))
    found = {"bias": bias, **dict(zip(names, map(float, b), strict=True))}
    return {name: round(value, 2) for name, value in found.items() if value} | BY_HAND


def _shares(
    table: Table, weights: dict[str, float], shares: dict[str, float], rows: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Each row's weight: both sides alike, each set as in `WEIGHTS`, each kind as in `KINDS`."""
    sets, kinds = table.sets[table.question[rows]], table.kinds[table.question[rows]]
    result = np.zeros(len(rows))
    for name, weight in weights.items():
        own = (sets == name) & (y == 1)
        result[own] = weight / max(int(own.sum()), 1)
        for kind, share in shares.items():
            own = (sets == name) & (kinds == kind) & (y == 0)
            result[own] = weight * share / max(int(own.sum()), 1)
    for side in (0, 1):
        result[y == side] /= result[y == side].sum()
    return result


def predicted(table: Table, numbers: Numbers) -> np.ndarray:
    """The chances of all proposals; rows whose cosine is not used need no number for it."""
    total = sum(value * table.features[name] for name, value in numbers.items() if name != "bias")
    return 1 / (1 + np.exp(-(total + numbers["bias"])))


def curve(title: str, table: Table, chances: np.ndarray, sets: Sequence[str]) -> None:
    """By floor and set: the share of gold turns of the first ten kept, and of the questions with nothing above the floor: held
    ones whose subject the store does not speak of (all held ones), those of other sets, and the set's own without answer."""
    print(
        f"\n## {title}\n\ngold kept | nothing above the floor: held (all held), of others, with swapped names, without answer"
    )
    best = table.best(chances)
    for name in sets:
        here = table.sets == name
        gold = table.gold & here[table.question]
        asked = {
            "held": here & (table.kinds == "held") & ~table.near,
            "all": here & (table.kinds == "held"),
            "cross": here & (table.kinds == "cross"),
            "swap": here & (table.kinds == "swap"),
            "none": here & (table.kinds == "real") & table.abstention,
        }
        print(
            f"\n{name}: {int(gold.sum())} gold; " + ", ".join(f"{kind} {int(one.sum())}" for kind, one in asked.items())
        )
        for floor in FLOORS:
            share = {kind: f"{np.mean(best[one] < floor):.3f}" if one.any() else "-" for kind, one in asked.items()}
            kept = np.mean(chances[gold] >= floor)
            print(
                f"  {floor:.2f}  {kept:.3f} | {share['held']} ({share['all']}) {share['cross']} {share['swap']} {share['none']}"
            )


def crossed(
    table: Table, language: str, left_out: Callable[[str, int], np.ndarray], groups: Sequence[tuple[str, int]]
) -> np.ndarray:
    """Chances of each group's proposals from the numbers fitted without what `left_out` says."""
    chances = np.zeros(len(table.question))
    for name, fold in groups:
        numbers = fitted(table, language, ~left_out(name, fold))
        own = (table.sets == name) & ((fold < 0) | (table.conversations % 5 == fold))
        rows = own[table.question]
        chances[rows] = predicted(table, numbers)[rows]
    return chances


def related(name: str) -> set[str]:
    """The stores that hold words of a set, or of a broad store."""
    parts = set(BROAD.get(name, (name,)))
    mixed = {broad for broad, sets in BROAD.items() if set(sets) & parts}
    small = {"small, en"} if parts & set(ENGLISH) else {"small, zh"} if name == CHINESE else set()
    return {name, *parts, *mixed, *small}


def section(name: str, numbers: Numbers) -> str:
    return f"[relevance.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in numbers.items())


def write(found: dict[str, Numbers]) -> None:
    """Puts the sections in the place of those there."""
    text = NUMBERS.read_text(encoding="utf-8")
    for name, numbers in found.items():
        text, count = re.subn(
            rf"(?ms)^\[relevance\.{name}\]\n.*?(?=^\s*$)", lambda _, n=name, v=numbers: section(n, v), text
        )
        if count != 1:
            raise SystemExit(f"{NUMBERS}: no section relevance.{name}")
    NUMBERS.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets")
    parser.add_argument("--cache", type=Path, help="folder that keeps embeddings between runs")
    parser.add_argument(
        "--questions", type=Path, default=QUESTIONS, help="the unrelated questions (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=20260701, help="everything random follows from it (default: %(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="write the numbers into coefficients.toml")
    options = parser.parse_args()
    run = Run(Options())
    embedder = run.embedder if options.cache is None else CachedEmbedder(run.embedder, options.cache)
    asked = list(Stores(options.data, options.questions, embedder, options.seed).all())
    if isinstance(embedder, CachedEmbedder):
        embedder.save()
    found: dict[str, Numbers] = {}
    for language in ("en", "zh"):
        table = Table.of([item for item in asked if item.chinese == (language == "zh")])
        everything, sets = np.ones(len(table.sets), bool), list(WEIGHTS[language])
        found[language] = fitted(table, language, everything)
        found[f"words_{language}"] = fitted(table, language, everything, words=True)
        for name in (language, f"words_{language}"):
            print(section(name, found[name]))
            curve(f"{name}, fitted on all of it", table, predicted(table, found[name]), sets)
        folds = [(name, fold) for name in sets if name not in BROAD for fold in range(5)]
        by_fold = crossed(
            table,
            language,
            lambda name, fold, t=table: (
                np.isin(t.sets, list(related(name) - {name})) | ((t.sets == name) & (t.conversations % 5 == fold))
            ),
            folds,
        )
        curve(
            f"{language}, a fifth of a set's conversations left out",
            table,
            by_fold,
            [n for n in sets if n not in BROAD],
        )
        if language == "en":
            groups = [(name, -1) for name in sets]
            chances = crossed(table, language, lambda name, _, t=table: np.isin(t.sets, list(related(name))), groups)
            curve("en, one set left out", table, chances, sets)
    if options.write:
        write(found)


if __name__ == "__main__":
    main()
