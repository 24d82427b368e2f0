"""What the facade is made of, put together once by `bootstrap`.

Belongs here: the parts and small conversions every method needs. Does not belong here: their construction.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from muniment.config import Policy, Settings
from muniment.domain.errors import InvalidInput
from muniment.domain.scope import Reader
from muniment.domain.time import AsOf, parse_instant, utc
from muniment.domain.token import Token
from muniment.ingestion.pipeline import Pipeline
from muniment.ports.index import Index
from muniment.ports.models import Clock, Embedder, Summariser, TokenCounter
from muniment.ports.store import Store
from muniment.retrieval.channels.window import Window
from muniment.retrieval.context import Contexts
from muniment.retrieval.search import Search

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment

T = TypeVar("T")


class Retrying(Protocol):
    """Runs a whole use case again while another writer wins."""

    def __call__(self, work: Callable[[], T]) -> T: ...


class Packing(Protocol):
    """Keeps partitions packed: told of what is written, or looking through the store."""

    def __call__(self, reader: Reader, rows: int) -> None: ...
    def sweep(self, *, dry: bool = False) -> int: ...


@dataclass(slots=True, kw_only=True)
class Parts:
    """Ports, use cases and configuration of one open memory."""

    store: Store
    index: Index
    embedder: Embedder
    counter: TokenCounter
    summariser: Summariser
    fallback_summariser: Summariser
    policy: Policy
    settings: Settings
    clock: Clock
    pipeline: Pipeline
    search: Search
    contexts: Contexts
    window: Window
    upkeep: Packing
    retrying: Retrying
    scratch: Callable[[Policy, Clock], Muniment]


def as_id(value: UUID | str, *, name: str = "fact_id") -> UUID:
    """An id from a UUID or its text. Raises `InvalidInput` naming the argument."""
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        raise InvalidInput(f"{name}={value!r} is not an id such as 0198f3a2-…") from None


def as_instant(value: datetime | str | None, name: str) -> datetime | None:
    """An instant in UTC from an aware datetime or ISO text. Raises `NaiveInstant` or `InvalidInput`, naming the argument."""
    if value is None:
        return None
    return utc(parse_instant(value, name=name) if isinstance(value, str) else value, name=name)


def as_of(*, tenant: str, valid_at: datetime | str | None, known_at: datetime | str | None) -> AsOf:
    """The two instants of a read, from datetimes, ISO text or a token's text. Raises `NaiveInstant` or `InvalidInput`."""
    valid = parse_instant(valid_at, name="valid_at") if isinstance(valid_at, str) else valid_at
    known = Token.read(known_at, tenant=tenant) if isinstance(known_at, str) else known_at
    return AsOf(
        valid_at=None if valid is None else utc(valid, name="valid_at"),
        known_at=known if isinstance(known, Token) or known is None else utc(known, name="known_at"),
    )


def cursor_text(values: list[Any]) -> str:
    """An opaque cursor."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def cursor_values(text: str, length: int) -> list[Any]:
    """What a cursor holds. Raises `InvalidInput` for one that is not ours."""
    try:
        padded = text + "=" * (-len(text) % 4)
        values = json.loads(base64.urlsafe_b64decode(padded))
    except ValueError:
        values = None
    if not isinstance(values, list) or len(values) != length:
        raise InvalidInput("cursor is not one that a page of this list returned as `.next`")
    return values
