"""Kind `temporal`: are time expressions resolved to exactly the range the reference gives?

A distinct text with its reference time counts once, and is right when each phrase to which the reference gives a date or a
range of dates or instants is. A phrase is right when the resolver's own first reading of it, as a half-open range of civil
time, starts and ends where one of the reference's readings does; `_accepted` says how ends that a data set writes as the
last day or microsecond are taken. Texts without any time expression must be given none.

Belongs here: the course of the suite and its figures. Does not belong here: reading time expressions (`text.timex`), tables.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import EllipsisType
from typing import Any, Final

from muniment.domain.errors import InvalidInput
from muniment.domain.time import Moment
from muniment.evaluation.options import Run
from muniment.text.language import language
from muniment.text.timex import TimeExpression, time_expressions
from muniment.text.timex_other import names_other_dates

Range = tuple[datetime | None, datetime | EllipsisType | None]
"""A half-open range; an end of `...` leaves it open how long an instant is."""

_MEASURED: Final = ("date", "daterange", "datetime", "datetimerange")
_UNDATED: Final = Moment(at=datetime(2020, 6, 17, 12, tzinfo=UTC))
"""When a text without a reference time is taken to be said; used only where no date must be found."""
_PARTED: Final = re.compile(
    r"\b(?:to|until|till|til|through|thru|and|between)\b|\d\s*[-–—~]\s*\w|[-–—~到至]|和|与", re.IGNORECASE
)
"""A phrase that names both ends; the reference writes the last one by its first day, and leaves whether it is included to
the reader. Here it is."""
_OTHER_QUESTIONS: Final = {
    "DateTimeModelTasksMode": "the first instant for a reminder, not the range named",
    "DateTimeModelSplitDateAndTime": "date and time of day parted on purpose",
}
_LUNAR: Final = re.compile(
    "农历|阴历|大年|正月|腊月|月初[一二三四五六七八九十]|中秋|端午|重阳|春节|除夕|元宵|七夕|中元|腊八"
)
"""Days of the Chinese calendar, which the reference reads as if its months were those of the common one."""
_KANA: Final = re.compile("[\u3041-\u30ff]")
_LAST: Final = timedelta(microseconds=1)


@dataclass(slots=True)
class _Text:
    """A distinct text with its reference time, and for each phrase (by where it starts) the ranges that are right."""

    lang: str
    kinds: set[str] = field(default_factory=set)
    phrases: dict[tuple[int, str], set[Range]] = field(default_factory=dict)
    bare: bool = True


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split among the records, in their order. Raises `InvalidInput` for malformed ones."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        if run.options.split is None or record.get("split") == run.options.split:
            groups.setdefault((str(record.get("dataset", "temporal")), str(record.get("split", "all"))), []).append(
                record
            )
    return [_figures(name, split, rows[: run.options.limit]) for (name, split), rows in groups.items()]


def _figures(dataset: str, split: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What one dataset came to."""
    texts, skipped = _distinct(rows)
    spent, tally, kinds = 0.0, Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (text, ref), item in texts.items():
        said = Moment(at=datetime.fromisoformat(ref).replace(tzinfo=UTC)) if ref else None
        began = time.process_time()
        found = time_expressions(text, said or (_UNDATED if item.bare else None))
        spent += time.process_time() - began
        if item.bare:
            tally[item.lang, "none"] += 1
            tally[item.lang, "given"] += any(one.resolved for one in found)
            continue
        right = all(_is_right(found, place, readings) for place, readings in item.phrases.items())
        kind = next(iter(item.kinds)) if len(item.kinds) == 1 else "several"
        for name in ("n", *(("right",) if right else ())):
            tally[item.lang, name] += 1
            kinds[kind, name] += 1
    languages = {lang: _row(tally, lang) for lang in sorted({lang for lang, _ in tally})}
    return {
        "kind": "temporal",
        "dataset": dataset,
        "split": split,
        "n": len(texts),
        "by_language": languages,
        "by_kind": {kind: _row(kinds, kind) for kind in sorted({kind for kind, _ in kinds})},
        "skipped": dict(sorted(skipped.items())),
        "ms_per_text": round(1000 * spent / max(1, len(texts)), 3),
    }


def _row(tally: Counter[tuple[str, str]], name: str) -> dict[str, Any]:
    counts = {figure: tally[name, figure] for figure in ("n", "right", "none", "given")}
    exact = counts["right"] / counts["n"] if counts["n"] else None
    false = counts["given"] / counts["none"] if counts["none"] else None
    return counts | {"exact": exact, "none_given": false}


def _is_right(found: Sequence[TimeExpression], place: tuple[int, str], readings: set[Range]) -> bool:
    start, phrase = place
    for item in found:
        if start < 0 or (item.span[0] < start + len(phrase) and start < item.span[1]):
            got = tuple(None if at is None else at.replace(tzinfo=None) for at in (item.start, item.end))
            if any(got[0] == first and (last is Ellipsis or got[1] == last) for first, last in readings):
                return True
    return False


