"""The tables of personal data: by kind, and the false alarms on talk.

Belongs here: rendering. Does not belong here: computing anything (`detect_personal`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

_SHARES = ("precision", "recall", "f1", "f1_overlap")


def personal(result: Mapping[str, Any], console: Console) -> None:
    """A row for each kind, then what was left out and what a text cost."""
    table = Table(title=f"{result['dataset']} ({result['split']}): {result['n']} texts", title_justify="left")
    table.add_column("")
    for name in ("spans", "found", *_SHARES):
        table.add_column(name.replace("_", ", "), justify="right")
    for name, row in {"all": result["overall"], **result["by_kind"]}.items():
        shares = (_share(row[share]) for share in _SHARES)
        table.add_row(name, str(row["n"]), str(row["found"]), *shares, style="bold" if name == "all" else None)
    console.print(table)
    if result["left_out"]:
        console.print(f"no form to check, left out: {_counts(result['left_out'])}", highlight=False)
    console.print(f"{result['ms']} ms a text", highlight=False)


def personal_talk(result: Mapping[str, Any], console: Console) -> None:
    """The false alarms, and apart from them what is no alarm."""
    console.print(
        f"{result['dataset']} ({result['split']}): {result['n']} turns, {result['false_alarms']} false alarms "
        f"({result['per_1000']} per 1 000): {_counts(result['by_kind'])}",
        highlight=False,
    )
    console.print(
        f"proven by their syntax: {_counts(result['proven'])}; turns that speak of a delicate subject: "
        f"{_counts(result['delicate_turns'])}; {result['ms']} ms a turn",
        highlight=False,
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
