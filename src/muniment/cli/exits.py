"""Errors as exit codes and one clear line.

0 done · 1 a check failed · 2 bad input or usage · 3 not found · 4 conflict · 5 the store · 6 a model · 7 forbidden · 130 stopped

Belongs here: the one mapping from the error tree to the shell, and where it is applied. Does not belong here: the tree
(domain/errors.py).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from muniment.cli.json_out import json_text, plain
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
USAGE = 2
STOPPED = 130

# Typer's UsageError lives in click or in Typer itself, depending on its version; this name is in both.
UsageError: Any = typer.BadParameter.__bases__[0]


def exit_code(error: MunimentError) -> int:
    """The exit code of an error."""
    return next((code for kind, code in CODES if isinstance(error, kind)), 1)


class Commands(TyperGroup):
    """The root of the command line: whatever command an error comes from, it ends here."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command line and exits: an error of ours or of usage is one line on stderr, or with --json one object.

        Nothing else is caught: another exception is a fault of the program, and its trace says where.
        """
        as_json = _asks_for_json(sys.argv[1:] if args is None else args)
        try:
            # Not standalone: Typer then leaves errors to us, and gives the code of `typer.Exit` back.
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra) or 0
        except MunimentError as error:
            code = exit_code(error)
            _tell(error, as_json=as_json)
        except UsageError as error:
            code = USAGE
            if as_json:
                _print("usage", error.format_message())
            else:
                error.show()
        except typer.Abort:
            code = STOPPED
        if code == STOPPED:
            print("muniment: stopped; what was acknowledged is kept", file=sys.stderr)
        sys.exit(code)


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether --json stands among the options. Read before parsing, for errors of parsing."""
    options = list(words)
    return "--json" in (options[: options.index("--")] if "--" in options else options)


def _tell(error: MunimentError, *, as_json: bool) -> None:
    if not as_json:
        print(f"muniment: {error}", file=sys.stderr)
    elif isinstance(error, Conflict):
        _print(error.code, str(error), retryable=error.retryable, current=plain(error.current))
    else:
        _print(error.code, str(error), retryable=error.retryable)


def _print(code: str, message: str, *, retryable: bool = False, **more: Any) -> None:
    said = {"code": code, "message": message, "retryable": retryable, **more}
    print(json_text({"error": said}, sys.stderr), file=sys.stderr)
