"""Who and what a conversation named: identifiers in their one spelling, people and places as far as they are known as such.

Belongs here: that list. Does not belong here: reading names out of running text, which nothing here claims to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.records import Fact
from muniment.domain.statement import canonical
from muniment.domain.summaries import Line
from muniment.ports.models import Said
from muniment.text.identifiers import identifiers

NAMING: Final = frozenset({"phone", "email", "code", "plate", "url"})
"""Kinds of identifier that name one thing; amounts and dates say how much and when."""
AS_WRITTEN: Final = frozenset({"code", "url"})
KINDS: Final = frozenset({"person", "place"})
MOST: Final = 24
LONGEST: Final = 80
"""Characters of a name; what is longer is no name."""


def things(turns: Sequence[Said], facts: Sequence[Fact], policy: Policy) -> tuple[Line, ...]:
    """A line each, the most often named first."""
    counts: Counter[str] = Counter()
    grounds: dict[str, tuple[UUID, ...]] = {}
    written: dict[tuple[str, str], str] = {}

    def named(text: str, ground: UUID) -> None:
        if len(text) <= LONGEST:
            counts[text] += 1
            grounds.setdefault(text, (ground,))

    for fact in facts:
        kind = policy.predicate(fact.predicate)[1].type
        if fact.value and kind in KINDS:
            named(f"{fact.value} ({kind})", fact.fact_id)
        if fact.subject and canonical(fact.subject) != "user":
            named(fact.subject, fact.fact_id)
    for turn in turns:
        if turn.speaker is not None:
            named(f"{turn.speaker} (speaker)", turn.evidence_id)
        for item in identifiers(turn.text):
            if item.kind in NAMING:
                # The comparing spelling of a code is not one to read: it is told as it was first written.
                value = written.setdefault((item.kind, item.value), turn.text[slice(*item.span)])
                named(f"{value if item.kind in AS_WRITTEN else item.value} ({item.kind})", turn.evidence_id)
    return tuple(Line(text=text, rests_on=grounds[text]) for text, _ in counts.most_common(MOST))
