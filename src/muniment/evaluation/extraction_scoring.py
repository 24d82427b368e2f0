"""What counts as right of what was extracted, and the figures of it.

A candidate is paired with the expected statement whose quote it overlaps most; at least half of the shorter of the two must be
shared. It is *right* when the statement is still free (said twice, the second is wrong), its type is one of those acceptable,
it asks to forget exactly where the speaker does (there the type is not judged: what is to be forgotten is looked for under every
type), a negation is not lost or invented, what it names as the value is the value, and it is not filed as the speaker's own
where it is about somebody else. One paired with an optional statement counts neither way. Scope, span, intent and times are
counted over what is right and do not make it wrong.

An expected statement is *found* when a candidate that was accepted or asked about is right of it; one candidate that quotes
several statements whole finds each whose value it holds.

Belongs here: pairing, judging, shares. Does not belong here: running the labelled turns (`extraction`), tables
(`extraction_report`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from muniment.domain.enums import CandidateStatus, Intent, MemoryType
from muniment.domain.records import Candidate
from muniment.domain.statement import canonical

if TYPE_CHECKING:
    from muniment.evaluation.extraction import Expected, Labelled

ASKED: Final = frozenset({CandidateStatus.ACCEPTED, CandidateStatus.NEEDS_CONFIRMATION, CandidateStatus.SUPERSEDED})
"""What a person gets to see; superseded is what waited until a later one of its slot came."""
BINS: Final = ((0.0, 0.55), (0.55, 0.82), (0.82, 1.01))
"""Bounds of confidence at which governance drops, asks and accepts."""
SAME: Final = 0.5
"""Share of the shorter of two spans that makes them the same place."""
CLOSE: Final = 0.5
"""Intersection over union from which a span is right; else one holds the other and is at most three times as long."""
LONGER: Final = 3
LENIENT: Final = {"negation": "neg-lenient", "times": "dates-lenient", "intent": "intent-lenient"}
"""Tags by which a label says that another answer is as fair."""
_NEGATION: Final = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|without|cannot|hardly|rarely|avoid\w*|refus\w+|stop\w*|quit)\b|n't\b|any ?more\b"
    r"|不|没|别|无|未|勿|戒|从来不|免|禁|拒",
    re.IGNORECASE,
)
_OURS: Final = re.compile(r"(?:user|i|me|my|we|us|our)\b|我们?$|用户|我们|咱|我[司家校]|本|敝")
_NEGATIVE: Final = frozenset({"dislikes", "allergy"})
"""Predicates that hold the negation themselves."""
_LIMITS: Final = frozenset({"budget", "deadline"})
"""Predicates whose value is a bound, told with a negation or without ('not above 500')."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A labelled turn with the candidates that were made of it."""

    label: Labelled
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A candidate with the statement it was paired with; `wrong` says in words what is, and is empty for what is right or
    counts neither way (`neutral`)."""

    candidate: Candidate
    expected: Expected | None
    wrong: tuple[str, ...]
    neutral: bool = False

    @property
    def right(self) -> bool:
        """Whether it counts as right."""
        return not self.wrong and not self.neutral


@dataclass(slots=True)
class Turned:
    """One turn, judged. `found` and `accepted` are the places of the expected statements that were."""

    read: Read
    judged: list[Judged] = field(default_factory=list)
    found: set[int] = field(default_factory=set)
    accepted: set[int] = field(default_factory=set)


def judged(read: Read) -> Turned:
    """Every candidate of a turn judged, and which expected statements were found."""
    turned = Turned(read=read)
    taken: set[int] = set()
    for item in sorted(read.candidates, key=lambda item: (_span(item, read.label.text), -item.confidence)):
        places = _places(item, read.label)
        place = next((place for place in places if place not in taken), places[0] if places else None)
        expected = None if place is None else read.label.expected[place]
        wrong = (
            ("nothing to keep here",)
            if expected is None
            else _wrong(item, expected, twice=place in taken, tags=read.label.tags)
        )
        neutral = expected is not None and expected.optional
        turned.judged.append(Judged(candidate=item, expected=expected, wrong=() if neutral else wrong, neutral=neutral))
        if place is None or wrong:
            continue
        held = {place, *(other for other in places if _holds(item, read.label.expected[other]))}
        taken |= held
        turned.found |= held if item.status in ASKED else set()
        turned.accepted |= held if item.status is CandidateStatus.ACCEPTED else set()
    return turned


def _places(item: Candidate, label: Labelled) -> list[int]:
    """The expected statements whose quotes a candidate's overlaps, the most alike first."""
    mine = _span(item, label.text)
    found = []
    for place, expected in enumerate(label.expected):
        start = label.text.find(expected.quote)
        theirs = (start, start + len(expected.quote))
        shared = _shared(mine, theirs)
        if shared >= SAME * min(mine[1] - mine[0], theirs[1] - theirs[0]) and shared > 0:
            typed = item.memory_type in expected.type
            found.append((not typed, -shared / _union(mine, theirs), place))
    return [place for _, _, place in sorted(found)]


