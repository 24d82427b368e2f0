"""The placed pieces as one text, as chat messages, and as items.

Belongs here: the order of what stands in a context. Does not belong here: what was chosen (`build`), how a line reads (`lines`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muniment.domain.contexts import ContextItem
from muniment.retrieval.fence import FENCE, PLAIN_FENCE
from muniment.retrieval.material import Piece, as_data
from muniment.retrieval.sections import ORDER, OUTSIDE, QUESTION, SYSTEM, WINDOW


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece that found room, with the tokens it takes by itself."""

    piece: Piece
    tokens: int


def _ordered(placed: Sequence[Placed]) -> list[Placed]:
    rank = {section: place for place, section in enumerate(ORDER)}
    return sorted(placed, key=lambda item: (rank[item.piece.section], item.piece.order))


def text_of(placed: Sequence[Placed], language: str) -> str:
    """The whole text: the caller's own words, then memory in its fence."""
    pieces = [item.piece for item in _ordered(placed)]
    outside = [piece for piece in pieces if piece.section in OUTSIDE]
    inside = [piece for piece in pieces if piece.section not in OUTSIDE]
    fence = FENCE[language]
    return "\n".join([*_lines(outside), fence[0], *_lines(inside), fence[1]])


def items_of(placed: Sequence[Placed]) -> tuple[ContextItem, ...]:
    """The items in the order in which they stand in the text."""
    return tuple(
        ContextItem(
            section=item.piece.heading,
            text=item.piece.text,
            citation=item.piece.citation,
            tokens=item.tokens,
            hit=item.piece.hit,
            stable=item.piece.stable,
        )
        for item in _ordered(placed)
    )


def messages_of(placed: Sequence[Placed], language: str) -> tuple[Mapping[str, str], ...]:
    """The same as chat messages: what is there whatever is asked, then what the question brought in, both as system; the
    conversation in its roles, beginning with the user; the question last."""
    pieces = [item.piece for item in _ordered(placed)]
    first = [piece for piece in pieces if piece.stable and piece.section != SYSTEM]
    second = [piece for piece in pieces if not piece.stable and piece.section not in (QUESTION, WINDOW)]
    fence = FENCE[language]
    system = _lines([piece for piece in pieces if piece.section == SYSTEM])
    messages = [{"role": "system", "content": "\n".join([*system, fence[0], *_lines(first), fence[1]])}]
    if second:
        messages.append({"role": "system", "content": "\n".join([PLAIN_FENCE[0], *_lines(second), PLAIN_FENCE[1]])})
    for piece in pieces:
        if piece.said is not None:
            role, content = piece.said
            if role == "assistant" and messages[-1]["role"] == "system":
                role, content = "user", as_data(piece.text)
            messages.append({"role": role, "content": content})
    messages += [{"role": "user", "content": piece.text} for piece in pieces if piece.section == QUESTION]
    return tuple(messages)


def _lines(pieces: Sequence[Piece]) -> list[str]:
    lines: list[str] = []
    heading = None
    for piece in pieces:
        if piece.heading != heading:
            heading = piece.heading
            lines.append(f"[{heading}]")
        lines.append(piece.text)
    return lines
