"""Events, evidence, candidates, decisions: the writes up to the verdict.

Belongs here: those tables' writes. Does not belong here: facts (`write_facts`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, insert, update

from muniment.domain.enums import CandidateStatus, Eligibility, Relation
from muniment.domain.records import Candidate, Decision, Event, Evidence
from muniment.domain.scope import Placement
from muniment.domain.usage import Usage
from muniment.ports.store import Finished
from muniment.store.read_base import slices
from muniment.store.read_work import WAITING
from muniment.store.rows import Sealing
from muniment.store.tables.chain import candidate, candidate_evidence, decision, event, event_processing, evidence
from muniment.store.write_summary import SummaryWriter

NOTHING_SPENT: Final = Usage()
_FINISH: Final = (
    update(event_processing)
    .where(event_processing.c.tenant_id == bindparam("tenant"), event_processing.c.event_id == bindparam("event"))
    .values(
        state=bindparam("to_state"),
        receipt=bindparam("to_receipt"),
        error=bindparam("to_error"),
        attempts=event_processing.c.attempts + 1,
        updated_at=bindparam("at"),
        answers=bindparam("to_answers"),
        calls=event_processing.c.calls + bindparam("more_calls"),
        tokens_in=event_processing.c.tokens_in + bindparam("more_in"),
        tokens_out=event_processing.c.tokens_out + bindparam("more_out"),
        retry_at=bindparam("to_retry"),
    )
)


class ChainWriter(SummaryWriter):
    """Writes of the chain up to the verdict."""

    def add_events(self, events: Sequence[Event], *, digests: Sequence[str]) -> list[Event]:
        """Writes events as received, each with the next number of its lane; returns them with it."""
        numbered: list[Event] = []
        for item in events:
            seq = self._lanes[item.lane_key]
            self._lanes[item.lane_key] = seq + 1
            numbered.append(replace(item, seq=seq, recorded_at=self.recorded_at))
        rows = [
            self._sealing(item.placement).event(item, digest) for item, digest in zip(numbered, digests, strict=True)
        ]
        self._write(insert(event), rows)
        processing = [
            {
                "tenant_id": self.reader.tenant,
                "event_id": item.event_id,
                "state": "RECEIVED",
                "attempts": 0,
                "updated_at": self.recorded_at,
            }
            for item in numbered
        ]
        self._write(insert(event_processing), processing)
        return numbered

    def finish_event(
        self,
        event_id: UUID,
        *,
        state: str,
        receipt: str | None = None,
        error: str | None = None,
        answers: str | None = None,
        usage: Usage = NOTHING_SPENT,
        retry_at: datetime | None = None,
    ) -> None:
        """Moves an event's processing state; the receipt is kept for replays of its key. See `Finished`."""
        row = Finished(
            event_id=event_id,
            state=state,
            receipt=receipt,
            error=error,
            answers=answers,
            usage=usage,
            retry_at=retry_at,
        )
        self.finish_events([row])

    def finish_events(self, rows: Sequence[Finished]) -> None:
        """As `finish_event`, for many."""
        self._write(
            _FINISH,
            [
                {
                    "tenant": self.reader.tenant,
                    "event": item.event_id,
                    "to_state": item.state,
                    "to_receipt": None if item.receipt is None else self._sealer.seal(self._home, item.receipt),
                    "to_error": item.error and item.error[:1024],
                    "at": self.recorded_at,
                    "to_answers": None if item.answers is None else self._sealer.seal(self._home, item.answers),
                    "more_calls": item.usage.calls,
                    "more_in": item.usage.tokens_in,
                    "more_out": item.usage.tokens_out,
                    "to_retry": item.retry_at,
                }
                for item in rows
            ],
        )

    def keep_answers(self, event_id: UUID, answers: str, usage: Usage) -> None:
        """Keeps what a model answered so far about an event that is not understood yet, and adds what that cost."""
        columns = event_processing.c
        self._connection.execute(
            update(event_processing)
            .where(columns.tenant_id == self.reader.tenant, columns.event_id == event_id)
            .where(columns.state.in_(WAITING))
            .values(
                answers=self._sealer.seal(self._home, answers),
                calls=columns.calls + usage.calls,
                tokens_in=columns.tokens_in + usage.tokens_in,
                tokens_out=columns.tokens_out + usage.tokens_out,
            )
        )

    def add_evidence(self, rows: Sequence[Evidence]) -> None:
        """Writes evidence."""
        self._write(
            insert(evidence),
            [self._sealing(item.placement).evidence(replace(item, recorded_at=self.recorded_at)) for item in rows],
        )

    def set_eligibility(self, evidence_ids: Iterable[UUID], eligibility: Eligibility) -> None:
        """What the read path may do with the evidence from now on, in its rows and its index entries. No summary may go on
        telling what is kept from readers now."""
        ids = list(evidence_ids)
        if ids and eligibility in (Eligibility.AUDIT_ONLY, Eligibility.QUARANTINED):
            self.drop_summaries({self.reader.user}, ids)
        for some in slices(ids):
            self._connection.execute(
                update(evidence)
                .where(evidence.c.tenant_id == self.reader.tenant, evidence.c.evidence_id.in_(some))
                .values(eligibility=eligibility.value)
            )
        self._touch(ids, {"eligibility": eligibility.value})

    def add_candidate(self, item: Candidate, *, event_id: UUID, placement: Placement, user: str | None = None) -> None:
        """Writes a candidate and its links to evidence. Its user, who may review it, is the reader's unless another is named,
        whoever will own the fact."""
        row = self._sealing(placement).candidate(item, event_id, placement, self.recorded_at)
        self._write(insert(candidate), [row | {"user_id": user or self.reader.user}])
        links = [
            {
                "tenant_id": self.reader.tenant,
                "candidate_id": item.candidate_id,
                "evidence_id": ground,
                "relation": Relation.SUPPORT.value,
            }
            for ground in dict.fromkeys(item.evidence)
        ]
        self._write(insert(candidate_evidence), links)

    def set_candidate(
        self,
        candidate_id: UUID,
        *,
        status: CandidateStatus,
        reason: str | None,
        proposed: Mapping[str, Any] | None = None,
    ) -> None:
        """Moves a candidate's status; `proposed`, where it is given, replaces what was proposed."""
        sealed = None if reason is None else self._sealer.seal(self._home, reason)
        more = {} if proposed is None else {"proposed": Sealing(self._sealer, self._home).json(dict(proposed))}
        self._connection.execute(
            update(candidate)
            .where(candidate.c.tenant_id == self.reader.tenant, candidate.c.candidate_id == candidate_id)
            .values(status=status.value, governance_reason=sealed, updated_at=self.recorded_at, **more)
        )

    def add_decision(self, item: Decision, *, inputs: Mapping[str, Any]) -> None:
        """Writes a decision with every verdict and the ids of what it was made from."""
        verdicts = [[verdict.rule, verdict.ruling.value, verdict.reason] for verdict in item.verdicts]
        seal = Sealing(self._sealer, self._home)
        self._write(
            insert(decision),
            [
                {
                    "tenant_id": self.reader.tenant,
                    "decision_id": item.decision_id,
                    "candidate_id": item.candidate_id,
                    "ruling": item.ruling.value,
                    "outcome": item.outcome,
                    "reason": seal.text(item.reason),
                    "verdicts": seal.text(json.dumps(verdicts, ensure_ascii=False)),
                    "inputs": seal.text(json.dumps(inputs, ensure_ascii=False, default=str)),
                    "policy_version": item.policy_version,
                    "actor": item.actor,
                    "fact_id": item.fact_id,
                    "decided_at": self.recorded_at,
                }
            ],
        )
