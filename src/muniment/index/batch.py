"""Index rows as columns: what a partition is extended by.

Belongs here: the schema of the columns, interned names, the change from stored rows into arrays. Does not belong
here: how columns are kept in a partition, or packed for storage.
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ActorType, Eligibility, ItemKind, MemoryType, Standing
from muniment.index import postings
from muniment.index.postings import Postings
from muniment.ports.index import IndexRow

NEVER: Final = np.iinfo(np.int64).max
"""The end of what has no end: not retracted, not hidden, no expiry, valid for ever."""
ALWAYS: Final = np.iinfo(np.int64).min
"""The start of what has always held, or an instant not known."""

# Which value stands for None in each instant column.
INSTANTS: Final = {
    "occurred_at": ALWAYS,
    "valid_from": ALWAYS,
    "valid_until": NEVER,
    "recorded_at": ALWAYS,
    "retracted_at": NEVER,
    "expires_at": NEVER,
    "hidden_at": NEVER,
}
SCHEMA: Final[dict[str, str]] = {
    "seq": "<i8",
    "touched": "<i8",
    "digest": "<i8",
    "ref": "V16",
    "revision": "<i4",
    "segment": "<i4",
    "place": "<i4",
    "speaker": "<i4",
    "memory_type": "<i4",
    "role": "<i1",
    "eligibility": "<i1",
    "standing": "<i1",
    "asks": "?",
    "length": "<i4",
    "head": "<i4",
    "tail": "<i4",
    "chunks": "<i4",
    **dict.fromkeys(INSTANTS, "<i8"),
}
FIXED: Final = frozenset({"seq", "digest", "ref", "revision", "segment", "length", "head", "tail", "chunks"})
"""Columns that never change once a row is written."""

ROLES: Final = {role.value: code for code, role in enumerate(ActorType)}
ELIGIBILITIES: Final = {item.value: code for code, item in enumerate(Eligibility)}
STANDINGS: Final = {item.value: code for code, item in enumerate(Standing)}
UNKNOWN: Final = 127
"""The code of a value no enumeration here knows; nothing admits it."""

Place = tuple[str, str | None, str | None, str | None, str | None, str | None]
"""Scope, user, department, agent, session, task: where a row lives, as one value."""
Columns = dict[str, NDArray[np.generic]]


@dataclass(slots=True)
class Interner:
    """Values as small integers, in order of first sight. Only grows, so that codes already handed out stay good."""

    values: list[Hashable] = field(default_factory=list)
    codes: dict[Hashable, int] = field(default_factory=dict)

    def code(self, value: Hashable) -> int:
        """The value's code, a new one where it has none."""
        found = self.codes.get(value)
        if found is None:
            found = self.codes[value] = len(self.values)
            self.values.append(value)
        return found

    def column(self, values: Sequence[Hashable]) -> NDArray[np.int32]:
        """The codes of many values."""
        return np.fromiter(map(self.code, values), np.int32, len(values))


@dataclass(slots=True)
class Names:
    """The interned values of one partition."""

    places: Interner = field(default_factory=Interner)
    ids: Interner = field(default_factory=Interner)
    speakers: Interner = field(default_factory=Interner)
    types: Interner = field(default_factory=lambda: _interner(["", *MemoryType]))

    def table(self, known: NDArray[np.int32]) -> NDArray[np.int32]:
        """A line for each place, the codes of its six parts; `known` has the first ones already."""
        fresh: Any = self.places.values[len(known) :]
        if not fresh:
            return known
        lines = np.array([[self.ids.code(part) for part in place] for place in fresh], np.int32)
        return np.concatenate((known, lines))


