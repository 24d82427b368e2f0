"""`muniment doctor`: is this memory well, and if not, what to do.

Belongs here: the checks. Does not belong here: repairs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import typer

from muniment.cli.exits import reported
from muniment.cli.options import AsJson, Db, Embedder, PolicyFile, Tenant, User, memory_of, reader_of

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

LEAST_FREE = 200 * 2**20
"""Free bytes below which the disk is worth a warning."""


class Check(NamedTuple):
    """One finding: what was looked at, how it is, and what to do where it is not well."""

    name: str
    state: Literal["ok", "warn", "fail"]
    said: str


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("doctor", epilog="Example: muniment doctor --db sqlite:///muniment.db --json")(doctor)


def doctor(
    db: Db = None,
    policy: PolicyFile = None,
    embedder: Embedder = None,
    user: User = "default",
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Check the database, the models and what waits. Exits with 1 where a check failed."""
    given = {"db": db, "policy": policy, "embedder": embedder, "user": user, "tenant": tenant}
    with reported(as_json=as_json), memory_of(given) as memory:
        found = list(checks(memory, reader_of(memory, given)))
    _show(found, as_json=as_json)
    if any(check.state == "fail" for check in found):
        raise typer.Exit(1)


def checks(memory: Muniment, reader: Reader) -> Iterator[Check]:
    """Every check, in the order in which a fault explains the next."""
    looks: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("database", lambda: _database(memory)),
        ("disk", lambda: _disk(memory)),
        ("embedder", lambda: _embedder(memory)),
        ("tokens", lambda: Check("tokens", "ok", f"{memory.parts.counter.count('muniment')} token(s) for 'muniment'")),
        ("work", lambda: _waiting(memory, reader)),
    )
    for name, look in looks:
        try:
            yield look()
        except Exception as error:
            yield Check(name, "fail", f"{type(error).__name__}: {error}")
    for name, count in memory.counts(reader=reader).items():
        yield Check(name, "ok", str(count))


def _database(memory: Muniment) -> Check:
    said = memory.parts.store.health()
    return Check("database", "ok" if said.sound else "fail", said.said)


def _disk(memory: Muniment) -> Check:
    path = memory.parts.store.health().path
    if path is None:
        return Check("disk", "ok", "not a file of this machine")
    free = shutil.disk_usage(Path(path).resolve().parent).free
    state: Literal["ok", "warn"] = "ok" if free >= LEAST_FREE else "warn"
    return Check(
        "disk", state, f"{free // 2**20} MiB free" + ("" if state == "ok" else "; make room before it is full")
    )


def _embedder(memory: Muniment) -> Check:
    model = memory.parts.embedder
    if model.dimension == 0:
        return Check("embedder", "warn", "none: search is by keyword only")
    rows = model.encode(["muniment"], kind="query")
    return Check("embedder", "ok", f"{model.id}, {rows.shape[1]} dimensions")


def _waiting(memory: Muniment, reader: Reader) -> Check:
    with memory.parts.store.read(reader.identity) as unit:
        waiting = len(unit.pending())
    if waiting:
        return Check(
            "work", "warn", f"{waiting} events received and not understood yet; `process_pending` goes on with them"
        )
    return Check("work", "ok", "nothing waits")


def _show(found: list[Check], *, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [check._asdict() for check in found]
    if as_json:
        from muniment.cli.json_out import echo

        echo({"ok": not any(check.state == "fail" for check in found), "checks": rows})
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    marks = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}
    for check in found:
        console.print(f"{marks[check.state]} {check.name:28} {escape(check.said)}")
