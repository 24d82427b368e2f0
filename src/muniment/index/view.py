"""A block as one query sees it, with the statistics that do not depend on the question.

Belongs here: counts, field lengths, sums and norms over visible rows, kept for the next query that sees the same.
Does not belong here: the mask itself, and scores.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.index import fields
from muniment.index.fields import Field, Layout
from muniment.index.partition import Block
from muniment.index.products import products, summed

_KEPT: Final = 4
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class View:
    """Visible rows of a block. `mask` None means all; `sums` are the fields' lengths added up over visible rows."""

    block: Block
    mask: NDArray[np.bool_] | None
    count: int
    layout: Layout
    sums: dict[Field, float]
    speakers: frozenset[int]
    vector_sum: NDArray[np.float64]
    lines: int
    norms: OrderedDict[bytes, tuple[Floats, Floats]] = field(default_factory=OrderedDict, compare=False)

    def centred(self, mean: NDArray[np.float64]) -> tuple[Floats, Floats]:
        """For each line d: its product with `mean`, and |d - mean|; kept for the means used last."""
        key = mean.tobytes()
        found = self.norms.get(key)
        if found is None:
            single = mean.astype(np.float32)
            product = products(self.block.vectors, single)
            # Lines are of unit length up to their float16 rounding; zero lines stay away from everything.
            squares = np.maximum(1.0 - 2.0 * product + float(mean @ mean), 1e-6)
            found = product, np.sqrt(squares).astype(np.float32)
            _keep(self.norms, key, found)
        return found


def view_of(block: Block, mask: NDArray[np.bool_] | None) -> View:
    """The view of a block under a mask, from the block's own small store of recent ones."""
    key = b"" if mask is None else blake2b(mask.tobytes(), digest_size=16).digest()
    found = block.views.get(key)
    if found is None:
        found = _made(block, mask)
        _keep(block.views, key, found)
    result: View = found
    return result


def _made(block: Block, mask: NDArray[np.bool_] | None) -> View:
    """A view from scratch."""
    column: Any = block.columns
    at = fields.layout(block.links, mask, column["length"], column["head"], column["tail"])
    speakers = column["speaker"] if mask is None else column["speaker"][mask]
    vector_sum, lines = _summed(block, mask)
    return View(
        block=block,
        mask=mask,
        count=len(block) if mask is None else int(mask.sum()),
        layout=at,
        sums={
            name: float(np.sum(sizes if mask is None else sizes[mask], dtype=np.float64))
            for name, sizes in at.lengths.items()
        },
        speakers=frozenset(np.flatnonzero(np.bincount(speakers)).tolist()) if len(speakers) else frozenset(),
        vector_sum=vector_sum,
        lines=lines,
    )


def _summed(block: Block, mask: NDArray[np.bool_] | None) -> tuple[NDArray[np.float64], int]:
    """Sum and number of the visible rows' lines, by the smaller of the visible and the invisible part."""
    if mask is None:
        return block.total, block.lines
    seen = np.repeat(mask, block.columns["chunks"].astype(np.int64))
    lines = int(seen.sum())
    if 2 * lines > block.lines:
        return block.total - summed(block.vectors[~seen]), lines
    return summed(block.vectors[seen]), lines


def _keep(store: OrderedDict[bytes, Any], key: bytes, value: Any) -> None:
    """Keeps a value, the oldest out first. Each step is atomic, so that searches may share the store."""
    store[key] = value
    while len(store) > _KEPT:
        try:
            store.popitem(last=False)
        except KeyError:
            break
