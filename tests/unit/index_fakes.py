"""A source of index rows held in a list, rows with defaults, and an embedder that needs no model.

Belongs here: what the index's tests share. Does not belong here: any database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from muniment.domain.enums import ItemKind, OwnerType
from muniment.domain.query import Proposal
from muniment.domain.scope import PartitionKey, Reader, visible_to
from muniment.ports.index import IndexQuery, IndexRow, PartitionState
from muniment.text.tokenizer import analyse, tokenize

DIMENSION = 64
DAY = 86_400_000_000
START = 1_700_000_000_000_000
NOW = START + 400 * DAY
KEY = PartitionKey(tenant="acme", kind=OwnerType.USER, target="ana")
READER = Reader.of(tenant="acme", user="ana")


class Words:
    """An embedder whose vectors are sums of one fixed random direction a token: alike where words are shared."""

    id = "words-1"
    dimension = DIMENSION

    def encode(self, texts: Sequence[str], kind: str = "document") -> Any:
        lines = [sum((_direction(token) for token in tokenize(text)), np.zeros(DIMENSION)) for text in texts]
        lengths = [max(float(np.linalg.norm(line)), 1e-9) for line in lines]
        return np.array([line / length for line, length in zip(lines, lengths, strict=True)], np.float32)


class Broken(Words):
    """An embedder that always fails."""

    def encode(self, texts: Sequence[str], kind: str = "document") -> Any:
        raise RuntimeError("no model today")


def _direction(token: str) -> Any:
    seed = int.from_bytes(hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION)


WORDS = Words()


def row(seq: int, text: str, **changes: Any) -> IndexRow:
    """A turn of Ana's, one a day, with whatever else is said of it."""
    found = analyse(text)
    values: dict[str, Any] = {
        "seq": seq,
        "touched": seq,
        "kind": "EVIDENCE",
        "ref": seq.to_bytes(16, "big"),
        "revision": 0,
        "segment": 0,
        "scope": "USER",
        "user": "ana",
        "department": None,
        "agent": None,
        "session": "s1",
        "task": None,
        "speaker": "",
        "role": "USER",
        "asks": found.asks,
        "tokens": found.tokens,
        "tail": found.tail,
        "vectors": WORDS.encode([text]).astype("<f2").tobytes(),
        "occurred_at": START + seq * DAY,
        "valid_from": None,
        "valid_until": None,
        "recorded_at": START + seq * DAY,
        "retracted_at": None,
        "expires_at": None,
        "hidden_at": None,
        "eligibility": "ELIGIBLE",
        "memory_type": "",
        "standing": "",
        "model_id": WORDS.id,
    }
    return IndexRow(**{**values, **changes})


class Source:
    """Rows of partitions as a store would hand them out; counts what is read."""

    def __init__(self, *rows: IndexRow, key: PartitionKey = KEY) -> None:
        self.rows: dict[PartitionKey, list[IndexRow]] = {key: list(rows)}
        self.segments: dict[PartitionKey, list[tuple[int, bytes]]] = {}
        self.bumps: dict[PartitionKey, int] = {}
        self.reads: list[int] = []

    def add(self, *rows: IndexRow, key: PartitionKey = KEY) -> None:
        self.rows.setdefault(key, []).extend(rows)

    def touch(self, seq: int, key: PartitionKey = KEY, **changes: Any) -> None:
        """Rewrites one row under the next version, as an update does."""
        version = self._version(key) + 1
        held = self.rows[key]
        self.rows[key] = [item._replace(touched=version, **changes) if item.seq == seq else item for item in held]

    def erase(self, seq: int, key: PartitionKey = KEY) -> None:
        """Removes one row; the version moves though no row says so, and segments are dropped."""
        self.bumps[key] = self._version(key) + 1
        self.rows[key] = [item for item in self.rows[key] if item.seq != seq]
        self.segments.pop(key, None)

    def _version(self, key: PartitionKey) -> int:
        return max([self.bumps.get(key, 0), *(item.touched for item in self.rows.get(key, []))])

    def partition_states(self, keys: Sequence[PartitionKey]) -> dict[PartitionKey, PartitionState]:
        return {
            key: PartitionState(
                version=self._version(key),
                segment_version=max([0, *(version for version, _ in self.segments.get(key, []))]),
                count=len(self.rows[key]),
            )
            for key in keys
            if key in self.rows
        }

    def index_rows(self, key: PartitionKey, since_version: int) -> list[IndexRow]:
        found = [item for item in self.rows.get(key, []) if item.touched > since_version]
        self.reads.append(len(found))
        return sorted(found, key=lambda item: item.seq)

    def index_segments(self, key: PartitionKey) -> list[tuple[int, bytes]]:
        return sorted(self.segments.get(key, []))


def ask(text: str, *, keyword_only: bool = False, reader: Reader = READER, **changes: Any) -> IndexQuery:
    """A question of Ana's over her turns."""
    values: dict[str, Any] = {
        "text": text,
        "vector": None if keyword_only else WORDS.encode([text])[0],
        "kinds": frozenset({ItemKind.EVIDENCE}),
        "scopes": visible_to(reader),
        "partitions": (KEY,),
        "now": NOW,
    }
    return IndexQuery(**{**values, **changes})


def seqs(proposals: Sequence[Proposal]) -> list[int]:
    """Which rows were proposed."""
    return [int.from_bytes(item.ref.bytes, "big") for item in proposals]
