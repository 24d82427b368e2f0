"""Reading what a model answered: the JSON in it, as far as it is there, and of lists the items that fit.

Models wrap JSON in fences and prose, stop in the midst of it, give a list for an object and null for a text. What is whole and
fits is kept; what is not is named with its reason; nothing is guessed.

Belongs here: JSON out of words, and items by a dataclass's types. Does not belong here: whether what an item says is true.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")
SHOWN_CHARS: Final = 300
"""Characters of an item that are shown with the reason why it was left out."""
MOST_ITEMS: Final = 200
"""Items of one list that are looked at; what answers more does not answer."""
STARTS: Final = 50
"""Places at which JSON is looked for in prose."""
_FENCE: Final = re.compile(r"```[a-zA-Z]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENS: Final = re.compile(r"[{\[]")
_LIST: Final = re.compile(r'"(\w{1,64})"\s*:\s*\[')
_DECODER: Final = json.JSONDecoder(parse_constant=lambda name: None)
"""NaN and Infinity, which are no JSON, read as nothing."""
_OF: Final = "; it was "
"""Between what is wrong with an item and the item."""
_NOTHING: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Generic[T]):
    """An answer in its shape, or None with the `problem`; `unread` are the items that were left out, with the reasons."""

    value: T | None
    unread: tuple[str, ...] = ()
    problem: str = ""


def schema_of(shape: Any) -> dict[str, Any]:
    """The JSON schema of a dataclass."""
    return _adapter(shape).json_schema()


def read_answer(text: str, shape: type[T], *, cut: bool = False) -> Read[T]:
    """The answer as an instance of `shape`. `cut` says that the model had no room to finish."""
    kind: Any = shape
    data = _json_in(text)
    if data is _NOTHING:
        data = _beginnings(text)
        cut = cut or bool(_OPENS.search(text))
    if data is _NOTHING or not text.strip():
        why = "it was empty" if not text.strip() else "it was cut off; be shorter" if cut else "it holds no JSON"
        return Read(value=None, problem=why)
    lists = _lists_of(kind)
    data = _as_object(data, kind, lists)
    if not isinstance(data, dict):
        return Read(value=None, problem="it is no JSON object with the fields of the schema")
    given = {name: value for name, value in data.items() if name in _names(kind)}
    unread: list[str] = []
    offered = 0
    for name, item in lists.items():
        value = given.pop(name, None)
        items = value if isinstance(value, list) else [] if value is None else [value]
        offered += len(items)
        given[name] = list(_fitting(items[:MOST_ITEMS], item, unread))
        if len(items) > MOST_ITEMS:
            unread.append(f"{len(items) - MOST_ITEMS} more of {name!r} than are looked at")
    found = sum(len(given[name]) for name in lists)
    if offered and not found:
        # The problem may be shown where the answer may not.
        return Read(
            value=None, unread=tuple(unread), problem=f"no item keeps to the schema: {unread[0].partition(_OF)[0]}"
        )
    if lists and not offered and cut:
        return Read(value=None, problem="it was cut off; be shorter")
    try:
        return Read(value=_adapter(kind).validate_python(given), unread=tuple(unread))
    except ValidationError as error:
        return Read(value=None, unread=tuple(unread), problem=_complaint(error))


def _fitting(items: list[Any], kind: Any, unread: list[str]) -> Iterator[Any]:
    for item in items:
        try:
            yield _adapter(kind).validate_python(item)
        except ValidationError as error:
            unread.append(f"{_complaint(error)}{_OF}{_shown(item)}")


def _complaint(error: ValidationError) -> str:
    """What does not fit, in a line, without the input."""
    found = [f"{'.'.join(str(part) for part in item['loc']) or 'it'}: {item['msg']}" for item in error.errors()]
    return "; ".join(found[:3])[:SHOWN_CHARS]


def _shown(item: Any) -> str:
    text = json.dumps(item, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"


# -- the JSON in it ------------------------------------------------------------------------------------------------------


def _json_in(text: str) -> Any:
    """The first whole JSON object or list of a text, in a fence or in prose."""
    for piece in (text, *(match[1] for match in _FENCE.finditer(text))):
        found = _decoded(piece.strip(), 0)
        if isinstance(found, (dict, list)):
            return found
    starts = [match.start() for match in _OPENS.finditer(text)][:STARTS]
    for start in starts:
        found = _decoded(text, start)
        if isinstance(found, dict) or (isinstance(found, list) and found and isinstance(found[0], dict)):
            # What opens before a whole object and never closes has the object as its part: the answer was cut off.
            return _NOTHING if any(char in "{[" for char in text[:start]) else found
    return _NOTHING


def _decoded(text: str, start: int) -> Any:
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return _NOTHING


def _beginnings(text: str) -> Any:
    """Of an answer that breaks off: the whole items of its lists, by the lists' names; a list without a name as a list."""
    found: dict[str, list[Any]] = {}
    for match in _LIST.finditer(text):
        found.setdefault(match[1], []).extend(_whole_items(text, match.end()))
    if found:
        return found
    start = text.find("[")
    return list(_whole_items(text, start + 1)) or _NOTHING if start >= 0 else _NOTHING


def _whole_items(text: str, at: int) -> Iterator[Any]:
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if text[at : at + 1] != "{":
            return
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield item


def _as_object(data: Any, shape: Any, lists: dict[str, Any]) -> Any:
    """The answer as an object with the shape's fields: a bare list is the shape's one list, one item the list of it, and an
    object with nothing but the answer in it is taken off."""
    only = next(iter(lists)) if len(lists) == 1 else None
    for _ in range(2):
        if isinstance(data, list):
            if only is not None and not (
                len(data) == 1 and isinstance(data[0], dict) and _names(shape) & data[0].keys()
            ):
                return {only: data}
            data = data[0] if len(data) == 1 else None
        if not isinstance(data, dict) or _names(shape) & data.keys():
            return data
        if only is not None and _required(lists[only]) and _required(lists[only]) <= data.keys():
            return {only: [data]}
        inner = [value for value in data.values() if isinstance(value, (dict, list))]
        if len(inner) != 1:
            return data if not lists or not data else None
        data = inner[0]
    return data if isinstance(data, dict) and (_names(shape) & data.keys() or not data) else None


# -- the shape -----------------------------------------------------------------------------------------------------------


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


@cache
def _names(shape: Any) -> frozenset[str]:
    return frozenset(item.name for item in fields(shape))


@cache
def _required(shape: Any) -> frozenset[str]:
    none = (MISSING, MISSING)
    return frozenset(item.name for item in fields(shape) if (item.default, item.default_factory) == none)


@cache
def _lists_of(shape: Any) -> dict[str, Any]:
    """The fields that are lists, each with the type of its items."""
    hints = get_type_hints(shape, include_extras=True)
    return {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is list}
