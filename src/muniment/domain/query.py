"""What a search asks for, as a value.

Belongs here: `SearchQuery` and the index's proposals. Does not belong here: how either is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from muniment.domain.enums import Eligibility, ItemKind
from muniment.domain.scope import Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexItem:
    """One entry of the index, as written in the commit that made what it stands for.

    `ref` is the fact or evidence id, `revision`/`segment` say which of its versions (0 for evidence). The text itself is
    not held here: `tokens` and `tail` are packed uint32 token hashes in reading order (tail: the last 200 characters, only
    where the turn asks), `vectors` is float16, `chunks` rows of the model's dimension; plus what scoring needs to know.
    """

    kind: ItemKind
    ref: UUID
    placement: Placement
    tokens: bytes = b""
    tail: bytes = b""
    vectors: bytes = b""
    chunks: int = 0
    revision: int = 0
    segment: int = 0
    session: str = ""
    speaker: str = ""
    role: str = ""
    asks: bool = False
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    recorded_at: datetime | None = None
    retracted_at: datetime | None = None
    expires_at: datetime | None = None
    hidden_at: datetime | None = None
    eligibility: Eligibility = Eligibility.ELIGIBLE
    memory_type: str = ""
    standing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the index proposes: a reference with its ranking score, the score's parts and the calibrated relevance."""

    kind: ItemKind
    ref: UUID
    revision: int
    segment: int
    score: float
    relevance: float
    parts: Mapping[str, float] = field(default_factory=dict)