def _distinct(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[tuple[str, str | None], _Text], Counter[str]]:
    """The texts that can be measured, and how many phrases were passed over, by the reason."""
    texts: dict[tuple[str, str | None], _Text] = {}
    skipped = Counter[str]()
    for row in rows:
        text, ref = row.get("text"), row.get("ref")
        if not isinstance(text, str) or not isinstance(ref, str | None):
            raise InvalidInput(f"a temporal record needs a text and a reference time: {row.get('id')!r}")
        phrases = list(_phrases(row, skipped))
        if not phrases and row.get("expected"):
            continue
        key = (text, ref)
        item = texts.setdefault(key, _Text(lang=_language(text, row.get("lang"))))
        for kind, place, readings in phrases:
            item.bare = False
            item.kinds.add(kind)
            item.phrases.setdefault(place, set()).update(readings)
    return texts, skipped


def _language(text: str, said: object) -> str:
    """'en' or 'zh' as the record says, else by the text; 'other' where it dates in another language."""
    if _KANA.search(text):
        return "other"
    if said in ("en", "zh"):
        return str(said)
    return "zh" if language(text) == "zh" else "other" if names_other_dates(text) else "en"


def _phrases(row: Mapping[str, Any], skipped: Counter[str]) -> Iterator[tuple[str, tuple[int, str], set[Range]]]:
    """(kind, where it starts and what it is, the ranges that are right) for each phrase with a reference."""
    expected = row.get("expected") or []
    if expected and isinstance(expected[0], str):
        yield "daterange", (-1, ""), {(_naive(expected[0]), _after(_naive(expected[1])))}
        return
    for item in expected:
        kind = str(item.get("type", "")).removeprefix("datetimeV2.")
        given = item.get("value") or item.get("resolution")
        if kind not in _MEASURED:
            skipped[f"{kind}: not a date or a range"] += 1
        elif not given:
            skipped["no reference given"] += 1
        elif row.get("spec") in _OTHER_QUESTIONS:
            skipped[_OTHER_QUESTIONS[row["spec"]]] += 1
        elif _LUNAR.search(str(item["text"])):
            skipped["a day of the Chinese calendar, given as one of the common calendar"] += 1
        else:
            readings = {reading for value in _values(given) for reading in _accepted(value, kind, str(item["text"]))}
            if readings:
                yield kind, (int(item.get("start", -1)), str(item["text"])), readings
            else:
                skipped["no such date, or no range given"] += 1


def _values(given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The readings of a phrase, each with `value`, or with `start` and `end`."""
    if "values" in given:
        yield from given["values"]
        return
    for name in ("FutureResolution", "PastResolution"):
        reading = {key.lower(): value for key, value in (given.get(name) or {}).items()}
        start, end = (
            next((reading[key] for key in reading if key.startswith(edge)), None) for edge in ("start", "end")
        )
        single = reading.get("date") or reading.get("datetime")
        yield {"timex": given.get("Timex"), "Mod": given.get("Mod"), "value": single, "start": start, "end": end}


def _accepted(value: Mapping[str, Any], kind: str, phrase: str) -> Iterator[Range]:
    """The half-open ranges that are right for one reading.

    A date is its day; an instant is right by its start. 23:59:59 as an end is the midnight after. Where the phrase names both
    ends, the last day, month or year named is included. 'Until' a day includes it; 'after' a day begins with or after it.
    """
    if value.get("value"):
        try:
            start = _naive(value["value"])
        except ValueError:
            return
        if start.year > 1:
            yield start, (start + timedelta(days=1) if kind == "date" else ...)
        return
    try:
        first, last = (_naive(value[edge]) if value.get(edge) else None for edge in ("start", "end"))
    except ValueError:
        return
    if first is None and last is None:
        return
    mod = value.get("Mod") or ""
    ends = [None if last is None else _after(last)]
    if last is not None and (mod == "until" or _PARTED.search(phrase)):
        ends += [end for end in _with_last(last) if kind == "daterange"]
    starts = [first]
    if mod == "after" and first is not None:
        starts.append(first + timedelta(days=1))
    yield from ((start, end) for start in starts for end in ends if start is None or end is None or start < end)


def _with_last(last: datetime) -> Iterator[datetime]:
    """The ends of the day, week, month and year that begin at `last`."""
    yield last + timedelta(days=1)
    if last.weekday() == 0:
        yield last + timedelta(days=7)
    if last.day == 1:
        yield (last + timedelta(days=31)).replace(day=1)
        if last.month == 1:
            yield last.replace(year=last.year + 1)


def _naive(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _after(last: datetime) -> datetime:
    """The half-open end for an end that is written as the last microsecond or second of a day."""
    if (last.hour, last.minute, last.second) != (23, 59, 59):
        return last
    try:
        return last.replace(microsecond=999_999) + _LAST
    except OverflowError:  # the last day of the calendar
        return last.replace(microsecond=999_999)
