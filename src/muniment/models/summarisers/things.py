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
    """A line each, the most often named first; one that is known by its kind is told with it."""
    counts: Counter[str] = Counter()
    known: dict[str, tuple[str, str, UUID]] = {}

    def named(name: str, kind: str, ground: UUID, *, key: str | None = None) -> None:
        if not name.strip() or len(name) > LONGEST:
            return
        key = canonical(key or name)
        counts[key] += 1
        if key not in known or (kind and not known[key][1]):
            known[key] = (name, kind, ground)

    for turn in turns:
        if turn.speaker is not None:
            named(turn.speaker, "speaker", turn.evidence_id)
        for item in identifiers(turn.text):
            if item.kind in NAMING:
                # The comparing spelling of a code is not one to read: it is told as it was first written.
                written = turn.text[slice(*item.span)] if item.kind in AS_WRITTEN else item.value
                named(written, item.kind, turn.evidence_id, key=f"{item.kind} {item.value}")
    for fact in facts:
        kind = policy.predicate(fact.predicate)[1].type
        if fact.value and kind in KINDS:
            named(fact.value, kind, fact.fact_id)
        if fact.subject and canonical(fact.subject) != "user":
            named(fact.subject, "", fact.fact_id)
    chosen = [known[key] for key, _ in counts.most_common(MOST)]
    return tuple(Line(text=f"{name} ({kind})" if kind else name, rests_on=(ref,)) for name, kind, ref in chosen)
