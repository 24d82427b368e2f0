"""Many who amend the same slots of one user at once: threads of several processes, each noting what was acknowledged.

Two things at a time. The contest: facts that stand alone, which every writer amends expecting the revision that was made before
the race. The crowd: two slots and a status key, where each states, changes, corrects and takes back whatever stands at the
moment, with the revision it read and without. Every value is said once only, so that what became of each write can be found.

Belongs here: the writers and their notes. Does not belong here: what must be true afterwards (`test_slot_races`).
"""

from __future__ import annotations

import multiprocessing
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from uuid import UUID

import muniment
from muniment import Conflict, NotFound
from muniment.domain.records import Receipt
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant

USER = {"tenant": "acme", "user": "ana"}
SLOTS = ("residence", "seat", "step")
KINDS = ("correct", "change", "invalidate")
CONTESTED = 6
"""Facts of the contest, amended in each of the ways in turn."""


@dataclass(frozen=True, slots=True)
class Note:
    """One write and its answer: acknowledged with a receipt, or refused by the name of an error."""

    kind: str
    fact: UUID | None
    value: str
    day: int
    expected: int | None = None
    slot: str = ""
    contest: bool = False
    refused: str = ""
    receipt: Receipt | None = None


@dataclass(slots=True)
class Outcome:
    """All notes of all writers, and what surfaced that must not."""

    contested: list[UUID]
    notes: list[Note] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def acknowledged(self, *kinds: str) -> list[Note]:
        """The writes of these kinds that went through."""
        return [note for note in self.notes if note.receipt is not None and (not kinds or note.kind in kinds)]


def race(url: str, *, threads: Sequence[int], seconds: float) -> Outcome:
    """Has a process per number, with that many threads, amend the store behind the URL at the same time."""
    with muniment.open(url, embedder="none") as memory:
        contested = _contested(memory.reader(**USER))
        for slot in SLOTS:
            _state(memory.reader(**USER), slot, f"{slot} at first", 1, None)
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(len(threads)), context.Queue()
    processes = [
        context.Process(target=_process, args=(url, place, count, contested, seconds, gate, answers), daemon=True)
        for place, count in enumerate(threads)
    ]
    for process in processes:
        process.start()
    outcome = Outcome(contested)
    for _ in processes:
        notes, errors = answers.get(timeout=seconds + 150)
        outcome.notes += notes
        outcome.errors += errors
    for process in processes:
        process.join(30)
    return outcome


def _contested(me: Reader) -> list[UUID]:
    facts: list[UUID] = []
    for number in range(CONTESTED):
        said = me.add_fact(
            f"guest {number} lives in Lyon",
            subject=f"guest {number}",
            predicate="residence",
            value="Lyon",
            valid_from=instant(1),
        )
        facts += said.facts
    return facts


def _process(
    url: str, place: int, threads: int, contested: list[UUID], seconds: float, gate: Any, answers: Any
) -> None:
    """One process: opens the store, waits for the others, writes, and answers what it noted."""
    notes: list[Note] = []
    errors: list[str] = []
    try:
        with muniment.open(url, embedder="none") as memory:
            memory.reader(**USER).facts()
            gate.wait(100)
            running = [
                threading.Thread(
                    target=_write,
                    args=(memory, f"w{place}.{number}", contested, seconds, notes, errors),
                    daemon=True,
                )
                for number in range(threads)
            ]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
    except BaseException:
        errors.append(traceback.format_exc(limit=-4))
    answers.put((notes, errors))


def _write(
    memory: muniment.Muniment, name: str, contested: list[UUID], seconds: float, notes: list[Note], errors: list[str]
) -> None:
    """One writer: the contest first, while all are fresh, then the crowd for its time; at last what was sent is sent again."""
    me, random = memory.reader(**USER), Random(name)
    try:
        for number, fact in enumerate(contested):
            kind = KINDS[number % len(KINDS)]
            notes.append(_amend(me, Note(kind, fact, f"{name} won {number}", 2, expected=1, contest=True)))
        until = time.monotonic() + seconds
        said: list[Note] = []
        while time.monotonic() < until or len(said) < 4:
            said.append(_one(me, random, f"{name} said {len(said)}"))
        notes += said
        for note in [note for note in said if note.receipt is not None][-2:]:
            _again(me, note)
    except BaseException:
        errors.append(f"{name}: {traceback.format_exc(limit=-4)}")


def _one(me: Reader, random: Random, value: str) -> Note:
    """States something in a slot, or amends what it finds there."""
    slot, day = random.choice(SLOTS), random.randint(1, 20)
    found = me.facts(predicate=slot, subject="user", valid_at=instant(day), include_contenders=True).items
    if not found or random.random() < 0.4:
        return replace(Note("add", None, value, day, slot=slot), receipt=_state(me, slot, value, day, value))
    fact = random.choice(found)
    expected = fact.revision if random.random() < 0.5 else None
    return _amend(me, Note(random.choice(KINDS), fact.id, value, day, expected, slot))


def _state(me: Reader, slot: str, value: str, day: int, key: str | None) -> Receipt:
    given: dict[str, Any] = {"valid_from": instant(day), "idempotency_key": key}
    if slot == "step":
        return me.set_status("step", value, **given)
    return me.add_fact(f"{slot}: {value}", predicate=slot, value=value, **given)


def _amend(me: Reader, note: Note) -> Note:
    """One act; that the fact moved on, or is gone, is an answer."""
    assert note.fact is not None
    given: dict[str, Any] = {"expected_revision": note.expected, "idempotency_key": note.value}
    try:
        if note.kind == "change":
            receipt = me.change(note.fact, value=note.value, at=instant(note.day), **given)
        elif note.kind == "correct":
            receipt = me.correct(note.fact, value=note.value, **given)
        else:
            receipt = me.invalidate(note.fact, reason=note.value, **given)
    except (Conflict, NotFound) as error:
        return replace(note, refused=type(error).__name__)
    return replace(note, receipt=receipt)


def _again(me: Reader, note: Note) -> None:
    """An acknowledged write, sent again as it was: answered as at first, whatever happened since."""
    again = _state(me, note.slot, note.value, note.day, note.value) if note.kind == "add" else _amend(me, note).receipt
    first = note.receipt
    if again is None or first is None or not again.replayed or (again.event, again.facts) != (first.event, first.facts):
        raise AssertionError(f"{note.value}: sent again, it was answered otherwise: {again}")
