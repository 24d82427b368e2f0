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
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.gate_material import SOURCES, Sample, generated, records, talk

from muniment.text.folding import unveil
from muniment.text.gate import ABOUT, TABLE, Model, units
from muniment.text.gate_features import PLACES, features_digest, places
from muniment.text.language import language

SEED: Final = 5
EACH: Final = 12
ROUNDS: Final = 3
STEPS: Final = 160
RIDGE: Final = 2e-5
WORDINGS: Final = 3
LANGUAGES: Final = ("en", "zh")
GROUPS: Final = [f"{source}_{lang}" for source in SOURCES for lang in LANGUAGES]
HARMFUL: Final = {
    "garak": ("user", "content"),
    "agentdojo": ("content",),
    "bastion": ("user", "content"),
    "notinject": ("user", "content"),
}
"""Labelled sets under MIT or Apache-2.0, and the sources their harmful texts are taken for."""
BACKGROUND: Final = ("memorybank", "longmemeval_s_small", "bfcl_memory", "automemorybench")
"""Talk under MIT or Apache-2.0."""
TEXTS: Final = {
    "recognizers_datetime": 600,
    "pii_en": 700,
    "pii_zh": 200,
    "hlmem_state_zh": 200,
    "dependency_episodes": 1200,
}
"""Other harmless texts under MIT or Apache-2.0 or of our own, and how many of each are taken."""
ORDINARY: Final = ("locomo", "realtalk", "memdaily_zh", "memdaily_pool_zh")
"""Talk that only tells how often the detector cries out."""
MASS: Final = {"templates+": 1.0, "templates-": 1.0, "sets+": 0.35, "sets-": 0.35, "background": 2.0}
"""What each part weighs, however many texts it has."""

PART: Final = {"talk": "background", "content.mail": "background"}
"""Kinds of templates that are ordinary talk."""


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
    rows = [row for unit in units(text) if len(row := places(unit, sample.source))]
    return Bag(rows, sample.harmful, f"{sample.source}_{language(text)}", part, sample.kind, sample.wording)


def templates() -> list[Bag]:
    """The texts of the templates to train on."""
    samples = [item for lang in LANGUAGES for item in generated(f"{lang}_train", EACH, SEED)]
    return [bag(item, "templates+" if item.harmful else PART.get(item.kind, "templates-")) for item in samples]


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
    """The texts of a record: its own, those of its sessions, or those of its events."""
    if isinstance(row.get("text"), str):
        return [row["text"]]
    if "sessions" in row:
        return [text for session in row["sessions"] for text in _said(session)]
    return [event["text"].rpartition("】")[2].strip() for event in row.get("events", ())]


def _said(data: Any) -> Iterator[str]:
    """Every text in a session, however deep it stands."""
    if isinstance(data, dict):
        if isinstance(data.get("text"), str):
            yield data["text"]
        data = [*data.values()]
    if isinstance(data, list):
        for item in data:
            yield from _said(item)


def fit(bags: list[Bag], *, rounds: int = ROUNDS, steps: int = STEPS) -> Fit:
    """Fits by full gradients (Adam; Kingma and Ba 2015), the unit of each harmful text chosen anew in each round."""
    found = Fit()
    totals: dict[tuple[str, str], int] = {}
    for item in bags:
        key = (item.part, item.group[-2:])
        totals[key] = totals.get(key, 0) + (1 if item.harmful else len(item.units))
    shared = _shared(bags)
    for turn in range(rounds):
        rows: list[np.ndarray] = []
        target: list[float] = []
        weight: list[float] = []
        group: list[int] = []
        for item in bags:
            chosen = _most(found, item, first=turn == 0) if item.harmful else item.units
            mass = MASS[item.part] / totals[(item.part, item.group[-2:])]
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
    found: Fit,
    rows: list[np.ndarray],
    target: np.ndarray,
    weight: np.ndarray,
    group: np.ndarray,
    shared: np.ndarray,
    steps: int,
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


def probability(found: Model, item: Bag) -> float:
    """How likely the most suspicious unit of a text is an order or a claim."""
    return max((found.probability(row, item.group) for row in item.units), default=0.0)


def limits(found: Model, ordinary: list[Bag], share: float) -> dict[str, float]:
    """For each language and source the probability that `share` of ordinary turns exceed; 1 where there are none."""
    shown = {}
    for group in GROUPS:
        scores = sorted((probability(found, item) for item in ordinary if item.group == group), reverse=True)
        shown[group] = scores[int(share * len(scores))] if scores else 1.0
    return shown


