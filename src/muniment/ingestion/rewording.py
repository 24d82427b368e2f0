"""A held fact said with another value.

Belongs here: the words of what takes a fact's place, where only its value was given. Does not belong here: what is done
with them.
"""

from __future__ import annotations

import re

from muniment.domain.records import Candidate, Fact


def reworded(fact: Fact | Candidate, *, content: str | None, value: str | None) -> tuple[str, str | None]:
    """Content and value of the new statement; a value alone takes the old one's place in the sentence, where it stands there
    once; with neither, that it is not known."""
    if content is not None:
        return content, value
    if value is None:
        return f"{fact.predicate or fact.content}: unknown", None
    if fact.value and fact.content.count(fact.value) == 1:
        before, _, after = fact.content.partition(fact.value)
        return _joined(before, value, after), value
    subject = fact.subject or "user"
    return f"{subject} {fact.predicate}: {value}" if fact.predicate else value, value


def _joined(before: str, value: str, after: str) -> str:
    """The sentence around a new value, without a unit that the value brings along itself ('8000' EUR, '9000 EUR')."""
    words = value.split()
    if len(words) > 1:
        before = re.sub(rf"(?<!\w){re.escape(words[0])}\s*$", "", before)
        after = re.sub(rf"^\s*{re.escape(words[-1])}(?!\w)", "", after)
    return f"{before}{value}{after}"
