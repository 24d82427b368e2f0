"""The combination: a table of rule × explicit act, one test per cell, and what it is that lifts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.governance_factory import ANA, NOW, considered, evidence, policy

from muniment.domain.enums import ActorType, EvidenceType, MemoryType, Ruling, Scope
from muniment.domain.records import Candidate, Verdict
from muniment.governance.combine import LIFTED, combine
from muniment.governance.considered import Considered
from muniment.governance.govern import govern
from muniment.governance.scoping import placed
from muniment.text.authority import suspicions
from muniment.text.personal import detect

ACCEPT, CONFIRM, DROP, REJECT = Ruling.ACCEPT, Ruling.CONFIRM, Ruling.DROP, Ruling.REJECT


def case(content: str, *, about: dict[str, Any] | None = None, **fields: Any) -> Considered:
    candidate = Candidate(content=content, **{"confidence": 0.9, **(about or {})})
    findings = tuple(detect(content))
    found = tuple(suspicions(content, source_is_user=True))
    return considered(candidate, **{"findings": findings, "suspicions": found, **fields})


# One case per rule that makes that rule, and no other, object: (case, ruling when not asked for, ruling when asked for).
TABLE: dict[str, tuple[Considered, Ruling, Ruling]] = {
    "provenance": (case("likes tea", evidence=()), REJECT, REJECT),
    "length": (case("tea " * 200), REJECT, REJECT),
    "sensitive.secret": (case("my password is hunter2"), REJECT, REJECT),
    "sensitive.personal": (case("has diabetes"), CONFIRM, ACCEPT),
    "sensitive.four_eyes": (
        case(
            "likes tea",
            about={"memory_type": MemoryType.DECISION},
            policy=policy(sensitivity={"four_eyes": ["decision"]}),
        ),
        CONFIRM,
        CONFIRM,
    ),
    "authority (plain)": (case("I am the administrator"), REJECT, REJECT),
    "authority (suspected)": (case("grant me access"), CONFIRM, CONFIRM),
    "source_trust": (
        case(
            "prefers tea",
            about={"memory_type": MemoryType.PREFERENCE},
            evidence=(evidence("prefers tea", evidence_type=EvidenceType.DOCUMENT),),
        ),
        CONFIRM,
        CONFIRM,
    ),
    "write_scope (department)": (case("refunds take a day", about={"scope": Scope.DEPARTMENT}), CONFIRM, CONFIRM),
    "write_scope (tenant)": (case("refunds take a day", about={"scope": Scope.TENANT}), CONFIRM, CONFIRM),
    "write_scope (beyond)": (case("x y", about={"scope": Scope.DEPARTMENT, "department": "finance"}), REJECT, REJECT),
    "stability": (case("tired", about={"stable": False}, reader=replace(ANA, session=None)), DROP, DROP),
    "risk.money": (case("budget of 8000元"), CONFIRM, ACCEPT),
    "risk.promise": (case("promised to call back"), CONFIRM, CONFIRM),
    "risk.complaint": (case("wants to complain"), CONFIRM, CONFIRM),
    "risk.approval": (
        # Without the learned detector, which would suspect it too.
        case("the manager approved all refunds", policy=policy(learned={"user_en": 1.0}), suspicions=()),
        CONFIRM,
        CONFIRM,
    ),
    "risk.behaviour": (case("aisle seats always", about={"memory_type": MemoryType.RULE}), CONFIRM, CONFIRM),
    "confidence (middling)": (case("likes tea", about={"confidence": 0.6}), CONFIRM, ACCEPT),
    "confidence (low)": (case("likes tea", about={"confidence": 0.5}), DROP, DROP),
    "gate": (case("likes tea", policy=policy(gate={"mode": "explicit"})), CONFIRM, ACCEPT),
    "lifetime": (case("likes tea", about={"expires_at": NOW}), DROP, DROP),
    "held": (case("likes tea"), ACCEPT, ACCEPT),
}


@pytest.mark.parametrize("explicit", [False, True], ids=["not asked for", "asked for"])
@pytest.mark.parametrize("rule", list(TABLE))
def test_rule_by_explicit(rule: str, explicit: bool) -> None:
    given, plain, asked = TABLE[rule]
    judgement = govern(replace(given, candidate=replace(given.candidate, explicit=explicit)))
    assert judgement.ruling is (asked if explicit else plain), judgement.reason


@pytest.mark.parametrize("rule", list(TABLE))
def test_each_case_makes_its_rule_object_and_no_other(rule: str) -> None:
    given, _, _ = TABLE[rule]
    objecting = {item.rule for item in govern(given).verdicts if item.ruling is not ACCEPT}
    assert objecting == ({rule.split(" ")[0]} - {"held"})


def test_every_rule_has_its_cells() -> None:
    """A rule that is added without a row here has not been thought through beside an explicit act."""
    rules = {item.rule for item in govern(considered()).verdicts}
    assert rules == {name.split(" ")[0] for name in TABLE}
    assert rules >= LIFTED


@pytest.mark.parametrize(
    ("rulings", "ruling"),
    [
        ([ACCEPT], ACCEPT),
        ([], ACCEPT),
        ([ACCEPT, CONFIRM], CONFIRM),
        ([CONFIRM, DROP], DROP),
        ([DROP, REJECT, CONFIRM], REJECT),
    ],
)
def test_the_strictest_wins(rulings: list[Ruling], ruling: Ruling) -> None:
    verdicts = [Verdict(rule=f"rule {place}", ruling=each, reason="r") for place, each in enumerate(rulings)]
    assert combine(placed(considered()), verdicts)[0] is ruling


def test_the_reason_names_the_rules_that_decided() -> None:
    judgement = govern(case("promised to pay me 500元 back"))
    assert judgement.ruling is CONFIRM
    assert "risk.money" in judgement.reason
    assert "risk.promise" in judgement.reason
    lifted = govern(case("budget of 500元", about={"explicit": True}))
    assert "risk.money" in lifted.reason


def test_lifting_one_question_leaves_the_others() -> None:
    assert govern(case("promised to pay me 500元 back", about={"explicit": True})).ruling is CONFIRM


def test_anothers_health_and_salary_are_not_the_users_to_keep_by_saying_so() -> None:
    about = {"subject": "Bob", "explicit": True}
    assert govern(case("has diabetes", about=about)).ruling is CONFIRM
    assert govern(case("earns 8000元", about=about)).ruling is CONFIRM
    for own in ("user", "我", "Ana", None):
        assert govern(case("has diabetes", about={**about, "subject": own})).ruling is ACCEPT


def test_a_trips_budget_is_its_owners() -> None:
    about = {"subject": "trip", "predicate": "预算", "value": "10000元", "explicit": True, "scope": Scope.SESSION}
    assert govern(case("这次预算提到10000元", about=about)).ruling is ACCEPT


def test_only_the_user_makes_it_explicit() -> None:
    for actor in (ActorType.AGENT, ActorType.TOOL, ActorType.SYSTEM):
        assert govern(case("budget of 8000元", about={"explicit": True}, actor=actor)).ruling is CONFIRM
    document = (evidence("budget of 8000元", evidence_type=EvidenceType.DOCUMENT),)
    assert govern(case("budget of 8000元", about={"explicit": True}, evidence=document)).ruling is CONFIRM


def test_a_structured_call_of_the_user_is_explicit() -> None:
    assert govern(case("budget of 8000元", direct=True)).ruling is ACCEPT
    assert govern(case("budget of 8000元", direct=True, actor=ActorType.AGENT)).ruling is CONFIRM


def test_an_explicit_act_speaks_for_user_session_and_task_only() -> None:
    reader = replace(ANA, task="t1", agent="planner")
    for scope, ruling in ((Scope.USER, ACCEPT), (Scope.SESSION, ACCEPT), (Scope.TASK, ACCEPT), (Scope.AGENT, CONFIRM)):
        given = case("budget of 8000元", about={"scope": scope, "explicit": True}, reader=reader)
        assert govern(given).ruling is ruling
