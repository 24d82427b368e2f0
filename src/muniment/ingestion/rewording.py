"""A held fact said with another value.

Belongs here: the words of what takes a fact's place, where only its value was given. Does not belong here: what is done
with them.
"""

from __future__ import annotations

from muniment.domain.records import Candidate, Fact


def reworded(fact: Fact | Candidate, *, content: str | None, value: str | None) -> tuple[str, str | None]:
    """Content and value of the new statement; a value alone takes the old one's place in the sentence, where it stands there
    once; with neither, that it is not known."""
    if content is not None:
        return content, value
    if value is None:
        return f"{fact.predicate or fact.content}: unknown", None
    if fact.value and fact.content.count(fact.value) == 1:
        return fact.content.replace(fact.value, value), value
    subject = fact.subject or "user"
    return f"{subject} {fact.predicate}: {value}" if fact.predicate else value, value
