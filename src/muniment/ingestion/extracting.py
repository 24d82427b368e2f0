"""Step 2: what an extractor finds in the evidence of an event, and what it is given to read it with.

Belongs here: the turn as an extractor sees it, whose the found words are, what of a model's answers is kept. Does not belong
here: extractors (models/), the transactions of the write path (`pipeline`, `processing`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import ActorType, Eligibility
from muniment.domain.errors import InvalidInput, ModelError
from muniment.domain.records import Candidate, Event, Evidence
from muniment.domain.scope import Reader
from muniment.domain.statement import canonical
from muniment.domain.usage import Usage
from muniment.ingestion.outcome import attributed, offered, said_by_user
from muniment.ingestion.refused_clauses import parted
from muniment.ingestion.retracting import forgetting
from muniment.ingestion.rewording import as_statement
from muniment.ingestion.stated import clean_candidate
from muniment.ports.models import Extractor, Kept, Known, Turn
from muniment.ports.store import FactFilter, ReadUnit, Work
from muniment.text.pasted import blanked
from muniment.text.retractions import retractions
from muniment.text.sanitise import sanitise
from muniment.text.standing import withheld

BEFORE: Final = 3
"""Earlier turns of the session that an extractor may look at."""
TURN_CHARS: Final = 2_000
"""Characters of an earlier turn that it is given."""
KNOWN_READ: Final = 200
"""The latest facts among which those are looked for that have to do with a turn."""
LAID_BY: Final = 50
"""Pieces of a model's answers that are kept for whoever looks into them."""
LAID_BY_CHARS: Final = 2_000

_WORD: Final = re.compile(r"[^\W_]{3,}")

Progress = Callable[[int, int], object]
"""Is told how many parts of an event are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What an extractor is given beside the event itself; see `ports.models.Turn`."""

    before: tuple[tuple[ActorType, str], ...] = ()
    known: tuple[Known, ...] = ()
    kept: Kept | None = None
    progress: Progress | None = None


NOTHING: Final = Around()


def extracted(
    extractor: Extractor, policy: Policy, reader: Reader, event: Event, evidence: Sequence[Evidence], around: Around
) -> list[Candidate]:
    """What the extractor finds; first in what everyone may read, then what only the whole, kept for the auditor, holds.

    It is not shown what nobody said in the turn (our own recalled context, instructions for a model), nor what the speaker
    asks not to keep. Raises `ModelError`.
    """
    found: list[Candidate] = []
    for piece in sorted(evidence, key=lambda piece: piece.eligibility is Eligibility.AUDIT_ONLY):
        own = said_by_user(event, piece)
        if own and withheld(piece.content):
            continue
        asked = retractions(piece.content) if own else []
        found += [_sound(extractor, forgetting(item, piece), policy) for item in asked]
        turn = Turn(
            text=blanked(offered(event, piece.content), [(item.start, item.end) for item in asked]),
            actor=event.actor_type,
            evidence_type=piece.evidence_type,
            occurred=event.occurred,
            reader=reader,
            evidence_id=piece.evidence_id,
            speaker=piece.speaker,
            before=around.before,
            for_audit=piece.eligibility is Eligibility.AUDIT_ONLY,
            known=around.known,
            kept=around.kept,
            progress=around.progress,
        )
        seen = {(item.memory_type, item.quote) for item in found}
        for item in _read(extractor, turn, policy):
            if (item.memory_type, item.quote) not in seen:
                rests = (piece.evidence_id,) if event.event_type == PASSAGE_EVENT else item.derived_from
                said = replace(attributed(item, piece, reader), evidence=(piece.evidence_id,), derived_from=rests)
                found.append(_sound(extractor, said, policy))
    return found


def _read(extractor: Extractor, turn: Turn, policy: Policy) -> list[Candidate]:
    """The extractor's candidates, said as statements, and parted where a clause of one is never kept."""
    found = extractor.extract(turn)
    if extractor.local:
        found = parted(turn, found, policy.sensitivity.mask, extractor.extract)
    return [as_statement(item) for item in found]


def _sound(extractor: Extractor, candidate: Candidate, policy: Policy) -> Candidate:
    """An extractor's candidate, cleaned. One that cannot be kept is the extractor's failure, not the speaker's."""
    try:
        return clean_candidate(candidate, policy)
    except InvalidInput as error:
        raise ModelError(f"extractor {extractor.id} gave what cannot be kept: {error}") from error


