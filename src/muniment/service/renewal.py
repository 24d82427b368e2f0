"""Vectors of what has none: after a change of model, and for what stays of a turn when some of it was forgotten.

Belongs here: embedding anew, in slices, each its own transaction. Does not belong here: embedding of what is new (ingestion/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from muniment.domain.scope import PartitionKey, Reader
from muniment.ports.store import Locks
from muniment.service.parts import Parts

SLICE = 200


def renew(parts: Parts, key: PartitionKey, *, progress: Callable[[int], object] | None = None) -> int:
    """Embeds every entry of a partition that has no vector of this store's model; returns how many. Raises `ModelError`."""
    done = 0
    while wanted := parts.store.foreign_vectors(key, SLICE):
        made = _embed(parts, key, [ref for _, ref in wanted], quiet=False)
        if made == 0:
            break
        done += made
        if progress is not None:
            progress(made)
    parts.index.forget(key)
    return done


def embed_rests(parts: Parts, keys: Iterable[PartitionKey]) -> int:
    """Embeds what a forget left without a vector, a slice of each partition; with the model down it waits for `renew`."""
    if parts.embedder.dimension == 0:
        return 0
    done = 0
    for key in keys:
        wanted = [ref for _, ref in parts.store.foreign_vectors(key, SLICE)]
        made = _embed(parts, key, wanted, quiet=True) if wanted else 0
        if made:
            parts.index.forget(key)
        done += made
    return done


def _embed(parts: Parts, key: PartitionKey, refs: Sequence[UUID], *, quiet: bool) -> int:
    """Embeds the words behind entries, whoever may read them, unless something was forgotten meanwhile."""
    store = parts.store
    reader = Reader(tenant=key.tenant, user=key.target or "maintenance", roles=frozenset({"admin"}))
    with store.write(reader, Locks(partitions=(key,))) as unit:
        texts, epoch = dict(unit.words(refs)), unit.epoch(key)
        unit.leave()
    vectors, degraded = parts.pipeline.encode(list(texts.values()))
    if degraded:
        if quiet:
            return 0
        parts.embedder.encode(list(texts.values()))
    with store.write(reader, Locks(partitions=(key,))) as unit:
        if unit.epoch(key) != epoch:
            unit.leave()
            return len(texts)
        unit.set_vectors(key, dict(zip(texts, vectors, strict=True)))
    return len(texts)
