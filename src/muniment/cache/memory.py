"""Lists in this process: for one server, and for tests of everything that needs a cache.

Belongs here: the adapter. Does not belong here: what is kept in it.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import replace

from muniment.ports.cache import Listed, Place

LISTS = 10_000
"""Lists a process keeps; the one used longest ago goes first."""


class MemoryCache:
    """Lists in a dictionary. Safe to share between threads."""

    name = "memory"

    def __init__(self, lists: int = LISTS) -> None:
        self._most = lists
        self._lock = threading.Lock()
        self._lists: OrderedDict[Place, tuple[Listed, float]] = OrderedDict()

    def read(self, place: Place) -> Listed | None:
        """The list, or None where there is none or it lapsed."""
        with self._lock:
            return self._held(place)

    def write(self, place: Place, listed: Listed, *, longest: int, seconds: int) -> None:
        """Sets the list."""
        with self._lock:
            self._set(place, listed, longest, seconds)

    def append(self, place: Place, listed: Listed, *, after: int, longest: int, seconds: int) -> None:
        """Adds to a list that is complete, drops one that is not."""
        with self._lock:
            held = self._held(place)
            if held is None:
                return
            if held.mark not in (after, listed.mark):
                del self._lists[place]
                return
            self._set(place, replace(listed, items=held.items + listed.items), longest, seconds)

    def forget(self, tenant: str, user: str | None) -> None:
        """Drops every list of a user, or of a tenant."""
        with self._lock:
            for place in [item for item in self._lists if item.tenant == tenant and user in (None, item.user)]:
                del self._lists[place]

    def close(self) -> None:
        """Drops all."""
        with self._lock:
            self._lists.clear()

    def _held(self, place: Place) -> Listed | None:
        found = self._lists.get(place)
        if found is None:
            return None
        if found[1] <= time.monotonic():
            del self._lists[place]
            return None
        self._lists.move_to_end(place)
        return found[0]

    def _set(self, place: Place, listed: Listed, longest: int, seconds: int) -> None:
        self._lists[place] = (replace(listed, items=listed.items[-longest:]), time.monotonic() + seconds)
        self._lists.move_to_end(place)
        while len(self._lists) > self._most:
            self._lists.popitem(last=False)
