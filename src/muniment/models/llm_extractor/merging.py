"""One set of candidates out of two: what says the same, or rests on the same words, counts once.

Belongs here: when two candidates of a turn are one, and which of them stays. Does not belong here: whether a candidate repeats
what is held (governance/).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.domain.enums import Intent
from muniment.domain.records import Candidate
from muniment.domain.statement import canonical

SURE: Final = 0.82
"""From here on a candidate is accepted unasked, as the policy comes."""


def doubled(item: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether one of the others is the same memory."""
    return any(one(item, other) for other in others)


def one(first: Candidate, second: Candidate) -> bool:
    """Whether two candidates of a turn are one memory: the same slot and value, the same words, or the same kind of memory
    resting on the same words."""
    if first.intent is Intent.FORGET or second.intent is Intent.FORGET:
        return first.intent is second.intent and _overlap(first, second)
    if first.slot is not None and first.slot == second.slot:
        same = canonical(first.value or "") == canonical(second.value or "")
        return same or _overlap(first, second)
    if canonical(first.content) == canonical(second.content):
        return True
    apart = first.slot is not None and second.slot is not None
    return first.memory_type is second.memory_type and _overlap(first, second) and not apart


def unsure(item: Candidate) -> bool:
    """Whether wording alone only proposes it: no slot, nobody asked to keep it, and less sure than what is accepted unasked. The
    model reads the same words again, and what it makes of them takes its place."""
    return item.slot is None and not item.explicit and item.intent is Intent.ASSERT and item.confidence < SURE


def merged(builtin: Sequence[Candidate], model: Sequence[Candidate]) -> list[Candidate]:
    """Both as one set, in reading order. Of two that are one the built-in extractor's stays where it read an explicit act, else
    the surer; of equals the built-in one's."""
    kept = list(builtin)
    for item in model:
        same = [
            place for place, other in enumerate(kept) if one(item, other) or (unsure(other) and _overlap(item, other))
        ]
        if not same:
            kept.append(item)
        elif all(not kept[place].explicit and kept[place].confidence < item.confidence for place in same):
            kept[same[0]] = item
            for place in reversed(same[1:]):
                del kept[place]
    return sorted(kept, key=lambda item: item.quote_span or (0, 0))


def _overlap(first: Candidate, second: Candidate) -> bool:
    """Whether they rest on the same words for the most part of the shorter."""
    if first.quote_span is None or second.quote_span is None:
        return False
    (a, b), (c, d) = first.quote_span, second.quote_span
    return 2 * (min(b, d) - max(a, c)) > min(b - a, d - c)
