"""'Forget what I just said', 'forget everything about me': requests to forget that name no thing.

What was just said is the user's turn before in the same session, with the facts that rest on it alone: one thing, hidden at
once. Everything is asked about first; an approval then hides it.

Belongs here: the candidate of such a request and what it reaches. Does not belong here: finding the request
(`text.retractions`), requests that name what is to be forgotten (`govern`), hiding (`erasing`).
"""

from __future__ import annotations

from typing import Final

from muniment.domain.enums import ActorType, Basis, EvidenceType, Intent, MemoryType, Scope
from muniment.domain.forgotten import Selector
from muniment.domain.records import Candidate, Evidence
from muniment.ingestion.selecting import Plan, of_pieces, plan
from muniment.ports.store import WriteUnit
from muniment.text.retractions import Retraction

REACH: Final = "forgets"
"""Key of a candidate's metadata that says what its request reaches."""
DETECTOR: Final = "retractions"
LOOKED_AT: Final = 1_000
"""The last pieces of the session among which the turn before is looked for."""


def forgetting(found: Retraction, piece: Evidence) -> Candidate:
    """The candidate of a request."""
    quote = piece.content[found.start : found.end]
    return Candidate(
        content=quote,
        memory_type=MemoryType.FACT,
        scope=Scope.USER,
        quote=quote,
        quote_span=(found.start, found.end),
        evidence=(piece.evidence_id,),
        confidence=1.0,
        basis=Basis.STATED,
        explicit=True,
        intent=Intent.FORGET,
        metadata={REACH: found.reach},
        extractor_model=DETECTOR,
        extractor_version="1",
        valid_from_known=False,
    )


def reach_of(candidate: Candidate) -> str | None:
    """What a candidate of such a request reaches: 'last', 'everything', or None for any other candidate."""
    return (
        str(candidate.metadata[REACH])
        if candidate.extractor_model == DETECTOR and REACH in candidate.metadata
        else None
    )


def turn_before(unit: WriteUnit, candidate: Candidate) -> Plan:
    """The user's turn before the request's in its session, with the facts that rest on it alone; an empty plan where there is
    none."""
    own = unit.evidence(candidate.evidence)
    asked = next(iter(own.values()), None)
    if asked is None:
        return Plan()
    said = unit.session_evidence(asked.session, LOOKED_AT)
    place = next((at for at, item in enumerate(said) if item.event_id == asked.event_id), len(said))
    turns = [
        item
        for item in said[:place]
        if item.actor is ActorType.USER and item.evidence_type is EvidenceType.CONVERSATION
    ]
    if not turns:
        return Plan()
    return of_pieces(unit, [item.evidence_id for item in turns if item.event_id == turns[-1].event_id])


def everything(unit: WriteUnit) -> Plan:
    """Everything of the user's that is shown."""
    user = unit.reader.user
    return plan(unit, Selector(by="user", value=user, user=user), erase=False, limit=0)
