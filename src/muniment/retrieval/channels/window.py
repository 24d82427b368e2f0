"""The running conversation: the last turns of a session, first in, first out.

In process and no table of its own; a process that has not seen the session yet reads its last evidence once.
A turn is a user's message with what answers it (the agent's words, tool results) up to the next one.

Belongs here: the window and its channel. Does not belong here: summaries, caches of servers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from uuid import UUID

from muniment.domain.answers import Hit
from muniment.domain.enums import ActorType, Eligibility
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.channels.hits import evidence_hit

Key = tuple[str, str, str]
MESSAGES_PER_TURN = 8
"""Messages read per turn at most: a user's message with its answer and tool results."""

SESSIONS = 10_000
"""Sessions a process remembers; the one used longest ago goes first."""


class Window:
    """The ids of each session's latest evidence, with whether each begins a turn. Safe to share between threads."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self._lock = threading.Lock()
        self._sessions: OrderedDict[Key, list[tuple[UUID, bool]]] = OrderedDict()

    def push(self, key: Key, items: Sequence[tuple[UUID, bool]]) -> None:
        """Adds evidence, oldest first, as (id, begins a turn); what falls out of the window is forgotten."""
        with self._lock:
            held = self._sessions.get(key)
            if held is None:
                return
            self._sessions[key] = self.last([*held, *items])
            self._sessions.move_to_end(key)

    def start(self, key: Key, items: Sequence[tuple[UUID, bool]]) -> list[UUID]:
        """The window's ids; one not known yet begins with `items`."""
        with self._lock:
            if key not in self._sessions:
                self._sessions[key] = self.last(list(items))
                if len(self._sessions) > SESSIONS:
                    self._sessions.popitem(last=False)
            return [ref for ref, _ in self._sessions[key]]

    def held(self, key: Key) -> list[UUID] | None:
        """The window's ids, oldest first, or None for a session this process has not seen."""
        with self._lock:
            held = self._sessions.get(key)
            return None if held is None else [ref for ref, _ in held]

    def clear(self, key: Key) -> None:
        """Forgets a session's window."""
        with self._lock:
            self._sessions.pop(key, None)

    def forget(self, tenant: str, user: str | None) -> None:
        """Forgets every window of a user; None: of all users of the tenant."""
        with self._lock:
            for key in [key for key in self._sessions if key[0] == tenant and user in (None, key[1])]:
                del self._sessions[key]

    def last(self, items: list[tuple[UUID, bool]]) -> list[tuple[UUID, bool]]:
        """What of the items lies in the window."""
        begins = [place for place, (_, first) in enumerate(items) if first]
        start = begins[-self.turns] if len(begins) >= self.turns else 0
        return items[start:][-self.turns * MESSAGES_PER_TURN :]


class WindowChannel:
    """The last turns of the reader's session, oldest first."""

    name = "window"
    semantic = False

    def __init__(self, window: Window) -> None:
        self.window = window

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """The turns that may be shown; none without a session, or as of another instant."""
        reader = ask.reader
        if reader.session is None:
            return Recall()
        key = (reader.tenant, reader.user, reader.session)
        ids = self.window.held(key) if ask.as_of.known_at is None else None
        if ids is None:
            pieces = unit.session_evidence(reader.session, self.window.turns * MESSAGES_PER_TURN)
            events = [None, *(piece.event_id for piece in pieces)]
            turns = [
                (piece.evidence_id, piece.actor is ActorType.USER and piece.event_id != before)
                for piece, before in zip(pieces, events, strict=False)
            ]
            ids = [ref for ref, _ in self.window.last(turns)]
            if ask.as_of.known_at is None:
                ids = self.window.start(key, turns)
        found = unit.evidence(ids)
        hits: list[Hit] = [
            evidence_hit(found[ref], channel=self.name, score=1.0, parts={}, reason="said in this session just now")
            for ref in ids
            if ref in found and found[ref].eligibility is Eligibility.ELIGIBLE
        ]
        return Recall(hits=hits)
