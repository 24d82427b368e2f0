"""The composition root: settings and URLs become adapters, adapters become a `Muniment`. The only place that knows both.

Belongs here: construction. Does not belong here: any decision about memories.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import uuid6

from muniment import __version__
from muniment.cache.named import cache_from
from muniment.config import Policy, Settings, load_policy, load_settings
from muniment.domain.errors import InvalidInput
from muniment.index.local import SEGMENT_ROWS, LocalIndex
from muniment.ingestion.pipeline import Pipeline
from muniment.models.embedders import embedder_from
from muniment.models.llm.named import llm_from
from muniment.models.llm_extractor.named import extractor_from
from muniment.models.reranker import reranker_from
from muniment.models.summarisers.extractive import ExtractiveSummariser
from muniment.models.summarisers.llm import LLMSummariser
from muniment.models.tokens import QuicktokCounter
from muniment.ports.cache import Cache
from muniment.ports.llm import LLM
from muniment.ports.models import Clock, Embedder, Extractor, Reranker
from muniment.retrieval.channels.evidence import EvidenceChannel
from muniment.retrieval.channels.exact import ExactChannel
from muniment.retrieval.channels.facts import FactsChannel
from muniment.retrieval.channels.knowledge import KnowledgeChannel
from muniment.retrieval.channels.summary import SummaryChannel
from muniment.retrieval.channels.window import Window, WindowChannel
from muniment.retrieval.context import Contexts
from muniment.retrieval.search import Search
from muniment.retrieval.sources import sources_from
from muniment.service.muniment import Muniment
from muniment.service.parts import Parts
from muniment.service.upkeep import Upkeep
from muniment.store.dialects import open_database
from muniment.store.sealing import AesSealer, PlainSealer
from muniment.store.sql_store import SqlStore, retrying
from muniment.text.tokenizer import TOKENIZER_ID


def open_memory(
    url: str | None = None,
    *,
    policy: str | Path | Mapping[str, Any] | Policy | None = None,
    embedder: str | Embedder | None = None,
    extractor: str | Extractor | None = None,
    knowledge: Any = None,
    reranker: str | Reranker | None = None,
    cache: str | Cache | None = None,
    llm: str | LLM | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    adopt_embedder: bool = False,
    create: bool = True,
) -> Muniment:
    """Opens a memory; makes the database where it is new, unless `create` is false. See `muniment.open`."""
    settings = settings or load_settings()
    rules = load_policy(policy if policy is not None else settings.policy)
    now = clock or _now
    if not callable(now):
        raise InvalidInput("clock= is a callable that gives aware UTC instants")
    model = embedder_from(embedder, settings)
    sources = sources_from(knowledge, settings)
    better = reranker_from(reranker, settings)
    shared = cache_from(cache, settings)
    speaking = llm_from(llm, settings, rules)
    reading = extractor_from(extractor, settings, rules, speaking)
    database = open_database(url or settings.db, busy_seconds=settings.busy_seconds, create=create)
    try:
        store = SqlStore(
            database,
            sealer=AesSealer(settings.master_key) if settings.master_key else PlainSealer(),
            clock=now,
            new_id=new_id,
            embedder_id=model.id,
            embedder_dimension=model.dimension,
            tokenizer_id=TOKENIZER_ID,
            adopt_embedder=adopt_embedder,
        )
    except BaseException:
        database.close()
        raise
    index = LocalIndex(model if model.dimension else None, rules.retrieval.index_bytes)
    window = Window(rules.retrieval.window_turns, shared, seconds=rules.retrieval.window_seconds)
    channels = (
        ExactChannel(),
        FactsChannel(index),
        WindowChannel(window),
        SummaryChannel(index),
        EvidenceChannel(index),
    )
    search = Search(
        store=store,
        embedder=model,
        channels={channel.name: channel for channel in channels},
        outside={KnowledgeChannel.name: KnowledgeChannel(sources)} if sources else {},
        reranker=better,
    )
    counter = QuicktokCounter(rules.context.encoding)
    builtin = ExtractiveSummariser(rules)
    pipeline = Pipeline(
        store=store,
        embedder=model,
        extractor=reading,
        policy=rules,
        clock=now,
        new_id=new_id,
    )
    store.finish_erasures(seconds=0.0)
    return Muniment(
        Parts(
            store=store,
            index=index,
            embedder=model,
            counter=counter,
            summariser=builtin if speaking is None else LLMSummariser(speaking, builtin, rules.llm),
            fallback_summariser=builtin,
            policy=rules,
            settings=settings,
            clock=now,
            pipeline=pipeline,
            search=search,
            contexts=Contexts(search=search, counter=counter, code=__version__),
            window=window,
            upkeep=Upkeep(store, index, rows=SEGMENT_ROWS),
            retrying=retrying,
            scratch=scratch,
        )
    )


def scratch(policy: Policy, clock: Clock) -> Muniment:
    """A memory of its own that leaves nothing behind: where a log is done again. It finds nothing by meaning."""
    return open_memory(":memory:", policy=policy, embedder="none", llm="none", clock=clock, settings=Settings())


def new_id() -> UUID:
    """A UUIDv7: unique, and in time order."""
    return UUID(int=uuid6.uuid7().int)


def _now() -> datetime:
    return datetime.now(UTC)
