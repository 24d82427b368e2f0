"""Cutting a document into passages that can be cited: whole sentences, under their headings, with their place in the text.

Where a passage ends depends on the words around it and not on how far down it stands, so that an edit changes the passages near
it and leaves the others as they were: a new version of a document shares them with the old one.

Belongs here: the cut, headings and fragments. Does not belong here: what becomes of passages (ingestion/documents), chunks for
embedding (`passages`).
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.text.lexicon import lexicon
from muniment.text.passages import PASSAGE_CHARS

LEAST_CHARS: Final = 400
"""A passage this long may end where its words say so."""
LONGEST_SENTENCE: Final = 4_000
"""Characters over which a sentence is cut after all: what long is no sentence but a table or a line of data."""
PATH_CHARS: Final = 200
"""Characters of a heading path in a locator."""
JOINT: Final = " › "

_ATX: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_FENCE: Final = re.compile(r" {0,3}(```+|~~~+)")
_ENDS: Final = re.compile(
    r"[。！？]+[\"'”’»」』）)\]]*"
    r"|[.!?…]+[\"'”’»)\]]*(?=\s|$)"
    r"|\n(?=[ \t]*(?:[-*+•|>]|\d{1,3}[.)、．])[ \t])"
)
_WORD: Final = re.compile(r"[^\s(\[\"'“‘]+$")
_LATER: Final = (re.compile(r"\n"), re.compile(r"[，、；,;:：]|\s"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A passage of a document: `text[start:end]`, the headings it stands under, and those of them that it does not hold."""

    start: int
    end: int
    path: tuple[str, ...] = ()
    above: tuple[str, ...] = ()

    @property
    def fragment(self) -> str:
        """Where it stands, as the part of a locator behind '#': its headings and its range of characters."""
        place = f"{self.start}-{self.end}"
        path = "/".join(self.path)
        return f"{path[-PATH_CHARS:]}:{place}" if path else place


@dataclass(slots=True)
class _Unit:
    """What is never cut: a heading, a paragraph, or a sentence of a long one."""

    start: int
    end: int
    path: tuple[str, ...]
    section: int
    heading: bool = False
    closes: bool = True


def passages(text: str, *, whole: Sequence[tuple[int, int]] = ()) -> list[Piece]:
    """The passages of a text, in order; between them is nothing but white space. None cuts a sentence, a character, or one of
    the spans `whole`. Each has about `PASSAGE_CHARS` characters at most, unless one sentence has more."""
    found: list[Piece] = []
    current: list[_Unit] = []
    for unit in _joined(list(_units(text)), sorted(whole)):
        bare = all(item.heading for item in current)
        if current and not bare:
            elsewhere = unit.section != current[-1].section
            if elsewhere or unit.end - current[0].start > PASSAGE_CHARS or _ends(text, current):
                found += _piece(text, current)
                current = []
        current.append(unit)
    return found + _piece(text, current)


def _ends(text: str, units: Sequence[_Unit]) -> bool:
    """Whether a passage ends here by its own last words."""
    last = units[-1]
    if last.end - units[0].start < LEAST_CHARS:
        return False
    words = zlib.crc32(text[last.start : last.end].strip().encode("utf-8", "surrogatepass"))
    return words % (2 if last.closes else 4) == 0


def _piece(text: str, units: Sequence[_Unit]) -> list[Piece]:
    if not units:
        return []
    start, end = units[0].start, units[-1].end
    words = text[start:end]
    if not words.strip():
        return []
    start, end = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
    path = units[-1].path
    held = sum(unit.heading for unit in units)
    return [Piece(start=start, end=end, path=path, above=path[: max(0, len(path) - held)])]


def _joined(units: Sequence[_Unit], whole: Sequence[tuple[int, int]]) -> Iterator[_Unit]:
    """The units, those made one that a span to be kept whole reaches over."""
    held: _Unit | None = None
    place = 0
    for unit in units:
        if held is not None:
            while place < len(whole) and whole[place][1] <= held.end:
                place += 1
            if place < len(whole) and whole[place][0] < held.end:
                held.end, held.closes = unit.end, unit.closes
                continue
            yield held
        held = unit
    if held is not None:
        yield held


# -- headings and paragraphs ------------------------------------------------------------------------------------------


