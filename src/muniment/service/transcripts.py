"""The kinds of conversation files that an import reads, each as one conversation of observations.

- `retrieval`: {kind, dataset, conv_id, docs: [{id, text, speaker, time, session}]}
- `messages`: the chat APIs' message lists, bare or as {"messages": [...]}, content as text or as parts, with tool calls
- `locomo`: one sample of LoCoMo's own file, {sample_id, conversation: {session_1: [...], session_1_date_time, ...}}
- `sharegpt`: {"conversations": [{from, value}]}

Every turn carries an idempotency key made of what it is and not of the file it came in, so that the same turn is written
once however often, and out of whichever copy, it is imported.

Belongs here: one record to turns. Does not belong here: reading files (`formats`), writing (`importing`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
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
_CALLS: Final = ("function_call", "tool_call")
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


def kind_of(record: object) -> str | None:
    """The kind of a record, by its shape; None for one that is not known."""
    if isinstance(record, list):
        return "messages" if any(_is_message(item) for item in record) else None
    if not isinstance(record, Mapping):
        return None
    if isinstance(record.get("docs"), list):
        return "retrieval"
    if isinstance(record.get("messages"), list):
        return "messages"
    if isinstance(record.get("conversations"), list):
        return "sharegpt"
    sessions = record.get("conversation")
    if isinstance(sessions, Mapping) and any(_SESSION.fullmatch(str(name)) for name in sessions):
        return "locomo"
    return None


def _is_message(item: object) -> bool:
    return isinstance(item, Mapping) and "role" in item and ("content" in item or "tool_calls" in item)


def conversation(record: Any, *, where: str, zone: tzinfo) -> Conversation:
    """The conversation of a record whose `kind_of` is known. Turns that cannot be read stand in it as `Malformed`."""
    return _READERS[str(kind_of(record))](record, where, zone)


# -- the four kinds ---------------------------------------------------------------------------------------------------


def _retrieval(record: Mapping[str, Any], where: str, zone: tzinfo) -> Conversation:
    """Documents with ids. The speaker's word decides the role; a person's name is a user who is called so."""
    found = _named(record, "retrieval", record["docs"], ("conv_id", "id"))

    def read(doc: Mapping[str, Any], place: int) -> Observation | None:
        actor, speaker = _speaks(doc.get("speaker"))
        session = doc.get("session")
        return _said(
            found,
            str(doc["text"]),
            actor=actor,
            speaker=speaker,
            own=doc.get("id"),
            place=place,
            session=found.name if session is None else str(session),
            occurred_at=_time(doc, zone),
        )

    return _filled(found, record["docs"], f"{where}, docs", read, needs=("text",))


def _messages(record: Any, where: str, zone: tzinfo) -> Conversation:
    """Chat messages. Results of tools are told by the tool's name, and what the agent called is kept with the call."""
    whole = {"messages": record} if isinstance(record, list) else record
    items = whole["messages"]
    found = _named(whole, "messages", items, ("id", "conversation_id", "thread_id", "session_id", "conv_id"))
    tools = _tool_names(items)

    def read(message: Mapping[str, Any], place: int) -> Observation | None:
        role = str(message["role"])
        text, attached = _content(message.get("content"))
        calls = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
        called = message.get("tool_call_id")
        actor, _ = _speaks(role, known_only=True)
        name = message.get("name") or tools.get(str(called))
        is_tool = actor is ActorType.TOOL
        return _said(
            found,
            text or _calls_as_text(calls),
            actor=actor,
            event_type="tool_call" if calls and not text else None,
            speaker=None if is_tool or name is None else str(name),
            source_system=str(name)[:64] if is_tool and name else None,
            own=message.get("id"),
            place=place,
            session=found.name,
            occurred_at=_time(message, zone),
            payload={"tool_calls": calls} if calls else None,
            metadata={"tool_call_id": called, "attachments": attached or None},
        )

    return _filled(found, items, f"{where}, message", read, needs=("role",))


def _sharegpt(record: Mapping[str, Any], where: str, zone: tzinfo) -> Conversation:
    """Turns of {from, value}."""
    items = record["conversations"]
    found = _named(record, "sharegpt", items, ("id", "conversation_id"))

    def read(turn: Mapping[str, Any], place: int) -> Observation | None:
        actor, speaker = _speaks(str(turn["from"]))
        kind = "tool_call" if str(turn["from"]).lower() in _CALLS else None
        return _said(
            found,
            str(turn["value"]),
            actor=actor,
            speaker=speaker,
            event_type=kind,
            own=turn.get("id"),
            place=place,
            session=found.name,
            occurred_at=_time(turn, zone),
        )

    return _filled(found, items, f"{where}, conversations", read, needs=("from", "value"))


