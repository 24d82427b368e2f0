"""The rules, in the order in which they are asked. Each is a pure function `(Considered) -> Verdict`.

A row of the design's table may be several rules with a dotted name (`risk.money`, `risk.promise`, …), so that each
verdict says what exactly was ruled, and the combination can tell which of them an explicit act lifts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muniment.domain.records import Verdict
from muniment.governance.considered import Considered
from muniment.governance.rules.content import authority, four_eyes, personal, secret
from muniment.governance.rules.ground import length, provenance
from muniment.governance.rules.held import held
from muniment.governance.rules.risk import approval, behaviour, complaint, money, promise
from muniment.governance.rules.source import source_trust, write_scope
from muniment.governance.rules.worth import confidence, gate, lifetime, stability

Rule = Callable[[Considered], Verdict]

RULES: Final[tuple[Rule, ...]] = (
    provenance,
    length,
    secret,
    personal,
    four_eyes,
    authority,
    source_trust,
    write_scope,
    stability,
    money,
    promise,
    complaint,
    approval,
    behaviour,
    confidence,
    gate,
    lifetime,
    held,
)
"""Every rule; all are asked, and all their verdicts are kept."""
