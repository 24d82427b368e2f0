"""A reader's suggestions: turns of a session that nothing was remembered of, the likeliest to hold something first.

What patterns cannot read stays evidence; this is where a person or an agent looks for what to `propose`. It writes nothing.

Belongs here: which turns are offered. Does not belong here: the score (`text.worth`), proposing (`writing`).
"""

from __future__ import annotations

from typing import Final

from muniment.domain.answers import Suggestion, Suggestions
from muniment.domain.enums import ActorType, Eligibility, EvidenceType
from muniment.domain.errors import InvalidInput
from muniment.domain.scope import Reader as Identity
from muniment.service.parts import Parts
from muniment.text.pasted import blanked, pasted
from muniment.text.worth import worth

LOOKED_AT: Final = 1_000
"""The last turns of the session that are read."""
MOST: Final = 100


class Suggests:
    """Mixed into `Reader`."""

    parts: Parts
    identity: Identity

    def suggest(self, *, session: str | None = None, limit: int = 10) -> Suggestions:
        """Turns of the user in a session (the reader's own where none is named) that no candidate came of, with how likely each
        holds something worth remembering, 0 to 1, the highest first; of equal ones the earlier. The last thousand turns are
        looked at. What is quarantined, refused or forgotten is not offered, nor what is only pasted (a recalled context, a
        system prompt).

        Raises `InvalidInput` without a session or for a limit outside 1 to 100, `Forbidden` for another session than the reader
        is bound to.
        """
        if not 1 <= limit <= MOST:
            raise InvalidInput(f"limit is from 1 to {MOST}, not {limit}")
        reader = self.identity.narrow(session=session)
        if reader.session is None:
            raise InvalidInput("suggest needs a session: name one with session=, or open a reader with it")
        with self.parts.store.read(reader) as unit:
            turns = [
                piece
                for piece in unit.session_evidence(reader.session, LOOKED_AT)
                if piece.actor is ActorType.USER
                and piece.evidence_type is EvidenceType.CONVERSATION
                and piece.eligibility is Eligibility.ELIGIBLE
            ]
            proposed = {
                ground
                for candidate in unit.candidates(events={piece.event_id for piece in turns})
                for ground in candidate.evidence
            }
            known = unit.token
        offered = [
            Suggestion(
                evidence_id=piece.evidence_id,
                text=piece.content,
                said_at=piece.recorded_at if piece.occurred is None else piece.occurred.at,
                worth=round(worth(piece.content), 4),
            )
            for piece in turns
            if piece.evidence_id not in proposed and blanked(piece.content, pasted(piece.content)).strip()
        ]
        offered.sort(key=lambda item: -item.worth)
        return Suggestions(items=tuple(offered[:limit]), known_at=known)
