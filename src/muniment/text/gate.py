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
from typing import Any, Final

import numpy as np

from muniment.config import Learned
from muniment.text.gate_features import PLACES, Read, places, read
from muniment.text.language import Language, language

TABLE: Final = Path(__file__).parent / "gate_table.bin"
ABOUT: Final = Path(__file__).parent / "gate_table.toml"
SENTENCE: Final = 280
"""Characters of one sentence; a longer one is cut where it pauses, and without a pause anywhere."""
PAIR: Final = 360
"""Characters of two neighbouring sentences that are also scored together."""
HINT: Final = 0.05
"""Probability that one of two neighbours must have for both to be scored together; most talk is spared the second look."""
SHORTEST: Final = 4
FEWEST: Final = 4
"""Words of a sentence, two Chinese characters counted as one, that it takes to say an order; a name or an address alone is
none, whatever name it is."""

_END: Final = re.compile(r"[.!?]+[\"”'’)]*(?=\s|$)|[。！？!?；;]+[”’」』）]*|\n+")
_FIELD: Final = re.compile(r"[\w-]{1,30}\s?[:=：]\s?[\w.@/+-]{1,60}")
"""One name with one word as its value ('order_no: ORD-7') is no sentence."""
_PAUSE: Final = re.compile(r"[,，、:：|]\s?|\s-\s")


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by place of the table, with what they are multiplied by, and a constant for each language and source."""

    weights: np.ndarray
    scale: float
    bias: dict[str, float]

    def probability(self, touched: np.ndarray, group: str) -> float:
        """How likely a unit that touches these places is an order or a claim, 0 to 1; 0 for one without words. `group` names
        its source and language ('user_en')."""
        if not len(touched):
            return 0.0
        total = int(self.weights[touched].sum(dtype=np.int64)) * self.scale / math.sqrt(len(touched))
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, total + self.bias[group]))))


def orders(text: str, *, source_is_user: bool, thresholds: Learned) -> list[tuple[int, int, Language]]:
    """(start, end, language) of what reads like an order to the agent or a claim of authority, in reading order: sentences,
    and two neighbours where only both together do. Linear in the text."""
    source = "user" if source_is_user else "content"
    found: list[tuple[int, int, Language]] = []
    before: tuple[int, Read, float] | None = None
    for start, end in sentences(text):
        unit, lang = read(text[start:end]), language(text[start:end])
        if unit.words < FEWEST or _FIELD.fullmatch(text, start, end):
            continue
        group = f"{source}_{lang}"
        limit: float = getattr(thresholds, group)
        if limit >= 1:
            continue
        likely, begin = model().probability(places(unit, source), group), start
        if likely < limit and before is not None and end - before[0] <= PAIR and max(likely, before[2]) >= HINT:
            begin = before[0]
            likely = model().probability(places(before[1] + unit, source), group)
        if likely >= limit:
            found.append((begin, end, lang))
            before = None
        else:
            before = (start, unit, likely)
    return found


def units(text: str) -> Iterator[Read]:
    """Everything of a text that is scored: each sentence, and each with the next where both are short."""
    before: tuple[int, Read] | None = None
    for start, end in sentences(text):
        unit = read(text[start:end])
        yield unit
        if before is not None and end - before[0] <= PAIR:
            yield before[1] + unit
        before = (start, unit)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text's sentences without the space around them; a very long one in pieces."""
    start = 0
    for match in _END.finditer(text):
        yield from _cut(text, start, match.end())
        start = match.end()
    yield from _cut(text, start, len(text))


@cache
def model() -> Model:
    """The shipped model, read on first use. Raises `ValueError` for a table of another size than the features have."""
    about: dict[str, Any] = tomllib.loads(ABOUT.read_text(encoding="utf-8"))
    weights = np.frombuffer(TABLE.read_bytes(), dtype=np.int8)
    if len(weights) != PLACES:
        raise ValueError(f"{TABLE.name} has {len(weights)} weights, not {PLACES}")
    return Model(weights=weights, scale=about["scale"], bias=about["bias"])


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
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
