"""Trains the learned detector of the gate: a logistic regression over hashed features, quantised to one byte a weight.

    python benchmarks/train_gate.py                                   from the templates here alone; tables on standard output
    python benchmarks/train_gate.py --data eval/dev                   with the permissively licensed sets on disk
    python benchmarks/train_gate.py --data eval/dev --leave-out garak,agentdojo     measured without them
    python benchmarks/train_gate.py --data eval/dev --write           and the table into muniment/text/gate_table.*

`--data` is a folder with sets as JSON lines that are not part of this repository. Trained on are those under MIT or Apache-2.0
(`HARMFUL`, `BACKGROUND`), all others, where present, only tell thresholds and figures. The templates `*_test.toml` and the texts
of `--unseen` are never trained on. A text of several sentences is harmful if one of its units is: the unit that says so most is
taken as the example, chosen anew in each round.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.gate_material import SOURCES, Sample, generated, records, talk

from muniment.text.folding import unveil
from muniment.text.gate import ABOUT, TABLE, Model, units
from muniment.text.gate_features import PLACES, places
from muniment.text.language import language

SEED: Final = 5
EACH: Final = 12
ROUNDS: Final = 3
STEPS: Final = 160
RIDGE: Final = 2e-5
WORDINGS: Final = 3
LANGUAGES: Final = ("en", "zh")
GROUPS: Final = [f"{lang}_{source}" for lang in LANGUAGES for source in SOURCES]
HARMFUL: Final = {
    "garak": ("user", "content"),
    "agentdojo": ("content",),
    "bastion": ("user", "content"),
    "notinject": ("user", "content"),
}
"""Labelled sets under MIT or Apache-2.0, and the sources their harmful texts are taken for."""
BACKGROUND: Final = ("memorybank", "longmemeval_s_small", "bfcl_memory", "automemorybench")
"""Talk under MIT or Apache-2.0."""
TEXTS: Final = {"recognizers_datetime": 600, "pii_en": 700, "pii_zh": 200, "hlmem_state_zh": 200}
"""Other harmless texts under MIT or Apache-2.0 or of our own, and how many of each are taken."""
ORDINARY: Final = ("locomo", "realtalk", "memdaily_zh", "memdaily_pool_zh")
"""Talk that only tells how often the detector cries out."""
MASS: Final = {"templates+": 1.0, "templates-": 1.0, "sets+": 0.35, "sets-": 0.35, "background": 2.0}
"""What each part weighs, however many texts it has."""


@dataclass
class Bag:
    """A text as its units, each as the places it touches."""

    units: list[np.ndarray]
    harmful: bool
    group: str
    part: str
    kind: str = ""
    wording: str = ""


@dataclass
class Fit:
    """Real-valued weights and constants while they are fitted."""

    weights: np.ndarray = field(default_factory=lambda: np.zeros(PLACES))
    bias: np.ndarray = field(default_factory=lambda: np.full(len(GROUPS), -1.0))

    def scores(self, rows: list[np.ndarray], groups: np.ndarray) -> np.ndarray:
        """The log odds of each row."""
        lengths = np.array([max(1, len(row)) for row in rows])
        flat = np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint32)
        sums = np.add.reduceat(self.weights[flat], np.concatenate(([0], np.cumsum(lengths)[:-1])))
        return sums / np.sqrt(lengths) + self.bias[groups]


def bag(sample: Sample, part: str) -> Bag:
    text = unveil(sample.text).text
    rows = [places(text[start:end], sample.source) for start, end in units(text)]
    return Bag([row for row in rows if len(row)], sample.harmful, f"{language(text)}_{sample.source}", part, sample.kind, sample.wording)


def sets(data: Path, leave_out: frozenset[str]) -> Iterator[tuple[Sample, str]]:
    """Samples of the labelled sets, with the part they weigh in."""
    for name, sources in HARMFUL.items():
        file = data / f"inj_{name}.jsonl"
        if name in leave_out or not file.exists():
            continue
        for row in records(file):
            harmful = bool(row["label"])
            for source in sources if harmful else SOURCES:
                yield Sample(row["text"], harmful, source, name), "sets+" if harmful else "sets-"


def background(data: Path) -> Iterator[Sample]:
    """Turns of talk, each as a user's turn or as content by turns; long answers of assistants are content."""
    for name in BACKGROUND:
        file = data / f"{name}.jsonl"
        if not file.exists():
            continue
        for place, (text, speaker) in enumerate(talk(file)):
            spoken = text.removeprefix("user: ").removeprefix("assistant: ")[:1500]
            assistant = text.startswith("assistant: ") or speaker.casefold() in ("assistant", "ai", "agent", "tool")
            yield Sample(spoken, False, "content" if assistant or place % 3 == 0 else "user", name)
    for name, count in TEXTS.items():
        file = data / f"{name}.jsonl"
        texts = dict.fromkeys(text for row in records(file) for text in _texts(row)) if file.exists() else {}
        step = max(1, len(texts) // count)
        for place, text in enumerate([*texts][::step]):
            yield Sample(text, False, SOURCES[place % 2], name)


def _texts(row: dict[str, Any]) -> list[str]:
    """The texts of a record: its own, or those of its events."""
    if isinstance(row.get("text"), str):
        return [row["text"]]
    return [event["text"].rpartition("】")[2].strip() for event in row.get("events", ())]


def fit(bags: list[Bag], *, rounds: int = ROUNDS, steps: int = STEPS) -> Fit:
    """Fits by full gradients (Adam; Kingma and Ba 2015), the unit of each harmful text chosen anew in each round."""
    found = Fit()
    totals: dict[tuple[str, str], int] = {}
    for item in bags:
        key = (item.part, item.group[:2])
        totals[key] = totals.get(key, 0) + (1 if item.harmful else len(item.units))
    shared = _shared(bags)
    for turn in range(rounds):
        rows: list[np.ndarray] = []
        target: list[float] = []
        weight: list[float] = []
        group: list[int] = []
        for item in bags:
            chosen = _most(found, item, first=turn == 0) if item.harmful else item.units
            mass = MASS[item.part] / totals[(item.part, item.group[:2])]
            for row in chosen:
                rows.append(row)
                target.append(float(item.harmful))
                weight.append(mass)
                group.append(GROUPS.index(item.group))
        _descend(found, rows, np.array(target), np.array(weight), np.array(group), shared, steps)
    return found


def _shared(bags: list[Bag]) -> np.ndarray:
    """1 for the places that at least `WORDINGS` wordings touch: what only one wording says is no sign of its kind."""
    seen = np.zeros(PLACES, dtype=np.int32)
    by_wording: dict[str, set[int]] = {}
    for number, item in enumerate(bags):
        by_wording.setdefault(item.wording or f"text {number}", set()).update(*(row.tolist() for row in item.units))
    for touched in by_wording.values():
        seen[np.fromiter(touched, np.int64, len(touched))] += 1
    return (seen >= WORDINGS).astype(np.float64)


def _most(found: Fit, item: Bag, *, first: bool) -> list[np.ndarray]:
    """The unit that says most clearly that a text is harmful; before there is an opinion, the one with most words."""
    if first or len(item.units) == 1:
        return [max(item.units, key=len)]
    scores = found.scores(item.units, np.full(len(item.units), GROUPS.index(item.group)))
    return [item.units[int(scores.argmax())]]


def _descend(
    found: Fit, rows: list[np.ndarray], target: np.ndarray, weight: np.ndarray, group: np.ndarray, shared: np.ndarray, steps: int
) -> None:
    lengths = np.array([len(row) for row in rows])
    flat = np.concatenate(rows).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    norm = 1 / np.sqrt(lengths)
    first, second = np.zeros(PLACES), np.zeros(PLACES)
    first_bias, second_bias = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for step in range(1, steps + 1):
        odds = np.add.reduceat(found.weights[flat], starts) * norm + found.bias[group]
        miss = weight * (1 / (1 + np.exp(-np.clip(odds, -40, 40))) - target)
        slope = np.bincount(flat, np.repeat(miss * norm, lengths), PLACES) + RIDGE * found.weights
        slope *= shared
        slope_bias = np.bincount(group, miss, len(GROUPS))
        rate = 0.15 * (1 - step / (steps + 1)) + 0.005
        for held, gradient, mean, square in (
            (found.weights, slope, first, second),
            (found.bias, slope_bias, first_bias, second_bias),
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            held -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)


def quantised(found: Fit) -> Model:
    """The fit as it is shipped: weights as whole numbers from -127 to 127."""
    scale = float(np.abs(found.weights).max()) / 127
    weights = np.rint(found.weights / scale).astype(np.int8)
    bias = {name: round(float(found.bias[place]), 4) for place, name in enumerate(GROUPS)}
    return Model(weights=weights, scale=float(f"{scale:.6g}"), bias=bias)
