"""What was said later of a key or of somebody's slot, beside the records an answer is made from.

Belongs here: finding such records. Does not belong here: the answer (`exact`), and the hops (`holders`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from muniment.domain.enums import Eligibility
from muniment.domain.records import Evidence, Fact
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval.asked_exactly import KEYS, Attribute, Key
from muniment.retrieval.channels.holders import MOST, Standing, current, naming, order, standing
from muniment.text.belonging import Belonging, belongings, named, of_key, told_as_past
from muniment.text.identifiers import identifiers, keys_of


def later(
    unit: ReadUnit,
    used: Sequence[Fact | Evidence],
    *,
    keys: Collection[Key] = (),
    places: Standing | None = None,
    people: Collection[str] = (),
    attribute: Attribute | None = None,
) -> list[Fact | Evidence]:
    """The records, newest first, that are later than the earliest used one, hold one of the keys, or name one of the people
    together with a key of the attribute's kind, or give the value itself to somebody else, and are
    neither used nor agree with what is."""
    if not used:
        return []
    since = min(map(order, used))
    known = {id_of(record) for record in used} | {
        ref for record in used if isinstance(record, Fact) for ref in record.evidence
    }
    found: dict[object, Fact | Evidence] = {}
    for key in keys if places is not None else ():
        assert places is not None
        every: list[Fact | Evidence] = [*places.facts.get(key, []), *_sound(unit, places.pieces.get(key, []), since)]
        for record in every:
            if not _says_the_same(record, of=key, people=people):
                found[id_of(record)] = record
    if attribute is not None and attribute.kind in KEYS and people:
        values = {item for record in used for item in _held(record) if item[0] == attribute.kind} - {*keys}
        stand = standing(unit, values)
        for value in values:
            for piece in _sound(unit, stand.pieces.get(value, []), since):
                if any(_taken_from(item, piece, people) for item in of_key(belongings(piece.content), value)):
                    found[piece.evidence_id] = piece
        for piece in _sound(unit, naming(unit, people), since):
            if not _agrees(piece, attribute, people, values):
                found[piece.evidence_id] = piece
        for name in people:
            for fact in unit.facts(FactFilter(subject=name, limit=MOST)):
                of_kind = {item for item in _held(fact) if item[0] == attribute.kind}
                if of_kind - values and (attribute.kind != "code" or attribute.is_predicate(fact.predicate)):
                    found[fact.fact_id] = fact
    rest = [record for ref, record in found.items() if ref not in known and order(record) > since]
    return sorted(rest, key=order, reverse=True)


def id_of(record: Fact | Evidence) -> object:
    """The id of a record."""
    return record.fact_id if isinstance(record, Fact) else record.evidence_id


def _sound(unit: ReadUnit, pieces: Iterable[Evidence], since: datetime) -> list[Evidence]:
    some = [piece for piece in pieces if piece.eligibility is Eligibility.ELIGIBLE and order(piece) > since]
    sound = {piece.evidence_id for piece in current(unit, some)} if some else set()
    # That it is told as past is what it says of the key, no mark of its own.
    return [piece for piece in some if piece.evidence_id in sound or told_as_past(piece.content)]


def _held(record: Fact | Evidence) -> set[Key]:
    if isinstance(record, Evidence):
        return {(item.kind, item.value) for item in identifiers(record.content)}
    return keys_of(record.content, subject=record.subject, predicate=record.predicate, value=record.value)


def _says_the_same(record: Fact | Evidence, *, of: Key, people: Collection[str]) -> bool:
    """Whether words give a key to those who are known to have it, and say no more of it."""
    if isinstance(record, Fact):
        return False
    told = of_key(belongings(record.content), of)
    return bool(told) and all(_owner(item, record) in people for item in told)


def _agrees(piece: Evidence, attribute: Attribute, people: Collection[str], values: Collection[Key]) -> bool:
    """Whether a piece tells nothing new of such a key of theirs: each is another's, or is one of the values and theirs."""
    for item in belongings(piece.content):
        if item.key.kind != attribute.kind or not attribute.fits(item.label):
            continue
        person = None if item.person is None else named(item.person, piece.speaker)
        if person is not None and person not in people:
            continue
        if (item.key.kind, item.key.value) not in values or _owner(item, piece) not in people:
            return False
    return True


def _taken_from(item: Belonging, piece: Evidence, people: Collection[str]) -> bool:
    """Whether words deny, doubt or end that a key is theirs, or give it to somebody else."""
    owner = _owner(item, piece)
    return item.said in ("past", "open") if owner is None else owner not in people


def _owner(item: Belonging, piece: Evidence) -> str | None:
    return None if item.owner is None else named(item.owner, piece.speaker)
