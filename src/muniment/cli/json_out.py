"""Results as JSON: one object a call, stable names, instants as ISO text, ids as text.

Belongs here: the conversion. Does not belong here: what people read (`render`).
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TextIO
from uuid import UUID

import typer

from muniment.domain.answers import Hit, Hits
from muniment.domain.reasons import HitReasons, Reasons
from muniment.domain.records import Fact, Receipt
from muniment.domain.summaries import Summary
from muniment.domain.token import Token

ALSO: Mapping[type, tuple[str, ...]] = {
    Fact: ("id", "type", "scope"),
    Hit: ("id", "text"),
    Receipt: ("fact_id",),
    Summary: ("content",),
}
"""Properties that are printed beside the fields, because callers know them by these names."""


def plain(value: Any) -> Any:
    """The value in JSON's own types. A token keeps its whole text, so that it can be given back as known_at."""
    if isinstance(value, Token):
        return value.text
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (HitReasons, Reasons)):
        return value.plain()
    if isinstance(value, Hits):
        return {
            "hits": [plain(hit) for hit in list(value)],
            "route": plain(value.route),
            "degraded": list(value.degraded),
            "dropped": plain(value.dropped),
            "conflicts": list(value.conflicts),
            "known_at": plain(value.known_at),
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [*ALSO.get(type(value), ()), *(item.name for item in fields(value) if item.compare)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value


def json_text(value: Any, stream: TextIO) -> str:
    """The value as JSON for a stream: with every character as it is where the stream's encoding has them all, else in ASCII."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return json.dumps(value, ensure_ascii=not codecs.lookup(encoding).name.startswith("utf"), default=str)


def echo(value: Any) -> None:
    """Prints one JSON object; a bare list or value is wrapped, so that every command prints an object."""
    found = plain(value)
    if isinstance(found, list):
        found = {"items": found}
    elif not isinstance(found, dict):
        found = {"value": found}
    typer.echo(json_text(found, sys.stdout))
