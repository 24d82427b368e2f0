"""The story of a session, of a task, of a user: the rolling summaries, each line checked against what it rests on.

Belongs here: which summaries are shown, and whether one answers the question. Does not belong here: how they are made
(service/summaries.py), how they are rendered (`sections`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final

from muniment.domain.answers import Dropped, Hit
from muniment.domain.enums import Eligibility, ItemKind, Scope
from muniment.domain.query import Proposal
from muniment.domain.scope import Placement, precedence
from muniment.domain.summaries import FIELDS, Line, Summary
from muniment.ports.index import Index
from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.channels.hits import strongest, summary_hit
from muniment.retrieval.channels.proposals import SPARE, index_query
from muniment.retrieval.resting import as_they_stand
from muniment.retrieval.route import case_of, without_case
from muniment.text.tokenizer import STOP_WORDS, tokenize

STALE: Final = "what this line of a summary rests on does not hold any more"
OWN: Final[Mapping[Scope, str]] = {
    Scope.SESSION: "the story of this session",
    Scope.TASK: "the story of this task",
    Scope.USER: "the story across sessions",
}


@dataclass(frozen=True, slots=True)
class SummaryChannel:
    """The rolling summaries: those the index proposes, and the reader's own."""

    index: Index
    name = "summary"
    semantic = True

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """The summaries that bear on the question, the narrowest place first, with only the lines that still stand."""
        recall = Recall()
        if ask.types is not None or ask.where is not None:
            # A summary has no memory type and no metadata: a question for those does not mean it.
            return recall
        query = index_query(
            ask, unit, ItemKind.SUMMARY, k=ask.k * SPARE, eligibility=frozenset({Eligibility.ELIGIBLE.value})
        )
        near = {item.ref: item for item in reversed(self.index.search(unit, query))}
        found = {item.summary_id: item for item in unit.summaries(ids=near)}
        own = {item.summary_id: item for item in unit.summaries(places=_own(ask))}
        written = [item for item in {**found, **own}.values() if _covers(ask, item)]
        for before, item in zip(written, as_they_stand(unit, written, ask.policy), strict=True):
            kept = set(item.lines)
            recall.dropped += [
                # Without its words: what it rests on may not be this reader's to see any more.
                Dropped(id=item.summary_id, reason=STALE)
                for line in before.lines
                if line not in kept
            ]
            if item.lines:
                self._show(ask, item, near.get(item.summary_id), item.summary_id in own, recall)
        recall.hits = list(_told_once(sorted(recall.hits, key=_order)))
        recall.answers = _answers(ask, recall.hits)
        return recall

    def _show(self, ask: Ask, item: Summary, near: Proposal | None, own: bool, recall: Recall) -> None:
        """Adds a summary as a hit, unless it is too little of an answer and not asked for as the reader's own."""
        relevance = 0.0 if near is None else near.relevance
        floor = ask.policy.retrieval.floor if ask.min_score is None else ask.min_score
        if relevance < floor and (not own or ask.min_score is not None):
            reason = "below min_score" if ask.min_score is not None else "below the floor"
            recall.dropped.append(Dropped(id=item.summary_id, reason=reason, text=item.content[:120]))
            return
        parts = {**({} if near is None else near.parts), "relevance": relevance}
        why = OWN.get(item.placement.scope, "a summary") if own or near is None else strongest(near.parts)
        score = 0.0 if near is None else near.score
        recall.hits.append(summary_hit(item, channel=self.name, score=score, parts=parts, reason=why))


def _own(ask: Ask) -> list[Placement]:
    """The places whose story is the reader's own: their session and task, and all of theirs where the question asks what has
    been going on or the caller asks for summaries by name."""
    who = ask.reader
    places = []
    if who.session is not None:
        places.append(Placement(scope=Scope.SESSION, user=who.user, session=who.session))
    if who.task is not None:
        places.append(Placement(scope=Scope.TASK, user=who.user, task=who.task))
    if ask.channels is not None or case_of(ask.query) in ("context", "ongoing"):
        places.append(Placement(scope=Scope.USER, user=who.user))
    return places


def _covers(ask: Ask, item: Summary) -> bool:
    """Whether what a summary covers touches the time that is asked about."""
    begins = ask.until is None or item.covers_from is None or item.covers_from < ask.until
    return begins and (ask.since is None or item.covers_until is None or item.covers_until >= ask.since)


def _order(hit: Hit) -> tuple[int, float]:
    placed = hit.item.placement if isinstance(hit.item, Summary) else None
    return (0 if placed is None else -precedence(placed), -hit.score)


def _told_once(hits: Sequence[Hit]) -> Iterator[Hit]:
    """The hits without the lines of a wider summary that a narrower one tells too; none that has nothing of its own to tell."""
    told: set[Line] = set()
    for hit in hits:
        if isinstance(hit.item, Summary):
            own: Any = {name: tuple(line for line in getattr(hit.item, name) if line not in told) for name in FIELDS}
            told.update(hit.item.lines)
            if any(own.values()):
                yield replace(hit, item=replace(hit.item, **own))


def _answers(ask: Ask, hits: Sequence[Hit]) -> bool:
    """Whether single turns are spared: one line has every word that the question asks about, beside those by which it asks
    for a story at all; one that asks about nothing in particular is answered by the story itself."""
    rest = _telling().sub(" ", without_case(ask.query))
    words = {token for token in tokenize(rest) if any(char.isalnum() for char in token)} - STOP_WORDS
    shown = [hit.item for hit in hits if isinstance(hit.item, Summary)]
    return bool(shown) if not words else any(words <= set(tokenize(line.text)) for item in shown for line in item.lines)


@cache
def _telling() -> re.Pattern[str]:
    """The words of a question that say only that something was said."""
    text = (resources.files("muniment.retrieval.channels") / "summary.toml").read_text(encoding="utf-8")
    words = tomllib.loads(text)["telling"]
    return re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(words['en'])})(?![A-Za-z])|{'|'.join(words['zh'])}", re.IGNORECASE)
