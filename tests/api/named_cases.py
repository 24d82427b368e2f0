"""What the two files of named cases share: a memory without an embedder, with the built-in extractor, and instants."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import muniment
from muniment.domain.records import Fact
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock

DRINK = {"predicates": {"drink": {"single": True, "synonyms": ["drinks", "喝的"]}}}
"""A single-valued predicate that the shipped catalogue does not have."""
DOCUMENT = {"event_type": "document", "source_system": "wiki", "source_id": "page-7"}
CHANNELS = ("exact", "facts", "window", "evidence")


def at(month: int, day: int, hour: int = 0) -> datetime:
    """An instant of 2026, in UTC."""
    return datetime(2026, month, day, hour, tzinfo=UTC)


def plain(url: str, clock: SteppingClock, **given: Any) -> Muniment:
    """A memory as a newcomer opens it, without weights."""
    return muniment.open(url, **{"clock": clock, "embedder": "none", **given})


def values(facts: Iterable[Fact]) -> set[str | None]:
    return {fact.value for fact in facts}


def value(reader: Reader, predicate: str, **when: Any) -> str | None:
    """The value of a slot as of some instants."""
    found = reader.get(predicate, **when)
    return None if found is None else found.value
