"""What a person is asked, what became of it, and how two facts disagree.

Belongs here: the values of the review queue and of conflicts. Does not belong here: how they are found or decided.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import CandidateStatus, Eligibility, Standing
from muniment.domain.errors import MunimentError
from muniment.domain.records import Candidate, Decision, Fact, Receipt, Verdict
from muniment.domain.scope import Placement

REVALIDATES: Final = "revalidates"
"""In a candidate's `proposed`: it asks whether a fact still holds whose ground went."""

State = Mapping[str, int]
"""The facts believed in a slot: id to revision."""


def etag(state: State) -> str:
    """A short text that names a slot's state; another one wherever a fact came, went or changed."""
    return hashlib.sha256(json.dumps(dict(state), sort_keys=True).encode()).hexdigest()[:16]


def state_of(rows: Sequence[Fact]) -> dict[str, int]:
    """The state of a slot by the versions believed in it now; hidden facts and withdrawn ones are not in it."""
    return {
        str(row.fact_id): row.revision
        for row in sorted(rows, key=lambda row: row.fact_id)
        if row.hidden_at is None and row.retracted_at is None and row.standing is not None
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A candidate as the queue holds it: whose it is (`author`), where it would live, the event it came of, and since when
    it has its status."""

    candidate: Candidate
    candidate_id: UUID
    event_id: UUID
    author: str
    placement: Placement
    created_at: datetime
    since: datetime

    @property
    def revalidates(self) -> bool:
        """Whether it asks if a fact still holds."""
        return bool(self.candidate.proposed.get(REVALIDATES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """The words a candidate rests on, with a little around the quote, and where they come from."""

    evidence_id: UUID
    text: str
    source: str
    occurred_at: datetime | None
    eligibility: Eligibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """How a slot differs from what it was when it was asked about. `state` names what it is now: give it as `expected=` to
    decide all the same."""

    then: tuple[Fact, ...]
    now: tuple[Fact, ...]
    changed: tuple[UUID, ...]
    gone: tuple[UUID, ...]
    new: tuple[UUID, ...]
    state: str

    @property
    def same(self) -> bool:
        """Whether nothing moved."""
        return not (self.changed or self.gone or self.new)

    @property
    def line(self) -> str:
        """In words, one line; ids only."""
        parts = [
            f"{len(ids)} {word}"
            for ids, word in ((self.changed, "changed"), (self.gone, "gone"), (self.new, "new"))
            if ids
        ]
        return ", ".join(parts) or "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One question for a person. `verdicts` are the rules that asked; `then` is what the slot held when it was asked, `now`
    what it holds; `state` names the latter, for `expected=`. `age_seconds` is how long it has waited, or did. `decision` is
    the last one made on it."""

    id: UUID
    candidate: Candidate
    author: str
    placement: Placement
    status: CandidateStatus
    quote: str | None
    evidence: tuple[Snippet, ...]
    verdicts: tuple[Verdict, ...]
    reason: str
    asked_at: datetime
    age_seconds: int
    then: tuple[Fact, ...]
    now: tuple[Fact, ...]
    moved: bool
    state: str
    revalidates: bool
    decision: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one decision of several: its receipt, or the error that kept it from being made."""

    id: UUID | str
    receipt: Receipt | None = None
    error: MunimentError | None = None

    @property
    def ok(self) -> bool:
        """Whether it was decided."""
        return self.error is None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCounts:
    """How much waits for a person: no content, no ids."""

    open: int
    oldest_age_seconds: int | None = None
    by_rule: Mapping[str, int] = field(default_factory=dict)
    by_type: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An open candidate without its content, for maintenance: whose it is and since when it waits."""

    tenant: str
    author: str
    candidate_id: UUID
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """A conflict as it is stored; `status` is OPEN, SETTLED (the statements no longer disagree) or RESOLVED (by a person)."""

    conflict_id: UUID
    kind: str
    facts: tuple[UUID, UUID]
    status: str
    recorded_at: datetime
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    resolution: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One side of a conflict. `fact` is its latest version, None where it was forgotten; `sources` who told it."""

    fact_id: UUID
    fact: Fact | None
    value: str | None
    valid_from: datetime | None
    valid_until: datetime | None
    standing: Standing | None
    trust: int
    sources: tuple[str, ...]
    said_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictItem:
    """Two facts that disagree: a DISPUTE (equal trust) or a CONTENDER (the first is the less trusted)."""

    id: UUID
    kind: str
    status: str
    sides: tuple[ConflictSide, ConflictSide]
    recorded_at: datetime
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    resolution: Mapping[str, Any] = field(default_factory=dict)
