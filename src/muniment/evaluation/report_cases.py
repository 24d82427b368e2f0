"""The result of the built-in suite as a table by class and language, and every failure with what failed.

Belongs here: rendering with Rich. Does not belong here: running (`builtin`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_LANGUAGES = {"en": "English", "zh": "Chinese"}


def cases(result: Mapping[str, Any], console: Console) -> None:
    """Prints what passed, and what did not and why it should have."""
    table = Table(title=f"built-in cases ({result['split']}): {_share(result)}", title_justify="left")
    table.add_column("class")
    for name in _LANGUAGES.values():
        table.add_column(name, justify="right")
    for name, languages in result["by_class"].items():
        table.add_row(name, *(_share(languages[lang]) for lang in _LANGUAGES))
    console.print(table)
    console.print("; ".join(f"{name} {_share(part)}" for name, part in result["by_split"].items()), highlight=False)
    for failure in result["failures"]:
        console.print(
            f"[red]failed[/red] {escape(failure['id'])} ({failure['class']}): {escape(failure['why'])}", highlight=False
        )
        for said in failure["failed"]:
            console.print(f"    {escape(said)}", highlight=False)
    console.print()


def _share(part: Mapping[str, int]) -> str:
    return f"{part['passed']} of {part['total']}"
