"""A candidate as it was proposed, kept beside what governance made of it: what a replay decides from anew.

Belongs here: both ways between a candidate and its `proposed`. Does not belong here: the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from muniment.domain.enums import CandidateStatus, MemoryType, Scope
from muniment.domain.records import Candidate


def as_proposed(candidate: Candidate) -> Mapping[str, Any]:
    """What governance may replace or a row does not hold, as it came in; plain JSON."""
    return {
        "scope": None if candidate.scope is None else candidate.scope.value,
        "department": candidate.department,
        "memory_type": candidate.memory_type.value,
        "predicate": candidate.predicate,
        "subject": candidate.subject,
        "expires_at": None if candidate.expires_at is None else candidate.expires_at.isoformat(),
        "stable": candidate.stable,
        "placed": candidate.placed,
        "derived_from": [str(ref) for ref in candidate.derived_from],
    }


def restored(candidate: Candidate) -> Candidate:
    """The candidate as it was proposed, with its id."""
    kept = candidate.proposed
    if "stable" not in kept:
        return candidate
    expires = kept["expires_at"]
    return replace(
        candidate,
        scope=None if kept["scope"] is None else Scope(kept["scope"]),
        department=kept["department"],
        memory_type=MemoryType(kept["memory_type"]),
        predicate=kept["predicate"],
        subject=kept["subject"],
        expires_at=None if expires is None else datetime.fromisoformat(expires),
        stable=kept["stable"],
        placed=kept["placed"],
        derived_from=tuple(UUID(ref) for ref in kept["derived_from"]),
        status=CandidateStatus.PENDING,
        governance_reason=None,
    )
