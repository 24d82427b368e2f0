"""Which of two versions of a thing is the later, where that can be read off them.

    whole numbers and dotted ones (7 < 12, 1.9 < 1.10), also as v2 or 版本3; with a pre-release as semver has it
    (2.0.0-rc.1 < 2.0.0); dates and instants in ISO form (2026-01-31 < 2026-02-01T08:00Z), also 2026年1月31日

Belongs here: the comparison. Does not belong here: what is done where it says nothing (ingestion/documents).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from muniment.text.folding import narrow

_PREFIX: Final = re.compile(r"^(?:version|ver|revision|rev|release|v|r|版本|版次|第)[\s.:：]*(?=\d)", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"(?<=\d)\s*(?:版本|版|稿)$")
_NUMBERS: Final = re.compile(r"(\d{1,30}(?:\.\d{1,30}){0,9})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?|年(\d{1,2})月(?:(\d{1,2})日)?|/(\d{1,2})/(\d{1,2}))")

Parts = tuple[tuple[int, int, str], ...]


def compare(one: str, other: str) -> int | None:
    """-1, 0 or 1 as the first is earlier, the same or later; None where the two cannot be compared."""
    first, second = _spelt(one), _spelt(other)
    if first == second:
        return 0
    for read in (_instant, _numbers):
        left, right = read(first), read(second)
        if left is not None and right is not None:
            return (left > right) - (left < right)  # type: ignore[operator]
        if left is not None or right is not None:
            return None
    return None


def _spelt(text: str) -> str:
    plain = narrow(text).strip()
    return _SUFFIX.sub("", _PREFIX.sub("", plain)).strip()


def _instant(text: str) -> datetime | None:
    """The instant of a date, a month's first day, or an ISO date and time; without an offset, in UTC."""
    date = _DATE.fullmatch(text)
    try:
        if date is not None:
            year, month, day, *others = date.groups()
            month = month or others[0] or others[2]
            day = day or others[1] or others[3] or "1"
            return datetime(int(year), int(month), int(day), tzinfo=UTC)
        if not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}", text):
            return None
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _numbers(text: str) -> tuple[Parts, int, Parts] | None:
    """Numbers, then whether it is a release, then the pre-release's parts: numbers before words, as semver has it."""
    found = _NUMBERS.fullmatch(text)
    if found is None:
        return None
    numbers = [int(part) for part in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    before = tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in (found[2] or "").split(".") if part
    )
    return tuple((0, number, "") for number in numbers), int(not before), before
