"""Step 3: each candidate before the rules, beside what is held, and what follows from the ruling.

Belongs here: gathering a rule's inputs, the decision's record, the status of candidate and evidence. Does not belong
here: the rules and their combination (governance/), the fold (`timeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import ActorType, Basis, CandidateStatus, Eligibility, Intent, Ruling, Scope
from muniment.domain.ids import derived
from muniment.domain.records import Candidate, Decision, Event, Evidence, Fact
from muniment.domain.reviews import State, state_of
from muniment.domain.scope import Placement, Reader
from muniment.domain.statement import canonical
from muniment.governance.considered import Considered, Judgement
from muniment.governance.govern import govern
from muniment.governance.scoping import placed
from muniment.governance.things import names
from muniment.ingestion.amend import Amendment, correct, end
from muniment.ingestion.commit import Committed, Grounds, assert_statement
from muniment.ingestion.dependants import settle
from muniment.ingestion.erasing import hide_many, require
from muniment.ingestion.forgetting import hide
from muniment.ingestion.hanging import declared, roots_named
from muniment.ingestion.opposing import REASON, denied
from muniment.ingestion.proposed import as_proposed
from muniment.ingestion.questions import give_way
from muniment.ingestion.receive import NewId
from muniment.ingestion.refused_clauses import PART
from muniment.ingestion.replacing import corrected, replaced
from muniment.ingestion.retracting import everything, reach_of, turn_before
from muniment.ingestion.selecting import of_ids
from muniment.ingestion.slots import fact_slot, slot_of
from muniment.ports.store import FactFilter, ReadUnit, Slot, WriteUnit
from muniment.text.authority import Suspicion
from muniment.text.finding import Finding
from muniment.text.phrases import mentions

STATUS_OF = {
    Ruling.ACCEPT: CandidateStatus.ACCEPTED,
    Ruling.CONFIRM: CandidateStatus.NEEDS_CONFIRMATION,
    Ruling.DROP: CandidateStatus.REJECTED,
    Ruling.REJECT: CandidateStatus.REJECTED,
}
OUTCOME_OF = {Ruling.CONFIRM: "needs confirmation", Ruling.DROP: "dropped", Ruling.REJECT: "rejected"}
TAINTED = frozenset({"authority", "sensitive.secret"})
"""Rules whose rejection says something about the words themselves, so that their evidence is for the auditor only."""


ASKS_ONLY = 0.6
"""Share of a turn from which a request to forget in it is taken to be all of it; 'please', 'from your memory' are the rest."""
BY_USER = "forgotten at the user's word"
FORGET_READ = 5_000
"""Facts looked through for what a request to forget means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One candidate with everything that was known when it was decided on."""

    candidate: Candidate
    event: Event
    evidence: tuple[Evidence, ...]
    direct: bool
    suspicions: tuple[Suspicion, ...] = ()
    findings: tuple[Finding, ...] = ()
    trust: int = 0
    vectors: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A case's candidate as it was judged, with its decision."""

    candidate: Candidate
    decision: Decision


def considered(
    case: Case, reader: Reader, policy: Policy, held: tuple[Fact, ...], *, now: datetime | None = None
) -> Considered:
    """What the rules look at. Lifetimes run from `now`: without one, from when the event was recorded."""
    return Considered(
        candidate=case.candidate,
        reader=reader.narrow(session=case.event.placement.session),
        actor=case.event.actor_type,
        direct=case.direct,
        evidence=case.evidence,
        held=held,
        suspicions=case.suspicions,
        findings=case.findings,
        policy=policy,
        # Not the instant it is decided at: a replay of the log must come to the same lifetime.
        now=now or case.event.recorded_at,
        occurred=case.event.occurred,
    )


def slot_for(case: Case, reader: Reader, policy: Policy) -> Slot | None:
    """The slot a case's candidate would compete in, or None where it has no place; needs no store."""
    placement = placed(considered(case, reader, policy, ())).placement
    return None if placement is None else slot_of(policy, case.candidate, placement)


def judge(unit: ReadUnit, case: Case, policy: Policy) -> Judgement:
    """What the rules say beside what is held; nothing is written."""
    slot = slot_for(case, unit.reader, policy)
    held = () if slot is None else tuple(unit.facts(FactFilter(slots=(slot,), include_contenders=True)))
    return govern(considered(case, unit.reader, policy, held))


