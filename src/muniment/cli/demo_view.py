"""How `muniment demo` looks.

Belongs here: the picture of one step. Does not belong here: what happened in it (`demo`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from muniment.cli.render import COLOURS, period
from muniment.domain.enums import Ruling

console = Console(highlight=False)


def show(step: Mapping[str, Any], *, first: bool) -> None:
    """Prints one step."""
    if first:
        console.rule(f"[bold]{escape(step['conversation'])}")
    task = f" [dim](task {escape(step['task'])})[/]" if step["task"] else ""
    mark = {"say": "»", "context": "? context", "search": "? search"}[step["kind"]]
    console.print(f"\n[bold]{mark}[/] {escape(step['said'])}{task}")
    {"say": _said, "context": _context, "search": _search}[step["kind"]](step)
    for text in step["broken"]:
        console.print(f"  [bold red]✗ {escape(text)}[/]")


def _said(step: Mapping[str, Any]) -> None:
    receipt = step["receipt"]
    console.print(f"  event     [dim]{receipt.event}[/]")
    for piece in step["evidence"]:
        marks = [piece.eligibility.value] + (["redacted"] if piece.redacted else [])
        console.print(f"  evidence  [dim]{piece.evidence_id}[/] {', '.join(marks)}: {escape(piece.content)}")
    decisions = {item.candidate_id: item for item in receipt.decisions}
    for item in step["candidates"]:
        slot = f" {item.predicate} = {item.value}" if item.predicate else ""
        said = f"{item.memory_type} {item.scope}{slot} ({item.confidence:.2f})"
        console.print(f"  candidate [dim]{item.candidate_id}[/] {escape(said)} “{escape(item.quote or item.content)}”")
        decision = decisions[item.candidate_id]
        words = [f"[{COLOURS[verdict.ruling]}]{verdict.rule}[/]" for verdict in decision.verdicts]
        console.print(f"  verdicts  {' '.join(words)}")
        for verdict in decision.verdicts:
            if verdict.ruling is not Ruling.ACCEPT:
                console.print(f"            [{COLOURS[verdict.ruling]}]{verdict.ruling}[/] {escape(verdict.reason)}")
        console.print(f"  decision  [bold {COLOURS[decision.ruling]}]{decision.outcome}[/]: {escape(decision.reason)}")
    for fact in step["facts"]:
        console.print(
            f"  fact      [dim]{fact.fact_id}[/] r{fact.revision} [green]{escape(fact.content)}[/] {period(fact)}"
        )
    if not step["candidates"]:
        console.print("  [dim]kept as evidence; nothing to remember was found in it[/]")


def _route(step: Mapping[str, Any]) -> str:
    route = step["route"]
    alone = f", [green]{route.stopped} answered alone[/]" if route.stopped else ""
    return f"  [dim]route {', '.join(route.channels)}{alone} · {step['embedder_calls']} embedder call(s)[/]"


def _context(step: Mapping[str, Any]) -> None:
    console.print(Panel(escape(step["text"]), title=f"context, {step['tokens']} tokens", expand=False))
    console.print(_route(step))


def _search(step: Mapping[str, Any]) -> None:
    for hit in step["hits"]:
        console.print(
            f"  hit       [dim]{hit.id}[/] {escape(hit.text)} [dim]({hit.why.channel}: {escape(hit.why.reason)})[/]"
        )
    if not step["hits"]:
        console.print("  [dim]nothing found[/]")
    console.print(_route(step))


def ending(broken: Sequence[str]) -> None:
    """Says whether everything held."""
    console.print()
    if broken:
        console.print(f"[bold red]{len(broken)} promise(s) did not hold:[/]")
        for text in broken:
            console.print(f"  [red]✗ {escape(text)}[/]")
    else:
        console.print("[bold green]Everything these conversations promise held.[/]")
