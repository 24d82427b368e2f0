"""Step 6: a context within a token budget, with citations, and with what was left out and why.

Whole items only: an item is never cut, so that no negation is lost. The order is fixed and an item's bytes do not depend
on its neighbours. The total, as the policy's tokeniser counts it, never exceeds the budget.

Belongs here: choosing and ordering within caps. Does not belong here: recall (`search`), wording (`sections`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from muniment.config import ContextCaps
from muniment.domain.answers import Context, ContextItem, Dropped, Hit
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Evidence, Fact
from muniment.ports.models import TokenCounter
from muniment.retrieval.channels.hits import fact_hit
from muniment.retrieval.gone import Gone
from muniment.retrieval.sections import (
    BINDING,
    CONFLICTS,
    EVIDENCE,
    FACTS,
    FENCE,
    GONE,
    HEADINGS,
    ORDER,
    PAST,
    QUESTION,
    RULES,
    SYSTEM,
    TYPES,
    WINDOW,
    evidence_line,
    fact_line,
    gone_line,
    mark,
    one_line,
    past_line,
    role_of,
    section_of,
)


@dataclass(slots=True)
class Material:
    """What may go in: the question, the caller's system rules, facts, what is gone or past, the window (oldest first),
    evidence, conflicts."""

    question: str
    language: str
    system: Sequence[str] = ()
    facts: Sequence[Hit] = ()
    gone: Sequence[Gone] = ()
    past: Sequence[Fact] = ()
    window: Sequence[Hit] = ()
    evidence: Sequence[Hit] = ()
    conflicts: Sequence[str] = ()


@dataclass(slots=True)
class _Draft:
    """The sections as they fill, and the tokens they take."""

    counter: TokenCounter
    budget: int
    language: str
    spent: int = 0
    items: dict[str, list[ContextItem]] = field(default_factory=lambda: {name: [] for name in ORDER})
    headings: set[str] = field(default_factory=set)
    dropped: list[Dropped] = field(default_factory=list)

    def add(
        self, section: str, heading: str, text: str, *, hit: Hit | None = None, cap: int | None = None, used: int = 0
    ) -> int:
        """Adds one whole item if it fits the budget and its section's cap; returns the tokens it took, 0 for none."""
        cost = self.counter.count(text + "\n")
        head = 0 if heading in self.headings else self.counter.count(f"[{heading}]\n")
        over = (
            "budget"
            if self.spent + cost + head > self.budget
            else "cap"
            if cap is not None and used + cost > cap
            else None
        )
        if over is not None:
            reason = "over the token budget" if over == "budget" else f"over the cap of its section ({section})"
            self.dropped.append(Dropped(id=None if hit is None else hit.id, reason=reason, text=text[:120]))
            return 0
        self.headings.add(heading)
        self.spent += cost + head
        citation = "" if hit is None else mark(hit)
        self.items[section].append(ContextItem(section=heading, text=text, citation=citation, tokens=cost, hit=hit))
        return cost


def build(material: Material, *, caps: ContextCaps, counter: TokenCounter, budget: int) -> Context:
    """The context. Raises `InvalidInput` for a budget that cannot hold even an empty one."""
    fence = FENCE[material.language]
    frame = counter.count("\n".join(fence) + "\n")
    if budget < frame:
        raise InvalidInput(f"a budget of {budget} tokens holds no context; the empty one takes {frame}")
    draft = _Draft(counter=counter, budget=budget, language=material.language, spent=frame)
    names = HEADINGS[material.language]
    _fill_fixed(draft, material, names, caps)
    _fill_facts(draft, material.facts, names)
    _fill_past(draft, material, names)
    for sentence in material.conflicts:
        draft.add(CONFLICTS, names[CONFLICTS], f"- {one_line(sentence)}")
    _fill_window(draft, material.window, names, caps)
    _fill_evidence(draft, material.evidence, names, caps)
    text, items = _rendered(draft, fence)
    while counter.count(text) > budget and items:
        last = items[-1]
        draft.dropped.append(Dropped(id=None if last.hit is None else last.hit.id, reason="over the token budget"))
        for section in ORDER:
            draft.items[section] = [item for item in draft.items[section] if item is not last]
        text, items = _rendered(draft, fence)
    return Context(
        text=text,
        messages=_messages(draft, fence, material),
        items=tuple(items),
        tokens=counter.count(text),
        budget=budget,
        conflicts=tuple(material.conflicts),
        dropped=tuple(draft.dropped),
    )


