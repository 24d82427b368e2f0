"""The words and digits that dates are made of, for every reader of dates: months, weekdays, counts, years.

Belongs here: fragments of patterns, and the numbers they mean. Does not belong here: whole dates (`timex_digits`,
`timex_english`, `timex_chinese`, `exact_dates`, `clock_times`).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.text.amounts import han_number

MONTHS: Final = {
    name: place
    for place, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
"""English months by their first three letters."""
MONTH_WORD: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)"
    "?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
MONTH: Final = rf"(?P<month>{MONTH_WORD})\.?"
WEEKDAYS: Final = {name: place for place, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
"""English weekdays by their first three letters; Monday is 0."""
WEEKDAY: Final = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?![a-z'])"
FULL_WEEKDAY: Final = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day(?![a-z])"
HAN_WEEKDAYS: Final = (
    {char: place for place, char in enumerate("一二三四五六日")}
    | {"天": 6}
    | {str(place + 1): place for place in range(7)}
)

_ONES: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINAL_ONES: Final = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_WORDS: Final = (
    {word: value for value, word in enumerate(_ONES)}
    | {word: 10 * place for place, word in enumerate(_TENS, start=2)}
    | {word: value for value, word in enumerate(_ORDINAL_ONES, start=1)}
    | {"twentieth": 20, "thirtieth": 30, "a": 1, "an": 1, "couple": 2, "few": 3, "several": 3}
)

_DIGIT = "(?:" + "|".join(_ONES[1:10]) + ")"
_UNTIL_20 = "(?:" + "|".join(sorted(_ONES[1:], key=len, reverse=True)) + ")"
_TEENS = "(?:" + "|".join(_ONES[10:]) + ")"
_TENS_WORDS = "(?:" + "|".join(_TENS) + ")"
NUMBER_WORD: Final = rf"(?:{_TENS_WORDS}[\s-]{_DIGIT}\b|{_TENS_WORDS}|{_UNTIL_20})"
"""One to ninety-nine in English words."""
DAY_CARDINAL: Final = rf"(?:(?:twenty|thirty)[\s-]{_DIGIT}\b|twenty|thirty|{_TEENS})(?![a-z])"
"""Days of a month as cardinal words: 'May twenty nine'."""
COUNT: Final = rf"(?P<count>\d{{1,3}}|an?\s+(?:couple|few)|couple|few|several|an?(?![a-z])|{NUMBER_WORD})"
ORDINAL_WORD: Final = (
    r"(?:(?:twenty|thirty)[\s-](?:"
    + "|".join(_ORDINAL_ONES[:9])
    + ")|twentieth|thirtieth|"
    + "|".join(sorted(_ORDINAL_ONES, key=len, reverse=True))
    + r")(?![a-z])"
)
DAY: Final = r"(?P<day>(?:0?[1-9]|[12]\d|3[01])(?!\d)(?:\s?(?:st|nd|rd|th)(?![a-z]))?)"
YEAR: Final = r"(?P<year>(?:1[0-9]|2[01])\d\d)"
YEAR_WORDS: Final = (
    rf"(?P<yearwords>(?:eighteen|nineteen|twenty)[\s-](?:hundred(?:[\s-]+(?:and\s+)?{NUMBER_WORD})"
    rf"?|oh?[\s-]{_DIGIT}\b|{_TENS_WORDS}[\s-]{_DIGIT}\b|{_TENS_WORDS}|{_TEENS})|"
    rf"two\s+thousand(?:\s+(?:and\s+)?{NUMBER_WORD})?)(?![a-z-])"
)
HAN_NUMBER: Final = r"(?:\d{1,3}|[零〇一二两三四五六七八九十百]{1,4})"
HAN_MONTH: Final = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月"
HAN_DAY: Final = (
    r"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|二十|[一二三四五六七八九])\s?[日号號]"
)
HAN_YEAR: Final = r"(?P<year>[12]\d{3}|[一二][〇零○一二三四五六七八九]{3}|[0-9〇零一二三四五六七八九]{2})"
HAN_DIGITS: Final = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}


def number(word: str) -> int:
    """A number in digits, English words or ordinals, or Chinese numerals. Raises `ValueError`."""
    word = re.sub(r"(?<=\d)\s?(?:st|nd|rd|th)$", "", word.strip().lower())
    if word.isascii() and word.isdigit():
        return int(word)
    if word.isascii():
        total = 0
        for part in re.split(r"[\s-]+", re.sub(r"^an?\s+(?=couple|few)", "", word)):
            total += _WORDS[part] if part in _WORDS else _unknown(word)
        return total
    value = (
        3
        if word in ("几", "幾", "数")
        else 2
        if word in ("两", "兩", "俩")
        else 0.5
        if word == "半"
        else han_number(word)
    )
    return int(value) if value is not None and value >= 1 else _unknown(word)


def _unknown(word: str) -> int:
    raise ValueError(word)


def vague(word: str) -> bool:
    """Whether a count names no number: 'a few', 'several', 几."""
    return word.strip().lower().removeprefix("a ") in ("few", "several", "couple", "几", "幾", "数")


def month_of(word: str) -> int:
    """A month by its English name, or in digits or Chinese numerals. Raises `ValueError` outside 1..12."""
    value = MONTHS.get(word[:3].lower()) or number(word)
    return value if 1 <= value <= 12 else _unknown(word)


def year_in_words(words: str) -> int:
    """'nineteen seventy two', 'two thousand ten', 'twenty oh five'. Raises `ValueError`."""
    parts = re.split(r"[\s-]+", words.strip().lower())
    if parts[:2] == ["two", "thousand"]:
        rest = [part for part in parts[2:] if part != "and"]
        return 2000 + (number(" ".join(rest)) if rest else 0)
    rest = [part for part in parts[1:] if part not in ("hundred", "o", "oh", "and")]
    return 100 * number(parts[0]) + (number(" ".join(rest)) if rest else 0)


def short_year(value: int, now_year: int | None) -> int:
    """A year of two digits: in this century unless that lies more than twenty years ahead (POSIX's pivot without a year)."""
    if value > 99:
        return value
    return (
        2000 + value
        if value <= ((now_year or 2048) - 2000 + 20 if 2000 <= (now_year or 2048) < 2100 else 68)
        else 1900 + value
    )


def han_year(word: str, now_year: int | None) -> int:
    """2024, 24, 二零二四 or 零八 as a year. Raises `ValueError`."""
    digits = "".join(
        char if char.isascii() else str(HAN_DIGITS[char]) for char in word if char.isascii() or char in HAN_DIGITS
    )
    if len(digits) != len(word):
        _unknown(word)
    return int(digits) if len(digits) == 4 else short_year(int(digits), now_year)
