"""What a selector of forgetting selects: facts, the words that told them, what was proposed of them.

A session, task or user is everything of it. A fact is itself with the clauses that told it; what else a turn says stays. A
query selects what says its words exactly, never what is merely like it. A fact that also stands on other ground than what is
selected is kept, in that ground's words.

Belongs here: that, read from a unit of work. Does not belong here: what hiding and erasing then do (`erasing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar
from uuid import UUID

from muniment.domain.enums import OwnerType, Relation
from muniment.domain.errors import TooLarge
from muniment.domain.forgotten import FIRST_WORDS, Listed, Selector
from muniment.domain.records import Candidate, Evidence
from muniment.domain.scope import PartitionKey
from muniment.ingestion.forgetting import rest_of
from muniment.ports.forgetting import Extent
from muniment.ports.store import Told, WriteUnit
from muniment.text.phrases import exact_keys, mentions

T = TypeVar("T")
Version = Sequence[tuple[str, str | None]]
"""Content and value of each version of a fact."""
SLICE: Final = 500
PROBE: Final = 40
"""Characters by which a quote of an erased text is known: reasons and lines quote sixty at least, from the beginning."""
LEAST_PROBE: Final = 4
"""Letters of the shortest text that is looked for elsewhere; two in scripts where a letter is a word. Below, it is in
everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would go. `rests` are the words that remain of some of `evidence`; `reworded` are the statements that facts keep
    standing on; `partial` are events of which something stays; `others` counts pieces that are not the asker's to forget."""

    facts: tuple[UUID, ...] = ()
    evidence: tuple[UUID, ...] = ()
    candidates: tuple[UUID, ...] = ()
    events: tuple[UUID, ...] = ()
    partial: frozenset[UUID] = frozenset()
    rests: Mapping[UUID, Evidence] = field(default_factory=dict)
    reworded: Mapping[UUID, Told] = field(default_factory=dict)
    pieces: Mapping[UUID, Evidence] = field(default_factory=dict)
    listed: tuple[Listed, ...] = ()
    probes: tuple[str, ...] = ()
    others: int = 0
    users: frozenset[str] = frozenset()
    partitions: frozenset[PartitionKey] = frozenset()

    @property
    def empty(self) -> bool:
        """Whether nothing was selected."""
        return not (self.facts or self.evidence or self.candidates or self.events)

    @property
    def ids(self) -> list[UUID]:
        """Everything of it by id, in order."""
        return sorted({*self.facts, *self.evidence, *self.candidates, *self.events, *self.reworded})


def plan(unit: WriteUnit, selector: Selector, *, erase: bool, limit: int) -> Plan:
    """What the selector selects now. To hide, what is hidden already is left out; to erase, it is not.

    Raises `TooLarge` where a query selects more than `limit` facts and pieces.
    """
    if selector.by in ("fact", "query"):
        found = _named(unit, selector, erase=erase, limit=limit)
    else:
        found = _extent(unit, selector, erase=erase)
    return finished(unit, selector, found)


# -- a fact, or words ------------------------------------------------------------------------------------------------


def _named(unit: WriteUnit, selector: Selector, *, erase: bool, limit: int) -> Plan:
    """The facts named, with what told them; of a turn that says other things, the rest stays."""
    phrase = selector.value if selector.by == "query" else None
    facts, matched = ({UUID(selector.value)}, set()) if phrase is None else _said(unit, selector, erase=erase)
    if len(facts) + len(matched) > limit:
        raise TooLarge(f"these words are in {len(facts) + len(matched)} memories, over limits.forget = {limit}")
    return with_words(unit, selector, facts, matched, erase=erase)