def decide(unit: WriteUnit, case: Case, policy: Policy, *, new_id: NewId) -> Decided:
    """Judges a candidate, records the decision and does what it says."""
    judgement = judge(unit, case, policy)
    status = STATUS_OF[judgement.ruling]
    candidate = replace(
        judgement.candidate,
        candidate_id=case.candidate.candidate_id or new_id(),
        status=status,
        governance_reason=judgement.reason,
        proposed=case.candidate.proposed or as_proposed(case.candidate),
    )
    home = judgement.placement or Placement(scope=Scope.USER, user=unit.reader.user)
    slot = None if judgement.placement is None else slot_of(policy, candidate, judgement.placement)
    held = _held(unit, judgement, slot)
    give_way(unit, policy, candidate, slot)
    unit.add_candidate(candidate, event_id=case.event.event_id, placement=home)
    outcome, reason = OUTCOME_OF.get(judgement.ruling, ""), judgement.reason
    done: Committed | None = None
    if judgement.ruling is Ruling.ACCEPT and judgement.placement is not None:
        grounds = replace(
            grounds_of(case.event, case.evidence, case.vectors),
            evidence=candidate.evidence,
            trust=case.trust,
            derived_from=candidate.derived_from,
        )
        done, reason = carry_out(unit, candidate, judgement.placement, policy, grounds)
        followed = settle(unit, policy, grounds_of(case.event, case.evidence, None))
        reason = f"{reason}; {followed.line}" if followed.line else reason
        outcome = done.outcome
        if outcome == "needs confirmation":
            status = CandidateStatus.NEEDS_CONFIRMATION
            unit.set_candidate(_id(candidate), status=status, reason=reason)
    decision = Decision(
        decision_id=new_id(),
        candidate_id=_id(candidate),
        ruling=judgement.ruling,
        outcome=outcome,
        reason=reason,
        verdicts=judgement.verdicts,
        policy_version=policy.version,
        actor=f"{case.event.actor_type.value.lower()}:{case.event.actor_id}",
        decided_at=unit.recorded_at,
        fact_id=None if done is None else done.fact_id,
        conflicts_with=() if done is None else done.conflicts_with,
    )
    unit.add_decision(decision, inputs={"evidence": list(candidate.evidence), "held": held})
    _settle_evidence(unit, case, judgement)
    unit.audit(
        f"candidate.{outcome.replace(' ', '_')}", ref_kind="candidate", ref=_id(candidate), content=candidate.content
    )
    return Decided(candidate=candidate, decision=decision)


def _id(candidate: Candidate) -> UUID:
    if candidate.candidate_id is None:
        raise ValueError("a candidate is written with its id")
    return candidate.candidate_id


def _held(unit: WriteUnit, judgement: Judgement, slot: Slot | None) -> State:
    """What a decision on the candidate rests on: for one that asks, all that its slot holds; else the fact it repeats."""
    if slot is not None and (judgement.ruling is Ruling.CONFIRM or judgement.candidate.intent is Intent.FORGET):
        return state_of(unit.live(slots=[slot]))
    return {} if judgement.same is None else {str(judgement.same.fact_id): judgement.same.revision}


def carry_out(
    unit: WriteUnit, candidate: Candidate, placement: Placement, policy: Policy, grounds: Grounds
) -> tuple[Committed, str]:
    """Asserts, corrects or forgets, as the speaker meant it; what was done, and why it came to that in words."""
    if candidate.intent is Intent.FORGET:
        return _forget(unit, candidate, policy, grounds)
    if roots := roots_named(unit, policy, candidate):
        grounds = replace(grounds, derived_from=(*grounds.derived_from, *roots))
    done, reason = _stated(unit, candidate, placement, policy, grounds)
    declared(unit, policy, candidate, grounds)
    return done, reason


def _stated(
    unit: WriteUnit, candidate: Candidate, placement: Placement, policy: Policy, grounds: Grounds
) -> tuple[Committed, str]:
    slot = slot_of(policy, candidate, placement)
    if candidate.intent is Intent.CORRECT and slot.value is None:
        held = [row for row in unit.live(slots=[slot]) if row.hidden_at is None and row.standing is not None]
        if len({row.fact_id for row in held}) == 1 and held[0].trust <= grounds.trust:
            confirmed = candidate.basis if candidate.basis is Basis.CONFIRMED else None
            asked = Amendment(
                content=candidate.content, value=candidate.value, reason="corrected by the speaker", basis=confirmed
            )
            return correct(unit, policy, held[0], asked, grounds), "the record was corrected"
    new_id = derived(_id(candidate), "fact")
    if candidate.intent is Intent.CORRECT and (done := corrected(unit, policy, slot, candidate, grounds)):
        return done, "the record was corrected"
    if candidate.intent is Intent.CHANGE and (done := replaced(unit, policy, slot, candidate, grounds, new_id=new_id)):
        return done, "it took the place of what was held"
    opposites = denied(unit, policy, slot, candidate, grounds)
    if opposites:
        grounds = replace(grounds, supersedes=opposites[-1].fact_id, reason=REASON)
    done = assert_statement(unit, policy, slot, candidate, grounds, new_id=new_id)
    for row in opposites:
        end(unit, policy, row, done.fact_id or new_id, candidate.valid_from or grounds.said_at, grounds, reason=REASON)
    return done, "accepted"


