"""`lifecycle`: what is due is expired, lapsed, purged, archived and tidied, and said step by step.

Belongs here: the command. Does not belong here: the steps (service/lifecycle.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.options import WHERE, Given, memory_of, with_options

if TYPE_CHECKING:
    from muniment.domain.lifecycle import LifecycleReport

DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; only count what is due.")]
FAILED = 1
"""Exit code where a step failed, so that whatever starts the job by the clock notices."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("lifecycle", epilog="Example: muniment lifecycle --dry-run")(lifecycle)


@with_options(WHERE)
def lifecycle(dry_run: DryRun = False, *, given: Given) -> None:
    """Do what is due in every tenant: expire, lapse, purge, archive, summarise, tidy. Run it daily; safe to run again and from
    several processes. Exits with 1 where a step failed; the others are done all the same."""
    with memory_of(given) as memory:
        report = _watched(lambda step: memory.lifecycle.run(dry_run=dry_run, progress=step), quiet=given["as_json"])
    if given["as_json"]:
        from muniment.cli.json_out import echo

        echo(report)
    else:
        for item in report.steps:
            typer.echo(item.line)
        if dry_run:
            typer.echo("nothing was changed")
    if report.failed:
        raise typer.Exit(FAILED)


def _watched(run: Callable[[Any], LifecycleReport], *, quiet: bool) -> LifecycleReport:
    """The run, with a bar on a terminal."""
    from muniment.cli.progress import bar

    if quiet:
        return run(None)
    with bar("items") as shown:
        if shown is None:
            return run(None)
        tasks: dict[str, Any] = {}

        def step(name: str, done: int) -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name, total=None)
            shown.advance(tasks[name], done)

        return run(step)
