"""Scope keys, readers and placements, case by case; the properties are in tests/properties/test_scope.py."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.domain.enums import OwnerType, Scope
from muniment.domain.errors import Forbidden, InvalidInput
from muniment.domain.scope import (
    PartitionKey,
    Placement,
    Reader,
    may_write,
    partitions_of,
    precedence,
    scope_key,
    visible_to,
)


@pytest.mark.parametrize(
    "key", ["acme", "acme-corp", "ACME", "%", "*", "a/b", "a b", "🦊", "👩‍👩‍👧", "李雷", "a" * 128]
)
def test_any_printable_key_is_kept_as_it_is(key: str) -> None:
    assert scope_key(key, name="user") == key


def test_a_decomposed_key_is_composed_and_counted_as_composed() -> None:
    assert scope_key("acme\u0301", name="user") == "acmé"
    assert scope_key("e\u0301" * 128, name="user") == "é" * 128


@pytest.mark.parametrize("key", ["", "a" * 129, "a\x00b", "a\nb", "\x7f", "\x85", "\ud800", b"acme", None, 7])
def test_what_is_no_key_is_refused_by_name(key: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^department "):
        scope_key(key, name="department")


@pytest.mark.parametrize("field", ["tenant", "user", "agent", "session", "task"])
def test_a_reader_names_the_key_that_is_not_one(field: str) -> None:
    keys: dict[str, Any] = {"user": "ann", field: ""}
    with pytest.raises(InvalidInput, match=rf"^{field} "):
        Reader.of(**keys)


@pytest.mark.parametrize(
    "wrong", [{"departments": "sales"}, {"roles": "admin"}, {"roles": ["root"]}, {"departments": [""]}]
)
def test_departments_and_roles_are_lists_of_known_text(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Reader.of(user="ann", **wrong)


def test_narrowing_enters_and_never_leaves() -> None:
    reader = Reader.of(user="ann", session="s1")
    assert reader.narrow(session="s1", task="t1") == Reader.of(user="ann", session="s1", task="t1")
    assert reader.narrow() == reader
    with pytest.raises(Forbidden, match="session"):
        reader.narrow(session="s2")
    with pytest.raises(InvalidInput, match="task"):
        reader.narrow(task="")


def test_each_scope_is_placed_with_just_the_ids_it_speaks_of() -> None:
    reader = Reader.of(user="ann", departments=["sales"], agent="bot", session="s1", task="t1")
    assert {scope: Placement.for_reader(scope, reader) for scope in Scope} == {
        Scope.TENANT: Placement(scope=Scope.TENANT),
        Scope.DEPARTMENT: Placement(scope=Scope.DEPARTMENT, department="sales"),
        Scope.USER: Placement(scope=Scope.USER, user="ann"),
        Scope.AGENT: Placement(scope=Scope.AGENT, user="ann", agent="bot"),
        Scope.SESSION: Placement(scope=Scope.SESSION, user="ann", session="s1"),
        Scope.TASK: Placement(scope=Scope.TASK, user="ann", task="t1"),
    }


def test_target_and_owner() -> None:
    reader = Reader.of(user="ann", departments=["sales"], agent="bot", session="s1", task="t1")
    where = {scope: Placement.for_reader(scope, reader) for scope in Scope}
    assert {scope: one.target for scope, one in where.items()} == {
        Scope.TENANT: None,
        Scope.DEPARTMENT: "sales",
        Scope.USER: "ann",
        Scope.AGENT: "bot",
        Scope.SESSION: "s1",
        Scope.TASK: "t1",
    }
    assert {scope: one.owner for scope, one in where.items()} == {
        Scope.TENANT: (OwnerType.TENANT, None),
        Scope.DEPARTMENT: (OwnerType.DEPARTMENT, "sales"),
        Scope.USER: (OwnerType.USER, "ann"),
        Scope.AGENT: (OwnerType.AGENT, "bot"),
        Scope.SESSION: (OwnerType.USER, "ann"),
        Scope.TASK: (OwnerType.USER, "ann"),
    }


@pytest.mark.parametrize("scope", [Scope.AGENT, Scope.SESSION, Scope.TASK])
def test_a_scope_the_reader_is_not_in_is_refused_and_not_widened(scope: Scope) -> None:
    with pytest.raises(InvalidInput, match=f"{scope.value.lower()}="):
        Placement.for_reader(scope, Reader.of(user="ann"))


def test_which_department_is_never_guessed() -> None:
    two = Reader.of(user="ann", departments=["sales", "legal"])
    assert Placement.for_reader(Scope.DEPARTMENT, two, department="legal").department == "legal"
    for reader, named in ((two, None), (two, "hr"), (Reader.of(user="ann"), None), (Reader.of(user="ann"), "hr")):
        with pytest.raises(InvalidInput, match="department"):
            Placement.for_reader(Scope.DEPARTMENT, reader, department=named)


@pytest.mark.parametrize(
    ("role", "allowed"), [("admin", True), ("reviewer", True), ("user", False), ("auditor", False)]
)
def test_shared_scopes_are_written_by_reviewers_and_admins_of_that_scope(role: str, allowed: bool) -> None:
    reader = Reader.of(user="ann", departments=["sales"], roles=[role])
    assert may_write(reader, Placement(scope=Scope.TENANT)) is allowed
    assert may_write(reader, Placement(scope=Scope.DEPARTMENT, department="sales")) is allowed
    assert not may_write(reader, Placement(scope=Scope.DEPARTMENT, department="legal"))
    assert not may_write(reader, Placement(scope=Scope.USER, user="bob"))


def test_the_narrower_scope_stands_before_the_wider() -> None:
    narrowest_first = [
        Placement(scope=Scope.TASK, user="ann", task="t1"),
        Placement(scope=Scope.SESSION, user="ann", session="s1"),
        Placement(scope=Scope.AGENT, user="ann", agent="bot"),
        Placement(scope=Scope.USER, user="ann"),
        Placement(scope=Scope.AGENT, agent="bot"),
        Placement(scope=Scope.DEPARTMENT, department="sales"),
        Placement(scope=Scope.TENANT),
    ]
    ranks = [precedence(where) for where in narrowest_first]
    assert ranks == sorted(set(ranks), reverse=True)


def test_a_record_that_names_no_target_is_nobodys() -> None:
    reader = Reader.of(user="ann", departments=["sales"], agent="bot", session="s1", task="t1")
    for scope in set(Scope) - {Scope.TENANT}:
        assert not visible_to(reader).admits("default", Placement(scope=scope))
    assert visible_to(reader).admits("default", Placement(scope=Scope.TENANT))
    assert not visible_to(reader).admits("DEFAULT", Placement(scope=Scope.TENANT))


@pytest.mark.parametrize("where", ["session", "department"])
def test_a_key_is_composed_before_it_is_compared_with_the_readers(where: str) -> None:
    decomposed = "acme\u0301"
    reader = Reader.of(user="ann", session=decomposed, departments=[decomposed])
    if where == "session":
        assert reader.narrow(session=decomposed) == reader
    else:
        assert Placement.for_reader(Scope.DEPARTMENT, reader, department=decomposed).department == "acmé"


def test_partitions_come_in_one_order_for_everybody() -> None:
    reader = Reader.of(user="ann", departments=["sales", "legal"], agent="bot", session="s1", task="t1")
    assert partitions_of(reader) == (
        PartitionKey(tenant="default", kind=OwnerType.AGENT, target="bot"),
        PartitionKey(tenant="default", kind=OwnerType.DEPARTMENT, target="legal"),
        PartitionKey(tenant="default", kind=OwnerType.DEPARTMENT, target="sales"),
        PartitionKey(tenant="default", kind=OwnerType.TENANT),
        PartitionKey(tenant="default", kind=OwnerType.USER, target="ann"),
    )
