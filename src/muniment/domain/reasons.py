"""Why a read gave what it gave: the route, each hit, and what was left out.

Belongs here: the explanation of hits and of whole reads, readable and as plain data. Does not belong here: the chain behind
a fact (`answers.Explanation`), and its look on a terminal (cli/).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from muniment.domain.answers import Explanation, Hit, Hits
    from muniment.domain.contexts import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class HitReasons:
    """Why one hit is there: the channel and its reason, the parts of its score, scope, basis, period, revision, grounds, flags.
    `chain` is what lies behind a fact, where it was asked for."""

    id: UUID
    kind: str
    says: str
    channel: str
    reason: str
    score: float
    parts: Mapping[str, float]
    scope: str
    basis: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    confirmed: datetime | None = None
    revision: int | None = None
    evidence: tuple[UUID, ...] = ()
    flags: tuple[str, ...] = ()
    count: int = 1
    citation: str | None = None
    chain: Explanation | None = None

    def __str__(self) -> str:
        """A few lines for people."""
        cited = f" [{self.citation}]" if self.citation else ""
        head = f"{self.kind}{cited}: {' '.join(self.says.split())}"
        lines = [head, f"  {self.channel}: {self.reason}"]
        # The probability of relevance stands beside the score's parts and is none of them.
        parts = [part for part in self.parts.items() if part[0] != "relevance"]
        if parts:
            parts.sort(key=lambda part: (-abs(part[1]), part[0]))
            lines.append(f"  score {self.score:.3f} = " + ", ".join(f"{name} {value:+.3f}" for name, value in parts))
        if "relevance" in self.parts:
            lines.append(f"  probability of relevance {self.parts['relevance']:.2f}")
        lines.append(f"  {self._standing()}")
        if self.evidence:
            lines.append(f"  rests on {', '.join(map(str, self.evidence))}")
        if self.flags:
            lines.append(f"  but: {', '.join(self.flags)}")
        return "\n".join(lines)

    def _standing(self) -> str:
        """Scope, basis, period, revision, last confirmation, id."""
        said = [f"scope {self.scope}"]
        said += [f"basis {self.basis}"] if self.basis else []
        said += [f"revision {self.revision}"] if self.revision is not None else []
        if self.valid_from is not None or self.valid_until is not None:
            said.append(f"holds {_day(self.valid_from, 'ever')} to {_day(self.valid_until, 'now on')}")
        said += [f"confirmed {_day(self.confirmed, '')}"] if self.confirmed else []
        return "; ".join([*said, f"id {self.id}"])

    def plain(self) -> dict[str, Any]:
        """The same as JSON's own types."""
        found: dict[str, Any] = _plain(self)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Why a search or a context came out as it did. `left_out` is what was dropped, by reason, as (id, first words)."""

    case: str
    route: Mapping[str, str]
    stopped: str | None
    spared: Mapping[str, str]
    hits: tuple[HitReasons, ...]
    left_out: Mapping[str, tuple[tuple[UUID | None, str], ...]]
    conflicts: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    known_at: datetime | None = None
    tokens: int | None = None
    budget: int | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Readable text: the route, the hits, what was left out."""
        lines = [f"route ({self.case}):"]
        lines += [f"  {name}: {why}" for name, why in self.route.items()]
        lines += [f"  {self.stopped} answered alone"] if self.stopped else []
        lines += [f"  {name} was not asked: {why}" for name, why in self.spared.items()]
        lines += [f"  {name} failed; the answer was made without it" for name in self.degraded]
        lines.append(f"{len(self.hits)} shown:" if self.hits else "nothing shown")
        lines += ["  " + text.replace("\n", "\n  ") for text in map(str, self.hits)]
        lines += [f"conflict: {said}" for said in self.conflicts]
        for reason, items in self.left_out.items():
            lines.append(f"left out, {reason}: {len(items)}")
            lines += [
                f"  {' '.join(text.split()) or 'without words'}{f' ({ref})' if ref else ''}" for ref, text in items
            ]
        lines += [f"{self.tokens} of {self.budget} tokens"] if self.budget is not None else []
        lines += [f"as of {getattr(self.known_at, 'text', None) or self.known_at.isoformat()}"] if self.known_at else []
        lines += (
            ["made with " + ", ".join(f"{name} {value}" for name, value in self.made_with.items())]
            if self.made_with
            else []
        )
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """The same as JSON's own types."""
        found: dict[str, Any] = _plain(self)
        return found


def hit_reasons(hit: Hit, *, citation: str | None = None, chain: Explanation | None = None) -> HitReasons:
    """Why a hit is there."""
    why = hit.why
    return HitReasons(
        id=hit.id,
        kind=type(hit.item).__name__.lower(),
        says=hit.text,
        channel=why.channel,
        reason=why.reason,
        score=hit.score,
        parts=dict(hit.parts),
        scope=why.scope,
        basis=why.basis,
        valid_from=why.valid_from,
        valid_until=why.valid_until,
        confirmed=why.confirmed,
        revision=why.revision,
        evidence=why.evidence,
        flags=why.flags,
        count=why.count,
        citation=citation or None,
        chain=chain,
    )


def reasons_of(hits: Iterable[Hit], read: Hits | Context, *, items: Mapping[UUID, str] | None = None) -> Reasons:
    """Why a read came out as it did; `items` are the citations of what it shows."""
    left_out: dict[str, list[tuple[UUID | None, str]]] = {}
    for item in read.dropped:
        left_out.setdefault(item.reason, []).append((item.id, item.text))
    once = {hit.id: hit for hit in hits}
    made = getattr(read, "made_with", None)
    return Reasons(
        case=read.route.case,
        route={name: read.route.reasons.get(name, "") for name in read.route.channels},
        stopped=read.route.stopped,
        spared=dict(read.route.spared),
        hits=tuple(hit_reasons(hit, citation=(items or {}).get(hit.id)) for hit in once.values()),
        left_out={reason: tuple(found) for reason, found in left_out.items()},
        conflicts=read.conflicts,
        degraded=read.degraded,
        known_at=read.known_at,
        tokens=getattr(read, "tokens", None),
        budget=getattr(read, "budget", None),
        made_with={} if made is None else asdict(made),
    )


def _plain(value: Any) -> Any:
    """A value of these in JSON's own types; a token of a snapshot as its whole text."""
    if isinstance(value, datetime):
        return getattr(value, "text", None) or value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _day(at: datetime | None, otherwise: str) -> str:
    return otherwise if at is None else at.date().isoformat()
