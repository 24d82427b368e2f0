"""Whether it is worth keeping, and for how long.

Belongs here: `stability`, `confidence`, `gate`, `lifetime`. Does not belong here: risk.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from muniment.config import Policy
from muniment.domain.confidence import to_points
from muniment.domain.records import Candidate, Verdict
from muniment.governance.considered import BEYOND, Considered
from muniment.governance.rules.verdicts import accept, confirm, drop


def stability(considered: Considered) -> Verdict:
    """What does not last has been scoped down; without a task or session it has no place and is dropped."""
    if considered.placement is not None:
        return accept("stability", f"goes to {considered.placement.scope.value}")
    if considered.candidate.scope in BEYOND:
        return accept("stability", "where it may be written is another rule's question")
    return drop("stability", considered.unplaced or "it has no place")


def confidence(considered: Considered) -> Verdict:
    """Thresholds of the policy, compared in ten-thousandths."""
    gate_knobs = considered.policy.gate
    points = to_points(considered.candidate.confidence)
    shown = f"confidence {points / 10_000:.4f}"
    if points >= to_points(gate_knobs.accept):
        return accept("confidence", f"{shown} ≥ {gate_knobs.accept}")
    if points >= to_points(gate_knobs.confirm):
        return confirm("confidence", f"{shown} is below {gate_knobs.accept}")
    return drop("confidence", f"{shown} is below {gate_knobs.confirm}")


def gate(considered: Considered) -> Verdict:
    """Under `gate.mode = explicit` only what the user asked to keep passes without a question."""
    if considered.policy.gate.mode == "confidence":
        return accept("gate", "the policy goes by confidence")
    if considered.explicit:
        return accept("gate", "the user asked to keep it")
    return confirm("gate", "the policy keeps only what the user asked to keep")


def lifetime(considered: Considered) -> Verdict:
    """When it will no longer be used; what is past that already is dropped."""
    expires = considered.candidate.expires_at
    if expires is None:
        return accept("lifetime", "does not expire")
    if expires <= considered.now:
        return drop("lifetime", f"expired on {expires.date().isoformat()}")
    return accept("lifetime", f"used until {expires.date().isoformat()} unless heard again")


def expiry(candidate: Candidate, policy: Policy, now: datetime) -> datetime | None:
    """The candidate's own `expires_at`; else the predicate's lifetime, else the policy's, from `now`; None if
    exempt."""
    if candidate.expires_at is not None:
        return candidate.expires_at
    days = policy.predicate(candidate.predicate)[1].lifetime_days
    if days is None:
        if candidate.memory_type in policy.lifetime.exempt:
            return None
        days = policy.lifetime.days
    return now + timedelta(days=days)
