"""Summaries: what a session, a user or a task has been about, in five fields.

A summary is derived and never a source of facts. Each line names the facts and evidence it rests on, so that one of them that
is forgotten takes the line along, and so that an exact value can be shown from its source instead of from a retelling.

Belongs here: the values. Does not belong here: how they are made, kept and found.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from muniment.domain.scope import Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a summary; `rests_on` are the facts and pieces of evidence it was made from."""

    text: str
    rests_on: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One version of a rolling summary: of a session where its placement has one, of a task, or of a user across sessions.

    `covers_from` to `covers_until` is the time of what was said that it covers; `derived_by` names what made it.
    """

    summary_id: UUID
    version: int
    placement: Placement
    topic: tuple[Line, ...]
    confirmed: tuple[Line, ...]
    open_items: tuple[Line, ...]
    entities: tuple[Line, ...]
    mood: tuple[Line, ...]
    covers_from: datetime | None
    covers_until: datetime | None
    derived_by: str
    recorded_at: datetime
    retracted_at: datetime | None = None

    @property
    def content(self) -> str:
        """Every line, one under the other, in the order of the fields."""
        fields = (self.topic, self.confirmed, self.open_items, self.entities, self.mood)
        return "\n".join(line.text for lines in fields for line in lines)
