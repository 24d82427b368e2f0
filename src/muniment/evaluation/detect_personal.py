"""Personal data and secrets by kind: span precision, recall and F1 on labelled texts, false alarms on ordinary talk.

A found span counts where it is exactly the labelled one; beside it stands how much would count with any overlap. Only kinds
whose form can be checked are measured (`MEASURED`); the labels of a set that have none are named in its result, with how
often they occur. On records of kind `retrieval` (ordinary talk, asked for as suite `personal`) whatever is found is a false
alarm, but for URLs and e-mail addresses, which their syntax proves, and delicate subjects, which people do talk about: these
are counted apart.

Belongs here: what a label means, the counts. Does not belong here: the detectors (text/), instructions and authority.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from muniment.evaluation.options import Run
from muniment.text.finding import Finding, settle
from muniment.text.identifiers import identifiers
from muniment.text.personal import MASKABLE, SUBJECTS, detect
from muniment.text.personal_numbers import KINDS as NUMBERED

LABELS: Final[Mapping[str, str]] = {
    "CREDIT_CARD": "bank_card",
    "CN_BANK_CARD": "bank_card",
    "PHONE_NUMBER": "phone",
    "CN_MOBILE": "phone",
    "EMAIL_ADDRESS": "email",
    "EMAIL": "email",
    "DOMAIN_NAME": "url",
    "URL": "url",
    "US_SSN": "national_id",
    "CN_ID_CARD": "national_id",
    "CN_PASSPORT": "passport",
    "US_DRIVER_LICENSE": "driving_licence",
    "CN_PLATE": "plate",
    "CN_USCC": "tax_id",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
    "QQ": "account",
    "WECHAT": "account",
}
"""The kind of ours that a label of the sets means; labels without a form (names, addresses, dates, ages) have none."""

FOUND_BY_KEY: Final = ("email", "phone", "url", "plate")
"""Kinds that `text.identifiers` finds; the others are those of `text.personal`."""
MEASURED: Final = (*MASKABLE, *NUMBERED, *FOUND_BY_KEY)
PROVEN: Final = frozenset({"url", "email"})
"""Kinds that are what they are by their syntax: found in talk they are no false alarm."""
_CHINA: Final = re.compile(r"(?:\+|00)86[ -]?")


def is_personal(record: Mapping[str, Any]) -> bool:
    """Whether a record of kind `detect` belongs here: a labelled span of a known kind, or a set of personal data."""
    named = any(str(span.get("type")) in LABELS for span in record.get("spans") or ())
    return named or "pii" in str(record.get("dataset", "")) or str(record.get("type")) == "pii"


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """A result for each dataset and split: of labelled texts `overall` and `by_kind`, each with n, precision, recall, f1 and
    f1_overlap (shares, None where nothing can be said); of talk the turns, the false alarms and `per_1000`."""
    labelled: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    talk: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        if run.options.split not in (None, record.get("split")):
            continue
        key = (str(record.get("dataset", "personal")), str(record.get("split", "all")))
        if "docs" in record:
            talk[key] += [str(doc["text"]) for doc in record["docs"]]
        else:
            labelled[key].append(record)
    limit = run.options.limit
    return [
        *(_labelled(key, rows[:limit]) for key, rows in labelled.items()),
        *(_alarms(key, turns[:limit]) for key, turns in talk.items()),
    ]


def found(text: str) -> list[Finding]:
    """What the product finds of the measured kinds; of overlapping ones the personal kind stays."""
    keys = [
        Finding(kind=item.kind, span=item.span, detector="identifier")
        for item in identifiers(text)
        if item.kind in FOUND_BY_KEY
    ]
    return settle([*detect(text, (*MASKABLE, *NUMBERED)), *keys])


@dataclass(slots=True)
class _Counts:
    """Of one kind: labelled spans, found spans, those that agree exactly, and those that overlap, from either side."""

    gold: int = 0
    found: int = 0
    exact: int = 0
    gold_touched: int = 0
    found_touched: int = 0

    def add(self, other: _Counts) -> None:
        for name in ("gold", "found", "exact", "gold_touched", "found_touched"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def shown(self) -> dict[str, Any]:
        precision, recall = _share(self.exact, self.found), _share(self.exact, self.gold)
        near = _f1(_share(self.found_touched, self.found), _share(self.gold_touched, self.gold))
        return {
            "n": self.gold,
            "found": self.found,
            "precision": precision,
            "recall": recall,
            "f1": _f1(precision, recall),
            "f1_overlap": near,
        }


@dataclass(slots=True)
class _Timer:
    spent: float = 0.0
    turns: int = 0
    by: Counter[str] = field(default_factory=Counter)

    def found(self, text: str) -> list[Finding]:
        began = time.process_time()
        result = found(text)
        self.spent += time.process_time() - began
        self.turns += 1
        return result

    @property
    def ms(self) -> float | None:
        return round(1000 * self.spent / self.turns, 3) if self.turns else None


def _labelled(key: tuple[str, str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counts: dict[str, _Counts] = defaultdict(_Counts)
    left_out: Counter[str] = Counter()
    timer = _Timer()
    for row in rows:
        gold: dict[str, set[tuple[int, int]]] = defaultdict(set)
        text = str(row["text"])
        for kind, span in _gold(row, left_out):
            gold[kind].add(_national(text, kind, span))
        mine: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for item in timer.found(text):
            mine[item.kind].add(_national(text, item.kind, item.span))
        for kind in {*gold, *mine}:
            counts[kind].add(_compared(gold[kind], mine[kind]))
    overall = _Counts()
    for one in counts.values():
        overall.add(one)
    return {
        "kind": "personal",
        "dataset": key[0],
        "split": key[1],
        "n": len(rows),
        "overall": overall.shown(),
        "by_kind": {kind: counts[kind].shown() for kind in MEASURED if kind in counts},
        "left_out": dict(left_out.most_common()),
        "ms": timer.ms,
    }


def _gold(row: Mapping[str, Any], left_out: Counter[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    for span in row.get("spans") or ():
        kind = LABELS.get(str(span["type"]))
        if kind is None:
            left_out[str(span["type"])] += 1
        else:
            yield kind, (int(span["start"]), int(span["end"]))


def _national(text: str, kind: str, span: tuple[int, int]) -> tuple[int, int]:
    """A telephone number's span without +86 before it: sets label it with or without."""
    code = _CHINA.match(text, *span) if kind == "phone" else None
    return (code.end(), span[1]) if code else span


