"""Who sees and who may write, against the text of the data model's Scope section, over keys that look alike.

The keys are chosen to break whatever compares prefixes, cases, patterns or code points instead of whole NFC strings.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.enums import Scope
from muniment.domain.errors import Forbidden, InvalidInput
from muniment.domain.scope import (
    PartitionKey,
    Placement,
    Reader,
    may_write,
    partitions_of,
    scope_key,
    visible_to,
)

LOOK_ALIKE = [
    ("acme", "ACME"),
    ("acme", "acme-corp"),
    ("acme", "acm\u00e9"),
    ("acme", "acme "),
    ("a%", "ab"),
    ("a_", "ab"),
    ("*", "a"),
    ("a/b", "a"),
    ("\U0001f98a", "\U0001f984"),  # two emoji that the usual database collations hold equal
    ("部门", "部門"),
    ("None", "null"),
]
KEYS = sorted({key for pair in LOOK_ALIKE for key in pair})
PRIVATE = [Scope.USER, Scope.SESSION, Scope.TASK]

# Look-alikes of one kind meet in one example, so that readers and records are often one key apart and often none.
keys = st.sampled_from(KEYS)
some = st.shared(st.sampled_from(LOOK_ALIKE), key="some").flatmap(st.sampled_from)
maybe = st.none() | some
scopes = st.sampled_from(list(Scope))
roles = st.frozensets(st.sampled_from(["agent", "user", "reviewer", "auditor", "admin"]), max_size=2)
readers = st.builds(
    Reader.of,
    user=some,
    tenant=some,
    departments=st.frozensets(some, max_size=1),
    agent=maybe,
    session=maybe,
    task=maybe,
    roles=roles,
)
placements = st.builds(Placement, scope=scopes, user=maybe, department=some, agent=some, session=some, task=some)
thorough = settings(max_examples=100, deadline=None)


def same(one: str | None, other: str | None) -> bool:
    """Whether both keys are there and alike to the byte."""
    return one is not None and other is not None and one.encode() == other.encode()


def text_says(reader: Reader, tenant: str, where: Placement) -> bool:
    """`visible_to` as the data model words it."""
    mine = same(reader.user, where.user)
    match where.scope:
        case Scope.TENANT:
            seen = True
        case Scope.DEPARTMENT:
            seen = any(same(one, where.department) for one in reader.departments)
        case Scope.USER:
            seen = mine
        case Scope.AGENT:
            seen = same(reader.agent, where.agent) and (where.user is None or mine)
        case Scope.SESSION:
            seen = mine and same(reader.session, where.session)
        case Scope.TASK:
            seen = mine and same(reader.task, where.task)
    return seen and same(reader.tenant, tenant)


def sees(reader: Reader, where: Placement) -> bool:
    """Whether the reader sees a record of its own tenant placed there."""
    return visible_to(reader).admits(reader.tenant, where)


@thorough
@given(readers, some, placements)
def test_visible_is_what_the_text_says(reader: Reader, tenant: str, where: Placement) -> None:
    assert visible_to(reader).admits(tenant, where) == text_says(reader, tenant, where)


@thorough
@given(readers, readers, placements)
def test_nobody_sees_what_is_anothers(reader: Reader, other: Reader, where: Placement) -> None:
    theirs = replace(where, user=other.user)
    if reader.user != other.user:
        assert not (theirs.scope in [*PRIVATE, Scope.AGENT] and sees(reader, theirs))
    if where.department not in reader.departments:
        assert not (where.scope is Scope.DEPARTMENT and sees(reader, where))
    if reader.tenant != other.tenant:
        assert not visible_to(reader).admits(other.tenant, where)


@thorough
@given(keys, keys, scopes)
def test_two_readers_who_differ_in_one_key_see_nothing_of_each_other_by_it(one: str, other: str, scope: Scope) -> None:
    def reader_of(key: str) -> Reader:
        return Reader.of(tenant="t", user=key, departments=[key], agent=key, session=key, task=key)

    mine = Placement.for_reader(scope, reader_of(one))
    assert sees(reader_of(one), mine)
    assert sees(reader_of(other), mine) == (one == other or scope is Scope.TENANT)


@thorough
@given(readers, maybe, maybe, maybe, placements)
def test_narrowing_shows_more_only_of_the_session_task_or_agent_entered(
    reader: Reader, session: str | None, task: str | None, agent: str | None, where: Placement
) -> None:
    bound = [(reader.session, session), (reader.task, task), (reader.agent, agent)]
    if any(held is not None and wanted is not None and held != wanted for held, wanted in bound):
        with pytest.raises(Forbidden):
            reader.narrow(session=session, task=task, agent=agent)
        return
    inside = reader.narrow(session=session, task=task, agent=agent)
    assert (inside.tenant, inside.user, inside.departments, inside.roles) == (
        reader.tenant,
        reader.user,
        reader.departments,
        reader.roles,
    )
    assert inside.narrow(session=session, task=task, agent=agent) == inside
    if sees(reader, where):
        assert sees(inside, where)
    elif sees(inside, where):
        entered = {Scope.SESSION: session, Scope.TASK: task, Scope.AGENT: agent}
        assert where.scope in entered
        assert where.target == entered[where.scope]
        assert where.user == reader.user or (where.user is None and where.scope is Scope.AGENT)


@thorough
@given(readers, readers, scopes, maybe)
def test_a_memory_goes_where_its_writer_sees_it_and_never_wider(
    reader: Reader, other: Reader, scope: Scope, department: str | None
) -> None:
    try:
        where = Placement.for_reader(scope, reader, department=department)
    except InvalidInput:
        lacks = {
            Scope.DEPARTMENT: department not in reader.departments,
            Scope.AGENT: reader.agent is None,
            Scope.SESSION: reader.session is None,
            Scope.TASK: reader.task is None,
        }
        assert lacks[scope]
        return
    assert where.scope is scope
    assert sees(reader, where)
    if scope not in (Scope.TENANT, Scope.DEPARTMENT):
        assert may_write(reader, where)
        assert not (other.user != reader.user and sees(other, where))


@thorough
@given(readers, placements)
def test_writing_needs_sight_and_the_shared_scopes_a_reviewer(reader: Reader, where: Placement) -> None:
    allowed = may_write(reader, where)
    assert not (allowed and not text_says(reader, reader.tenant, where))
    if where.scope in (Scope.TENANT, Scope.DEPARTMENT):
        assert allowed == (sees(reader, where) and not reader.roles.isdisjoint({"reviewer", "admin"}))
    elif where.scope in PRIVATE:
        assert allowed == sees(reader, where)
    no_roles = replace(reader, roles=frozenset[str]())
    assert not (may_write(no_roles, where) and not allowed)


@thorough
@given(readers, placements)
def test_what_is_visible_lies_in_a_partition_that_is_read(reader: Reader, where: Placement) -> None:
    partitions = partitions_of(reader)
    assert list(partitions) == sorted(set(partitions))
    if sees(reader, where):
        assert PartitionKey.of(reader.tenant, where) in partitions


@thorough
@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60))
def test_a_key_is_one_whichever_way_its_accents_are_typed(text: str) -> None:
    composed, taken_apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    if len(composed) <= 128:
        key = scope_key(text, name="user")
        assert (
            key
            == scope_key(composed, name="user")
            == scope_key(taken_apart, name="user")
            == scope_key(key, name="user")
        )
        assert Reader.of(user=taken_apart).user == composed
