"""The slot that a statement or a fact belongs to, by the predicate catalogue.

Belongs here: that. Does not belong here: what happens in the slot (`commit`, `timeline`).
"""

from __future__ import annotations

from muniment.config import Policy
from muniment.domain.enums import MemoryType
from muniment.domain.records import Candidate, Fact
from muniment.domain.scope import Placement
from muniment.domain.statement import canonical, slot_key
from muniment.ports.store import Slot


def slot_of(policy: Policy, candidate: Candidate, placement: Placement) -> Slot:
    """The slot a statement competes in there, by the predicate catalogue; a status key has one value at a time."""
    name, entry = policy.predicate(candidate.predicate)
    key = slot_key(content=candidate.content, subject=candidate.subject, predicate=name, qualifier=candidate.qualifier)
    if name is not None and (entry.single or candidate.memory_type is MemoryType.STATUS):
        return Slot(key=key, placement=placement)
    return Slot(key=key, placement=placement, value=canonical(candidate.value or candidate.content))


def fact_slot(policy: Policy, fact: Fact) -> Slot:
    """The slot a held fact stands in."""
    return slot_of(
        policy,
        Candidate(
            content=fact.content,
            subject=fact.subject,
            predicate=fact.predicate,
            qualifier=fact.qualifier,
            value=fact.value,
            memory_type=fact.memory_type,
        ),
        fact.placement,
    )
