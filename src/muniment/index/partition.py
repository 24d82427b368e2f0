"""One partition in memory: a block of arrays for each kind of item.

Both are values: extending one makes another that shares what did not change, so that a search goes on undisturbed
while the next version is prepared.

Belongs here: `Block`, `Partition`, growth. Does not belong here: reading from a source, masks, scores.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ItemKind
from muniment.index import fields
from muniment.index.batch import FIXED, NO_PLACES, SCHEMA, Batch, Columns, Names
from muniment.index.fields import Links
from muniment.index.postings import Runs
from muniment.index.products import summed


class Stale(Exception):
    """Rows came that cannot be added to what is held (replaced words, or an older place); read the partition afresh."""


@dataclass(slots=True)
class Matrix:
    """Vectors, one line a chunk, with room to grow. A view taken earlier stays good: lines are written once."""

    data: NDArray[np.float32]
    used: int = 0

    def extended(self, at: int, lines: NDArray[np.floating]) -> Matrix:
        """With more lines after the first `at`; shares memory unless full, or another version wrote there first."""
        needed = at + len(lines)
        target = self
        if at != self.used or needed > len(self.data):
            # Pages not yet written cost nothing, so some room is always left for what comes next.
            room = needed + needed // 8 + 64
            target = Matrix(np.empty((room, self.data.shape[1]), np.float32))
            target.data[:at] = self.data[:at]
        target.data[at:needed] = lines
        target.used = needed
        return target


@dataclass(frozen=True, slots=True)
class Block:
    """All rows of one kind. `lines` of the matrix belong to it; `total` is their sum."""

    kind: ItemKind
    columns: Columns
    own: Runs
    tails: Runs
    links: Links
    matrix: Matrix
    lines: int
    total: NDArray[np.float64]
    views: OrderedDict[bytes, Any] = field(default_factory=OrderedDict, compare=False)

    def __len__(self) -> int:
        """How many rows."""
        return len(self.columns["seq"])

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors, one line a chunk, in row order."""
        return self.matrix.data[: self.lines]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        columns = sum(int(column.nbytes) for column in self.columns.values())
        return columns + self.own.nbytes + self.tails.nbytes + self.links.nbytes + int(self.vectors.nbytes)

    def extended(self, batch: Batch, threaded: NDArray[np.bool_]) -> Block:
        """With the batch's rows: known ones replaced, new ones appended. `threaded` says which places are of a session.

        Raises `Stale`.
        """
        known = np.isin(batch.columns["seq"], self.columns["seq"]) if len(self) else np.zeros(len(batch), bool)
        block = self._updated(batch, known) if known.any() else self
        if known.all():
            return block
        return block._appended(batch if not known.any() else batch.select(~known), threaded)

    def _updated(self, batch: Batch, known: NDArray[np.bool_]) -> Block:
        """With the instants and states of known rows replaced."""
        at = np.searchsorted(self.columns["seq"], batch.columns["seq"][known])
        moved = ("digest", "place", "speaker")
        if any((self.columns[name][at] != batch.columns[name][known]).any() for name in moved):
            raise Stale
        columns = dict(self.columns)
        for name in SCHEMA:
            if name not in FIXED:
                column = columns[name].copy()
                column[at] = batch.columns[name][known]
                columns[name] = column
        return replace(self, columns=columns, views=OrderedDict())

    def _appended(self, batch: Batch, threaded: NDArray[np.bool_]) -> Block:
        """With new rows after the ones held."""
        size = len(self)
        if size and batch.columns["seq"][0] < self.columns["seq"][-1]:
            raise Stale
        matrix = self.matrix.extended(self.lines, batch.vectors)
        columns = (
            {name: np.concatenate((self.columns[name], batch.columns[name])) for name in SCHEMA}
            if size
            else batch.columns
        )
        return Block(
            kind=self.kind,
            columns=columns,
            own=self.own.appended(batch.own.shifted(size)),
            tails=self.tails.appended(batch.tails.shifted(size)),
            links=self._linked(columns, threaded),
            matrix=matrix,
            lines=self.lines + len(batch.vectors),
            total=self.total + summed(matrix.data[self.lines : self.lines + len(batch.vectors)]),
        )

    def _linked(self, columns: Columns, threaded: NDArray[np.bool_]) -> Links:
        """Links with the new rows. Only turns have neighbours: facts and summaries stand for themselves."""
        if self.kind is not ItemKind.EVIDENCE:
            return fields.unlinked(len(columns["seq"]))
        # A conversation is a session in one place: rows seen by others than this row's readers are no neighbours.
        codes: Any = columns["place"]
        threads = np.where(threaded[codes], codes, fields.NOBODY).astype(np.int32)
        speakers: Any = columns["speaker"]
        tails: Any = columns["tail"]
        return fields.extended(self.links, threads, speakers, tails)


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition at one version; `places` has a line of codes for each place its rows live in."""

    names: Names
    dimension: int
    version: int = 0
    places: NDArray[np.int32] = field(default_factory=lambda: NO_PLACES)
    blocks: dict[ItemKind, Block] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many rows are held."""
        return sum(len(block) for block in self.blocks.values())

    @property
    def nbytes(self) -> int:
        """Bytes held, names at a rough 200 a value."""
        names = len(self.names.places.values) + len(self.names.speakers.values)
        return 200 * names + sum(block.nbytes for block in self.blocks.values())

    def extended(self, batches: dict[ItemKind, Batch], version: int) -> Partition:
        """With the rows of later versions. Raises `Stale`."""
        blocks = dict(self.blocks)
        places = self.names.table(self.places)
        # A missing id is interned like any other; a place without a session has no conversation.
        threaded = places[:, 4] != self.names.ids.code(None)
        for kind, batch in batches.items():
            held = blocks.get(kind) or _empty(kind, self.dimension)
            blocks[kind] = held.extended(batch, threaded)
        return replace(self, version=version, places=places, blocks=blocks)


def _empty(kind: ItemKind, dimension: int) -> Block:
    """A block without rows."""
    return Block(
        kind=kind,
        columns={name: np.empty(0, dtype) for name, dtype in SCHEMA.items()},
        own=Runs(),
        tails=Runs(),
        links=fields.unlinked(0),
        matrix=Matrix(np.empty((0, max(dimension, 1)), np.float32)),
        lines=0,
        total=np.zeros(max(dimension, 1), np.float64),
    )
