"""What a knowledge source gave, as passages that can be shown: cleaned, bounded, with their place.

A source is not ours: every field may be missing, of another type, or hostile. What cannot be shown is left out with the
reason; nothing it gives can fail a call.

Belongs here: the reading of what was given. Does not belong here: asking (`channels/knowledge`), rendering (`sections`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from muniment.config import Limits
from muniment.domain.errors import InvalidInput
from muniment.domain.passages import Passage
from muniment.ports.knowledge import Given
from muniment.text.sanitise import sanitise, sanitise_json

FIELD_CHARS: Final = 512
"""Characters of a passage's id, title, locator and version that are kept: as of evidence."""

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "content": ("content", "text", "page_content"),
    "ref": ("id", "ref"),
    "title": ("title",),
    "locator": ("locator", "url", "source"),
    "version": ("version",),
}
"""The names under which sources give each field, the first that is there counts."""


def passage_of(given: Given, *, source: str, limits: Limits) -> Passage:
    """The passage, as it may be shown. Raises `InvalidInput` for what has no words or too many, saying which."""
    if isinstance(given, Passage):
        found = given
    elif isinstance(given, str):
        found = Passage(content=given)
    elif isinstance(given, Mapping):
        found = _of_mapping(given)
    else:
        raise InvalidInput(f"a passage is a text, a mapping or a Passage, not {type(given).__name__}")
    if not isinstance(found.content, str):
        raise InvalidInput("a passage without words")
    content = sanitise(found.content).text.strip()
    if not content:
        raise InvalidInput("a passage without words")
    if len(content) > limits.content_chars:
        raise InvalidInput(f"a passage of {len(content)} characters, over limits.content_chars")
    ref = _field(found.ref) or hashlib.sha256(content.encode()).hexdigest()[:32]
    return Passage(
        content=content,
        source=source,
        ref=ref,
        title=_field(found.title),
        locator=_field(found.locator),
        version=_field(found.version),
        score=_number(found.score),
        metadata=_metadata(found.metadata, limits),
    )


def _of_mapping(given: Mapping[str, Any]) -> Passage:
    named = {
        name: next((given[key] for key in keys if given.get(key) is not None), None) for name, keys in _NAMES.items()
    }
    passage = Passage(
        content=named.pop("content") or "", score=given.get("score"), metadata=given.get("metadata") or {}
    )
    return replace(passage, **{name: value for name, value in named.items() if value is not None})


def _field(value: object) -> str | None:
    """A field as one line of text, cut where it is longer than evidence could keep it."""
    if value is None:
        return None
    return " ".join(sanitise(str(value)).text.split())[:FIELD_CHARS] or None


def _number(value: object) -> float | None:
    """A finite number; numpy's are numbers too."""
    if value is None or isinstance(value, (bool, str)):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _metadata(value: object, limits: Limits) -> dict[str, Any]:
    """Metadata as JSON; whatever JSON cannot hold as its text, and none at all where it is too large or too deep."""
    if not isinstance(value, Mapping):
        return {}
    try:
        spelt = json.loads(json.dumps({str(key): item for key, item in value.items()}, default=str))
        kept = sanitise_json(spelt, limit_depth=limits.depth, limit_bytes=limits.metadata_bytes).value
    except (ValueError, TypeError, RecursionError):
        return {}
    return dict(kept)
