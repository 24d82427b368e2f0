"""`muniment review`: what asks a person, and the answers.

Belongs here: the commands and their tables. Does not belong here: what an answer does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.options import WHERE, WHERE_ROWS, WHO, Given, memory_of, reader_of, with_options
from muniment.domain.errors import InvalidInput

if TYPE_CHECKING:
    from muniment.domain.answers import Page
    from muniment.domain.records import Fact
    from muniment.domain.reviews import Outcome, ReviewItem

Ids = Annotated[list[str], typer.Argument(help="The candidates, by their ids.", show_default=False)]
One = Annotated[str, typer.Argument(help="The candidate, by its id.", show_default=False)]
Reason = Annotated[str | None, typer.Option("--reason", help="Why, kept with the decision.")]
Expected = Annotated[
    str | None,
    typer.Option("--expected", help="The state that was looked at; decides though it moved since it was asked."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    review = typer.Typer(help="What asks a person, and the answers.", no_args_is_help=True, rich_markup_mode=None)
    example = "Example: muniment review "
    review.command("list", epilog=f"{example}list --tenant acme --user rita --role reviewer --older-than 7")(list_)
    review.command("approve", epilog=f"{example}approve ID ID --reason 'checked' --user u100")(approve)
    review.command("edit", epilog=f"{example}edit ID --value 8000 --user u100")(edit)
    review.command("reject", epilog=f"{example}reject ID --reason 'never said' --user rita --role reviewer")(reject)
    review.command("counts", epilog=f"{example}counts --tenant acme --user rita --role reviewer --json")(counts)
    app.add_typer(review, name="review")


@with_options(WHO, WHERE)
def list_(
    status: Annotated[
        str, typer.Option("--status", help="NEEDS_CONFIRMATION, ACCEPTED, REJECTED, SUPERSEDED, or all.")
    ] = "NEEDS_CONFIRMATION",
    type: Annotated[str | None, typer.Option("--type", help="Only this memory type.")] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", help="Only what this rule asked about, e.g. risk.money.")
    ] = None,
    of: Annotated[str | None, typer.Option("--of", help="Only what came of this user.")] = None,
    older_than: Annotated[float | None, typer.Option("--older-than", help="Only what has waited so many days.")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Only what would live in this scope.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Candidates a page.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The `next` of the page before.")] = None,
    *,
    given: Given,
) -> None:
    """List what asks a person, the oldest first: the words, the rules that asked, and what it would change."""
    with memory_of(given) as memory:
        page = memory.review.list(
            by=reader_of(memory, given),
            status=None if status.lower() == "all" else status,
            type=type,
            rule=rule,
            user=of,
            older_than=older_than,
            scope=scope,
            limit=limit,
            cursor=cursor,
        )
    if given["as_json"]:
        _echo(page)
    else:
        _table(page)


@with_options(WHO, WHERE)
def approve(ids: Ids, reason: Reason = None, expected: Expected = None, *, given: Given) -> None:
    """Say yes to one candidate or several; each becomes a memory, or says why not."""
    _decide("approve", ids, given, reason=reason, expected=expected)


@with_options(WHO, WHERE)
def reject(ids: Ids, reason: Reason = None, expected: Expected = None, *, given: Given) -> None:
    """Say no to one candidate or several; their words are for the auditor only."""
    _decide("reject", ids, given, reason=reason, expected=expected)


@with_options(WHO, WHERE)
def edit(
    candidate_id: One,
    content: Annotated[str | None, typer.Option("--content", help="The words to keep instead.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="The value to keep instead.")] = None,
    valid_from: Annotated[str | None, typer.Option("--valid-from", help="Since when it holds.")] = None,
    valid_until: Annotated[str | None, typer.Option("--valid-until", help="Until when it holds.")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="Where it applies instead.")] = None,
    reason: Reason = None,
    expected: Expected = None,
    *,
    given: Given,
) -> None:
    """Say yes to a candidate as edited here."""
    with memory_of(given) as memory:
        receipt = memory.review.edit(
            candidate_id,
            by=reader_of(memory, given),
            content=content,
            value=value,
            valid_from=valid_from,
            valid_until=valid_until,
            scope=scope,
            reason=reason,
            expected=expected,
        )
    _show(receipt, as_json=given["as_json"])


@with_options(WHO, WHERE_ROWS)
def counts(*, given: Given) -> None:
    """Count what asks this person, by rule and by type, and say since when the oldest waits."""
    with memory_of(given) as memory:
        found = memory.review.counts(by=reader_of(memory, given))
    if given["as_json"]:
        _echo(found)
        return
    from muniment.cli.json_out import plain
    from muniment.cli.render import tables

    data: Mapping[str, Any] = plain(found)
    by = {name: [{"name": key, "open": count} for key, count in data[name].items()] for name in ("by_rule", "by_type")}
    tables({**data, **by})


def _decide(kind: str, ids: Sequence[str], given: Given, *, reason: str | None, expected: str | None) -> None:
    """One decision answers as every command does; several each with an outcome of their own, and exit code 1 where one
    failed."""
    if expected is not None and len(ids) > 1:
        raise InvalidInput("--expected is the state of one candidate; decide on it alone")
    with memory_of(given) as memory:
        by = reader_of(memory, given)
        if len(ids) == 1:
            receipt = getattr(memory.review, kind)(ids[0], by=by, reason=reason, expected=expected)
            _show(receipt, as_json=given["as_json"])
            return
        outcomes = getattr(memory.review, f"{kind}_many")(ids, by=by, reason=reason)
    _outcomes(outcomes, as_json=given["as_json"])
    if not all(item.ok for item in outcomes):
        raise typer.Exit(1)


def _outcomes(outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "id": item.id,
                "ok": item.ok,
                "receipt": item.receipt,
                "error": None if item.error is None else {"code": item.error.code, "message": str(item.error)},
            }
            for item in outcomes
        ]
        _echo({"items": rows, "failed": sum(not item.ok for item in outcomes)})
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    for item in outcomes:
        said = str(item.error) if item.receipt is None else "; ".join(item.receipt.lines)
        console.print(f"[{'green' if item.ok else 'red'}]●[/] {item.id} {escape(said)}")


def _table(page: Page[ReviewItem]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    console = Console()
    table = Table(
        "waits", Column("candidate", overflow="fold"), "asks", Column("would change", overflow="fold"), expand=True
    )
    for item in page:
        quote = f"\n[dim]“{escape(item.quote)}”[/]" if item.quote else ""
        who = f"{item.candidate.memory_type} · {item.placement.scope} · {escape(item.author)}"
        moved = f"\n[yellow]moved since it was asked; state {item.state}[/]" if item.moved else ""
        table.add_row(
            _waits(item.age_seconds),
            f"{escape(item.candidate.content)}{quote}\n[dim]{who}\n{item.id}[/]",
            escape("\n".join(verdict.rule for verdict in item.verdicts)),
            escape("\n".join(map(_held, item.now)) or "nothing that is held") + moved,
        )
    console.print(table if page.items else "[dim]nothing asks a person[/]")
    if page.next:
        console.print(f"[dim]more: --cursor {page.next}[/]")


def _held(fact: Fact) -> str:
    return f"{fact.content} (r{fact.revision})"


def _waits(seconds: int) -> str:
    days, hours = seconds // 86_400, seconds // 3600
    return f"{days} d" if days else f"{hours} h"


def _show(result: Any, *, as_json: bool) -> None:
    if as_json:
        _echo(result)
        return
    from muniment.cli.render import render

    render(result)


def _echo(value: Any) -> None:
    from muniment.cli.json_out import echo

    echo(value)
