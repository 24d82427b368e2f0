"""Short ways to say a verdict.

Belongs here: constructors. Does not belong here: rules.
"""

from __future__ import annotations

from muniment.domain.enums import Ruling
from muniment.domain.records import Verdict


def accept(rule: str, reason: str) -> Verdict:
    """The rule has nothing against it."""
    return Verdict(rule=rule, ruling=Ruling.ACCEPT, reason=reason)


def confirm(rule: str, reason: str) -> Verdict:
    """A person has to say yes first."""
    return Verdict(rule=rule, ruling=Ruling.CONFIRM, reason=reason)


def drop(rule: str, reason: str) -> Verdict:
    """Not worth keeping as a memory; its evidence stays."""
    return Verdict(rule=rule, ruling=Ruling.DROP, reason=reason)


def reject(rule: str, reason: str) -> Verdict:
    """It must not become a memory."""
    return Verdict(rule=rule, ruling=Ruling.REJECT, reason=reason)
