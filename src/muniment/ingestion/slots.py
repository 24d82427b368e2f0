"""The slot that a statement or a fact belongs to, by the predicate catalogue.

Belongs here: that. Does not belong here: what happens in the slot (`commit`, `timeline`).
"""

from __future__ import annotations

import hashlib
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import MemoryType
from muniment.domain.records import Candidate, Fact
from muniment.domain.scope import Placement
from muniment.domain.statement import SlotKey, canonical, subject_key
from muniment.governance.sameness import reading
from muniment.ports.store import Slot
from muniment.text.wording import mentions

NAME_CHARS: Final = 256


def slot_of(policy: Policy, candidate: Candidate, placement: Placement) -> Slot:
    """The slot a statement competes in there, by the predicate catalogue; a status key has one value at a time."""
    name, entry = policy.predicate(candidate.predicate)
    key = SlotKey.of(subject=candidate.subject, predicate=name, qualifier=candidate.qualifier)
    if key is None:
        return Slot(key=standing_alone(candidate.content, candidate.subject), placement=placement)
    # Two colleagues may live in two towns: without a name, none of them is known to be the other.
    single = entry.single and mentions("one_of_several", key.subject) is None
    if single or candidate.memory_type is MemoryType.STATUS:
        return Slot(key=key, placement=placement)
    return Slot(key=key, placement=placement, value=canonical(candidate.value or candidate.content))


def standing_alone(content: str, subject: str | None) -> SlotKey:
    """The key of a statement without a slot: what it says beneath its wording, quantities included and negation left out, so
    that the same in other words, and its opposite, are told of the same thing. Its value is then yes or no."""
    words, _, numbers = reading(content)
    said = " ".join((*words, "=", *numbers)) if words else canonical(content)
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest() if len(said) > NAME_CHARS else said
    return SlotKey(subject=subject_key(subject), predicate="", qualifier=digest)


def said_value(slot: Slot, content: str, value: str | None) -> str:
    """What a statement says of its slot, as the fold compares it."""
    if slot.key.predicate:
        return content if value is None else value
    words, negative, _ = reading(content)
    return content if not words else "no" if negative else "yes"


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