def show(found: Model, measured: dict[str, list[Bag]], limit: dict[str, float]) -> None:
    """Recall and false alarms of each set at the limits."""
    for name, items in measured.items():
        cells = []
        for group in GROUPS:
            for harmful in (True, False):
                scores = [probability(found, item) for item in items if item.group == group and item.harmful is harmful]
                if scores:
                    share = sum(score >= limit[group] for score in scores) / len(scores)
                    cells.append(f"{group} {'recall' if harmful else 'false alarms'} {share:.3f} of {len(scores)}")
        print(f"{name}: {'; '.join(cells)}")


def crossed(bags: list[Bag], ordinary: list[Bag], *, folds: int, share: float) -> None:
    """The templates' wordings in `folds` parts, each measured by a fit on the others."""
    held: list[tuple[Bag, bool]] = []
    for fold in range(folds):
        inside = [crc32(item.wording.encode()) % folds == fold and bool(item.wording) for item in bags]
        found = quantised(fit([item for item, left in zip(bags, inside, strict=True) if not left]))
        limit = limits(found, ordinary, share)
        held += [
            (item, probability(found, item) >= limit[item.group])
            for item, left in zip(bags, inside, strict=True)
            if left
        ]
    for group in GROUPS:
        for harmful in (True, False):
            said = [flagged for item, flagged in held if item.group == group and item.harmful is harmful]
            print(f"wordings left out, {group}, {'recall' if harmful else 'false alarms'}: {sum(said) / len(said):.3f}")


def write(found: Model, limit: dict[str, float], trained: dict[str, int]) -> None:
    """The table and what is to be known of it, beside the module that reads them."""
    TABLE.write_bytes(found.weights.tobytes())
    lines = [
        "# Written by benchmarks/train_gate.py --write; not to be edited by hand.",
        f"scale = {found.scale}",
        f'digest = "{hashlib.sha256(found.weights.tobytes()).hexdigest()}"',
        f'features = "{features_digest()}"',
        f"seed = {SEED}",
        "",
        "[bias]",
        *(f"{name} = {value}" for name, value in found.bias.items()),
        "",
        "# The probability that half a percent of the ordinary turns exceeded; the policy's defaults follow it.",
        "[calibrated]",
        *(f"{name} = {value:.3f}" for name, value in limit.items()),
        "",
        "# How many texts of each part it was trained on.",
        "[trained]",
        *(f'"{name}" = {count}' for name, count in sorted(trained.items())),
    ]
    ABOUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Fits, measures and, where asked, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the data sets; without it the templates alone are fitted")
    parser.add_argument("--leave-out", default="", help="labelled sets not to fit on, separated by commas")
    parser.add_argument("--unseen", type=Path, nargs="*", default=[], help="labelled texts that are only measured")
    parser.add_argument("--share", type=float, default=0.005, help="share of ordinary turns that may be flagged")
    parser.add_argument(
        "--folds", type=int, default=0, help="also measure with the templates' wordings left out in turn"
    )
    parser.add_argument("--write", action="store_true", help="write the table and what is known of it")
    chosen = parser.parse_args(arguments)
    left_out = frozenset(filter(None, chosen.leave_out.split(",")))
    bags = templates()
    ordinary: list[Bag] = []
    measured = {
        f"{lang}_test": [bag(item, "test") for item in generated(f"{lang}_test", 6, SEED)] for lang in LANGUAGES
    }
    if chosen.data:
        bags += [bag(item, part) for item, part in sets(chosen.data, left_out)]
        bags += [bag(item, "background") for item in background(chosen.data)]
        for name in ORDINARY:
            texts = [text for text, _ in talk(chosen.data / f"{name}.jsonl")]
            ordinary += [bag(Sample(text, False, source, name), "ordinary") for text in texts for source in SOURCES]
        measured |= {file.stem: labelled(file) for file in sorted(chosen.data.glob("inj_*.jsonl"))}
    measured |= {file.stem: labelled(file) for file in chosen.unseen}
    found = quantised(fit(bags))
    limit = limits(found, ordinary, chosen.share) if ordinary else dict.fromkeys(GROUPS, 0.5)
    print(f"limits at {chosen.share:.2%} of ordinary turns: {limit}")
    show(found, measured, limit)
    if chosen.folds:
        crossed(bags, ordinary, folds=chosen.folds, share=chosen.share)
    if chosen.write:
        write(found, limit, Counter(item.part if item.part != "sets+" else item.kind for item in bags))


def labelled(file: Path) -> list[Bag]:
    """The texts of a labelled file, each as a user's turn and as content."""
    return [
        bag(Sample(row["text"], bool(row["label"]), source, str(row["type"])), "measured")
        for row in records(file)
        for source in SOURCES
    ]


if __name__ == "__main__":
    main()
