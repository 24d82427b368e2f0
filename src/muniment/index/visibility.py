"""What a query can see of a block, as a mask over its rows.

Belongs here: scopes and instants as array masks. A property proves the scope mask equal to `ScopeSet.admits`. Does
not belong here: who may see what (domain/scope.py) and the statistics over what is seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ItemKind, Standing
from muniment.domain.scope import PartitionKey, ScopeSet
from muniment.index.batch import ALWAYS, ELIGIBILITIES, NEVER, STANDINGS, Names
from muniment.index.partition import Block, Partition
from muniment.ports.index import IndexQuery

Mask = NDArray[np.bool_]
_PARTS = {"user": 1, "department": 2, "agent": 3, "session": 4, "task": 5}


def admitted_places(scopes: ScopeSet, tenant: str, partition: Partition) -> Mask:
    """For each place the partition's rows live in, whether a record there is visible."""
    table, codes = partition.places, partition.names.ids.codes
    result = np.zeros(len(table), bool)
    if tenant != scopes.tenant:
        return result
    for clause in scopes.clauses:
        mask = table[:, 0] == codes.get(clause.scope.value, -1)
        for name, allowed in clause.ids:
            mask &= _in(table[:, _PARTS[name]], [codes[item] for item in allowed if item in codes])
        result |= mask
    return result


def visible(block: Block, key: PartitionKey, partition: Partition, query: IndexQuery, now: int) -> Mask | None:
    """The rows the query's statistics are over; None means all of them."""
    column: Any = block.columns
    mask: Mask = admitted_places(query.scopes, key.tenant, partition)[column["place"]]
    mask &= column["hidden_at"] == NEVER
    mask &= _in(column["eligibility"], [ELIGIBILITIES[item] for item in query.eligibility if item in ELIGIBILITIES])
    known = _known(query, key)
    if known is not None:
        mask &= column["recorded_at"] <= known
    if not query.include_history:
        # What was used then is used in a read as of then: expiry moves with belief, hiding does not.
        believed = now if known is None else known
        mask &= column["retracted_at"] == NEVER if known is None else column["retracted_at"] > known
        mask &= column["expires_at"] > believed
    if block.kind is ItemKind.FACT:
        mask &= _facts(block, query, now)
    return None if mask.all() else mask


def _facts(block: Block, query: IndexQuery, now: int) -> Mask:
    """Facts that hold at the instant and stand on their timeline."""
    column: Any = block.columns
    mask = np.ones(len(block), bool)
    if not query.include_history:
        valid_at = now if query.valid_at is None else query.valid_at
        mask &= (column["valid_from"] <= valid_at) & (valid_at < column["valid_until"])
    if not query.include_contenders:
        # One whose ground went is proposed too: the answer is then that it is not known any more. One without a place in
        # time stands beside every timeline, flagged.
        shown = (Standing.HELD, Standing.DISPUTED, Standing.UNSUPPORTED, Standing.UNPLACED)
        mask &= _in(column["standing"], [STANDINGS[standing] for standing in shown])
    return mask


def wanted(block: Block, names: Names, query: IndexQuery) -> Mask | None:
    """The rows the query may propose among those it sees (its time bounds and memory types); None means all."""
    column: Any = block.columns
    mask: Mask | None = None
    if query.since is not None or query.until is not None:
        since = ALWAYS if query.since is None else query.since
        until = NEVER if query.until is None else query.until
        if block.kind is ItemKind.FACT:
            mask = (column["valid_from"] < until) & (column["valid_until"] > since)
        else:
            at = instants(block)
            mask = (at >= since) & (at < until)
    if query.types is not None and block.kind is ItemKind.FACT:
        codes = [names.types.codes[item] for item in query.types if item in names.types.codes]
        typed = _in(column["memory_type"], codes)
        mask = typed if mask is None else mask & typed
    return mask


def instants(block: Block) -> NDArray[np.int64]:
    """When each row happened; when it was recorded where that is not known."""
    column: Any = block.columns
    result: NDArray[np.int64] = np.where(column["occurred_at"] == ALWAYS, column["recorded_at"], column["occurred_at"])
    return result


def _known(query: IndexQuery, key: PartitionKey) -> int | None:
    """What `known_at` means for one partition: its mark; before everything for one the token had not seen."""
    if query.known_marks is None:
        return query.known_at
    return query.known_marks.get(key, ALWAYS)


def _in(column: NDArray[Any], codes: list[int]) -> Mask:
    """Rows whose code is one of a few."""
    mask = np.zeros(len(column), bool)
    for code in codes:
        mask |= column == code
    return mask
