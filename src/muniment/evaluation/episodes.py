"""Episodes of the kind `dependency`: sessions of plain statements, what is asked before the change and after it.

Belongs here: the records read and checked. Does not belong here: writing them (`dependency`), judging answers (`answers`).
The records' `gold_state` is not read at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Final, Literal, cast

from muniment.domain.errors import InvalidInput
from muniment.text.clock_times import clock_time

Kind = Literal["fact", "rule", "change", "delete"]
TaskType = Literal["Cas", "Abs", "Del", "Tr", "Agg", "ER", "Ctl"]

TYPES: Final[tuple[TaskType, ...]] = ("Cas", "Abs", "Del", "Tr", "Agg", "ER", "Ctl")
_KINDS: Final = ("fact", "rule", "change", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One session: what was said, and the same in a structure. `when` is the entity whose change a rule waits for."""

    text: str
    at: datetime
    kind: Kind
    entity: str
    value: str | None
    depends_on: tuple[str, ...] = ()
    when: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question; `gold` are the values its answer has, in order, and `stale` the one that is over."""

    type: TaskType
    question: str
    gold: tuple[str, ...]
    stale: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One record: its lines in order, what is asked before the line `probe`, and what is asked at the end."""

    id: str
    lang: str
    lines: tuple[Line, ...]
    probe: int
    before: tuple[Task, ...]
    after: tuple[Task, ...]


def episode(record: Mapping[str, Any], zone: tzinfo) -> Episode:
    """The record as an episode. Raises `InvalidInput` naming what is missing or not known."""
    name = str(record.get("id", "?"))
    try:
        lines = tuple(_line(item, zone) for item in record["sessions"])
        before = tuple(_task(item, before=True) for item in record.get("before_questions") or ())
        after = tuple(_task(item, before=False) for item in record["tasks"])
        probe = int(record.get("probe_before_idx", len(lines)))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"episode {name}: {type(error).__name__}: {error}") from error
    return Episode(id=name, lang=str(record.get("lang", "en")), lines=lines, probe=probe, before=before, after=after)


def _line(item: Mapping[str, Any], zone: tzinfo) -> Line:
    kind = str(item["kind"])
    if kind not in _KINDS:
        raise ValueError(f"kind {kind!r} of a session is none of {', '.join(_KINDS)}")
    value = item.get("value")
    return Line(
        text=str(item["text"]),
        at=clock_time(item["timestamp"], zone),
        kind=cast("Kind", kind),
        entity=str(item["entity"]),
        value=None if value is None else str(value),
        depends_on=tuple(map(str, item.get("depends_on") or ())),
        when=item.get("when"),
    )


def _task(item: Mapping[str, Any], *, before: bool) -> Task:
    """A task; of the changed types, the value sought after the change stands in `stale` for Abs and Del."""
    name = str(item["type"])
    if name not in TYPES:
        raise ValueError(f"type {name!r} of a task is none of {', '.join(TYPES)}")
    answer = item["gold_answer"]
    if name == "Tr":
        gold = tuple(part.strip() for part in str(answer).split(",")) if isinstance(answer, str) else tuple(answer)
    else:
        gold = tuple(map(str, answer)) if isinstance(answer, list) else (str(answer),)
    if name in ("Abs", "Del") and not before:
        gold = ()
    return Task(type=name, question=str(item["question"]), gold=gold, stale=item.get("stale"))
