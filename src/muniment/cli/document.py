"""`muniment observe-document`: a file into a memory, passage by passage, with a progress bar; resumable.

Belongs here: reading the file, the bar. Does not belong here: the cut and the versions (`Reader.observe_document`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli.json_out import echo
from muniment.cli.options import WHERE, WHO, Given, memory_of, reader_of, with_options
from muniment.domain.errors import InvalidInput

File = Annotated[Path, typer.Argument(help="Plain text or Markdown in UTF-8; - reads standard input.")]
Locator = Annotated[str | None, typer.Option(help="Where the original stands; without it, the file's path as given.")]
SourceId = Annotated[str | None, typer.Option(help="Its id in its system, which then says which document it is.")]
System = Annotated[str | None, typer.Option("--source-system", help="The system it comes from.")]
Version = Annotated[str | None, typer.Option(help="Its version: a number, a dotted number, an ISO date.")]
Title = Annotated[str | None, typer.Option(help="Its title, kept with each passage.")]
Metadata = Annotated[str | None, typer.Option(help="A JSON object kept with each passage, for filters.")]
At = Annotated[str | None, typer.Option("--occurred-at", help="When it was written or published, with its offset.")]
Trust = Annotated[int | None, typer.Option(help="Lower the source's trust to this; it is never raised.")]
Key = Annotated[str | None, typer.Option("--idempotency-key", help="A repeated call answers with the first receipt.")]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    epilog = "Example: muniment observe-document handbook.md --version 3 --user u100"
    app.command("observe-document", epilog=epilog)(observe_document)


@with_options(WHO, WHERE)
def observe_document(
    file: File,
    locator: Locator = None,
    source_id: SourceId = None,
    source_system: System = None,
    version: Version = None,
    title: Title = None,
    metadata: Metadata = None,
    occurred_at: At = None,
    trust: Trust = None,
    idempotency_key: Key = None,
    *,
    given: Given,
) -> None:
    """Record a version of a document in passages. A newer one replaces the older; run again after an interruption, it goes on
    where it stopped."""
    fields: dict[str, Any] = {
        "locator": locator if locator is not None or str(file) == "-" else str(file),
        "source_id": source_id,
        "source_system": source_system,
        "version": version,
        "title": title,
        "metadata": _object(metadata),
        "occurred_at": occurred_at,
        "trust": trust,
        "idempotency_key": idempotency_key,
    }
    text = _read(file)
    with memory_of(given, create=True) as memory:
        receipt = _watched(reader_of(memory, given), text, file.name, fields, quiet=given["as_json"])
    if given["as_json"]:
        echo(receipt)
    else:
        from muniment.cli.render import render

        render(receipt)


def _watched(reader: Any, text: str, name: str, fields: dict[str, Any], *, quiet: bool) -> Any:
    """The call, with a bar on a terminal."""
    from muniment.cli.progress import bar

    if quiet:
        return reader.observe_document(text, **fields)
    with bar("passages") as shown:
        if shown is None:
            return reader.observe_document(text, **fields)
        task = shown.add_task(name, total=None)
        return reader.observe_document(
            text, progress=lambda done, total: shown.update(task, completed=done, total=total), **fields
        )


def _read(file: Path) -> str:
    """The words of a file. Raises `InvalidInput` for one that is not there or is not text."""
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not text in UTF-8; give its text, not the file of another program") from None


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"--metadata is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"--metadata takes a JSON object, not {type(found).__name__}")
    return found
