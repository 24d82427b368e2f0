"""Kind `pref`: is a preference that somebody states found, and typed as one?

Each statement is observed by a user of its own. *Typed*: a candidate of it is a PREFERENCE. *Typed or limit*: or a CONSTRAINT, or
a FACT in the slot of an allergy or a diet, since a limit of the body is one and the same statement under either name ('I have a
severe nut allergy'). *Found*: whatever its type. *Accepted*: found, and kept without asking. Where the data gives a conversation
in which the preference shows only by a choice, what the user says there is observed instead of the statement.

Belongs here: the course of the suite and its figures. Does not belong here: labelled turns (`extraction`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import muniment
from muniment.domain.enums import CandidateStatus, MemoryType
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Candidate
from muniment.evaluation.extraction_scoring import ASKED
from muniment.evaluation.options import ReplayClock, Run

LIMITS: Final = frozenset({"allergy", "diet"})
"""Predicates of FACTs that limit as a preference does."""
_AT: Final = datetime(2030, 1, 7, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One preference with what was made of it."""

    category: str
    text: str
    candidates: tuple[Candidate, ...]

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """The candidates that were accepted or asked about."""
        return tuple(item for item in self.candidates if item.status in ASKED)


def evaluate(rows: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split, by category. Raises `InvalidInput` for a record without a preference."""
    chosen = [row for row in rows if run.options.split in (None, row.get("split", "all"))][: run.options.limit]
    groups: dict[tuple[str, str], list[Stated]] = {}
    for row, stated in zip(chosen, read_statements(chosen, run), strict=True):
        groups.setdefault((str(row.get("dataset", "pref")), str(row.get("split", "all"))), []).append(stated)
    return [
        {
            "dataset": dataset,
            "kind": "pref",
            "split": split,
            "n": len(group),
            "by_category": {
                name: _figures([item for item in group if item.category == name])
                for name in sorted({item.category for item in group})
            },
        }
        for (dataset, split), group in groups.items()
    ]


def read_statements(rows: Sequence[Mapping[str, Any]], run: Run) -> list[Stated]:
    """Each record's preference, observed. Raises `InvalidInput` for a record without one, before any is."""
    for row in rows:
        if not isinstance(row.get("preference"), str) or not row["preference"].strip():
            raise InvalidInput(f"record {row.get('id')!r}: no 'preference' in it")
    clock = ReplayClock()
    clock.at = _AT
    found: list[Stated] = []
    with muniment.open(":memory:", policy=run.policy, embedder=run.embedder, clock=clock) as memory:
        for done, row in enumerate(rows, start=1):
            reader = memory.reader(tenant="preferences", user=str(row.get("id", done)), session="talk")
            said = _said(row)
            event = reader.observe(said, occurred_at=_AT).event
            with reader.parts.store.read(reader.identity) as unit:
                made = tuple(unit.candidates(events=[event]))
            found.append(Stated(category=str(row.get("category", "all")), text=said, candidates=made))
            if run.options.progress is not None:
                run.options.progress("preferences", done, len(rows))
    return found


def _said(row: Mapping[str, Any]) -> str:
    """What the user says: their choice in the record's conversation, else the preference itself."""
    talk = row.get("conversation")
    chosen = talk.get("user_selection") if isinstance(talk, Mapping) else None
    return chosen if isinstance(chosen, str) and chosen.strip() else str(row["preference"])


def _figures(group: Sequence[Stated]) -> dict[str, Any]:
    typed = sum(any(item.memory_type is MemoryType.PREFERENCE for item in one.shown) for one in group)
    lenient = sum(any(_limits(item) for item in one.shown) for one in group)
    accepted = sum(any(item.status is CandidateStatus.ACCEPTED for item in one.candidates) for one in group)
    return {
        "n": len(group),
        "typed": round(typed / len(group), 4),
        "typed_or_limit": round(lenient / len(group), 4),
        "found": round(sum(bool(one.shown) for one in group) / len(group), 4),
        "accepted": round(accepted / len(group), 4),
    }


def _limits(item: Candidate) -> bool:
    return item.memory_type in (MemoryType.PREFERENCE, MemoryType.CONSTRAINT) or (
        item.memory_type is MemoryType.FACT and item.predicate in LIMITS
    )
