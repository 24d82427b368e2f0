"""The running conversation: the last turns of a session, first in, first out.

A turn is a user's message with what answers it (the agent's words, tool results) up to the next one. Its ids are listed in a
cache, which servers may share, and no table of its own; a list that is missing, out of date or out of reach is made from the
session's last evidence. Each id is read again under the reader's scopes, so that nothing forgotten is shown.

Belongs here: the window and its channel. Does not belong here: summaries, caches (`ports/cache`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from muniment.domain.answers import Hit
from muniment.domain.enums import ActorType, Eligibility, OwnerType
from muniment.domain.records import Evidence
from muniment.domain.scope import PartitionKey
from muniment.domain.time import micros
from muniment.domain.token import known_in
from muniment.ports.cache import Cache, CacheFault, Listed, Place
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.channels.hits import evidence_hit

log = logging.getLogger(__name__)

Key = tuple[str, str, str]
"""Tenant, user, session."""
MESSAGES_PER_TURN = 8
"""Messages kept per turn at most: a user's message with its answer and tool results."""


class Window:
    """The ids of each session's latest evidence, with whether each begins a turn, in a cache. Safe to share between threads."""

    def __init__(self, turns: int, cache: Cache, *, seconds: int) -> None:
        self.turns = turns
        self.cache = cache
        self.longest = turns * MESSAGES_PER_TURN
        self._seconds = seconds

    def push(
        self, key: Key, items: Sequence[tuple[UUID, bool]], *, follows: datetime | None, known_at: datetime | None
    ) -> None:
        """Adds evidence, oldest first, as (id, begins a turn), that was written at `known_at`, next to `follows` in its
        user's partition. A cache that fails costs the next reader a look at the store, and the writer nothing."""
        before, mark = micros(follows), micros(known_at)
        if before is None or mark is None:
            return
        listed = Listed(mark=mark, items=tuple(_spelt(ref, first) for ref, first in items))
        try:
            self.cache.append(_place(key), listed, after=before, longest=self.longest, seconds=self._seconds)
        except CacheFault:
            log.warning("the window of a session was not noted in the cache")

    def held(self, key: Key, mark: int) -> list[UUID] | None:
        """The window's ids, oldest first; None where none is listed, or not up to the mark. Raises `CacheFault`."""
        listed = self.cache.read(_place(key))
        if listed is None or listed.mark != mark:
            return None
        return [ref for ref, _ in self.last([_read(item) for item in listed.items])]

    def start(self, key: Key, items: Sequence[tuple[UUID, bool]], mark: int) -> None:
        """Lists a session's window as it was read from the store. Raises `CacheFault`."""
        listed = Listed(mark=mark, items=tuple(_spelt(ref, first) for ref, first in self.last(items)))
        self.cache.write(_place(key), listed, longest=self.longest, seconds=self._seconds)

    def forget(self, tenant: str, user: str | None) -> None:
        """Forgets every window of a user; None: of all users of the tenant. Where the cache fails, its lists hold ids of what
        is not there any more, and are out of date."""
        try:
            self.cache.forget(tenant, user)
        except CacheFault:
            log.warning("windows of forgotten sessions stay in the cache until they lapse: ids only")

    def last(self, items: Sequence[tuple[UUID, bool]]) -> list[tuple[UUID, bool]]:
        """What of the items lies in the window."""
        begins = [place for place, (_, first) in enumerate(items) if first]
        start = begins[-self.turns] if len(begins) >= self.turns else 0
        return list(items[start:])[-self.longest :]


class WindowChannel:
    """The last turns of the reader's session, oldest first."""

    name = "window"
    semantic = False

    def __init__(self, window: Window) -> None:
        self.window = window

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """The turns that may be shown; none without a session."""
        session = ask.reader.session
        if session is None:
            return Recall()
        recall = Recall()
        found: dict[UUID, Evidence] = {}
        ids = self._listed(ask, unit, session, recall)
        if ids is None:
            pieces = unit.session_evidence(session, self.window.longest)
            events = [None, *(piece.event_id for piece in pieces)]
            said = [
                (piece.evidence_id, piece.actor is ActorType.USER and piece.event_id != before)
                for piece, before in zip(pieces, events, strict=False)
            ]
            turns = self.window.last(said)
            ids = [ref for ref, _ in turns]
            found = {piece.evidence_id: piece for piece in pieces}
            self._noted(ask, unit, session, turns, recall)
        else:
            found = unit.evidence(ids)
        hits: list[Hit] = [
            evidence_hit(found[ref], channel=self.name, score=1.0, parts={}, reason="said in this session just now")
            for ref in ids
            if ref in found and found[ref].eligibility is Eligibility.ELIGIBLE
        ]
        recall.hits = hits
        return recall

    def _listed(self, ask: Ask, unit: ReadUnit, session: str, recall: Recall) -> list[UUID] | None:
        """The ids that the cache lists, if it is up to date; a read as of another instant asks the store alone."""
        if ask.as_of.known_at is not None:
            return None
        try:
            return self.window.held((ask.reader.tenant, ask.reader.user, session), _mark(ask, unit))
        except CacheFault:
            recall.degraded.append("cache")
            return None

    def _noted(
        self, ask: Ask, unit: ReadUnit, session: str, turns: Sequence[tuple[UUID, bool]], recall: Recall
    ) -> None:
        """Lists what was read from the store for the next one who asks, unless the cache is down."""
        if ask.as_of.known_at is not None or recall.degraded:
            return
        try:
            self.window.start((ask.reader.tenant, ask.reader.user, session), turns, _mark(ask, unit))
        except CacheFault:
            recall.degraded.append("cache")


def _mark(ask: Ask, unit: ReadUnit) -> int:
    """Up to when the reader's own partition is written in this snapshot."""
    home = PartitionKey(tenant=ask.reader.tenant, kind=OwnerType.USER, target=ask.reader.user)
    return micros(known_in(unit.token, home)) or 0


def _place(key: Key) -> Place:
    tenant, user, session = key
    return Place(tenant=tenant, user=user, name=f"window:{session}")


def _spelt(ref: UUID, first: bool) -> str:
    return f"{int(first)}{ref.hex}"


def _read(item: str) -> tuple[UUID, bool]:
    """An item of a list. Raises `CacheFault` for what is none: somebody else writes there too."""
    try:
        return UUID(hex=item[1:]), item[:1] == "1"
    except ValueError:
        raise CacheFault("a list holds what is no id") from None