_SESSION: Final = re.compile(r"session_(\d+)")


def _locomo(record: Mapping[str, Any], where: str, zone: tzinfo) -> Conversation:
    """Sessions of a dialogue between two people, each with one time; a shared picture is its caption in words."""
    sessions = record["conversation"]
    found = _named(record, "locomo", sessions, ("sample_id", "id"))
    numbers = sorted(int(match[1]) for name in sessions if (match := _SESSION.fullmatch(str(name))))
    for number in numbers:
        name = f"session_{number}"
        stamp = sessions.get(f"{name}_date_time")

        def read(
            turn: Mapping[str, Any], place: int, name: str = name, stamp: object = stamp, number: int = number
        ) -> Observation | None:
            actor, speaker = _speaks(turn.get("speaker"))
            caption = turn.get("blip_caption")
            text = str(turn.get("text") or "")
            return _said(
                found,
                f"{text} [shared image: {caption}]".strip() if caption else text,
                actor=actor,
                speaker=speaker,
                own=turn.get("dia_id") or f"{name}:{place}",
                place=place,
                session=str(number),
                occurred_at=_time({"time": stamp}, zone),
            )

        turns = sessions[name] if isinstance(sessions[name], list) else []
        _filled(found, turns, f"{where}, {name}", read, needs=("speaker",))
    return found


_READERS: Final[Mapping[str, Callable[[Any, str, tzinfo], Conversation]]] = {
    "retrieval": _retrieval,
    "messages": _messages,
    "locomo": _locomo,
    "sharegpt": _sharegpt,
}

# -- what they share --------------------------------------------------------------------------------------------------


def _named(record: Mapping[str, Any], kind: str, body: object, names: Sequence[str]) -> Conversation:
    """An empty conversation with its name: an id of the record, else a digest of all that is said in it.

    A shorter digest would take two conversations that begin alike for one, and give one user the other's words.
    """
    given = next((record[name] for name in names if isinstance(record.get(name), (str, int))), None)
    dataset = str(record.get("dataset") or kind)
    name = "" if given is None else str(given).strip()
    usable = 0 < len(name) <= KEY_LIMIT and name.isprintable()
    return Conversation(name=name if usable else f"conversation-{_digest([name, body])[:16]}", dataset=dataset)


def _filled(
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


def _said(
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
        idempotency_key=_digest(identity)[:48],
        # People of one dialogue are sources of their own, whoever's memory it is.
        actor_id=speaker if speaker and len(speaker) <= KEY_LIMIT else None,
        metadata={"dataset": found.dataset, "conversation": found.name, **notes},
        **fields,
    )


def _speaks(word: object, *, known_only: bool = False) -> tuple[ActorType, str | None]:
    """The actor of a role's word, or a user with the name that it is. Raises `InvalidInput` for an unknown role."""
    name = "" if word is None else str(word).strip()
    actor = _ROLES.get(name.lower())
    if actor is not None or not name:
        return actor or ActorType.USER, None
    if known_only:
        raise InvalidInput(f"role {name[:40]!r} is not known; known are {', '.join(sorted(_ROLES))}")
    return ActorType.USER, name


def _time(item: Mapping[str, Any], zone: tzinfo) -> Any:
    stamp = next((item[name] for name in _TIMES if item.get(name) not in (None, "")), None)
    return None if stamp is None else clock_time(stamp, zone)


def _content(content: object) -> tuple[str, list[str]]:
    """The words of a message, and the kinds of the parts that are not words."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        raise InvalidInput(f"content must be text or a list of parts, not {type(content).__name__}")
    words, others = [], []
    for part in content:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            words.append(text)
        else:
            others.append(str(part.get("type", "part")) if isinstance(part, Mapping) else "part")
    return "\n".join(words), others


def _tool_names(items: Sequence[Any]) -> dict[str, str]:
    """The name of the tool behind each call's id."""
    return {str(call["id"]): name for call in _calls(items) if call.get("id") and (name := _function(call)[0])}


def _calls(items: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        calls = item.get("tool_calls") if isinstance(item, Mapping) else None
        yield from (call for call in calls or () if isinstance(call, Mapping))


def _function(call: Mapping[str, Any]) -> tuple[str, str]:
    """The name and arguments of a call, wherever the API puts them."""
    inner = call.get("function")
    holder = inner if isinstance(inner, Mapping) else call
    given = holder.get("arguments", "")
    return str(holder.get("name") or ""), given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _calls_as_text(calls: Sequence[Any]) -> str:
    pairs = [_function(call) for call in calls if isinstance(call, Mapping)]
    return "\n".join(f"{name}({given})" for name, given in pairs if name)


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
