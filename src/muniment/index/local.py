"""The index in this process: partitions as arrays, brought up to date by the rows since their version.

Belongs here: the cache of partitions and the course of one search. Does not belong here: what rows mean (store/), and
the parts of a score (scoring.py, relevance.py).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ItemKind
from muniment.domain.query import Proposal
from muniment.domain.scope import PartitionKey
from muniment.index import batch, relevance, scoring, segments, visibility
from muniment.index.batch import Batch, Names
from muniment.index.centring import Centring, named
from muniment.index.coefficients import coefficients
from muniment.index.partition import Partition, Stale
from muniment.index.postings import Runs
from muniment.index.view import View, view_of
from muniment.ports.index import IndexQuery, IndexSource, PartitionState
from muniment.ports.models import Embedder
from muniment.text.tokenizer import cjk_share, hash_tokens, tokenize

SEGMENT_ROWS: Final = 8192
"""Rows of one segment, so that with vectors of 512 dimensions it stays near 10 MB, below what servers take in one
value."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Shelf:
    """One partition's place in the cache: what is held, and the lock under which it is brought up to date."""

    lock: threading.Lock
    held: Partition | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """One view of the search, the partition it is of, and the rows it may propose (None: all it sees)."""

    view: View
    names: Names
    wanted: NDArray[np.bool_] | None


