"""Governance of one candidate, as a pure function.

Belongs here: `govern`, in the order prepare, rule, combine. Does not belong here: what the ruling leads to (ingestion).
"""

from __future__ import annotations

from dataclasses import replace

from muniment.domain.records import Candidate
from muniment.domain.statement import canonical
from muniment.governance.combine import combine
from muniment.governance.considered import Considered, Judgement
from muniment.governance.rules import RULES
from muniment.governance.rules.held import relation
from muniment.governance.rules.worth import expiry
from muniment.governance.sameness import reading
from muniment.governance.scoping import placed


def govern(considered: Considered) -> Judgement:
    """What becomes of the candidate, with every rule's verdict; the same input always gives the same judgement.

    Raises `InvalidInput` only for a confidence that is no number from 0 to 1.
    """
    prepared = _prepared(considered)
    verdicts = tuple(rule(prepared) for rule in RULES)
    ruling, reason = combine(prepared, verdicts)
    kind, same, against = relation(prepared)
    return Judgement(
        ruling=ruling,
        reason=reason,
        verdicts=verdicts,
        placement=prepared.placement,
        candidate=prepared.candidate,
        relation=kind,
        same=same,
        against=against,
    )


def denies(candidate: Candidate, predicate: str) -> bool:
    """Whether the words deny of their value what the predicate says of it ('does not like tea' filed under likes: tea)."""
    if not candidate.value or canonical(candidate.value) not in canonical(candidate.content):
        return False
    return reading(candidate.content)[1] != reading(predicate)[1]


def _prepared(considered: Considered) -> Considered:
    """With the catalogue's name for the predicate, a placement, and the end of its use."""
    name, entry = considered.policy.predicate(considered.candidate.predicate)
    if name is not None and entry.opposite is not None and denies(considered.candidate, name):
        name, _ = considered.policy.predicate(entry.opposite)
    named = replace(considered, candidate=replace(considered.candidate, predicate=name))
    where = placed(named)
    expires = expiry(where.candidate, where.policy, where.now)
    return replace(where, candidate=replace(where.candidate, expires_at=expires))