def _span(item: Candidate, text: str) -> Span:
    """Where a candidate's quote stands in the text of the turn; a passage of a document begins elsewhere."""
    quote = item.quote or item.content
    if item.quote_span is not None and text[slice(*item.quote_span)] == quote:
        return item.quote_span
    start = text.find(quote)
    return (start, start + len(quote)) if start >= 0 else item.quote_span or (0, 0)


def _shared(one: Span, two: Span) -> int:
    return max(0, min(one[1], two[1]) - max(one[0], two[0]))


def _union(one: Span, two: Span) -> int:
    return one[1] - one[0] + two[1] - two[0] - _shared(one, two)


def _wrong(item: Candidate, expected: Expected, *, twice: bool, tags: Sequence[str]) -> tuple[str, ...]:
    said = []
    if twice:
        said.append("said twice")
    if item.memory_type not in expected.type and expected.intent is not Intent.FORGET:
        said.append(f"type {item.memory_type.value}")
    if (item.intent is Intent.FORGET) != (Intent.FORGET in expected.intents):
        said.append(f"intent {item.intent.value}")
    if LENIENT["negation"] not in tags and not polar(item, expected):
        said.append("polarity")
    if not _valued(item, expected):
        said.append(f"value {item.value!r}")
    if (
        item.predicate is not None
        and item.subject in (None, "user")
        and not any(_own(subject) for subject in expected.subjects)
    ):
        said.append(f"filed as the speaker's, about {expected.subject!r}")
    return tuple(said)


def polar(item: Candidate, expected: Expected) -> bool:
    """Whether a negation was neither lost nor invented. In a slot it must stand in predicate or value; a statement that stands
    alone keeps it in its words."""
    if item.intent is Intent.FORGET or item.predicate in _LIMITS or expected.polarity_either:
        return True
    if not expected.negated:
        return not (_NEGATION.search(item.value or "") and not _NEGATION.search(expected.quote))
    if item.predicate is None:
        return bool(_NEGATION.search(item.content))
    return item.predicate in _NEGATIVE or bool(_NEGATION.search(item.value or ""))


def _valued(item: Candidate, expected: Expected) -> bool:
    """Whether the value is the one that was told: one holds the other, or they share the half of the words; a date or a number
    is written another way in a slot, so that there the quote decides."""
    if not expected.value:
        return True
    wanted = _plain(expected.value)
    if item.value is None or not item.predicate or re.fullmatch(r"-?[\d:. -]+", item.value):
        return wanted in _plain(item.content) or wanted in _plain(item.quote or "")
    mine = _plain(item.value)
    if mine in wanted or wanted in mine:
        return True
    ours, theirs = set(mine.split()), set(wanted.split())
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs)) or wanted in _plain(item.quote or "")


def _holds(item: Candidate, expected: Expected) -> bool:
    """Whether a candidate that is right of one statement tells this one too."""
    inside = _plain(expected.quote) in _plain(item.quote or "")
    return (
        inside
        and item.memory_type in expected.type
        and (not expected.value or _plain(expected.value) in _plain(item.value or item.content))
    )


def _plain(text: str) -> str:
    return canonical(text).replace("'", "")


def _own(subject: str) -> bool:
    """Whether a statement about that subject may be filed as the speaker's: themselves, or what is theirs with others (our team,
    我司)."""
    return bool(_OURS.match(canonical(subject)))


def scoped(item: Candidate, expected: Expected) -> bool:
    """Whether it would be kept where it belongs."""
    return item.scope in expected.scope


def spanned(item: Candidate, expected: Expected, text: str) -> bool:
    """Whether its quote is the expected one, or near it (`CLOSE`, `LONGER`)."""
    mine = _span(item, text)
    start = text.find(expected.quote)
    theirs = (start, start + len(expected.quote))
    shared, sizes = _shared(mine, theirs), sorted((mine[1] - mine[0], theirs[1] - theirs[0]))
    return shared >= CLOSE * _union(mine, theirs) or (shared == sizes[0] and sizes[1] <= LONGER * sizes[0])


def timed(item: Candidate, expected: Expected, at: datetime) -> bool:
    """Whether the days told are the days kept; the last day may be given as itself or as the instant it ends."""
    zone = at.tzinfo
    starts = expected.valid_from is None or (
        item.valid_from is not None and item.valid_from.astimezone(zone).date() == expected.valid_from
    )
    return starts and (expected.valid_until is None or expected.valid_until in _last_days(item, at))


