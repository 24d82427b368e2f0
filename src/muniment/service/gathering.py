"""What one version of a summary is made of, read as of one snapshot and let go.

Belongs here: which turns, facts and sessions' summaries that is, with the eyes of a plain reader of the place. Does not belong
here: what is made of it and kept (`summaries`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from muniment.domain.enums import ActorType, EvidenceType, OwnerType, Scope
from muniment.domain.records import Evidence
from muniment.domain.scope import PartitionKey, Placement
from muniment.domain.scope import Reader as Identity
from muniment.domain.statement import canonical
from muniment.domain.summaries import Summary
from muniment.ports.models import Material, Said
from muniment.ports.store import ReadUnit
from muniment.retrieval.resting import as_they_stand, facts_standing, pieces_standing
from muniment.service.parts import Parts

TURNS: Final = 5_000
"""Turns that one summary is made of, the latest; what was before them has left the conversation's story."""
CHARS: Final = 4_000
"""Characters of one turn that are read, in whole sentences."""
FACTS: Final = 500
"""Facts of one session or task that are read, those told last."""
STORIES: Final = 60
"""Sessions that a user's summary is folded from, the latest."""
PARTS: Final = frozenset(
    {"", "user", "me", "human", "agent", "assistant", "ai", "bot", "system", "用户", "我", "助手", "客服"}
)
"""What speakers are called who are not named."""
_SPEAKING: Final = (ActorType.USER, ActorType.AGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything one version is made of, as of one snapshot."""

    material: Material
    stories: tuple[Summary, ...]
    earlier: Summary | None
    epoch: int
    made_from: str

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.material.turns or self.material.facts or self.stories)


def gathered_of(parts: Parts, reader: Identity, place: Placement) -> Gathered:
    """Reads what a version is made of. A user's is made of their sessions' summaries, any other of what was said."""
    home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
    with parts.store.read(reader) as unit:
        epoch, earlier = unit.epoch(home), current(unit, place)
        if place.scope is Scope.USER:
            found = as_they_stand(unit, unit.stories(STORIES), parts.policy)
            stories = tuple(item for item in found if item.lines)
            material = Material(turns=(), facts=())
        else:
            stories, material = (), _material(unit, parts, place)
        checked = None if earlier is None else as_they_stand(unit, [earlier], parts.policy)[0]
    material = Material(turns=material.turns, facts=material.facts, earlier=checked)
    return Gathered(
        material=material,
        stories=stories,
        earlier=earlier,
        epoch=epoch,
        made_from=_digest(parts, material, stories),
    )


def current(unit: ReadUnit, place: Placement) -> Summary | None:
    """The version of a place that stands, as it was written."""
    return next(iter(unit.summaries(places=[place])), None)


def _material(unit: ReadUnit, parts: Parts, place: Placement) -> Material:
    """The turns that may be told and the facts that hold, of one session or task."""
    pieces = unit.turns(place, limit=TURNS, chars=CHARS)
    spoken = [
        piece for piece in pieces if piece.evidence_type is EvidenceType.CONVERSATION and piece.actor in _SPEAKING
    ]
    told = pieces_standing(unit, spoken)
    vectors = unit.vectors([piece.evidence_id for piece in told])
    facts = facts_standing(unit, unit.told_in(place, limit=FACTS), parts.policy)
    return Material(
        turns=tuple(_turn(piece, vectors.get(piece.evidence_id, b""), unit.reader.user) for piece in told),
        facts=tuple(facts),
    )


def _turn(piece: Evidence, vectors: bytes, user: str) -> Said:
    """A piece as a turn. A speaker that only names the part, or the user, is no name to tell."""
    named = canonical(piece.speaker or "") not in {*PARTS, canonical(user)}
    return Said(
        evidence_id=piece.evidence_id,
        text=piece.content,
        actor=piece.actor,
        at=piece.recorded_at if piece.occurred is None else piece.occurred.at,
        recorded_at=piece.recorded_at,
        speaker=piece.speaker if named else None,
        vectors=vectors,
    )


def _digest(parts: Parts, material: Material, stories: Sequence[Summary]) -> str:
    """Names exactly this material and what makes a summary of it: 32 digits."""
    named: list[str] = [parts.summariser.id, str(parts.policy.summary.tokens)]
    named += [str(turn.evidence_id) for turn in material.turns]
    named += [f"{fact.fact_id}.{fact.revision}" for fact in material.facts]
    named += [f"{item.summary_id}.{item.version}\n{item.content}" for item in stories]
    return hashlib.sha256("\n".join(named).encode("utf-8", "surrogatepass")).hexdigest()[:32]
