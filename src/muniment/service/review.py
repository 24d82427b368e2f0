"""`mem.review`: the queue of what asks a person, and their answers.

A user reviews their own; a reviewer or admin those of their tenant. An id that is not there and one that is somebody else's
look alike.

Belongs here: checking arguments, the page of questions beside what they would change. Does not belong here: what an answer
does (ingestion/review.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from muniment.domain.answers import Page
from muniment.domain.enums import CandidateStatus, MemoryType, OwnerType, Ruling, Scope
from muniment.domain.errors import Forbidden, InvalidInput, MunimentError
from muniment.domain.records import Decision, Receipt
from muniment.domain.reviews import Asked, Outcome, QueueCounts, ReviewItem, Snippet, etag, state_of
from muniment.domain.scope import PartitionKey, Reader, reviewable_by
from muniment.domain.time import parse_instant
from muniment.ingestion.questions import at_home, now_in, sight_of, then_of, versions, when_asked
from muniment.ingestion.refusing import snippet
from muniment.ingestion.review import find
from muniment.ingestion.reviewing import Reviews
from muniment.ingestion.stated import clean_text, clean_words
from muniment.ports.store import QueueFilter, ReadUnit
from muniment.retrieval.ask import whole
from muniment.service.parts import Parts, as_id, as_instant, cursor_text, cursor_values
from muniment.service.renewal import embed_rests
from muniment.text.authority import suspicions

SLICE: Final = 200
"""Candidates read at a time where a filter is not one that the store knows."""

Principal = Any
"""A `Reader` of the service, or the domain's `Reader`: who looks and decides."""
Ids = Iterable[UUID | str]


