"""What is asked to be forgotten, what that selects, and the receipt that says what went.

Belongs here: those values. Does not belong here: how anything is selected, hidden or erased (ingestion/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from muniment.domain.records import Receipt

By = Literal["fact", "session", "task", "user", "tenant", "query", "retention"]
Mode = Literal["hide", "erase"]
SELECTORS: Final[tuple[By, ...]] = ("fact", "session", "task", "user", "tenant", "query")
"""What a caller may name; `retention` is the lifecycle's own."""
MODES: Final[tuple[Mode, ...]] = ("hide", "erase")
NOTHING_DONE: Final = UUID(int=0)
"""The event of a receipt for which nothing was done: a dry run, or a question that matched nothing."""
FIRST_WORDS: Final = 60
"""Characters of an item that a manifest shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """One selector: what it goes by, the value, and the user whose memory it speaks of (None: the whole tenant's)."""

    by: By
    value: str
    user: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of a manifest: a fact or a piece of evidence with its first words."""

    kind: Literal["fact", "evidence", "candidate"]
    id: UUID
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(Receipt):
    """The receipt of a forget. `counts` are rows by table; `status` is 'dry run', 'nothing', 'done', or 'pending' where bytes
    in this database still wait to be overwritten; `copies` says where else content may be, as far as the store can know.

    `manifest` lists what a dry run found, `manifest_hash` names exactly that: given back as `expected_manifest`, anything
    else is refused.
    """

    mode: Mode = "hide"
    by: By = "fact"
    status: str = "done"
    counts: Mapping[str, int] = field(default_factory=dict)
    manifest: tuple[Listed, ...] = ()
    manifest_hash: str = ""
    copies: tuple[str, ...] = ()
    erasure: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A legal hold on a user: it stops purging and erasing. `reason` is None for who may not read it."""

    hold_id: UUID
    user: str
    set_by: str
    set_at: datetime
    until: datetime | None
    released_at: datetime | None
    reason: str | None = None

    def binds(self, at: datetime) -> bool:
        """Whether it is in force."""
        return self.released_at is None and (self.until is None or self.until > at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure on record: what it went by (never the content), how far it is, and how many rows of each table went."""

    erasure_id: UUID
    selector: Mapping[str, str]
    status: str
    requested_by: str
    requested_at: datetime
    finished_at: datetime | None
    counts: Mapping[str, int]
