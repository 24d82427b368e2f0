"""Bundles of the kind `state`: what happened, which claims it makes, and which of them hold at the end.

Belongs here: the records read and checked. Does not belong here: writing them (`state`), figures (`state_figures`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from muniment.domain.errors import InvalidInput
from muniment.domain.statement import canonical
from muniment.text.clock_times import clock_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One event: its id, its words, when it happened."""

    id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim an event makes. Without a slot it is no state of anything. `events` are places in the bundle's events."""

    id: str
    subject: str | None
    slot: str | None
    value: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One record of the kind `state` that gives its claims."""

    id: str
    category: str
    events: tuple[Happening, ...]
    claims: tuple[Claim, ...]
    current: frozenset[str]
    edges: frozenset[tuple[str, str]]

    def told_in(self, claim: Claim) -> list[Happening]:
        """The events that make the claim."""
        return [self.events[place] for place in claim.events]

    def written_out(self, claim: Claim) -> bool:
        """Whether the claim's value stands in the words of its events; if not it is only a name for what they say."""
        value = canonical(claim.value)
        return any(value in canonical(event.text) for event in self.told_in(claim))


def has_claims(record: Mapping[str, Any]) -> bool:
    """Whether a record gives claims with what is current; records of whole preference profiles do not."""
    return "claims" in record and "current" in record


def bundle(record: Mapping[str, Any], zone: tzinfo) -> Bundle:
    """The record as a bundle. Raises `InvalidInput` naming what is missing, or an event without a time that reads."""
    name = str(record.get("id", "?"))
    try:
        events = tuple(_event(item, place, name, zone) for place, item in enumerate(record["events"]))
        claims = tuple(_claim(item, len(events)) for item in record["claims"])
        edges = frozenset((str(old), str(new)) for old, new in record.get("supersede") or ())
        current = frozenset(map(str, record["current"]))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InvalidInput(f"bundle {name}: {type(error).__name__}: {error}") from error
    known = {claim.id for claim in claims}
    if unknown := sorted((current | {item for edge in edges for item in edge}) - known):
        raise InvalidInput(f"bundle {name}: no claim {unknown[0]!r}")
    category = str(record.get("category") or "all")
    return Bundle(id=name, category=category, events=events, claims=claims, current=current, edges=edges)


def _event(item: Mapping[str, Any], place: int, bundle_id: str, zone: tzinfo) -> Happening:
    identity = f"{bundle_id}/{item.get('id', place)}"
    return Happening(id=identity, text=str(item["text"]), at=clock_time(item["time"], zone))


def _claim(item: Mapping[str, Any], events: int) -> Claim:
    told = tuple(int(place) for place in item["events"])
    if not told or not all(0 <= place < events for place in told):
        raise ValueError(f"claim {item['id']} names an event that is not there")
    return Claim(
        id=str(item["id"]), subject=item.get("subject"), slot=item.get("slot"), value=str(item["value"]), events=told
    )


def in_order(claims: Sequence[Claim], events: Sequence[Happening]) -> list[Claim]:
    """The claims as they were made: by the time of their first event, then as listed."""
    return sorted(claims, key=lambda claim: events[claim.events[0]].at)
