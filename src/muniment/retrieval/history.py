"""What no longer holds, is not sure, or is about another place: marked, and out of the way of a question for what holds.

Evidence is history when every fact it grounds is over, when the words that a correction took out of the record are all it gave,
when it says of itself that it is over, or when it tells whose a key was and of nothing that is.
Evidence that calls itself unverified, or a note from elsewhere, is marked as that.
Marked evidence stands behind everything current, so that it is out of the first k as soon as enough current answers exist;
nothing is hidden by it, and a question that asks for the past (or for rumours, or elsewhere) finds it in its place.

Belongs here: the marks, and what a question asks of them. Does not belong here: shadowing, duplicates (`adjudicate`), the wording
of pieces (`text/standing`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, Final
from uuid import UUID

from muniment.domain.answers import Hit
from muniment.domain.enums import Change, FactStatus, Standing
from muniment.domain.records import Evidence, Fact
from muniment.domain.statement import canonical
from muniment.ports.store import FactFilter, ReadUnit, Slot
from muniment.text.belonging import told_as_past
from muniment.text.folding import narrow
from muniment.text.standing import ends_at, marks
from muniment.text.wording import mentions

HISTORY: Final = "history"
UNVERIFIED: Final = "unverified"
ELSEWHERE: Final = "elsewhere"
PAST: Final = "past"
EARLIER: Final = "perhaps no longer so"
UNWANTED: Final = "perhaps to be forgotten"
DOUBTED: Final = frozenset({EARLIER, UNWANTED})
"""Flags of what later words perhaps took over from (`takeover`)."""
BEHIND: Final = frozenset({HISTORY, UNVERIFIED, ELSEWHERE, PAST}) | DOUBTED
"""Flags of hits that stand behind what is current and sure."""


_ENDED_BY_WORD: Final = frozenset({Change.CHANGE, Change.CORRECT, Change.INVALIDATE})
_CHANGES_THE_VALUE: Final = re.compile(
    r"\d|\b(?:not?|never|nor|without|instead|except|but)\b|不(?!错|过)|[没未别无非]", re.IGNORECASE
)


def wanted(question: str) -> frozenset[str]:
    """The flags whose bearers a question asks for, so that they stay in their place."""
    text = narrow(question).replace("’", "'")
    ruled_out = _says("out", "", text) or _says("present", "", text)
    named = {UNVERIFIED: _says("doubtful", "", text), ELSEWHERE: _says("elsewhere", "", text)}
    asked = {flag for flag, said in named.items() if said and not ruled_out}
    if _says("past", "plain", text) or (_says("past", "", text) and not ruled_out):
        asked.add(HISTORY)
    if _says("tense", "", text):
        asked.add(PAST)
    return frozenset(asked)


def marked(hits: Sequence[Hit], unit: ReadUnit) -> list[Hit]:
    """The hits in their order: evidence with the flags that it has to bear, facts without the grounds of what a correction took
    out of them."""
    pieces = [hit.item for hit in hits if isinstance(hit.item, Evidence)]
    grounds = unit.facts_on([piece.evidence_id for piece in pieces]) if pieces else {}
    over = _over(pieces, grounds, unit) | dict.fromkeys(_other_places(pieces, grounds, unit), ELSEWHERE)
    wrong = _reworded({hit.id: [hit.item] for hit in hits if isinstance(hit.item, Fact)}, unit)
    return [_grounded(hit, wrong) if isinstance(hit.item, Fact) else _flagged(hit, over, unit) for hit in hits]


def apart(hits: Sequence[Hit], asked: Collection[str] = ()) -> tuple[list[Hit], list[Hit]]:
    """What stands in its place, and what stands behind it; `asked` are the flags that the question asks for."""
    flags = BEHIND - set(asked)
    now = [hit for hit in hits if not flags.intersection(hit.why.flags)]
    past = [hit for hit in hits if flags.intersection(hit.why.flags)]
    return now, past


def _flagged(hit: Hit, over: Mapping[UUID, str], unit: ReadUnit) -> Hit:
    piece = hit.item
    if not isinstance(piece, Evidence):
        return hit
    said = marks(piece.content)
    end = ends_at(piece.content, piece.occurred)
    found: list[str] = [flag for flag in (UNVERIFIED, ELSEWHERE) if flag in said]
    if "ended" in said or (end is not None and end <= _at(unit)):
        found.insert(0, HISTORY)
    elif piece.evidence_id in over:
        found.insert(0, over[piece.evidence_id])
    elif told_as_past(piece.content):
        found.insert(0, HISTORY)
    fresh = tuple(flag for flag in found if flag not in hit.why.flags)
    return replace(hit, why=replace(hit.why, flags=(*hit.why.flags, *fresh))) if fresh else hit


def _grounded(hit: Hit, wrong: Mapping[UUID, Collection[UUID]]) -> Hit:
    """A fact's hit, citing only what tells the value it has."""
    if isinstance(hit.item, Fact) and HISTORY not in hit.why.flags and told_as_past(hit.item.content):
        hit = replace(hit, why=replace(hit.why, flags=(*hit.why.flags, HISTORY)))
    left_out = wrong.get(hit.id, ())
    if not left_out:
        return hit
    kept = tuple(ref for ref in hit.why.evidence if ref not in left_out)
    return replace(hit, why=replace(hit.why, evidence=kept))


