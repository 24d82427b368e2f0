"""Receipts: their lines, and their JSON form, which a repeated key is answered from.

Belongs here: what a receipt says in words. Does not belong here: what happened (ingestion/).
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import Ruling
from muniment.domain.forgotten import Forgotten
from muniment.domain.records import Candidate, Decision, Receipt, Verdict
from muniment.domain.time import parse_instant

FOLLOWED: Final = "what depended on it: "
"""How a reason begins to say what became of dependants; such a thing is never left unsaid."""


def line(candidate: Candidate, decision: Decision) -> str:
    """One line that says what became of a candidate: 'committed: … (PREFERENCE, fact …)'."""
    said = candidate.content if len(candidate.content) <= 120 else candidate.content[:119] + "…"
    line = f"{decision.outcome}: {said} ({candidate.memory_type}"
    if decision.fact_id is not None:
        line += f", fact {decision.fact_id}"
    if decision.ruling is not Ruling.ACCEPT or decision.outcome not in ("committed", "reinforced"):
        line += f"; {decision.reason}"
    elif (at := decision.reason.find(FOLLOWED)) >= 0:
        line += f"; {decision.reason[at:]}"
    return line + ")"


def receipt_json(receipt: Receipt) -> str:
    """The receipt as JSON text."""
    return json.dumps(_shallow(receipt), ensure_ascii=False, default=_plain)


def _shallow(value: Any) -> dict[str, Any]:
    """A record's fields, without those that are of the moment. `asdict` would copy every value as deep as it goes, for each
    event of an import."""
    return {item.name: getattr(value, item.name) for item in fields(value) if item.compare}


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return _shallow(value) if is_dataclass(value) else str(value)


def receipt_from(text: str, *, replayed: bool) -> Receipt:
    """The receipt that `receipt_json` wrote."""
    data: dict[str, Any] = json.loads(text)
    kind, more = (Forgotten, {name: data[name] for name in _FORGOTTEN}) if "manifest_hash" in data else (Receipt, {})
    if more and more["erasure"] is not None:
        more["erasure"] = UUID(more["erasure"])
    return kind(
        **more,
        event=UUID(data["event"]),
        evidence=_ids(data["evidence"]),
        candidates=_ids(data["candidates"]),
        decisions=tuple(_decision(item) for item in data["decisions"]),
        facts=_ids(data["facts"]),
        lines=tuple(data["lines"]),
        replayed=replayed,
        pending=data["pending"],
        degraded=tuple(data["degraded"]),
        known_at=None if data["known_at"] is None else parse_instant(data["known_at"]),
    )


_FORGOTTEN = ("mode", "by", "status", "counts", "manifest_hash", "erasure")


def _ids(items: list[str]) -> tuple[UUID, ...]:
    return tuple(UUID(item) for item in items)


def _decision(data: dict[str, Any]) -> Decision:
    verdicts = tuple(
        Verdict(rule=item["rule"], ruling=Ruling(item["ruling"]), reason=item["reason"]) for item in data["verdicts"]
    )
    return Decision(
        decision_id=UUID(data["decision_id"]),
        candidate_id=UUID(data["candidate_id"]),
        ruling=Ruling(data["ruling"]),
        outcome=data["outcome"],
        reason=data["reason"],
        verdicts=verdicts,
        policy_version=data["policy_version"],
        actor=data["actor"],
        decided_at=parse_instant(data["decided_at"]),
        fact_id=None if data["fact_id"] is None else UUID(data["fact_id"]),
        conflicts_with=_ids(data["conflicts_with"]),
    )
