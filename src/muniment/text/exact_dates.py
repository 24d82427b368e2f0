"""Calendar dates written out in full, as ISO 8601; exact keys, not a reading of time expressions.

Belongs here: dates that name their day (or Chinese year and month). Does not belong here: 'tomorrow', 上周末, ranges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from muniment.text.amounts import han_number
from muniment.text.folding import narrow
from muniment.text.timex_spellings import HAN_DIGITS, MONTH_WORD, MONTHS

_MONTH = "(?:" + "|".join(name.capitalize() for name in MONTH_WORD.split("|")) + ")"
_HAN = "[〇零一二三四五六七八九十]"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d.])(?P<y>(?:19|20)\d{2})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)(?!\.\d)",
        r"(?<!\d)(?P<y>(?:19|20)\d{2})\s?年\s?(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?[日号])?",
        r"(?<![\d年])(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]",
        rf"(?P<y>[一二]{_HAN}{{3}})年(?P<m>{_HAN}{{1,3}})月(?:(?P<d>{_HAN}{{1,3}})[日号])?",
        rf"(?<![年〇零一二三四五六七八九十\d])(?P<m>{_HAN}{{1,2}})月(?P<d>{_HAN}{{1,3}})[日号]",
        rf"(?<![A-Za-z])(?P<m>{_MONTH})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,?\s(?P<y>(?:19|20)\d{{2}})(?!\d))?",
        rf"(?<![\d:])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[\s-](?:of\s)?(?P<m>{_MONTH})(?![A-Za-z])(?:(?:,?\s|-)(?P<y>(?:19|20)\d{{2}})(?!\d))?",
        r"(?<![\d/.-])(?P<a>\d{1,2})[/](?P<b>\d{1,2})[/](?P<y>(?:19|20)\d{2})(?![\d/])",
    )
)


def exact_dates(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """(span, value): '2024-04-01'; '2024-04' where only the month is named; '--04-01' where no year is.

    03/04/2024 is ambiguous and gives nothing; 13/04/2024 is not.
    """
    plain = narrow(text)
    for pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            value = _iso(match.groupdict())
            if value:
                yield match.span(), value


def _iso(found: dict[str, str | None]) -> str | None:
    year = _number(found.get("y"))
    month, day = _number(found.get("m")), _number(found.get("d"))
    if "a" in found:
        first, second = _number(found["a"]) or 0, _number(found["b"]) or 0
        if first <= 12 and second <= 12:
            return None
        month, day = (second, first) if first > 12 else (first, second)
    if month is None or not 1 <= month <= 12 or (day is None and found.get("d")):
        return None
    if day is None:
        return None if year is None else f"{year:04d}-{month:02d}"
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return f"{year:04d}-{month:02d}-{day:02d}" if year else f"--{month:02d}-{day:02d}"


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if text.isdigit() and text.isascii():
        return int(text)
    if text[:3].lower() in MONTHS:
        return MONTHS[text[:3].lower()]
    if "十" in text:
        return han_number(text)
    return int("".join(str(HAN_DIGITS[char]) for char in text))
