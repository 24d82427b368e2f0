"""From a key to whose it is, and from them to what is asked of them: the hops of the exact channel.

Nothing is guessed: a hop goes over a fact's subject, the person that words name as having a key, the speaker who calls it
theirs, or the record (row, result, turn) in which both stand. Every hop is read again under the reader's scopes.

Belongs here: the hops. Does not belong here: reading the question (`asked_exactly`), and what is shown of it (`exact`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from muniment.domain.answers import Hit
from muniment.domain.enums import Eligibility, EvidenceType
from muniment.domain.records import Evidence, Fact
from muniment.domain.statement import canonical, subject_key
from muniment.ports.store import OWNER, FactFilter, ReadUnit, key_text
from muniment.retrieval import history
from muniment.retrieval.asked_exactly import KEYS, MARKS, Attribute, Key
from muniment.retrieval.channels.hits import evidence_hit, fact_hit
from muniment.text.belonging import Belonging, belongings, beside, held_still, named, of_key, told_as_past
from muniment.text.identifiers import keys_of
from muniment.text.owners import SELF

MOST: Final = 500
"""Records of one key, or of one person, that are read at most; the newest."""


@dataclass(slots=True)
class Standing:
    """Where keys stand, as this reader may see it now: facts in force, and evidence that is neither refused nor history."""

    facts: dict[Key, list[Fact]] = field(default_factory=dict)
    pieces: dict[Key, list[Evidence]] = field(default_factory=dict)

    def anywhere(self, key: Key) -> bool:
        """Whether a key stands anywhere."""
        return bool(self.facts.get(key) or self.pieces.get(key))


@dataclass(frozen=True, slots=True)
class Found:
    """A record that tells the value asked for, and the words of it."""

    record: Fact | Evidence
    value: str


def standing(unit: ReadUnit, keys: Iterable[Key], *, limit: int | None = MOST) -> Standing:
    """Where the keys stand. Those of which only a digest is kept are found by it."""
    asked: dict[Key, Key] = {}
    for kind, value in keys:
        asked[kind, value] = (kind, value)
        asked[kind, unit.digest(key_text(kind, value))] = (kind, value)
    found = Standing()
    if not asked:
        return found
    rows = unit.identifiers(
        {value for _, value in asked},
        kinds={kind for kind, _ in asked},
        limit=None if limit is None else limit * len(asked),
    )
    refs: dict[UUID, dict[Key, None]] = {}
    for row in rows:
        if (key := asked.get((row.kind, row.value))) is not None and row.held == (key[1] == row.value):
            refs.setdefault(row.ref, {})[key] = None
    facts = unit.facts(FactFilter(ids=tuple(row.ref for row in rows if row.ref_kind == "FACT"))) if refs else []
    for fact in facts:
        held = keys_of(fact.content, subject=fact.subject, predicate=fact.predicate, value=fact.value)
        for key in refs.get(fact.fact_id, {}):
            if key in held:
                found.facts.setdefault(key, []).append(fact)
    pieces = unit.evidence(row.ref for row in rows if row.ref_kind == "EVIDENCE")
    for ref, some in refs.items():
        for key in some:
            if ref in pieces and pieces[ref].eligibility is not Eligibility.AUDIT_ONLY:
                found.pieces.setdefault(key, []).append(pieces[ref])
    return found


def current(unit: ReadUnit, pieces: Iterable[Evidence]) -> list[Evidence]:
    """The pieces that may answer: neither suspected, nor told of what no longer holds."""
    sound = [piece for piece in pieces if piece.eligibility is Eligibility.ELIGIBLE]
    hits = [evidence_hit(piece, channel="exact", score=1.0, parts={}, reason="") for piece in sound]
    marked: Sequence[Hit] = history.marked(hits, unit) if hits else []
    over = {hit.id for hit in marked if history.HISTORY in hit.why.flags}
    return [piece for piece in sound if piece.evidence_id not in over]


def holders(unit: ReadUnit, key: Key, found: Standing) -> dict[str, list[Fact | Evidence]]:
    """Who has a key, by canonical name (`user`: the reader's own user), with the records that say so."""
    held: dict[str, list[Fact | Evidence]] = {}
    turn: tuple[Evidence, set[str]] | None = None
    for fact in found.facts.get(key, []):
        if not held_still(fact.content, key):
            continue
        if fact.predicate and key in keys_of("", subject=None, predicate=fact.predicate, value=fact.value):
            held.setdefault(subject_key(fact.subject), []).append(fact)
    for piece in current(unit, found.pieces.get(key, [])):
        for item in of_key(belongings(piece.content), key):
            if item.owner is not None:
                owner = named(item.owner, piece.speaker)
                if owner != SELF or _by_user(piece):
                    held.setdefault(owner, []).append(piece)
                    if item.said == "new" and _turns(piece) and (turn is None or order(piece) >= order(turn[0])):
                        turn = piece, {owner, *(turn[1] if turn is not None and turn[0] is piece else ())}
    once = {name: list({id(record): record for record in records}.values()) for name, records in held.items()}
    if turn is None:
        return once
    # 'ORD-7 now belongs to Ann' ends what was said before of others.
    since, owners = order(turn[0]), turn[1]
    return {
        name: records
        for name, records in once.items()
        if name in owners or any(order(record) > since for record in records)
    }


def order(record: Fact | Evidence) -> datetime:
    """When a record was recorded, by which later words are told from earlier ones."""
    return record.recorded_at


def _turns(piece: Evidence) -> bool:
    """Whether a piece may end what was held before: what the agent says by itself may not."""
    return piece.actor != "AGENT"


def _by_user(piece: Evidence) -> bool:
    """Whether who says 'my' in a piece is the user."""
    return piece.actor == "USER" and piece.evidence_type is EvidenceType.CONVERSATION


def of_holder(unit: ReadUnit, names: Collection[str], attribute: Attribute) -> list[Found]:
    """What is held of the attribute of a person who goes by any of these names: facts in force, unless later words tell a
    new value ('has changed to', 换成了); else what was said, from the latest such words on."""
    facts: list[Found] = []
    for name in names:
        for fact in unit.facts(FactFilter(subject=name, limit=MOST)):
            if attribute.is_predicate(fact.predicate) and not told_as_past(fact.content):
                facts.append(Found(fact, fact.value or fact.content))
    if attribute.kind is None or attribute.kind not in KEYS | MARKS:
        return facts
    found: list[tuple[Found, Belonging]] = []
    for piece in current(unit, naming(unit, names)):
        for item in belongings(piece.content):
            owner = None if item.owner is None else named(item.owner, piece.speaker)
            if owner in names and _fits(item, attribute) and (owner != SELF or _by_user(piece)):
                found.append((Found(piece, _words(piece, item)), item))
    known = max((order(item.record) for item in facts), default=None)
    grounds = {ref for item in facts if isinstance(item.record, Fact) for ref in item.record.evidence}
    turns = [
        order(item.record)
        for item, how in found
        if how.said == "new"
        and isinstance(item.record, Evidence)
        and _turns(item.record)
        and item.record.evidence_id not in grounds
    ]
    turn = max(turns, default=None)
    if facts and (turn is None or (known is not None and turn <= known)):
        return facts
    return _latest([item for item, _ in found if turn is None or order(item.record) >= turn])


def naming(unit: ReadUnit, names: Collection[str]) -> list[Evidence]:
    """The pieces with a key in which any of these people is named."""
    digests = [unit.digest(key_text(OWNER, canonical(name))) for name in names]
    rows = unit.identifiers(digests, kinds={OWNER}, limit=MOST)
    return list(unit.evidence(row.ref for row in rows).values())


def in_records(unit: ReadUnit, key: Key, found: Standing, attribute: Attribute) -> list[Found]:
    """What the records that hold a key say of the attribute: a fact about the key itself, or the keys set beside it."""
    told = [
        Found(fact, fact.value or fact.content)
        for fact in found.facts.get(key, [])
        if attribute.is_predicate(fact.predicate)
        and key in keys_of("", subject=fact.subject, predicate=None, value=None)
    ]
    if attribute.kind is None:
        return told
    values = {canonical(item.value) for item in told}
    for piece in current(unit, found.pieces.get(key, [])):
        for item in beside(piece.content, key, {attribute.kind}):
            if _fits(item, attribute) and canonical(_words(piece, item)) not in values:
                told.append(Found(piece, _words(piece, item)))
    return told


def _fits(item: Belonging, attribute: Attribute) -> bool:
    if item.key.kind == "phone" and item.label is not None:
        return False  # A number that its words call an order's is found as a phone, and told as nobody's.
    return item.key.kind == attribute.kind and attribute.fits(item.label)


def _words(piece: Evidence, item: Belonging) -> str:
    start, end = item.key.span
    return piece.content[start:end]


def _latest(found: Sequence[Found]) -> list[Found]:
    """Each record once, the newest first."""
    once: Mapping[UUID, Found] = {item.record.evidence_id: item for item in found if isinstance(item.record, Evidence)}
    return sorted(once.values(), key=lambda item: item.record.recorded_at, reverse=True)


def hit(record: Fact | Evidence, *, reason: str, part: str = "identifier") -> Hit:
    """A record as a hit of the exact channel."""
    if isinstance(record, Fact):
        return fact_hit(record, channel="exact", score=1.0, parts={part: 1.0}, reason=reason)
    return evidence_hit(record, channel="exact", score=1.0, parts={part: 1.0}, reason=reason)
