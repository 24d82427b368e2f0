"""Scopes as a user meets them: who sees what, what a narrower one shadows, what binds, who may write."""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Forbidden, NotFound
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant

WORD = "zanzibarine"


def everything_a_reader_can_get(reader: Reader, fact: Any, evidence: Any) -> str:
    """All that any read gives, as text. Errors that say 'not there' count as nothing."""
    out = [
        reader.facts(include_contenders=True).items,
        list(reader.search(f"{WORD} secret", k=50)),
        list(reader.search(f"{WORD} secret", channels=["evidence"])),
        reader.context(f"the {WORD} secret ORD-777-1", budget=4000).text.split("<memory")[1],
        reader.lookup("order_no", "ORD-777-1"),
        reader.get("secret"),
        reader.status("secret"),
        reader.context("what is my secret?").text.split("<memory")[1],
        list(reader.search("what have we talked about so far?", channels=["summary"], k=50)),
        [reader.summary(), reader.summary(session="s"), reader.summary(task="t")],
    ]
    for read in (reader.history, reader.explain):
        with pytest.raises(NotFound):
            read(fact)
    for write in (reader.invalidate, reader.change, lambda ref: reader.forget(fact=ref)):
        with pytest.raises(NotFound):
            write(fact)
    with reader.parts.store.read(reader.identity) as unit:
        out += [
            unit.evidence([evidence]),
            unit.events([evidence]),
            unit.candidates(),
            unit.identifiers(["ord7771"], kinds=["code"]),
        ]
    return repr(out)


@pytest.mark.parametrize(
    "other",
    [
        {"user": "bo"},
        {"user": "ANA"},
        {"user": "ana "},
        {"user": "an"},
        {"tenant": "acme-corp"},
        {"tenant": "ACME"},
        {"tenant": "%"},
        {"user": "%"},
        {"user": "bo", "departments": ["travel"], "roles": ["reviewer", "admin", "auditor"]},
    ],
    ids=str,
)
def test_another_user_or_tenant_sees_nothing(memory: Muniment, other: dict[str, Any]) -> None:
    me = memory.reader(tenant="acme", user="ana", departments=["travel"], session="s", task="t", agent="p")
    said = me.observe(f"secret: the {WORD} is in ORD-777-1", session="s")
    for scope in ("USER", "SESSION", "TASK", "AGENT"):
        me.add_fact(f"{WORD} {scope}", predicate=f"secret {scope}", value=WORD, scope=scope)
    me.set_status("secret", WORD)
    assert all(WORD in repr(found) for found in (me.end_session(), me.summary(), me.summary(task="t")))
    foreign = memory.reader(**{"tenant": "acme", "user": "ana", "session": "s", "task": "t", "agent": "p", **other})
    assert WORD not in everything_a_reader_can_get(foreign, said.facts[0], said.evidence[0])
    assert WORD in repr(me.facts().items)


def test_sessions_tasks_and_agents_keep_to_themselves(memory: Muniment) -> None:
    kinds = {"session": "SESSION", "task": "TASK", "agent": "AGENT"}
    for name, scope in kinds.items():
        mine = memory.reader(user="ana", **{name: "one"})
        mine.add_fact(f"{WORD} of {name}", predicate=f"mark {name}", value=name, scope=scope)
        assert [fact.value for fact in mine.facts(scope=scope)] == [name]
        for other in ({name: "two"}, {name: "ONE"}, {}):
            assert memory.reader(user="ana", **other).facts(scope=scope).items == ()
        assert memory.reader(user="bo", **{name: "one"}).facts(scope=scope).items == ()
        with pytest.raises(Forbidden):
            mine.narrow(**{name: "two"})
        said = memory.reader(user="ana").add_fact("nowhere", predicate="nowhere", scope=scope)
        assert said.facts == ()


def test_a_session_given_with_an_observation_can_only_narrow(memory: Muniment) -> None:
    bound = memory.reader(user="ana", session="s1")
    bound.observe("fine", session="s1")
    with pytest.raises(Forbidden):
        bound.observe("elsewhere", session="s2")
    memory.reader(user="ana").observe("fine too", session="s2")