def read_around(unit: ReadUnit, event: Event, policy: Policy, *, kept: Kept, progress: Progress | None) -> Around:
    """What an extractor that asks a model is given with an event: the turns before it in its session that may be read, and facts
    that are held of its user, those first that share words with it."""
    evidence = unit.evidence_of_event(event.event_id)
    parts = _parts(" ".join(piece.content[:TURN_CHARS] for piece in evidence))
    limit = policy.extraction.known
    facts = unit.facts(FactFilter(newest=True, limit=KNOWN_READ)) if limit else []
    mine = [fact for fact in facts if fact.placement.user == unit.reader.user]
    mine.sort(key=lambda fact: -len(parts & _parts(fact.content)))
    known = tuple(
        Known(
            fact_id=fact.fact_id,
            memory_type=fact.memory_type,
            content=fact.content,
            subject=fact.subject,
            predicate=fact.predicate,
            qualifier=fact.qualifier,
            value=fact.value,
        )
        for fact in mine[:limit]
    )
    return Around(before=said_before(unit, event, written=True), known=known, kept=kept, progress=progress)


def _parts(text: str) -> frozenset[str]:
    """Words of a text, and pairs of characters of what is written without spaces."""
    plain = canonical(text)
    return frozenset(_WORD.findall(plain)) | {a + b for a, b in pairwise(plain) if min(a, b) >= "\u2e80"}


def said_before(unit: ReadUnit, event: Event, *, written: bool = False) -> tuple[tuple[ActorType, str], ...]:
    """The last turns of the event's session that may be read, oldest first; of an event that is `written`, those before it."""
    session = event.placement.session
    if session is None:
        return ()
    earlier = [
        piece
        for piece in unit.session_evidence(session, 4 * BEFORE + 20 if written else 2 * BEFORE)
        if (not written or piece.recorded_at < event.recorded_at)
        and piece.event_id != event.event_id
        and piece.eligibility is Eligibility.ELIGIBLE
    ]
    return tuple((piece.actor, piece.content[:TURN_CHARS]) for piece in earlier[-BEFORE:])


@dataclass(slots=True)
class KeptAnswers:
    """What a model answered about one event so far. `write` puts it, with what was spent, where it outlasts this process."""

    write: Callable[[str, Usage], None]
    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    aside: list[dict[str, str]] = field(default_factory=list)
    owed: Usage = field(default_factory=Usage)

    @classmethod
    def of(cls, work: Work | None, write: Callable[[str, Usage], None]) -> KeptAnswers:
        """From what was kept when the event was tried last."""
        data: dict[str, Any] = json.loads(work.answers) if work is not None and work.answers else {}
        return cls(write=write, answers=dict(data.get("answers", {})))

    def answered(self, key: str) -> Mapping[str, Any] | None:
        """What was answered under a key."""
        return self.answers.get(key)

    def keep(self, key: str, answer: Mapping[str, Any], usage: Usage) -> None:
        """Keeps an answer; durable when this returns."""
        self.answers[key] = answer
        self.write(_json({"answers": self.answers}), self.owed + usage)
        self.owed = Usage()

    def lay_by(self, why: str, said: str) -> None:
        """Keeps a piece that could not be used; durable with the event's end."""
        if len(self.aside) < LAID_BY:
            self.aside.append({"why": why, "said": said[:LAID_BY_CHARS]})

    def spent(self, usage: Usage) -> None:
        """Counts what led to no answer."""
        self.owed += usage

    def at_end(self, *, failed: bool) -> str | None:
        """What stays with the event: what could not be used, and the answers where it is to be tried again; None for neither."""
        data: dict[str, Any] = {"answers": self.answers} if failed and self.answers else {}
        if self.aside:
            data["aside"] = self.aside
        return _json(data) if data else None


def _json(data: Mapping[str, Any]) -> str:
    """As JSON in which words stand as they are, so that an erase finds them, and nothing that a store cannot hold."""
    return sanitise(json.dumps(data, ensure_ascii=False)).text


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """What of a model's answers about an event could not be used: `aside` is each piece with its reason before it. `state` is
    the event's (DONE, FAILED, PARKED), `error` what it was left with, `usage` what asking about it cost."""

    event: UUID
    state: str
    error: str | None
    aside: tuple[tuple[str, str], ...]
    usage: Usage


def unread_of(work: Work) -> Unread:
    """From how far an event is understood."""
    data = json.loads(work.answers) if work.answers else {}
    aside = tuple((item["why"], item["said"]) for item in data.get("aside", []))
    return Unread(event=work.event_id, state=work.state, error=work.error, aside=aside, usage=work.usage)


def left_over(aside: Sequence[object]) -> str | None:
    """In a line that nothing of the content stands in, how much was not used; None where all was."""
    return f"{len(aside)} piece(s) of the model's answers were not used" if aside else None
