"""A result of the kind `temporal` as a table for people.

Belongs here: rendering with Rich. Does not belong here: computing anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table

_LANGUAGES: Final = {"en": "English", "zh": "Chinese", "other": "other languages"}


def times(result: Mapping[str, Any], console: Console) -> None:
    """Exact ranges by language and by kind of phrase, texts without a date that were given one, and what was passed over."""
    title = f"{result['dataset']} ({result['split']}): {result['n']} distinct texts with their reference time"
    table = Table(title=title, title_justify="left")
    for name, justify in (
        ("", "left"),
        ("n", "right"),
        ("exact", "right"),
        ("no date", "right"),
        ("given one", "right"),
    ):
        table.add_column(name, justify="left" if justify == "left" else "right")
    rows = [(_LANGUAGES.get(lang, lang), part) for lang, part in result["by_language"].items()]
    for name, part in (*rows, *result["by_kind"].items()):
        table.add_row(name, str(part["n"]), _share(part["exact"]), str(part["none"]), _share(part["none_given"]))
    console.print(table)
    for reason, count in result["skipped"].items():
        console.print(f"not measured: {count} phrases, {reason}", highlight=False)
    console.print(f"{result['ms_per_text']} ms a text (processor time)\n", highlight=False)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
