"""`muniment forget` and `muniment verify-erased`.

Belongs here: their options, the question before erasing, what they print. Does not belong here: forgetting itself (service/).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.json_out import echo
from muniment.cli.options import WHERE, WHO, Given, memory_of, reader_of, with_options
from muniment.domain.errors import InvalidInput

if TYPE_CHECKING:
    from muniment.domain.records import Receipt
    from muniment.service.reader import Reader

SHOWN = 20
"""Lines of a manifest that people are shown; --json prints all."""

Fact = Annotated[str | None, typer.Argument(help="The fact to forget.", show_default=False)]
Query = Annotated[str | None, typer.Option("--query", help="What says these words exactly, or holds this exact key.")]
WholeSession = Annotated[str | None, typer.Option("--whole-session", help="Everything of this session.")]
WholeTask = Annotated[str | None, typer.Option("--whole-task", help="Everything of this task.")]
WholeUser = Annotated[str | None, typer.Option("--whole-user", help="Everything of this user.")]
WholeTenant = Annotated[str | None, typer.Option("--whole-tenant", help="Everything of this tenant.")]
Erase = Annotated[bool, typer.Option("--erase", help="Leave no content, instead of hiding it; a tombstone stays.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only list what would go.")]
Yes = Annotated[bool, typer.Option("--yes", help="Erase without the manifest's hash.")]
Hash = Annotated[str | None, typer.Option("--manifest", help="The hash a dry run printed: that, and nothing else.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why; kept with the tombstones.")]
Key = Annotated[str | None, typer.Option("--idempotency-key", help="A repeated call answers with the first receipt.")]
Canaries = Annotated[list[str] | None, typer.Argument(help="Texts to look for; without any, a line each on stdin.")]
File = Annotated[Path | None, typer.Option("--file", help="A file with a text on each line.")]


def register(app: typer.Typer) -> None:
    """Adds both commands."""
    example = "Example: muniment forget --query 'ORD-2024-001' --erase --dry-run --user u100"
    app.command("forget", epilog=example)(forget)
    app.command("verify-erased", epilog="Example: muniment verify-erased < canaries.txt")(verify_erased)


@with_options(WHO, WHERE)
def forget(
    fact: Fact = None,
    query: Query = None,
    whole_session: WholeSession = None,
    whole_task: WholeTask = None,
    whole_user: WholeUser = None,
    whole_tenant: WholeTenant = None,
    erase: Erase = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    manifest: Hash = None,
    reason: Reason = None,
    idempotency_key: Key = None,
    *,
    given: Given,
) -> None:
    """Forget a fact, a session, a task, a user, or what says some words: hide it, or with --erase leave no content."""
    if erase and not (yes or manifest or dry_run):
        raise InvalidInput("erasing takes --yes, or --manifest with the hash that --dry-run prints")
    named = {
        "fact": fact, "query": query, "session": whole_session, "task": whole_task, "user": whole_user,
        "tenant": whole_tenant,
    }  # fmt: skip
    with memory_of(given) as memory:
        receipt = _asked(
            reader_of(memory, given),
            {name: value for name, value in named.items() if value is not None},
            mode="erase" if erase else "hide",
            dry_run=dry_run,
            expected_manifest=manifest,
            reason=reason,
            idempotency_key=idempotency_key,
        )
        if given["as_json"]:
            echo(receipt)
        else:
            _show(receipt)


def _asked(reader: Reader, named: dict[str, Any], **how: Any) -> Receipt:
    return reader.forget(**named, **how)


def _show(receipt: Receipt) -> None:
    from muniment.domain.forgotten import Forgotten

    for line in receipt.lines:
        typer.echo(line)
    if not isinstance(receipt, Forgotten):
        return
    for name, count in receipt.counts.items():
        typer.echo(f"  {count:>6}  {name}")
    for item in receipt.manifest[:SHOWN]:
        typer.echo(f"  {item.kind} {item.id}  {item.words}")
    if len(receipt.manifest) > SHOWN:
        typer.echo(f"  … and {len(receipt.manifest) - SHOWN} more; --json prints all")
    if receipt.status == "dry run":
        typer.echo(f"nothing was changed; --manifest {receipt.manifest_hash} forgets exactly this")
    elif receipt.status == "pending":
        typer.echo("pending: run `muniment forget` or open the store again once its other readers have closed")


@with_options(WHERE)
def verify_erased(canaries: Canaries = None, file: File = None, *, given: Given) -> None:
    """Look for texts in every table, file and index within reach; exits with 1 where one is found.

    Texts given as arguments stay in the shell's history; --file and stdin leave none.
    """
    sought = [*(canaries or []), *_lines(file, read_stdin=not canaries and file is None)]
    with memory_of(given) as memory:
        report = memory.verify_erased(sought)
    if given["as_json"]:
        echo(report)
    else:
        for item in report["found"]:
            typer.echo(f"found: {item['canary']!r} in {item['where']}")
        typer.echo(f"looked at {len(report['looked_at'])} places; {len(report['found'])} found")
        for place in report["not_reachable"]:
            typer.echo(f"not looked at: {place}")
        typer.echo(f"signature {report['signature']}")
    if report["found"]:
        raise typer.Exit(1)


def _lines(file: Path | None, *, read_stdin: bool) -> list[str]:
    """Texts, one on each line. Raises `InvalidInput` for a file that cannot be read."""
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{file} cannot be read: {error}") from None
    else:
        text = sys.stdin.read() if read_stdin else ""
    return [line for line in text.splitlines() if line.strip()]