class LocalIndex:
    """`Index` over arrays held in memory, least recently used partitions out first once over `limit_bytes`.

    Safe to share between threads. `embedder` gives the means that vectors are measured from, and names the model whose
    vectors are used; None searches by keyword only.
    """

    def __init__(self, embedder: Embedder | None, limit_bytes: int) -> None:
        """Holds nothing until the first search."""
        self._model = "" if embedder is None else embedder.id
        self._dimension = 0 if embedder is None else embedder.dimension
        self._centring = Centring(embedder)
        self._limit = limit_bytes
        self._shelves: OrderedDict[PartitionKey, _Shelf] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        with self._lock:
            return sum(shelf.held.nbytes for shelf in self._shelves.values() if shelf.held is not None)

    def forget(self, key: PartitionKey) -> None:
        """Drops what is held of a partition; the next search reads it afresh."""
        with self._lock:
            self._shelves.pop(key, None)

    def holding(self, text: str) -> list[PartitionKey]:
        """Partitions held in which some row has every token of a text; none for a text without tokens."""
        tokens = np.frombuffer(hash_tokens(tokenize(text)), "<u4").tolist()
        with self._lock:
            held = {key: shelf.held for key, shelf in self._shelves.items()}
        return [
            key
            for key, partition in held.items()
            if partition is not None and any(_holds(block.own, tokens) for block in partition.blocks.values())
        ]

    def search(self, source: IndexSource, query: IndexQuery) -> list[Proposal]:
        """At most `query.k` proposals, best first; ties by partition and age, so that the order is always the same."""
        keys = sorted(key for key in set(query.partitions) if key.tenant == query.scopes.tenant)
        if query.k < 1 or not keys or not query.kinds:
            return []
        states = source.partition_states(keys)
        now = time.time_ns() // 1000 if query.now is None else query.now
        seen: list[_Seen] = []
        for key in keys:
            if key in states and states[key].count:
                partition = self._current(source, key, states[key])
                seen += _seen(partition, key, query, now)
        self._evict()
        return self._ranked(seen, query, now) if seen else []

    def pack(self, source: IndexSource, key: PartitionKey) -> tuple[int, bytes] | None:
        """The next segment of a partition: (version it covers up to, bytes) of the rows its segments do not cover
        yet, about `SEGMENT_ROWS` of them; None when they cover all. Call again until None."""
        state = source.partition_states([key]).get(key)
        if state is None or state.segment_version >= state.version:
            return None
        partition = self._current(source, key, state)
        touched = {kind: block.columns["touched"].astype(np.int64) for kind, block in partition.blocks.items()}
        later = np.sort(np.concatenate([np.empty(0, np.int64), *touched.values()]))
        later = later[later > state.segment_version]
        if not len(later):
            return None
        # Cut between versions: what one commit wrote is covered as a whole or not at all.
        until = int(later[min(SEGMENT_ROWS, len(later)) - 1])
        keep = {kind: (values > state.segment_version) & (values <= until) for kind, values in touched.items()}
        return until, segments.pack(
            partition, {kind: mask for kind, mask in keep.items() if mask.any()}, model=self._model
        )

    def _current(self, source: IndexSource, key: PartitionKey, state: PartitionState) -> Partition:
        """The partition as of at least `state`, read or extended as needed."""
        with self._lock:
            shelf = self._shelves.get(key)
            if shelf is None:
                shelf = self._shelves[key] = _Shelf(threading.Lock())
            self._shelves.move_to_end(key)
        with shelf.lock:
            held = shelf.held
            if held is None or held.version < state.version:
                shelf.held = held = self._extended(source, key, state, held)
            return held

    def _extended(
        self, source: IndexSource, key: PartitionKey, state: PartitionState, held: Partition | None
    ) -> Partition:
        """`held` with what was written since; read afresh where it cannot be extended or rows were erased."""
        if held is not None:
            try:
                grown = self._with_rows(source, key, held, state)
                if grown.count == state.count:
                    return grown
            except Stale:
                pass
        if state.segment_version:
            packed = self._from_segments(source, key, state)
            if packed is not None:
                return packed
        return self._with_rows(source, key, self._blank(), state)

    def _blank(self) -> Partition:
        """A partition without rows."""
        return Partition(Names(), self._dimension)

    def _with_rows(self, source: IndexSource, key: PartitionKey, held: Partition, state: PartitionState) -> Partition:
        """`held` with the rows since its version."""
        rows = source.index_rows(key, held.version)
        batches = batch.from_rows(rows, held.names, model=self._model, dimension=self._dimension)
        return held.extended(batches, state.version)

    def _from_segments(self, source: IndexSource, key: PartitionKey, state: PartitionState) -> Partition | None:
        """The partition from its segments and the rows after them; None where they do not add up to it."""
        partition = self._blank()
        try:
            unpacked = [
                (version, segments.unpack(packed, partition.names, model=self._model, dimension=self._dimension))
                for version, packed in source.index_segments(key)
            ]
            partition = _stacked(partition, unpacked)
            partition = self._with_rows(source, key, partition, state)
        except (segments.Unreadable, Stale) as error:
            _LOG.info("segments not used: %s", type(error).__name__)
            return None
        return partition if partition.count == state.count else None

    def _evict(self) -> None:
        """Drops the partitions used longest ago until within the limit; the last one used stays."""
        with self._lock:
            held = [(key, 0 if shelf.held is None else shelf.held.nbytes) for key, shelf in self._shelves.items()]
            total = sum(size for _, size in held)
            for key, size in held[:-1]:
                if total <= self._limit:
                    break
                self._shelves.pop(key, None)
                total -= size

    def _ranked(self, seen: Sequence[_Seen], query: IndexQuery, now: int) -> list[Proposal]:
        """Scores every visible row and proposes the best."""
        views = [item.view for item in seen]
        chinese = cjk_share(query.text) >= coefficients().zh_share
        spoken = [[str(name) for name in item.names.speakers.values] for item in seen]
        speakers = named(names[code] for item, names in zip(seen, spoken, strict=True) for code in item.view.speakers)
        asked = scoring.question(query.text, speakers, query.question_at or _EPOCH + timedelta(microseconds=now))
        visible = np.concatenate([np.ones(len(v.block), bool) if v.mask is None else v.mask for v in views])
        vector = self._vector(query)
        words = scoring.keywords(views, asked)
        dense = None
        if vector is not None:
            means = self._centring.means(views, speakers, self._dimension, chinese=chinese)
            dense = scoring.cosines(views, vector, means)
        if query.preset == "seed":
            weights = coefficients().seed
            parts = scoring.seed_features(views, words, dense, now)
        else:
            weights = coefficients().measured_zh if chinese else coefficients().measured_en
            parts = scoring.features(views, spoken, asked, words, dense, visible, weights.keys())
            if not query.role_prior:
                parts.pop("role_prior", None)
        scores = np.zeros(len(visible), np.float32)
        for name, values in parts.items():
            scores += np.float32(weights[name]) * values
        allowed = visible & np.concatenate(
            [np.ones(len(i.view.block), bool) if i.wanted is None else i.wanted for i in seen]
        )
        if dense is None:
            # By keyword alone a row without any of the words has nothing to say for itself.
            allowed &= (words.bm25["window"] > 0) | (words.bm25["pair"] > 0) | (parts.get("date", np.zeros(1)) > 0)
        rows = top(scores, allowed, query.k)
        weighted = {name: np.float32(weights[name]) * values[rows] for name, values in parts.items()}
        cosine = self._fixed_cosines(views, rows, vector)
        chances = relevance.probability(relevance.features(views, spoken, asked, rows, words, cosine), chinese=chinese)
        return _proposals(views, rows, scores, weighted, chances)

    def _vector(self, query: IndexQuery) -> NDArray[np.float32] | None:
        """The question's vector; None where there is none, it is empty or of another size."""
        if query.vector is None or not self._dimension:
            return None
        vector = np.asarray(query.vector, np.float32).reshape(-1)
        usable = len(vector) == self._dimension and np.isfinite(vector).all() and vector.any()
        return vector if usable else None

    def _fixed_cosines(self, views: Sequence[View], rows: NDArray[np.int64], vector: Any) -> NDArray[np.float64]:
        """Each row's cosine with the question as the floor measures it, from the neutral texts' means."""
        documents = self._centring.neutral("document", self._dimension)
        questions = self._centring.neutral("query", self._dimension)
        return relevance.fixed_cosines(views, rows, vector, documents, questions)