def _last_days(item: Candidate, at: datetime) -> set[date]:
    if item.valid_until is None:
        return set()
    end = item.valid_until.astimezone(at.tzinfo)
    return {end.date(), (end - timedelta(microseconds=1)).date()}


def figures(reads: Iterable[Read]) -> dict[str, Any]:
    """Totals of a set of turns; shares are 0 to 1, None of nothing. No text of any turn is among them."""
    turned = [judged(read) for read in reads]
    every = [item for turn in turned for item in turn.judged]
    counted = [item for item in every if not item.neutral]
    types = [kind.value for kind in MemoryType]
    return {
        "n": len(turned),
        "expected": _count_expected(turned),
        **_of(counted, turned),
        "abstention": _abstention(turned),
        "details": _details([item for item in counted if item.right], turned),
        "by_type": {
            kind: scores
            for kind in types
            if (scores := _of_type(kind, counted, turned))["expected"] or scores["candidates"]
        },
        "reliability": [_bin(counted, low, high) for low, high in BINS],
        "refused": sum(item.candidate.status not in ASKED for item in every),
        "optional_found": sum(item.neutral for item in every),
    }


def _count_expected(turned: Sequence[Turned]) -> int:
    return sum(not item.optional for turn in turned for item in turn.read.label.expected)


def _of(counted: Sequence[Judged], turned: Sequence[Turned], kind: str | None = None) -> dict[str, float | None]:
    accepted = [item for item in counted if item.candidate.status is CandidateStatus.ACCEPTED]
    shown = [item for item in counted if item.candidate.status in ASKED]
    wanted = [
        (turn, place)
        for turn in turned
        for place, item in enumerate(turn.read.label.expected)
        if not item.optional and (kind is None or item.type[0].value == kind)
    ]
    return {
        "precision_accepted": _share(item.right for item in accepted),
        "precision_shown": _share(item.right for item in shown),
        "recall": _share(place in turn.found for turn, place in wanted),
        "recall_accepted": _share(place in turn.accepted for turn, place in wanted),
    }


def _of_type(kind: str, counted: Sequence[Judged], turned: Sequence[Turned]) -> dict[str, Any]:
    mine = [item for item in counted if item.candidate.memory_type.value == kind]
    wanted = sum(
        not item.optional and item.type[0].value == kind for turn in turned for item in turn.read.label.expected
    )
    return {"expected": wanted, "candidates": len(mine), **_of(mine, turned, kind)}


def _abstention(turned: Sequence[Turned]) -> dict[str, Any]:
    """Turns that hold nothing that must be kept, and how often nothing was accepted, nothing so much as asked about."""
    empty = [turn for turn in turned if all(item.optional for item in turn.read.label.expected)]
    return {
        "n": len(empty),
        "none_accepted": _share(
            not any(item.wrong and item.candidate.status is CandidateStatus.ACCEPTED for item in turn.judged)
            for turn in empty
        ),
        "none_shown": _share(
            not any(item.wrong and item.candidate.status in ASKED for item in turn.judged) for turn in empty
        ),
    }


def _details(right: Sequence[Judged], turned: Sequence[Turned]) -> dict[str, float | None]:
    """Of what is right: scope, span and intent right; times, where there are any to tell; a hedge kept below acceptance."""
    of = {id(item): turn.read.label for turn in turned for item in turn.judged}
    pairs = [(item.candidate, item.expected, of[id(item)]) for item in right if item.expected is not None]
    dated = [
        pair for pair in pairs if (pair[1].valid_from or pair[1].valid_until) and LENIENT["times"] not in pair[2].tags
    ]
    return {
        "scope": _share(scoped(item, expected) for item, expected, _ in pairs),
        "span": _share(spanned(item, expected, label.text) for item, expected, label in pairs),
        "intent": _share(
            item.intent in expected.intents for item, expected, label in pairs if LENIENT["intent"] not in label.tags
        ),
        "negation": _share(polar(item, expected) for item, expected, _ in pairs if expected.negated),
        "times": _share(timed(item, expected, label.at) for item, expected, label in dated),
        "hedged_held_back": _share(item.confidence < BINS[-1][0] for item, expected, _ in pairs if expected.hedged),
    }


def _bin(counted: Sequence[Judged], low: float, high: float) -> dict[str, Any]:
    mine = [item for item in counted if low <= item.candidate.confidence < high]
    return {"from": low, "to": min(high, 1.0), "n": len(mine), "right": _share(item.right for item in mine)}


def _share(values: Iterable[bool]) -> float | None:
    held = list(values)
    return round(sum(held) / len(held), 4) if held else None
