"""What later words of the same speaker perhaps took over from: marked, and put behind what is current, at the time of reading.

People seldom say 'I change X from A to B'. They say that A's shop has closed, or that it is B these days. No fact follows from
that with certainty, so none is written: of the turns found for a question, an earlier one stands back where a small model
finds it likely that a later one took over from it. The later one takes its place. Nothing is hidden, nothing is kept, and the
reason names the later words.

Belongs here: the decision and its marks. Does not belong here: what a pair of turns looks like (`takeover_pairs`), what is known
to be over (`history`).
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, Final
from uuid import UUID

import numpy as np

from muniment.domain.answers import Hit
from muniment.domain.enums import EvidenceType
from muniment.domain.records import Evidence, Fact
from muniment.ports.store import ReadUnit
from muniment.retrieval import history
from muniment.retrieval.ask import Ask
from muniment.retrieval.takeover_pairs import FEATURES, Pairs, Said
from muniment.retrieval.takeover_reading import reading, says

OLDER: Final = 10
NEWER: Final = 40
"""How many of the turns found, the best first, may have been taken over from, and may have taken over."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A turn that was perhaps taken over from: the later turn, and whether that one asks for it to be forgotten."""

    by: Evidence
    forget: bool
    chance: float


def marked(hits: Sequence[Hit], ask: Ask, unit: ReadUnit) -> list[Hit]:
    """The same hits, of evidence: those that were perhaps taken over from with a flag and the reason, what took over no further
    behind than they are."""
    taken = found(hits, ask, unit)
    if not taken:
        return list(hits)
    shown = {hit.id: _flagged(hit, taken[hit.id]) if hit.id in taken else hit for hit in hits}
    order = [hit.id for hit in hits]
    for ref in [hit.id for hit in hits if hit.id in taken and not taken[hit.id].forget]:
        later = taken[ref].by.evidence_id
        if order.index(later) > order.index(ref):
            order.remove(later)
            order.insert(order.index(ref), later)
    return [shown[ref] for ref in order]


def grounded(facts: Sequence[Hit], said: Sequence[Hit]) -> list[Hit]:
    """The hits of facts, those whose every ground was perhaps taken over from with the same flag and reason."""
    marks = {hit.id: hit.why for hit in said if history.DOUBTED.intersection(hit.why.flags)}
    result = []
    for hit in facts:
        over = [marks[ref] for ref in hit.why.evidence if ref in marks]
        if isinstance(hit.item, Fact) and over and len(over) == len(hit.why.evidence):
            flags = tuple(flag for flag in over[-1].flags if flag in history.DOUBTED)
            reason = f"{hit.why.reason}; {over[-1].reason.rpartition('; ')[2]}"
            hit = replace(hit, why=replace(hit.why, flags=(*hit.why.flags, *flags), reason=reason))
        result.append(hit)
    return result


