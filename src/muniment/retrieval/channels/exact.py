"""Exact keys and slots, never by similarity.

key → where it stands → whose it is → the attribute asked: 'the order number of the user 138…' finds who has that phone, and
their order number, in the same record or in another. One look-alike digit is another key. A slot asked for by name, the
asker's or another's, and the current value of a status key are read as they are held.

Belongs here: what is shown of what was looked up, and whether it answers. Does not belong here: reading the question
(`asked_exactly`, `asked_slots`), and the hops (`holders`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from muniment.domain.answers import Hit
from muniment.domain.enums import MemoryType
from muniment.domain.records import Evidence, Fact
from muniment.domain.statement import canonical
from muniment.ports.store import FactFilter, ReadUnit
from muniment.retrieval.ask import Ask, Recall
from muniment.retrieval.asked_exactly import KEYS, Attribute, Key, Named, Span, Wanted, names, twins, wants
from muniment.retrieval.asked_slots import slot, status_keys
from muniment.retrieval.channels.holders import Found, Standing, hit, holders, in_records, of_holder, order, standing
from muniment.retrieval.channels.later import later
from muniment.text.identifiers import normalise
from muniment.text.tokenizer import tokenize

PINNED: Final = 3
"""A key or mark that stands in more records than this singles none out: of a key's, the nearest to the question's words are
pinned; a mark's are left to the keyword side."""


