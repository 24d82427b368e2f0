"""What a candidate speaks of: secrets, personal data, claims of authority.

Belongs here: `secret`, `personal`, `four_eyes`, `authority`. Does not belong here: detection (`words.py`, text/).
"""

from __future__ import annotations

from muniment.domain.enums import MemoryType
from muniment.domain.records import Verdict
from muniment.governance.considered import Considered
from muniment.governance.rules.risk import risks
from muniment.governance.rules.verdicts import accept, confirm, reject
from muniment.governance.words import kinds, suspected


def secret(considered: Considered) -> Verdict:
    """Keys, passwords and identity numbers are never a memory; masked ones leave nothing worth keeping."""
    held = [kind for kind in kinds(considered) if kind in considered.policy.sensitivity.mask]
    if held:
        return reject("sensitive.secret", f"holds {', '.join(held)}")
    return accept("sensitive.secret", "no secret or identity number")


def personal(considered: Considered) -> Verdict:
    """Delicate subjects are asked about first."""
    held = [kind for kind in kinds(considered) if kind in considered.policy.sensitivity.confirm]
    if held:
        return confirm("sensitive.personal", f"speaks of {', '.join(held)}")
    return accept("sensitive.personal", "no delicate subject")


def four_eyes(considered: Considered) -> Verdict:
    """Kinds that the policy wants a second person for, whoever asked: of sensitive data, of risk, or memory types."""
    listed = {kind.casefold() for kind in considered.policy.sensitivity.four_eyes}
    present = {*kinds(considered), *risks(considered), MemoryType(considered.candidate.memory_type).value.casefold()}
    held = sorted(listed & present)
    if held:
        return confirm("sensitive.four_eyes", f"the policy wants a second person for {', '.join(held)}")
    return accept("sensitive.four_eyes", "not on the list for a second person")


def authority(considered: Considered) -> Verdict:
    """A plain claim of authority or instruction is refused, a suspected one is kept apart until a person has looked."""
    found = suspected(considered)
    plain = [item for item in found if item.level == "plain"]
    if plain:
        return reject("authority", f"{_named(plain[0].kind)} ({plain[0].detector})")
    if found:
        first = found[0]
        return confirm("authority", f"perhaps {_named(first.kind)} ({first.detector})")
    return accept("authority", "no claim of authority, no hidden instruction")


def _named(kind: str) -> str:
    return "a claim of authority" if kind == "authority" else "an instruction hidden in content"
