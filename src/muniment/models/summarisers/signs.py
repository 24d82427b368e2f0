"""Signs of mood and intent in the user's own words; nothing where there is no sign.

Belongs here: counting the signs of `lexicons/mood.toml`. Does not belong here: memories about a user's moods, which governance
keeps out of what lasts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import ActorType
from muniment.domain.summaries import Line
from muniment.models.summarisers.sentences import Sentence, lexicon, pattern, plain
from muniment.text.language import Language

TOLD: Final[dict[Language, dict[str, str]]] = {
    "en": {"mood": "the user sounds {}", "intent": "the user wants {}", "and": " and "},
    "zh": {"mood": "用户显得{}", "intent": "用户{}", "and": "，"},
}
MOST: Final = 2
"""Moods, and intents, that are told."""
GROUNDS: Final = 5
"""Turns that one line names at most."""
_BEFORE: Final = 14
"""Characters before a sign in which a negation counts."""


def signs(said: Sequence[Sentence], language: Language) -> tuple[Line, ...]:
    """A line for mood and one for intent, each resting on the turns that show it."""
    mine = [item for item in said if item.actor is ActorType.USER and item.speaker is None]
    lines = []
    for kind in ("mood", "intent"):
        found = _counted(mine, kind)
        best = sorted(found, key=lambda name: -len(found[name]))[:MOST]
        if best:
            labels = [lexicon("mood")[kind][name]["label"][language] for name in best]
            grounds = dict.fromkeys(ref for name in best for ref in found[name][-GROUNDS:])
            text = TOLD[language][kind].format(TOLD[language]["and"].join(labels))
            lines.append(Line(text=text, rests_on=tuple(grounds)))
    return tuple(lines)


def _counted(said: Sequence[Sentence], kind: str) -> dict[str, list[UUID]]:
    """For each label of a kind, the turns that show it, in their order; labels in the order of their first sign."""
    found: dict[str, list[UUID]] = {}
    for item in said:
        text = plain(item.text)
        for name, words in lexicon("mood")[kind].items():
            if _shows(text, kind, name, negatable=not words.get("negated", False)):
                found.setdefault(name, [])
                if item.evidence_id not in found[name]:
                    found[name].append(item.evidence_id)
    return found


def _shows(text: str, kind: str, name: str, *, negatable: bool) -> bool:
    """Whether a text has a sign that no negation takes back."""
    for match in _pattern(kind, name).finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if not negatable or not _negation().search(before):
            return True
    return False


@cache
def _pattern(kind: str, name: str) -> re.Pattern[str]:
    return pattern(lexicon("mood")[kind][name])


@cache
def _negation() -> re.Pattern[str]:
    """A negation that is still at work where the text ends: no other clause began after it."""
    words: dict[str, Any] = lexicon("mood")["negation"]
    english = "|".join(re.escape(word) for word in words["en"])
    chinese = "|".join(words["zh"])
    return re.compile(
        rf"(?:(?:^|[\s']|(?<=n))(?:{english})\s[^,.;:!?]*|(?:{chinese})[^，。；：！？]{{0,2}})$", re.IGNORECASE
    )
