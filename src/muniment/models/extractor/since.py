"""Since when something holds that is said to have lasted so long: 'I've been living in Bern for three years', 我在北京住了三年了.

Belongs here: that. Does not belong here: time expressions (`text/timex`), what holds (the readers).
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from muniment.models.extractor.units import Unit
from muniment.text.language import Language
from muniment.text.timex_spellings import number

_COUNT_EN: Final = {
    word: value
    for value, word in enumerate(
        ["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
} | {"an": 1, "one": 1, "fifteen": 15, "twenty": 20, "thirty": 30}
_LASTS: Final[dict[Language, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:have|has|'ve|'s)\s(?:\w+\s){0,2}?(?:been|lived|worked|owned|had|studied|played|used|known|driven)\b.*?"
        r"\bfor (?:about |over |almost |nearly |more than |around |the (?:last|past) )?"
        r"(?P<count>\d{1,2}|[a-z]+) (?P<unit>year|month|week|day)s?\b(?! old)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:住|待|呆|工作|干|做|用|养|学|生活|上班|练|开|当)了?(?:快|差不多|大概|将近|已经)?"
        r"(?P<count>\d{1,2}|[一二两三四五六七八九十]{1,3})(?P<unit>年|个月|周|个?星期|天)多?了"
    ),
}
_MONTHS: Final = {"year": 12, "month": 1, "年": 12, "个月": 1}
_DAYS: Final = {"week": 7, "day": 1, "周": 7, "星期": 7, "个星期": 7, "天": 1}


def lasting_since(unit: Unit) -> datetime | None:
    """The civil day on which it began, as an instant; None where no length is told, or it is not known when it was said."""
    match = _LASTS[unit.words.language].search(unit.view)
    if match is None or unit.occurred is None:
        return None
    said = match["count"].lower()
    count = _COUNT_EN.get(said) or (
        int(said) if said.isdigit() else number(said) if unit.words.language == "zh" else None
    )
    if not count:
        return None
    day = unit.occurred.local().replace(hour=0, minute=0, second=0, microsecond=0)
    kind = match["unit"].lower()
    if kind in _DAYS:
        return (day - timedelta(days=count * _DAYS[kind])).astimezone(unit.occurred.at.tzinfo)
    months = day.year * 12 + day.month - 1 - count * _MONTHS[kind]
    first = day.replace(year=months // 12, month=months % 12 + 1, day=min(day.day, 28))
    return first.astimezone(unit.occurred.at.tzinfo)
