"""The kinds of conversation files that an import reads, each as one conversation of observations.

- `retrieval`: {kind, dataset, conv_id, docs: [{id, text, speaker, time, session}]}
- `messages`: the chat APIs' message lists, bare or as {"messages": [...]}, content as text or as parts, with tool calls
- `locomo`: one sample of LoCoMo's own file, {sample_id, conversation: {session_1: [...], session_1_date_time, ...}}
- `sharegpt`: {"conversations": [{from, value}]}

Belongs here: one record to turns. Does not belong here: keys and roles (`turns`), reading files (`formats`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any, Final

from muniment.domain.enums import ActorType
from muniment.domain.errors import InvalidInput
from muniment.domain.observation import Observation
from muniment.service.turns import Conversation, filled, named, said, speaks, time_of

_CALLS: Final = ("function_call", "tool_call")


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
    found = named(record, "retrieval", record["docs"], ("conv_id", "id"))

    def read(doc: Mapping[str, Any], place: int) -> Observation | None:
        actor, speaker = speaks(doc.get("speaker"))
        session = doc.get("session")
        return said(
            found,
            str(doc["text"]),
            actor=actor,
            speaker=speaker,
            own=doc.get("id"),
            place=place,
            session=found.name if session is None else str(session),
            occurred_at=time_of(doc, zone),
        )

    return filled(found, record["docs"], f"{where}, docs", read, needs=("text",))


def _messages(record: Any, where: str, zone: tzinfo) -> Conversation:
    """Chat messages. Results of tools are told by the tool's name, and what the agent called is kept with the call."""
    whole = {"messages": record} if isinstance(record, list) else record
    items = whole["messages"]
    found = named(whole, "messages", items, ("id", "conversation_id", "thread_id", "session_id", "conv_id"))
    tools = _tool_names(items)

    def read(message: Mapping[str, Any], place: int) -> Observation | None:
        role = str(message["role"])
        text, attached = _content(message.get("content"))
        calls = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
        called = message.get("tool_call_id")
        actor, _ = speaks(role, known_only=True)
        name = message.get("name") or tools.get(str(called))
        is_tool = actor is ActorType.TOOL
        return said(
            found,
            text or _calls_as_text(calls),
            actor=actor,
            event_type="tool_call" if calls and not text else None,
            speaker=None if is_tool or name is None else str(name),
            source_system=str(name)[:64] if is_tool and name else None,
            own=message.get("id"),
            place=place,
            session=found.name,
            occurred_at=time_of(message, zone),
            payload={"tool_calls": calls} if calls else None,
            metadata={"tool_call_id": called, "attachments": attached or None},
        )

    return filled(found, items, f"{where}, message", read, needs=("role",))


def _sharegpt(record: Mapping[str, Any], where: str, zone: tzinfo) -> Conversation:
    """Turns of {from, value}."""
    items = record["conversations"]
    found = named(record, "sharegpt", items, ("id", "conversation_id"))

    def read(turn: Mapping[str, Any], place: int) -> Observation | None:
        actor, speaker = speaks(str(turn["from"]))
        kind = "tool_call" if str(turn["from"]).lower() in _CALLS else None
        return said(
            found,
            str(turn["value"]),
            actor=actor,
            speaker=speaker,
            event_type=kind,
            own=turn.get("id"),
            place=place,
            session=found.name,
            occurred_at=time_of(turn, zone),
        )

    return filled(found, items, f"{where}, conversations", read, needs=("from", "value"))


_SESSION: Final = re.compile(r"session_(\d+)")


def _locomo(record: Mapping[str, Any], where: str, zone: tzinfo) -> Conversation:
    """Sessions of a dialogue between two people, each with one time; a shared picture is its caption in words."""
    sessions = record["conversation"]
    found = named(record, "locomo", sessions, ("sample_id", "id"))
    numbers = sorted(int(match[1]) for name in sessions if (match := _SESSION.fullmatch(str(name))))
    for number in numbers:
        name = f"session_{number}"
        stamp = sessions.get(f"{name}_date_time")

        def read(
            turn: Mapping[str, Any], place: int, name: str = name, stamp: object = stamp, number: int = number
        ) -> Observation | None:
            actor, speaker = speaks(turn.get("speaker"))
            caption = turn.get("blip_caption")
            text = str(turn.get("text") or "")
            return said(
                found,
                f"{text} [shared image: {caption}]".strip() if caption else text,
                actor=actor,
                speaker=speaker,
                own=turn.get("dia_id") or f"{name}:{place}",
                place=place,
                session=str(number),
                occurred_at=time_of({"time": stamp}, zone),
            )

        turns = sessions[name] if isinstance(sessions[name], list) else []
        filled(found, turns, f"{where}, {name}", read, needs=("speaker",))
    return found


_READERS: Final[Mapping[str, Callable[[Any, str, tzinfo], Conversation]]] = {
    "retrieval": _retrieval,
    "messages": _messages,
    "locomo": _locomo,
    "sharegpt": _sharegpt,
}


# -- messages of the chat APIs --------------------------------------------------------------------------------------


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
