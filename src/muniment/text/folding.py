"""Spellings that look alike, brought to one.

Belongs here: character-for-character folds that keep every offset, and one that drops characters and keeps a way back.
Does not belong here: what is then looked for.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.text.lexicon import lexicon

INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0001\U000e0020-\U000e007f]")
"""Characters that take no room on the page: soft hyphen, zero-width space and joiners, direction marks, tags."""

# Cyrillic and Greek letters drawn like a Latin one (a selection of Unicode's confusables.txt, UTS 39).
_ALIKE: Final = {
    "а": "a", "А": "A", "В": "B", "е": "e", "Е": "E", "ѕ": "s", "Ѕ": "S", "і": "i", "І": "I", "ј": "j", "Ј": "J",
    "К": "K", "М": "M", "Н": "H", "о": "o", "О": "O", "р": "p", "Р": "P", "с": "c", "С": "C", "Т": "T", "у": "y",
    "У": "Y", "х": "x", "Х": "X", "ԁ": "d", "һ": "h", "ԛ": "q", "ԝ": "w", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z",
    "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X", "ο": "o",
    "ν": "v", "ı": "i", "ɡ": "g", "ⅼ": "l",
}  # fmt: skip
_NO_ROOM: Final = frozenset({"Mn", "Me", "Cf", "Cc", "Cn", "Co"})
"""Unicode categories of what does not stand on the line by itself."""
_SPACES: Final = re.compile(r"\s{2,}|[^\S \n]")
_MIXED: Final = re.compile(f"[A-Za-z][{''.join(_ALIKE)}]|[{''.join(_ALIKE)}][A-Za-z]")

_DIGIT_ZEROS: Final = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6)


@cache
def _narrow_table() -> dict[int, int]:
    table = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    table |= dict.fromkeys((12288, 160, 8239, *range(8192, 8203)), 32)
    # Decimal digits of other scripts, and the mathematical ones: ten in a row each.
    table |= {start + digit: 0x30 + digit for start in _DIGIT_ZEROS for digit in range(10)}
    table |= {0x2044: 0x2F, 0x2215: 0x2F}
    table |= {0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D, 0x2212: 0x2D}
    return table


def narrow(text: str) -> str:
    """The text with full-width ASCII, digits of other scripts, wide and narrow spaces, typographic hyphens and slashes as
    plain ASCII; same length."""
    return text.translate(_narrow_table())


@dataclass(frozen=True, slots=True, kw_only=True)
class Unveiled:
    """Text as a reader sees it. `at(i)` is the offset in the original; `mixed` and `hidden` are original spans of words
    that mix scripts to look Latin, and of runs of invisible characters inside words."""

    text: str
    positions: tuple[int, ...] | None
    length: int
    mixed: tuple[tuple[int, int], ...] = ()
    hidden: tuple[tuple[int, int], ...] = ()

    def at(self, index: int) -> int:
        """The offset in the original text of an offset in this one; the end maps to the end."""
        if self.positions is None:
            return index
        return self.positions[index] if index < len(self.positions) else self.length


def unveil(text: str) -> Unveiled:
    """Folds width and look-alike letters inside Latin words, drops invisible characters, and brings each run of white
    space down to one character (a line feed where the run has one), keeping the way back."""
    seen = narrow(text)
    positions: tuple[int, ...] | None = None
    hidden = [item.span() for item in INVISIBLE.finditer(seen) if _inside_word(seen, item.start())]
    if INVISIBLE.search(seen) or _SPACES.search(seen):
        seen = _SPACES.sub(lambda run: ("\n" if "\n" in run[0] else " ") + "\u200b" * (len(run[0]) - 1), seen)
        kept = [index for index, char in enumerate(seen) if not INVISIBLE.match(char)]
        positions = tuple(kept)
        seen = "".join(seen[index] for index in kept)
    mixed = [item.span() for item in _MIXED.finditer(seen)]
    if mixed:
        seen = seen.translate({ord(alike): plain for alike, plain in _ALIKE.items()})
    folded = Unveiled(text=seen, positions=positions, length=len(text))
    spans = tuple((folded.at(start), folded.at(end - 1) + 1) for start, end in mixed)
    return Unveiled(text=seen, positions=positions, length=len(text), mixed=spans, hidden=tuple(hidden))


def _inside_word(text: str, index: int) -> bool:
    """Whether an invisible character stands between ASCII letters: joiners of emoji and of other scripts do real work,
    and editors leave some at the edges of words."""
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    return all(char.isascii() and char.isalpha() for char in (before, after)) and bool(before and after)


_UNSEEN: Final = re.compile(f"{INVISIBLE.pattern[:-1]}\ufe0f\u20e3]")
_ESCAPED: Final = re.compile(
    r"%(?P<percent>[2-7][0-9A-Fa-f])|\\u00(?P<unicode>[2-7][0-9A-Fa-f])|\\x(?P<hex>[2-7][0-9A-Fa-f])"
    r"|&#(?P<decimal>\d{2,3});|&#[xX](?P<entity>[2-7][0-9A-Fa-f]);|\\(?P<plain>[\"/])"
)
_SPELT: Final = re.compile("[〇零一二三四五六七八九幺]{11,}")
_SPELT_DIGITS: Final = str.maketrans("〇零一二三四五六七八九幺", "001234567891")


@cache
def _simplified() -> dict[int, int]:
    words = lexicon("traditional")
    return {ord(one): ord(other) for one, other in zip(words["traditional"], words["simplified"], strict=True)}


def plainly(text: str) -> Unveiled:
    """The text for detectors of numbers and keys: narrow, without what takes no room (zero-width characters, key caps), digits
    spelt in Chinese as digits where eleven or more stand together, traditional
    characters of the words looked for as simplified; every other character, line feeds too, where it stood."""
    seen = narrow(text)
    if not seen.isascii():
        seen = seen.translate(_simplified())
    if _SPELT.search(seen):
        seen = _SPELT.sub(lambda run: run[0].translate(_SPELT_DIGITS), seen)
    if not _UNSEEN.search(seen):
        return Unveiled(text=seen, positions=None, length=len(text))
    kept = [index for index, char in enumerate(seen) if not _UNSEEN.match(char)]
    return Unveiled(text="".join(seen[index] for index in kept), positions=tuple(kept), length=len(text))


def unescaped(view: Unveiled) -> Unveiled | None:
    """The same with printable ASCII that is escaped (percent, JSON, HTML) as itself; None where nothing is."""
    if not _ESCAPED.search(view.text):
        return None
    parts: list[str] = []
    positions: list[int] = []
    place = 0
    for match in _ESCAPED.finditer(view.text):
        char = _meant(match)
        if char is None:
            continue
        parts += [view.text[place : match.start()], char]
        positions += [view.at(index) for index in range(place, match.start())]
        positions.append(view.at(match.start()))
        place = match.end()
    parts.append(view.text[place:])
    positions += [view.at(index) for index in range(place, len(view.text))]
    return Unveiled(text="".join(parts), positions=tuple(positions), length=view.length)


def _meant(match: re.Match[str]) -> str | None:
    """The character an escape stands for, None where it is none that is printed."""
    if match["plain"]:
        return match["plain"]
    code = int(match["decimal"]) if match["decimal"] else int(next(filter(None, match.groups())), 16)
    return chr(code) if 0x20 <= code < 0x7F else None


def skeleton(text: str) -> tuple[str, list[int]]:
    """The text as it looks: compatibility forms, capitals and letters of other scripts drawn alike brought to plain small
    letters, whatever takes no room (marks, joiners, controls) left out; with the offset of each character in the original."""
    seen: list[str] = []
    positions: list[int] = []
    for index, char in enumerate(text):
        if char < "\x7f":
            found = char.lower()
        elif unicodedata.category(char) in _NO_ROOM:
            continue
        else:
            plain = unicodedata.normalize("NFKD", _ALIKE.get(char, char)).casefold()
            found = "".join(
                _ALIKE.get(part, part).lower() for part in plain if unicodedata.category(part) not in _NO_ROOM
            )
        seen.append(found)
        positions += [index] * len(found)
    return "".join(seen), positions
