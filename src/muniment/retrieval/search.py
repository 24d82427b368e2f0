"""Search: one question through route, recall, filter and adjudication, to hits that say why.

A channel that fails is skipped and named in `degraded`; it never fails the call.

Belongs here: the order of the steps. Does not belong here: what a step does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from muniment.domain.answers import Dropped, Hit, Hits, Route
from muniment.domain.errors import ModelError, MunimentError
from muniment.domain.records import Fact
from muniment.ports.models import Embedder
from muniment.ports.store import ReadUnit, Store
from muniment.retrieval import adjudicate, history, look_alikes
from muniment.retrieval.ask import Ask, Recall, checked
from muniment.retrieval.channels.channel import Channel, OutsideChannel
from muniment.retrieval.channels.exact import ExactChannel
from muniment.retrieval.fuse import merge
from muniment.retrieval.route import route, spared
from muniment.retrieval.where import check

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(slots=True)
class Recalled:
    """What the channels of one question gave, by channel, before they are set beside each other."""

    route: Route
    by_channel: dict[str, list[Hit]] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    lost: list[Fact] = field(default_factory=list)
    past: list[Fact] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)

    def add(self, name: str, recall: Recall) -> None:
        """Takes in what one channel found."""
        self.by_channel[name] = recall.hits
        self.dropped += recall.dropped
        self.lost += recall.lost
        self.past += recall.past
        if recall.answers:
            self.answered.add(name)


@dataclass(slots=True)
class Search:
    """The read path's first five steps over its ports; `channels` by name, `outside` those of the application's own sources."""

    store: Store
    embedder: Embedder
    channels: Mapping[str, Channel]
    outside: Mapping[str, OutsideChannel] = field(default_factory=dict)

    def search(self, ask: Ask) -> Hits:
        """The best `k` hits: exact, then facts and evidence as `fuse` merges them; scores rank inside a channel only."""
        ask = self.check(ask)
        with self.recalled(ask, in_context=False) as (unit, found):
            hits, dropped = self._merged(ask, unit, found)
            return Hits(
                hits,
                conflicts=tuple(adjudicate.conflicts((hit.item for hit in hits if isinstance(hit.item, Fact)), unit)),
                route=found.route,
                degraded=tuple(found.degraded),
                dropped=(*found.dropped, *dropped),
                known_at=unit.token,
            )

    def check(self, ask: Ask) -> Ask:
        """The question, cleaned and checked."""
        if ask.where is not None:
            check(ask.where, depth=ask.policy.limits.depth)
        return checked(ask)

    @contextmanager
    def recalled(self, ask: Ask, *, in_context: bool) -> Iterator[tuple[ReadUnit, Recalled]]:
        """What the routed channels found, with the snapshot they read from, open.

        Whether exact keys answer is looked up first, in a snapshot of its own and only where the question names any: if they
        do, nothing is embedded and nobody outside is asked. No snapshot is held while a model or a source is waited for.
        """
        found = Recalled(Route(channels=(), reasons={}))
        available = {*self.channels, *self.outside}
        exact: Recall | None = None
        if (ask.channels is None or "exact" in ask.channels) and self._guarded(
            found, "exact", lambda: ExactChannel.concerns(ask)
        ):
            with self.store.read(ask.reader, ask.as_of) as unit:
                exact = self._guarded(found, "exact", lambda: self.channels["exact"].recall(ask, unit))
                found.route = route(ask, exact, available=available, in_context=in_context)
                if exact is not None and found.route.stopped:
                    found.add("exact", exact)
                    yield unit, found
                    return
        found.route = route(ask, exact, available=available, in_context=in_context)
        ask = self._prepared(ask, found)
        with self.store.read(ask.reader, ask.as_of) as unit:
            self._recall(ask, unit, found, exact)
            for name in ("facts", "evidence"):
                found.by_channel[name], others = look_alikes.apart(ask, found.by_channel.get(name, []))
                found.dropped += others
            yield unit, found

    def _prepared(self, ask: Ask, found: Recalled) -> Ask:
        """The question embedded, where a routed channel needs it, and what the sources outside know of it."""
        for name, source in self.outside.items():
            if name in found.route.channels:
                try:
                    found.add(name, source.recall(ask))
                except Exception as error:  # the application's own code: its failure is named, never raised
                    log.warning("channel %s failed: %s", name, type(error).__name__)
                    found.degraded.append(name)
        semantic = any(self.channels[name].semantic for name in found.route.channels if name in self.channels)
        if not semantic or ask.vector is not None or self.embedder.dimension == 0 or not ask.query.strip():
            return ask
        try:
            return replace(ask, vector=self.embedder.encode([ask.query], kind="query")[0])
        except ModelError:
            found.degraded.append("embedder")
            return ask

    def _recall(self, ask: Ask, unit: ReadUnit, found: Recalled, exact: Recall | None) -> None:
        """Asks the routed channels of one snapshot, each unless one before it made it needless."""
        left_out: dict[str, str] = {}
        for name in found.route.channels:
            if name not in self.channels or name in found.degraded:
                continue
            if name == "exact" and (exact is None or not exact.hits):
                found.add(name, exact or Recall())
            elif reason := spared(found.route, name, found.answered):
                left_out[name] = reason
            else:
                channel = self.channels[name]
                recall = self._guarded(found, name, lambda channel=channel: channel.recall(ask, unit))  # type: ignore[misc]
                if recall is not None:
                    found.add(name, recall)
        if left_out:
            chosen = tuple(name for name in found.route.channels if name not in left_out)
            reasons = {name: found.route.reasons[name] for name in chosen}
            found.route = replace(found.route, channels=chosen, reasons=reasons, spared=left_out)

    @staticmethod
    def _merged(ask: Ask, unit: ReadUnit, found: Recalled) -> tuple[list[Hit], list[Dropped]]:
        """The channels' hits as one list, and what adjudication left out."""
        named = found.by_channel
        facts, shadowed = adjudicate.shadow(named.get("facts", []), ask.policy)
        exact, hidden = adjudicate.shadow(named.get("exact", []), ask.policy)
        asked = history.wanted(ask.query)
        facts = history.marked(facts, unit)
        exact, pinned = history.apart(history.marked(exact, unit), asked)
        said = history.marked([*named.get("window", []), *named.get("evidence", [])], unit)
        said, same = adjudicate.fold([hit for some in history.apart(said, asked) for hit in some])
        said, behind = history.apart(said, asked)
        lead = [hit for name in ("task", "summary", "workflow") for hit in named.get(name, [])]
        hits, folded = merge([*exact, *lead], facts, said)
        hits += named.get("knowledge", [])
        shown = {hit.id for hit in hits}
        hits += [hit for hit in (*pinned, *behind) if hit.id not in shown]
        return adjudicate.contested(hits[: ask.k], unit), [*shadowed, *hidden, *same, *folded]

    @staticmethod
    def _guarded(found: Recalled, name: str, work: Callable[[], T]) -> T | None:
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
