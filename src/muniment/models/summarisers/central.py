"""What a conversation was about: its most central sentences, in the speakers' own words.

A sentence is central where its words are those of the whole conversation (SumBasic: the mean probability of its words; Nenkova
and Vanderwende 2005) and its turn's vector points where all turns point (the centroid of Radev's MEAD, 2004). Both are linear in
the number of sentences, so that a long conversation costs no more a turn than a short one.

Belongs here: that choice. Does not belong here: what is still open (`outstanding`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

import numpy as np

from muniment.domain.enums import ActorType
from muniment.domain.summaries import Line
from muniment.models.summarisers.sentences import Sentence, lexicon, pattern, plain, trusted
from muniment.ports.models import Said

MOST: Final = 4
"""Sentences that are offered for the topic; how many of them fit is for whoever counts tokens."""
ALIKE: Final = 0.6
"""Share of a sentence's words in another from which it says nothing new."""
LEAST: Final = 0.45
"""Share of the best sentence's score under which one is not what the conversation was about."""
MARKUP: Final = frozenset("#-*|>•")
"""With what the lines of a list or heading begin, which are no sentences to tell a story by."""
AGENT: Final = 0.5
"""What an agent's words count beside the user's, whose conversation it is."""
OPENING: Final = 1.25
"""What the first thing a user says counts more: people say what they come for."""
SHORT: Final = 4
"""Words under which a sentence counts less, down to nothing: 'yes, that one' is about something else."""
SURE: Final = 1.0
"""Weight of the centroid beside the words."""


def central(turns: Sequence[Said], said: Sequence[Sentence], *, spare: Collection[str] = ()) -> tuple[Line, ...]:
    """The topic's lines, the most central first. `spare` are told elsewhere."""
    offered = [
        item
        for item in said
        if item.told not in spare
        and not _greets(item.text)
        and not item.text.endswith((":", "："))
        and item.text[0] not in MARKUP
    ]
    weights = _weights(offered)
    near = _centroid(turns)
    scores = {place: _score(item, weights, near) for place, item in enumerate(offered)}
    opening = next((place for place, item in enumerate(offered) if item.actor is ActorType.USER), None)
    if opening is not None:
        scores[opening] *= OPENING
    least = LEAST * max(scores.values(), default=0.0)
    chosen: list[Sentence] = []
    for place in sorted(scores, key=lambda place: (-scores[place], place)):
        item = offered[place]
        if len(chosen) >= MOST or scores[place] <= 0 or scores[place] < least:
            break
        if all(_shared(item, other) < ALIKE for other in chosen) and trusted(item):
            chosen.append(item)
    return tuple(Line(text=item.told, rests_on=(item.evidence_id,)) for item in chosen)


def _weights(said: Sequence[Sentence]) -> Mapping[str, float]:
    """The probability of each word over all sentences; none for single characters of scripts without spaces, which say
    little, and words of a sentence's form."""
    counts = Counter(token for item in said for token in item.tokens if _tells(token))
    total = sum(counts.values()) or 1
    return {token: count / total for token, count in counts.items()}


@cache
def _common() -> frozenset[str]:
    return frozenset(lexicon("open")["common"]["zh"])


def _tells(token: str) -> bool:
    return token not in _common() and (len(token) > 1 or token.isascii())


def _score(item: Sentence, weights: Mapping[str, float], near: Mapping[UUID, float]) -> float:
    known = [weights[token] for token in item.tokens if token in weights]
    if not known:
        return 0.0
    # The root evens out how many words a long conversation shares its probability among.
    words = math.sqrt(sum(known) / len(known) / max(weights.values()))
    length = min(1.0, len(known) / SHORT)
    who = 1.0 if item.actor is ActorType.USER else AGENT
    return who * length * (words + SURE * max(0.0, near.get(item.evidence_id, 0.0)))


def _centroid(turns: Sequence[Said]) -> Mapping[UUID, float]:
    """The cosine of each turn with the middle of all; nothing where turns have no vectors or of several sizes."""
    means: dict[UUID, Any] = {}
    for turn in turns:
        row = np.frombuffer(turn.vectors, "<f2").astype(np.float32)
        if len(row):
            means[turn.evidence_id] = row
    dimension = min((len(row) for row in means.values()), default=0)
    if not dimension or any(len(row) % dimension for row in means.values()):
        return {}
    units = {ref: _unit(row.reshape(-1, dimension).mean(axis=0)) for ref, row in means.items()}
    middle = _unit(np.sum(list(units.values()), axis=0))
    return {ref: float(unit @ middle) for ref, unit in units.items()}


def _unit(row: Any) -> Any:
    length = float(np.linalg.norm(row))
    return row / length if length and math.isfinite(length) else np.zeros_like(row)


def _shared(item: Sentence, other: Sentence) -> float:
    """The share of the shorter one's words that the other has too."""
    smaller = min(len(item.tokens), len(other.tokens))
    return len(item.tokens & other.tokens) / smaller


@cache
def _greeting() -> re.Pattern[str]:
    return pattern(lexicon("open")["greeting"])


def _greets(text: str) -> bool:
    """Whether a sentence says nothing besides hello, thanks or yes."""
    rest = _greeting().sub("", plain(text))
    return not any(char.isalnum() for char in rest)