def grounds_of(event: Event, evidence: Sequence[Evidence], vectors: bytes | None) -> Grounds:
    """An event with its evidence as the grounds of what is done because of it."""
    return Grounds(
        evidence=tuple(piece.evidence_id for piece in evidence[:1]),
        trust=evidence[0].trust if evidence else 0,
        source=source_key(event, evidence),
        actor=f"{event.actor_type.value.lower()}:{event.actor_id}",
        said_at=event.occurred.at,
        trace_id=event.trace_id,
        vectors=vectors,
        event=event.event_id,
    )


def source_key(event: Event, evidence: Sequence[Evidence]) -> str:
    """By what sources are independent: who spoke, through which system, from which document."""
    piece = evidence[0] if evidence else None
    parts = [event.actor_type.value, event.actor_id, "" if piece is None else piece.source_system]
    if piece is not None and event.actor_type in (ActorType.TOOL, ActorType.SYSTEM):
        parts.append(piece.source_id or "")
    return "\x1f".join(parts)[:256].replace("\x1f", "/")


def _forget(unit: WriteUnit, candidate: Candidate, policy: Policy, grounds: Grounds) -> tuple[Committed, str]:
    """Hides what the words match exactly; lists the matches and asks where that is not one slot."""
    if (reach := reach_of(candidate)) is not None:
        return _retracted(unit, candidate, policy, grounds, reach=reach)
    name, _ = policy.predicate(candidate.predicate)
    mine = [row for row in unit.facts(FactFilter(limit=FORGET_READ)) if row.placement.user == unit.reader.user]
    matches = _meant(mine, candidate, name)
    # Each value of a multi-valued predicate is a slot of its own: 'what I like' may be many things, and then asks.
    slots = {fact_slot(policy, row) for row in matches}
    if len(slots) == 1:
        facts = list({row.fact_id: row for row in matches}.values())
        done = hide(
            unit, policy, facts, reason=BY_USER, actor=grounds.actor, name=lambda name: derived(_id(candidate), name)
        )
        unit.set_eligibility(candidate.evidence, Eligibility.AUDIT_ONLY)
        return replace(done[0], outcome="forgotten"), f"forgot {len(facts)} fact(s): {facts[0].content[:80]}"
    if not matches and (hidden := _bare(unit, candidate, policy, grounds)):
        unit.set_eligibility(candidate.evidence, Eligibility.AUDIT_ONLY)
        return Committed(fact_id=None, revision=0, outcome="forgotten"), f"forgot what was said of it: {hidden}"
    # Until it is answered, the request tells nothing that holds: it names what shall not be named.
    unit.set_eligibility(_only_asks(unit, candidate), Eligibility.HISTORY)
    listed = "; ".join(row.content[:60] for row in matches[:5]) or "nothing that is held"
    reason = f"forgetting matches {len(slots)} memories ({listed}); say which"
    named = {**candidate.proposed, "forgets": [str(ref) for ref in dict.fromkeys(row.fact_id for row in matches)]}
    asks = CandidateStatus.NEEDS_CONFIRMATION
    unit.set_candidate(_id(candidate), status=asks, reason=reason, proposed=named)
    return Committed(fact_id=None, revision=0, outcome="needs confirmation"), reason


