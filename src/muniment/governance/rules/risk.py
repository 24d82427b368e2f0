"""What costs something when it is wrong: money, promises, complaints, rules that change behaviour.

Belongs here: these four rules and `risks`, which names what is present. Does not belong here: what lifts them
(`combine.py`).
"""

from __future__ import annotations

from muniment.domain.enums import MemoryType, Ruling
from muniment.domain.records import Verdict
from muniment.governance.considered import Considered
from muniment.governance.rules.verdicts import accept, confirm
from muniment.governance.words import said, speaks_of
from muniment.text.identifiers import identifiers


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


def behaviour(considered: Considered) -> Verdict:
    """A rule changes behaviour: out of talk it is asked about; the user's own `add_rule` is their word on it."""
    if considered.candidate.memory_type is not MemoryType.RULE:
        return accept("risk.behaviour", "not a rule")
    if considered.direct and considered.users_own_words:
        return accept("risk.behaviour", "a rule the user set by a call of their own")
    return confirm("risk.behaviour", "a rule that changes behaviour")


def risks(considered: Considered) -> frozenset[str]:
    """The names of the risks present: money, promise, complaint."""
    rulings = {"money": money, "promise": promise, "complaint": complaint}
    return frozenset(name for name, rule in rulings.items() if rule(considered).ruling is Ruling.CONFIRM)


def _has_amount(considered: Considered) -> bool:
    if considered.predicate.type == "money":
        return True
    return any(item.kind == "amount" for text in said(considered.candidate) for item in identifiers(text))
