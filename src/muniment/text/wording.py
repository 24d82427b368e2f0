"""Wordings that say how a statement is meant: a promise, a complaint, an approval, for once, a mood, about one of several.

Belongs here: `mentions`, over `lexicons/wording.toml`. Does not belong here: what governance decides on it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

Topic = Literal["promise", "complaint", "approval", "safeguard", "agent", "once", "mood", "one_of_several"]


def mentions(topic: Topic, text: str) -> str | None:
    """The words of the text that speak of the topic, as they stand, or None. Linear in the text's length."""
    plain = narrow(text).replace("’", "'")
    match = _pattern(topic).search(plain)
    return text[match.start() : match.end()] if match else None


@cache
def _pattern(topic: Topic) -> re.Pattern[str]:
    words = lexicon("wording")[topic]
    return re.compile(rf"(?<![A-Za-z])(?i:{'|'.join(words['en'])})(?![A-Za-z])|{'|'.join(words['zh'])}")