def _compared(gold: set[tuple[int, int]], mine: set[tuple[int, int]]) -> _Counts:
    return _Counts(
        gold=len(gold),
        found=len(mine),
        exact=len(gold & mine),
        gold_touched=sum(any(start < last and first < end for first, last in mine) for start, end in gold),
        found_touched=sum(any(start < last and first < end for first, last in gold) for start, end in mine),
    )


def _alarms(key: tuple[str, str], turns: Sequence[str]) -> dict[str, Any]:
    alarms: Counter[str] = Counter()
    proven: Counter[str] = Counter()
    timer = _Timer()
    for turn in turns:
        for item in timer.found(turn):
            (proven if item.kind in PROVEN else alarms)[item.kind] += 1
    subjects = Counter(
        kind for turn in turns for kind in {item.kind for item in detect(turn, (*SUBJECTS, "precise_location"))}
    )
    total = sum(alarms.values())
    return {
        "kind": "personal_talk",
        "dataset": key[0],
        "split": key[1],
        "n": len(turns),
        "false_alarms": total,
        "per_1000": round(1000 * total / len(turns), 2) if turns else None,
        "by_kind": dict(alarms.most_common()),
        "proven": dict(proven.most_common()),
        "delicate_turns": dict(subjects.most_common()),
        "ms": timer.ms,
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
