"""Declaring what takes a fact's place when its root changes: 'if the release owner changes, the approver will be Ivo'.

Belongs here: the declaration. Does not belong here: its coming true (`dependants`).
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import DependencyKind
from muniment.domain.errors import InvalidInput, NotFound
from muniment.domain.records import Dependency, Fact
from muniment.ingestion.commit import Committed, Grounds
from muniment.ingestion.supports import changes
from muniment.ports.store import WriteUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """When `root` changes (to `when_value`, where that is given), the fact's value becomes `value`, said as `content`."""

    root: UUID
    when_value: str | None = None
    value: str | None = None
    content: str | None = None


def _waited_on(unit: WriteUnit, fact_id: UUID) -> set[UUID]:
    """The facts whose change a fact waits for, however far."""
    found: set[UUID] = set()
    level = [fact_id]
    while level:
        rules = [link for link in unit.dependencies(of=level) if link.kind is DependencyKind.SUCCESSOR]
        level = [
            link.root_fact_id for link in rules if link.root_fact_id is not None and link.root_fact_id not in found
        ]
        found |= set(level)
    return found


def declare(
    unit: WriteUnit, policy: Policy, fact: Fact, rule: Succession, grounds: Grounds, *, rule_id: UUID
) -> Committed:
    """Keeps the rule; changes of the root that are on record already do not bring it about.

    Raises `InvalidInput` for a rule without a value or about itself, `NotFound` for a root that is not believed.
    """
    if rule.value is None and rule.content is None:
        raise InvalidInput("a successor needs value= or content=: what the fact becomes")
    if rule.root == fact.fact_id:
        raise InvalidInput("a fact cannot wait for its own change; when= names another fact")
    if not any(row.hidden_at is None and row.standing is not None for row in unit.live(fact_ids=[rule.root])):
        raise NotFound(f"no fact {rule.root} that is believed now; `history` shows what was")
    if fact.fact_id in _waited_on(unit, rule.root):
        raise InvalidInput("the root already waits for this fact's change; two facts cannot follow each other")
    known = [row.valid_from for row in changes(unit, policy, rule.root) if row.valid_from is not None]
    unit.add_dependencies(
        [
            Dependency(
                dependency_id=rule_id,
                fact_id=fact.fact_id,
                kind=DependencyKind.SUCCESSOR,
                root_fact_id=rule.root,
                when_value=rule.when_value,
                value=rule.value,
                content=rule.content,
                evidence_id=grounds.evidence[0] if grounds.evidence else None,
                said_at=max(known, default=None),
                trust=grounds.trust,
                source=grounds.source,
                vectors=grounds.vectors or b"",
            )
        ],
        placement=fact.placement,
    )
    return Committed(fact_id=fact.fact_id, revision=fact.revision, outcome="declared")
