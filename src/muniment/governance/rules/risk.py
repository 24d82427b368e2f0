"""What costs something when it is wrong: money, promises, complaints, approvals, what changes the agent's behaviour.

Belongs here: these rules and `risks`, which names what is present. Does not belong here: what lifts them
(`combine.py`).
"""

from __future__ import annotations

from muniment.domain.enums import MemoryType, Ruling
from muniment.domain.records import Verdict
from muniment.governance.considered import Considered
from muniment.governance.rules.verdicts import accept, confirm
from muniment.governance.words import said, speaks_of
from muniment.text.identifiers import identifiers
from muniment.text.wording import mentions


def money(considered: Considered) -> Verdict:
    """An amount of money in the content or value, or a predicate whose values are money."""
    if _has_amount(considered):
        return confirm("risk.money", "an amount of money")
    return accept("risk.money", "no amount of money")


def promise(considered: Considered) -> Verdict:
    """A promise somebody made."""
    if speaks_of(considered.candidate, "promise"):
        return confirm("risk.promise", "a promise")
    return accept("risk.promise", "no promise")


def complaint(considered: Considered) -> Verdict:
    """A complaint."""
    if speaks_of(considered.candidate, "complaint"):
        return confirm("risk.complaint", "a complaint")
    return accept("risk.complaint", "no complaint")


def approval(considered: Considered) -> Verdict:
    """A standing approval, and a wish that safeguards be left out: memory never authorises, so out of talk they are asked
    about, whoever is said to have given them."""
    if considered.direct and considered.users_own_words:
        return accept("risk.approval", "stated by a call of the user's own")
    if speaks_of(considered.candidate, "approval"):
        return confirm("risk.approval", "a standing approval or waiver")
    if speaks_of(considered.candidate, "safeguard"):
        return confirm("risk.approval", "a wish that checks be left out")
    return accept("risk.approval", "no standing approval")


def behaviour(considered: Considered) -> Verdict:
    """A rule, and what is said of the agent itself, changes behaviour: out of talk it is asked about; the
    user's own `add_rule` is their word on it."""
    rule = considered.candidate.memory_type is MemoryType.RULE
    if not rule and mentions("agent", considered.candidate.content) is None:
        return accept("risk.behaviour", "not a rule")
    if considered.direct and considered.users_own_words:
        return accept("risk.behaviour", "a rule the user set by a call of their own")
    return confirm("risk.behaviour", "a rule that changes behaviour" if rule else "what the agent is or may do")


def risks(considered: Considered) -> frozenset[str]:
    """The names of the risks present: money, promise, complaint."""
    rulings = {"money": money, "promise": promise, "complaint": complaint}
    return frozenset(name for name, rule in rulings.items() if rule(considered).ruling is Ruling.CONFIRM)


def _has_amount(considered: Considered) -> bool:
    if considered.predicate.type == "money":
        return True
    return any(item.kind == "amount" for text in said(considered.candidate) for item in identifiers(text))
