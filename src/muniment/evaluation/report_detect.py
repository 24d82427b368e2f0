"""Results of the kind `detect` for the gate as tables for people.

Belongs here: rendering with Rich. Does not belong here: computing anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

_WORDS = {"harmful": "recall", "harmless": "false alarms"}


def gate(result: Mapping[str, Any], console: Console) -> None:
    """One result: for each source what was flagged of the harmful and harmless texts, and of ordinary talk."""
    table = Table(title=f"{result['dataset']} ({result['split']}): {result['n']} texts", title_justify="left")
    for name in (
        "read as",
        "texts",
        "n",
        "flagged",
        "share",
        "95 %",
        "quarantined",
        "refused",
        "lost",
        "learned alone",
    ):
        table.add_column(name, justify="left" if name in ("read as", "texts") else "right")
    for source, parts in result["sources"].items():
        for name, part in parts.items():
            table.add_row(source, _WORDS[name], *_cells(part), style="bold")
            if len(part["by_type"]) > 1:
                for kind, count in part["by_type"].items():
                    table.add_row("", f"  {kind}", *_cells(count))
    for lang, sources in result["ordinary_talk"].items():
        for source, part in sources.items():
            table.add_row(source, f"ordinary talk, {lang}", *_cells(part), style="bold")
            for kind, count in part["by_type"].items():
                table.add_row("", f"  {kind}", *_cells(count))
    console.print(table)
    if not result["ordinary_talk"]:
        console.print("false alarms on ordinary talk: not measured, no --talk file in the language of this set")
    timed = result["detect_ms"]
    console.print(f"detection {timed['p50']} ms p50, {timed['p95']} ms p95 a text", highlight=False)
    console.print()


def _cells(count: Mapping[str, Any]) -> list[str]:
    low, high = count["interval"]
    share = "-" if count["share"] is None else f"{100 * count['share']:.2f} %"
    shown = (count["n"], count["flagged"], share, f"{100 * low:.1f}–{100 * high:.1f}")
    return [
        str(item) for item in (*shown, *(count[name] for name in ("quarantined", "refused", "lost", "only_learned")))
    ]
