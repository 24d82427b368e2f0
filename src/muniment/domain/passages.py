"""Passages of the application's own sources, which the memory neither holds nor vouches for.

Belongs here: the value. Does not belong here: the sources (`ports/knowledge`) and how they are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID, uuid5

_SPACE: Final = UUID("6f6d8f5e-8d5b-5a61-9f3e-2c1c2f0f7a10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage that a source gave: its words, the source's name, its id there, where it stands and in which version.

    `score` is the source's own; it compares with nothing but the source's other passages.
    """

    content: str
    source: str = ""
    ref: str = ""
    title: str | None = None
    locator: str | None = None
    version: str | None = None
    score: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passage_id(self) -> UUID:
        """The same id for the same passage of the same version, whoever asks."""
        return uuid5(_SPACE, "\0".join((self.source, self.ref, self.version or "")))