class Review:
    """The review queue of one open memory. Every method takes `by=`, the person who looks or decides."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._reviews = Reviews(pipeline=parts.pipeline)

    # -- looking ----------------------------------------------------------------------------------------------------

    def list(
        self,
        *,
        by: Principal,
        status: str | None = "NEEDS_CONFIRMATION",
        type: str | None = None,
        rule: str | None = None,
        user: str | None = None,
        older_than: timedelta | float | None = None,
        scope: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[ReviewItem]:
        """Candidates that ask a person, the oldest first, a page at a time (`.items`, `.next`).

        `status` None lists every candidate, whatever became of it; `rule` those that this rule asked about; `user` those of
        one user; `older_than` (a timedelta or days) those that have waited so long. Raises `InvalidInput`.
        """
        reader, limits = principal(by), self._parts.policy.limits
        whole(limit, name="limit", most=limits.page)
        now = self._parts.clock()
        wanted = QueueFilter(
            scopes=reviewable_by(reader),
            status=None if status is None else _named(CandidateStatus, status, "status"),
            types=None if type is None else frozenset({_named(MemoryType, type, "memory type")}),
            author=user,
            scope=None if scope is None else _named(Scope, scope, "scope"),
            until=None if older_than is None else now - _age(older_than),
            after=None if cursor is None else _after(cursor),
        )
        with self._parts.store.read(reader) as unit:
            rows = _matching(unit, wanted, rule, limit + 1)
            token = unit.token
        shown = rows[:limit]
        more = (
            cursor_text([shown[-1].created_at.isoformat(), str(shown[-1].candidate_id)]) if len(rows) > limit else None
        )
        return Page(items=self._items(reader.tenant, shown, now), next=more, known_at=token)

    def get(self, candidate_id: UUID | str, *, by: Principal) -> ReviewItem:
        """One candidate, whatever became of it. Raises `NotFound` for one that is not this person's to see."""
        reader = principal(by)
        with self._parts.store.read(reader) as unit:
            asked = find(unit, as_id(candidate_id, name="candidate_id"), reader)
        return self._items(reader.tenant, [asked], self._parts.clock())[0]

    def counts(self, *, by: Principal) -> QueueCounts:
        """How many candidates wait for this person, since when the oldest does, by the rule that asked and by type."""
        reader = principal(by)
        wanted = QueueFilter(scopes=reviewable_by(reader), status=CandidateStatus.NEEDS_CONFIRMATION)
        rules: Counter[str] = Counter()
        with self._parts.store.read(reader) as unit:
            rows = unit.asked(wanted)
            asking = _asking(unit, rows)
        for decision in asking.values():
            rules.update(_rules(decision))
        oldest = min((row.since for row in rows), default=None)
        return QueueCounts(
            open=len(rows),
            oldest_age_seconds=None if oldest is None else _seconds(self._parts.clock() - oldest),
            by_rule=dict(sorted(rules.items())),
            by_type=dict(sorted(Counter(row.candidate.memory_type.value for row in rows).items())),
        )

    def _items(self, tenant: str, rows: Sequence[Asked], now: datetime) -> tuple[ReviewItem, ...]:
        """Each question beside what it would change, read as whoever proposed it would see it."""
        found: dict[UUID, ReviewItem] = {}
        by_sight: dict[Reader, Any] = {}
        for row in rows:
            by_sight.setdefault(sight_of(tenant, row), []).append(row)
        for sight, mine in by_sight.items():
            with self._parts.store.read(sight) as unit:
                for row in mine:
                    found[row.candidate_id] = self._item(unit, row, now)
        return tuple(found[row.candidate_id] for row in rows)

    def _item(self, unit: ReadUnit, row: Asked, now: datetime) -> ReviewItem:
        decisions = unit.decisions([row.candidate_id])
        asking = when_asked(decisions)
        held = now_in(unit, self._parts.policy, row)
        state, then = state_of(held), then_of(asking)
        pieces = unit.evidence(row.candidate.evidence)
        open_ = row.candidate.status is CandidateStatus.NEEDS_CONFIRMATION
        return ReviewItem(
            id=row.candidate_id,
            candidate=row.candidate,
            author=row.author,
            placement=at_home(row, held).placement,
            status=row.candidate.status,
            quote=row.candidate.quote,
            evidence=tuple(
                Snippet(
                    evidence_id=piece.evidence_id,
                    text=snippet(piece, row.candidate.quote),
                    source=piece.source_system,
                    occurred_at=None if piece.occurred is None else piece.occurred.at,
                    eligibility=piece.eligibility,
                )
                for piece in pieces.values()
            ),
            verdicts=() if asking is None else tuple(v for v in asking.verdicts if v.ruling is not Ruling.ACCEPT),
            reason=row.candidate.governance_reason or "",
            asked_at=row.since if open_ else row.created_at,
            age_seconds=_seconds(now - row.since) if open_ else _seconds(row.since - row.created_at),
            then=tuple(versions(unit, then)),
            now=tuple(held),
            moved=state != dict(then),
            state=etag(state),
            revalidates=row.revalidates,
            decision=decisions[-1] if decisions else None,
        )

    # -- deciding ---------------------------------------------------------------------------------------------------

    def approve(
        self,
        candidate_id: UUID | str,
        *,
        by: Principal,
        reason: str | None = None,
        expected: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Yes: the candidate goes through the rest of the write path, as this person's word.

        The same answer again gives the first receipt, marked as a replay. `expected` is the `state` of the item that was
        looked at; without it, what the candidate is about must not have moved since it was asked. Raises `NotFound`,
        `Forbidden` (a rule refuses it whoever approves; the policy wants a second person), `Erased` where its words were
        forgotten, `Conflict`: decided otherwise, or moved, and then `.current` is the difference.
        """
        return self._decide(by, "approve", candidate_id, {"reason": reason}, expected, idempotency_key)

    def edit(
        self,
        candidate_id: UUID | str,
        *,
        by: Principal,
        content: str | None = None,
        value: str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        scope: str | None = None,
        reason: str | None = None,
        expected: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Yes, but as edited here; otherwise as `approve`. A value alone takes the old one's place in the sentence."""
        policy = self._parts.policy
        start, end = as_instant(valid_from, "valid_from"), as_instant(valid_until, "valid_until")
        given: dict[str, Any] = {
            "content": clean_words(content, policy, name="content"),
            "value": clean_words(value, policy, name="value"),
            "valid_from": None if start is None else start.isoformat(),
            "valid_until": None if end is None else end.isoformat(),
            "scope": None if scope is None else _named(Scope, scope, "scope").value,
        }
        if not any(item is not None for item in given.values()):
            raise InvalidInput(
                "an edit needs content=, value=, valid_from=, valid_until= or scope=; `approve` needs none"
            )
        if start is not None and end is not None and start >= end:
            raise InvalidInput("valid_until must be later than valid_from")
        for text in (given["content"], given["value"]):
            if any(item.level == "plain" for item in suspicions(text or "", source_is_user=True, learned=None)):
                raise InvalidInput("a claim of authority or an instruction to the agent is never kept as a memory")
        return self._decide(by, "edit", candidate_id, given | {"reason": reason}, expected, idempotency_key)

    def reject(
        self,
        candidate_id: UUID | str,
        *,
        by: Principal,
        reason: str | None = None,
        expected: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """No: it becomes no memory, and its words are for the auditor only. Otherwise as `approve`."""
        receipt = self._decide(by, "reject", candidate_id, {"reason": reason}, expected, idempotency_key)
        if not receipt.replayed:
            author = self.get(candidate_id, by=by).author
            home = PartitionKey(tenant=principal(by).tenant, kind=OwnerType.USER, target=author)
            embed_rests(self._parts, [home])
        return receipt

    def approve_many(self, candidate_ids: Ids, *, by: Principal, reason: str | None = None) -> tuple[Outcome, ...]:
        """Approves each in a transaction of its own, in order; one that fails stops none of the others."""
        return self._many(candidate_ids, lambda ref: self.approve(ref, by=by, reason=reason))

    def reject_many(self, candidate_ids: Ids, *, by: Principal, reason: str | None = None) -> tuple[Outcome, ...]:
        """Rejects each in a transaction of its own, in order; one that fails stops none of the others."""
        return self._many(candidate_ids, lambda ref: self.reject(ref, by=by, reason=reason))

    def lapse(self, now: datetime | None = None) -> tuple[UUID, ...]:
        """Rejects, with the reason `lapsed`, what nobody answered within `gate.lapse_days`, in every tenant; returns which.
        Safe to run again and from several processes."""
        at = as_instant(now, "now") or self._parts.clock()
        before = at - timedelta(days=self._parts.policy.gate.lapse_days)
        waiting = self._parts.store.waiting(until=before)
        return tuple(self._parts.retrying(lambda: self._reviews.lapse(waiting)))

    def _decide(
        self,
        by: Principal,
        kind: str,
        candidate_id: UUID | str,
        given: Mapping[str, Any],
        expected: str | None,
        key: str | None,
    ) -> Receipt:
        reader, ref = principal(by), as_id(candidate_id, name="candidate_id")
        reason = clean_text(given.get("reason"), self._parts.policy, name="reason")
        fields = {name: value for name, value in {**given, "reason": reason}.items() if value is not None}
        return self._parts.retrying(lambda: self._reviews.decide(reader, kind, ref, fields, expected=expected, key=key))

    @staticmethod
    def _many(candidate_ids: Ids, decide: Any) -> tuple[Outcome, ...]:
        if isinstance(candidate_ids, str):
            raise InvalidInput("candidate ids are a list")
        outcomes = []
        for item in dict.fromkeys(candidate_ids):
            try:
                ref = as_id(item, name="candidate_id")
                outcomes.append(Outcome(id=ref, receipt=decide(ref)))
            except MunimentError as error:
                outcomes.append(Outcome(id=item, error=error))
        return tuple(outcomes)


def principal(by: Principal) -> Reader:
    """Who looks or decides. Raises `InvalidInput` for what is no reader, `Forbidden` for one that may only audit."""
    identity = getattr(by, "identity", by)
    if not isinstance(identity, Reader):
        raise InvalidInput("by= is a reader: mem.reader(user=…, roles=(…))")
    if identity.roles == {"auditor"}:
        raise Forbidden("an auditor looks at decisions; deciding takes another role")
    return identity


def _matching(unit: ReadUnit, wanted: QueueFilter, rule: str | None, most: int) -> Sequence[Asked]:
    """The first candidates of a filter; those that a rule asked about are looked for slice by slice."""
    if rule is None:
        return unit.asked(replace(wanted, limit=most))
    found: dict[UUID, Asked] = {}
    while len(found) < most:
        rows = unit.asked(replace(wanted, limit=SLICE))
        asking = _asking(unit, rows)
        found |= {row.candidate_id: row for row in rows if rule in _rules(asking.get(row.candidate_id))}
        if len(rows) < SLICE:
            break
        wanted = replace(wanted, after=(rows[-1].created_at, rows[-1].candidate_id))
    return tuple(found.values())[:most]


def _asking(unit: ReadUnit, rows: Sequence[Asked]) -> Mapping[UUID, Decision]:
    """For each candidate the decision by which it came to ask."""
    decisions: dict[UUID, Any] = {}
    for decision in unit.decisions(row.candidate_id for row in rows):
        decisions.setdefault(decision.candidate_id, []).append(decision)
    return {ref: asked for ref, made in decisions.items() if (asked := when_asked(made)) is not None}


def _rules(decision: Decision | None) -> Sequence[str]:
    """The rules that asked."""
    return () if decision is None else [v.rule for v in decision.verdicts if v.ruling is Ruling.CONFIRM]


def _named(kind: Any, name: str, what: str) -> Any:
    try:
        return kind(str(name).upper())
    except ValueError:
        raise InvalidInput(f"no {what} {name!r}; known are {', '.join(kind)}") from None


def _age(given: timedelta | float) -> timedelta:
    try:
        age = given if isinstance(given, timedelta) else timedelta(days=given)
    except (TypeError, OverflowError, ValueError):
        raise InvalidInput("older_than is a timedelta or a number of days") from None
    if age < timedelta(0):
        raise InvalidInput("older_than must not be negative")
    return age


def _seconds(age: timedelta) -> int:
    return max(0, int(age.total_seconds()))


def _after(cursor: str) -> tuple[datetime, UUID]:
    at, ref = cursor_values(cursor, 2)
    return parse_instant(str(at), name="cursor"), as_id(str(ref), name="cursor")
