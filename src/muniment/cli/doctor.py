"""`muniment doctor`: is this memory well, and if not, what to do.

Belongs here: the checks. Does not belong here: repairs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import typer

from muniment.cli.options import AsJson, Db, Embedder, Extractor, PolicyFile, Tenant, User, memory_of, reader_of
from muniment.domain.errors import MissingExtra, ModelError, StoreError

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

LEAST_FREE = 200 * 2**20
"""Free bytes below which the disk is worth a warning."""

NEAR = 0.8
"""Of the time until an unanswered candidate lapses, the part after which that is worth a warning."""


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
    extractor: Extractor = None,
    user: User = "default",
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Check the database, the models and what waits. Exits with 1 where a check failed."""
    where = {"db": db, "policy": policy, "embedder": embedder, "extractor": extractor}
    found = list(examined({**where, "user": user, "tenant": tenant}))
    _show(found, as_json=as_json)
    if any(check.state == "fail" for check in found):
        raise typer.Exit(1)


def examined(given: Mapping[str, Any]) -> Iterator[Check]:
    """Every check of the memory that the options name. That it does not open is a finding too."""
    try:
        with memory_of(given) as memory:
            yield from checks(memory, reader_of(memory, given))
    except StoreError as error:
        yield Check("database", "fail", str(error))
    except (ModelError, MissingExtra) as error:
        yield Check("embedder", "fail", str(error))


def checks(memory: Muniment, reader: Reader) -> Iterator[Check]:
    """Every check of an open memory, in the order in which a fault explains the next."""
    looks: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("database", lambda: _database(memory)),
        ("writing", lambda: _writing(memory)),
        ("disk", lambda: _disk(memory)),
        ("embedder", lambda: _embedder(memory)),
        ("tokens", lambda: Check("tokens", "ok", f"{memory.parts.counter.count('muniment')} token(s) for 'muniment'")),
        ("index", lambda: _index(memory, reader)),
        ("work", lambda: _waiting(memory, reader)),
        ("llm", lambda: _models(memory, reader)),
        ("review", lambda: _review(memory, reader)),
        ("records", lambda: _records(memory, reader)),
    )
    for name, look in looks:
        try:
            yield look()
        except Exception as error:
            yield Check(name, "fail", f"{type(error).__name__}: {error}")


def _database(memory: Muniment) -> Check:
    """Opening has compared the schema already; this asks whether the pages are sound."""
    said = memory.parts.store.health()
    return Check("database", "ok" if said.sound else "fail", f"{said.said}; the schema is this version's")


def _writing(memory: Muniment) -> Check:
    """A write that takes some room, and is taken back."""
    try:
        memory.parts.store.try_write()
    except StoreError as error:
        return Check("writing", "fail", f"{type(error).__name__}: {error}")
    return Check("writing", "ok", "rows are written, and taken back")


def _disk(memory: Muniment) -> Check:
    path = memory.parts.store.health().path
    if path is None:
        return Check("disk", "ok", "not a file of this machine")
    free = shutil.disk_usage(Path(path).resolve().parent).free
    if free < LEAST_FREE:
        return Check("disk", "warn", f"{free // 2**20} MiB free; make room before it is full")
    return Check("disk", "ok", f"{free // 2**20} MiB free")


def _embedder(memory: Muniment) -> Check:
    model = memory.parts.embedder
    if model.dimension == 0:
        return Check("embedder", "warn", "none: search is by keyword only; --embedder use finds by meaning too")
    rows = model.encode(["muniment"], kind="query")
    return Check("embedder", "ok", f"{model.id}, {rows.shape[1]} dimensions")


def _index(memory: Muniment, reader: Reader) -> Check:
    """A search, so that the reader's partitions are in memory and can be weighed."""
    degraded = reader.search("muniment", k=1).degraded
    held, most = memory.parts.index.nbytes, memory.policy.retrieval.index_bytes
    said = f"{held / 2**10:.0f} KiB for what this user may see, at most {most / 2**20:.0f} MiB"
    if degraded:
        return Check("index", "fail", f"{', '.join(degraded)} failed in a search; {said}")
    if held > most:
        return Check("index", "warn", f"{said}; raise retrieval.index_bytes, or every search reads it afresh")
    return Check("index", "ok", said)


def _waiting(memory: Muniment, reader: Reader) -> Check:
    with memory.parts.store.read(reader.identity) as unit:
        waiting = len(unit.pending())
    pending = [item for item in memory.erasures(tenant=reader.identity.tenant) if item.status == "PENDING"]
    if pending:
        said = f"erasures whose bytes may still be in the database's files: {len(pending)}"
        return Check("work", "warn", f"{said}; `muniment lifecycle` finishes them once no other reader holds the files")
    if not waiting:
        return Check("work", "ok", "nothing waits")
    advice = "`Reader.process_pending()` goes on with them"
    return Check("work", "warn", f"events received and not understood yet: {waiting}; {advice}")


def _models(memory: Muniment, reader: Reader) -> Check:
    """What a language model was asked about this user's events, and what of its answers waits for somebody to look; it is not
    asked anything here."""
    with memory.parts.store.read(reader.identity) as unit:
        states, spent = unit.progress()
    asked = memory.parts.pipeline.extractor
    name = "none: what is remembered is found by wording alone" if asked.local else f"{asked.id}, {asked.version}"
    if spent.calls:
        name += f"; asked in {spent.calls} request(s), {spent.tokens_in} + {spent.tokens_out} tokens"
    if unread := states.get("UNREAD", 0):
        name += f"; events with answers that were not used whole: {unread} (`Reader.unread_answers()` shows them)"
    if parked := states.get("PARKED", 0):
        advice = "`Reader.process_pending(parked=True)` tries them again"
        return Check("llm", "warn", f"{name}; events given up and parked: {parked}; {advice}")
    return Check("llm", "ok", name)


def _review(memory: Muniment, reader: Reader) -> Check:
    """How many candidates of the whole tenant ask a person, and since when the oldest does; never what they say."""
    asking = memory.parts.store.waiting(tenant=reader.identity.tenant)
    if not asking:
        return Check("review", "ok", "no candidate waits for a person")
    age = memory.parts.clock() - asking[0].since
    said = f"candidates that wait for a person: {len(asking)}, the oldest for {_age(age)}"
    lapse = timedelta(days=memory.policy.gate.lapse_days)
    if age > lapse:
        return Check("review", "warn", f"{said}: past the {lapse.days} days of gate.lapse_days; decide on them")
    if age > NEAR * lapse:
        return Check("review", "warn", f"{said}: it lapses in {_age(lapse - age)}; `muniment review list` shows it")
    return Check("review", "ok", said)


def _age(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"


def _records(memory: Muniment, reader: Reader) -> Check:
    """What this user may see, and of whom that is: another user's records are not counted here."""
    counts = memory.counts(reader=reader)
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none yet"
    whose = f"of user {reader.identity.user!r} in tenant {reader.identity.tenant!r}; what others hold is not counted"
    return Check("records", "ok", f"{said} ({whose})")


def _show(found: list[Check], *, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [check._asdict() for check in found]
    if as_json:
        from muniment.cli.json_out import echo

        echo({"ok": not any(check.state == "fail" for check in found), "checks": rows})
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    marks = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}
    for check in found:
        console.print(f"{marks[check.state]} {check.name:9} {escape(check.said)}")
