"""The words a reviewed candidate rests on: whether they still stand, and what may be read of them afterwards.

Evidence follows its candidates: what was quarantined is released by an approval, what a person refused is for the auditor.
Only the refused words go; the rest of the turn stays findable.

Belongs here: that. Does not belong here: the decision (`review`), forgetting (`forgetting`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from muniment.domain.enums import CandidateStatus, Eligibility, Ruling
from muniment.domain.errors import Erased
from muniment.domain.records import Event, Evidence
from muniment.domain.reviews import Asked
from muniment.ingestion.forgetting import keep, rest_of
from muniment.ports.store import ReadUnit, WriteUnit


def standing_words(unit: ReadUnit, asked: Asked) -> tuple[Event, list[Evidence]]:
    """The event a candidate came of, and its evidence that is still there; where a turn was cut because some of it was
    forgotten, the piece that still says the quote. Raises `Erased` where its words are gone."""
    events = unit.events([asked.event_id])
    candidate = asked.candidate
    pieces = unit.evidence(candidate.evidence)
    found = [pieces[ref] for ref in candidate.evidence if ref in pieces]
    if not found and candidate.quote:
        found = [piece for piece in unit.evidence_of_event(asked.event_id) if candidate.quote in piece.content][:1]
    if not events or not found:
        raise Erased(f"the words that candidate {asked.candidate_id} rests on were forgotten; it can only be rejected")
    return events[0], found


def release(unit: WriteUnit, asked: Asked) -> None:
    """Lets the evidence of an approved candidate be read again, unless another one that is open keeps it apart."""
    pieces = unit.evidence(asked.candidate.evidence).values()
    apart = _suspected(unit, asked)
    freed = [
        piece.evidence_id
        for piece in pieces
        if piece.eligibility is Eligibility.QUARANTINED and piece.evidence_id not in apart
    ]
    unit.set_eligibility(freed, Eligibility.ELIGIBLE)


def refuse(unit: WriteUnit, asked: Asked, *, name: Callable[[str], UUID]) -> None:
    """Keeps the words of a rejected candidate for the auditor only; what else was said in the same breath takes their place.

    What a proposal merely names was judged when it came in, and stays as it is.
    """
    pieces = [
        piece
        for piece in unit.evidence(asked.candidate.evidence).values()
        if piece.event_id == asked.event_id and piece.eligibility is not Eligibility.AUDIT_ONLY
    ]
    if not pieces:
        return
    apart = _suspected(unit, asked)
    standing = unit.facts_on([piece.evidence_id for piece in pieces])
    unit.set_eligibility([piece.evidence_id for piece in pieces], Eligibility.AUDIT_ONLY)
    for piece in pieces:
        rest = rest_of(piece.content, [asked.candidate.quote or ""])
        if rest:
            eligibility = Eligibility.QUARANTINED if piece.evidence_id in apart else Eligibility.ELIGIBLE
            kept = replace(piece, evidence_id=name(f"rest:{piece.evidence_id}"), content=rest, eligibility=eligibility)
            keep(unit, kept, standing.get(piece.evidence_id, []))


def _suspected(unit: WriteUnit, asked: Asked) -> set[UUID]:
    """Evidence of the same event that another open candidate keeps apart, because its words are suspected."""
    open_ = unit.candidates(events=[asked.event_id], status=CandidateStatus.NEEDS_CONFIRMATION)
    others = {ref: item for item in open_ if (ref := item.candidate_id) is not None and ref != asked.candidate_id}
    suspected: set[UUID] = set()
    for decision in unit.decisions(others):
        if any(item.rule == "authority" and item.ruling is Ruling.CONFIRM for item in decision.verdicts):
            suspected |= set(others[decision.candidate_id].evidence)
    return suspected


def snippet(piece: Evidence, quote: str | None, *, around: int = 120) -> str:
    """The quote with a little of what was said around it; the beginning of the piece where there is none."""
    at = piece.content.find(quote) if quote else -1
    if at < 0 or not quote:
        return _cut(piece.content, 0, 2 * around)
    return _cut(piece.content, max(0, at - around), at + len(quote) + around)


def _cut(text: str, start: int, end: int) -> str:
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
