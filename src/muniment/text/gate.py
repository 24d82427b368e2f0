"""The learned detector of the gate: which sentences read like an order to the agent or a claim of authority.

A logistic regression over hashed features, trained by `benchmarks/train_gate.py`; its table is a file beside this module. It
knows no certainty: what it finds is suspected, never refused.

Belongs here: the cutting of a text into what is scored, the table and the score. Does not belong here: the features
(`gate_features.py`), thresholds (policy `learned`), patterns (`authority.py`).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from muniment.config import Learned
from muniment.text.gate_features import PLACES, places
from muniment.text.language import language

Source = Literal["user", "content"]
TABLE: Final = Path(__file__).parent / "gate_table.bin"
ABOUT: Final = Path(__file__).parent / "gate_table.toml"
SENTENCE: Final = 280
"""Characters of one sentence; a longer one is cut where it pauses, and without a pause anywhere."""
PAIR: Final = 360
"""Characters of two neighbouring sentences that are also scored together."""
SHORTEST: Final = 4

_END: Final = re.compile(r"[.!?]+[\"”'’)]*(?=\s|$)|[。！？!?；;]+[”’」』）]*|\n+")
_PAUSE: Final = re.compile(r"[,，、:：|]\s?|\s-\s")


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by place of the table, with what they are multiplied by, and a constant for each language and source."""

    weights: np.ndarray
    scale: float
    bias: dict[str, float]

    def probability(self, touched: np.ndarray, lang: str, source: str) -> float:
        """How likely a text that touches these places is an order or a claim, 0 to 1; 0 for one without words."""
        if not len(touched):
            return 0.0
        total = int(self.weights[touched].sum(dtype=np.int64)) * self.scale / math.sqrt(len(touched))
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, total + self.bias[f"{lang}_{source}"]))))


def units(text: str) -> Iterator[tuple[int, int]]:
    """The spans that are scored: each sentence, and each with the next where both are short. Linear in the text."""
    before: tuple[int, int] | None = None
    for start, end in _sentences(text):
        yield start, end
        if before is not None and end - before[0] <= PAIR:
            yield before[0], end
        before = (start, end)


def orders(text: str, *, source_is_user: bool, thresholds: Learned) -> list[tuple[int, int, str]]:
    """(start, end, language) of what reads like an order to the agent or a claim of authority, in reading order: sentences,
    and two neighbours where only both together do."""
    source: Source = "user" if source_is_user else "content"
    limits = {lang: getattr(thresholds, f"{source}_{lang}") for lang in ("en", "zh")}
    found: list[tuple[int, int, str]] = []
    for start, end in units(text):
        if found and found[-1][1] > start and (start, end) != found[-1][:2]:
            continue
        unit = text[start:end]
        lang = language(unit)
        if limits[lang] < 1 and model().probability(places(unit, source), lang, source) >= limits[lang]:
            found.append((start, end, lang))
    return found


@cache
def model() -> Model:
    """The shipped model, read on first use."""
    about: dict[str, Any] = tomllib.loads(ABOUT.read_text(encoding="utf-8"))
    weights = np.frombuffer(TABLE.read_bytes(), dtype=np.int8)
    if len(weights) != PLACES:
        raise ValueError(f"{TABLE.name} has {len(weights)} weights, not {PLACES}")
    return Model(weights=weights, scale=about["scale"], bias=about["bias"])


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        yield from _cut(text, start, match.end())
        start = match.end()
    yield from _cut(text, start, len(text))


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without the space around it, in pieces where it is too long."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > SENTENCE:
        pauses = [match.end() for match in _PAUSE.finditer(text, start + SENTENCE // 2, start + SENTENCE)]
        space = text.rfind(" ", start + SENTENCE // 2, start + SENTENCE) + 1
        stop = pauses[-1] if pauses else space or start + SENTENCE
        yield start, stop
        start = stop
    if end - start >= SHORTEST:
        yield start, end
