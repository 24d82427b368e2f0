"""Results of the kinds `state` and `dependency` as tables for people.

Belongs here: rendering with Rich. Does not belong here: computing anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table

_STATE: Final = ("current_accuracy", "supersede_f1", "from_text")


def states(result: Mapping[str, Any], console: Console) -> None:
    """One result of the kind `state`: all bundles, then each category."""
    title = f"{result['dataset']} ({result['split']}): {result['n']} bundles"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("n", *_STATE):
        table.add_column(name, justify="right")
    table.add_row("all", str(result["n"]), *(_share(result[name]) for name in _STATE), style="bold")
    for category, part in result["by_category"].items():
        table.add_row(category, str(part["n"]), *(_share(part[name]) for name in _STATE))
    console.print(table)
    if result.get("unmeasured"):
        console.print(f"[red]not measured[/red]: {result['unmeasured']} records give no claims", highlight=False)


def dependencies(result: Mapping[str, Any], console: Console) -> None:
    """One result of the kind `dependency`: for each level the tasks answered, out of how many, by type."""
    title = f"{result['dataset']} ({result['split']}): {result['n']} episodes"
    rows = {
        f"{level}{', before the change' if moment else ''}": result[level][moment] if moment else result[level]
        for level in ("structured", "text")
        for moment in ("", "before")
    }
    types = list(dict.fromkeys(name for row in rows.values() for name in row["by_type"]))
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("all", *types):
        table.add_column(name, justify="right")
    for label, row in rows.items():
        counts = (row["by_type"].get(name) for name in types)
        table.add_row(label, _share(row["accuracy"]), *(_count(item) for item in counts))
    console.print(table)


def _count(item: Mapping[str, int] | None) -> str:
    return "-" if item is None else f"{item['right']}/{item['n']}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
