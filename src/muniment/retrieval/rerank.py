"""Rerank: a model that reads question and text together sets what was found by similarity in a better order.

What was found exactly, what binds, and the running work keep their places; what is history stays behind what is current, and
passages from outside stay where they stand among them, each kind in its own new order. Nothing is added or taken away.

Belongs here: which hits move, and where to. Does not belong here: the model (models/reranker), and the call's place in the
read path (`search`): after the snapshot is closed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from muniment.domain.answers import Hit
from muniment.domain.errors import ModelError
from muniment.domain.records import Fact
from muniment.ports.models import Reranker
from muniment.retrieval import history
from muniment.retrieval.adjudicate import binds

SEMANTIC: Final = frozenset({"facts", "evidence"})
"""Channels whose hits stand beside each other in one order."""
OUTSIDE: Final = "knowledge"


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], top: int) -> list[Hit]:
    """The hits, the first `top` of those that may move in the reranker's order; each of these has its score as the part
    `rerank`. One that got no score stands behind those that did. Raises what the reranker raises, and `ModelError` for an
    answer that is not a score for each."""
    asked = history.wanted(query)
    groups = {place: group for place, hit in enumerate(hits) if (group := _group(hit, asked)) is not None}
    places = list(groups)[:top]
    if len(places) < 2:
        return list(hits)
    given = list(reranker.rerank(query, [hits[place].text for place in places]))
    if len(given) != len(places):
        raise ModelError(f"the reranker gave {len(given)} scores for {len(places)} texts")
    scores = {place: _score(score) for place, score in zip(places, given, strict=True)}
    ordered = list(hits)
    for group in dict.fromkeys(groups.values()):
        mine = [place for place in places if groups[place] == group]
        best_first = sorted(mine, key=lambda place: _or_last(scores[place]), reverse=True)
        for target, place in zip(mine, best_first, strict=True):
            ordered[target] = _with_score(hits[place], scores[place])
    return ordered


def _group(hit: Hit, asked: frozenset[str]) -> str | None:
    """Which hits it may change places with; None for one that keeps its place."""
    if hit.why.channel == OUTSIDE:
        return OUTSIDE
    if hit.why.channel not in SEMANTIC or (isinstance(hit.item, Fact) and binds(hit.item)):
        return None
    return "behind" if (history.BEHIND - asked).intersection(hit.why.flags) else "current"


def _score(score: float | None) -> float | None:
    if score is None:
        return None
    number = float(score)
    if not math.isfinite(number):
        raise ModelError(f"the reranker gave {score!r}, which is not a score")
    return number


def _or_last(score: float | None) -> float:
    return -math.inf if score is None else score


def _with_score(hit: Hit, score: float | None) -> Hit:
    if score is None:
        return hit
    why = replace(hit.why, reason=f"rerank {score:+.2f}; {hit.why.reason}")
    return replace(hit, parts={**hit.parts, "rerank": score}, why=why)
