"""What a speaker says of how things hang together, as links between what is held.

'This depends on the home port' makes the statement a derived one; 'if the port changes, the berth will be 9' declares a
successor. Slots that nothing is held of are left as they were said: there is nothing to link yet.

Belongs here: from the slots that an extractor named to facts. Does not belong here: reading such words (models/extractor),
what follows when a root changes (`dependants`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.errors import InvalidInput
from muniment.domain.ids import derived
from muniment.domain.records import Candidate, Fact
from muniment.domain.statement import SlotKey
from muniment.ingestion.commit import Grounds
from muniment.ingestion.succession import Succession, declare
from muniment.ports.store import FactFilter, WriteUnit

DEPENDS_ON: Final = "depends_on"
IF_CHANGES: Final = "if_changes"
"""Metadata that extractors give: slots as `{name, subject, predicate, qualifier}` (with `becomes`, `of` and `then`)."""


def roots_named(unit: WriteUnit, policy: Policy, candidate: Candidate) -> tuple[UUID, ...]:
    """The facts in force of the slots that the words rest on."""
    slots = candidate.metadata.get(DEPENDS_ON)
    if not isinstance(slots, list):
        return ()
    return tuple(dict.fromkeys(row.fact_id for slot in slots for row in _held(unit, policy, slot)))


def declared(unit: WriteUnit, policy: Policy, candidate: Candidate, grounds: Grounds) -> None:
    """Declares the successor that the words speak of, for every fact of the one slot that waits for one of the other."""
    when, of = candidate.metadata.get(IF_CHANGES), candidate.metadata.get("of")
    if not isinstance(when, Mapping) or not isinstance(of, Mapping) or candidate.candidate_id is None:
        return
    then, becomes = candidate.metadata.get("then"), candidate.metadata.get("becomes")
    if not isinstance(then, str) or not isinstance(becomes, (str, type(None))):
        return
    for root in _held(unit, policy, when):
        for fact in _held(unit, policy, of):
            if fact.fact_id == root.fact_id or fact.placement.user != unit.reader.user:
                continue
            rule = Succession(root=root.fact_id, when_value=becomes, value=then)
            rule_id = derived(candidate.candidate_id, f"succession:{root.fact_id}:{fact.fact_id}")
            # Two facts that would follow each other: the words stay as they were said, and declare nothing.
            with suppress(InvalidInput):
                declare(unit, policy, fact, rule, grounds, rule_id=rule_id)


def _held(unit: WriteUnit, policy: Policy, slot: Any) -> list[Fact]:
    """The facts in force of a slot, one version each."""
    if not isinstance(slot, Mapping) or not all(isinstance(part, str | None) for part in slot.values()):
        return []
    name, _ = policy.predicate(slot.get("predicate"))
    key = SlotKey.of(subject=slot.get("subject"), predicate=name, qualifier=slot.get("qualifier"))
    if key is None:
        return []
    rows = unit.facts(FactFilter(subject=key.subject, predicate=key.predicate))
    return list({row.fact_id: row for row in rows if row.slot == key}.values())
