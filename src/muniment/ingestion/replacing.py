"""A value that takes another's place because the speaker said so: 'the port is now 8443', 'Ana is no longer the lead'.

Where the catalogue knows a predicate as single-valued, the fold replaces its value by itself. Values of any other predicate stand
side by side, so only words of change end the ones before, and only those in the same slot that are trusted no more.

Belongs here: which values end, and when. Does not belong here: reading such words (extractors), a change by a named fact
(`acts`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Basis, Change
from muniment.domain.records import Candidate, Fact
from muniment.domain.statement import canonical
from muniment.governance.sameness import same_value
from muniment.governance.things import alike, fact_thing, one_thing, thing_of
from muniment.ingestion.amend import Amendment, correct, end
from muniment.ingestion.commit import Committed, Grounds, assert_statement
from muniment.ingestion.slots import slot_of
from muniment.ports.store import FactFilter, Slot, WriteUnit

REASON = "changed, by the speaker's word"
READ = 2_000
"""Facts looked through for one that a change speaks of in other words."""
REPLACES = "replaces"
"""Metadata of a candidate that ends one value only: which."""


def replaced(
    unit: WriteUnit, policy: Policy, slot: Slot, candidate: Candidate, grounds: Grounds, *, new_id: UUID
) -> Committed | None:
    """Ends what the candidate's slot held and asserts the candidate in its place; None where nothing has to end."""
    at = candidate.valid_from or grounds.said_at
    ended = [row for row in _others(unit, policy, slot, candidate, grounds) if _began(row, at)]
    ended = ended or [row for row in _otherwise_named(unit, policy, slot, candidate, grounds) if _began(row, at)]
    only = candidate.metadata.get(REPLACES)
    if only is not None:
        ended = [row for row in ended if same_value(row.value or "", str(only))]
    if not ended:
        if only is None or not slot.key.predicate or not policy.predicate(slot.key.predicate)[1].single:
            return None
        # What is said to hold no more was not held: kept as it was said, it must not take the place of what is.
        bare = replace(candidate, subject=None, predicate=None, qualifier=None, value=None)
        return assert_statement(unit, policy, slot_of(policy, bare, slot.placement), bare, grounds, new_id=new_id)
    last = max(ended, key=lambda row: (row.valid_from is not None, row.valid_from or at, row.fact_id))
    linked = replace(grounds, supersedes=last.fact_id, reason=REASON)
    done = assert_statement(unit, policy, slot, candidate, linked, new_id=new_id, change=Change.CHANGE)
    for row in ended:
        end(unit, policy, row, done.fact_id or new_id, at, grounds, reason=REASON)
    return done


def corrected(unit: WriteUnit, policy: Policy, slot: Slot, candidate: Candidate, grounds: Grounds) -> Committed | None:
    """Corrects the one value that the candidate's slot held; None where it held none, or several, of which any could be meant."""
    rows = _others(unit, policy, slot, candidate, grounds)
    only = candidate.metadata.get(REPLACES)
    if only is not None:
        rows = [row for row in rows if same_value(row.value or "", str(only))]
    if len({row.fact_id for row in rows}) != 1:
        return None
    confirmed = candidate.basis if candidate.basis is Basis.CONFIRMED else None
    asked = Amendment(
        content=candidate.content, value=candidate.value, reason="corrected by the speaker", basis=confirmed
    )
    return correct(unit, policy, rows[0], asked, grounds)


def _others(unit: WriteUnit, policy: Policy, slot: Slot, candidate: Candidate, grounds: Grounds) -> list[Fact]:
    """The other values in force of a slot whose predicate the catalogue does not know; one that it knows as many-valued
    ('likes') keeps its values, unless a qualifier says which of the many it is ('favourite colour')."""
    named = REPLACES in candidate.metadata
    known = slot.key.predicate in policy.names and not slot.key.qualifier
    if not slot.key.predicate or (not named and (known or slot.value is None)):
        return []
    rows = unit.facts(FactFilter(subject=slot.key.subject, predicate=slot.key.predicate))
    mine = {row.fact_id: row for row in rows if row.slot == slot.key and row.placement == slot.placement}
    value = canonical(candidate.value or candidate.content)
    return [
        row
        for row in mine.values()
        if row.trust <= grounds.trust and row.value is not None and not same_value(row.value, value)
    ]


def _otherwise_named(unit: WriteUnit, policy: Policy, slot: Slot, candidate: Candidate, grounds: Grounds) -> list[Fact]:
    """The value in force of the one other slot that speaks of the same thing in more words or in fewer ('billing service', 'the
    language we use for the billing service'); none where there are several, or where the catalogue knows either predicate."""
    thing = thing_of(subject=candidate.subject, predicate=slot.key.predicate, qualifier=candidate.qualifier)
    if slot.value is None or not slot.key.predicate or slot.key.predicate in policy.names or not thing:
        return []
    value = canonical(candidate.value or candidate.content)
    rows = [
        row
        for row in unit.facts(FactFilter(limit=READ))
        if row.placement == slot.placement
        and row.slot not in (None, slot.key)
        and row.predicate not in policy.names
        and row.trust <= grounds.trust
        and row.value is not None
        and not same_value(row.value, value)
        and alike(row.value, candidate.value or candidate.content)
        and one_thing(thing, fact_thing(row))
    ]
    return rows if len({row.slot for row in rows}) == 1 else []


def _began(row: Fact, at: datetime) -> bool:
    """Whether a value held before the change; one told to begin later is not ended by it."""
    return row.valid_from is None or row.valid_from <= at
