"""A person's answer to a question of governance: approve, edit, reject, and the lapse of what nobody answered.

Each is an event that can be done again from its payload alone: a candidate approved goes through the rest of the write path
with the person's word as its ground, in one transaction with the decision.

Belongs here: what each answer does. Does not belong here: who asks it of the store and what they saw (`reviewing`), facts
whose ground went (`revalidating`), the rules themselves (governance/).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import Basis, CandidateStatus, Ruling, Scope
from muniment.domain.errors import Conflict, Forbidden, InvalidInput, NotFound
from muniment.domain.ids import derived
from muniment.domain.observation import RESERVED
from muniment.domain.records import Candidate, Decision, Event, Evidence, Verdict
from muniment.domain.reviews import Asked
from muniment.domain.scope import REVIEWS, Reader, may_review, reviewable_by
from muniment.governance.considered import Judgement
from muniment.governance.govern import govern
from muniment.governance.rules.source import WIDE
from muniment.ingestion import revalidating
from muniment.ingestion.acts import instant
from muniment.ingestion.commit import Committed, Grounds
from muniment.ingestion.dependants import require, settle
from muniment.ingestion.govern import Case, carry_out, considered, source_key
from muniment.ingestion.proposed import restored
from muniment.ingestion.questions import at_home, give_way, now_in, slot_asked
from muniment.ingestion.redact import thresholds
from muniment.ingestion.refusing import refuse, release, standing_words
from muniment.ingestion.rewording import reworded
from muniment.ingestion.slots import slot_of
from muniment.ports.store import FactFilter, QueueFilter, ReadUnit, WriteUnit
from muniment.text.authority import suspicions
from muniment.text.personal import detect

LAPSED: Final = "lapsed"
FOUR_EYES: Final = "sensitive.four_eyes"
DONE: Final = {"approve": "approved", "edit": "edited and approved", "reject": "rejected", "lapse": "lapsed"}
"""What was decided, in a word of the past."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """A decision under way: where, by which policy, whose it is, the event that it is, the ground that event gives, and the
    vectors of the words that would be kept."""

    unit: WriteUnit
    policy: Policy
    by: Reader
    event: Event
    evidence: Sequence[Evidence]
    vectors: bytes | None = None

    @property
    def actor(self) -> str:
        """Who decides, as revisions and decisions name them."""
        return f"{self.event.actor_type.value.lower()}:{self.event.actor_id}"

    def new_id(self, name: str) -> UUID:
        """The id of something this decision makes."""
        return derived(self.event.event_id, name)

    @property
    def trust(self) -> int:
        """That of the person's word."""
        return self.policy.trust.reviewer if self.by.roles & REVIEWS else self.policy.trust.user

    @property
    def word(self) -> Grounds:
        """The person's word as a ground of its own."""
        return Grounds(
            evidence=tuple(piece.evidence_id for piece in self.evidence[:1]),
            trust=self.trust,
            source=source_key(self.event, self.evidence),
            actor=self.actor,
            said_at=self.event.occurred.at,
            trace_id=self.event.trace_id,
            vectors=self.vectors,
            event=self.event.event_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What a decision came to: its record, what it did to a fact, and what followed from that in words."""

    asked: Asked
    decision: Decision
    followed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What an answer did. `committed` None where nothing was to be kept."""

    ruling: Ruling
    outcome: str
    reason: str
    committed: Committed | None = None
    verdicts: tuple[Verdict, ...] = ()


Answer = Callable[[Deciding, Asked, Mapping[str, Any]], _Done]


def principal_of(payload: Mapping[str, Any], event: Event) -> Reader:
    """Who decided, as the payload of a decision's event names them."""
    by = payload.get("by") or {}
    return Reader(
        tenant="",
        user=str(by.get("user") or event.actor_id),
        departments=frozenset(by.get("departments", ())),
        roles=frozenset(by.get("roles", ())),
    )


def principal_payload(by: Reader) -> dict[str, Any]:
    """Who decides, for the payload of a decision's event."""
    return {"user": by.user, "departments": sorted(by.departments), "roles": sorted(by.roles)}


def perform_review(
    unit: WriteUnit,
    policy: Policy,
    event: Event,
    payload: Mapping[str, Any],
    *,
    evidence: Sequence[Evidence] = (),
    vectors: bytes | None = None,
) -> list[Reviewed]:
    """Does a decision by its event's type and payload, live or again; what became of each candidate it is about.

    Raises `NotFound` for a candidate that is not there, `Conflict` for one that does not ask any more, `Forbidden` where
    this person may not decide it or a rule refuses it whoever says yes, `Erased` where its words were forgotten.
    """
    kind = event.event_type.removeprefix(RESERVED)
    deciding = Deciding(
        unit=unit, policy=policy, by=principal_of(payload, event), event=event, evidence=evidence, vectors=vectors
    )
    if kind == "lapse":
        found = [UUID(ref) for ref in payload["candidates"]]
        return [_recorded(deciding, kind, asked, _lapsed(asked)) for asked in still_open(unit, found)]
    asked = find(unit, UUID(payload["candidate_id"]))
    asked = at_home(asked, now_in(unit, policy, asked))
    if asked.candidate.status is not CandidateStatus.NEEDS_CONFIRMATION:
        raise Conflict(f"candidate {asked.candidate_id} does not ask any more: it is {asked.candidate.status}")
    permitted(deciding.by, asked)
    return [_recorded(deciding, kind, asked, REVIEW_ACTS[kind](deciding, asked, payload))]


def find(unit: ReadUnit, candidate_id: UUID, by: Reader | None = None) -> Asked:
    """A candidate that this principal may look at. Raises `NotFound`."""
    scopes = reviewable_by(by or unit.reader)
    found = unit.asked(QueueFilter(scopes=scopes, ids=(candidate_id,)))
    if not found:
        raise NotFound(f"no candidate {candidate_id} that you can see")
    return found[0]


def permitted(by: Reader, asked: Asked) -> None:
    """Raises `Forbidden` where this principal may see the candidate, but not decide on it."""
    if not may_review(by, asked.placement, author=asked.author):
        raise Forbidden(f"a {asked.placement.scope} memory is decided on by a reviewer or admin of it")


def still_open(unit: ReadUnit, ids: Sequence[UUID]) -> list[Asked]:
    """Those of the candidates that still ask."""
    scopes = reviewable_by(unit.reader)
    return unit.asked(QueueFilter(scopes=scopes, ids=tuple(ids), status=CandidateStatus.NEEDS_CONFIRMATION))


# -- the answers ----------------------------------------------------------------------------------------------------------


def _approve(deciding: Deciding, asked: Asked, payload: Mapping[str, Any]) -> _Done:
    if asked.revalidates:
        return _revalidated(
            deciding, revalidating.confirm(deciding.unit, deciding.policy, asked, deciding.word), payload
        )
    return _accept(deciding, asked, _as_governed(asked), payload)


def _edit(deciding: Deciding, asked: Asked, payload: Mapping[str, Any]) -> _Done:
    if asked.revalidates:
        if "scope" in payload:
            raise InvalidInput("this asks whether a fact still holds; its scope is not what is asked")
        new_id = derived(asked.candidate_id, "fact")
        done = revalidating.change(deciding.unit, deciding.policy, asked, deciding.word, payload, new_id=new_id)
        return _revalidated(deciding, done, payload)
    return _accept(deciding, asked, edited(_as_governed(asked), payload), payload)


def _reject(deciding: Deciding, asked: Asked, payload: Mapping[str, Any]) -> _Done:
    reason = payload.get("reason") or "refused"
    if asked.revalidates:
        done = revalidating.end(deciding.unit, deciding.policy, asked, deciding.word, reason=reason)
        return _Done(ruling=Ruling.REJECT, outcome="rejected", reason=f"it ended: {reason}", committed=done)
    refuse(deciding.unit, asked, name=deciding.new_id)
    return _Done(ruling=Ruling.REJECT, outcome="rejected", reason=reason)


def _lapsed(asked: Asked) -> _Done:
    return _Done(ruling=Ruling.REJECT, outcome=LAPSED, reason=LAPSED)


def _revalidated(deciding: Deciding, done: Committed, payload: Mapping[str, Any]) -> _Done:
    reason = payload.get("reason") or "it holds by the word of whoever was asked"
    return _Done(ruling=Ruling.ACCEPT, outcome=done.outcome, reason=reason, committed=done)


REVIEW_ACTS: Final[Mapping[str, Answer]] = {"approve": _approve, "edit": _edit, "reject": _reject}
"""What a person may answer; `lapse` is the answer of time, and is done by `perform_review` too."""
KINDS: Final = frozenset({*REVIEW_ACTS, "lapse"})
"""Kinds of events that `perform_review` does."""


def _as_governed(asked: Asked) -> Candidate:
    """The candidate with what it was proposed with beside what governance made of it."""
    kept = asked.candidate
    proposed = restored(kept)
    return replace(
        proposed,
        scope=kept.scope,
        department=kept.department,
        memory_type=kept.memory_type,
        predicate=kept.predicate,
        subject=kept.subject,
        stable=proposed.stable or kept.scope in (Scope.SESSION, Scope.TASK),
    )


def edited(candidate: Candidate, payload: Mapping[str, Any]) -> Candidate:
    """The candidate as an edit would have it. A value alone takes the old one's place in the sentence."""
    content, value = payload.get("content"), payload.get("value")
    words: dict[str, Any] = {}
    if content is not None or value is not None:
        words["content"], words["value"] = reworded(candidate, content=content, value=value)
        if value is None and candidate.value and candidate.value in words["content"]:
            words["value"] = candidate.value
    if (start := instant(payload.get("valid_from"))) is not None:
        words |= {"valid_from": start, "valid_from_known": True, "placed": True}
    if (end := instant(payload.get("valid_until"))) is not None:
        words["valid_until"] = end
    if (scope := payload.get("scope")) is not None:
        words |= {"scope": Scope(scope), "department": payload.get("department"), "stable": True}
    return replace(candidate, **words)


def _accept(deciding: Deciding, asked: Asked, candidate: Candidate, payload: Mapping[str, Any]) -> _Done:
    """Sends the candidate through the rest of the write path; the rules that refuse are asked again."""
    unit, policy = deciding.unit, deciding.policy
    case = _case(deciding, asked, candidate)
    judgement = _judged(deciding, asked, case)
    placement = judgement.placement
    if placement is None:
        raise InvalidInput(f"it has no place to be kept in: {judgement.reason}")
    if not may_review(deciding.by, placement, author=asked.author):
        raise Forbidden(f"a {placement.scope} memory is decided on by a reviewer or admin of it")
    # A person has read the words and said yes: nothing is left to be unsure of.
    confirmed = replace(
        judgement.candidate,
        candidate_id=asked.candidate_id,
        status=CandidateStatus.ACCEPTED,
        basis=Basis.CONFIRMED,
        confidence=1.0,
    )
    slot = slot_of(policy, confirmed, placement)
    require(unit, slot)
    word = deciding.word
    grounds = replace(
        word,
        evidence=tuple(dict.fromkeys((*confirmed.evidence, *word.evidence))),
        # Of a user's own memory no more than their own word has: what they say later still counts.
        trust=max(case.trust, word.trust if placement.scope in WIDE else min(word.trust, policy.trust.user)),
        source=source_key(case.event, case.evidence),
        said_at=case.event.occurred.at,
        reason=payload.get("reason"),
        derived_from=confirmed.derived_from,
    )
    done, said = carry_out(unit, confirmed, placement, policy, grounds)
    if done.outcome == "needs confirmation":
        raise InvalidInput(f"{said}; edit it to say which, or forget the fact by its id")
    give_way(unit, policy, confirmed, slot)
    release(unit, asked)
    reason = payload.get("reason") or f"{said}, by {deciding.actor}"
    return _Done(ruling=Ruling.ACCEPT, outcome=done.outcome, reason=reason, committed=done, verdicts=judgement.verdicts)


def _case(deciding: Deciding, asked: Asked, candidate: Candidate) -> Case:
    """The candidate with everything that is known of it now. Raises `Erased` where its words were forgotten."""
    event, evidence = standing_words(deciding.unit, asked)
    words = candidate.quote or candidate.content
    trust = min((piece.trust for piece in evidence), default=0)
    own = event.actor_type.value == "USER"
    learned = thresholds(deciding.policy, event.actor_type, event.event_type)
    return Case(
        candidate=replace(candidate, evidence=tuple(piece.evidence_id for piece in evidence)),
        event=event,
        evidence=tuple(evidence),
        direct=event.event_type == f"{RESERVED}statement",
        suspicions=tuple(suspicions(words, source_is_user=own, learned=learned)),
        findings=tuple(detect(candidate.content)),
        trust=trust if candidate.trust is None else min(trust, candidate.trust),
        vectors=deciding.vectors,
    )


def _judged(deciding: Deciding, asked: Asked, case: Case) -> Judgement:
    """The rules' verdicts as of now; what they ask is what the approval answers.

    Raises `Forbidden` where one refuses, and where the policy wants a second person and this is not one.
    """
    unit = deciding.unit
    held = unit.facts(FactFilter(slots=(slot_asked(deciding.policy, asked, ()),), include_contenders=True))
    looked_at = considered(case, unit.reader, deciding.policy, tuple(held), now=deciding.event.recorded_at)
    judgement = govern(looked_at)
    over = [item for item in judgement.verdicts if item.rule == "lifetime" and item.ruling is Ruling.DROP]
    refusals = [*over, *(item for item in judgement.verdicts if item.ruling is Ruling.REJECT)]
    if refusals:
        said = "; ".join(f"{item.rule}: {item.reason}" for item in refusals)
        raise Forbidden(f"candidate {asked.candidate_id} is refused whoever approves it: {said}")
    asks = {item.rule for item in judgement.verdicts if item.ruling is Ruling.CONFIRM}
    second = deciding.by.roles & REVIEWS and deciding.by.user != asked.author
    if FOUR_EYES in asks and not second:
        raise Forbidden(f"the policy wants a second person for candidate {asked.candidate_id}: a reviewer or admin")
    return judgement


# -- the record -----------------------------------------------------------------------------------------------------------


def _recorded(deciding: Deciding, kind: str, asked: Asked, done: _Done) -> Reviewed:
    """Writes what was decided, when, by whom and why, and settles what follows from it."""
    unit, candidate = deciding.unit, asked.candidate
    accepted = done.ruling is Ruling.ACCEPT
    status = CandidateStatus.ACCEPTED if accepted else CandidateStatus.REJECTED
    unit.set_candidate(asked.candidate_id, status=status, reason=done.reason)
    followed = settle(unit, deciding.policy, deciding.word)
    decision = Decision(
        decision_id=derived(deciding.event.event_id, f"decision:{asked.candidate_id}"),
        candidate_id=asked.candidate_id,
        ruling=done.ruling,
        outcome=done.outcome,
        reason=done.reason,
        verdicts=done.verdicts,
        policy_version=deciding.policy.version,
        actor=deciding.actor,
        decided_at=unit.recorded_at,
        fact_id=None if done.committed is None else done.committed.fact_id,
        conflicts_with=() if done.committed is None else done.committed.conflicts_with,
    )
    inputs = {"act": kind, "event": str(deciding.event.event_id), "evidence": [str(ref) for ref in candidate.evidence]}
    unit.add_decision(decision, inputs=inputs)
    action = f"review.{'approve' if accepted else done.outcome}"
    unit.audit(action, ref_kind="candidate", ref=asked.candidate_id, content=candidate.content, actor=deciding.actor)
    return Reviewed(asked=asked, decision=decision, followed=(followed.line,) if followed.line else ())
