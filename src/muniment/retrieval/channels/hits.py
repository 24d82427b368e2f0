"""Records as hits, each saying why it is there.

Belongs here: the construction of `Hit` for facts, evidence, summaries and passages. Does not belong here: finding them.
"""

from __future__ import annotations

from collections.abc import Mapping

from muniment.domain.answers import Hit, Why
from muniment.domain.enums import Eligibility, Standing
from muniment.domain.passages import Passage
from muniment.domain.records import Evidence, Fact
from muniment.domain.summaries import Summary
from muniment.text.authority import suspicions


def fact_hit(fact: Fact, *, channel: str, score: float, parts: Mapping[str, float], reason: str) -> Hit:
    """A fact with its basis, period, revision, grounds and what is uncertain about it."""
    flags = []
    if fact.standing in (Standing.CONTENDER, Standing.DISPUTED):
        flags.append(fact.standing.value.lower())
    if not fact.valid_from_known:
        flags.append("start not known exactly" if fact.standing is not Standing.UNPLACED else "time not known")
    return Hit(
        item=fact,
        score=score,
        parts=parts,
        why=Why(
            channel=channel,
            reason=reason,
            scope=fact.scope.value,
            basis=fact.basis.value,
            valid_from=fact.valid_from,
            valid_until=fact.valid_until,
            revision=fact.revision,
            evidence=fact.evidence,
            flags=tuple(flags),
        ),
    )


def evidence_hit(piece: Evidence, *, channel: str, score: float, parts: Mapping[str, float], reason: str) -> Hit:
    """A piece of evidence with who said it where, and whether it is under suspicion or only history."""
    flags = []
    if piece.eligibility is Eligibility.QUARANTINED:
        flags.append("quarantined")
    if piece.eligibility is Eligibility.HISTORY:
        flags.append("history")
    if piece.redacted:
        flags.append("redacted")
    return Hit(
        item=piece,
        score=score,
        parts=parts,
        why=Why(
            channel=channel,
            reason=reason,
            scope=piece.placement.scope.value,
            evidence=(piece.evidence_id,),
            flags=tuple(flags),
        ),
    )


def passage_hit(passage: Passage, *, rank: int) -> Hit:
    """A passage of a source outside, with its place there. Flagged: it is not governed, and never a fact; and quarantined
    where it reads like an instruction or a claim of authority, so that no prompt takes it up.

    The score is 1 / rank inside its source; the source's own score, where it gave one, is a part.
    """
    place = [text for text in (passage.title, passage.locator) if text]
    place += [f"version {passage.version}"] if passage.version else []
    return Hit(
        item=passage,
        score=1.0 / rank,
        parts={} if passage.score is None else {"source": passage.score},
        why=Why(
            channel="knowledge",
            reason=f"number {rank} of source {passage.source}" + (f": {', '.join(place)}" if place else ""),
            scope="OUTSIDE",
            flags=("outside", "quarantined") if suspicions(passage.content, source_is_user=False) else ("outside",),
        ),
    )


def summary_hit(summary: Summary, *, channel: str, score: float, parts: Mapping[str, float], reason: str) -> Hit:
    """A summary, flagged as derived: it is told from what it rests on, and is no source of facts."""
    flags = ["derived"]
    if summary.stale:
        flags.append(f"{summary.stale} stale line(s) left out")
    return Hit(
        item=summary,
        score=score,
        parts=parts,
        why=Why(
            channel=channel,
            reason=reason,
            scope=summary.placement.scope.value,
            revision=summary.version,
            evidence=tuple(dict.fromkeys(ref for line in summary.lines for ref in line.rests_on)),
            flags=tuple(flags),
        ),
    )


def strongest(parts: Mapping[str, float]) -> str:
    """The parts that carried a score, strongest first, in words."""
    carried = sorted(((value, name) for name, value in parts.items() if value > 0), reverse=True)[:3]
    return ", ".join(f"{name} {value:+.2f}" for value, name in carried) or "nearest in meaning"
