"""Step 4, across channels: in which order what several channels found is shown.

Exact keys come first. A fact stands right before the best of the evidence that it rests on: what was said ranks both, and a
fact that merely passes the floor cannot push the answer out of a short list (measured: every fact first cost 5 points of
recall@10 on LoCoMo, the surest facts first still half a point there). A fact none of whose grounds was found, though it bears on
the question at least as surely as anything that was said, leads where those grounds are not the reader's to see (a wider
scope), else it comes after the first few; any other comes last. A fact takes the place of evidence that says no more than it.

Belongs here: the merge. Does not belong here: scores inside a channel (index/), scopes and conflicts (`adjudicate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import Scope
from muniment.domain.records import Evidence, Fact
from muniment.domain.statement import canonical

SAYS_NO_MORE: Final = 0.8
"""Share of the letters of a turn from which a fact that rests on it is taken to say all of it."""

AHEAD: Final = 5
"""Evidence that stands before facts whose own grounds ranked too low to be found."""


def merge(exact: Sequence[Hit], facts: Sequence[Hit], evidence: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    """One list of each thing once, and what was folded into another."""
    place = {hit.id: at for at, hit in enumerate(evidence)}
    beside: dict[int, list[Hit]] = {}
    alone: list[Hit] = []
    for hit in facts:
        at = min((place[ref] for ref in hit.why.evidence if ref in place), default=None)
        (alone if at is None else beside.setdefault(at, [])).append(hit)
    surest = max((_relevance(hit) for hit in evidence), default=0.0)
    sure = [hit for hit in alone if _relevance(hit) >= surest]
    shown: dict[object, Hit] = {hit.id: hit for hit in (*exact, *(hit for hit in sure if _wider(hit)))}
    dropped: list[Dropped] = []
    for at, hit in enumerate(evidence):
        for fact in (*(sure if at == AHEAD else ()), *beside.get(at, ())):
            shown.setdefault(fact.id, fact)
        if any(_says_all(fact, hit) for fact in facts):
            dropped.append(Dropped(id=hit.id, reason="a fact says it", text=hit.text[:120]))
        else:
            shown.setdefault(hit.id, hit)
    for hit in (*sure, *alone):
        shown.setdefault(hit.id, hit)
    return list(shown.values()), dropped


def with_knowledge(hits: Sequence[Hit], knowledge: Sequence[Hit], *, floor: float) -> list[Hit]:
    """The merged hits with the passages from outside among them: after everything that is held and whatever of what was said
    is above the floor, before the rest of it. (Evidence has no floor in a search, so it would fill every list before them.)

    A passage whose words a hit before it already says is left out.
    """
    if not knowledge:
        return list(hits)
    doubtful = [hit for hit in hits if hit.why.channel == "evidence" and _relevance(hit) < floor]
    behind = {hit.id for hit in doubtful}
    sure = [hit for hit in hits if hit.id not in behind]
    said = {canonical(hit.text) for hit in sure}
    return [*sure, *(hit for hit in knowledge if canonical(hit.text) not in said), *doubtful]


def _wider(hit: Hit) -> bool:
    """Whether a fact is of a scope whose evidence may be others' alone."""
    return isinstance(hit.item, Fact) and hit.item.scope in (Scope.TENANT, Scope.DEPARTMENT)


def _relevance(hit: Hit) -> float:
    return hit.parts.get("relevance", 0.0)


def _says_all(fact: Hit, said: Hit) -> bool:
    """Whether a fact rests on a piece of evidence and leaves nothing of it unsaid."""
    if not isinstance(fact.item, Fact) or not isinstance(said.item, Evidence) or said.id not in fact.why.evidence:
        return False
    return _letters(fact.text) >= SAYS_NO_MORE * _letters(said.text)


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)