NO_PLACES: Final = np.empty((0, 6), np.int32)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one kind, ordered by seq: columns, token lists numbered from 0, and vectors (one line a chunk)."""

    columns: Columns
    own: Postings
    tails: Postings
    vectors: NDArray[np.floating]

    def __len__(self) -> int:
        """How many rows."""
        return len(self.columns["seq"])

    def select(self, keep: NDArray[np.bool_]) -> Batch:
        """The kept rows."""
        lines = np.repeat(keep, self.columns["chunks"].astype(np.int64))
        return Batch(
            {name: column[keep] for name, column in self.columns.items()},
            self.own.select(keep),
            self.tails.select(keep),
            self.vectors[lines],
        )


def joined(batches: Sequence[Batch]) -> Batch | None:
    """Batches one after the other; None where their rows are not in order or a row comes twice."""
    seqs: Any = [batch.columns["seq"] for batch in batches]
    if any(later[0] <= earlier[-1] for earlier, later in pairwise(seqs)):
        return None
    starts = np.cumsum([0, *(len(batch) for batch in batches)]).tolist()
    return Batch(
        {name: np.concatenate([batch.columns[name] for batch in batches]) for name in SCHEMA},
        postings.merge(*(batch.own.shifted(start) for batch, start in zip(batches, starts, strict=False))),
        postings.merge(*(batch.tails.shifted(start) for batch, start in zip(batches, starts, strict=False))),
        np.concatenate([batch.vectors for batch in batches]),
    )


def from_rows(rows: Sequence[IndexRow], names: Names, *, model: str, dimension: int) -> dict[ItemKind, Batch]:
    """Stored rows as one batch a kind. Vectors of another model or of a ragged size are left out: they rank by words
    only.

    A row of a kind this version does not know is left out.
    """
    by_kind: dict[str, list[IndexRow]] = {}
    for row in rows:
        by_kind.setdefault(row.kind, []).append(row)
    known = {kind.value: kind for kind in ItemKind}
    return {
        known[kind]: _batch(sorted(group, key=lambda row: row.seq), names, model, dimension)
        for kind, group in by_kind.items()
        if kind in known
    }


def _batch(rows: list[IndexRow], names: Names, model: str, dimension: int) -> Batch:
    """Rows of one kind as a batch."""
    raw = dict(zip(IndexRow._fields, zip(*rows, strict=True), strict=True))
    own, lengths, heads = postings.build(list(raw["tokens"]))
    tails, tail_lengths, _ = postings.build(list(raw["tail"]))
    line = 2 * dimension
    vectors = [
        item if owner == model and line and len(item) % line == 0 else b""
        for item, owner in zip(raw["vectors"], raw["model_id"], strict=True)
    ]
    places = zip(*(raw[name] for name in ("scope", "user", "department", "agent", "session", "task")), strict=True)
    columns: Columns = {
        "seq": np.array(raw["seq"], "<i8"),
        "touched": np.array(raw["touched"], "<i8"),
        "digest": np.fromiter(map(_digest, raw["tokens"], raw["tail"], vectors), "<i8", len(rows)),
        "ref": np.frombuffer(b"".join(ref[:16].ljust(16, b"\0") for ref in raw["ref"]), "V16"),
        "revision": np.array(raw["revision"], "<i4"),
        "segment": np.array(raw["segment"], "<i4"),
        "place": names.places.column(list(places)),
        # Where nobody is named, the role tells one side of a conversation from the other.
        "speaker": names.speakers.column([row.speaker or row.role for row in rows]),
        "memory_type": names.types.column(raw["memory_type"]),
        "role": _codes(raw["role"], ROLES),
        "eligibility": _codes(raw["eligibility"], ELIGIBILITIES),
        "standing": _codes([item or Standing.HELD for item in raw["standing"]], STANDINGS),
        "asks": np.array(raw["asks"], bool),
        "length": lengths,
        "head": heads,
        "tail": tail_lengths,
        "chunks": np.fromiter((len(item) // line if line else 0 for item in vectors), "<i4", len(rows)),
    }
    for name, missing in INSTANTS.items():
        columns[name] = np.array([missing if item is None else item for item in raw[name]], "<i8")
    matrix = np.frombuffer(b"".join(vectors), "<f2").reshape(-1, max(dimension, 1))
    return Batch(columns, own, tails, matrix)


def _interner(values: Sequence[str]) -> Interner:
    """An interner that already knows the values."""
    result = Interner()
    for value in values:
        result.code(str(value))
    return result


def _codes(values: Sequence[str], table: dict[str, int]) -> NDArray[np.int8]:
    """Codes of an enumeration's values."""
    return np.fromiter((table.get(item, UNKNOWN) for item in values), np.int8, len(values))


def _digest(tokens: bytes, tail: bytes, vectors: bytes) -> int:
    """Tells whether a row's words or vectors were replaced; 62 bits of two CRCs."""
    return (zlib.crc32(tail, zlib.crc32(tokens)) << 30) ^ zlib.crc32(vectors)
