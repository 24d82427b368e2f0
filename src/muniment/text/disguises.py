"""Orders in disguise: letters set apart, letters written as digits, words in a code that is undone before it is followed.

Only the disguise is looked at here, and what it hides where it can be undone with certainty: base64, escapes of characters and
the shifted alphabet are read for words of orders. A disguise around words that are none (a licence key, an image) is let pass.

Belongs here: finding such places in text that was unveiled (folding.py). Does not belong here: what the words mean.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.gate_features import concepts
from muniment.text.lexicon import lexicon

NEEDED: Final = 2
"""Words of orders, or concepts of them, from which something hidden counts."""
READ: Final = 4_000
"""Characters of one code that are undone."""

_APART: Final = re.compile(
    r"(?<![A-Za-z])(?:[A-Za-z][ .\-_*#]{1,3}){7,200}[A-Za-z](?![A-Za-z])"
    r"|(?<![\u4e00-\u9fff])(?:[\u4e00-\u9fff][ .\-_*#/|]){4,200}[\u4e00-\u9fff](?![\u4e00-\u9fff])"
)
_SEPARATORS: Final = re.compile(r"[ .\-_*#/|]")
_DIGITS: Final = str.maketrans("013457@$!", "oleastasi")
_NUMBER: Final = re.compile(r"[0-9A-Fa-f]+|[A-Za-z]{1,3}\d+")
_MIXED: Final = re.compile(
    r"(?<![\w@/.-])(?=[A-Za-z0-9@$!]{3,30}(?![\w@/-]))[A-Za-z0-9@$!]*(?:[A-Za-z][013457@$!]|[013457@$!][A-Za-z])"
    r"[A-Za-z0-9@$!]*"
)
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{16,4000}={0,2}(?![A-Za-z0-9+/=])")
_ESCAPES: Final = re.compile(r"(?:(?:\\u|U\+|&#x)[0-9A-Fa-f]{4,5};?\s?){2,400}")
_HEX: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2} ?){10,2000}(?![0-9A-Za-z])")
_WORDS: Final = re.compile(r"[A-Za-z]{4,20}")


def disguises(text: str) -> list[tuple[str, int, int]]:
    """(name, start, end) of each disguise in reading order. Never raises; linear in the text."""
    return sorted((*_apart(text), *_digits(text), *_coded(text), *_shifted(text)), key=lambda item: item[1:])


def _apart(text: str) -> Iterator[tuple[str, int, int]]:
    """Letters with something between each and the next: eight in a row are no initials."""
    for match in _APART.finditer(text):
        joined = _SEPARATORS.sub("", match[0])
        if len(set(joined.casefold())) >= 4 and not _is_row(joined):
            yield "apart", *match.span()


def _is_row(letters: str) -> bool:
    """Whether letters follow the alphabet, or repeat: a list of options is no word."""
    steps = [
        ord(after) - ord(before) for before, after in zip(letters.casefold(), letters.casefold()[1:], strict=False)
    ]
    return sum(step in (0, 1) for step in steps) >= len(steps) / 2


def _digits(text: str) -> Iterator[tuple[str, int, int]]:
    """Words with digits for letters that make words of orders; a number in base sixteen or one of a series (E5046) is no word."""
    mixed = [match for match in _MIXED.finditer(text) if not _NUMBER.fullmatch(match[0])]
    read = [(match, concepts(match[0].translate(_DIGITS))) for match in mixed]
    words = [match for match, said in read if set(said) - {"<number>"}]
    if len(words) >= NEEDED and any(_orders() & set(said) for _, said in read):
        yield "digits", words[0].start(), words[-1].end()


def _coded(text: str) -> Iterator[tuple[str, int, int]]:
    """Codes that hold readable words of orders."""
    for pattern, undo in ((_BASE64, _from_base64), (_HEX, _from_hex), (_ESCAPES, _from_escapes)):
        for match in pattern.finditer(text):
            hidden = undo(match[0][:READ])
            if len(_of_orders(hidden)) >= (1 if pattern is _ESCAPES else NEEDED):
                yield "code", *match.span()


def _from_base64(code: str) -> str:
    try:
        return base64.b64decode(code + "=" * (-len(code) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _from_hex(code: str) -> str:
    try:
        return bytes.fromhex(code).decode("utf-8")
    except ValueError:
        return ""


def _from_escapes(code: str) -> str:
    numbers = (int(digits, 16) for digits in re.findall(r"[0-9A-Fa-f]{4,5}", code))
    return "".join(chr(number) for number in numbers if not 0xD800 <= number < 0xE000 and number <= 0x10FFFF)


def _shifted(text: str) -> Iterator[tuple[str, int, int]]:
    """Words of orders in the alphabet shifted by thirteen."""
    found = [match for match in _WORDS.finditer(text) if match[0].casefold() in _shifted_words()]
    if len(found) >= NEEDED:
        yield "shifted", found[0].start(), found[-1].end()


def _of_orders(text: str) -> set[str]:
    return set(concepts(text)) & _orders()


@cache
def _orders() -> frozenset[str]:
    """The concepts that orders are about."""
    return frozenset(lexicon("disguises")["orders"])


@cache
def _shifted_words() -> frozenset[str]:
    """Words that orders are made of, shifted; none of them is a word as it stands."""
    return frozenset(codecs.encode(word, "rot13") for word in lexicon("disguises")["words"])
