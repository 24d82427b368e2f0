"""Outside documents: the sources that the application plugs in, asked side by side, each under the same deadline.

A source is asked in a thread of its own, since it may hang and nothing can stop it; one that is still busy with so many
earlier questions is not asked again until some of them end.

Belongs here: asking, and the order of what came. Does not belong here: reading what a source gave (`retrieval/passages`),
which sources there are (`retrieval/sources`).
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.answers import Dropped
from muniment.domain.errors import InvalidInput
from muniment.domain.passages import Passage
from muniment.ports.knowledge import Given
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.channels.hits import passage_hit
from muniment.retrieval.passages import passage_of
from muniment.retrieval.where import matches

log = logging.getLogger(__name__)

BUSY: Final = 8
"""Unanswered questions after which a source is taken for hung and spared."""

Call = Callable[[str, int], Any]


@dataclass(slots=True)
class _Asked:
    """One question to one source, answered by its thread; `failure` is the kind of fault, never its words."""

    source: str
    done: threading.Event = field(default_factory=threading.Event)
    given: Sequence[Given] = ()
    failure: str | None = None


class KnowledgeChannel:
    """The application's sources, by name. What fails or is late costs its own passages and is named."""

    name = "knowledge"

    def __init__(self, sources: Mapping[str, Call]) -> None:
        self._sources = dict(sources)
        self._lock = threading.Lock()
        self._open: dict[str, int] = dict.fromkeys(self._sources, 0)

    def recall(self, ask: Ask) -> Recall:
        """The passages, the first of every source before the second of any.

        A question as of another instant, for memory types or for a time gets none: sources know only what they say now, and
        passages have neither. `min_score` leaves them out too, since no probability of relevance is known of them.
        """
        recall = Recall()
        if _only_memories(ask) or not ask.query.strip():
            return recall
        knobs = ask.policy.retrieval
        wanted = min(ask.k, knobs.knowledge_passages)
        asked = [self._put(name, ask.query, wanted) for name in self._sources]
        until = time.monotonic() + knobs.knowledge_seconds
        by_source: list[list[Passage]] = []
        failed: list[str] = []
        for item in asked:
            if not item.done.wait(max(0.0, until - time.monotonic())):
                item.failure = "timeout"
            if item.failure is not None:
                log.warning("knowledge source %s failed: %s", item.source, item.failure)
                failed.append(item.source)
                continue
            passages = _read(item, ask.policy, wanted, recall)
            if item.given and not passages:
                failed.append(item.source)
            by_source.append(passages)
        recall.degraded = [self.name] if len(failed) == len(asked) else [f"{self.name}:{name}" for name in failed]
        self._rank(ask, by_source, recall)
        return recall

    @staticmethod
    def _rank(ask: Ask, by_source: Sequence[Sequence[Passage]], recall: Recall) -> None:
        """Hits by their rank inside their source, as scores of different sources do not compare."""
        seen = set()
        for place in range(max(map(len, by_source), default=0)):
            for passages in by_source:
                if place >= len(passages):
                    continue
                passage = passages[place]
                if passage.passage_id in seen or (ask.where is not None and not matches(ask.where, passage.metadata)):
                    continue
                seen.add(passage.passage_id)
                recall.hits.append(passage_hit(passage, rank=place + 1))
        del recall.hits[ask.k :]

    def _put(self, name: str, question: str, k: int) -> _Asked:
        """Asks a source in a thread of its own, unless it is hung."""
        asked = _Asked(name)
        with self._lock:
            if self._open[name] >= BUSY:
                asked.failure = "still busy with earlier questions"
                asked.done.set()
                return asked
            self._open[name] += 1
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=lambda: context.run(self._answer, asked, question, k), name=f"muniment-{name}", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the machine has no thread to give
            self._closed(name)
            asked.failure = "no thread"
            asked.done.set()
        return asked

    def _answer(self, asked: _Asked, question: str, k: int) -> None:
        try:
            given = self._sources[asked.source](question, k)
            if inspect.isawaitable(given):
                given = asyncio.run(_awaited(given))
            if given is None or isinstance(given, (str, bytes, Mapping)):
                raise InvalidInput("a source gives a sequence of passages")
            asked.given = list(given)
        except (Exception, SystemExit) as error:  # the application's own code, which may even mean to end its thread
            asked.failure = type(error).__name__
        finally:
            self._closed(asked.source)
            asked.done.set()

    def _closed(self, name: str) -> None:
        with self._lock:
            self._open[name] -= 1


async def _awaited(given: Any) -> Any:
    return await given


def _only_memories(ask: Ask) -> bool:
    """Whether the question is one that only what is held can answer."""
    as_of = ask.as_of.known_at is not None or ask.as_of.valid_at is not None
    return as_of or ask.types is not None or ask.since is not None or ask.until is not None or ask.min_score is not None


def _read(asked: _Asked, policy: Policy, k: int, recall: Recall) -> list[Passage]:
    """The first `k` passages of a source that can be shown."""
    found: list[Passage] = []
    for given in asked.given:
        if len(found) == k:
            break
        try:
            found.append(passage_of(given, source=asked.source, limits=policy.limits))
        except Exception as error:  # an object of the application's that breaks when it is looked at
            why = str(error) if isinstance(error, InvalidInput) else type(error).__name__
            recall.dropped.append(Dropped(id=None, reason=f"knowledge {asked.source}: {why}"))
    return found