def apart(facts: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits of facts in their places, and those that stand behind."""
    doubted = [hit for hit in facts if history.DOUBTED.intersection(hit.why.flags)]
    return [hit for hit in facts if not history.DOUBTED.intersection(hit.why.flags)], doubted


def found(hits: Sequence[Hit], ask: Ask, unit: ReadUnit) -> dict[UUID, Taken]:
    """By the turn that was perhaps taken over from, what took over: the likeliest. Empty for a question about the past, and
    where `retrieval.takeover` is 1."""
    least = ask.policy.retrieval.takeover
    if least >= 1 or history.HISTORY in history.wanted(ask.query) or says("past", ask.query):
        return {}
    now = unit.as_of.valid_at or unit.as_of.known_at or unit.now
    turns = [(hit, hit.item) for hit in hits if isinstance(hit.item, Evidence) and _states(hit, hit.item, now)]
    turns = list({piece.evidence_id: (hit, piece) for hit, piece in reversed(turns)}.values())[::-1][:NEWER]
    if len(turns) < 2:
        return {}
    pieces = [piece for _, piece in turns]
    pairs = Pairs(ask.query, [_said(hit, piece) for hit, piece in turns])
    chosen = [
        (old, new)
        for old in range(min(OLDER, len(turns)))
        for new in range(len(turns))
        if _speaker(pieces[old]) == _speaker(pieces[new]) and pairs.alike(old, new)
    ]
    if not chosen:
        return {}
    chances = probability(np.array([pairs.features(old, new) for old, new in chosen]))
    taken: dict[UUID, Taken] = {}
    for (old, new), chance in zip(chosen, chances.tolist(), strict=True):
        ref = pieces[old].evidence_id
        if chance > least and (ref not in taken or chance > taken[ref].chance):
            forget = reading(pieces[new].content).cues["forget"] > 0 and _asks_to_forget(pieces[new].content)
            taken[ref] = Taken(pieces[new], forget, chance)
    return _unrecorded(taken, unit)


def _unrecorded(taken: Mapping[UUID, Taken], unit: ReadUnit) -> dict[UUID, Taken]:
    """Those of which not both turns ground facts: where both were understood when they were written, the record knows whether
    anything changed, and nothing is guessed."""
    if not taken:
        return {}
    grounds = unit.facts_on(list({*taken, *(item.by.evidence_id for item in taken.values())}))
    return {ref: item for ref, item in taken.items() if not (grounds.get(ref) and grounds.get(item.by.evidence_id))}


def probability(rows: Any) -> Any:
    """The chance, 0 to 1, that the later turn of each pair took over from the earlier; `rows` are pairs x `FEATURES`."""
    means, scales, weights, bias = _model()
    return 1 / (1 + np.exp(-np.clip(((rows - means) / scales) @ weights + bias, -30, 30)))


def _asks_to_forget(text: str) -> bool:
    """Whether a turn asks to forget more than it tells of a change."""
    cues = reading(text).cues
    return cues["forget"] >= cues["ends"] + cues["starts"] + cues["wrong"]


def _states(hit: Hit, piece: Evidence, now: datetime) -> bool:
    """Whether a turn may be either of a pair: said in conversation by then, neither suspected nor out of the way already."""
    out_of_the_way = (history.BEHIND | {"quarantined"}).intersection(hit.why.flags)
    said = hit.why.channel == "evidence" and piece.evidence_type is EvidenceType.CONVERSATION
    return said and not out_of_the_way and _at(piece) <= now


def _speaker(piece: Evidence) -> tuple[object, ...]:
    return piece.actor, piece.speaker, piece.placement.user


def _at(piece: Evidence) -> datetime:
    return piece.recorded_at if piece.occurred is None else piece.occurred.at


def _said(hit: Hit, piece: Evidence) -> Said:
    relevance = hit.parts.get("relevance", 0.0)
    return Said(text=piece.content, score=hit.score, relevance=relevance, at=_at(piece), session=piece.session)


def _flagged(hit: Hit, taken: Taken) -> Hit:
    by = taken.by
    day = (by.recorded_at if by.occurred is None else by.occurred.local()).date().isoformat()
    if taken.forget:
        flag, words = history.UNWANTED, f"perhaps to be forgotten: words of {day} ask for it ({by.evidence_id})"
    else:
        flag, words = (
            history.EARLIER,
            f"perhaps no longer so: later words of {day} speak of the same ({by.evidence_id})",
        )
    return replace(hit, why=replace(hit.why, flags=(*hit.why.flags, flag), reason=f"{hit.why.reason}; {words}"))


@cache
def _model() -> tuple[Any, Any, Any, float]:
    """Means, scales and weights in the order of `FEATURES`, and the bias."""
    text = (resources.files("muniment.retrieval") / "takeover_model.toml").read_text(encoding="utf-8")
    numbers: Mapping[str, Any] = tomllib.loads(text)
    rows: Collection[Mapping[str, float]] = [numbers[name] for name in FEATURES]
    means, scales, weights = (np.array([row[key] for row in rows]) for key in ("mean", "scale", "weight"))
    bias = float(numbers["bias"])
    if not math.isfinite(bias + float(means.sum() + scales.sum() + weights.sum())):
        raise ValueError("takeover_model.toml holds a number that is none")
    return means, scales, weights, bias
