"""How words say that somebody has a key: as so, as new, as past, or as open (asked, supposed, doubted, denied).

Belongs here: telling these apart around one key. Does not belong here: who it is (`owners`), and what follows (retrieval).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from muniment.text.clauses import Clause
from muniment.text.lexicon import lexicon
from muniment.text.owners import either

Said = Literal["so", "new", "past", "open"]

LASTING: Final = frozenset({"code"})
"""Kinds of keys that are still one's own when they are told of in the past tense: 'my order was ORD-7'."""

_WAS: Final = re.compile(r"(?i:\b(?:was|were))\s?[\"(#:]?\s?$")
_IS_BEHIND: Final = re.compile(
    r"(?i:\s?(?:was|were)\b(?! (?:placed|filed|opened|booked|made|moved|transferred|given|reassigned)))"
)
_ASKS: Final = re.compile(r"[?？]|[吗么](?:[\s。.！!]|$)")
_BEFORE: Final = re.compile(r"(?i:\bbefore)\s?(?:[.,;!)]|$)")
_CLAUSE: Final = re.compile(r"[,，;；]|(?i:\b(?:and|but)\b)|但|而")
_TURNS: Final = re.compile(r"[,，;；]\s?(?:but |and )?(?:it(?:’s| is| was)|now|但|而是|现在|是)")


def said(before: str, after: str, *, kind: str, question: bool) -> Said:
    """How it is said, by the words before a key and behind it in its sentence, up to the keys beside it. Apostrophes are
    expected as ’."""
    if question or _ASKS.search(after):
        return "open"
    clause = _CLAUSE.split(before)[-1]
    behind = _TURNS.split(after, maxsplit=1)
    denied = _of("open").search(clause) or _near("open").match(after)
    if denied:
        # 'is no longer Ben’s, it is Ann’s now': what is denied is the first.
        return "new" if len(behind) > 1 and not _of("open").search(clause) else "open"
    past = _of("over").search(clause) or _of("over").search(behind[0]) or _BEFORE.search(behind[0])
    tense = kind not in LASTING and (_WAS.search(before) or _IS_BEHIND.match(after))
    if past or tense:
        return "past"
    return "new" if _of("changed").search(before) or _of("changed").search(after) else "so"


def asked(found: Sequence[Clause], starts: Sequence[int], place: int) -> bool:
    """Whether what stands at a place is part of a question; `starts` are the clauses' first places."""
    at = bisect_right(starts, place) - 1
    return at >= 0 and found[at].question


@cache
def _of(name: str) -> re.Pattern[str]:
    words = lexicon("belonging")[name]
    return re.compile(either([*words["en"], *words["zh"]]))


@cache
def _near(name: str) -> re.Pattern[str]:
    """One of the words with no more than a verb before it."""
    return re.compile(rf"\s?(?:is |was |does |现在|已经?)?(?:{_of(name).pattern})")
