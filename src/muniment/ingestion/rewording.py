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
        before, _, after = fact.content.partition(fact.value)
        return _joined(before, value, after), value
    subject = fact.subject or "user"
    return f"{subject} {fact.predicate}: {value}" if fact.predicate else value, value


def _joined(before: str, value: str, after: str) -> str:
    """The sentence around a new value, without a unit that the value brings along itself ('8000' EUR, '9000 EUR')."""
    first, last = value.split()[:1], value.split()[-1:]
    unit = after.split()[:1]
    if unit and len(value.split()) > 1 and unit[0].rstrip(".,;!?。，；！？") == last[0]:
        after = after.replace(last[0], "", 1).lstrip() if after[:1].isspace() else after.replace(last[0], "", 1)
    words = before.split()[-1:]
    if words and len(value.split()) > 1 and words[0] == first[0]:
        before = before.rstrip()[: -len(first[0])]
    return f"{before}{value}{after}"
