"""What a conversation left open: questions nobody answered, requests, promises and intentions.

Belongs here: which sentences are that, and which a later one settled. Does not belong here: tasks as the store keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from muniment.domain.enums import ActorType
from muniment.domain.summaries import Line
from muniment.models.summarisers.sentences import Sentence, lexicon, pattern, plain, trusted

MOST: Final = 8
"""Items that are offered, the latest first."""
NAMES: Final = 0.3
"""Share of an item's words that a later sentence must have to be about it."""
LATER: Final = 200
"""Sentences looked through for what settles an item."""


def outstanding(said: Sequence[Sentence]) -> tuple[Line, ...]:
    """The items that are open at the end, the latest first, in the speaker's own words."""
    last = _last_heard(said)
    found: list[Sentence] = []
    for place in range(len(said) - 1, -1, -1):
        item = said[place]
        unanswered = item.question and item.turn > last[_voice(item)] and not _settled(item, said, place)
        if not (unanswered or _to_do(item, said, place)) or any(item.tokens <= other.tokens for other in found):
            continue
        if trusted(item):
            found.append(item)
        if len(found) >= MOST:
            break
    return tuple(Line(text=item.told, rests_on=(item.evidence_id,)) for item in found)


def _voice(item: Sentence) -> tuple[ActorType, str | None]:
    return item.actor, item.speaker


def _last_heard(said: Sequence[Sentence]) -> dict[tuple[ActorType, str | None], int]:
    """For each voice, the last turn of any other: what it asked after that got no answer. Where only one voice is on record,
    answers are not, and nothing before the last turn is taken to have gone without one."""
    voices = {_voice(item) for item in said}
    ends = {voice: max(item.turn for item in said if _voice(item) == voice) for voice in voices}
    if len(ends) == 1:
        return {voice: end - 1 for voice, end in ends.items()}
    return {voice: max(end for other, end in ends.items() if other != voice) for voice in voices}


def _to_do(item: Sentence, said: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence says that something is to be done, and nothing after it that it was."""
    text = plain(item.text)
    if not _pattern("open").search(text) or _pattern("not_open").search(text):
        return False
    return not _settled(item, said, place)


def _settled(item: Sentence, said: Sequence[Sentence], place: int) -> bool:
    words = {token for token in item.tokens if len(token) > 1}
    for other in said[place + 1 : place + 1 + LATER]:
        shared = len(words & other.tokens)
        if shared and shared >= NAMES * len(words) and _pattern("settled").search(plain(other.text)):
            return True
    return False


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return pattern(lexicon("open")[name])
