"""The results of an evaluation as tables for people.

Belongs here: rendering with Rich. Does not belong here: computing anything; the JSON object is `suites.Outcome.as_json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from muniment.evaluation.extraction_report import extraction, preferences
from muniment.evaluation.report_cases import cases
from muniment.evaluation.report_detect import gate
from muniment.evaluation.report_personal import personal, personal_talk
from muniment.evaluation.report_states import dependencies, states
from muniment.evaluation.report_temporal import times
from muniment.evaluation.suites import Outcome

_FIGURES = ("recall@5", "recall@10", "recall@20", "hit@5", "hit@10", "hit@20", "forbidden@10")


def show(outcome: Outcome, console: Console) -> None:
    """Prints a table for each result, what it was measured with, and the kinds that were not measured."""
    printers = {
        "retrieval": _retrieval,
        "builtin": cases,
        "state": states,
        "dependency": dependencies,
        "worth": _worth,
        "temporal": times,
        "personal": personal,
        "personal_talk": personal_talk,
        "gate": gate,
        "extraction": extraction,
        "pref": preferences,
    }
    for result in outcome.results:
        printers.get(result.get("part", result["kind"]), _plain)(result, console)
    environment = outcome.environment
    if environment:
        switches = _switches(environment["switches"])
        versions = ", ".join(f"{name} {value}" for name, value in environment["versions"].items())
        console.print(
            f"{versions}; embedder {environment['embedder']}; policy {environment['policy']}", highlight=False
        )
        console.print(f"switches: {switches}; cpu: {environment['cpu']['model']}", highlight=False)
    for file, kind in outcome.unsupported:
        console.print(
            f"[red]not measured[/red]: {file} is of kind {kind!r}, which no suite here measures", highlight=False
        )


def _retrieval(result: Mapping[str, Any], console: Console) -> None:
    title = f"{result['dataset']} ({result['split']}): {result['n']} questions, {result['conversations']} conversations"
    shown = [name for name in _FIGURES if name in result]
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in shown:
        table.add_column(name, justify="right")
    table.add_row("muniment", *(_share(result.get(name)) for name in shown), style="bold")
    for method, scores in result.get("baselines", {}).items():
        table.add_row(method, *(_share(scores.get(name)) for name in shown))
    console.print(table)
    categories = Table(box=None, pad_edge=False)
    for name, justify in (("category", "left"), ("n", "right"), ("recall@10", "right"), ("hit@10", "right")):
        categories.add_column(name, justify="left" if justify == "left" else "right")
    for name, part in result["by_category"].items():
        categories.add_row(name, str(part["n"]), _share(part["recall@10"]), _share(part["hit@10"]))
    console.print(categories)
    timed, imported = result["search_ms"], result["import"]
    console.print(
        f"search {timed['p50']} ms p50, {timed['p95']} ms p95 (a user's first {timed['first_p50']} ms); "
        f"import {imported['turns']} turns, {imported['turns_per_s']} a second, {imported['facts']} facts",
        highlight=False,
    )
    console.print(f"switches: {_switches(result['switches'])}", highlight=False)
    if result["degraded_searches"]:
        console.print(
            f"[red]{result['degraded_searches']} searches were degraded[/red]: a channel or the embedder failed"
        )
    console.print()


def _worth(result: Mapping[str, Any], console: Console) -> None:
    """Average precision, of all turns together and by conversation."""
    noted = _share(result["noted"])
    title = f"{result['dataset']} ({result['split']}): {result['n']} turns, {noted} of them noted"
    table = Table("", title=title, title_justify="left")
    for name in ("all", "mean of conversations"):
        table.add_column(f"average precision, {name}", justify="right")
    for method, scores in result["average_precision"].items():
        table.add_row(method, *(_share(value) for value in scores.values()))
    console.print(table)
    if result["unmeasured"]:
        console.print(f"[red]not measured[/red]: {result['unmeasured']} conversations that do not say what was noted")


def _plain(result: Mapping[str, Any], console: Console) -> None:
    """Any other kind: its figures, a line each."""
    table = Table(
        title=f"{result['dataset']} ({result['kind']}, {result['split']}): n = {result['n']}", show_header=False
    )
    for name, value in result.items():
        if name not in ("dataset", "kind", "split", "n"):
            table.add_row(name, _share(value) if isinstance(value, float) else str(value))
    console.print(table)


def _share(value: Any) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _switches(switches: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_word(value)}" for name, value in switches.items())


def _word(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
