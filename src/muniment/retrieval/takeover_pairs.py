"""Pairs of an earlier and a later turn, among those found for a question, in numbers.

A token weighs by how few of the turns found have it; two turns are *near* by the weight of the tokens that they share, as a
cosine.

Belongs here: which pairs are about the same thing at all, and their features. Does not belong here: what is read of one turn
(`takeover_reading`), what the numbers weigh and what follows (`takeover`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from muniment.retrieval.takeover_reading import Reading, function_characters, reading, says, tokens_of

SHARED: Final = 0.5
ASKED: Final = 0.1
"""Weight of shared tokens, and share of the question's weight in the later turn; below both a pair is about two things."""
CHANGES: Final = ("ends", "starts", "wrong", "forget", "perfect")
"""Cues without any of which, and without another value, a turn changes nothing."""
ALONE: Final = 0.1
"""What a Chinese character by itself weighs beside a pair of them: the pairs that it stands in are tokens too."""

FEATURES: Final = (
    "score_old", "score_new", "relevance_old", "relevance_new", "place_old", "place_new", "first",
    "shared", "shared_beside", "shared_asked", "asked_old", "asked_new", "closest_old", "closest_new",
    "day", "month", "number", "name", "name_gone", "names_kept",
    "ends", "starts", "wrong", "back", "forget", "perfect", "asides", "others", "asks_old", "asks_new", "quoted",
    "settled", "told", "delicate", "forget_delicate", "forget_shared", "session", "days", "length_old", "length_new",
    "cued_shared", "cued_score", "cued", "no_cue", "open", "open_forget", "cued_value", "chinese", "cued_closest",
    "typed", "untyped",
)  # fmt: skip
"""Names of the features, in their order; `old` is the earlier turn, `new` the later one. Scores are shares of the best one,
places and weights logarithms, cues counts up to 3; `closest` is by how much a turn is nearer than the next such one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn that was found: its words, score and probability of relevance, when and in which session it was said."""

    text: str
    score: float
    relevance: float
    at: datetime
    session: str | None = None


