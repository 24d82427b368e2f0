"""Candidates, evidence and facts for the tests of governance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from muniment.config import Policy, load_policy
from muniment.domain.enums import ActorType, Basis, EvidenceType, FactStatus, MemoryType, Scope, Standing
from muniment.domain.records import Candidate, Evidence, Fact
from muniment.domain.scope import Placement, Reader
from muniment.domain.time import Moment
from muniment.governance.considered import Considered

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ANA = Reader.of(user="ana", tenant="acme", departments=["travel"], session="s1")
POLICY = load_policy()
HOME = Placement(scope=Scope.USER, user="ana")


def policy(**knobs: Any) -> Policy:
    """The shipped policy with some sections replaced, as a TOML file would."""
    return load_policy(knobs)


def evidence(content: str = "words", **fields: Any) -> Evidence:
    """Evidence of a conversation, unless told otherwise."""
    defaults: dict[str, Any] = {
        "evidence_id": UUID(int=1),
        "evidence_type": EvidenceType.CONVERSATION,
        "event_id": UUID(int=2),
        "placement": HOME,
        "content": content,
        "source_system": "chat",
        "recorded_at": NOW,
        "occurred": Moment(at=NOW),
    }
    return Evidence(**{**defaults, **fields})


def fact(content: str, **fields: Any) -> Fact:
    """A live fact of Ana's, unless told otherwise."""
    defaults: dict[str, Any] = {
        "fact_id": UUID(int=7),
        "revision": 1,
        "placement": HOME,
        "memory_type": MemoryType.FACT,
        "content": content,
        "status": FactStatus.ACTIVE,
        "standing": Standing.HELD,
        "confidence": 0.9,
        "basis": Basis.STATED,
        "trust": 80,
        "recorded_at": NOW,
    }
    return Fact(**{**defaults, **fields})


def considered(candidate: Candidate | str = "likes tea", **fields: Any) -> Considered:
    """What Ana said with confidence, unless told otherwise; a text becomes a candidate."""
    if isinstance(candidate, str):
        candidate = Candidate(content=candidate, confidence=0.9)
    defaults: dict[str, Any] = {
        "reader": ANA,
        "actor": ActorType.USER,
        "policy": POLICY,
        "now": NOW,
        "evidence": (evidence(candidate.quote or candidate.content),),
    }
    return Considered(candidate=candidate, **{**defaults, **fields})