def _at(unit: ReadUnit) -> datetime:
    """The instant that is asked about."""
    return unit.as_of.valid_at or unit.as_of.known_at or unit.now


Grounds = Mapping[UUID, Collection[UUID]]
"""By piece of evidence the facts that rest on it."""


def _other_places(pieces: Sequence[Evidence], grounds: Grounds, unit: ReadUnit) -> list[UUID]:
    """The pieces of another session that were meant for it alone: by the scope of every fact they ground; or, where they
    ground none, by their own words ('just this once'), but only for who asks from inside a session: who asks from outside of
    all asks what was said in any."""
    here = unit.reader.session
    others = [piece for piece in pieces if piece.session is not None and piece.session != here]
    if not others:
        return []
    confined = unit.confined({fact_id for piece in others for fact_id in grounds.get(piece.evidence_id, ())})
    found = []
    for piece in others:
        if facts := grounds.get(piece.evidence_id):
            meant = all(fact_id in confined for fact_id in facts)
        else:
            meant = here is not None and mentions("once", piece.content) is not None
        if meant:
            found.append(piece.evidence_id)
    return found


def _over(pieces: Sequence[Evidence], grounds: Grounds, unit: ReadUnit) -> dict[UUID, str]:
    """The pieces whose every fact is over, as HISTORY, or as PAST where what is over is an event that happened. A fact that
    this reader cannot see, or that is only past its keeping, is not over."""
    ids = tuple({fact_id for found in grounds.values() for fact_id in found})
    if not ids:
        return {}
    rows: dict[UUID, list[Fact]] = {}
    for row in unit.facts(FactFilter(ids=ids, include_contenders=True, include_inactive=True)):
        rows.setdefault(row.fact_id, []).append(row)
    latest = {fact_id: _latest(some) for fact_id, some in rows.items()}
    at = _at(unit)
    ended = {fact_id for fact_id, some in latest.items() if _none_holds(some, at, _ended)}
    restated = _restated({fact_id: latest[fact_id] for fact_id in ended}, unit)
    ended -= restated
    happened = {fact_id for fact_id, some in latest.items() if _none_holds(some, at, _happened)} - restated
    current = {key: some for key, some in latest.items() if key not in ended}
    reworded = _reworded(current, unit)
    for key in current:
        reworded[key] = set(reworded.get(key, ())) | _before_correction(rows[key], latest[key])
    marks_of: dict[UUID, str] = {}
    for piece in pieces:
        found = grounds.get(piece.evidence_id, [])
        if found and all(ref in ended or piece.evidence_id in reworded.get(ref, ()) for ref in found):
            marks_of[piece.evidence_id] = HISTORY
        elif found and all(ref in happened for ref in found):
            marks_of[piece.evidence_id] = PAST
    return marks_of


def _restated(ended: Mapping[UUID, Sequence[Fact]], unit: ReadUnit) -> set[UUID]:
    """The facts among those that are over whose value still stands in other words: nobody said that anything changed, and what
    holds in their slot now is the same value told more shortly or more fully ('Larch Court', 'the Larch Court estate')."""
    told = {fact_id: some[0] for fact_id, some in ended.items() if _only_told_again(some)}
    slots = tuple({Slot(placement=row.placement, key=row.slot) for row in told.values() if row.slot is not None})
    if not slots:
        return set()
    values: dict[Slot, set[str]] = {}
    for row in unit.facts(FactFilter(slots=slots)):
        if row.slot is not None and row.value:
            values.setdefault(Slot(placement=row.placement, key=row.slot), set()).add(canonical(row.value))
    return {
        fact_id
        for fact_id, row in told.items()
        if row.slot is not None
        and any(
            _one_in_other(canonical(row.value or ""), value)
            for value in values.get(Slot(placement=row.placement, key=row.slot), ())
        )
    }


