"""Making a replay's outcome true: what the log gives takes the place of what was held.

Nothing is overwritten: statements are withdrawn and told again, and the timelines they stand in recorded anew, as the next
revisions of the same facts.

Belongs here: that. Does not belong here: the comparison (domain/replays.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Change, FactStatus
from muniment.domain.records import Dependency, Fact
from muniment.domain.replays import Difference
from muniment.domain.scope import PartitionKey
from muniment.ingestion.slots import fact_slot
from muniment.ingestion.timeline import Edit, refold
from muniment.ports.store import Believed, Slot, Told, WriteUnit


@dataclass(slots=True, kw_only=True)
class Reapplying:
    """The differences of one tenant, to be written under the new policy."""

    unit: WriteUnit
    policy: Policy
    held: Believed
    given: Believed
    heads: Collection[UUID]
    actor: str

    def run(self, found: Sequence[Difference]) -> None:
        """Writes all of them, in one transaction."""
        told = _by_fact(self.given.told)
        links = _links(self.given.dependencies)
        before: dict[Slot, None] = {}
        edits: dict[Slot, list[Edit]] = defaultdict(list)
        live: dict[UUID, list[Fact]] = defaultdict(list)
        for row in self.unit.live(fact_ids=[item.fact_id for item in found]):
            live[row.fact_id].append(row)
        for item in found:
            for row in live[item.fact_id]:
                before[fact_slot(self.policy, row)] = None
            edit = self._one(item, live[item.fact_id], told.get(item.fact_id, []), links.get(item.fact_id, []))
            edits[fact_slot(self.policy, edit)].append(Edit(fact=edit))
        mine = {item.fact_id for item in found}
        for slot in dict.fromkeys((*before, *edits)):
            standing = [row for row in self.unit.live(slots=[slot]) if row.fact_id not in mine]
            moving = [row for edit in edits.get(slot, []) for row in live[edit.fact.fact_id]]
            refold(self.unit, self.policy, slot, edits=edits.get(slot, []), live=[*standing, *moving])

    def _one(self, item: Difference, live: Sequence[Fact], told: Sequence[Told], links: Sequence[Dependency]) -> Fact:
        """Puts the log's statements and links in the place of what the fact had; the fact as its next revision is to be."""
        unit = self.unit
        held = [said.ordinal for said in unit.told(fact_ids=[item.fact_id])]
        unit.withdraw(item.fact_id, held)
        base = (item.after or item.before)[0]
        status = FactStatus.ACTIVE if item.after else FactStatus.INVALIDATED
        edit = replace(
            base,
            revision=max((row.revision for row in live), default=1),
            recorded_at=unit.recorded_at,
            change=Change.REPLAY,
            status=status,
            standing=None,
            reason="the log was replayed",
            actor=self.actor,
        )
        slot = fact_slot(self.policy, edit)
        if item.fact_id not in self.heads:
            unit.add_head(edit, slot=slot)
        for said in told:
            unit.tell(said, slot=slot)
        old = {link.dependency_id: link for link in unit.dependencies(of=[item.fact_id])}
        new = {link.dependency_id: link for link in links}
        unit.retract_dependencies(old.keys() - new.keys())
        unit.add_dependencies([link for ref, link in new.items() if ref not in old], placement=edit.placement)
        return edit


def partitions(tenant: str, found: Sequence[Difference]) -> tuple[PartitionKey, ...]:
    """Where the differences live."""
    rows = [row for item in found for row in (*item.before, *item.after)]
    return tuple(sorted({PartitionKey.of(tenant, row.placement) for row in rows}))


def _by_fact(told: Sequence[Told]) -> dict[UUID, list[Told]]:
    found: dict[UUID, list[Told]] = defaultdict(list)
    for item in told:
        found[item.fact_id].append(item)
    return found


def _links(links: Sequence[Dependency]) -> dict[UUID, list[Dependency]]:
    found: dict[UUID, list[Dependency]] = defaultdict(list)
    for item in links:
        found[item.fact_id].append(item)
    return found
