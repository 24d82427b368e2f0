"""`verify_erased`: does anything this process can look into still hold given words? A signed answer.

Belongs here: what is looked into beside the store, and the signature. Does not belong here: the search in tables and files
(store/verify.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from muniment.domain.errors import InvalidInput
from muniment.service.parts import Parts

LEAST: Final = 3
"""Characters of the shortest canary: what is shorter is in everything. A Chinese character, or another wide one, is as rare
as two letters or more, so that two of them are enough."""


def verify_erased(parts: Parts, canaries: Sequence[str] | str) -> dict[str, Any]:
    """{looked_at, not_reachable, found: [{canary, where}], at, signature} over the whole store, every tenant of it.

    An index entry that holds the canary's words as hashes, side by side, is found too. Raises `InvalidInput` for no canary
    or one under three characters (two, where they are Chinese).
    """
    sought = [canaries] if isinstance(canaries, str) else list(canaries)
    if not sought or any(_length(item.strip()) < LEAST for item in sought):
        raise InvalidInput(f"verify_erased takes texts of at least {LEAST} characters each, two where they are Chinese")
    report = dict(parts.store.verify(sought, at=parts.clock()))
    held = [
        {"canary": canary, "where": f"this process's index of {key.kind.lower()} {key.target!r}"}
        for canary in sought
        for key in parts.index.holding(canary)
    ]
    report["found"] = [*report["found"], *held]
    report["looked_at"] = [
        *report["looked_at"],
        f"this process's index: {parts.index.nbytes} byte(s)",
        f"the windows in the cache ({parts.window.cache.name}): ids only",
    ]
    return {**report, "signature": parts.store.signed(report)}


def _length(text: str) -> int:
    """Characters of a canary, wide ones (Unicode's East Asian width) as two."""
    return sum(2 if unicodedata.east_asian_width(char) == "W" else 1 for char in text)


def genuine(parts: Parts, report: Mapping[str, Any]) -> bool:
    """Whether a report was signed by this store and not changed since."""
    unsigned = {name: value for name, value in report.items() if name != "signature"}
    return bool(parts.store.signed(unsigned) == report.get("signature"))
