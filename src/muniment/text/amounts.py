"""Amounts of money in English and Chinese, as '<decimal> <ISO 4217 code>'.

Belongs here: digits and Chinese numerals with a currency, and the bare '3万' of Chinese talk. Does not belong here:
numbers of other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

_DIGITS: Final = (
    r"(?:\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,2})?(?![.,]?\d)|\d{1,3}(?:['’\u202f]\d{3}){1,5}(?:[.,]\d{1,2})?|"
    r"\d{1,7},\d{2}(?![.,]?\d)|(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,15})(?:\.\d{1,4})?)"
)
"""A number as English and as much of Europe write it: 5,000.50, 5.000,50, 5'000.50 and 5000,50 are one amount."""
_SCALE_CLOSE: Final = r"(?:\s?(?:thousand|million|billion|bn|mn|[kKmMbB])(?![A-Za-z])|[十百千]?[万亿萬億]|千)?"
_SCALE_APART: Final = r"(?:\s?(?:thousand|million|billion|k)(?=\s)|[十百千]?[万亿萬億]|[百千])?"
_END: Final = r"(?=$|[\s,，。；;！!？?、)）~]|左右|以内|以上|以下|上下|吧|的预算|预算)"
"""What may follow a bare '3万' for it to be money; a measure word or noun makes it something else."""
_NUMERAL: Final = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SHORT: Final = dict.fromkeys("元块圆", "CNY")
_PLACES: Final = {"十": 10, "百": 100, "千": 1000}


@cache
def _pattern() -> re.Pattern[str]:
    """One scanner for all spellings; compiled on first use."""
    money = lexicon("money")
    latin = [unit for unit in money["units"] if unit.isascii()] + money["codes"]
    han = [unit for unit in money["units"] if not unit.isascii()]
    words = rf"(?i:{_either(latin)})(?![A-Za-z])"
    # 元, 圆 and 块 also begin other words (元素, 圆形, 块状): only where none follows.
    han_units = rf"(?:{_either(han)}|元(?![素件旦月年音宵宝])|圆(?!形)|块(?![\u4e00-\u9fff])|块(?=左右|以内|以上|以下))"
    symbols, codes = _either(list(money["symbols"])), _either(money["codes"])
    more = "[零一二两三四五六七八九十百千]"
    return re.compile(
        rf"(?<![A-Za-z])(?P<symbol>{symbols})\s?(?P<n1>{_DIGITS})(?P<s1>{_SCALE_CLOSE})(?!\d)(?:\s?(?:元|美元|dollars?))?"
        rf"|(?<![A-Za-z])(?P<code>(?i:{codes}))\s?(?P<n2>{_DIGITS})(?P<s2>{_SCALE_CLOSE})(?!\d)"
        rf"|(?<![\dA-Za-z.,])(?P<n3>{_DIGITS})(?P<s3>{_SCALE_APART})\s?(?P<unit3>{han_units}|{words})"
        rf"|(?<![\dA-Za-z.,])(?P<n4>{_DIGITS})(?P<s4>[十百千]?[万亿]){_END}"
        rf"|(?P<n5>[一二两三四五六七八九十百][零〇一二两三四五六七八九十百千万亿]{{0,14}})(?P<unit5>{han_units})"
        rf"|(?P<n6>[一二两三四五六七八九]{more}{{0,6}}[万亿]{more}{{0,6}}){_END}"
    )


def _either(words: list[str]) -> str:
    """The words as alternatives, longest first, so that none hides one it begins."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def amounts(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """(span, value) of each amount: '8000元' and '¥8,000' give '8000 CNY', '$1.2M' '1200000 USD', a bare '3万' '30000
    CNY'."""
    plain = narrow(text)
    for match in _pattern().finditer(plain):
        value = _value(match)
        if value is not None:
            yield match.span(), value


def _value(match: re.Match[str]) -> str | None:
    found = match.groupdict()
    if found["symbol"]:
        return _money(found["n1"], found["s1"], lexicon("money")["symbols"][found["symbol"]])
    if found["code"]:
        return _money(found["n2"], found["s2"], found["code"].upper())
    if found["n3"]:
        return _money(found["n3"], found["s3"], found["unit3"])
    if found["n4"]:
        return _money(found["n4"], found["s4"], "CNY")
    numeral = found["n5"] or found["n6"]
    value = han_number(numeral)
    return None if value is None else _money(str(value), "", found["unit5"] or "CNY")


def _money(number: str, scale: str | None, unit: str) -> str:
    money = lexicon("money")
    value = Decimal(plain_number(number))
    if scale and scale.strip():
        value = value.scaleb(money["scales"][scale.strip().lower()])
    code = _SHORT.get(unit) or money["units"].get(unit.lower(), unit.upper())
    plain = format(value.normalize(), "f")
    return f"{plain} {'CNY' if code == 'RMB' else code}"


def plain_number(number: str) -> str:
    """A number's digits with '.' before its decimals, if it has any: '5.000,50' is '5000.50', '1,200' is '1200'."""
    number = re.sub("['’\u202f]", "", number)
    decimals = re.fullmatch(r"(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?", number)
    if decimals is not None:
        whole = decimals[1].replace(".", "")
        return f"{whole}.{decimals[2]}" if decimals[2] else whole
    return number.replace(",", "")


_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD: Final[dict[str, int]] = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
_POWERS: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SPELT: Final = re.compile(
    rf"\b(?:(?:{'|'.join([*_WORD, *_POWERS])}|an?(?= (?:hundred|thousand|million))|and)(?:[ -]|\b))+", re.IGNORECASE
)


def english_number(text: str) -> tuple[tuple[int, int], int] | None:
    """(span, value) of the first whole number in English words of a hundred or more ('five thousand', 'two hundred and fifty'),
    or None. Smaller ones count things of every kind."""
    for match in _SPELT.finditer(text):
        words = [word for word in re.split(r"[ -]+", match[0].lower().strip(" -")) if word and word != "and"]
        if not any(word in _POWERS for word in words):
            continue
        total = section = 0
        for word in words:
            if word in ("a", "an"):
                section += 1
            elif word in _WORD:
                section += _WORD[word]
            elif word == "hundred":
                section = (section or 1) * 100
            else:
                total, section = total + (section or 1) * _POWERS[word], 0
        return match.span(), total + section
    return None


def han_number(text: str) -> int | None:
    """The value of a Chinese numeral ('三万五千' is 35 000, the colloquial '三万五' too), or None if it is not one."""
    total = section = digit = 0
    last = 1
    for char in text:
        if char in _NUMERAL:
            digit = _NUMERAL[char]
            last = 1 if digit == 0 else last
        elif char in _PLACES:
            section += (digit or 1) * _PLACES[char]
            digit, last = 0, _PLACES[char]
        elif char in "万亿":
            unit = 10_000 if char == "万" else 100_000_000
            total = (
                (total + section + digit) * unit if char == "亿" or total < 10_000 else total + (section + digit) * unit
            )
            section, digit, last = 0, 0, unit
        else:
            return None
    if digit and last > 10 and text[-2:-1] in "百千万亿":
        digit *= last // 10
    return total + section + digit
