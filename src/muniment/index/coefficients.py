"""The numbers of the ranking, from `coefficients.toml`.

Belongs here: loading them, once. Does not belong here: what they multiply.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Weights by preset and language, the floor's logistic regression, and the neutral texts that means are taken
    from."""

    measured_en: dict[str, float]
    measured_zh: dict[str, float]
    seed: dict[str, float]
    relevance_en: dict[str, float]
    relevance_zh: dict[str, float]
    relevance_words_en: dict[str, float]
    relevance_words_zh: dict[str, float]
    half_life_days: float
    zh_share: float
    prior_lines: float
    templates_en: tuple[str, ...]
    templates_zh: tuple[str, ...]
    neutral_questions: tuple[str, ...]
    neutral_statements: tuple[str, ...]


@lru_cache(maxsize=1)
def coefficients() -> Coefficients:
    """The shipped numbers."""
    text = resources.files("muniment.index").joinpath("coefficients.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    return Coefficients(
        measured_en=data["measured"]["en"],
        measured_zh=data["measured"]["zh"],
        seed=data["seed"],
        relevance_en=data["relevance"]["en"],
        relevance_zh=data["relevance"]["zh"],
        relevance_words_en=data["relevance"]["words_en"],
        relevance_words_zh=data["relevance"]["words_zh"],
        half_life_days=data["settings"]["recency_half_life_days"],
        zh_share=data["settings"]["zh_share"],
        prior_lines=data["settings"]["prior_lines"],
        templates_en=tuple(data["templates"]["en"]),
        templates_zh=tuple(data["templates"]["zh"]),
        neutral_questions=tuple(data["neutral"]["questions"]),
        neutral_statements=tuple(data["neutral"]["statements"]),
    )
