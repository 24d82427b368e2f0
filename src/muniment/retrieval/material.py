"""What may go into a context, and each of it as a piece: a line with its section, heading and citation.

Belongs here: `Material` and its pieces, in the order in which they are tried. Does not belong here: which hits those are
(`context`), what fits (`build`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from muniment.domain.answers import Hit
from muniment.domain.passages import Passage
from muniment.domain.records import Evidence, Fact
from muniment.domain.scope import precedence
from muniment.retrieval import lines
from muniment.retrieval.channels.hits import fact_hit
from muniment.retrieval.fence import PLAIN_FENCE, one_line, tame
from muniment.retrieval.gone import Gone
from muniment.retrieval.sections import (
    BINDING,
    CONFLICTS,
    EVIDENCE,
    GONE,
    HEADINGS,
    KNOWLEDGE,
    PAST,
    QUESTION,
    RANK,
    SUMMARY,
    SYSTEM,
    TASK,
    TASK_STATE,
    WINDOW,
    WORKFLOW,
    heading_of,
    section_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """A line of a summary: its field and its number there. `source` is the fact or evidence that is shown in its place, where
    the line holds a value that a retelling may have changed."""

    hit: Hit
    field: str
    text: str
    place: int
    source: Hit | None = None


@dataclass(slots=True, kw_only=True)
class Material:
    """What may go in: the question and the caller's own rules; `stable` what applies whatever is asked; `facts` what was found
    for the question, best first; what is gone or past; the window, oldest first; evidence and passages, best first."""

    question: str
    language: str
    system: Sequence[str] = ()
    task: Sequence[str] = ()
    task_state: Sequence[str] = ()
    stable: Sequence[Hit] = ()
    facts: Sequence[Hit] = ()
    gone: Sequence[Gone] = ()
    past: Sequence[Fact] = ()
    workflow: Sequence[str] = ()
    summary: Sequence[Retold] = ()
    window: Sequence[Hit] = ()
    evidence: Sequence[Hit] = ()
    knowledge: Sequence[Hit] = ()
    conflicts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A whole line of a context. `order` is its place inside its section; `said` its role and words where it is a turn of the
    conversation; `instead` another piece that is better where that one fits."""

    section: str
    heading: str
    text: str
    order: tuple[object, ...]
    hit: Hit | None = None
    citation: str = ""
    stable: bool = False
    said: tuple[str, str] | None = None
    instead: Piece | None = None


def plain_pieces(section: str, texts: Iterable[str], language: str) -> list[Piece]:
    """Lines without a citation: the caller's rules, the question, a task's state, steps of a workflow, conflicts."""
    heading = HEADINGS[language][section]
    render = one_line if section == QUESTION else lines.plain_line
    return [
        Piece(section=section, heading=heading, text=render(text), order=(place,), stable=section == SYSTEM)
        for place, text in enumerate(texts)
        if text.strip()
    ]


def stable_pieces(material: Material) -> list[Piece]:
    """What applies whatever is asked: what binds, the widest first; then the narrowest, the latest first. Each stands in its
    section by its age, so that a new one comes after the old ones, whatever was tried first."""
    facts = [(hit, hit.item) for hit in material.stable if isinstance(hit.item, Fact)]
    newest = sorted(facts, key=lambda pair: pair[1].fact_id.int, reverse=True)
    tried = sorted(newest, key=lambda pair: _urgency(pair[1]))
    return [fact_piece(hit, fact, material.language, stable=True) for hit, fact in tried]


def _urgency(fact: Fact) -> tuple[int, int]:
    width = precedence(fact.placement)
    return (0, width) if section_of(fact) == BINDING else (1, -width)


def fact_piece(hit: Hit, fact: Fact, language: str, *, stable: bool = False) -> Piece:
    """A fact. Binding ones stand by width first; all by type, then what is stable, then by age: ids are made in order of
    time."""
    section = section_of(fact)
    width = precedence(fact.placement) if section == BINDING else 0
    return Piece(
        section=section,
        heading=heading_of(fact, HEADINGS[language]),
        text=lines.fact_line(hit, fact, language),
        order=(width, RANK[fact.memory_type], not stable, fact.fact_id.int, fact.segment),
        hit=hit,
        citation=lines.mark(hit),
        stable=stable,
    )


