"""Conversations that `muniment demo` plays: the scripted ones, or a file of yours.

Belongs here: reading them. Does not belong here: playing and showing (`demo`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from importlib import resources
from pathlib import Path
from typing import Any

from muniment.domain.errors import InvalidInput
from muniment.domain.observation import Observation

SPEAKERS = {"user": "user", "human": "user", "assistant": "agent", "agent": "agent", "ai": "agent", "tool": "tool"}
SPEAKERS |= {"system": "system", "用户": "user", "助手": "agent", "工具": "tool", "系统": "system"}
KINDS = ("say", "context", "search")
OWN = (*KINDS, "task", "session", "expect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that is said, or asked of `context` or `search`, with what must hold afterwards. A step may be in a session
    of its own."""

    kind: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    task: str | None = None
    session: str | None = None
    expect: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A user's steps in one session."""

    name: str
    user: str
    session: str
    steps: tuple[Step, ...]


def scripted() -> list[Conversation]:
    """The conversations of demo.toml."""
    data = tomllib.loads((resources.files("muniment.cli") / "demo.toml").read_text(encoding="utf-8"))
    return [
        Conversation(
            name=item["name"],
            user=item["user"],
            session=item["session"],
            steps=tuple(_step(step) for step in item["step"]),
        )
        for item in data["conversation"]
    ]


def _step(data: Mapping[str, Any]) -> Step:
    kind = next(name for name in KINDS if name in data)
    fields = {name: value for name, value in data.items() if name not in OWN}
    own = {name: data[name] for name in ("task", "session", "expect") if name in data}
    return Step(kind=kind, text=data[kind], fields=fields, **own)


def from_file(path: Path) -> list[Conversation]:
    """The conversations of a file: 'User: …' lines, or whatever `muniment import` reads (chat messages and more).

    After each, its own last words of the user are asked of `context`. Raises `InvalidInput` for anything else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    if text.lstrip()[:1] in ("[", "{"):
        return [_asked_at_end(name, name, said) for name, said in _imported(path)]
    said = [Step(kind="say", text=words, fields={"actor": actor}) for actor, words in _lines(text, path)]
    if not said:
        raise InvalidInput(f"{path} holds no messages; write lines such as 'User: I live in Oslo.'")
    return [_asked_at_end(path.name, "you", said)]


def _asked_at_end(name: str, user: str, said: Sequence[Step]) -> Conversation:
    """A conversation that ends with the question what its last words of the user bring back."""
    last = next((step for step in reversed(said) if step.fields["actor"] == "user"), said[-1])
    return Conversation(name=name, user=user, session="demo", steps=(*said, Step(kind="context", text=last.text)))


def _imported(path: Path) -> Iterator[tuple[str, list[Step]]]:
    """Each conversation of a JSON file with what is said in it. Raises `InvalidInput` naming what cannot be read."""
    from muniment.service.formats import conversations
    from muniment.service.turns import Malformed

    found = False
    for item in conversations(path, zone=UTC):
        turns = [item] if isinstance(item, Malformed) else item.turns
        if bad := next((turn for turn in turns if isinstance(turn, Malformed)), None):
            raise InvalidInput(f"{path}, {bad.where}: {bad.problem}")
        if not isinstance(item, Malformed) and turns:
            found = True
            yield item.name, [_told(turn.observation) for turn in item.turns if not isinstance(turn, Malformed)]
    if not found:
        raise InvalidInput(f"{path} holds no messages")


def _told(said: Observation) -> Step:
    fields = {"actor": said.actor.value.lower(), "event_type": said.event_type, "speaker": said.speaker}
    when = None if said.occurred is None else said.occurred.local()
    return Step(kind="say", text=said.content, fields=fields | {"occurred_at": when})


def _lines(text: str, path: Path) -> list[tuple[str, str]]:
    """'User: …' lines; a line without a speaker goes on with the one before."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        head, colon, rest = line.replace("：", ":", 1).partition(":")
        actor = SPEAKERS.get(head.strip().casefold()) if colon else None
        if actor is not None and rest.strip():
            found.append((actor, rest.strip()))
        elif line.strip() and found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line.strip()}")
        elif line.strip():
            raise InvalidInput(f"{path}: the first line names no speaker; begin it with 'User: ' or 'Assistant: '")
    return found
