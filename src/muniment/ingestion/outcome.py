"""What is read of an event's words before they are understood, and what is told of it afterwards.

Belongs here: what of a text is offered to an extractor, whose statement it is, the receipt. Does not belong here: the steps
between (`pipeline`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muniment.config import Policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.errors import ModelError
from muniment.domain.receipts import line
from muniment.domain.records import Candidate, Event, Evidence, Receipt
from muniment.domain.scope import Reader
from muniment.domain.statement import canonical
from muniment.ingestion.govern import Decided
from muniment.ports.store import WriteUnit
from muniment.text.pasted import blanked, pasted
from muniment.text.redact import redact
from muniment.text.standing import withheld


def told(error: ModelError, policy: Policy) -> str:
    """A failure's words as they may be kept with the event: a model may repeat what it was asked, or its key."""
    return redact(str(error), policy.sensitivity.mask).text


def said_by_user(event: Event, piece: Evidence) -> bool:
    """Whether a piece is the user's own talk."""
    return event.actor_type is ActorType.USER and piece.evidence_type is EvidenceType.CONVERSATION


def offered(event: Event, text: str) -> str:
    """What of a text is shown to an extractor, the rest as line ends at equal length."""
    spans = pasted(text)
    if event.actor_type is ActorType.USER:
        spans = [*spans, *withheld(text)]
    return blanked(text, spans) if spans else text


def attributed(candidate: Candidate, piece: Evidence, reader: Reader) -> Candidate:
    """The candidate as said by whoever spoke: what another named person says of themselves is not about the user."""
    speaker = canonical(piece.speaker or "user")
    about_speaker = canonical(candidate.subject or "user") == "user"
    if speaker in ("user", canonical(reader.user)) or not about_speaker:
        return candidate
    return replace(candidate, subject=piece.speaker, content=f"{piece.speaker}: {candidate.content}")


def receipt_of(
    event: Event,
    evidence: Sequence[Evidence],
    decided: Sequence[Decided],
    unit: WriteUnit,
    *,
    pending: bool,
    degraded: tuple[str, ...],
    error: str | None,
    left: str | None = None,
) -> Receipt:
    """What became of one event, in ids and in a line each; `left` says what of a model's answers was not used."""
    lines = [line(item.candidate, item.decision) for item in decided]
    if error is not None:
        lines.append(f"kept, not understood yet: {error}")
    elif pending:
        lines.append("received; candidates follow")
    elif any(said_by_user(event, piece) and withheld(piece.content) for piece in evidence):
        part = "a part of it is " if lines else ""
        lines.append(f"{part}kept for the auditor only, as the speaker asked")
    elif not lines:
        lines.append("kept as evidence; nothing to remember was found in it")
    if left is not None and error is None:
        lines.append(left)
    if masked := event.metadata.get("redacted"):
        lines.append(f"masked before it was kept: {', '.join(map(str, masked))}")
    facts = dict.fromkeys(item.decision.fact_id for item in decided if item.decision.fact_id is not None)
    return Receipt(
        event=event.event_id,
        evidence=tuple(piece.evidence_id for piece in evidence),
        candidates=tuple(item.decision.candidate_id for item in decided),
        decisions=tuple(item.decision for item in decided),
        facts=tuple(facts),
        lines=tuple(lines),
        pending=pending,
        degraded=degraded,
        known_at=unit.recorded_at,
        follows=unit.follows,
    )
