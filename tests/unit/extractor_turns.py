"""What the extractor's tests share: one extractor and a turn said at a known moment; all it proposes, and what it is sure of.

Belongs here: those. Does not belong here: any case.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from muniment.config import load_policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.records import Candidate
from muniment.domain.scope import Reader
from muniment.domain.time import Moment
from muniment.models.extractor import BuiltinExtractor
from muniment.ports.models import Turn

EXTRACTOR: Final = BuiltinExtractor(load_policy())
ACCEPTED: Final = 0.82
SAID: Final = Moment.of("2024-05-15T10:00:00+08:00")


def extract(text: str, **given: object) -> list[Candidate]:
    """The candidates of a user's turn; `given` overrides the turn's other fields."""
    values: dict[str, object] = {
        "actor": ActorType.USER,
        "evidence_type": EvidenceType.CONVERSATION,
        "occurred": SAID,
        "reader": Reader.of(user="ana", session="s"),
        "evidence_id": UUID(int=1),
    }
    return EXTRACTOR.extract(Turn(text=text, **(values | given)))  # type: ignore[arg-type]


def sure(text: str, **given: object) -> list[Candidate]:
    """Those of them that fill a slot or would be accepted unasked; what else is proposed, a person is asked about."""
    return [item for item in extract(text, **given) if item.predicate is not None or item.confidence >= ACCEPTED]
