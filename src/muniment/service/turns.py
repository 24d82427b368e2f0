"""A conversation of a file as turns, and what all formats share in making them.

Every turn carries an idempotency key made of what it is and not of the file it came in, so that the same turn is written
once however often, and out of whichever copy, it is imported.

Belongs here: turns, their names, keys, roles and times. Does not belong here: any one format (`transcripts`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, Final

from muniment.domain.enums import ActorType
from muniment.domain.errors import InvalidInput
from muniment.domain.observation import Observation, observation
from muniment.domain.scope import KEY_LIMIT
from muniment.text.clock_times import clock_time

SOURCE: Final = "import"
"""The source of every imported event; keys are unique per user within it."""

_ROLES: Final[Mapping[str, ActorType]] = {
    **dict.fromkeys(("user", "human", "customer"), ActorType.USER),
    **dict.fromkeys(("assistant", "agent", "ai", "bot", "model", "gpt", "chatgpt", "bing", "bard"), ActorType.AGENT),
    **dict.fromkeys(("system", "developer"), ActorType.SYSTEM),
    **dict.fromkeys(("tool", "function", "function_response", "observation"), ActorType.TOOL),
    **dict.fromkeys(("function_call", "tool_call"), ActorType.AGENT),
}
_TIMES: Final = ("time", "timestamp", "created_at", "create_time", "date")


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something of a file that cannot be read: where it stands, and what is wrong with it."""

    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a file and where it stands there; its observation has its key, and its session as the file names it."""

    where: str
    observation: Observation


@dataclass(slots=True)
class Conversation:
    """One conversation of a file: `name` tells it from others, `empty` counts turns without a word."""

    name: str
    dataset: str
    turns: list[Turn | Malformed] = field(default_factory=list)
    empty: int = 0


def named(record: Mapping[str, Any], kind: str, body: object, names: Sequence[str]) -> Conversation:
    """An empty conversation with its name: an id of the record, else a digest of all that is said in it.

    A shorter digest would take two conversations that begin alike for one, and give one user the other's words.
    """
    given = next((record[name] for name in names if isinstance(record.get(name), (str, int))), None)
    dataset = str(record.get("dataset") or kind)
    name = "" if given is None else str(given).strip()
    usable = 0 < len(name) <= KEY_LIMIT and name.isprintable()
    return Conversation(name=name if usable else f"conversation-{digest([name, body])[:16]}", dataset=dataset)


def filled(
    found: Conversation,
    items: Sequence[Any],
    where: str,
    read: Callable[[Any, int], Observation | None],
    *,
    needs: Sequence[str],
) -> Conversation:
    """The conversation with each item read, malformed ones in their place."""
    for place, item in enumerate(items):
        at = f"{where}[{place}]"
        missing = next((name for name in needs if not isinstance(item, Mapping) or item.get(name) is None), None)
        if missing is not None:
            found.turns.append(Malformed(at, f"no {missing!r} in it" if isinstance(item, Mapping) else "not an object"))
            continue
        try:
            said = read(item, place)
        except InvalidInput as error:
            found.turns.append(Malformed(at, str(error)))
            continue
        if said is None:
            found.empty += 1
        else:
            found.turns.append(Turn(at, said))
    return found


def said(
    found: Conversation,
    text: str,
    *,
    actor: ActorType,
    own: object,
    place: int,
    metadata: Mapping[str, Any] | None = None,
    event_type: str | None = None,
    source_system: str | None = None,
    **fields: Any,
) -> Observation | None:
    """One turn as an observation, keyed by its own id, or by its place and words where it has none; None without words."""
    if not text.strip():
        return None
    identity = [found.dataset, found.name, str(own)] if own is not None else [found.dataset, found.name, place, text]
    notes = {name: value for name, value in (metadata or {}).items() if value is not None}
    speaker = fields.get("speaker")
    return observation(
        text,
        actor=actor,
        # What a file says its system said is not what this system reports about itself.
        event_type=event_type or ("message" if actor is ActorType.SYSTEM else None),
        source=SOURCE,
        source_system=source_system or found.dataset[:64],
        source_id=None if own is None else str(own)[:256],
        idempotency_key=digest(identity)[:48],
        # People of one dialogue are sources of their own, whoever's memory it is.
        actor_id=speaker if speaker and len(speaker) <= KEY_LIMIT else None,
        metadata={"dataset": found.dataset, "conversation": found.name, **notes},
        **fields,
    )


def speaks(word: object, *, known_only: bool = False) -> tuple[ActorType, str | None]:
    """The actor of a role's word, or a user with the name that it is. Raises `InvalidInput` for an unknown role."""
    name = "" if word is None else str(word).strip()
    actor = _ROLES.get(name.lower())
    if actor is not None or not name:
        return actor or ActorType.USER, None
    if known_only:
        raise InvalidInput(f"role {name[:40]!r} is not known; known are {', '.join(sorted(_ROLES))}")
    return ActorType.USER, name


def time_of(item: Mapping[str, Any], zone: tzinfo) -> datetime | None:
    """When an item says it was, aware; None where it does not say. Raises `InvalidInput` for a time that does not read."""
    stamp = next((item[name] for name in _TIMES if item.get(name) not in (None, "")), None)
    return None if stamp is None else clock_time(stamp, zone)


def digest(value: object) -> str:
    """SHA-256 of a JSON value, in hexadecimal."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
