"""How one item of a context reads: one line of data, with what limits it and a citation mark.

Belongs here: the wording of lines, English and Chinese. Does not belong here: the fence (`fence`), what goes in (`build`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from muniment.domain.answers import Hit
from muniment.domain.enums import ActorType, EvidenceType, Scope, Standing
from muniment.domain.passages import Passage
from muniment.domain.records import Evidence, Fact
from muniment.domain.summaries import Summary
from muniment.retrieval import history
from muniment.retrieval.adjudicate import ENDING, OLD, OVER
from muniment.retrieval.fence import one_line, reads_as_heading, tame
from muniment.retrieval.gone import Gone

KINDS: Final[Mapping[type, str]] = {Fact: "f", Evidence: "e", Summary: "s", Passage: "k"}
"""The letter of a citation, by what is cited."""

_SAID_OF: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        history.HISTORY: "no longer holds", history.PAST: "of a time that is over", history.ELSEWHERE: "about another place",
        history.EARLIER: "earlier, perhaps no longer so", history.UNVERIFIED: "unverified", "summary": "derived",
        "outside": "outside source, not vouched for",
        "topic": "topic", "confirmed": "confirmed", "open_items": "open", "entities": "about", "mood": "mood",
    },
    "zh": {
        history.HISTORY: "已不再成立", history.PAST: "说的是已过去的时间", history.ELSEWHERE: "说的是别处",
        history.EARLIER: "较早的说法，可能已变", history.UNVERIFIED: "未经证实", "summary": "转述",
        "outside": "外部资料，未经核实",
        "topic": "主题", "confirmed": "已确认", "open_items": "待办", "entities": "涉及", "mood": "情绪",
    },
}  # fmt: skip
FIELDS: Final = ("topic", "confirmed", "open_items", "entities", "mood")
"""The fields of a summary, in their order."""


def mark(hit: Hit) -> str:
    """A citation that stays the same for the same item: its kind and the end of its id."""
    return f"{KINDS[type(hit.item)]}-{hit.id.hex[-8:]}"


def to_the_letter(fact: Fact) -> str:
    """A fact's words: in one line, but for a value of several lines (an error text, an address), which is kept as it is unless
    one of its lines could be taken for something else than data."""
    value = fact.value or ""
    if "\n" not in value or value not in fact.content or tame(value) != value:
        return one_line(fact.content)
    # Behind the last line comes the citation, whose bracket would close one that the line begins with.
    if any(reads_as_heading(line) for line in f"{value}]".split("\n")):
        return one_line(fact.content)
    before, _, after = fact.content.partition(value)
    joints = (" " if before[-1:].isspace() else "", " " if after[:1].isspace() else "")
    return f"{one_line(before)}{joints[0]}{value}{joints[1]}{one_line(after)}"


def fact_line(hit: Hit, fact: Fact, language: str) -> str:
    """A fact with what limits it: a narrow scope, an end that is known, a last word of long ago, a dispute."""
    english = language == "en"
    notes = []
    if fact.scope in (Scope.TASK, Scope.SESSION):
        notes.append(f"this {fact.scope.value.lower()} only" if english else "仅限本次")
    if fact.valid_until is not None:
        notes.append(_until(hit, fact.valid_until, english=english))
    if OLD in hit.why.flags and hit.why.confirmed is not None:
        notes.append(("as of " if english else "截至最近确认 ") + _day(hit.why.confirmed))
    if fact.standing is Standing.UNPLACED:
        notes.append("it is not known when" if english else "时间不明")
    if history.EARLIER in hit.why.flags:
        notes.append(_SAID_OF[language][history.EARLIER])
    if fact.standing is Standing.DISPUTED:
        notes.append("disputed" if english else "有争议")
    return f"- {to_the_letter(fact)}{' (' + '; '.join(notes) + ')' if notes else ''} [{mark(hit)}]"


def _until(hit: Hit, end: datetime, *, english: bool) -> str:
    """The end of a fact, with whether that is near or past."""
    near = {ENDING: ", soon over", OVER: ", now over"} if english else {ENDING: "，即将结束", OVER: "，现已结束"}
    said = next((words for flag, words in near.items() if flag in hit.why.flags), "")
    return ("until " if english else "截至 ") + _day(end) + said


def gone_line(hit: Hit, item: Gone, language: str) -> str:
    """That something is not known any more, since when and why, and what was known before."""
    before = one_line(item.fact.content)
    because = [one_line(name) for name in item.because]
    if language == "zh":
        since = "现已不确知" if item.since is None else f"自 {_day(item.since)} 起不再确知"
        why = f"（{'、'.join(because)}已变更）" if because else ""
        return f"- {since}{why}；此前：{before} [{mark(hit)}]"
    since = "not known any more" if item.since is None else f"not known since {_day(item.since)}"
    why = f" ({', '.join(because)} changed)" if because else ""
    return f"- {since}{why}; previously: {before} [{mark(hit)}]"


def past_line(hit: Hit, fact: Fact, language: str) -> str:
    """A value with the period it held over."""
    start = "" if fact.valid_from is None else _day(fact.valid_from)
    now = {"en": "now", "zh": "至今"}[language]
    end = now if fact.valid_until is None else _day(fact.valid_until)
    return f"- ({start} – {end}) {one_line(fact.content)} [{mark(hit)}]"


def evidence_line(hit: Hit, piece: Evidence, language: str = "en") -> str:
    """What was said, when by the clock it was said at, by whom, how often, and what makes it less than sure."""
    when = "" if piece.occurred is None else _day(piece.occurred.local())
    who = one_line(piece.speaker or "") or _source_of(piece)
    words = _SAID_OF[language]
    notes = [words[flag] for flag in hit.why.flags if flag in words and flag in history.BEHIND]
    if hit.why.count > 1:
        notes.append(f"said {hit.why.count} times" if language == "en" else f"说过 {hit.why.count} 次")
    head = ", ".join(part for part in (when, who, *notes) if part)
    return f"- ({head}) {one_line(piece.content)} [{mark(hit)}]"


def _source_of(piece: Evidence) -> str:
    """Whose word a piece is shown as: a document's whoever handed it in, never the user's own."""
    if piece.evidence_type is EvidenceType.DOCUMENT:
        return "document"
    if piece.evidence_type is not EvidenceType.CONVERSATION and piece.actor in (ActorType.USER, ActorType.AGENT):
        return piece.evidence_type.value.lower()
    return piece.actor.value.lower()


def summary_line(hit: Hit, field: str, text: str, place: int, language: str) -> str:
    """A line of a summary with its field; the citation names the line."""
    return f"- {_SAID_OF[language][field]}: {one_line(text)} [{mark(hit)}.{place}]"


def passage_line(hit: Hit, passage: Passage, language: str) -> str:
    """A passage of a source outside, with where it stands there and in which version."""
    version = f"v{one_line(passage.version)}" if passage.version else ""
    where = [one_line(part) for part in (passage.source, passage.title or "", passage.locator or "") if part]
    head = ", ".join(part for part in (_SAID_OF[language]["outside"], *where, version) if part)
    return f"- ({head}) {one_line(passage.content)} [{mark(hit)}]"


def plain_line(text: str) -> str:
    """A line without a citation: a caller's rule, a step of a task, a sentence about a conflict."""
    return f"- {one_line(text)}"


def role_of(piece: Evidence) -> str | None:
    """The chat role of who spoke; None for what is data: a tool's result, a document, what the system noted."""
    if piece.evidence_type is not EvidenceType.CONVERSATION:
        return None
    return {ActorType.USER: "user", ActorType.AGENT: "assistant"}.get(piece.actor)


def _day(at: datetime) -> str:
    return at.date().isoformat()
