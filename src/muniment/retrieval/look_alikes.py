"""What holds a look-alike of a key that a question asks by, or another person's value: '139…' never answers for '138…'.

Belongs here: telling such records apart. Does not belong here: the look-up itself (`channels/exact`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from muniment.domain.answers import Dropped, Hit
from muniment.domain.records import Evidence, Fact
from muniment.domain.statement import canonical, subject_key
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.asked_exactly import KEYS, Key, names, wants
from muniment.text.belonging import belongings, named
from muniment.text.identifiers import identifiers, keys_of

REASON: Final = "it is about another {kind} than the one asked for"
NEAR: Final = 2
"""Characters in which two codes of one length may differ to look alike."""


def apart(ask: Ask, hits: Sequence[Hit], exact: Recall) -> tuple[list[Hit], list[Dropped]]:
    """The hits without those that hold look-alikes of the keys a question wants a value by and none of these keys, and without
    those that tell the value that is asked for of another person than the exact channel found it asked of."""
    keys = names(ask.query).keys
    if keys and not wants(ask.query, keys, ask.policy).for_value:
        keys = {}
    whose = exact.people if exact.kind in KEYS and "user" not in exact.people else frozenset()
    kept: list[Hit] = []
    dropped: list[Dropped] = []
    for hit in hits:
        kind = _other(hit, list(keys)) if keys and isinstance(hit.item, (Fact, Evidence)) else None
        if kind is None and whose and exact.kind and _of_another(hit, list(keys), exact.kind, whose):
            kind = "person"
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


def _of_another(hit: Hit, keys: Sequence[Key], kind: str, people: Collection[str]) -> bool:
    """Whether a hit holds keys of the asked kind that are all others', and neither a key asked by nor a name of theirs."""
    text = canonical(hit.text)
    held = belongings(hit.text)
    if any(name in text for name in people) or any((item.key.kind, item.key.value) in keys for item in held):
        return False
    if isinstance(hit.item, Fact) and hit.item.subject and subject_key(hit.item.subject) not in people:
        told = keys_of(hit.text, subject=None, predicate=hit.item.predicate, value=hit.item.value)
        return any(found == kind for found, _ in told)
    speaker = hit.item.speaker if isinstance(hit.item, Evidence) else None
    owners = [item.person and named(item.person, speaker) for item in held if item.key.kind == kind]
    return bool(owners) and all(owner is not None and owner not in people for owner in owners)


def _alike(kind: str, one: str, other: str) -> bool:
    if kind != "code":
        return True
    near = len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= NEAR
    return near or _shape(one) == _shape(other)


def _shape(code: str) -> str:
    return "".join("9" if char.isdigit() else "a" for char in code)
