"""Rows as values: one function per table, both ways.

Belongs here: the mapping between columns and records, sealing included. Does not belong here: which rows to read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from muniment.domain.confidence import from_points, to_points
from muniment.domain.enums import (
    ActorType,
    Basis,
    CandidateStatus,
    Change,
    DependencyKind,
    Eligibility,
    EvidenceType,
    FactStatus,
    Intent,
    MemoryType,
    Ruling,
    Standing,
)
from muniment.domain.query import IndexItem
from muniment.domain.records import Candidate, Decision, Dependency, Event, Evidence, Fact, Verdict
from muniment.domain.scope import PartitionKey, Placement
from muniment.domain.time import Moment, micros
from muniment.ports.store import Told
from muniment.store.scoping import placement_of, placement_values
from muniment.store.sealing import Sealer

Values = dict[str, Any]
AnyRow = Row[*tuple[Any, ...]]


class Mapper:
    """Maps rows of one transaction; it needs the connection only to open sealed content."""

    def __init__(self, connection: Connection, sealer: Sealer) -> None:
        self._connection = connection
        self._sealer = sealer

    def open(self, row: AnyRow, column: str) -> str:
        """Content of a column that is never NULL."""
        return self._sealer.open(self._connection, row.tenant_id, getattr(row, column))

    def maybe(self, row: AnyRow, column: str) -> str | None:
        """Content of a column that may be NULL."""
        return None if getattr(row, column) is None else self.open(row, column)

    def json(self, row: AnyRow, column: str) -> dict[str, Any]:
        """A JSON object; NULL reads as an empty one."""
        text = self.maybe(row, column)
        return json.loads(text) if text else {}

    def opened(self, tenant: str, raw: bytes) -> bytes:
        """Derived content that was read by itself."""
        return self._sealer.open_bytes(self._connection, tenant, bytes(raw))

    def bytes(self, row: AnyRow, column: str) -> bytes:
        """Derived content of a column of bytes."""
        return self._sealer.open_bytes(self._connection, row.tenant_id, bytes(getattr(row, column)))

    def opened_text(self, tenant: str, text: str) -> str:
        """Content that was read by itself."""
        return self._sealer.open(self._connection, tenant, text)

    def event(self, row: AnyRow) -> Event:
        """An event."""
        return Event(
            event_id=row.event_id,
            actor_type=ActorType(row.actor_type),
            actor_id=row.actor_id,
            placement=placement_of(row),
            event_type=row.event_type,
            source=row.source,
            occurred=Moment(at=row.occurred_at, offset=row.occurred_offset, zone=row.occurred_zone),
            recorded_at=row.recorded_at,
            lane_key=row.lane_key,
            seq=row.seq,
            payload=self.json(row, "payload"),
            metadata=self.json(row, "metadata"),
            idempotency_key=row.idempotency_key,
            trace_id=row.trace_id,
            principal=self.json(row, "principal"),
        )

    def evidence(self, row: AnyRow) -> Evidence:
        """A piece of evidence."""
        occurred = None
        if row.occurred_at is not None:
            occurred = Moment(at=row.occurred_at, offset=row.occurred_offset, zone=row.occurred_zone)
        return Evidence(
            evidence_id=row.evidence_id,
            evidence_type=EvidenceType(row.evidence_type),
            event_id=row.event_id,
            placement=placement_of(row),
            content=self.open(row, "content"),
            source_system=row.source_system,
            recorded_at=row.recorded_at,
            source_id=row.source_id,
            source_version=row.source_version,
            locator=row.locator,
            metadata=self.json(row, "metadata"),
            trust=row.trust,
            occurred=occurred,
            redacted=row.redacted,
            speaker=self.maybe(row, "speaker"),
            actor=ActorType(row.actor_type),
            session=row.session_id,
            eligibility=Eligibility(row.eligibility),
        )

    def candidate(self, row: AnyRow, evidence: Iterable[UUID] = ()) -> Candidate:
        """A candidate with the evidence it rests on."""
        span = None if row.quote_start is None else (row.quote_start, row.quote_end)
        placement = placement_of(row)
        return Candidate(
            content=self.open(row, "content"),
            memory_type=MemoryType(row.memory_type),
            subject=row.subject,
            predicate=row.predicate,
            qualifier=row.qualifier,
            value=self.maybe(row, "object_value"),
            scope=placement.scope,
            department=placement.department,
            quote=self.maybe(row, "quote"),
            quote_span=span,
            evidence=tuple(evidence),
            confidence=from_points(row.confidence),
            basis=Basis(row.basis),
            intent=Intent(row.intent),
            explicit=row.explicit,
            extractor_model=row.extractor_model,
            extractor_version=row.extractor_version,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            valid_from_known=row.valid_from_known,
            expires_at=row.expires_at,
            trust=row.trust,
            metadata=self.json(row, "metadata"),
            candidate_id=row.candidate_id,
            status=CandidateStatus(row.status),
            governance_reason=self.maybe(row, "governance_reason"),
            created_at=row.created_at,
            target=row.target_id,
            proposed=self.json(row, "proposed"),
        )

    def decision(self, row: AnyRow) -> Decision:
        """A decision with all its verdicts."""
        verdicts = tuple(
            Verdict(rule=rule, ruling=Ruling(ruling), reason=reason)
            for rule, ruling, reason in json.loads(self.open(row, "verdicts"))
        )
        return Decision(
            decision_id=row.decision_id,
            candidate_id=row.candidate_id,
            ruling=Ruling(row.ruling),
            outcome=row.outcome,
            reason=self.open(row, "reason"),
            verdicts=verdicts,
            policy_version=row.policy_version,
            actor=row.actor,
            decided_at=row.decided_at,
            fact_id=row.fact_id,
            inputs=self.json(row, "inputs"),
        )

    def fact(self, row: AnyRow, evidence: Iterable[UUID] = ()) -> Fact:
        """One version of a fact, over one of its periods."""
        return Fact(
            fact_id=row.fact_id,
            revision=row.revision,
            segment=row.segment,
            placement=placement_of(row),
            memory_type=MemoryType(row.memory_type),
            content=self.open(row, "content"),
            status=FactStatus(row.status),
            standing=None if row.standing is None else Standing(row.standing),
            confidence=from_points(row.confidence),
            basis=Basis(row.basis),
            trust=row.trust,
            sources=row.sources,
            weakened=row.weakened,
            recorded_at=row.recorded_at,
            subject=row.subject,
            predicate=row.predicate,
            qualifier=row.qualifier,
            value=self.maybe(row, "object_value"),
            stated_from=row.stated_from,
            stated_until=row.stated_until,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            valid_from_known=row.valid_from_known,
            expires_at=row.expires_at,
            retracted_at=row.retracted_at,
            hidden_at=row.hidden_at,
            supersedes_id=row.supersedes_id,
            source_candidate_id=row.source_candidate_id,
            change=Change(row.change),
            reason=self.maybe(row, "reason"),
            actor=row.actor,
            trace_id=row.trace_id,
            metadata=self.json(row, "metadata"),
            evidence=tuple(evidence),
        )

    def told(self, row: AnyRow) -> Told:
        """One statement of a fact."""
        return Told(
            fact_id=row.fact_id,
            ordinal=row.ordinal,
            content=self.open(row, "content"),
            value=self.maybe(row, "object_value"),
            stated_from=row.stated_from,
            stated_until=row.stated_until,
            valid_from_known=row.valid_from_known,
            placed=row.placed,
            trust=row.trust,
            confidence=from_points(row.confidence),
            source=row.source,
            evidence_id=row.evidence_id,
            derived=row.derived,
        )

    def dependency(self, row: AnyRow) -> Dependency:
        """What one fact hangs on."""
        return Dependency(
            dependency_id=row.dependency_id,
            fact_id=row.fact_id,
            kind=DependencyKind(row.kind),
            root_fact_id=row.root_fact_id,
            root_evidence_id=row.root_evidence_id,
            when_value=self.maybe(row, "when_value"),
            value=self.maybe(row, "successor_value"),
            content=self.maybe(row, "successor_content"),
            evidence_id=row.evidence_id,
            said_at=row.said_at,
            trust=row.trust or 0,
            source=row.source or "",
            vectors=b"" if row.vectors is None else self.bytes(row, "vectors"),
            recorded_at=row.recorded_at,
        )


class Sealing:
    """Values as rows of one partition, content sealed for its owner."""

    def __init__(self, sealer: Sealer, key: PartitionKey) -> None:
        self._seal: Callable[[str], str] = lambda text: sealer.seal(key, text)
        self._seal_bytes: Callable[[bytes], bytes] = lambda raw: sealer.seal_bytes(key, raw)
        self._tenant = key.tenant

    def text(self, text: str | None) -> str | None:
        """Content, sealed; None stays NULL."""
        return None if text is None else self._seal(text)

    def json(self, value: Any) -> str | None:
        """JSON, sealed; nothing stays NULL."""
        return self._seal(json.dumps(value, ensure_ascii=False, sort_keys=True)) if value else None

    def event(self, event: Event, digest: str) -> Values:
        """A row of `event`."""
        return {
            "tenant_id": self._tenant,
            "event_id": event.event_id,
            "actor_type": event.actor_type.value,
            "actor_id": event.actor_id,
            **placement_values(event.placement),
            "event_type": event.event_type,
            "source": event.source,
            "payload": self.json(dict(event.payload)),
            "metadata": self.json(dict(event.metadata)),
            "principal": self.json(dict(event.principal)),
            "idempotency_key": event.idempotency_key,
            "body_digest": digest,
            "trace_id": event.trace_id,
            "occurred_at": event.occurred.at,
            "occurred_offset": event.occurred.offset,
            "occurred_zone": event.occurred.zone,
            "recorded_at": event.recorded_at,
            "lane_key": event.lane_key,
            "seq": event.seq,
        }

    def evidence(self, row: Evidence) -> Values:
        """A row of `evidence`."""
        occurred = row.occurred
        return {
            "tenant_id": self._tenant,
            "evidence_id": row.evidence_id,
            "evidence_type": row.evidence_type.value,
            "source_system": row.source_system,
            "source_id": row.source_id,
            "source_version": row.source_version,
            "event_id": row.event_id,
            **placement_values(row.placement),
            "session_id": row.session,
            "content": self._seal(row.content),
            "locator": row.locator,
            "metadata": self.json(dict(row.metadata)),
            "speaker": self.text(row.speaker),
            "actor_type": row.actor.value,
            "trust": row.trust,
            "occurred_at": None if occurred is None else occurred.at,
            "occurred_offset": 0 if occurred is None else occurred.offset,
            "occurred_zone": None if occurred is None else occurred.zone,
            "recorded_at": row.recorded_at,
            "redacted": row.redacted,
            "eligibility": row.eligibility.value,
        }

    def candidate(self, item: Candidate, event_id: UUID, placement: Placement, at: datetime) -> Values:
        """A row of `candidate`."""
        start, end = item.quote_span or (None, None)
        return {
            "tenant_id": self._tenant,
            "candidate_id": item.candidate_id,
            "event_id": event_id,
            **placement_values(placement),
            "memory_type": item.memory_type.value,
            "subject": item.subject,
            "predicate": item.predicate,
            "qualifier": item.qualifier,
            "object_value": self.text(item.value),
            "content": self._seal(item.content),
            "quote": self.text(item.quote),
            "quote_start": start,
            "quote_end": end,
            "confidence": to_points(item.confidence),
            "basis": item.basis.value,
            "intent": item.intent.value,
            "explicit": item.explicit,
            "extractor_model": item.extractor_model,
            "extractor_version": item.extractor_version,
            "valid_from": item.valid_from,
            "valid_until": item.valid_until,
            "valid_from_known": item.valid_from_known,
            "expires_at": item.expires_at,
            "trust": item.trust,
            "metadata": self.json(dict(item.metadata)),
            "proposed": self.json(dict(item.proposed)),
            "target_id": item.target,
            "status": item.status.value,
            "governance_reason": self.text(item.governance_reason),
            "created_at": at,
            "updated_at": at,
        }

    def fact(self, item: Fact, key: PartitionKey, slot_id: UUID | None) -> Values:
        """What a head and a revision both say of a fact."""
        return {
            "tenant_id": self._tenant,
            "fact_id": item.fact_id,
            "revision": item.revision,
            "owner_type": key.kind.value,
            "owner_id": key.target,
            **placement_values(item.placement),
            "slot_id": slot_id,
            "memory_type": item.memory_type.value,
            "subject": item.subject,
            "predicate": item.predicate,
            "qualifier": item.qualifier,
            "object_value": self.text(item.value),
            "content": self._seal(item.content),
            "status": item.status.value,
            "confidence": to_points(item.confidence),
            "basis": item.basis.value,
            "trust": item.trust,
            "sources": item.sources,
            "weakened": item.weakened,
            "stated_from": item.stated_from,
            "stated_until": item.stated_until,
            "valid_from": item.valid_from,
            "valid_until": item.valid_until,
            "valid_from_known": item.valid_from_known,
            "expires_at": item.expires_at,
            "recorded_at": item.recorded_at,
            "retracted_at": item.retracted_at,
            "hidden_at": item.hidden_at,
            "supersedes_id": item.supersedes_id,
            "source_candidate_id": item.source_candidate_id,
            "change": item.change.value,
            "reason": self.text(item.reason),
            "actor": item.actor,
            "trace_id": item.trace_id,
            "metadata": self.json(dict(item.metadata)),
        }

    def dependency(self, item: Dependency, at: datetime) -> Values:
        """A row of `fact_dependency`."""
        return {
            "tenant_id": self._tenant,
            "dependency_id": item.dependency_id,
            "fact_id": item.fact_id,
            "root_fact_id": item.root_fact_id,
            "root_evidence_id": item.root_evidence_id,
            "kind": item.kind.value,
            "when_value": self.text(item.when_value),
            "successor_value": self.text(item.value),
            "successor_content": self.text(item.content),
            "evidence_id": item.evidence_id,
            "said_at": item.said_at,
            "trust": item.trust,
            "source": item.source or None,
            "vectors": self._seal_bytes(item.vectors) if item.vectors else None,
            "recorded_at": at,
        }

    def index_item(self, item: IndexItem, *, model_id: str, tokenizer_id: str) -> Values:
        """A row of `index_item`, but for its place in the partition."""
        return {
            "tenant_id": self._tenant,
            "kind": item.kind.value,
            "ref": item.ref,
            "revision": item.revision,
            "segment": item.segment,
            **placement_values(item.placement),
            "session_id": item.session or item.placement.session,
            "speaker": self.text(item.speaker or None),
            "role": item.role,
            "asks": item.asks,
            "tokens": self._seal_bytes(item.tokens),
            "tail": self._seal_bytes(item.tail),
            "vectors": self._seal_bytes(item.vectors),
            "occurred_at": micros(item.occurred_at),
            "valid_from": micros(item.valid_from),
            "valid_until": micros(item.valid_until),
            "recorded_at": micros(item.recorded_at),
            "retracted_at": micros(item.retracted_at),
            "expires_at": micros(item.expires_at),
            "hidden_at": micros(item.hidden_at),
            "eligibility": item.eligibility.value,
            "memory_type": item.memory_type,
            "standing": item.standing,
            "model_id": model_id,
            "tokenizer_id": tokenizer_id,
        }