class Pairs:
    """The turns found for a question, best first."""

    def __init__(self, question: str, turns: Sequence[Said]) -> None:
        self.turns = turns
        self._asked = reading(question)
        self._open, self._who, self._amount = (says(name, question) for name in ("open", "who", "amount"))
        self._best = max((turn.score for turn in turns), default=1.0) or 1.0
        tokens = [tokens_of(turn.text) for turn in turns]
        counts: dict[str, int] = {}
        for some in tokens:
            for token in some:
                counts[token] = counts.get(token, 0) + 1
        self._weights = {token: _weight(token, count, len(turns)) for token, count in counts.items()}
        self._question = sum(self._weight(token) for token in self._asked.tokens) or 1.0
        self._shared, self._both_asked = self._overlaps(tokens)
        self.asked = [
            sum(self._weight(token) for token in self._asked.tokens & some) / self._question for some in tokens
        ]
        own = np.sqrt(np.maximum(np.diag(self._shared), 1e-6))
        at = np.array([turn.at.timestamp() for turn in turns])
        self._earlier = at[:, None] < at[None, :]
        near = np.where(self._earlier, self._shared / np.outer(own, own), 0.0)
        self._closest_old, self._closest_new = _lead(near, 0), _lead(near, 1)

    def _overlaps(self, tokens: Sequence[frozenset[str]]) -> tuple[Any, Any]:
        """The weight of the tokens that two turns share, and of those that the question has too; turns x turns."""
        place = {token: at for at, token in enumerate(self._weights)}
        holds = np.zeros((len(tokens), len(place)), np.float32)
        for at, some in enumerate(tokens):
            holds[at, [place[token] for token in some]] = 1
        weights = np.array(list(self._weights.values()), np.float32)
        asked = np.array([token in self._asked.tokens for token in self._weights], np.float32)
        return (holds * weights) @ holds.T, (holds * (weights * asked)) @ holds.T

    def _weight(self, token: str) -> float:
        found = self._weights.get(token)
        return _weight(token, 0, len(self.turns)) if found is None else found

    def alike(self, old: int, new: int) -> bool:
        """Whether the second was said later, is about what the first or the question is about, and has a word of change or
        another value."""
        near = self._shared[old, new] >= SHARED or self.asked[new] >= ASKED
        if not (near and self._earlier[old, new]):
            return False
        first, later = reading(self.turns[old].text), reading(self.turns[new].text)
        return any(later.cues[name] for name in CHANGES) or any(self._values(first, later))

    def features(self, old: int, new: int) -> list[float]:
        """The numbers of `FEATURES` for two turns, by their places."""
        one, two = self.turns[old], self.turns[new]
        first, later = reading(one.text), reading(two.text)
        shared, whole = float(self._shared[old, new]), float(self._both_asked[old, new])
        cues = later.cues
        cued = math.log1p(cues["ends"] + cues["starts"] + cues["wrong"] + cues["perfect"])
        values = self._values(first, later)
        gone = first.values["name"] - self._asked.values["name"]
        delicate, forget = float(first.cues["delicate"] > 0), float(cues["forget"] > 0)
        near, closest = math.log1p(shared), float(self._closest_old[old, new])
        return [
            one.score / self._best, two.score / self._best, one.relevance, two.relevance,
            math.log1p(old), math.log1p(new), float(old == 0),
            near, math.log1p(max(0.0, shared - whole)), math.log1p(whole), self.asked[old], self.asked[new],
            closest, float(self._closest_new[old, new]), *values,
            float(bool(gone) and not gone & later.values["name"]), float(bool(gone & later.values["name"])),
            cues["ends"], cues["starts"], cues["wrong"], min(cues["back"], 2), forget, cues["perfect"],
            min(cues["asides"], 2), min(cues["others"], 1), first.cues["asking"], cues["ends_asking"], cues["quoted"],
            min(first.cues["settled"], 2), min(first.cues["told"], 2), delicate, forget * delicate, forget * near,
            float(one.session is not None and one.session == two.session),
            math.log1p((two.at - one.at).total_seconds() / 86_400),
            math.log(20 + len(one.text)), math.log(20 + len(two.text)),
            cued * near, cued * max(0.0, two.score / self._best), cued, float(cued == 0 and not forget),
            float(self._open), float(self._open) * forget, cued * max(values), float(later.chinese), cued * closest,
            *self._typed(later),
        ]  # fmt: skip

    def _values(self, first: Reading, later: Reading) -> list[float]:
        """For each kind of value, whether the earlier turn has one and the later one has another."""
        return [
            float(bool(first.values[kind]) and bool(later.values[kind] - first.values[kind] - self._asked.values[kind]))
            for kind in ("day", "month", "number", "name")
        ]

    def _typed(self, later: Reading) -> tuple[float, float]:
        """Whether the question asks for a kind of value that the later turn has, and whether for one that it has not."""
        if not (self._who or self._amount):
            return 0.0, 0.0
        person = self._who and bool(later.values["name"] or later.cues["kin"])
        amount = self._amount and any(later.values[kind] for kind in ("number", "day", "month"))
        return float(person or amount), float(not (person or amount))


def _lead(near: Any, axis: int) -> Any:
    """By how much each value is over the largest other one along an axis."""
    if near.shape[axis] < 2:
        return near
    ordered = np.sort(near, axis=axis)
    best, second = np.take(ordered, [-1], axis=axis), np.take(ordered, [-2], axis=axis)
    return near - np.where(near >= best, second, best)


def _weight(token: str, count: int, of: int) -> float:
    """Rarer weighs more; what is only grammar nothing."""
    rare = math.log((of + 1) / (count + 0.5))
    if token.isascii():
        return rare
    if all(char in function_characters() for char in token):
        return 0.0
    return rare * (ALONE if len(token) == 1 else 1.0)
