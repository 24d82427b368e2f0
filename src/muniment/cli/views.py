"""`view`: the three views of the store, for the roles that may read them.

Belongs here: the command. Does not belong here: who may read which (service/views.py).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from muniment.cli.options import WHERE_ROWS, WHO, Given, memory_of, reader_of, with_options


class Name(StrEnum):
    """The views."""

    ACTIVE = "active"
    AUDIT = "audit"
    COMPLIANCE = "compliance"


Which = Annotated[
    Name, typer.Argument(help="active: in force now; audit: every revision; compliance: what was forgotten.")
]
Limit = Annotated[int, typer.Option(min=1, help="Rows of a page.")]
Cursor = Annotated[str | None, typer.Option(help="The `next` of the page before.")]
SHOWN = {
    Name.ACTIVE: ("memory_type", "scope", "content", "valid_from", "valid_until"),
    Name.AUDIT: ("recorded_at", "revision", "change", "content", "reason", "actor"),
    Name.COMPLIANCE: ("forgotten_at", "kind", "mode", "user_id", "forgotten_by", "reason"),
}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("view", epilog="Example: muniment view audit --role auditor --user carol")(view)


@with_options(WHO, WHERE_ROWS)
def view(name: Which, limit: Limit = 50, cursor: Cursor = None, *, given: Given) -> None:
    """Show what is in force for a reader, or, to an auditor or admin, every revision or everything that was forgotten."""
    with memory_of(given) as memory:
        page = getattr(memory.views, name.value)(by=reader_of(memory, given), limit=limit, cursor=cursor)
    if given["as_json"]:
        from muniment.cli.json_out import echo

        echo({"items": page.items, "next": page.next})
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    shown = Table(*SHOWN[name], box=None)
    for row in page.items:
        shown.add_row(*("" if row[column] is None else escape(str(row[column])) for column in SHOWN[name]))
    Console().print(shown)
    if page.next:
        typer.echo(f"more: --cursor {page.next}")