class ExactChannel:
    """Look-ups by normalised identifier, by slot and by status key."""

    name = "exact"
    semantic = False

    @staticmethod
    def concerns(ask: Ask) -> bool:
        """Whether the question names anything that could be looked up; read off its words alone."""
        named = names(ask.query)
        if named.keys or named.marks or named.possible:
            return True
        return slot(ask.query, ask.policy) is not None or bool(status_keys(ask.query, ask.policy))

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall:
        """Exact hits, and whether they are the value asked for, so that no semantic channel and no embedder is called."""
        named = names(ask.query)
        keys, places = self._held(unit, named)
        if not named.keys and not keys and (found := self._by_slot(ask, unit)) is not None:
            return found
        recall = self._asked_of(ask, unit, named, keys, places)
        if recall.answers:
            return recall
        recall.hits = said_once([*recall.hits, *self._pins(ask, keys, places), *self._marks(ask, unit, named)])
        if not recall.reason:
            recall.reason = "an identifier is named" if recall.hits else "no identifier or slot is asked for"
        return recall

    # -- keys ----------------------------------------------------------------------------------------------------------

    @staticmethod
    def _held(unit: ReadUnit, named: Named) -> tuple[dict[Key, Span], Standing]:
        """The keys of the question that stand anywhere: those it names, and of the codes it may mean the longest."""
        places = standing(unit, [*named.keys, *named.possible])
        maybe = {key: span for key, span in named.possible.items() if places.anywhere(key)}
        whole = {key: span for key, span in maybe.items() if not any(_inside(span, other) for other in maybe.values())}
        return {key: span for key, span in named.keys.items() if places.anywhere(key)} | whole, places

    def _asked_of(self, ask: Ask, unit: ReadUnit, named: Named, keys: Mapping[Key, Span], places: Standing) -> Recall:
        """What is asked of the keys: the attribute, or whose they are."""
        sure = {**named.keys, **keys} or {key: span for key, span in named.possible.items() if key[0] == "phone"}
        wanted = wants(ask.query, sure, ask.policy) if sure else Wanted()
        recall = Recall(kind=wanted.attribute.kind if wanted.attribute and wanted.for_value else None)
        hits: list[Hit] = []
        said: list[str] = []
        answered = bool(keys)
        people: set[str] = set()
        for key in keys:
            some, reason, who = self._of_key(unit, key, places, wanted, twin=bool(twins(key, sure)))
            people |= who
            some = [item for item in some if ask.admits(item.item)]
            answered = answered and bool(some)
            hits += some
            said += [reason] if reason else []
        unheld = [key for key in sure if key not in keys]
        # Of a number that may be either, the reading that is held; else the first.
        unheld = [
            key
            for place, key in enumerate(unheld)
            if not any(other in keys or other in unheld[:place] for other in twins(key, sure))
        ]
        recall.people = frozenset(people)
        if not keys and unheld and wanted.for_value and (wanted.owner or _exact(wanted.attribute)):
            # Of a key that is not held there is no value; whatever is like it is another's.
            recall.answers = True
        recall.hits = said_once(hits)
        unheld = [key for key in unheld if key in named.keys or recall.answers]
        said += [f"{spelt(key)} named, not held" for key in unheld]
        if answered and wanted.for_value and not unheld:
            records = _records(hits)
            late = later(unit, records, keys=keys, places=places, people=people, attribute=wanted.attribute)
            late = [record for record in late if ask.admits(record)]
            recall.answers = not late
            if late:
                recall.hits = _newest_first(recall.hits, late)
                said.append(LATER)
        recall.reason = "; ".join(said)
        return recall

    def _of_key(
        self, unit: ReadUnit, key: Key, places: Standing, wanted: Wanted, *, twin: bool
    ) -> tuple[list[Hit], str, set[str]]:
        """What is shown of one key, why, and who is known to have it."""
        if wanted.attribute is not None and not (twin and wanted.attribute.kind == key[0]):
            return self._attribute(unit, key, places, wanted.attribute)
        return self._owner(unit, key, places) if wanted.owner else ([], "", set())

    def _attribute(
        self, unit: ReadUnit, key: Key, places: Standing, wanted: Attribute
    ) -> tuple[list[Hit], str, set[str]]:
        """key → (whose →) attribute: what says it, then what says whose the key is; and how it was reached."""
        who = holders(unit, key, places)
        answers: list[tuple[Found, str]] = []
        links: list[tuple[Fact | Evidence, str]] = []
        for name, records in who.items():
            found = [item for item in of_holder(unit, [name], wanted) if not _same(item, key)]
            answers += [(item, f"{spelt(key)} → {name} → {wanted.name} {item.value}") for item in found]
            if found:
                links += [(record, f"{spelt(key)} is of {name}") for record in records]
        beside = [item for item in in_records(unit, key, places, wanted) if not _same(item, key)]
        answers += [(item, f"{spelt(key)} → {wanted.name} {item.value}") for item in beside]
        hits = said_once([hit(item.record, reason=path) for item, path in answers])
        if hits:
            hits = said_once([*hits, *(hit(record, reason=path) for record, path in links)])
            named = f", held by {' and '.join(sorted(who))}" if len(who) > 1 else ""
            return hits, f"{spelt(key)}{named}: {wanted.name} is held", set(who)
        whose = f" is of {' and '.join(sorted(who))};" if who else ""
        return [], f"{spelt(key)}{whose} no {wanted.name} of it is held", set(who)

    @staticmethod
    def _owner(unit: ReadUnit, key: Key, places: Standing) -> tuple[list[Hit], str, set[str]]:
        """Whose a key is, each with what says so."""
        who = holders(unit, key, places)
        hits = [hit(record, reason=f"{spelt(key)} → {name}") for name, records in who.items() for record in records]
        hits = said_once(hits)
        if not hits:
            return [], f"{spelt(key)} is held; nobody is named as having it", set()
        return hits, f"{spelt(key)} is of {' and '.join(sorted(who))}", set(who)

    @staticmethod
    def _pins(ask: Ask, keys: Iterable[Key], places: Standing) -> list[Hit]:
        """Where the keys stand: facts first; of many records those nearest to the question's words, then the newest."""
        words = set(tokenize(ask.query))
        hits: dict[object, Hit] = {}
        for key in keys:
            every: list[Fact | Evidence] = [*places.facts.get(key, []), *places.pieces.get(key, [])]
            admitted = [record for record in every if ask.admits(record)]
            if len(admitted) > PINNED:
                admitted.sort(
                    key=lambda item: (-len(words & set(tokenize(item.content))), -item.recorded_at.timestamp())
                )
            for record in admitted[:PINNED]:
                found = hit(record, reason=spelt(key))
                hits.setdefault(found.id, found)
        return said_once(list(hits.values()))

    @staticmethod
    def _marks(ask: Ask, unit: ReadUnit, named: Named) -> list[Hit]:
        """Where the amounts, dates and versions of the question stand, if they single anything out."""
        places = standing(unit, named.marks)
        hits: list[Hit] = []
        for key in named.marks:
            every: list[Fact | Evidence] = [*places.facts.get(key, []), *places.pieces.get(key, [])]
            admitted = [record for record in every if ask.admits(record)]
            if len(admitted) <= PINNED:
                hits += [hit(record, reason=spelt(key)) for record in admitted]
        return said_once(hits)

    # -- slots ---------------------------------------------------------------------------------------------------------

    def _by_slot(self, ask: Ask, unit: ReadUnit) -> Recall | None:
        """The value of a slot or of a status key that the question asks for by name; None where it asks for none."""
        wanted = slot(ask.query, ask.policy)
        hits: list[Hit] = []
        reason = "no identifier or slot is asked for"
        if wanted is not None:
            name, whose = wanted.attribute.name, wanted.subjects[0]
            found = of_holder(unit, wanted.subjects, wanted.attribute)
            own = wanted.subjects == ("user",)
            governed = all(isinstance(item.record, Fact) for item in found)
            hits = [hit(item.record, reason=f"{whose} → {name}", part="slot") for item in found]
            hits = [item for item in hits if ask.admits(item.item)]
            reason = f"the question asks for {'the reader' if own else whose}'s {name}"
            if hits:
                whole = governed if own else self._complete(ask, wanted.attribute)
                late = later(unit, _records(hits), people=wanted.subjects, attribute=wanted.attribute) if whole else []
                late = [record for record in late if ask.admits(record)]
                if late:
                    return Recall(hits=_newest_first(said_once(hits), late), reason=f"{reason}; {LATER}")
                return Recall(hits=said_once(hits), answers=whole, reason=reason)
        for key in status_keys(ask.query, ask.policy):
            rows = unit.facts(FactFilter(types=frozenset({MemoryType.STATUS}), predicate=key, subject="user"))
            hits = [hit(row, reason=f"status {key}", part="slot") for row in rows if ask.admits(row)]
            if hits:
                return Recall(hits=hits, answers=True, reason=f"the question asks for the status {key}")
        if wanted is None:
            return None
        people = frozenset(wanted.subjects)
        return Recall(reason=f"{reason}, which is not held", people=people, kind=wanted.attribute.kind)

    @staticmethod
    def _complete(ask: Ask, attribute: Attribute) -> bool:
        """Whether what is held of another person's slot is all there is to say: a single value, or exact keys."""
        single = any(
            ask.policy.predicates[name].single for name in attribute.predicates if name in ask.policy.predicates
        )
        return single or attribute.kind in KEYS

    def lookup(self, ask: Ask, unit: ReadUnit, *, kind: str, value: str) -> list[Hit]:
        """Everything one normalised key stands in, facts in force first."""
        places = standing(unit, [(kind, value)], limit=None)
        every: list[Fact | Evidence] = [*places.facts.get((kind, value), []), *places.pieces.get((kind, value), [])]
        return [hit(record, reason=spelt((kind, value))) for record in every if ask.admits(record)]


