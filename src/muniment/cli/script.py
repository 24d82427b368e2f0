"""Conversations that `muniment demo` plays: the scripted ones, or a file of yours.

Belongs here: reading them. Does not belong here: playing and showing (`demo`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from muniment.domain.errors import InvalidInput
from muniment.domain.observation import actor_type

SPEAKERS = {"user": "user", "human": "user", "assistant": "agent", "agent": "agent", "ai": "agent", "tool": "tool"}
SPEAKERS |= {"system": "system", "用户": "user", "助手": "agent", "工具": "tool", "系统": "system"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that is said, or asked of `context` or `search`, with what must hold afterwards."""

    kind: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    task: str | None = None
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
    kind = next(name for name in ("say", "context", "search") if name in data)
    fields = {name: value for name, value in data.items() if name not in ("say", "context", "search", "task", "expect")}
    return Step(kind=kind, text=data[kind], fields=fields, task=data.get("task"), expect=data.get("expect", {}))


def from_file(path: Path) -> list[Conversation]:
    """A conversation of a file: 'User: …' lines, a JSON list of chat messages, or JSON lines of them.

    After it, the file's own last question of the user is asked of `context`. Raises `InvalidInput` for anything else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {path}: {error}") from error
    messages = _json_messages(text, path) if text.lstrip()[:1] in "[{" else _lines(text, path)
    if not messages:
        raise InvalidInput(f"{path} holds no messages; write lines such as 'User: I live in Lisbon.'")
    steps = [Step(kind="say", text=said, fields={"actor": actor}) for actor, said in messages]
    last = next((said for actor, said in reversed(messages) if actor == "user"), messages[-1][1])
    steps.append(Step(kind="context", text=last))
    return [Conversation(name=path.name, user="you", session="demo", steps=tuple(steps))]


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


def _json_messages(text: str, path: Path) -> list[tuple[str, str]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        try:
            data = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as error:
            raise InvalidInput(f"{path} is neither JSON nor JSON lines: {error}") from None
    if isinstance(data, Mapping):
        data = data.get("messages", [data])
    found = []
    for place, item in enumerate(data, 1):
        if not isinstance(item, Mapping) or not isinstance(item.get("content"), str) or "role" not in item:
            raise InvalidInput(f"{path}: message {place} is not {{'role': …, 'content': text}}")
        if item["content"].strip():
            found.append((actor_type(str(item["role"])).value.lower(), item["content"]))
    return found