def _units(text: str) -> Iterator[_Unit]:
    """Headings, and the paragraphs between them, covering the text."""
    path: list[tuple[int, str]] = []
    section, start = 0, 0
    for begin, end, level, title in _headings(text):
        yield from _paragraphs(text, start, begin, _names(path), section)
        path = [item for item in path if item[0] < level]
        path.append((level, title))
        section += 1
        yield _Unit(begin, end, _names(path), section, heading=True)
        start = end
    yield from _paragraphs(text, start, len(text), _names(path), section)


def _names(path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path)


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Markdown's headings outside fenced code, as (start, end, level, title)."""
    fence, place, before, blank = "", 0, (0, ""), True
    for line in text.split("\n"):
        end = min(len(text), place + len(line) + 1)
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = ""
        elif opened:
            fence = opened[1]
        elif found := _ATX.match(line):
            yield place, end, len(found[1]), _title(found[2])
            line = ""
        elif before[1].strip() and _UNDERLINE.match(line) and not _ATX.match(before[1]):
            yield before[0], end, 1 if "=" in line else 2, _title(before[1])
            line = ""
        # A line above an underline is a heading only where it is a paragraph of its own.
        before = (place, line if blank and not fence else "")
        blank = not line.strip()
        place = end


def _title(line: str) -> str:
    """A heading as one short line, without the path's own mark."""
    return " ".join(line.replace("/", "∕").split())[:120]


def _paragraphs(text: str, start: int, end: int, path: tuple[str, ...], section: int) -> Iterator[_Unit]:
    place = start
    for gap in re.finditer(r"\n[ \t\r]*\n\s*", text[start:end]):
        yield from _sentences(text, place, start + gap.end(), path, section)
        place = start + gap.end()
    if place < end:
        yield from _sentences(text, place, end, path, section)


# -- sentences --------------------------------------------------------------------------------------------------------


def _sentences(text: str, start: int, end: int, path: tuple[str, ...], section: int) -> Iterator[_Unit]:
    """A paragraph as one unit, or its sentences where it is too long for one passage."""
    if not text[start:end].strip():
        return
    if end - start <= PASSAGE_CHARS:
        yield _Unit(start, end, path, section)
        return
    cuts = [found.end() for found in _ENDS.finditer(text, start, end) if not _abbreviated(text, found)]
    place = start
    for cut in [*cuts, end]:
        if not text[place:cut].strip() and cut != end:
            continue
        while cut - place > LONGEST_SENTENCE:
            until = _last_resort(text, place)
            yield _Unit(place, until, path, section, closes=False)
            place = until
        if cut > place:
            yield _Unit(place, cut, path, section, closes=cut == end)
            place = cut


def _abbreviated(text: str, found: re.Match[str]) -> bool:
    """Whether a full stop belongs to an abbreviation or an initial ('Dr. Lee', 'J. Smith', 'e.g. this')."""
    if found[0] != ".":
        return False
    word = _WORD.search(text, max(0, found.start() - 24), found.start())
    if word is None:
        return False
    return word[0].casefold() in _abbreviations() or bool(re.fullmatch(r"(?:[A-Za-z]\.)*[A-Z]", word[0]))


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(lexicon("abbreviations")["before_names"])


def _last_resort(text: str, start: int) -> int:
    """Where to cut what has no end of a sentence for thousands of characters: at a line, a comma or a space, else between two
    characters that do not belong together."""
    window = text[start : start + LONGEST_SENTENCE]
    for pattern in _LATER:
        ends = [found.end() for found in pattern.finditer(window, len(window) // 3)]
        if ends:
            return start + ends[-1]
    cut = start + LONGEST_SENTENCE
    while cut > start + LONGEST_SENTENCE // 2 and _together(text[cut - 1], text[cut]):
        cut -= 1
    return cut


def _together(before: str, after: str) -> bool:
    """Whether a cut between two characters would break one that a reader sees as one."""
    joins = after in "\u200d\ufe0e\ufe0f\u20e3" or unicodedata.combining(after) > 0
    tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    flag = all("\U0001f1e6" <= char <= "\U0001f1ff" for char in (before, after))
    surrogate = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return joins or tone or flag or surrogate or before == "\u200d" or (before == "\r" and after == "\n")
