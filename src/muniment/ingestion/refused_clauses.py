"""A statement that holds a masked secret, parted: the clause that holds it is refused, what is said beside it is read anew.

'Remember that my password is [password] and I like tea' is one request and two statements.

Belongs here: where such a statement is parted. Does not belong here: masking (`redact`), the rule that refuses (governance/).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from muniment.domain.records import Candidate
from muniment.ports.models import Turn
from muniment.text.finding import MASK
from muniment.text.pasted import blanked, joined
from muniment.text.redact import masked_kinds

PART: Final = "part"
"""Key of a candidate's metadata: it is one refused clause of a statement whose others stand."""
_BEFORE: Final = re.compile(
    r"\b(?:and|but|that|plus)\b|[,;:.!?，；：。！？、]|并且|而且|以及|还有|另外|记住|记得", re.IGNORECASE
)
_BEHIND: Final = re.compile(
    r",?\s*\b(?:and|but|plus)\b(?: that)?|[,;，；。！？、]|[.!?](?=\s|$)|并且|而且|以及|还有|另外|和", re.IGNORECASE
)


def parted(
    turn: Turn, found: Sequence[Candidate], kinds: Sequence[str], extract: Callable[[Turn], Sequence[Candidate]]
) -> list[Candidate]:
    """The candidates of a turn; one with a masked secret of these `kinds` narrowed to its own clause where something else is
    found beside that. One more reading of the turn at most."""
    found = [_with_mask(item, turn.text, kinds) for item in found]
    held = [item for item in found if item.quote_span and set(masked_kinds(item.quote or "")) & set(kinds)]
    spans = joined(
        _clause(turn.text, item.quote_span, mask.span())
        for item in held
        if item.quote_span
        for mask in _masks(turn, item)
    )
    if not spans:
        return list(found)
    beside_it = any(item.predicate and item not in held for item in found)
    others = {(item.memory_type, item.quote) for item in found}
    beside: list[Candidate] = []
    for rest in (_spaced(turn.text, spans), blanked(turn.text, spans)):
        read = extract(replace(turn, text=rest))
        # Without a slot it may be no more than what the refused clause was for (买票要用).
        beside = [item for item in read if item.predicate and (item.memory_type, item.quote) not in others]
        if beside:
            break
    kept: list[Candidate] = []
    for item in found:
        within = [span for span in spans if item in held and item.quote_span and _inside(span, item.quote_span)]
        if not within or not (beside or beside_it):
            kept.append(item)
            continue
        kept += [_narrowed(item, turn.text, span) for span in within]
    return [*kept, *beside]


def _with_mask(item: Candidate, text: str, kinds: Sequence[str]) -> Candidate:
    """The candidate with the mask that follows its words: 'my password is' without it would say nothing, and be kept."""
    if item.quote_span is None:
        return item
    start, end = item.quote_span
    gap = len(text[end:]) - len(text[end:].lstrip(" \t\"'“‘:："))
    mask = MASK.match(text, end + gap)
    if mask is None or mask["kind"] not in kinds:
        return item
    quote = text[start : mask.end()]
    return replace(item, content=quote.strip(), quote=quote, quote_span=(start, mask.end()), predicate=None, value=None)


def _masks(turn: Turn, item: Candidate) -> list[re.Match[str]]:
    start, end = item.quote_span or (0, 0)
    return list(MASK.finditer(turn.text, start, end))


def _clause(text: str, within: tuple[int, int], mask: tuple[int, int]) -> tuple[int, int]:
    """The clause around a mask."""
    before = [match.end() for match in _BEFORE.finditer(text, within[0], mask[0])]
    behind = _BEHIND.search(text, mask[1], within[1])
    start = before[-1] if before else within[0]
    return start, behind.end() if behind else within[1]


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return other[0] <= span[0] and span[1] <= other[1]


def _spaced(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with the clauses as white space, so that what stands before and behind them stays one sentence."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _narrowed(item: Candidate, text: str, span: tuple[int, int]) -> Candidate:
    match = _BEHIND.search(text, max(mask.end() for mask in MASK.finditer(text, *span)), span[1])
    end = match.start() if match else span[1]
    quote = text[span[0] : end].strip()
    start = text.index(quote, span[0])
    return replace(
        item,
        content=quote,
        quote=quote,
        quote_span=(start, start + len(quote)),
        predicate=None,
        value=None,
        metadata={**item.metadata, PART: True},
    )
