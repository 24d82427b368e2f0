"""Search: one question through route, recall, filter and adjudication, to hits that say why.

A channel that fails is skipped and named in `degraded`; it never fails the call.

Belongs here: the order of the steps. Does not belong here: what a step does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import UUID

from muniment.domain.answers import Dropped, Hit, Hits, Route
from muniment.domain.errors import ModelError, MunimentError
from muniment.domain.records import Fact
from muniment.ports.models import Embedder, Reranker
from muniment.ports.store import ReadUnit, Store
from muniment.retrieval import adjudicate, history, look_alikes, takeover
from muniment.retrieval.ask import Ask, Recall, checked
from muniment.retrieval.channels.channel import Channel, OutsideChannel
from muniment.retrieval.channels.exact import ExactChannel
from muniment.retrieval.fuse import merge, with_knowledge
from muniment.retrieval.rerank import reranked
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
        self.degraded += recall.degraded
        if recall.answers:
            self.answered.add(name)


@dataclass(slots=True)
class Search:
    """The read path's first five steps over its ports; `channels` by name, `outside` those of the application's own sources."""

    store: Store
    embedder: Embedder
    channels: Mapping[str, Channel]
    outside: Mapping[str, OutsideChannel] = field(default_factory=dict)
    reranker: Reranker | None = None

    def search(self, ask: Ask) -> Hits:
        """The best `k` hits: exact, then facts and evidence as `fuse` merges them; scores rank inside a channel only."""
        ask = self.check(ask)
        # What a reranker may lift into the first k has to be found first.
        wide = replace(ask, k=max(ask.k, self._reranks(ask)))
        with self.recalled(wide, in_context=False) as (unit, found):
            hits, dropped = self._merged(wide, unit, found)
            token = unit.token
            disputes = adjudicate.disputes(hits, unit)
            hits = adjudicate.contested(hits, disputes)
            together = _together(disputes, hits, whole=wide.k == ask.k)
            told = {ref: adjudicate.told(some, unit) for ref, some in together}
        shown = self.reranked(ask, hits, found)[: ask.k]
        kept = {None, *(hit.id for hit in shown)}
        return Hits(
            shown,
            conflicts=tuple(dict.fromkeys(said for ref, some in told.items() if ref in kept for said in some)),
            route=found.route,
            degraded=tuple(found.degraded),
            dropped=(*found.dropped, *dropped),
            known_at=token,
        )

    def reranked(self, ask: Ask, hits: list[Hit], found: Recalled) -> list[Hit]:
        """The hits in the reranker's order, where there is one; as they are where it fails, named. Called when the snapshot is
        closed: nothing waits for a network inside one."""
        if self.reranker is None or not (top := self._reranks(ask)):
            return hits
        try:
            return reranked(self.reranker, ask.query, hits, top)
        except (Exception, SystemExit) as error:  # a model of the application's own: its failure is named, never raised
            log.warning("reranker failed: %s", type(error).__name__)
            found.degraded.append("reranker")
            return hits

    def _reranks(self, ask: Ask) -> int:
        """How many hits the reranker is given."""
        return 0 if self.reranker is None else ask.policy.retrieval.rerank_top

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
            # Without a key in the question nothing looks like one.
            for name in ("facts", "evidence") if exact is not None else ():
                found.by_channel[name], others = look_alikes.apart(
                    ask, found.by_channel.get(name, []), exact or Recall()
                )
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
        facts, shadowed = adjudicate.shadow(named.get("facts", []), ask.policy, unit)
        exact, hidden = adjudicate.shadow(named.get("exact", []), ask.policy, unit)
        said = [*named.get("window", []), *named.get("evidence", [])]
        # Marked together: each of the marks' own reads is made once.
        marked = history.marked([*facts, *exact, *said], unit)
        last = len(facts) + len(exact)
        exact, said = marked[len(facts) : last], takeover.marked(marked[last:], ask, unit)
        facts, alike = adjudicate.fold(takeover.grounded(marked[: len(facts)], said))
        facts, doubted = takeover.apart(facts)
        asked = history.wanted(ask.query)
        exact, pinned = history.apart(exact, asked)
        said, same = adjudicate.fold([hit for some in history.apart(said, asked) for hit in some])
        said, behind = history.apart(said, asked)
        lead = [hit for name in ("task", "summary", "workflow") for hit in named.get(name, [])]
        hits, folded = merge([*exact, *lead], facts, said)
        hits = with_knowledge(hits, named.get("knowledge", []), floor=ask.policy.retrieval.floor)
        shown = {hit.id for hit in hits}
        last_of_all = {hit.id: hit for hit in reversed([*pinned, *doubted, *behind]) if hit.id not in shown}
        hits += reversed(last_of_all.values())
        return adjudicate.aged(hits[: ask.k], unit, ask.policy), [*shadowed, *hidden, *alike, *same, *folded]

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


def _together(
    disputes: Sequence[Mapping[str, Any]], hits: Sequence[Hit], *, whole: bool
) -> list[tuple[UUID | None, list[Mapping[str, Any]]]]:
    """Conflicts that are told in one go: all of them, or those of one fact where only some facts will be shown."""
    if whole or not disputes:
        return [(None, list(disputes))]
    return [(hit.id, [item for item in disputes if hit.id in item["facts"]]) for hit in hits]
