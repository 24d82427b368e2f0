"""What became of one event, as its receipt says it.

Belongs here: the receipt of a write. Does not belong here: its JSON and the line of a candidate (domain/receipts.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.domain.receipts import line
from muniment.domain.records import Event, Evidence, Receipt
from muniment.ingestion.govern import Decided
from muniment.ports.store import WriteUnit


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
    elif not lines:
        lines.append("kept as evidence; nothing to remember was found in it")
    if left is not None and error is None:
        lines.append(left)
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
