"""Errors as exit codes and one clear line.

0 done · 1 a check failed · 2 bad input or usage · 3 not found · 4 conflict · 5 the store · 6 a model · 7 forbidden · 130 stopped

Belongs here: the one mapping from the error tree to the shell. Does not belong here: the tree (domain/errors.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from muniment.domain.errors import (
    Conflict,
    Erased,
    Forbidden,
    InvalidInput,
    MissingExtra,
    ModelError,
    MunimentError,
    NotFound,
    StoreError,
)

CODES: tuple[tuple[type[MunimentError], int], ...] = (
    (InvalidInput, 2),
    (MissingExtra, 2),
    (NotFound, 3),
    (Erased, 3),
    (Conflict, 4),
    (StoreError, 5),
    (ModelError, 6),
    (Forbidden, 7),
)


def exit_code(error: MunimentError) -> int:
    """The exit code of an error."""
    return next((code for kind, code in CODES if isinstance(error, kind)), 1)


@contextmanager
def reported(*, as_json: bool) -> Iterator[None]:
    """Turns an error of ours into one line (or one JSON object) on stderr and its exit code; nothing else is caught."""
    try:
        yield
    except MunimentError as error:
        if as_json:
            said = {"code": error.code, "message": str(error), "retryable": error.retryable}
            print(json.dumps({"error": said}, ensure_ascii=False), file=sys.stderr)
        else:
            print(f"muniment: {error}", file=sys.stderr)
        raise typer.Exit(exit_code(error)) from None
