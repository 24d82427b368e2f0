"""Fits the numbers of `text/lexicons/worth.toml`: which turns of talk people noted something of.

    python benchmarks/fit_worth.py --data eval/dev            tables on standard output
    python benchmarks/fit_worth.py --data eval/dev --write    and the numbers into worth.toml

`--data` is a folder with locomo.jsonl and halumem_pilot.jsonl; they are not part of this repository. A logistic regression with a
ridge. The tables give, for each conversation, the average precision with it left out of the fit, beside
the length of a turn; and for each set with the whole set left out.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Final

import numpy as np

from muniment.evaluation.metrics import average_precision
from muniment.evaluation.worth import noted
from muniment.text.worth import FEATURES, features

ROOT: Final = Path(__file__).resolve().parent.parent
NUMBERS: Final = ROOT / "src/muniment/text/lexicons/worth.toml"
SETS: Final = {"locomo": 0.75, "halumem_pilot": 0.25}
"""What each weighs: the first is labelled turn by turn, of the second that is worked out."""
RIDGE: Final = 1.0
STEPS: Final = 50
LEAST: Final = 1e-6

Fit = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Means, scales, and weights with the bias last."""


def fitted(rows: np.ndarray, good: np.ndarray, weight: np.ndarray) -> Fit:
    """The regression, by Newton's steps."""
    means = np.average(rows, axis=0, weights=weight)
    scales = np.sqrt(np.average((rows - means) ** 2, axis=0, weights=weight)) + LEAST
    matrix = np.column_stack([(rows - means) / scales, np.ones(len(rows))])
    ridge = np.diag([*[RIDGE] * rows.shape[1], LEAST])
    found = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-matrix @ found))
        slope = matrix.T @ (weight * (sure - good)) + ridge @ found
        bend = (matrix * (weight * sure * (1 - sure))[:, None]).T @ matrix + ridge
        found -= np.linalg.solve(bend, slope)
    return means, scales, found


def scores(fit: Fit, rows: np.ndarray) -> np.ndarray:
    """The regression's sum for each row."""
    means, scales, found = fit
    total: np.ndarray = ((rows - means) / scales) @ found[:-1] + found[-1]
    return total


def precise(good: np.ndarray, by: np.ndarray) -> float:
    """Average precision; not a number without a good one."""
    found = average_precision(zip(by.tolist(), good.astype(bool).tolist(), strict=True))
    return float("nan") if found is None else found


class Talk:
    """All turns of the sets."""

    def __init__(self, data: Path) -> None:
        rows, good, sets, names, lengths = [], [], [], [], []
        for name in SETS:
            for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                for text, was in noted(record):
                    rows.append(features(text))
                    good.append(was)
                    sets.append(name)
                    names.append(f"{name} {record['conv_id']}")
                    lengths.append(len(text))
        self.rows, self.good, self.length = np.array(rows), np.array(good, dtype=float), np.array(lengths, dtype=float)
        self.set, self.name = np.array(sets), np.array(names)

    def fit(self, chosen: np.ndarray) -> Fit:
        """Of the chosen turns, the sets weighed as `SETS` says."""
        weight = np.zeros(len(self.good))
        for name in SETS:
            part = chosen & (self.set == name)
            weight[part] = SETS[name] * chosen.sum() / max(1, part.sum())
        return fitted(self.rows[chosen], self.good[chosen], weight[chosen])

    def table(self, by: np.ndarray, kind: str) -> None:
        """Average precision of each group with the group left out of the fit."""
        out = np.zeros(len(self.good))
        for name in sorted(set(by)):
            here = by == name
            out[here] = scores(self.fit(~here), self.rows[here])
            print(
                f"{kind:<14}{name:<28}{here.sum():>6} turns  {precise(self.good[here], out[here]):.3f}  "
                f"length {precise(self.good[here], self.length[here]):.3f}"
            )
        for name in SETS:
            here = self.set == name
            print(f"{kind:<14}all of {name:<21}{here.sum():>6} turns  {precise(self.good[here], out[here]):.3f}")


def main() -> None:
    """Prints the tables; writes the numbers where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    talk = Talk(given.data)
    means, scales, found = talk.fit(np.ones(len(talk.good), dtype=bool))
    lines = [f"bias = {found[-1]:.4f}"]
    for name, mean, scale, weight in zip(FEATURES, means, scales, found[:-1], strict=True):
        lines.append(f"{name} = {{ mean = {mean:.4f}, scale = {scale:.4f}, weight = {weight:.4f} }}")
    if given.write:
        kept = re.split(r"(?m)^\[model\]\n", NUMBERS.read_text(encoding="utf-8"))[0]
        NUMBERS.write_text(kept + "[model]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines), file=sys.stderr)
    talk.table(talk.name, "one left out")
    talk.table(talk.set, "set left out")


if __name__ == "__main__":
    main()
