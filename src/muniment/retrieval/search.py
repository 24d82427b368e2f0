"""Search: one question through route, recall, filter and adjudication, to hits that say why.

A channel that fails is skipped and named in `degraded`; it never fails the call.

Belongs here: the order of the steps. Does not belong here: what a step does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from muniment.domain.answers import Dropped, Hit, Hits, Route
from muniment.domain.errors import ModelError, MunimentError
from muniment.domain.records import Fact
from muniment.ports.index import Index
from muniment.ports.models import Embedder
from muniment.ports.store import ReadUnit, Store
from muniment.retrieval import adjudicate, history
from muniment.retrieval.ask import Ask, Recall, checked
from muniment.retrieval.channels.exact import Exact, ExactChannel
from muniment.retrieval.channels.semantic import EvidenceChannel, FactsChannel
from muniment.retrieval.channels.window import Window, WindowChannel
from muniment.retrieval.fuse import merge
from muniment.retrieval.route import route
from muniment.retrieval.where import check

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Recalled:
    """What the channels of one question gave, by channel, before they are set beside each other."""

    route: Route
    by_channel: dict[str, list[Hit]]
    dropped: list[Dropped]
    degraded: list[str]
    lost: list[Fact] = field(default_factory=list)
    past: list[Fact] = field(default_factory=list)


@dataclass(slots=True)
class Search:
    """The read path's first five steps over its ports."""

    store: Store
    index: Index
    embedder: Embedder
    window: Window

    def search(self, ask: Ask) -> Hits:
        """The best `k` hits: exact, then facts and evidence as `fuse` merges them; scores rank inside a channel only."""
        ask = self.check(ask)
        with self.store.read(ask.reader, ask.as_of) as unit:
            found = self.recall(ask, unit, with_window=False)
            named = found.by_channel
            facts, shadowed = adjudicate.shadow(named.get("facts", []), ask.policy)
            exact, hidden = adjudicate.shadow(named.get("exact", []), ask.policy)
            asked = history.wanted(ask.query)
            facts = history.marked(facts, unit)
            exact, pinned = history.apart(history.marked(exact, unit), asked)
            said = history.marked([*named.get("window", []), *named.get("evidence", [])], unit)
            said, same = adjudicate.fold([hit for some in history.apart(said, asked) for hit in some])
            said, behind = history.apart(said, asked)
            hits, folded = merge(exact, facts, said)
            shown = {hit.id for hit in hits}
            hits += [hit for hit in (*pinned, *behind) if hit.id not in shown]
            hits = adjudicate.contested(hits[: ask.k], unit)
            return Hits(
                hits,
                conflicts=tuple(adjudicate.conflicts((hit.item for hit in hits if isinstance(hit.item, Fact)), unit)),
                route=found.route,
                degraded=tuple(found.degraded),
                dropped=(*found.dropped, *shadowed, *hidden, *same, *folded),
                known_at=unit.token,
            )

    def check(self, ask: Ask) -> Ask:
        """The question, cleaned and checked."""
        if ask.where is not None:
            check(ask.where, depth=ask.policy.limits.depth)
        return checked(ask)

    def recall(self, ask: Ask, unit: ReadUnit, *, with_window: bool) -> Recalled:
        """Asks the routed channels; the question is embedded once, and only if a channel needs it."""
        found = Recalled(Route(channels=(), reasons={}), {}, [], [])
        exact: Exact | None = None
        if ask.channels is None or "exact" in ask.channels:
            exact = self._guarded(found, "exact", lambda: ExactChannel().find(ask, unit))
        found.route = route(ask, exact, with_window=with_window)
        if exact is not None and "exact" in found.route.channels:
            found.by_channel["exact"] = exact.recall.hits
        vector = self._vector(ask, found) if {"facts", "evidence"} & set(found.route.channels) else None
        channels: dict[str, Callable[[], Recall]] = {
            "facts": lambda: FactsChannel(self.index).recall(ask, unit, vector),
            "window": lambda: WindowChannel(self.window).recall(ask, unit),
            "evidence": lambda: EvidenceChannel(self.index).recall(ask, unit, vector),
        }
        for name in found.route.channels:
            if name in channels and (recall := self._guarded(found, name, channels[name])) is not None:
                found.by_channel[name] = recall.hits
                found.dropped += recall.dropped
                found.lost += recall.lost
                found.past += recall.past
        return found

    def _vector(self, ask: Ask, found: Recalled) -> Any:
        """The question's vector; keyword scoring alone where the embedder fails."""
        if ask.vector is not None or self.embedder.dimension == 0 or not ask.query.strip():
            return ask.vector
        try:
            return self.embedder.encode([ask.query], kind="query")[0]
        except ModelError:
            found.degraded.append("embedder")
            return None

    @staticmethod
    def _guarded(found: Recalled, name: str, work: Callable[[], Any]) -> Any:
        """Runs a channel; its failure is logged without content and named, and the others go on.

        A fault of the store is not a channel's: the snapshot itself is gone, so it is raised.
        """
        try:
            return work()
        except MunimentError:
            raise
        except Exception as error:
            log.warning("channel %s failed: %s", name, type(error).__name__)
            found.degraded.append(name)
            return None
