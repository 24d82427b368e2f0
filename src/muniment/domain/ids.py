"""Ids that follow from other ids.

What an act makes is named after the act, so that a replay of the log makes the same facts again and a repeat makes
nothing new.

Belongs here: that. Does not belong here: fresh ids (UUIDv7, made at the composition root).
"""

from __future__ import annotations

import hashlib
from typing import Final
from uuid import UUID

_LOW_BITS: Final = 54
"""What a UUIDv7 leaves to chance: 128 bits less 48 of milliseconds, 4 of version, 20 of their fraction and 2 of variant."""


def derived(parent: UUID, name: str) -> UUID:
    """The id of what `name` says of the parent: always the same, unlike every other, and in time order with the parent's."""
    digest = hashlib.sha256(parent.bytes + name.encode()).digest()
    low = int.from_bytes(digest[:8], "big") & ((1 << _LOW_BITS) - 1)
    return UUID(int=(parent.int >> _LOW_BITS << _LOW_BITS) | low)
