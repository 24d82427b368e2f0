"""Passwords that the layout names: the column of a table, the element or attribute of a markup, the line below a heading.

Belongs here: those. Does not belong here: names and values in one line (`passwords.py`, `password_talk.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.secret_names import any_name, is_field, latin_names, not_values, other_names, speaks_of_one

_RULE = re.compile(r"[\s:|+-]*-[\s:|+-]*")
_DELIMITERS: Final = ("|", "\t", ";", ",")
_MOST_COLUMNS: Final = 64
_HEAD_CELL: Final = 40


def find_laid_out_passwords(text: str) -> Iterator[Finding]:
    """Every value that a table's head, an element's name or a heading calls a password; spans may overlap.

    For texts in which a name can stand at all (`secret_names.speaks_of_one`).
    """
    if "<" in text:
        for match in _element().finditer(text):
            group = next(group for group, value in match.groupdict().items() if value is not None)
            if _is_cell(match[group]):
                yield Finding(kind="password", span=match.span(group), detector="layout.element")
    if "\n" in text:
        for match in _heading().finditer(text):
            if any(map(str.isdigit, match["value"])) and _is_cell(match["value"]):
                yield Finding(kind="password", span=match.span("value"), detector="layout.heading")
        yield from _columns(text)


def _columns(text: str) -> Iterator[Finding]:
    """Cells below a head that names a password, in rows with as many cells as the head, until one has not."""
    offset = 0
    delimiter, width = "", 0
    columns: tuple[int, ...] = ()
    for line in text.split("\n"):
        if columns:
            cells = _cells(line, delimiter)
            if len(cells) == width:
                for column in columns:
                    start, end = cells[column]
                    if (
                        _is_cell(line[start:end])
                        and (delimiter in "|\t" or " " not in line[start:end])
                        and not _RULE.fullmatch(line)
                    ):
                        yield Finding(kind="password", span=(offset + start, offset + end), detector="layout.column")
            elif line.strip():
                columns = ()
        if not columns and speaks_of_one(line):
            delimiter, columns, width = _head(line)
        offset += len(line) + 1


def _head(line: str) -> tuple[str, tuple[int, ...], int]:
    """The delimiter of a table's head, which of its columns name a password, and how many it has; none where it is no head:
    all its cells are short names."""
    for delimiter in _DELIMITERS:
        cells = _cells(line, delimiter)
        if not 2 <= len(cells) <= _MOST_COLUMNS:
            continue
        names = [line[start:end].strip("*_`\"' ") for start, end in cells]
        if all(
            len(name) <= _HEAD_CELL and len(name.split()) <= 3 and not re.search(r"[:=.!?。：]", name) for name in names
        ):
            columns = tuple(place for place, name in enumerate(names) if name and is_field(name))
            if columns:
                return delimiter, columns, len(cells)
    return "", (), 0


def _cells(line: str, delimiter: str) -> list[tuple[int, int]]:
    """Where the cells of a line stand, without the space and quotes around them; a Markdown row's outer bars bound no cell."""
    if delimiter not in line:
        return []
    spans, place = [], 0
    for piece in line.split(delimiter):
        inner = piece.strip(" \t\r\"'`*")
        start = place + (piece.find(inner) if inner else 0)
        spans.append((start, start + len(inner)))
        place += len(piece) + 1
    if delimiter == "|":
        if line.lstrip().startswith("|"):
            spans = spans[1:]
        if line.rstrip().endswith("|"):
            spans = spans[:-1]
    return spans


def _is_cell(value: str) -> bool:
    """Whether a cell or element holds a password and not a word that says there is none."""
    word = value.strip("*_`\"' -—.…")
    return (
        bool(word)
        and len(value) <= 128
        and word.casefold() not in not_values()
        and not MASK.search(value)
        and not word.startswith(("<", "{", "$", "%("))
    )


@cache
def _element() -> re.Pattern[str]:
    names = f"(?:{latin_names('password')}|{other_names('password')[0]})"
    return re.compile(
        rf"(?i)<(?:[\w.-]{{1,30}}[:_.-])?{names}(?:\s[^<>]{{0,80}})?>\s{{0,4}}(?P<body>[^<>\n]{{1,128}}?)\s{{0,4}}</"
        rf"|<[\w:.-]{{1,30}}\s[^<>]{{0,80}}?(?:name|key|id)\s?=\s?[\"'](?:[\w.-]{{0,30}}[_.-])?{names}[\"']"
        r"(?:[^<>]{0,80}?\svalue\s?=\s?[\"'](?P<attribute>[^\"'<>\n]{1,128})[\"']|[^<>]{0,80}>(?P<inner>[^<>\n]{1,128})</)"
    )


@cache
def _heading() -> re.Pattern[str]:
    """A line that ends in the name and may have a sign, and a single word on the next one that has any."""
    return re.compile(
        rf"(?im)^[^\n:=：]{{0,40}}?{any_name()}[*_`]{{0,3}}\s?[:：]?[*_`]{{0,3}}[ \t]*\n\s{{0,16}}[-*>`\"' ]{{0,4}}"
        r"(?P<value>[A-Za-z0-9][!-~]{3,64}?)[`\"'*]{0,3}[ \t]*$"
    )
