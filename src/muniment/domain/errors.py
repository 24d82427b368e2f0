"""Every error a caller can meet, as one tree.

    MunimentError
    ├── InvalidInput            what was asked cannot be done as written
    │   ├── NaiveInstant        a datetime without an offset
    │   ├── UnknownField        a misspelt or unknown argument, filter or operator
    │   ├── TooLarge            over a documented limit
    │   └── PolicyError         a policy or settings file that does not validate
    ├── NotFound                not there, or not yours to see (the two look alike on purpose)
    ├── Forbidden               you may see it, but not do this to it
    ├── Conflict                it moved since you read it; `.current` says where it is now
    │   └── IdempotencyConflict the same key was used for another body
    ├── Erased                  it was there and has been forgotten; nothing was re-created
    ├── StoreError              the database said no
    │   ├── NotADatabase        the file is something else
    │   ├── SchemaMismatch      the database was written by another version
    │   ├── ModelMismatch       the database holds another embedder's vectors
    │   ├── ReadOnlyStore       the file or folder cannot be written
    │   ├── StoreFull           no space left; what was acknowledged before is safe
    │   └── StoreBusy           others held the lock for too long (retryable)
    ├── ModelError              an embedder, extractor or other model failed (retryable)
    └── MissingExtra            an optional dependency is not installed

Each class has a `code` (stable, for programs) and `retryable`. Edges map the classes once: problem+json, JSON-RPC, exit code.
Does not belong here: exceptions that never leave their module.
"""

from __future__ import annotations

from typing import ClassVar


class MunimentError(Exception):
    """Base of every error this library raises on purpose. `str(error)` names the thing and the next step."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False


class InvalidInput(MunimentError, ValueError):
    """The request cannot be carried out as written."""

    code = "invalid_input"


class NaiveInstant(InvalidInput):
    """A datetime without an offset: it is never guessed what it means."""

    code = "naive_instant"


class UnknownField(InvalidInput):
    """A field, filter or operator that does not exist; ignoring it could widen a read."""

    code = "unknown_field"


class TooLarge(InvalidInput):
    """Over a limit of the policy; the message names the limit."""

    code = "too_large"


class PolicyError(InvalidInput):
    """A policy or settings value that does not validate; the message names the knob."""

    code = "policy_error"


class NotFound(MunimentError, LookupError):
    """Not there, or not visible to this reader."""

    code = "not_found"


class Forbidden(MunimentError, PermissionError):
    """This principal may not do this."""

    code = "forbidden"


class Conflict(MunimentError):
    """The target moved since it was read. `current` is what stands now (a revision number, a record, or None)."""

    code = "conflict"

    def __init__(self, message: str, *, current: object = None) -> None:
        super().__init__(message)
        self.current = current


class IdempotencyConflict(Conflict):
    """The idempotency key was already used for another body."""

    code = "idempotency_conflict"


class Erased(MunimentError):
    """What the key or id named has been erased; nothing is re-created."""

    code = "erased"


class StoreError(MunimentError):
    """The database refused; subclasses say why."""

    code = "store_error"


class NotADatabase(StoreError):
    """The file exists and is not a database of ours."""

    code = "not_a_database"


class SchemaMismatch(StoreError):
    """The database's schema is of another version than this library."""

    code = "schema_mismatch"


class ModelMismatch(StoreError):
    """The database holds vectors of another embedder; `muniment reembed` re-computes them."""

    code = "model_mismatch"


class ReadOnlyStore(StoreError):
    """The database file, or the folder it should be in, cannot be written."""

    code = "read_only_store"


class StoreFull(StoreError):
    """No space left on the device. The transaction was rolled back; earlier ones are safe."""

    code = "store_full"


class StoreBusy(StoreError):
    """The lock was not to be had before the deadline. Nothing was written; try again."""

    code = "store_busy"
    retryable = True


class ModelError(MunimentError):
    """An embedder, extractor, summariser or reranker failed."""

    code = "model_error"
    retryable = True


class MissingExtra(MunimentError, ImportError):
    """An optional dependency is missing; the message names the extra to install."""

    code = "missing_extra"