def _only_told_again(rows: Sequence[Fact]) -> bool:
    """Whether a later statement of the slot ended a fact, and not a change that somebody told or an act of their own."""
    row = rows[0]
    return row.slot is not None and bool(row.value) and row.change not in _ENDED_BY_WORD and row.stated_until is None


def _one_in_other(one: str, other: str) -> bool:
    """Whether the shorter value stands in the longer one, whole or (in Chinese) in two parts of two characters or more, and the
    longer one adds neither a quantity nor a negation."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2:
        return False
    if short.isascii():
        parts = [rf"(?<![\w.-]){re.escape(short)}(?![\w-])"]
    else:
        cuts = range(2, len(short) - 1)
        parts = [re.escape(short), *(f"{re.escape(short[:at])}(.{{1,4}}){re.escape(short[at:])}" for at in cuts)]
    found = next((match for part in parts if (match := re.search(part, long))), None)
    if found is None:
        return False
    rest = " ".join((long[: found.start()], *found.groups(), long[found.end() :]))
    return not _CHANGES_THE_VALUE.search(rest)


def _latest(rows: Sequence[Fact]) -> list[Fact]:
    last = max(row.revision for row in rows)
    return [row for row in rows if row.revision == last]


def _ended(row: Fact, at: datetime) -> bool:
    """Whether a version says nothing of the instant or of later. What was told of a time of its own and fills no slot ('this
    weekend I am hiking') was never about now: once that time is over it is an event that happened, not a value that lapsed."""
    gone = row.standing is None or row.status is FactStatus.INVALIDATED
    lost = row.standing is Standing.UNSUPPORTED and (row.valid_from is None or row.valid_from <= at)
    event = row.slot is None and row.stated_until == row.valid_until
    return gone or lost or (row.valid_until is not None and row.valid_until <= at and not event)


def _none_holds(rows: Sequence[Fact], at: datetime, over: Callable[[Fact, datetime], bool]) -> bool:
    """Whether nothing of a fact holds at an instant, and something did before: what only begins later is not history, nor is
    what another statement lies over and will come back any less."""
    gone = [over(row, at) for row in rows]
    later = [row.valid_from is not None and row.valid_from > at for row in rows]
    return any(gone) and all(ended or still_to_come for ended, still_to_come in zip(gone, later, strict=True))


def _before_correction(rows: Sequence[Fact], latest: Sequence[Fact]) -> set[UUID]:
    """The evidence that told a value which a correction took out of the record altogether."""
    corrected = [row for row in rows if row.change is Change.CORRECT]
    if not corrected:
        return set()
    last = max(row.revision for row in corrected)
    told = [row for row in rows if row.revision < last]
    values = {canonical(row.value or row.content) for row in latest}
    old = {ref for row in told for ref in row.evidence if canonical(row.value or row.content) not in values}
    new = {ref for row in rows if row.revision >= last for ref in row.evidence}
    before = {ref for row in told for ref in row.evidence}
    return old - (new - before)


def _happened(row: Fact, at: datetime) -> bool:
    """Whether a version tells of a time of its own that is over."""
    return row.valid_until is not None and row.valid_until <= at


def _reworded(latest: Mapping[UUID, Sequence[Fact]], unit: ReadUnit) -> dict[UUID, set[UUID]]:
    """For each fact that was corrected, the grounds that told the value it had before: those without its value, where another
    ground has it. A value that no ground spells (a date, an amount) tells nothing."""
    corrected = {key: rows[0] for key, rows in latest.items() if rows[0].revision > 1 and rows[0].value}
    pieces = unit.evidence({ref for row in corrected.values() for ref in row.evidence}) if corrected else {}
    found: dict[UUID, set[UUID]] = {}
    for key, row in corrected.items():
        value = canonical(row.value or "")
        spelt = {ref for ref in row.evidence if ref in pieces and value in canonical(pieces[ref].content)}
        if spelt:
            found[key] = {ref for ref in row.evidence if ref in pieces} - spelt
    return found


@cache
def _lexicon() -> Mapping[str, Any]:
    text = (resources.files("muniment.retrieval") / "history.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _pattern(section: str, kind: str) -> re.Pattern[str]:
    words = _lexicon()[section]
    english, chinese = (words[f"{kind}_{code}" if kind else code] for code in ("en", "zh"))
    return re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(english)})(?![A-Za-z])|{'|'.join(chinese)}", re.IGNORECASE)


def _says(section: str, kind: str, text: str) -> bool:
    return bool(_pattern(section, kind).search(text))
