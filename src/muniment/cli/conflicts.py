"""`muniment conflicts`: what disagrees, and a person's word on it.

Belongs here: the commands and their table. Does not belong here: what a resolution does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.options import WHERE, WHO, Given, memory_of, reader_of, with_options
from muniment.domain.errors import InvalidInput

if TYPE_CHECKING:
    from muniment.domain.answers import Page
    from muniment.domain.reviews import ConflictItem, ConflictSide


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    conflicts = typer.Typer(
        help="Facts that disagree, and a person's word on them.", no_args_is_help=True, rich_markup_mode=None
    )
    example = "Example: muniment conflicts "
    conflicts.command("list", epilog=f"{example}list --user u100")(list_)
    conflicts.command("resolve", epilog=f"{example}resolve ID --pick FACT_ID --reason 'asked her' --user u100")(resolve)
    app.add_typer(conflicts, name="conflicts")


@with_options(WHO, WHERE)
def list_(
    status: Annotated[str, typer.Option("--status", help="OPEN, SETTLED, RESOLVED, or all.")] = "OPEN",
    limit: Annotated[int, typer.Option("--limit", help="Conflicts a page.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The `next` of the page before.")] = None,
    *,
    given: Given,
) -> None:
    """List facts that disagree, two and two, with both sides."""
    with memory_of(given) as memory:
        reader = reader_of(memory, given)
        page = reader.conflicts(status=None if status.lower() == "all" else status, limit=limit, cursor=cursor)
    if given["as_json"]:
        from muniment.cli.json_out import echo

        echo(page)
        return
    _table(page)


@with_options(WHO, WHERE)
def resolve(
    conflict_id: Annotated[str, typer.Argument(help="The conflict, by its id.", show_default=False)],
    pick: Annotated[str | None, typer.Option("--pick", help="The fact that holds; the other is withdrawn.")] = None,
    both: Annotated[
        list[str] | None,
        typer.Option(
            "--both", help="FACT_ID=QUALIFIER, or FACT_ID=SCOPE in capitals: both hold, told apart. Repeat it."
        ),
    ] = None,
    neither: Annotated[bool, typer.Option("--neither", help="Neither holds; both are withdrawn.")] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why, kept with the resolution.")] = None,
    *,
    given: Given,
) -> None:
    """End a conflict: pick one side, tell both apart, or take both back."""
    with memory_of(given) as memory:
        receipt = reader_of(memory, given).resolve(
            conflict_id, pick=pick, both=_apart(both) if both else None, neither=neither, reason=reason
        )
    if given["as_json"]:
        from muniment.cli.json_out import echo

        echo(receipt)
    else:
        from muniment.cli.render import render

        render(receipt)


def _apart(pairs: list[str]) -> dict[Any, str | None]:
    """What each fact is told apart by. Raises `InvalidInput` for a pair that is none."""
    found: dict[Any, str | None] = {}
    for pair in pairs:
        ref, sign, given = pair.partition("=")
        if not sign or not given.strip():
            raise InvalidInput(f"--both {pair!r} is not FACT_ID=QUALIFIER")
        found[ref.strip()] = given.strip()
    return found


def _table(page: Page[ConflictItem]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    console = Console()
    sides = (Column("one", overflow="fold"), Column("other", overflow="fold"))
    table = Table("kind", *sides, "status", expand=True)
    for item in page:
        ended = "" if item.resolved_by is None else f"\n[dim]{item.resolved_by}[/]"
        table.add_row(f"{item.kind}\n[dim]{item.id}[/]", *map(_side, item.sides), f"{item.status}{ended}")
    console.print(table if page.items else "[dim]nothing disagrees[/]")
    if page.next:
        console.print(f"[dim]more: --cursor {page.next}[/]")


def _side(side: ConflictSide) -> str:
    from rich.markup import escape

    from muniment.cli.render import day, period

    if side.fact is None:
        return f"[dim]forgotten\n{side.fact_id}[/]"
    told = f"trust {side.trust} · {escape(', '.join(side.sources))} · {day(side.said_at, '')}"
    return f"{escape(side.fact.content)}\n{period(side.fact)}\n[dim]{told}\n{side.fact_id}[/]"
