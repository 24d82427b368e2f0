"""Packed segments: a stretch of a partition's rows as arrays, so that a cold start need not read and sort rows.

A segment holds what a batch holds, with its own table of names, for one model and tokeniser-independent (tokens are
hashes). Nothing in it is executable: JSON for the names, arrays without pickling. It is content: the store seals it.

Belongs here: packing and unpacking. Does not belong here: when to pack, and where segments are kept.
"""

from __future__ import annotations

import io
import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ItemKind
from muniment.index.batch import SCHEMA, Batch, Columns, Names
from muniment.index.partition import Block, Partition
from muniment.index.postings import Postings

FORMAT: Final = 1
_LISTS: Final = ("terms", "starts", "rows", "counts", "heads")
_DTYPES: Final = {"terms": np.uint32, "starts": np.int64, "rows": np.int32, "counts": np.uint16, "heads": np.uint8}


class Unreadable(ValueError):
    """The bytes are no segment of this format and model; the rows themselves say the same."""


def pack(partition: Partition, keep: dict[ItemKind, NDArray[np.bool_]], *, model: str) -> bytes:
    """The kept rows of each kind, as bytes."""
    batches = {kind: _batch(partition.blocks[kind]).select(mask) for kind, mask in keep.items()}
    names = partition.names
    used = {
        name: np.unique(np.concatenate([np.empty(0, np.int32), *(batch.columns[name] for batch in batches.values())]))
        for name in ("place", "speaker", "memory_type")
    }
    arrays: dict[str, NDArray[Any]] = {}
    for kind, batch in batches.items():
        for name, column in batch.columns.items():
            # Arrays of raw bytes are stored as such: a void type would need its own header.
            plain = column.view(np.uint8) if column.dtype.kind == "V" else column
            # Only the names these rows bear go along, numbered anew.
            arrays[f"{kind}.{name}"] = np.searchsorted(used[name], plain).astype("<i4") if name in used else plain
        for part, lists in (("own", batch.own), ("tails", batch.tails)):
            for name in _LISTS:
                arrays[f"{kind}.{part}.{name}"] = getattr(lists, name)
        arrays[f"{kind}.vectors"] = batch.vectors.astype(np.float16)
    tables = {"place": names.places, "speaker": names.speakers, "memory_type": names.types}
    header = {
        "format": FORMAT,
        "model": model,
        "dimension": partition.dimension,
        "kinds": [str(kind) for kind in keep],
        "names": {name: [table.values[code] for code in used[name].tolist()] for name, table in tables.items()},
    }
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    return out.getvalue()


def unpack(packed: bytes, names: Names, *, model: str, dimension: int) -> dict[ItemKind, Batch]:
    """The rows of a segment, their names interned anew. Raises `Unreadable`."""
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
            header = json.loads(stored["header"].tobytes())
            if (header["format"], header["model"], header["dimension"]) != (FORMAT, model, dimension):
                raise Unreadable("another format or model")
            found = header["names"]
            tables = {
                "place": names.places.column([tuple(place) for place in found["place"]]),
                "speaker": names.speakers.column(found["speaker"]),
                "memory_type": names.types.column(found["memory_type"]),
            }
            return {ItemKind(kind): _read(stored, kind, tables) for kind in header["kinds"]}
    except Unreadable:
        raise
    except Exception as error:  # whatever damaged bytes do to zip, JSON or arrays
        raise Unreadable(type(error).__name__) from error


def _read(stored: Any, kind: str, tables: dict[str, NDArray[np.int32]]) -> Batch:
    """One kind's batch."""
    columns: Columns = {}
    for name, dtype in SCHEMA.items():
        column = stored[f"{kind}.{name}"]
        columns[name] = column.view("V16") if dtype == "V16" else column.astype(dtype, copy=False)
    for name, table in tables.items():
        columns[name] = table[columns[name].astype(np.int64)]
    own, tails = (
        Postings(*(stored[f"{kind}.{part}.{name}"].astype(_DTYPES[name], copy=False) for name in _LISTS))
        for part in ("own", "tails")
    )
    batch = Batch(columns, own, tails, stored[f"{kind}.vectors"])
    lines = int(np.sum(columns["chunks"], dtype=np.int64))
    if len({len(column) for column in columns.values()}) != 1 or lines != len(batch.vectors):
        raise Unreadable("columns of unequal length")
    return batch


def _batch(block: Block) -> Batch:
    """A whole block as a batch."""
    return Batch(block.columns, block.own.whole(), block.tails.whole(), block.vectors)
