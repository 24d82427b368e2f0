"""Purging: what retention says is over is erased, by the same way as a person's request to erase, as an act of the system.

Belongs here: what of the due goes with what, one user's slice in one transaction. Does not belong here: what is due
(store/due.py), how erasing is done (`erasing`), when it is (service/lifecycle.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from muniment.domain.enums import ActorType, Eligibility, OwnerType
from muniment.domain.forgotten import Selector
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.scope import PartitionKey, Reader
from muniment.ingestion.erasing import ERASE
from muniment.ingestion.forgetting_many import Forgetting
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.selecting import PROBE, Plan, finished, otherwise_told, telling, with_words
from muniment.ports.lifecycle import Due, Past
from muniment.ports.store import Locks, WriteUnit

SLICE: Final = 200
"""Facts, and pieces of evidence, that one transaction takes."""
ACTOR: Final = "lifecycle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Purging(Forgetting):
    """Erasing one slice of what is due of one user. What it takes is read under the locks, so that two processes never take
    the same, and what was told again meanwhile stays."""

    wanted: Past

    @classmethod
    def of(cls, pipeline: Pipeline, tenant: str, user: str, wanted: Past) -> Purging:
        """The next slice of what is due of a user."""
        home = Reader(tenant=tenant, user=user)
        return cls(
            pipeline=pipeline,
            reader=home,
            subject=home,
            selector=Selector(by="retention", value=wanted.kind, user=user),
            mode="erase",
            reason=f"retention: {wanted.kind}",
            key=None,
            expected=None,
            wanted=wanted,
        )

    def _said(self) -> Observation:
        return Observation(
            content=self.reason or ERASE,
            actor=ActorType.SYSTEM,
            actor_id=ACTOR,
            event_type=RESERVED + ERASE,
            payload={"by": self.selector.by, "mode": self.mode},
        )

    def _plan(self, unit: WriteUnit) -> Plan:
        due = unit.due(self.wanted, limit=SLICE)
        if not (due.facts or due.evidence):
            return Plan()
        if self.wanted.kind == "scoped":
            found = with_words(unit, self.selector, set(due.facts), erase=True, spare=True)
        else:
            found = _whole(unit, self.selector, due)
        found = finished(unit, self.selector, found)
        if self.wanted.kind != "hidden":
            found = replace(found, probes=_long(found, unit))
        self._free(unit, found)
        return found


def _whole(unit: WriteUnit, selector: Selector, due: Due) -> Plan:
    """The facts and pieces as they are named, with what was proposed in them. A fact that stays, of which versions told in
    these pieces were hidden, says only what still stands."""
    pieces = unit.pieces(due.evidence)
    acts = unit.acts_on(due.facts, user=selector.user)
    spoken = unit.pieces(unit.evidence_on(acts))
    facts = set(due.facts)
    elsewhere = unit.told_on(spoken)
    pieces |= {ref: piece for ref, piece in spoken.items() if set(elsewhere.get(ref, ())) <= facts}
    acts = [ref for ref in acts if all(piece in pieces for piece in unit.evidence_on([ref]))]
    candidates = {item.candidate_id for item in unit.candidates_on(evidence=pieces, facts=facts)}
    return Plan(
        facts=due.facts,
        evidence=tuple(sorted(pieces)),
        candidates=tuple(sorted(ref for ref in candidates if ref is not None)),
        events=tuple(sorted({*unit.events_of(pieces).values(), *acts})),
        reworded=otherwise_told(unit, due.partly, set(pieces)),
        pieces=pieces,
    )


def _long(found: Plan, unit: WriteUnit) -> tuple[str, ...]:
    """Beginnings of what was said, without bare values: nobody asked to forget those, and what stays may well say them."""
    gone = [piece.content for ref, piece in found.pieces.items() if ref not in found.rests]
    told = [content for some in unit.versions(found.facts).values() for content, _ in some]
    return tuple(sorted({text.strip()[:PROBE] for text in _texts(gone, told) if telling(text)}))


def _texts(*lists: Iterable[str]) -> Iterable[str]:
    return (text for some in lists for text in some)


def archive(pipeline: Pipeline, tenant: str, user: str, wanted: Past) -> int:
    """Offers a slice of a user's evidence, whose every fact is over, as history only; how many pieces that were."""
    home = PartitionKey(tenant=tenant, kind=OwnerType.USER, target=user)

    def work(unit: WriteUnit) -> tuple[UUID, ...]:
        due = unit.due(wanted, limit=SLICE).evidence
        if due:
            unit.set_eligibility(due, Eligibility.HISTORY)
        else:
            unit.leave()
        return due

    return len(pipeline.writing(Reader(tenant=tenant, user=user), Locks(partitions=(home,)), work))
