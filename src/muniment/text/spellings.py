"""The codes that a question may mean, however it spells them: 'xk 7731 q' for XK-7731-Q.

Belongs here: which runs of a question may be one code. Does not belong here: what is a code in a text that tells of one
(`identifiers`), and which codes there are (the store).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.text.folding import narrow
from muniment.text.identifiers import identifiers, spell_code

MOST_SPELLINGS: Final = 64
"""Spellings `spellings` gives at most: a question names few things."""
_PARTS: Final = 6
_PART = re.compile(r"[A-Za-z0-9]+")
_BETWEEN = re.compile(r"[^\w\n]{0,3}|_{1,3}")
_INSIDE = re.compile(r"[-_/.#]")


def spellings(text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """Every code that a question may mean beside those `identifiers` finds, in the spelling of `spell_code`, with its span:
    its runs of letters and digits, joined over whatever stands between them ('xk 7731 q' gives 'xk7731q').

    Which of them is a code at all, the store knows. None begins or ends inside an identifier, or beside a run that may
    well belong to it. In reading order, longest first at one place, at most `MOST_SPELLINGS`. Never raises.
    """
    plain = narrow(text)
    parts = [part.span() for part in _PART.finditer(plain)]
    found: dict[str, tuple[int, int]] = {}
    taken = [(item.kind, item.span) for item in identifiers(text)]
    for first in range(len(parts)):
        here = []
        for last in range(first, min(first + _PARTS, len(parts))):
            between = plain[parts[last - 1][1] : parts[last][0]] if last > first else ""
            span = (parts[first][0], parts[last][1])
            if not _BETWEEN.fullmatch(between) or span[1] - span[0] > 80:
                break
            if _stands_alone(plain, parts, first, last) and not any(_cuts(span, other, kind) for kind, other in taken):
                here.append((spell_code(plain[slice(*span)]) or "", span))
        for spelt, span in reversed(here):
            if len(spelt) >= 3 and sum(map(str.isdigit, spelt)) >= (3 if spelt.isdigit() else 1):
                found.setdefault(spelt, span)
        if len(found) >= MOST_SPELLINGS:
            break
    return tuple(found.items())[:MOST_SPELLINGS]


def _stands_alone(plain: str, parts: list[tuple[int, int]], first: int, last: int) -> bool:
    """Whether the runs first..last have no neighbour that would be part of the same code: one joined by a sign, one with a
    digit close by, a lone letter."""
    for end, start, other in (
        (parts[first - 1][1], parts[first][0], first - 1) if first else (0, 0, -1),
        (parts[last][1], parts[last + 1][0], last + 1) if last + 1 < len(parts) else (0, 0, -1),
    ):
        if other < 0:
            continue
        between, word = plain[end:start], plain[slice(*parts[other])]
        if _INSIDE.fullmatch(between) or not between:
            return False
        if between == " " and (any(map(str.isdigit, word)) or (len(word) == 1 and word not in "aAI")):
            return False
    return True


def _cuts(span: tuple[int, int], other: tuple[int, int], kind: str) -> bool:
    """Whether a span overlaps an identifier without holding the whole of it; of another kind than codes, at all."""
    overlap = span[0] < other[1] and other[0] < span[1]
    return overlap and (kind != "code" or span[0] > other[0] or span[1] < other[1])
