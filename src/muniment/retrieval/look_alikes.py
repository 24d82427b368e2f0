"""What holds a look-alike of a key that a question asks by: '139…' never answers for '138…'.

Belongs here: telling such records apart. Does not belong here: the look-up itself (`channels/exact`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.domain.answers import Dropped, Hit
from muniment.domain.records import Evidence, Fact
from muniment.retrieval.ask import Ask
from muniment.retrieval.asked_exactly import Key, names, wants
from muniment.text.identifiers import identifiers

REASON: Final = "it is about another {kind} than the one asked for"
NEAR: Final = 2
"""Characters in which two codes of one length may differ to look alike."""


def apart(ask: Ask, hits: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
    """The hits without those that hold look-alikes of the keys a question wants a value by, and none of these keys."""
    keys = names(ask.query).keys
    if not keys or not wants(ask.query, keys, ask.policy).for_value:
        return list(hits), []
    kept: list[Hit] = []
    dropped: list[Dropped] = []
    for hit in hits:
        kind = _other(hit, list(keys)) if isinstance(hit.item, (Fact, Evidence)) else None
        if kind is None:
            kept.append(hit)
        else:
            dropped.append(Dropped(id=hit.id, reason=REASON.format(kind=kind), text=hit.text[:120]))
    return kept, dropped


def _other(hit: Hit, keys: Sequence[Key]) -> str | None:
    """The kind of which a hit holds another key than those asked by; None where it holds one of them, or none alike."""
    held = {(item.kind, item.value) for item in identifiers(hit.text)}
    if held & set(keys):
        return None
    return next(
        (kind for kind, value in keys for other, spelt in held if other == kind and _alike(kind, value, spelt)), None
    )


def _alike(kind: str, one: str, other: str) -> bool:
    if kind != "code":
        return True
    near = len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= NEAR
    return near or _shape(one) == _shape(other)


def _shape(code: str) -> str:
    return "".join("9" if char.isdigit() else "a" for char in code)
