"""`replay`: the event log done again, and what would appear, change or vanish.

Belongs here: the command. Does not belong here: the replay (service/replay.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli.options import AsJson, Db, Tenant

if TYPE_CHECKING:
    from muniment.domain.replays import Difference, ReplayReport

DryRun = Annotated[
    bool, typer.Option("--dry-run/--apply", help="Only say what would differ, or make it true as further revisions.")
]
Under = Annotated[
    str | None, typer.Option("--policy", help="A policy TOML file to replay under; without it the store's own.")
]
OwnPolicy = Annotated[str | None, typer.Option("--own-policy", help="The policy that the store is used under.")]
OneUser = Annotated[str | None, typer.Option("--user", help="Only what this user's events gave.")]
Reextract = Annotated[bool, typer.Option("--reextract", help="Extract anew instead of taking the stored candidates.")]
SHOWN = 50
"""Differences printed as text; --json has all."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("replay", epilog="Example: muniment replay --policy stricter.toml --dry-run")(replay)


def replay(
    policy: Under = None,
    dry_run: DryRun = True,
    tenant: Tenant = "default",
    user: OneUser = None,
    reextract: Reextract = False,
    own_policy: OwnPolicy = None,
    db: Db = None,
    as_json: AsJson = False,
) -> None:
    """Do the event log again and compare the facts it gives with those that are held. The same log under the same policy
    gives the same facts; another policy gives a difference, which --apply makes true."""
    import muniment

    with muniment.open(db, policy=own_policy, embedder="none", create=False) as memory:
        given: dict[str, Any] = {"policy": policy, "dry_run": dry_run, "tenant": tenant, "user": user}
        report = _watched(lambda step: memory.replay(**given, reextract=reextract, progress=step), quiet=as_json)
    if as_json:
        from muniment.cli.json_out import echo

        echo(_as_json(report))
    else:
        _show(report)


def _watched(run: Callable[[Any], ReplayReport], *, quiet: bool) -> ReplayReport:
    """The replay, with a bar on a terminal."""
    from muniment.cli.progress import bar

    if quiet:
        return run(None)
    with bar("events") as shown:
        if shown is None:
            return run(None)
        task = shown.add_task("replay", total=None)
        return run(lambda done, total: shown.update(task, completed=done, total=total))


def _as_json(report: ReplayReport) -> dict[str, Any]:
    return {
        "policy_version": report.policy_version,
        "events": report.events,
        "facts": report.facts,
        "same": report.same,
        "applied": report.applied,
        "differences": [_difference(item) for item in report.differences],
        "void": list(report.void),
    }


def _difference(item: Difference) -> dict[str, Any]:
    return {"kind": item.kind, "fact_id": item.fact_id, "before": item.before, "after": item.after}


def _show(report: ReplayReport) -> None:
    typer.echo(f"{report.events} events, {report.facts} facts, policy {report.policy_version}")
    if report.same:
        typer.echo("the log gives exactly what is held")
    counts = ", ".join(f"{len(report.of(kind))} {kind}" for kind in ("appear", "change", "vanish"))
    if not report.same:
        typer.echo(f"{'made true' if report.applied else 'would differ'}: {counts}")
    for item in report.differences[:SHOWN]:
        typer.echo(f"  {item.line}")
    if len(report.differences) > SHOWN:
        typer.echo(f"  and {len(report.differences) - SHOWN} more; --json has all")
    for line in report.void:
        typer.echo(f"  could not be done again: {line}")
