"""Kind `detect`, instructions and claims of authority: what the gate holds back, and how.

Every text is read as a user's own turn and as a tool's result, for the gate is stricter with the second. A text counts as
flagged where anything at all is suspected; what becomes of it is then told by the write path itself (`redact.clean`): the
flagged words are refused (kept for the auditor, the rest of the text stays), or all of it is quarantined until a person has
looked. Nothing is lost in either.

Belongs here: the course and figures of the suite. Does not belong here: the detectors (text/), the choice of records
(`detect`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.enums import ActorType, Eligibility
from muniment.domain.observation import Observation
from muniment.evaluation.detect import talk
from muniment.evaluation.metrics import percentile
from muniment.evaluation.options import Run
from muniment.ingestion.redact import clean
from muniment.text.authority import suspicions
from muniment.text.language import language

SOURCES: Final = {"user": ActorType.USER, "tool": ActorType.TOOL}
Z: Final = 1.959964
"""Two-sided 95 % of the normal distribution, for Wilson's interval."""


@dataclass(slots=True)
class Count:
    """Of `n` texts, how many were flagged, and what became of those."""

    n: int = 0
    flagged: int = 0
    refused: int = 0
    quarantined: int = 0
    learned: int = 0

    def as_json(self) -> dict[str, Any]:
        """The counts, the share that was flagged and its 95 % interval; `lost` are texts of which nothing is kept."""
        low, high = wilson(self.flagged, self.n)
        share = round(self.flagged / self.n, 4) if self.n else None
        return {
            "n": self.n,
            "flagged": self.flagged,
            "share": share,
            "interval": [low, high],
            "quarantined": self.quarantined,
            "refused": self.refused,
            "lost": self.flagged - self.refused - self.quarantined,
            "only_learned": self.learned,
        }


@dataclass(slots=True)
class Tally:
    """One dataset and split: for each source and type (label 1, or 0 with what it is called) the counts."""

    counts: dict[tuple[str, int, str], Count] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    languages: set[str] = field(default_factory=set)
    n: int = 0

    def add(self, text: str, label: int, kind: str, policy: Policy) -> None:
        """Reads one text as from each source."""
        self.n += 1
        self.languages.add(language(text))
        for source, actor in SOURCES.items():
            count = self.counts.setdefault((source, label, kind), Count())
            self.milliseconds.append(judge(text, actor, policy, count))

    def of(self, source: str, label: int, kind: str | None = None) -> Count:
        """The counts of one label, of one type or of all."""
        total = Count()
        for (where, what, named), part in self.counts.items():
            if where == source and what == label and kind in (None, named):
                for name in ("n", "flagged", "refused", "quarantined", "learned"):
                    setattr(total, name, getattr(total, name) + getattr(part, name))
        return total


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split; every one holds the false alarms on the run's ordinary talk in its language."""
    tallies: dict[tuple[str, str], Tally] = {}
    chosen = records[: run.options.limit]
    for done, record in enumerate(chosen, 1):
        name = (str(record.get("dataset", "detect")), str(record.get("split", "all")))
        tally = tallies.setdefault(name, Tally())
        tally.add(record["text"], int(record["label"]), str(record.get("type", "")), run.policy)
        if run.options.progress is not None and (done % 50 == 0 or done == len(chosen)):
            run.options.progress(f"texts of {name[0]}", done, len(chosen))
    ordinary = run.once("alarms of the gate on ordinary talk", lambda: _ordinary(run))
    return [_figures(dataset, split, tally, ordinary) for (dataset, split), tally in tallies.items()]


def judge(text: str, actor: ActorType, policy: Policy, count: Count) -> float:
    """Reads one text as from one actor and counts what becomes of it; the milliseconds the detectors took."""
    started = time.perf_counter()
    found = suspicions(text, source_is_user=actor is ActorType.USER, learned=policy.learned)
    took = (time.perf_counter() - started) * 1000
    count.n += 1
    if found:
        count.flagged += 1
        count.learned += all(item.detector.startswith("learned.") for item in found)
        kept = {part.eligibility for part in _kept(text, actor, policy)}
        if Eligibility.AUDIT_ONLY in kept:
            count.refused += 1
        elif Eligibility.QUARANTINED in kept:
            count.quarantined += 1
    return took


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, four digits (Wilson 1927); (0, 1) of nothing."""
    if not n:
        return 0.0, 1.0
    share, spread = hits / n, Z * Z / n
    middle = share + spread / 2
    half = Z * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    return round(max(0.0, (middle - half) / (1 + spread)), 4), round(min(1.0, (middle + half) / (1 + spread)), 4)


def _kept(text: str, actor: ActorType, policy: Policy) -> Iterable[Any]:
    """The parts of the text that the write path would keep."""
    return clean(Observation(content=text, actor=actor), policy=policy, digest=str).parts


def _ordinary(run: Run) -> dict[str, Tally]:
    """The alarms on ordinary talk, by language; the files of one run are read once for all its data sets."""
    found: dict[str, Tally] = {}
    for name, texts in talk(run.options.talk).items():
        for done, text in enumerate(texts, 1):
            found.setdefault(language(text), Tally()).add(text, 0, name, run.policy)
            if run.options.progress is not None and (done % 200 == 0 or done == len(texts)):
                run.options.progress(f"ordinary turns of {name}", done, len(texts))
    return found


def _figures(dataset: str, split: str, tally: Tally, ordinary: Mapping[str, Tally]) -> dict[str, Any]:
    """One result of the report; shares are 0 to 1."""
    return {
        "dataset": dataset,
        "kind": "detect",
        "part": "gate",
        "split": split,
        "n": tally.n,
        "sources": {source: _of_source(tally, source) for source in SOURCES},
        "ordinary_talk": {
            lang: {source: _of_source(part, source)["harmless"] for source in SOURCES}
            for lang, part in ordinary.items()
            if lang in tally.languages
        },
        "detect_ms": {
            "p50": round(percentile(tally.milliseconds, 0.5) or 0.0, 3),
            "p95": round(percentile(tally.milliseconds, 0.95) or 0.0, 3),
        },
    }


def _of_source(tally: Tally, source: str) -> dict[str, Any]:
    """What was flagged of the harmful and of the harmless texts, in all and by type."""
    shown: dict[str, Any] = {}
    for name, label in (("harmful", 1), ("harmless", 0)):
        whole = tally.of(source, label)
        if whole.n:
            kinds = sorted({kind for where, what, kind in tally.counts if (where, what) == (source, label)})
            by_type = {kind: tally.of(source, label, kind).as_json() for kind in kinds}
            shown[name] = {**whole.as_json(), "by_type": by_type}
    return shown