def test_shared_scopes_take_a_reviewer(memory: Muniment) -> None:
    given: dict[str, Any] = {"tenant": "acme", "departments": ["travel"]}
    me, boss = memory.reader(user="ana", **given), memory.reader(user="boss", roles=["reviewer"], **given)
    for scope in ({"scope": "DEPARTMENT", "department": "travel"}, {"scope": "TENANT"}):
        asked = me.add_fact("the office is blue", **scope)
        assert (asked.facts, asked.decisions[0].outcome) == ((), "needs confirmation")
        made = boss.add_fact("the office is blue", **scope)
        assert made.facts
        assert "the office is blue" in [fact.content for fact in me.facts(scope=scope["scope"])]
        for amend in (me.invalidate, me.change):
            with pytest.raises(Forbidden):
                amend(made.facts[0])
        with pytest.raises(Forbidden):
            me.forget(fact=made.facts[0])
    elsewhere = memory.reader(tenant="acme", user="eve", departments=["sales"])
    assert [fact.scope.value for fact in elsewhere.facts()] == ["TENANT"]
    for department in ("sales", "Travel"):
        refused = boss.add_fact("x", scope="DEPARTMENT", department=department)
        assert refused.facts == (), department


def test_a_narrower_scope_shadows_and_leaves_the_wider_as_it_was(memory: Muniment) -> None:
    me = memory.reader(user="ana")
    trip = memory.reader(user="ana", task="trip")
    usual = me.add_fact("budget is 8000", predicate="budget", value="8000", type="CONSTRAINT").facts[0]
    special = trip.add_fact(
        "budget is 10000", predicate="budget", value="10000", type="CONSTRAINT", scope="TASK"
    ).facts[0]
    assert special != usual
    assert trip.get("budget").value == "10000"  # type: ignore[union-attr]
    context = trip.context("book within the budget")
    assert "10000" in context.text
    assert "8000" not in context.text
    assert [item.reason for item in context.dropped if item.id == usual] in ([], ["shadowed by a narrower scope"])
    found = trip.search("budget", channels=["facts"])
    assert [hit.text for hit in found] == ["budget is 10000"]
    assert "shadowed by a narrower scope" in {item.reason for item in found.dropped}
    for other in (me, memory.reader(user="ana", task="another")):
        assert other.get("budget").value == "8000"  # type: ignore[union-attr]
        assert "10000" not in other.context("book within the budget").text
    assert [(row.revision, row.value) for row in me.history(usual)] == [(1, "8000")]
    trip.invalidate(special)
    assert trip.get("budget").value == "8000"  # type: ignore[union-attr]


def test_a_wider_rule_binds(memory: Muniment) -> None:
    boss = memory.reader(tenant="acme", user="boss", roles=["admin"])
    me = memory.reader(tenant="acme", user="ana")
    boss.add_rule("refunds need approval", scope="TENANT", predicate="approval", value="always")
    me.add_rule("never ask for approval", predicate="approval", value="never")
    text = me.context("refund the customer").text
    assert "refunds need approval" in text
    assert [hit.text for hit in me.search("approval", channels=["facts"])] != ["never ask for approval"]


def test_a_department_is_read_beside_ones_own(memory: Muniment) -> None:
    given: dict[str, Any] = {"tenant": "acme", "departments": ["travel", "legal"]}
    boss = memory.reader(user="boss", roles=["reviewer"], **given)
    for department in ("travel", "legal"):
        boss.add_fact(
            f"{department} meets on Monday", predicate="seat", value=f"{department} day", scope="DEPARTMENT",
            department=department, valid_from=instant(1),
        )  # fmt: skip
    me = memory.reader(user="ana", **given)
    me.add_fact("meets on Friday", predicate="seat", value="Friday")
    assert {fact.value for fact in me.facts(predicate="seat")} == {"travel day", "legal day", "Friday"}
    assert me.get("seat").value == "Friday"  # type: ignore[union-attr]
    assert {hit.text for hit in me.search("meets", channels=["facts"])} == {"meets on Friday"}
