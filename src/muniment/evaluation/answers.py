"""Whether a context gives what an agent needs to answer a question about things that depend on each other.

Judged is the text of the context as an agent would read it, line by line. A line *tells of the past* where it says so
(previously, until, 此前 …) and *doubts* where it says that something is not known or not supported any more; the words are
below. A conditional line ('if X changes, …') states nothing.

Belongs here: the rules of each task type. Does not belong here: asking (`dependency`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from muniment.evaluation.episodes import Task

_PAST: Final = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|earlier|until|history|historical|superseded|replaced|no longer|ended|outdated)\b"
    r"|此前|之前|以前|曾|原先|先前|截至|历史|已被取代|不再|过去",
    re.IGNORECASE,
)
_DOUBT: Final = re.compile(
    r"\b(?:not known|unknown|uncertain|unsure|unsupported|not supported|not sure|no longer (?:known|sure|supported|certain)|"
    r"may (?:no longer|not) hold|unconfirmed|needs? revalidation)\b|未知|不确定|不明|无法确定|不再(?:成立|有依据)|待核实"
    r"|失去依据",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"\bif\b.{1,200}\b(?:will|would|becomes?)\b|(?:如果|要是|若|一旦).{1,100}(?:就|则|会|将|那么)", re.IGNORECASE
)


def answered(task: Task, text: str, *, before: bool) -> bool:
    """Whether the context answers the task: Cas, Ctl and everything asked before the change: the value is stated, and the
    stale one only on lines that tell of the past; Abs: a line says that it is not known, with the previous value, and no line
    states that value; Del: the value is nowhere; Tr: all values, their first mentions in order of time; Agg: all values;
    ER: verbatim, to the character."""
    if task.type == "ER":
        return task.gold[0] in text
    lines = text.splitlines()
    if task.type in ("Agg", "Tr"):
        return _in_order(task.gold, text) if task.type == "Tr" else all(_states(lines, value) for value in task.gold)
    if before or task.type in ("Cas", "Ctl"):
        gone = task.stale is None or not _states(lines, task.stale)
        return all(_states(lines, value) for value in task.gold) and gone
    if task.stale is None:
        return False
    if task.type == "Del":
        return not _mentions(text, task.stale)
    doubted = any(_mentions(line, task.stale) and _DOUBT.search(line) for line in lines)
    return doubted and not _states(lines, task.stale)


def _states(lines: Sequence[str], value: str) -> bool:
    """Whether a line states the value for now: one that has it and neither tells of the past, doubts it nor supposes it."""
    return any(_mentions(line, value) and not any(mark.search(line) for mark in (_PAST, _DOUBT, _IF)) for line in lines)


def _mentions(text: str, value: str) -> bool:
    """Whether the value stands there as a whole: 'Lark 3' is not in 'Lark 31'."""
    return bool(_whole(value).search(text))


def _in_order(values: Sequence[str], text: str) -> bool:
    first = [match.start() for value in values if (match := _whole(value).search(text))]
    return len(first) == len(values) and first == sorted(first)


def _whole(value: str) -> re.Pattern[str]:
    start = r"(?<![A-Za-z\d])" if re.match(r"[A-Za-z\d]", value) else ""
    end = r"(?![A-Za-z\d])" if re.search(r"[A-Za-z\d]\Z", value) else ""
    return re.compile(start + r"\s+".join(map(re.escape, value.split())) + end, re.IGNORECASE)
