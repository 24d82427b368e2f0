"""Step 6: a context within a token budget, with citations, and with what was left out and why.

Whole items only: an item is never cut, so that no negation is lost. Sections are filled in the order of their claim, each
up to its share; what is left then goes to the next whole items, evidence above all. What applies whatever is asked is
chosen without regard to the question and stands first in the messages, byte for byte the same from question to question.

Tokens are counted exactly and each line once: every line ends in a line feed and begins with a mark of its own, and no
encoding of ours joins across that, so that the lines' counts add up to that of the text. The whole text is counted again at
the end all the same.

Belongs here: choosing within budget and shares. Does not belong here: recall (`search`), pieces (`material`), the order of
the text and messages (`layout`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from muniment.config import ContextCaps
from muniment.domain.answers import Dropped
from muniment.domain.contexts import Context
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Fact
from muniment.ports.models import TokenCounter
from muniment.retrieval.fence import FENCE, PLAIN_FENCE
from muniment.retrieval.layout import Placed, items_of, messages_of, text_of
from muniment.retrieval.material import (
    Material,
    Piece,
    evidence_pieces,
    fact_piece,
    history_pieces,
    knowledge_pieces,
    named_pieces,
    stable_pieces,
    summary_pieces,
    window_pieces,
)
from muniment.retrieval.sections import (
    BINDING,
    CONFLICTS,
    OUTSIDE,
    QUESTION,
    SUMMARY,
    SYSTEM,
    TASK,
    TASK_STATE,
    WINDOW,
    WORKFLOW,
)

ENOUGH: Final = 0.85
"""Share of the budget from which no item is exchanged for a longer one."""

OVER_BUDGET: Final = "over the token budget"


@dataclass(slots=True)
class _Draft:
    """What is placed so far. `text` and `chat` are the tokens of the text and of the messages' contents, these without the tags
    of their second block, which would cost a small context an item."""

    counter: TokenCounter
    budget: int
    text: int
    chat: int
    placed: dict[str, Placed] = field(default_factory=dict)
    headings: set[tuple[str, bool | None]] = field(default_factory=set)
    left: dict[str, tuple[Piece, str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, text: str) -> int:
        """The tokens of a line with its line feed, counted once."""
        found = self.counts.get(text)
        if found is None:
            found = self.counts[text] = self.counter.count(text + "\n")
        return found

    def costs(self, piece: Piece) -> tuple[int, int, int]:
        """What a piece would take: of the text, of the messages, and by itself."""
        if piece.section == QUESTION:
            # What stands behind the heading is the caller's own and may join with it.
            own = self.counter.count(f"[{piece.heading}]\n{piece.text}\n")
            return own, self.count(piece.text), own
        own = self.count(piece.text)
        head = self.count(f"[{piece.heading}]")
        text = own + (0 if (piece.heading, None) in self.headings else head)
        if piece.said is not None:
            # At the head of the conversation an agent's turn is shown as data, between tags.
            data = own + sum(map(self.count, PLAIN_FENCE)) if piece.said[0] == "assistant" else 0
            return text, max(data, self.count(piece.said[1])), own
        return text, own + (0 if (piece.heading, piece.stable) in self.headings else head), own

    def add(self, piece: Piece, cap: int | None = None) -> int:
        """Places a piece if it fits the budget and the cap; returns the tokens it took of the text, 0 for none."""
        text, chat, own = self.costs(piece)
        if self.text + text > self.budget or self.chat + chat > self.budget:
            return 0
        if cap is not None and text > cap:
            return 0
        self.text, self.chat = self.text + text, self.chat + chat
        self.headings.add((piece.heading, None))
        if piece.said is None and piece.section != QUESTION:
            self.headings.add((piece.heading, piece.stable))
        self.placed[_key(piece)] = Placed(piece, own)
        return text

    def fill(self, pieces: Iterable[Piece], cap: int | None = None, *, reason: str = OVER_BUDGET) -> int:
        """Places what fits of the pieces, in their order; one too long leaves room for the next. Returns the tokens taken."""
        used = 0
        for piece in pieces:
            if _key(piece) in self.placed:
                continue
            took = self.add(piece, None if cap is None else cap - used)
            used += took
            if took:
                self.left.pop(_key(piece), None)
            else:
                self.left[_key(piece)] = (piece, reason)
        return used


def build(material: Material, *, caps: ContextCaps, counter: TokenCounter, budget: int) -> Context:
    """The context. Raises `InvalidInput` for a budget that cannot hold even an empty one."""
    fence = FENCE[material.language]
    frame = counter.count(fence[0] + "\n") + counter.count(fence[1] + "\n")
    if budget < frame:
        raise InvalidInput(f"a budget of {budget} tokens holds no context; the empty one takes {frame}")
    draft = _Draft(counter=counter, budget=budget, text=frame, chat=frame)
    chosen = _chosen(draft, material, caps, frame)
    _second(draft, chosen)
    return _made(draft, material, counter, budget)


def _chosen(draft: _Draft, material: Material, caps: ContextCaps, frame: int) -> dict[str, list[Piece]]:
    """The first pass: each section up to its share. Returns the pieces of those that may take more."""
    budget, language = draft.budget, material.language
    named = named_pieces(material)
    limits = {SYSTEM: int(budget * caps.system_share), QUESTION: int(budget * caps.question_share)}
    for section in OUTSIDE:
        draft.fill(named[section], limits[section], reason=f"over the cap of its section ({section})")
    # Not a token of it hangs on the question: neither what is tried, nor the room there is.
    stable = stable_pieces(material)
    draft.fill(stable, min(int(budget * caps.rules_share), budget - frame - sum(limits.values())))
    waiting = [_asked(piece, material) for piece in stable if _key(piece) not in draft.placed]
    binding = [piece for piece in waiting if piece.section == BINDING]
    draft.fill(binding)
    draft.fill([*named[TASK], *named[TASK_STATE]])
    found = {hit.id for hit in material.facts}
    facts = [piece for piece in waiting if piece.hit is not None and piece.hit.id in found]
    shown = {piece.hit.id for piece in stable if piece.hit is not None}
    facts += [
        fact_piece(hit, hit.item, language)
        for hit in material.facts
        if isinstance(hit.item, Fact) and hit.id not in shown
    ]
    groups = {
        "facts": (facts, caps.facts_share),
        "history": (history_pieces(material), caps.facts_share),
        CONFLICTS: (named[CONFLICTS], caps.facts_share),
        WORKFLOW: (named[WORKFLOW], caps.facts_share),
        WINDOW: (window_pieces(material, caps.window_messages), caps.window_share),
        "evidence": (evidence_pieces(material), caps.evidence_share),
        "knowledge": (knowledge_pieces(material), caps.knowledge_share),
    }
    for name, (pieces, share) in groups.items():
        draft.fill(pieces, int(budget * share))
        if name == WINDOW:
            _summarise(draft, summary_pieces(material), caps.summary_chars)
    rest = {name: pieces for name, (pieces, _) in groups.items()}
    return rest | {"rules": [piece for piece in waiting if piece.section != BINDING]}


def _asked(piece: Piece, material: Material) -> Piece:
    """What applies always and found no room at the head, as something that may stand with what the question brought in."""
    hit = piece.hit
    return fact_piece(hit, hit.item, material.language) if hit is not None and isinstance(hit.item, Fact) else piece


def _summarise(draft: _Draft, pieces: Sequence[Piece], most: int) -> None:
    """Lines of summaries, up to so many characters; where a line holds a value that must be right, its source in its place."""
    used = 0
    for piece in pieces:
        better = piece.instead
        if better is not None and (_key(better) in draft.placed or draft.add(better)):
            draft.left.pop(_key(better), None)
            draft.left[_key(piece)] = (piece, "its source is shown in its place")
        elif used + len(piece.text) > most:
            draft.left[_key(piece)] = (piece, f"over the cap of its section ({SUMMARY})")
        elif draft.add(piece):
            used += len(piece.text)
        else:
            draft.left[_key(piece)] = (piece, OVER_BUDGET)


def _second(draft: _Draft, rest: dict[str, list[Piece]]) -> None:
    """The second pass: what the sections did not use, to whole items of others; then, where much is still empty because the next
    items are long, the last piece of evidence for the first longer one that fits."""
    for name in ("evidence", "facts", "history", "knowledge", CONFLICTS, "rules", WINDOW, WORKFLOW):
        draft.fill(rest[name])
    placed = [piece for piece in rest["evidence"] if _key(piece) in draft.placed]
    waiting = [piece for piece in rest["evidence"] if _key(piece) not in draft.placed]
    while placed and waiting and draft.text < ENOUGH * draft.budget:
        last = placed.pop()
        room = min(draft.budget - draft.text, draft.budget - draft.chat)
        least = draft.count(last.text)
        longer = next((item for item in waiting if least < draft.count(item.text) <= least + room), None)
        if longer is None:
            continue
        grown = draft.count(longer.text) - least
        draft.text, draft.chat = draft.text + grown, draft.chat + grown
        del draft.placed[_key(last)]
        draft.placed[_key(longer)] = Placed(longer, draft.count(longer.text))
        draft.left.pop(_key(longer), None)
        draft.left[_key(last)] = (last, OVER_BUDGET)
        waiting.remove(longer)


def _made(draft: _Draft, material: Material, counter: TokenCounter, budget: int) -> Context:
    """The context of what was placed."""
    placed = list(draft.placed.values())
    text = text_of(placed, material.language)
    tokens = counter.count(text)
    while tokens > budget and placed:
        last = placed.pop().piece
        draft.left[_key(last)] = (last, OVER_BUDGET)
        text = text_of(placed, material.language)
        tokens = counter.count(text)
    return Context(
        text=text,
        messages=messages_of(placed, material.language),
        items=items_of(placed),
        tokens=tokens,
        budget=budget,
        language=material.language,
        conflicts=tuple(material.conflicts),
        dropped=tuple(
            Dropped(id=None if piece.hit is None else piece.hit.id, reason=reason, text=piece.text[:120])
            for piece, reason in draft.left.values()
        ),
    )


def _key(piece: Piece) -> str:
    """What a piece is, whichever part it stands in."""
    return f"{piece.section}\0{piece.citation}\0{piece.text}"