def _holds(runs: Runs, tokens: Sequence[int]) -> bool:
    """Whether some row has all of the tokens."""
    found: set[int] | None = None
    for token in tokens:
        hit = runs.find(token)
        rows = set() if hit is None else set(hit[0].tolist())
        found = rows if found is None else found & rows
        if not found:
            return False
    return bool(found)


def _stacked(partition: Partition, unpacked: Sequence[tuple[int, dict[ItemKind, Batch]]]) -> Partition:
    """A blank partition with segments: at one go where each row is in one of them, else one after the other."""
    if not unpacked:
        return partition
    kinds = {kind for _, batches in unpacked for kind in batches}
    whole = {kind: batch.joined([batches[kind] for _, batches in unpacked if kind in batches]) for kind in kinds}
    if all(item is not None for item in whole.values()):
        return partition.extended({kind: item for kind, item in whole.items() if item is not None}, unpacked[-1][0])
    for version, batches in unpacked:
        partition = partition.extended(batches, version)
    return partition


def _seen(partition: Partition, key: PartitionKey, query: IndexQuery, now: int) -> list[_Seen]:
    """What the query sees of a partition, kind by kind."""
    found = []
    for kind in sorted(query.kinds & partition.blocks.keys()):
        block = partition.blocks[kind]
        mask = visibility.visible(block, key, partition, query, now)
        if mask is None or mask.any():
            view = view_of(block, mask)
            found.append(_Seen(view, partition.names, visibility.wanted(block, partition.names, query)))
    return found


def top(scores: NDArray[np.float32], allowed: NDArray[np.bool_], k: int) -> NDArray[np.int64]:
    """The k best allowed rows, best first; equal scores in row order."""
    rows = np.flatnonzero(allowed)
    if len(rows) > k:
        values = scores[rows]
        least = np.partition(values, len(values) - k)[len(values) - k]
        rows = rows[values >= least]
    return rows[np.argsort(-scores[rows], kind="stable")][:k].astype(np.int64)


def _proposals(
    views: Sequence[View],
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    weighted: dict[str, NDArray[np.float32]],
    chances: NDArray[np.float64],
) -> list[Proposal]:
    """Rows as proposals; parts that add nothing are left out."""
    starts = np.cumsum([0, *(len(view.block) for view in views)])
    result = []
    for at, row in enumerate(rows.tolist()):
        owner = int(np.searchsorted(starts, row, side="right")) - 1
        block, local = views[owner].block, row - int(starts[owner])
        column: Any = block.columns
        result.append(
            Proposal(
                kind=block.kind,
                ref=UUID(bytes=column["ref"][local].tobytes()),
                revision=int(column["revision"][local]),
                segment=int(column["segment"][local]),
                score=float(scores[row]),
                relevance=float(chances[at]),
                parts={name: float(values[at]) for name, values in weighted.items() if values[at]},
            )
        )
    return result
