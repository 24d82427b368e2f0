"""What a retrieval run measured, and the figures of it.

Belongs here: the tally of one dataset and split, and its result. Does not belong here: asking (`retrieval`), the arithmetic
of one list (`metrics`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from muniment.evaluation.metrics import any_at, hit_at, mean, percentile, recall_at

AT: Final = (5, 10, 20)
PRODUCT: Final = "product"


@dataclass(slots=True, kw_only=True)
class Asked:
    """One question with the documents each method ranked."""

    category: str
    gold: tuple[str, ...]
    forbidden: tuple[str, ...]
    ranked: dict[str, list[str]]


@dataclass(slots=True)
class Tally:
    """What was measured of one dataset and split."""

    asked: list[Asked] = field(default_factory=list)
    conversations: int = 0
    turns: int = 0
    facts: int = 0
    import_seconds: float = 0.0
    search_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    degraded: int = 0


def figures(dataset: str, split: str, tally: Tally) -> dict[str, Any]:
    """One result of the report; shares are 0 to 1, times in milliseconds."""
    methods = list(dict.fromkeys(name for item in tally.asked for name in item.ranked))
    with_gold = [item for item in tally.asked if item.gold]
    rate = tally.turns / tally.import_seconds if tally.import_seconds else None
    return {
        "dataset": dataset,
        "kind": "retrieval",
        "split": split,
        "n": len(with_gold),
        "asked": len(tally.asked),
        "conversations": tally.conversations,
        **_scores(tally.asked, PRODUCT),
        "by_category": _by_category(with_gold),
        "search_ms": {
            "p50": _rounded(percentile(tally.search_ms, 0.5), 2),
            "p95": _rounded(percentile(tally.search_ms, 0.95), 2),
            "first_p50": _rounded(percentile(tally.first_ms, 0.5), 2),
        },
        "import": {"turns": tally.turns, "facts": tally.facts, "turns_per_s": _rounded(rate, 1)},
        "degraded_searches": tally.degraded,
        **({"baselines": {name: _scores(tally.asked, name) for name in methods[1:]}} if len(methods) > 1 else {}),
    }


def _scores(asked: Sequence[Asked], method: str) -> dict[str, float | None]:
    """Recall and hits of one method, and how often something forbidden was shown, where the data says what is."""
    gold = [(item.gold, item.ranked[method]) for item in asked if item.gold]
    scores = {f"recall@{k}": _rounded(mean(recall_at(ids, ranked, k) for ids, ranked in gold)) for k in AT}
    scores |= {f"hit@{k}": _rounded(mean(hit_at(ids, ranked, k) for ids, ranked in gold)) for k in AT}
    unwanted = [(item.forbidden, item.ranked[method]) for item in asked if item.forbidden]
    if unwanted:
        scores["forbidden@10"] = _rounded(mean(any_at(ids, ranked, 10) for ids, ranked in unwanted))
    return scores


def _by_category(asked: Sequence[Asked]) -> dict[str, dict[str, float | int | None]]:
    names = sorted({item.category for item in asked})
    found: dict[str, dict[str, float | int | None]] = {}
    for name in names:
        part = [item for item in asked if item.category == name]
        found[name] = {
            "n": len(part),
            "recall@10": _rounded(mean(recall_at(item.gold, item.ranked[PRODUCT], 10) for item in part)),
            "hit@10": _rounded(mean(hit_at(item.gold, item.ranked[PRODUCT], 10) for item in part)),
        }
    return found


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
