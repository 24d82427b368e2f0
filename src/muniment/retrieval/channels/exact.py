"""Exact keys and slots, never by similarity.

identifier → where it stands → the attribute asked: 'the order number of the user 138…' finds the evidence that holds that
phone, and in it the order number. One look-alike digit is another key. A slot asked for by name is read as it is held.

Belongs here: look-ups. Does not belong here: reading the question (`asked`).
"""

from __future__ import annotations

from uuid import UUID

from muniment.domain.answers import Hit
from muniment.domain.enums import Eligibility
from muniment.domain.records import Evidence
from muniment.ports.store import FactFilter, ReadUnit, StoredIdentifier
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.asked import Asked, own_slot, read
from muniment.retrieval.channels.hits import evidence_hit, fact_hit

PINNED = 3
"""More hits than this do not single anything out; then the key is left to the keyword side."""


class ExactChannel:
    """Look-ups by normalised identifier and by slot."""

    name = "exact"
    semantic = False

    @staticmethod
    def concerns(ask: Ask) -> bool:
        """Whether the question names anything that could be looked up; read off its words alone."""
        return bool(read(ask.query, ask.policy).keys) or own_slot(ask.query, ask.policy) is not None

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """Exact hits, and whether they are the value asked for, so that no semantic channel and no embedder is called."""
        asked = read(ask.query, ask.policy)
        predicate = own_slot(ask.query, ask.policy)
        if predicate is not None and not asked.keys:
            hits = [hit for hit in self._slot(ask, unit, predicate) if ask.admits(hit.item)]
            if hits:
                return Recall(hits=hits, answers=True, reason=f"the question asks for the reader's own {predicate}")
        hits = [hit for hit in self._keys(ask, unit, asked) if ask.admits(hit.item)]
        if not hits:
            named = ", ".join(kind for kind, _ in asked.keys)
            return Recall(reason=f"{named} named, not held" if named else "no identifier or slot is asked for")
        whole = asked.for_value and asked.attribute is not None
        reason = "an identifier is named" + (", and its value asked for" if whole else "")
        return Recall(hits=hits, answers=whole, reason=reason)

    def _slot(self, ask: Ask, unit: ReadUnit, predicate: str) -> list[Hit]:
        rows = unit.facts(FactFilter(predicate=predicate, subject="user"))
        return [
            fact_hit(row, channel=self.name, score=1.0, parts={"slot": 1.0}, reason=f"slot {predicate}") for row in rows
        ]

    def _keys(self, ask: Ask, unit: ReadUnit, asked: Asked) -> list[Hit]:
        """Evidence that holds the named keys and, where an attribute is asked for, a key of that kind."""
        hits: list[Hit] = []
        for kind, value in asked.keys:
            found = [item for item in unit.identifiers(kind, value) if item.held]
            pieces = self._pieces(unit, found)
            beside = (
                self._beside(unit, list(pieces), asked.attribute, value) if asked.attribute not in (None, kind) else {}
            )
            chosen = [pieces[ref] for ref in pieces if not beside or ref in beside]
            if len(chosen) > PINNED:
                continue
            for piece in chosen:
                keys = beside.get(piece.evidence_id, [])
                said = f"{kind} {value}" + "".join(f" → {asked.attribute} {key}" for key in keys)
                hits.append(evidence_hit(piece, channel=self.name, score=1.0, parts={"identifier": 1.0}, reason=said))
        return list({hit.id: hit for hit in hits}.values())

    @staticmethod
    def _pieces(unit: ReadUnit, found: list[StoredIdentifier]) -> dict[UUID, Evidence]:
        pieces = unit.evidence(item.ref for item in found)
        return {ref: piece for ref, piece in pieces.items() if piece.eligibility is not Eligibility.AUDIT_ONLY}

    @staticmethod
    def _beside(unit: ReadUnit, refs: list[UUID], attribute: str | None, value: str) -> dict[UUID, list[str]]:
        """Keys of the asked kind that stand in the same evidence."""
        found: dict[UUID, list[str]] = {}
        for item in unit.identifiers_in(refs):
            if item.kind == attribute and item.value != value:
                found.setdefault(item.ref, []).append(item.value)
        return found

    def lookup(self, ask: Ask, unit: ReadUnit, *, kind: str, value: str) -> list[Hit]:
        """Everything one normalised key stands in."""
        pieces = self._pieces(unit, unit.identifiers(kind, value))
        said = f"{kind} {value}"
        return [
            evidence_hit(piece, channel=self.name, score=1.0, parts={"identifier": 1.0}, reason=said)
            for piece in pieces.values()
        ]
