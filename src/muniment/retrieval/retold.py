"""Lines of summaries beside what they retell.

A summary is derived: where what a line rests on is shown anyway, that stands for the line; where a line holds an amount, a
promise or an identifier, the fact or evidence it rests on is offered in its place; and a line that rests on what this
reader may not see, or on what no longer holds, is left out.

Belongs here: which lines of a summary may be shown. Does not belong here: how summaries are made and found, what fits
(`build`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import Eligibility
from muniment.domain.records import Evidence, Fact
from muniment.domain.summaries import Line, Summary
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval import history
from muniment.retrieval.channels.hits import evidence_hit, fact_hit
from muniment.retrieval.lines import FIELDS
from muniment.retrieval.material import Retold
from muniment.text.identifiers import identifiers
from muniment.text.wording import mentions

LOOSE: Final = "date"
"""The kind of identifier that a retelling may hold: a date says when, and is no key."""


def retold(summaries: Sequence[Hit], unit: ReadUnit, *, shown: Sequence[Hit]) -> tuple[list[Retold], list[Dropped]]:
    """The lines that may be shown, in the order of the summaries and of their fields, and what was left out with the reason."""
    lines = [
        (hit, field, place, line)
        for hit in summaries
        if isinstance(hit.item, Summary)
        for place, (field, line) in enumerate(_lines(hit.item), 1)
    ]
    seen = {hit.id for hit in shown}
    grounds = _grounds([line for _, _, _, line in lines], unit, shown)
    kept: list[Retold] = []
    dropped: list[Dropped] = []
    for hit, field, place, line in lines:
        rests = line.rests_on
        if any(ref not in grounds for ref in rests):
            reason = "it rests on what is not known, not held any more, or not this reader's to see"
        elif rests and seen.issuperset(rests):
            reason = "what it rests on is shown"
        else:
            facts = (ref for ref in rests if isinstance(grounds[ref].item, Fact))
            source = grounds[next(facts, rests[0])] if rests and exact(line.text) else None
            kept.append(Retold(hit=hit, field=field, text=line.text, place=place, source=source))
            continue
        dropped.append(Dropped(id=hit.id, reason=reason, text=line.text[:120]))
    return kept, dropped


def exact(text: str) -> bool:
    """Whether a line holds what a retelling may get wrong: an amount, an identifier or any other number, a promise."""
    found = identifiers(text)
    if any(item.kind != LOOSE for item in found) or mentions("promise", text) is not None:
        return True
    dated = {place for item in found for place in range(*item.span)}
    return any(char.isdigit() and place not in dated for place, char in enumerate(text))


def _lines(summary: Summary) -> list[tuple[str, Line]]:
    return [(field, line) for field in FIELDS for line in getattr(summary, field) if line.text.strip()]


def _grounds(lines: Sequence[Line], unit: ReadUnit, shown: Sequence[Hit]) -> Mapping[UUID, Hit]:
    """What the lines rest on, as far as this reader may see it and it still holds."""
    found: dict[UUID, Hit] = {hit.id: hit for hit in shown}
    wanted = tuple(dict.fromkeys(ref for line in lines for ref in line.rests_on if ref not in found))
    if not wanted:
        return found
    why = "a summary rests on it"
    for fact in unit.facts(FactFilter(ids=wanted)):
        found.setdefault(fact.fact_id, fact_hit(fact, channel="summary", score=1.0, parts={}, reason=why))
    pieces = [piece for piece in unit.evidence(wanted).values() if piece.eligibility is Eligibility.ELIGIBLE]
    hits = [evidence_hit(piece, channel="summary", score=1.0, parts={}, reason=why) for piece in pieces]
    current, _ = history.apart(history.marked(hits, unit))
    return found | {hit.id: hit for hit in current if isinstance(hit.item, (Evidence, Fact))}
