"""Results of the kinds `extraction` and `pref` as tables for people.

Belongs here: rendering with Rich. Does not belong here: computing anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table

_SCORES: Final = ("precision_accepted", "precision_shown", "recall", "recall_accepted")
_HEADS: Final = ("precision of accepted", "with asked", "recall either way", "recall accepted")


def extraction(result: Mapping[str, Any], console: Console) -> None:
    """One language: all types and each, the details of what is right, abstention, and the reliability of confidence."""
    title = f"{result['dataset']}, {result['lang']} ({result['split']}): {result['n']} turns, {result['expected']} statements"
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(("", "statements", "candidates", *_HEADS)):
        table.add_column(name, justify="right" if place else "left")
    candidates = sum(part["candidates"] for part in result["by_type"].values())
    table.add_row(
        "all", str(result["expected"]), str(candidates), *(_share(result[name]) for name in _SCORES), style="bold"
    )
    for kind, part in result["by_type"].items():
        table.add_row(kind, str(part["expected"]), str(part["candidates"]), *(_share(part[name]) for name in _SCORES))
    console.print(table)
    details = ", ".join(f"{name.replace('_', ' ')} {_share(value)}" for name, value in result["details"].items())
    console.print(f"of what is right: {details}", highlight=False)
    empty = result["abstention"]
    console.print(
        f"{empty['n']} turns with nothing to keep: nothing accepted of {_share(empty['none_accepted'])}, "
        f"nothing shown of {_share(empty['none_shown'])}; {result['refused']} candidates refused by governance",
        highlight=False,
    )
    bins = Table(box=None, pad_edge=False)
    for name in ("confidence", "n", "right"):
        bins.add_column(name, justify="left" if name == "confidence" else "right")
    for part in result["reliability"]:
        bins.add_row(f"{part['from']:.2f} to {part['to']:.2f}", str(part["n"]), _share(part["right"]))
    console.print(bins)
    console.print()


def preferences(result: Mapping[str, Any], console: Console) -> None:
    """Each category: how many statements were found as a preference, strictly and leniently, and how sure the memory was."""
    table = Table(title=f"{result['dataset']} ({result['split']}): {result['n']} preferences", title_justify="left")
    names = ("n", "typed", "typed_or_limit", "found", "accepted")
    for place, name in enumerate(("", *(name.replace("_", " ") for name in names))):
        table.add_column(name, justify="right" if place else "left")
    for category, part in result["by_category"].items():
        table.add_row(category, str(part["n"]), *(_share(part[name]) for name in names[1:]))
    console.print(table)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
