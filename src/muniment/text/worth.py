"""How likely a turn holds something worth remembering: for ranking what to look at, never for writing anything unasked.

Thirteen cheap counts and a logistic regression. Measured (docs/extraction.md): patterns alone rank turns worse than their length
does, and length worse than this.

Belongs here: the counts and their sum. Does not belong here: what is remembered (extractors), and who looks (service/).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.text.language import language
from muniment.text.lexicon import lexicon

FEATURES: Final = (
    "content",
    "words",
    "long",
    "asks",
    "first",
    "second",
    "names",
    "numbers",
    "past",
    "plan",
    "taste",
    "chat",
    "calls",
)
"""The counts, in the order of `features`."""
CHARS: Final = 8_000
"""What is read of a turn: a longer one is a document, and all of those are worth a look."""
HAN: Final = 0.55
"""Chinese characters count so many words: dictionaries' words are a little under two characters long in running text."""

_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:[’'][A-Za-z]+)?|[\u3400-\u4dbf\u4e00-\u9fff]")
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_NAME: Final = re.compile(
    r"(?<=[a-z,;:] )[A-Z][a-z]+|《[^》\n]{1,40}》|[A-Za-z]{2,20}(?=[\u4e00-\u9fff])"
    r"|[\u4e00-\u9fff]{2}(?:市|省|县|区|路|街|医院|大学|中学|小学|公司|机场|车站)"
)
_NUMBER: Final = re.compile(r"\d+|[一二两三四五六七八九十百千万]+(?=[个只次天年月岁块元点号楼人位斤公])")


def worth(text: str) -> float:
    """From 0 to 1: how often people who noted what matters in talk noted something of such a turn. Linear in the text; never
    raises."""
    model = _model()
    total = model.bias
    for value, mean, scale, weight in zip(features(text), model.means, model.scales, model.weights, strict=True):
        total += (value - mean) / scale * weight
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def features(text: str) -> tuple[float, ...]:
    """The counts of `FEATURES`, each small, alike in both languages."""
    read = text[:CHARS]
    words = _WORD.findall(read)
    telling = [word for word in words if word.lower() not in _empty()]
    sentences = [said for said in _SENTENCE.findall(read) if said.strip()]
    asked = sum(said.rstrip().endswith(("?", "？", "吗", "呢")) for said in sentences)
    called = sum(said.rstrip().endswith(("!", "！")) for said in sentences)
    return (
        math.log1p(_size(telling)),
        math.log1p(_size(words)),
        _length(telling) if language(read) == "en" else _model().means[2],
        asked / max(1, len(sentences)),
        float(min(3, _count("first", read))),
        float(min(3, _count("second", read))),
        float(min(3, len(set(_NAME.findall(read))))),
        float(min(2, len(_NUMBER.findall(read)))),
        float(min(3, _count("past", read))),
        float(min(2, _count("plan", read))),
        float(min(2, _count("taste", read))),
        float(min(3, _count("chat", read))),
        called / max(1, len(sentences)),
    )


def _size(words: list[str]) -> float:
    return sum(1.0 if word.isascii() or len(word) > 1 else HAN for word in words)


def _length(words: list[str]) -> float:
    """Mean letters of a telling word."""
    return sum(map(len, words)) / max(1, len(words))


def _count(name: str, text: str) -> int:
    return sum(1 for _ in _pattern(name).finditer(text))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = lexicon("worth")["words"][name]
    return re.compile(rf"(?i:(?<![A-Za-z])(?:{'|'.join(words['en'])})(?![A-Za-z])|{'|'.join(words['zh'])})")


@cache
def _empty() -> frozenset[str]:
    words = lexicon("worth")["words"]["empty"]
    return frozenset((*words["en"].split(), *words["zh"]))


@dataclass(frozen=True, slots=True)
class _Model:
    bias: float
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]


@cache
def _model() -> _Model:
    model = lexicon("worth")["model"]
    rows = [model[name] for name in FEATURES]
    return _Model(
        bias=float(model["bias"]),
        means=tuple(float(row["mean"]) for row in rows),
        scales=tuple(float(row["scale"]) for row in rows),
        weights=tuple(float(row["weight"]) for row in rows),
    )