def history_pieces(material: Material) -> list[Piece]:
    """What is not known any more, and what held when, where that was asked; each fact cited as itself."""
    names = HEADINGS[material.language]
    found = []
    for place, item in enumerate(material.gone):
        hit = _told(item.fact, "held before, not known any more")
        text = lines.gone_line(hit, item, material.language)
        found.append(_cited(GONE, names[GONE], text, hit, place))
    for place, row in enumerate(material.past):
        hit = _told(row, "held over that period")
        found.append(_cited(PAST, names[PAST], lines.past_line(hit, row, material.language), hit, place))
    return found


def _told(fact: Fact, reason: str) -> Hit:
    """A fact that is told as history."""
    hit = fact_hit(fact, channel="facts", score=1.0, parts={}, reason=reason)
    return replace(hit, why=replace(hit.why, flags=(*hit.why.flags, "history")))


def summary_pieces(material: Material) -> list[Piece]:
    """Lines of summaries, each with what is shown in its place."""
    heading = HEADINGS[material.language][SUMMARY]
    found = []
    for place, line in enumerate(material.summary):
        text = lines.summary_line(line.hit, line.field, line.text, line.place, material.language)
        piece = _cited(SUMMARY, heading, text, line.hit, place)
        source = None if line.source is None else source_piece(line.source, material.language, place)
        citation = f"{piece.citation}.{line.place}"
        found.append(replace(piece, citation=citation, instead=source))
    return found


def source_piece(hit: Hit, language: str, place: int) -> Piece | None:
    """A fact or evidence that stands for a retelling of it, after what was found for the question itself."""
    if isinstance(hit.item, Fact):
        return fact_piece(hit, hit.item, language)
    if isinstance(hit.item, Evidence):
        text = lines.evidence_line(hit, hit.item, language)
        return _cited(EVIDENCE, HEADINGS[language][EVIDENCE], text, hit, 1_000_000 + place)
    return None


def window_pieces(material: Material, most: int) -> list[Piece]:
    """The latest messages, the newest first; each stands where it was said. A turn of a person or agent is a chat message
    too."""
    heading = HEADINGS[material.language][WINDOW]
    found = []
    for place, hit in enumerate(material.window[-most:] if most else ()):
        if isinstance(hit.item, Evidence):
            role, said = lines.role_of(hit.item), tame(hit.item.content).strip()
            text = lines.evidence_line(hit, hit.item, material.language)
            piece = _cited(WINDOW, heading, text, hit, place)
            found.append(replace(piece, said=(role, said) if role and said else ("user", as_data(text))))
    return found[::-1]


def as_data(text: str) -> str:
    """A line of memory by itself inside a message of the conversation."""
    return f"{PLAIN_FENCE[0]}\n{text}\n{PLAIN_FENCE[1]}"


def evidence_pieces(material: Material) -> list[Piece]:
    """What was said, best first."""
    heading = HEADINGS[material.language][EVIDENCE]
    return [
        _cited(EVIDENCE, heading, lines.evidence_line(hit, hit.item, material.language), hit, place)
        for place, hit in enumerate(material.evidence)
        if isinstance(hit.item, Evidence)
    ]


def knowledge_pieces(material: Material) -> list[Piece]:
    """Passages of sources outside, best first."""
    heading = HEADINGS[material.language][KNOWLEDGE]
    return [
        _cited(KNOWLEDGE, heading, lines.passage_line(hit, hit.item, material.language), hit, place)
        for place, hit in enumerate(material.knowledge)
        if isinstance(hit.item, Passage)
    ]


def named_pieces(material: Material) -> Mapping[str, list[Piece]]:
    """The sections whose lines come as they are."""
    texts = {
        SYSTEM: material.system,
        QUESTION: (material.question,),
        TASK: material.task,
        TASK_STATE: material.task_state,
        WORKFLOW: material.workflow,
        CONFLICTS: material.conflicts,
    }
    return {section: plain_pieces(section, found, material.language) for section, found in texts.items()}


def _cited(section: str, heading: str, text: str, hit: Hit, place: int) -> Piece:
    return Piece(section=section, heading=heading, text=text, order=(place,), hit=hit, citation=lines.mark(hit))
