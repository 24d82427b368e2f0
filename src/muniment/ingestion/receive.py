"""Step 1: an observation as event, evidence, exact keys and index entries, ready to be written in one transaction.

Belongs here: the rows of what was received. Does not belong here: what may be kept (`redact`), candidates (`extract`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from muniment.config import Policy, Trust
from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import ActorType, EvidenceType, ItemKind, Scope
from muniment.domain.observation import Observation
from muniment.domain.query import IndexItem
from muniment.domain.records import Candidate, Event, Evidence
from muniment.domain.scope import Placement, Reader
from muniment.domain.time import Moment
from muniment.ingestion.exact_keys import digest_of_piece, keys_of_piece
from muniment.ingestion.redact import Cleaned
from muniment.ports.store import StoredIdentifier
from muniment.text.passages import PASSAGE_CHARS, spans
from muniment.text.tokenizer import analyse

NewId = Callable[[], UUID]


@dataclass(slots=True, kw_only=True)
class Received:
    """What one observation will be written as; `vectors` and `candidates` are filled in by later steps."""

    cleaned: Cleaned
    event: Event
    evidence: list[Evidence]
    identifiers: list[StoredIdentifier]
    vectors: dict[UUID, bytes] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    error: str | None = None


def trust_of(observation: Observation, trust: Trust) -> int:
    """The source's trust by policy; the caller may lower it, never raise it."""
    by_evidence = {
        EvidenceType.DOCUMENT: trust.document,
        EvidenceType.TOOL: trust.tool,
        EvidenceType.API: trust.api,
        EvidenceType.DATABASE: trust.database,
    }
    by_actor = {ActorType.USER: trust.user, ActorType.AGENT: trust.agent, ActorType.TOOL: trust.tool}
    if observation.actor is ActorType.SYSTEM:
        own = trust.system
    else:
        own = by_evidence.get(observation.evidence_type, by_actor[observation.actor])
    return own if observation.trust is None else min(own, observation.trust)


def receive(
    cleaned: Cleaned,
    *,
    reader: Reader,
    policy: Policy,
    now: datetime,
    new_id: NewId,
    digest: Callable[[str], str],
) -> Received:
    """The rows of one observation. Pure but for ids; `recorded_at` and `seq` are set by the transaction."""
    item = cleaned.observation
    session = reader.narrow(session=item.session).session
    placement = Placement(scope=Scope.USER, user=reader.user, agent=reader.agent, session=session, task=reader.task)
    occurred = item.occurred or Moment(at=now)
    event = Event(
        event_id=new_id(),
        actor_type=item.actor,
        actor_id=item.actor_id or (reader.user if item.actor is ActorType.USER else item.actor.value.lower()),
        placement=placement,
        event_type=item.kind,
        source=item.source,
        occurred=occurred,
        recorded_at=now,
        lane_key=digest(f"lane\x00{reader.tenant}\x00{reader.user}\x00{session or ''}"),
        seq=0,
        payload=item.payload,
        metadata=dict(item.metadata) | _done(cleaned),
        idempotency_key=item.idempotency_key,
        trace_id=item.trace_id,
        principal=_authority(reader),
    )
    evidence = list(_evidence(cleaned, event, reader=reader, policy=policy, session=session, new_id=new_id))
    found = [key for piece in evidence for key in keys_of_piece(piece, digest)]
    masked = [digest_of_piece(evidence[0], kind, original, digest) for kind, original in cleaned.masked]
    found += [key for key in masked if key is not None]
    return Received(cleaned=cleaned, event=event, evidence=evidence, identifiers=found)


def _done(cleaned: Cleaned) -> dict[str, list[str]]:
    """What was done to an observation before it was written, as its event tells it: 'sanitised', 'redacted' with the kinds."""
    done = {"sanitised": list(cleaned.flags), "redacted": list(cleaned.kinds)}
    return {name: values for name, values in done.items() if values}


def _authority(reader: Reader) -> dict[str, list[str]]:
    """What the reader may do beyond a plain agent's rights: a replay decides with it."""
    roles = sorted(reader.roles) if reader.roles != {"agent"} else []
    authority = {"departments": sorted(reader.departments), "roles": roles}
    return {name: values for name, values in authority.items() if values}


def _evidence(
    cleaned: Cleaned, event: Event, *, reader: Reader, policy: Policy, session: str | None, new_id: NewId
) -> Sequence[Evidence]:
    """A piece for each part; a document's parts in passages, each with its place in the text, unless it is one already."""
    item = cleaned.observation
    passages = item.evidence_type is EvidenceType.DOCUMENT and item.kind != PASSAGE_EVENT
    rows = []
    for part in cleaned.parts:
        places = spans(part.text, PASSAGE_CHARS) if passages else [(0, len(part.text))]
        for start, end in places:
            where = f"{item.locator or 'document'}#{start}-{end}" if passages else item.locator
            rows.append(
                Evidence(
                    evidence_id=new_id(),
                    evidence_type=item.evidence_type,
                    event_id=event.event_id,
                    placement=Placement(scope=Scope.USER, user=reader.user),
                    content=part.text[start:end],
                    source_system=item.source_system or item.source,
                    recorded_at=event.recorded_at,
                    source_id=item.source_id,
                    source_version=item.source_version,
                    locator=where and where[:512],
                    metadata=item.metadata,
                    trust=trust_of(item, policy.trust),
                    occurred=event.occurred,
                    redacted=cleaned.redacted,
                    speaker=item.speaker,
                    actor=item.actor,
                    session=session,
                    eligibility=part.eligibility,
                )
            )
    return rows


def entry(piece: Evidence, event: Event, vectors: bytes) -> IndexItem:
    """The index entry of a piece of evidence."""
    analysis = analyse(piece.content)
    return IndexItem(
        kind=ItemKind.EVIDENCE,
        ref=piece.evidence_id,
        placement=piece.placement,
        tokens=analysis.tokens,
        tail=analysis.tail,
        asks=analysis.asks,
        vectors=vectors,
        session=piece.session or "",
        speaker=piece.speaker or "",
        role=event.actor_type.value,
        occurred_at=event.occurred.at,
        eligibility=piece.eligibility,
    )
