"""Inverted lists: which rows hold a token, and how often.

Belongs here: `Postings` (one sorted run) and `Runs` (a few of them, merged as they grow). Does not belong here: fields,
visibility and scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

HEAD: Final = 40
"""A neighbour lends at most its first 40 tokens to a window (the measured recipe)."""

MERGE_RATIO: Final = 10
"""A run is merged into the one before it when it has grown past a tenth of that one."""

Hit = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]
"""Rows, how often the token occurs in each, and how often among the first `HEAD` tokens."""


@dataclass(frozen=True, slots=True)
class Postings:
    """One run: for each of `terms` (ascending), rows[starts[i]:starts[i+1]] with their counts, rows ascending."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]
    heads: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(int(part.nbytes) for part in (self.terms, self.starts, self.rows, self.counts, self.heads))

    @property
    def tokens(self) -> NDArray[np.uint32]:
        """The term of each posting."""
        return np.repeat(self.terms, np.diff(self.starts))

    def shifted(self, by: int) -> Postings:
        """The same lists with `by` added to every row."""
        if not by:
            return self
        return Postings(self.terms, self.starts, self.rows + np.int32(by), self.counts, self.heads)

    def select(self, keep: NDArray[np.bool_]) -> Postings:
        """The lists of the kept rows, numbered by their place among them."""
        wanted = keep[self.rows]
        places = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        return _grouped(self.tokens[wanted], places[self.rows[wanted]], self.counts[wanted], self.heads[wanted])


EMPTY: Final = Postings(
    np.empty(0, np.uint32), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint16), np.empty(0, np.uint8)
)


def build(packed: list[bytes]) -> tuple[Postings, NDArray[np.int32], NDArray[np.int32]]:
    """The lists of rows given as packed token hashes, with each row's length in tokens and its length up to `HEAD`."""
    sizes = np.fromiter((len(item) // 4 for item in packed), np.int32, len(packed))
    if not sizes.any():
        return EMPTY, sizes, sizes
    # Ragged bytes can only come from a damaged row; whole tokens are kept, the rest is left out.
    joined = b"".join(item[: len(item) // 4 * 4] for item in packed)
    tokens = np.frombuffer(joined, "<u4").astype(np.uint64)
    rows = np.repeat(np.arange(len(packed), dtype=np.uint64), sizes)
    place = np.arange(len(tokens)) - np.repeat(np.cumsum(sizes, dtype=np.int64) - sizes, sizes)
    keys = (tokens << np.uint64(32)) | rows
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    counts = np.diff(np.append(first, len(keys)))
    heads = np.add.reduceat((place[order] < HEAD).astype(np.int64), first)
    kept = keys[first]
    lists = _grouped(
        (kept >> np.uint64(32)).astype(np.uint32),
        (kept & np.uint64(0xFFFFFFFF)).astype(np.int32),
        np.minimum(counts, 65_535).astype(np.uint16),
        heads.astype(np.uint8),
    )
    return lists, sizes, np.minimum(sizes, HEAD).astype(np.int32)


def merge(*runs: Postings) -> Postings:
    """One run of several, each one's rows all after those of the one before."""
    if len(runs) == 1:
        return runs[0]
    tokens = np.concatenate([run.tokens for run in runs])
    order = np.argsort(tokens, kind="stable")
    return _grouped(
        tokens[order],
        np.concatenate([run.rows for run in runs])[order],
        np.concatenate([run.counts for run in runs])[order],
        np.concatenate([run.heads for run in runs])[order],
    )


def _grouped(
    tokens: NDArray[np.uint32], rows: NDArray[np.int32], counts: NDArray[np.uint16], heads: NDArray[np.uint8]
) -> Postings:
    """A run from postings sorted by token, then row."""
    if not len(tokens):
        return EMPTY
    first = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    return Postings(tokens[first], np.append(first, len(tokens)).astype(np.int64), rows, counts, heads)


@dataclass(frozen=True, slots=True)
class Runs:
    """A few runs that together hold all rows; appending is cheap, looking up visits each run."""

    runs: tuple[Postings, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(run.nbytes for run in self.runs)

    def appended(self, run: Postings) -> Runs:
        """With another run, its rows after all of these; small runs are merged into larger ones."""
        if not len(run.rows):
            return self
        runs = [*self.runs, run]
        while len(runs) > 1 and len(runs[-1].rows) * MERGE_RATIO > len(runs[-2].rows):
            last = runs.pop()
            runs[-1] = merge(runs[-1], last)  # the older run first: its rows come before
        return Runs(tuple(runs))

    def whole(self) -> Postings:
        """Everything as one run."""
        return merge(*self.runs) if self.runs else EMPTY

    def find(self, term: int) -> Hit | None:
        """The rows that hold the token, or None."""
        found: list[tuple[Postings, slice]] = []
        for run in self.runs:
            at = int(np.searchsorted(run.terms, np.uint32(term)))
            if at < len(run.terms) and int(run.terms[at]) == term:
                found.append((run, slice(int(run.starts[at]), int(run.starts[at + 1]))))
        if not found:
            return None
        if len(found) == 1:
            run, where = found[0]
            return run.rows[where], run.counts[where].astype(np.float32), run.heads[where].astype(np.float32)
        return (
            np.concatenate([run.rows[where] for run, where in found]),
            np.concatenate([run.counts[where] for run, where in found]).astype(np.float32),
            np.concatenate([run.heads[where] for run, where in found]).astype(np.float32),
        )