LATER: Final = "later words speak of it too"


def _records(hits: Sequence[Hit]) -> list[Fact | Evidence]:
    return [item.item for item in hits if isinstance(item.item, (Fact, Evidence))]


def _newest_first(hits: Sequence[Hit], late: Sequence[Fact | Evidence]) -> list[Hit]:
    """What would have answered and what was said later, the newest first."""
    every = [*(hit(record, reason=LATER) for record in late), *hits]
    times = {order(record): None for record in _records(every)}
    return [item for at in sorted(times, reverse=True) for item in every if _at(item) == at]


def _at(item: Hit) -> object:
    return order(item.item) if isinstance(item.item, (Fact, Evidence)) else None


MASKED: Final = frozenset({"national_id", "bank_card", "password", "secret", "private_key"})
"""Kinds that are not repeated in a reason: a digest of them may be all that is held."""


def spelt(key: Key) -> str:
    """A key as a reason names it."""
    return key[0] if key[0] in MASKED else f"{key[0]} {key[1]}"


def said_once(hits: Sequence[Hit]) -> list[Hit]:
    """Each record once, and no evidence that a fact among them rests on and says word for word."""
    once = list({item.id: item for item in reversed(hits)}.values())[::-1]
    said = {(ref, canonical(item.text)) for item in once if isinstance(item.item, Fact) for ref in item.item.evidence}
    return [item for item in once if isinstance(item.item, Fact) or (item.id, canonical(item.text)) not in said]


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def _same(item: Found, key: Key) -> bool:
    """Whether what was found is but the key that was asked by."""
    return normalise(key[0], item.value) == key[1]


def _exact(attribute: Attribute | None) -> bool:
    return attribute is not None and attribute.kind in KEYS
