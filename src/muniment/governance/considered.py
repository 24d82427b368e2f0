"""What governance looks at, and what it says.

Belongs here: the two values that go into and come out of `govern`, and what can be read off the first in one line. Does
not belong here: any ruling.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from muniment.config import Policy, Predicate
from muniment.domain.enums import ActorType, EvidenceType, Ruling, Scope
from muniment.domain.records import Candidate, Evidence, Fact, Verdict
from muniment.domain.scope import Placement, Reader
from muniment.domain.statement import canonical, subject_key
from muniment.domain.time import Moment
from muniment.text.authority import Suspicion
from muniment.text.finding import Finding

Relation = Literal["new", "reinforce", "contradict", "extend"]

OWN: Final = frozenset({Scope.USER, Scope.SESSION, Scope.TASK})
"""Scopes in which an explicit act of the user speaks for itself."""
BEYOND: Final = frozenset({Scope.DEPARTMENT, Scope.TENANT, Scope.AGENT})
"""Scopes that a reader either has or must not reach for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """One candidate with everything a ruling may depend on.

    `direct` says that it came by a structured call (`add_fact`, `set_status`), not out of talk. `held` are the live
    facts of the same slot and placement, and those that match by meaning. `suspicions` and `findings` are those about
    the words the candidate rests on. `occurred` is when it was said. `placement` and `unplaced` are filled in by
    `scoping.placed`.
    """

    candidate: Candidate
    reader: Reader
    actor: ActorType
    policy: Policy
    now: datetime
    direct: bool = False
    evidence: tuple[Evidence, ...] = ()
    held: tuple[Fact, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    findings: tuple[Finding, ...] = ()
    occurred: Moment | None = None
    placement: Placement | None = None
    unplaced: str | None = None

    @property
    def predicate(self) -> Predicate:
        """The catalogue's entry for the candidate's predicate."""
        return self.policy.predicate(self.candidate.predicate)[1]

    @property
    def about_self(self) -> bool:
        """Whether it speaks of the user, not of someone or something else."""
        return subject_key(self.candidate.subject) in ("user", canonical(self.reader.user))

    @property
    def users_own_words(self) -> bool:
        """Whether the user said it, in talk or by a call of their own; not a document they handed in, nor a tool."""
        if self.actor is not ActorType.USER:
            return False
        return self.direct or all(item.evidence_type is EvidenceType.CONVERSATION for item in self.evidence)

    @property
    def explicit(self) -> bool:
        """Whether it is an explicit act of the user ('remember', 'set', 改成, a structured call) about their own USER,
        SESSION or TASK memory."""
        asked = self.users_own_words and (self.direct or self.candidate.explicit)
        return (
            asked
            and self.placement is not None
            and self.placement.scope in OWN
            and self.placement.user == self.reader.user
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What became of a candidate: the ruling with the reason that decided it, and every rule's verdict.

    `candidate` is as it would be stored: canonical predicate, final scope, lifetime. `same` is the fact it reinforces;
    `against` are those it contradicts.
    """

    ruling: Ruling
    reason: str
    verdicts: tuple[Verdict, ...]
    placement: Placement | None
    candidate: Candidate
    relation: Relation = "new"
    same: Fact | None = None
    against: tuple[Fact, ...] = ()