def with_words(
    unit: WriteUnit,
    selector: Selector,
    facts: set[UUID],
    matched: Collection[UUID] = (),
    *,
    erase: bool,
    spare: bool = False,
) -> Plan:
    """The facts with the words that told them, and the pieces that matched; of each piece what else it says stays. `spare`
    leaves a piece alone that says nothing else in so many words, and yet tells other facts."""
    phrase = selector.value if selector.by == "query" else None
    links = unit.evidence_of(facts)
    refs = {*matched} | {ref for some in links.values() for ref, relation in some if relation is Relation.SUPPORT}
    every = unit.pieces(refs)
    # What another user said is theirs to forget.
    pieces = {ref: piece for ref, piece in every.items() if selector.user in (None, piece.placement.user)}
    others = len(every) - len(pieces)
    if not erase:
        standing = unit.standing_evidence(pieces)
        pieces = {ref: piece for ref, piece in pieces.items() if ref in standing}
    candidates = unit.candidates_on(evidence=pieces, facts=facts)
    leading = _leading(unit, candidates, facts)
    words = _words(unit.versions(facts).values(), leading)
    rests = {
        ref: replace(piece, content=rest)
        for ref, piece in pieces.items()
        if (rest := remainder(piece, leading))
        and not any(word in rest for word in words)
        and (phrase is None or not mentions(rest, phrase))
    }
    if spare:
        told = unit.told_on(pieces)
        pieces = {ref: piece for ref, piece in pieces.items() if ref in rests or set(told.get(ref, ())) <= facts}
    acts = unit.acts_on(facts, user=selector.user) if erase else []
    spoken = unit.pieces(unit.evidence_on(acts))
    elsewhere = unit.told_on(spoken)
    pieces |= {ref: piece for ref, piece in spoken.items() if set(elsewhere.get(ref, ())) <= facts}
    # An act that also made another fact is that one's ground: it stays.
    acts = [ref for ref in acts if all(piece in pieces for piece in unit.evidence_on([ref]))]
    gone = [ref for ref in pieces if ref not in rests]
    out = {*map(_id, leading), *(_id(item) for item in candidates if item.target in facts)}
    out |= {_id(item) for item in candidates if set(item.evidence) & set(gone) or _quotes(item, words)}
    return Plan(
        facts=tuple(sorted(facts)),
        evidence=tuple(sorted(pieces)),
        candidates=tuple(sorted(out)),
        events=tuple(sorted({*unit.events_of(pieces).values(), *acts})),
        rests=rests,
        pieces=pieces,
        others=others,
    )


def _said(unit: WriteUnit, selector: Selector, *, erase: bool) -> tuple[set[UUID], set[UUID]]:
    """The user's facts and pieces that say the words of a query, or hold the exact key that it is."""
    user, phrase = str(selector.user), selector.value
    facts: set[UUID] = set()
    pieces: set[UUID] = set()
    keys = exact_keys(phrase)
    keyed = unit.keyed(keys, user=user)
    for item in unit.words_of(user):
        if item.hidden and not erase:
            continue
        same = item.id in keyed or any(mentions(text, phrase) or _holds(text, keys) for text in item.texts)
        if same:
            (facts if item.kind == "fact" else pieces).add(item.id)
    return facts, pieces


def _holds(text: str, keys: frozenset[tuple[str, str]]) -> bool:
    return bool(keys) and bool(keys & exact_keys(text))


def _leading(unit: WriteUnit, candidates: Sequence[Candidate], facts: Collection[UUID]) -> list[Candidate]:
    """The candidates that were decided to be these facts."""
    decided = {item.candidate_id for item in unit.decisions(map(_id, candidates)) if item.fact_id in facts}
    return [item for item in candidates if item.candidate_id in decided]


def _words(versions: Iterable[Version], leading: Iterable[Candidate]) -> list[str]:
    """What a rest must not say again: the values of the facts, where they are more than a letter or a figure."""
    values = {value for some in versions for _, value in some} | {item.value for item in leading}
    return sorted(value for value in values if value and telling(value))


def telling(text: str) -> bool:
    """Whether a text is long enough to be known again."""
    plain = text.strip()
    return len(plain) >= (LEAST_PROBE if plain.isascii() else 2)


def remainder(piece: Evidence, leading: Sequence[Candidate]) -> str:
    """What of a piece remains without the quotes of the candidates that rest on it."""
    quotes = [item.quote or "" for item in leading if piece.evidence_id in item.evidence]
    return rest_of(piece.content, quotes)


def _quotes(item: Candidate, words: Sequence[str]) -> bool:
    return any(word in text for word in words for text in (item.content, item.quote or "", item.value or ""))


# -- a session, a task, a user, a tenant -----------------------------------------------------------------------------


def _extent(unit: WriteUnit, selector: Selector, *, erase: bool) -> Plan:
    """Everything of it, and the facts that stand on nothing else."""
    within = {selector.by: selector.value} if selector.by in ("session", "task") else {}
    found = unit.extent(Extent(user=selector.user, **within))
    evidence = found.evidence if erase else tuple(sorted(unit.standing_evidence(found.evidence)))
    told = {ref for facts in unit.told_on(evidence).values() for ref in facts} - set(found.facts)
    owned = {ref for ref, owner in unit.owners(told).items() if selector.user in (None, owner.user)}
    reworded = otherwise_told(unit, owned, set(found.evidence))
    facts = {*found.facts, *(owned - set(reworded))}
    if not erase:
        facts = _shown(unit, facts)
    if not (erase or evidence or facts):
        return Plan()
    candidates = {*found.candidates, *map(_id, unit.candidates_on(evidence=evidence, facts=facts))}
    return Plan(
        facts=tuple(sorted(facts)),
        evidence=evidence,
        candidates=tuple(sorted(candidates)),
        events=found.events,
        reworded=reworded,
        pieces=unit.pieces(evidence),
    )


