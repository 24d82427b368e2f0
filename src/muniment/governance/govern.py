"""Governance of one candidate, as a pure function.

Belongs here: `govern`, in the order prepare, rule, combine. Does not belong here: what the ruling leads to (ingestion).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from muniment.domain.records import Candidate
from muniment.domain.statement import canonical
from muniment.governance.combine import combine
from muniment.governance.considered import Considered, Judgement
from muniment.governance.rules import RULES
from muniment.governance.rules.held import relation
from muniment.governance.rules.worth import expiry
from muniment.governance.sameness import reading
from muniment.governance.scoping import placed

_CLOSE: Final = re.compile(r"(?:[\w'’-]+[^\w,，;；.。!！?？:：]+){1,4}$|[\u4e00-\u9fff]{1,8}$")
"""Four English words or eight Chinese characters before a value, in its own clause."""


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
    """Whether the words deny of their value what the predicate says of it ('does not like tea' filed under likes: tea).

    Only the words right before the value are read: a negation inside it ('tea without sugar') or elsewhere denies something
    else.
    """
    value, content = canonical(candidate.value or ""), canonical(candidate.content)
    before = content[: content.find(value)] if value and value in content else ""
    close = _CLOSE.search(before)
    if close is None:
        return False
    words, negative, _ = reading(close[0])
    meant, against, _ = reading(predicate)
    if not against:
        return negative
    return not negative and (not {"喜", "欢"}.isdisjoint(words) or not set(meant).isdisjoint(words))


def _prepared(considered: Considered) -> Considered:
    """With the catalogue's name for the predicate, a placement, and the end of its use."""
    name, entry = considered.policy.predicate(considered.candidate.predicate)
    if name is not None and entry.opposite is not None and denies(considered.candidate, name):
        name, _ = considered.policy.predicate(entry.opposite)
    named = replace(considered, candidate=replace(considered.candidate, predicate=name))
    where = placed(named)
    expires = expiry(where.candidate, where.policy, where.now)
    return replace(where, candidate=replace(where.candidate, expires_at=expires))