def _retracted(
    unit: WriteUnit, candidate: Candidate, policy: Policy, grounds: Grounds, *, reach: str
) -> tuple[Committed, str]:
    """What a request that names no thing reaches: the turn before is hidden at once, everything when a person says yes."""
    asks = Committed(fact_id=None, revision=0, outcome="needs confirmation")
    found = turn_before(unit, candidate) if reach == "last" else everything(unit)
    pieces = set(found.evidence) - set(candidate.evidence)
    size = f"{len(found.facts)} fact(s) and {len(pieces)} turn(s) or passage(s)"
    if reach == "last" and not found.evidence:
        unit.set_eligibility(_only_asks(unit, candidate), Eligibility.HISTORY)
        reason = "nothing was said before it in this session; say what is to be forgotten"
    elif reach != "last" and candidate.basis is not Basis.CONFIRMED:
        unit.set_eligibility(_only_asks(unit, candidate), Eligibility.HISTORY)
        reason = f"asks to forget everything about the user: {size}; approve to hide all of it, or forget parts by name"
    else:
        require(unit, found)
        first = next(iter(found.pieces.values()), None)
        words = "" if first is None or reach != "last" else f": {first.content[:80]}"
        hide_many(unit, policy, found, grounds, reason=BY_USER, name=lambda name: derived(_id(candidate), name))
        unit.set_eligibility(candidate.evidence, Eligibility.AUDIT_ONLY)
        return replace(asks, outcome="forgotten"), f"forgot {size}{words}"
    unit.set_candidate(_id(candidate), status=CandidateStatus.NEEDS_CONFIRMATION, reason=reason)
    return asks, reason


def _bare(unit: WriteUnit, candidate: Candidate, policy: Policy, grounds: Grounds) -> str | None:
    """Hides the one piece of evidence that speaks of what was named, where no fact was made of it; its first words, or None
    where there is none or which of several is meant is not certain."""
    own = set(candidate.evidence)
    found = [
        item
        for item in unit.words_of(unit.reader.user)
        if item.kind == "evidence"
        and not item.hidden
        and item.id not in own
        and names(candidate.content, item.texts[-1])
    ]
    if len(found) != 1:
        return None
    plan = of_ids(unit, (), (found[0].id,), ())
    hide_many(unit, policy, plan, grounds, reason=BY_USER, name=lambda name: derived(_id(candidate), name))
    return found[0].texts[-1][:80]


def _only_asks(unit: WriteUnit, candidate: Candidate) -> list[UUID]:
    """The candidate's evidence that says little besides the request itself."""
    pieces = unit.evidence(candidate.evidence)
    size = len(candidate.quote or "")
    open_ones = [piece for piece in pieces.values() if piece.eligibility is Eligibility.ELIGIBLE]
    return [piece.evidence_id for piece in open_ones if size >= ASKS_ONLY * len(piece.content.strip())]


def _meant(rows: Sequence[Fact], candidate: Candidate, predicate: str | None) -> list[Fact]:
    """The facts a request to forget speaks of: the same words, else the same value of the slot, else the whole slot where
    no value was named, else those whose words say what was named, as whole words, in one piece or not."""
    wanted, value = canonical(candidate.content), canonical(candidate.value or "")
    about = canonical(candidate.subject or "user")
    if about != "user":
        # What is to be forgotten of one thing is not forgotten of another with the same attribute.
        rows = [row for row in rows if canonical(row.subject or "user") in ("user", about)]
    ways: tuple[Callable[[Fact], bool], ...] = (
        lambda row: canonical(row.content) == wanted,
        lambda row: bool(value) and row.predicate == predicate and canonical(row.value or "") == value,
        lambda row: predicate is not None and not value and row.predicate == predicate,
        lambda row: mentions(row.content, candidate.content) or (bool(value) and mentions(row.content, value)),
        lambda row: names(candidate.content, row.content),
    )
    return next((found for way in ways if (found := [row for row in rows if way(row)])), [])


def _settle_evidence(unit: WriteUnit, case: Case, judgement: Judgement) -> None:
    """Evidence follows its candidate: refused words are for the auditor, suspected ones are shown with a flag."""
    tainted = [item for item in judgement.verdicts if item.rule in TAINTED]
    # What a proposal merely names was judged when it came in; a poisoned proposal must not hide it.
    own = [item for item in case.evidence if item.event_id == case.event.event_id]
    ids = [item.evidence_id for item in own if item.eligibility is Eligibility.ELIGIBLE]
    if PART in case.candidate.metadata and all(
        item.rule != "authority" for item in tainted if item.ruling is Ruling.REJECT
    ):
        # The secret is masked in it, and what else it says stands.
        ids = []
    if judgement.ruling is Ruling.REJECT and any(item.ruling is Ruling.REJECT for item in tainted):
        unit.set_eligibility(ids, Eligibility.AUDIT_ONLY)
    elif any(item.ruling is Ruling.CONFIRM and item.rule == "authority" for item in tainted):
        unit.set_eligibility(ids, Eligibility.QUARANTINED)