def of_ids(unit: WriteUnit, facts: Sequence[UUID], evidence: Sequence[UUID], candidates: Sequence[UUID]) -> Plan:
    """A plan of what was named before, as far as it is there."""
    pieces = unit.pieces(evidence)
    told = {ref for some in unit.told_on(pieces).values() for ref in some} - set(facts)
    return Plan(
        facts=tuple(sorted(_shown(unit, facts))),
        evidence=tuple(sorted(pieces)),
        candidates=tuple(candidates),
        reworded=otherwise_told(unit, told, set(pieces)),
        pieces=pieces,
        users=frozenset((unit.reader.user,)),
    )


def of_pieces(unit: WriteUnit, evidence: Sequence[UUID]) -> Plan:
    """Whole pieces of the reader's, with the facts that stand on nothing else and the candidates that rest on them."""
    pieces = unit.pieces(unit.standing_evidence(evidence))
    told = {ref for some in unit.told_on(pieces).values() for ref in some}
    reworded = otherwise_told(unit, told, set(pieces))
    facts = _shown(unit, told - set(reworded))
    candidates = unit.candidates_on(evidence=pieces, facts=facts)
    user = unit.reader.user
    found = Plan(
        facts=tuple(sorted(facts)),
        evidence=tuple(sorted(pieces)),
        candidates=tuple(sorted(map(_id, candidates))),
        reworded=reworded,
        pieces=pieces,
    )
    return finished(unit, Selector(by="session", value=user, user=user), found)


def otherwise_told(unit: WriteUnit, facts: Collection[UUID], gone: Collection[UUID]) -> dict[UUID, Told]:
    """Facts that are also told elsewhere, with the statement that then carries them."""
    found: dict[UUID, Told] = {}
    for some in _sliced(sorted(facts)):
        told = [item for item in unit.told(fact_ids=some) if item.evidence_id not in gone]
        named = {item.evidence_id for item in told if item.evidence_id is not None}
        standing = {*unit.standing_evidence(named), None}
        for item in told:
            if item.evidence_id in standing:
                found.setdefault(item.fact_id, item)
    return found


def _shown(unit: WriteUnit, facts: Collection[UUID]) -> set[UUID]:
    """Those that were not hidden before."""
    return {row.fact_id for some in _sliced(sorted(facts)) for row in unit.live(fact_ids=some) if row.hidden_at is None}


# -- all of them -----------------------------------------------------------------------------------------------------


def finished(unit: WriteUnit, selector: Selector, found: Plan) -> Plan:
    """The plan with what is asked of it: whose it is, where it lives, what it says."""
    inside = set(found.evidence) - set(found.rests)
    partial = {event for ref, event in unit.evidence_on(found.events).items() if ref not in inside}
    owners = unit.owners([*found.facts, *found.reworded])
    users = {piece.placement.user for piece in found.pieces.values()} | {item.user for item in owners.values()}
    named = frozenset(user for user in (*users, selector.user) if user is not None)
    homes = {PartitionKey(tenant=unit.reader.tenant, kind=OwnerType.USER, target=user) for user in named}
    versions = unit.versions(found.facts)
    first = {ref: some[-1][0] for ref, some in versions.items()}
    listed = [Listed(kind="fact", id=ref, words=first.get(ref, "")[:FIRST_WORDS]) for ref in found.facts]
    listed += [
        Listed(kind="evidence", id=ref, words=piece.content[:FIRST_WORDS]) for ref, piece in found.pieces.items()
    ]
    whole, piecewise = selector.by in ("user", "tenant"), selector.by in ("fact", "query", "retention")
    return replace(
        found,
        # An event is whole where all of its pieces go entirely; of the extents, all are.
        partial=frozenset(partial) & frozenset(found.events) if piecewise else frozenset(),
        users=named,
        partitions=frozenset({*(item.partition for item in owners.values()), *homes}),
        listed=tuple(listed),
        probes=() if whole else tuple(_probes(unit, found, versions.values())),
    )


def _probes(unit: WriteUnit, found: Plan, versions: Iterable[Version]) -> list[str]:
    """Beginnings of everything that was said, by which quotes elsewhere are found."""
    texts = {text or "": None for some in versions for said in some for text in said}
    for ref, piece in found.pieces.items():
        if ref not in found.rests:
            texts[piece.content] = None
    kept = set(found.candidates)
    for item in unit.candidates_on(evidence=found.evidence, facts=found.facts):
        if _id(item) in kept:
            texts |= dict.fromkeys((item.content, item.quote or "", item.value or ""))
    return sorted({text.strip()[:PROBE] for text in texts if telling(text)})


def _id(item: Candidate) -> UUID:
    if item.candidate_id is None:
        raise ValueError("a candidate on record has an id")
    return item.candidate_id


def _sliced(items: Sequence[T]) -> Iterator[list[T]]:
    return (list(items[start : start + SLICE]) for start in range(0, len(items), SLICE))
