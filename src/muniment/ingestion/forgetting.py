"""Forgetting (hide): the fact, and the words it was told in, gone from every channel at once.

The evidence of a hidden fact is hidden too. Where it says other things as well, what remains of it takes its place, so that one
forgotten clause costs nobody the rest of the turn, and is not found in it either.

Belongs here: what hiding does to facts and their evidence. Does not belong here: erasure, which leaves no bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Eligibility, Relation
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import PartitionKey
from muniment.ingestion.amend import withdraw
from muniment.ingestion.commit import Committed
from muniment.ingestion.exact_keys import keys_of_piece
from muniment.ingestion.receive import entry
from muniment.ingestion.redact import WITHHELD, trim
from muniment.ports.store import WriteUnit

CLOSED: Final = "what it speaks of was forgotten"
Name = Callable[[str], UUID]
"""Ids of what an act makes, by what it is."""


def hide(
    unit: WriteUnit, policy: Policy, facts: Sequence[Fact], *, reason: str, actor: str, name: Name
) -> list[Committed]:
    """Takes the facts out of the timeline and hides them, in every version, with the evidence that told them."""
    done = withdraw(unit, policy, facts, reason=reason, actor=actor)
    ids = [fact.fact_id for fact in facts]
    grounds = {
        ref for links in unit.evidence_of(ids).values() for ref, relation in links if relation is Relation.SUPPORT
    }
    pieces = unit.evidence(grounds)
    quotes = _quotes(unit, facts, list(pieces.values()))
    others = unit.facts_on(grounds)
    unit.hide(ids, reason=reason, actor=actor)
    unit.hide_evidence(pieces)
    unit.close_candidates([ref for item in unit.queued(ids) if (ref := item.candidate_id)], reason=CLOSED)
    unit.drop_summaries({unit.reader.user}, [*ids, *grounds])
    unit.raise_epochs(())
    for piece in pieces.values():
        rest = rest_of(piece.content, quotes.get(piece.evidence_id, []))
        if rest and piece.eligibility is Eligibility.ELIGIBLE:
            standing = [fact_id for fact_id in others.get(piece.evidence_id, []) if fact_id not in ids]
            keep(unit, replace(piece, evidence_id=name(f"rest:{piece.evidence_id}"), content=rest), standing)
    return done


def _quotes(unit: WriteUnit, facts: Sequence[Fact], pieces: Sequence[Evidence]) -> dict[UUID, list[str]]:
    """For each piece, the words in it that told the facts; the whole of it where no quote was kept."""
    words = {fact.fact_id: {fact.content} for fact in facts}
    found: dict[UUID, list[str]] = {piece.evidence_id: [] for piece in pieces}
    told = unit.candidates(events=sorted({piece.event_id for piece in pieces}))
    by_candidate = {item.candidate_id: item for item in told}
    for decision in unit.decisions(ref for ref in by_candidate if ref is not None):
        if decision.fact_id in words:
            candidate = by_candidate[decision.candidate_id]
            for ref in candidate.evidence:
                if ref in found:
                    found[ref].append(candidate.quote or "")
    return found


def rest_of(content: str, quotes: Sequence[str]) -> str:
    """What remains of a text without the quotes; nothing where a quote is not known or covers all that was said."""
    if not quotes or any(not quote or quote not in content for quote in quotes):
        return ""
    rest = content
    for quote in quotes:
        rest = rest.replace(quote, "\x00")
    return WITHHELD.join(kept for part in rest.split("\x00") if (kept := trim(part)))


def keep(unit: WriteUnit, piece: Evidence, standing: Sequence[UUID]) -> None:
    """Writes what remains of a piece, findable by its words, as ground of the facts that still stand on it.

    No model is called inside a transaction: its entry is marked as having no vector, and is embedded afterwards.
    """
    unit.add_evidence([piece])
    unit.add_identifiers(keys_of_piece(piece, unit.digest))
    event = unit.events([piece.event_id])
    if event:
        unit.add_index(PartitionKey.of(unit.reader.tenant, piece.placement), [entry(piece, event[0], b"")])
        unit.unembed([piece.evidence_id])
    for fact in unit.live(fact_ids=standing):
        if fact.segment == 0:
            unit.link_evidence(fact.fact_id, fact.revision, [piece.evidence_id], Relation.SUPPORT)
