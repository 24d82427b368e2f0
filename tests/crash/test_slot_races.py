"""Sixteen threads, and four processes of four, amend the same slots at once, on every database.

No write that was acknowledged is missing from the history, of those that expect one revision exactly one goes through, the
timeline of each single-valued slot is the fold of what is told and never has two values, and neither a deadlock nor a busy store
surfaces.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tests.crash.intact import halves
from tests.crash.slot_writers import CONTESTED, KINDS, SLOTS, USER, Note, Outcome, race

import muniment
from muniment.domain.enums import Change, OwnerType, Scope, Standing
from muniment.domain.fold import fold
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey, Placement
from muniment.domain.statement import SlotKey, Statement, canonical
from muniment.ports.store import FactFilter, Locks, Slot
from muniment.service.muniment import Muniment

SECONDS = float(os.environ.get("MUNIMENT_RACE_SECONDS", "5"))
MADE_BY = {"add": Change.ASSERT, "change": Change.CHANGE, "correct": Change.CORRECT, "invalidate": Change.INVALIDATE}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "threads", [pytest.param([16], id="16 threads"), pytest.param([4] * 4, id="4 processes of 4 threads")]
)
def test_the_same_slots_amended_at_once(store_url: str, threads: list[int]) -> None:
    outcome = race(store_url, threads=threads, seconds=SECONDS)
    counts = Counter((note.kind, note.refused or "acknowledged") for note in outcome.notes)
    print(f"{len(outcome.notes)} writes: {dict(counts)}")
    assert outcome.errors == []
    assert all(counts[kind, "acknowledged"] >= 3 for kind in MADE_BY)
    with muniment.open(store_url, embedder="none") as memory:
        rows = versions(memory)
        one_winner_each(outcome, sum(threads), rows)
        nothing_lost(outcome, rows)
        for slot in SLOTS:
            one_value_at_a_time(memory, slot)
    assert halves(store_url) == {}


def versions(memory: Muniment) -> list[Fact]:
    """Every version there ever was."""
    with memory.parts.store.read(memory.reader(**USER).identity) as unit:
        return unit.facts(FactFilter(include_inactive=True))


def one_winner_each(outcome: Outcome, writers: int, rows: list[Fact]) -> None:
    """Of those who expect the first revision of a fact, one goes through; the others are told that it moved, or is gone."""
    for number, fact in enumerate(outcome.contested):
        racers = [note for note in outcome.notes if note.contest and note.fact == fact]
        assert len(racers) == writers
        winners = [note for note in racers if note.receipt is not None]
        assert len(winners) == 1
        gone = {"NotFound", "Conflict"} if KINDS[number % len(KINDS)] == "invalidate" else {"Conflict"}
        assert {note.refused for note in racers if note.receipt is None} <= gone
        assert max(row.revision for row in rows if row.fact_id == fact) == 2
    assert len(outcome.contested) == CONTESTED
    begun = {(row.fact_id, row.revision): row.recorded_at for row in rows}
    for note in outcome.acknowledged():
        if note.expected is not None:
            # In the crowd too: each was done to the very revision it named. (A change from before the fact began leaves the fact
            # as it is, so that several may name one revision there.)
            assert note.receipt is not None
            assert note.fact is not None
            done = note.receipt.known_at
            assert done is not None
            assert begun[note.fact, note.expected] < done <= begun.get((note.fact, note.expected + 1), done)


def nothing_lost(outcome: Outcome, rows: list[Fact]) -> None:
    """Each acknowledged write is a version of its own, with its words; there is no version that nobody was told of."""
    by_version: dict[tuple[Any, int], list[Fact]] = {}
    for row in rows:
        by_version.setdefault((row.fact_id, row.revision), []).append(row)
    found = set()
    for note in outcome.acknowledged():
        version = written(note)
        found.add(version)
        mine = by_version[version]
        assert {row.change for row in mine} == {MADE_BY[note.kind]}, note
        words = {row.reason for row in mine} if note.kind == "invalidate" else {row.value for row in mine}
        assert words == {note.value}
        assert note.receipt is not None
        assert {row.recorded_at for row in mine} == {note.receipt.known_at}
    assert len(found) == len(outcome.acknowledged())
    told = {version for version, some in by_version.items() if some[0].change is not Change.REFOLD}
    assert len(told - found) == len(SLOTS) + CONTESTED  # what was there before the race
    revisions: dict[Any, set[int]] = {}
    for fact, revision in by_version:
        revisions.setdefault(fact, set()).add(revision)
    assert all(numbers == set(range(1, len(numbers) + 1)) for numbers in revisions.values())


def written(note: Note) -> tuple[Any, int]:
    """The version that an acknowledged write made."""
    assert note.receipt is not None
    (fact,) = note.receipt.facts
    named = re.search(r"revision (\d+)\)", note.receipt.lines[0])
    return fact, int(named[1]) if named else 1


def one_value_at_a_time(memory: Muniment, predicate: str) -> None:
    """The slot's versions are the fold of its statements, and nowhere do two of them hold."""
    me = memory.reader(**USER)
    key = SlotKey.of(subject=None, predicate=predicate)
    assert key is not None
    slot = Slot(key=key, placement=Placement(scope=Scope.USER, user=USER["user"]))
    home = PartitionKey(tenant=USER["tenant"], kind=OwnerType.USER, target=USER["user"])
    with memory.parts.store.write(me.identity, Locks(slots=(slot,), partitions=(home,))) as unit:
        told, live = unit.told(slots=[slot]), [row for row in unit.live(slots=[slot]) if row.standing is not None]
        unit.leave()
    said = [
        Statement(
            id=one.fact_id, value=one.value or one.content, start=one.stated_from, end=one.stated_until, trust=one.trust
        )
        for one in told
    ]
    folded = [(one.id, canonical(one.value), one.start, one.end, one.standing) for one in fold(said)]
    kept = [(row.id, canonical(row.value or ""), row.valid_from, row.valid_until, row.standing) for row in live]
    assert sorted(kept, key=str) == sorted(folded, key=str)
    assert len(kept) > 1
    held = sorted((row for row in live if row.standing is Standing.HELD), key=lambda row: str(row.valid_from))
    for one, other in pairwise(held):
        assert one.valid_until is not None
        assert other.valid_from is not None
        assert one.valid_until <= other.valid_from
