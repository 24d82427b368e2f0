"""Files of conversations, read one record at a time: JSON lines, or one JSON document.

The format is told by the content, never by the file's name. JSON lines are read line by line, so that a file may be larger
than memory; a single document is read whole.

Belongs here: bytes to records, records to conversations or complaints. Does not belong here: what a record's turns are
(`transcripts`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from muniment.domain.errors import InvalidInput
from muniment.service.transcripts import conversation, kind_of
from muniment.service.turns import Conversation, Malformed

KNOWN: Final = (
    "JSON lines of kind 'retrieval' ({conv_id, docs: [{id, text, speaker, time, session}]}), chat messages "
    "([{role, content}] or {messages: [...]}), ShareGPT ({conversations: [{from, value}]}), "
    "LoCoMo ({conversation: {session_1: [...]}})"
)
_PEEK: Final = 20
"""Lines looked at to tell JSON lines with a broken first line from a broken document."""


def zone_named(name: str) -> tzinfo:
    """The IANA zone of a name. Raises `InvalidInput` for one that is not known here."""
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(f"zone={name!r} is not an IANA time zone such as Europe/Berlin or Asia/Shanghai") from None


def conversations(path: str | Path, *, zone: tzinfo) -> Iterator[Conversation | Malformed]:
    """The conversations of a file in order, with a `Malformed` for each line that is not one.

    Raises `InvalidInput` for a file that cannot be opened, is empty, or is not of a known kind.
    """
    seen, loose, first = False, _Loose(zone), True
    for where, record in records(Path(path)):
        if isinstance(record, Malformed):
            yield record
            continue
        if _is_loose(record):
            loose.add(where, record)
            seen = True
            continue
        yield from loose.taken()
        for at, part in _parts(where, record):
            if kind_of(part) is not None:
                seen = True
                yield conversation(part, where=at, zone=zone)
            elif first and not seen:
                raise InvalidInput(f"{path}: {_shape(part)} at {at} is not a known kind of file; known are {KNOWN}")
            else:
                yield Malformed(at, f"{_shape(part)} is not a conversation")
        first = False
    yield from loose.taken()


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Each JSON value of a file with where it stands ('line 3', or 'document'), or a `Malformed` in its place.

    Raises `InvalidInput` for a file that cannot be read, is empty, or is neither JSON nor JSON lines.
    """
    try:
        lines_of_json = _is_lines(path)
        if not lines_of_json:
            yield "document", json.loads(path.read_text(encoding="utf-8-sig"))
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"line {number}", _line(number, line)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error


def _is_lines(path: Path) -> bool:
    """Whether the file is JSON lines, else a whole document. Raises `InvalidInput` where it is neither."""
    with path.open("rb") as file:
        head = [line for line in islice(file, _PEEK) if line.strip()]
    if not head:
        raise InvalidInput(f"{path} is empty")
    if not isinstance(_line(1, head[0]), Malformed):
        return True
    try:
        json.loads(path.read_text(encoding="utf-8-sig"))
        return False
    except UnicodeDecodeError:
        problem = "it is not UTF-8 text"
    except (ValueError, RecursionError) as error:
        problem = str(error)
    text = head[0].strip()
    if any(not isinstance(_line(1, line), Malformed) for line in head[1:]) or (text[:1] + text[-1:]) in (b"{}", b"[]"):
        return True
    raise InvalidInput(f"{path} is neither JSON nor JSON lines: {problem}; known are {KNOWN}")


def _line(number: int, line: bytes) -> Any:
    """A line's JSON container, or what is wrong with it."""
    where = f"line {number}"
    try:
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        return Malformed(where, "not UTF-8 text")
    except (ValueError, RecursionError) as error:
        return Malformed(where, f"not JSON: {error}")
    if not isinstance(value, (dict, list)):
        return Malformed(where, f"a {type(value).__name__}, not an object or a list")
    return value


def _parts(where: str, record: Any) -> Iterator[tuple[str, Any]]:
    """The record itself, or the records of a list of them."""
    if isinstance(record, list) and kind_of(record) is None and record:
        for place, item in enumerate(record):
            yield f"{where}, item {place}", item
    else:
        yield where, record


def _is_loose(record: Any) -> bool:
    """Whether a record is one message that stands on a line of its own."""
    return isinstance(record, Mapping) and kind_of(record) is None and kind_of([record]) == "messages"


class _Loose:
    """Messages that stand on lines of their own: together they are one conversation."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._where = ""
        self._messages: list[Any] = []

    def add(self, where: str, message: Any) -> None:
        """One more."""
        self._where = self._where or where
        self._messages.append(message)

    def taken(self) -> Iterator[Conversation]:
        """The conversation so far, if any, and a new beginning."""
        messages, self._messages = self._messages, []
        if messages:
            yield conversation(messages, where=f"from {self._where}", zone=self._zone)
        self._where = ""


def _shape(record: Any) -> str:
    """What a record looks like, in a few words, without what it says."""
    if isinstance(record, Mapping):
        names = [str(name)[:40] for name in record][:8]
        return f"an object with {', '.join(names)}" if names else "an empty object"
    return "an empty list" if record == [] else f"a {type(record).__name__}"
