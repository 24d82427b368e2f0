"""From the verdicts of all rules to one ruling.

Belongs here: the combination and what an explicit act of the user lifts. Does not belong here: any rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.domain.enums import Ruling
from muniment.domain.records import Verdict
from muniment.governance.considered import Considered

STRICTNESS: Final = (Ruling.ACCEPT, Ruling.CONFIRM, Ruling.DROP, Ruling.REJECT)

LIFTED: Final = frozenset({"sensitive.personal", "risk.money", "confidence", "gate"})
"""Rules whose question an explicit act answers: own sensitive data, own amounts, middling confidence. A rule out of
talk, a promise, a complaint, a scope wider than USER, the four-eyes list and a suspicion are asked about all the same;
and what was too unsure to be read at all (DROP) is not made sure by having been asked for."""


def combine(considered: Considered, verdicts: Sequence[Verdict]) -> tuple[Ruling, str]:
    """The ruling and the reason that decided it: any REJECT rejects; then what an explicit act lifts is lifted; then
    the strictest wins (REJECT > DROP > CONFIRM > ACCEPT)."""
    lifted = [verdict for verdict in verdicts if verdict.ruling is Ruling.CONFIRM and _lifts(considered, verdict.rule)]
    standing = [verdict for verdict in verdicts if verdict not in lifted]
    strictest = max((STRICTNESS.index(verdict.ruling) for verdict in standing), default=0)
    ruling = STRICTNESS[strictest]
    if ruling is not Ruling.ACCEPT:
        deciding = [verdict for verdict in standing if verdict.ruling is ruling]
        return ruling, "; ".join(f"{verdict.rule}: {verdict.reason}" for verdict in deciding)
    if lifted:
        return ruling, f"the user asked for it, which answers {', '.join(verdict.rule for verdict in lifted)}"
    return ruling, "no rule objects"


def _lifts(considered: Considered, rule: str) -> bool:
    """Whether the user's explicit act answers this rule's question."""
    if not considered.explicit or rule not in LIFTED:
        return False
    if rule == "sensitive.personal":
        return considered.about_self
    if rule == "risk.money":
        # A budget belongs to whoever sets it, also where its subject is a trip; another's salary does not.
        return considered.about_self or considered.predicate.type == "money"
    return True
