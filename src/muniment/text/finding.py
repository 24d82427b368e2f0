"""A place in a text where something of a kind was found.

Belongs here: the value, and the rule by which overlapping ones are settled. Does not belong here: how anything is
found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MASK: Final = re.compile(r"\[(?P<kind>[a-z][a-z_]{1,30})(?: …[0-9A-Za-z]{1,4})?\]")
"""What stands where something was masked: `[password]`, `[bank_card …1234]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`kind` as policies name it, `span` [start, end) in the text, and which detector said so."""

    kind: str
    span: tuple[int, int]
    detector: str


def settle(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in reading order without overlaps; of two that overlap, the one given first stays."""
    taken: list[Finding] = []
    ends: list[tuple[int, int]] = []
    for finding in findings:
        if not _overlaps(ends, finding.span):
            taken.append(finding)
            _insert(ends, finding.span)
    return sorted(taken, key=lambda item: item.span)


def _overlaps(spans: list[tuple[int, int]], span: tuple[int, int]) -> bool:

    place = bisect_left(spans, span)
    left = place > 0 and spans[place - 1][1] > span[0]
    return left or (place < len(spans) and spans[place][0] < span[1])


def _insert(spans: list[tuple[int, int]], span: tuple[int, int]) -> None:

    insort(spans, span)
