"""Cleaning of what callers send, the same for every backend.

Belongs here: removal of characters that some store or protocol cannot hold, and the check that a payload is JSON of a
bounded size. Does not belong here: redaction (`redact.py`) and normalisation for comparison
(`domain.statement.canonical`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from muniment.domain.errors import InvalidInput, TooLarge

INTEGER_LIMIT: Final = 2**63
"""JSON columns of the supported databases agree on integers of 64 bits and no further."""

BOM: Final = "\ufeff"
"""What some editors put before the first character of a file; inside a text it is a character like others."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates: they turn words around for the eye. Marks of single letters are none of them."""
_UNPRINTED = re.compile("[\\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clean:
    """Text that every backend can hold. `flags` names what was done: 'bom', 'nul', 'control', 'surrogate'; 'direction' says
    that it holds characters which turn words around, and that they were left in."""

    text: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanJson:
    """A JSON value of plain dicts, lists and scalars, its texts cleaned; `flags` as in `Clean`."""

    value: Any
    flags: tuple[str, ...] = ()


def sanitise(text: str) -> Clean:
    """The text without a byte order mark before it, NUL and other C0 controls (line feed, return and tab stay), lone surrogates
    as U+FFFD. Overrides of the direction of writing are flagged and stay: they are what was said (see `straight`).

    Two surrogates that form a pair become the character they encode. Nothing else is changed. Raises `InvalidInput` for
    what is not text.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"text must be str, not {type(text).__name__}")
    flags = []
    if text.startswith(BOM):
        text = text.lstrip(BOM)
        flags.append("bom")
    if "\x00" in text:
        text = text.replace("\x00", "")
        flags.append("nul")
    text, removed = _CONTROL.subn("", text)
    if removed:
        flags.append("control")
    if _SURROGATE.search(text):
        joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
        text = _SURROGATE.sub("\ufffd", joined)
        flags.append("surrogate")
    if _DIRECTION.search(text):
        flags.append("direction")
    return Clean(text=text, flags=tuple(flags))


def straight(text: str) -> str:
    """The text without characters that turn words around for the eye, as a memory states it."""
    return _DIRECTION.sub("", text)


def printed(text: str) -> str:
    """What of a text is seen: without invisible characters, white space as one space."""
    return " ".join(_UNPRINTED.sub(" ", text).split())


def sanitise_json(value: Any, *, limit_depth: int, limit_bytes: int) -> CleanJson:
    """The value with its keys and texts cleaned as `sanitise` does, tuples as lists, mappings as dicts.

    `limit_depth` counts nested containers (a flat dict is 1), `limit_bytes` the bytes of compact UTF-8 JSON. Raises
    `TooLarge` over either, `InvalidInput` naming the path of anything that is not JSON.
    """
    walk = _Walk(limit_depth, limit_bytes)
    cleaned = walk.value(value, "$", 0)
    size = len(json.dumps(cleaned, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limit_bytes:
        raise TooLarge(f"{size} bytes of JSON are over the limit of {limit_bytes}")
    return CleanJson(value=cleaned, flags=tuple(sorted(walk.flags)))


class _Walk:
    """One pass over a value; counts a lower bound of its size so that shared references cannot blow it up first."""

    def __init__(self, limit_depth: int, limit_bytes: int) -> None:
        self.limit_depth = limit_depth
        self.limit_bytes = limit_bytes
        self.spent = 0
        self.flags: set[str] = set()

    def value(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        self.spend(1, path)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            if not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
                raise InvalidInput(f"{path} is an integer of more than 64 bits; give it as text")
            return int(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                raise InvalidInput(f"{path} is {value!r}, which JSON cannot hold")
            return float(value)
        if isinstance(value, Mapping):
            return self.mapping(value, path, self.deeper(path, depth))
        if isinstance(value, (list, tuple)):
            inner = self.deeper(path, depth)
            return [self.value(item, f"{path}[{index}]", inner) for index, item in enumerate(value)]
        raise InvalidInput(f"{path} is a {type(value).__name__}, which JSON cannot hold")

    def mapping(self, value: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
        cleaned: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput(f"{path} has the key {key!r}, which is not text")
            name = self.text(key)
            if name in cleaned:
                raise InvalidInput(f"{path} has the key {name!r} twice once control characters are removed")
            cleaned[name] = self.value(item, f"{path}.{name[:40]}", depth)
        return cleaned

    def text(self, value: str) -> str:
        clean = sanitise(str(value))
        self.flags.update(clean.flags)
        self.spend(len(clean.text) + 2, "text")
        return clean.text

    def deeper(self, path: str, depth: int) -> int:
        if depth >= self.limit_depth:
            raise TooLarge(f"{path} is nested deeper than {self.limit_depth} levels")
        return depth + 1

    def spend(self, size: int, path: str) -> None:
        self.spent += size
        if self.spent > self.limit_bytes:
            raise TooLarge(f"more than {self.limit_bytes} bytes of JSON (stopped at {path})")