def _fill_fixed(draft: _Draft, material: Material, names: Mapping[str, str], caps: ContextCaps) -> None:
    """The caller's own rules and the question, each under its cap."""
    used = 0
    for rule in material.system:
        used += draft.add(SYSTEM, names[SYSTEM], f"- {one_line(rule)}", cap=draft.budget // 4, used=used)
    limit = int(draft.budget * caps.question_share)
    if material.question.strip():
        draft.add(QUESTION, names[QUESTION], one_line(material.question), cap=limit)


def _fill_facts(draft: _Draft, hits: Sequence[Hit], names: Mapping[str, str]) -> None:
    """Binding rules first, then rules and preferences, then facts; inside a section by type, then as recorded."""
    rank = {kind: place for place, kind in enumerate(TYPES)}

    def order(fact: Fact) -> tuple[int, int, str]:
        section, kind = section_of(fact), rank.get(fact.memory_type, len(rank))
        return (BINDING, RULES, FACTS).index(section), kind, f"{fact.recorded_at.isoformat()}{fact.fact_id}"

    held = [(hit, hit.item) for hit in hits if isinstance(hit.item, Fact)]
    for hit, fact in sorted(held, key=lambda pair: order(pair[1])):
        section = section_of(fact)
        heading = names[BINDING] if section == BINDING else names[fact.memory_type.value]
        draft.add(section, heading, fact_line(hit, fact, draft.language), hit=hit)


def _fill_past(draft: _Draft, material: Material, names: Mapping[str, str]) -> None:
    """What is not known any more, and what held when, where that was asked; each fact cited as itself."""
    for item in material.gone:
        hit = _told(item.fact, "held before, not known any more")
        draft.add(GONE, names[GONE], gone_line(hit, item, draft.language), hit=hit)
    for row in material.past:
        hit = _told(row, "held over that period")
        draft.add(PAST, names[PAST], past_line(hit, row, draft.language), hit=hit)


def _told(fact: Fact, reason: str) -> Hit:
    """A fact that is told as history."""
    hit = fact_hit(fact, channel="facts", score=1.0, parts={}, reason=reason)
    return replace(hit, why=replace(hit.why, flags=(*hit.why.flags, "history")))


def _fill_window(draft: _Draft, hits: Sequence[Hit], names: Mapping[str, str], caps: ContextCaps) -> None:
    """The latest messages that fit, kept in the order they were said."""
    chosen: list[Hit] = []
    for hit in reversed(hits[-caps.window_messages :]):
        if isinstance(hit.item, Evidence):
            if not draft.add(WINDOW, names[WINDOW], evidence_line(hit, hit.item), hit=hit):
                break
            chosen.append(hit)
    draft.items[WINDOW].reverse()


def _fill_evidence(draft: _Draft, hits: Sequence[Hit], names: Mapping[str, str], caps: ContextCaps) -> None:
    """What was said, best first, at most its share; one too long leaves room for the next."""
    cap, used = int(draft.budget * caps.evidence_share), 0
    for hit in hits:
        if isinstance(hit.item, Evidence):
            used += draft.add(EVIDENCE, names[EVIDENCE], evidence_line(hit, hit.item), hit=hit, cap=cap, used=used)


def _rendered(draft: _Draft, fence: tuple[str, str]) -> tuple[str, list[ContextItem]]:
    """The whole text, and its items in the order they stand in it."""
    outside = [item for section in (SYSTEM, QUESTION) for item in draft.items[section]]
    inside = [item for section in ORDER if section not in (SYSTEM, QUESTION) for item in draft.items[section]]
    text = "\n".join([*_lines(outside), fence[0], *_lines(inside), fence[1]])
    return text, [*outside, *inside]


def _lines(items: Sequence[ContextItem]) -> list[str]:
    lines: list[str] = []
    heading = None
    for item in items:
        if item.section != heading:
            heading = item.section
            lines.append(f"[{heading}]")
        lines.append(item.text)
    return lines


def _messages(draft: _Draft, fence: tuple[str, str], material: Material) -> tuple[Mapping[str, str], ...]:
    """The same as chat messages: rules and memory as system, the window in its roles, the question last."""
    system = _lines(draft.items[SYSTEM])
    inside = [item for section in ORDER if section not in (SYSTEM, QUESTION, WINDOW) for item in draft.items[section]]
    messages: list[Mapping[str, str]] = [
        {"role": "system", "content": "\n".join([*system, fence[0], *_lines(inside), fence[1]])}
    ]
    for item in draft.items[WINDOW]:
        if item.hit is not None and isinstance(item.hit.item, Evidence):
            messages.append({"role": role_of(item.hit.item), "content": one_line(item.hit.item.content)})
    if draft.items[QUESTION]:
        messages.append({"role": "user", "content": draft.items[QUESTION][0].text})
    return tuple(messages)
