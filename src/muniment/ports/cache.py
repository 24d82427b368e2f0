"""The cache: short lists that every server of one memory may share.

Contract. What is kept is ids and never content, and whoever reads a list reads each id again under the reader's scopes: so a
cache authorises nothing, and what was forgotten is gone though its id may still be listed. A list carries a `mark`, up to which
its user's partition had been written when it was made; one whose mark is not the partition's own is out of date and is not
used. Lists lapse. Anything that fails raises `CacheFault`, soon: then the store is asked instead.

Belongs here: the port and its values. Does not belong here: what is listed (retrieval/channels/window).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class CacheFault(Exception):
    """The cache did not answer. It never reaches a caller: the call goes on without it, and says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a list stands: whose it is, and its name among the user's lists."""

    tenant: str
    user: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list, oldest first, and the mark it is complete up to (microseconds since 1970)."""

    mark: int
    items: tuple[str, ...]


class Cache(Protocol):
    """Lists of at most `longest` items that lapse `seconds` after they were last written."""

    @property
    def name(self) -> str: ...

    def read(self, place: Place) -> Listed | None:
        """The list, or None where there is none."""
        ...

    def write(self, place: Place, listed: Listed, *, longest: int, seconds: int) -> None:
        """Sets the list to the last `longest` of these."""
        ...

    def append(self, place: Place, listed: Listed, *, after: int, longest: int, seconds: int) -> None:
        """Adds to a list that is complete up to `after` (or to this very mark); drops one that is not, as something of it is
        missing. Does nothing where there is none. All of it happens at once, whoever else is at it."""
        ...

    def forget(self, tenant: str, user: str | None) -> None:
        """Drops every list of a user; None: of all users of the tenant."""
        ...

    def close(self) -> None:
        """Gives connections back; another call opens new ones."""
        ...
