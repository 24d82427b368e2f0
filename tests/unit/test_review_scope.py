"""Who may look at a question and who may answer it, and when what it is about has moved."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from muniment.domain.enums import Basis, FactStatus, MemoryType, Scope, Standing
from muniment.domain.records import Fact
from muniment.domain.reviews import etag, state_of
from muniment.domain.scope import Placement, Reader, may_review, reviewable_by

OWN = Placement(scope=Scope.USER, user="ana")
KILN = Placement(scope=Scope.DEPARTMENT, department="kiln")
ALL = Placement(scope=Scope.TENANT)
SESSION = Placement(scope=Scope.SESSION, user="ana", session="s9")
BOT = Placement(scope=Scope.AGENT, agent="bot")
HER_BOT = Placement(scope=Scope.AGENT, agent="bot", user="ana")

ANA = Reader.of(user="ana", departments=["kiln"])
BO = Reader.of(user="bo", roles=("agent", "user"))
RITA = Reader.of(user="rita", roles=("reviewer",))
KIT = Reader.of(user="kit", departments=["kiln"], roles=("admin",))
AUDITOR = Reader.of(user="al", departments=["kiln"], roles=("auditor",))


@pytest.mark.parametrize(
    ("placement", "may", "may_not"),
    [
        (OWN, [ANA, RITA, KIT], [BO, AUDITOR]),
        (SESSION, [ANA, RITA, KIT], [BO, AUDITOR]),
        (HER_BOT, [ANA, RITA], [BO, AUDITOR]),
        (KILN, [KIT], [ANA, BO, RITA, AUDITOR]),
        (ALL, [RITA, KIT], [ANA, BO, AUDITOR]),
        (BOT, [RITA, KIT], [ANA, BO, AUDITOR]),
    ],
)
def test_who_may_answer_what_ana_proposed(placement: Placement, may: list[Reader], may_not: list[Reader]) -> None:
    assert [reader.user for reader in may if not may_review(reader, placement, author="ana")] == []
    assert [reader.user for reader in may_not if may_review(reader, placement, author="ana")] == []


@pytest.mark.parametrize("scope", list(Scope))
def test_what_one_proposed_oneself_one_may_look_at(scope: Scope) -> None:
    mine = Placement(scope=scope, user="bo", department="kiln", agent="bot", session="s", task="t")
    assert reviewable_by(BO).admits("default", mine)
    assert not reviewable_by(BO).admits("Default", mine)
    assert not reviewable_by(ANA).admits("default", mine)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_reviewer_looks_at_the_tenant_and_at_their_own_departments(scope: Scope) -> None:
    his = Placement(scope=scope, user="bo", department="kiln", agent="bot", session="s", task="t")
    assert reviewable_by(KIT).admits("default", his)
    assert reviewable_by(RITA).admits("default", his) is (scope is not Scope.DEPARTMENT)
    assert not reviewable_by(RITA).admits("acme", his)


def version(ref: int, revision: int, *, standing: Standing | None = Standing.HELD, hidden: bool = False) -> Fact:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Fact(
        fact_id=UUID(int=ref),
        revision=revision,
        placement=OWN,
        memory_type=MemoryType.FACT,
        content="c",
        status=FactStatus.ACTIVE,
        standing=standing,
        confidence=1.0,
        basis=Basis.STATED,
        trust=80,
        recorded_at=at,
        hidden_at=at if hidden else None,
    )


def test_a_state_names_what_is_believed_and_nothing_else() -> None:
    rows = [version(2, 1), version(1, 3), version(3, 1, standing=None), version(4, 1, hidden=True)]
    state = state_of(rows)
    assert list(state.values()) == [3, 1]
    assert etag(state) == etag(state_of(rows[::-1]))
    moved = [[version(2, 1)], [version(2, 2), version(1, 3)], [*rows, version(5, 1)], []]
    assert len({etag(state), *(etag(state_of(other)) for other in moved)}) == 5
