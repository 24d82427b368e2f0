"""Who reads, whose a memory is, and the one predicate that decides visibility.

Belongs here: `Reader`, `Placement`, `ScopeSet` (visible_to as a value), the order of scopes, `may_write`. Does not belong
here: how a `ScopeSet` becomes SQL (store/) or an array mask (index/); a property proves the three equal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final

from muniment.domain.enums import OwnerType, Scope
from muniment.domain.errors import Forbidden, InvalidInput

KEY_LIMIT: Final = 128
ROLES: Final = frozenset({"agent", "user", "reviewer", "auditor", "admin"})
REVIEWS: Final = frozenset({"reviewer", "admin"})
"""Roles that decide on what others proposed."""


def scope_key(value: str, *, name: str) -> str:
    """A scope key in NFC, compared byte for byte ever after. Raises `InvalidInput` for an empty one, one over
    128 characters, or one with a control character or lone surrogate."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}")
    key = unicodedata.normalize("NFC", value)
    if not key or len(key) > KEY_LIMIT:
        raise InvalidInput(f"{name} must have 1 to {KEY_LIMIT} characters, not {len(key)}")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in key):
        raise InvalidInput(f"{name} must not hold control characters or lone surrogates")
    return key


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who asks: one user of one tenant, with the departments, agent, session and task they ask from.

    Built with `Reader.of`, which validates; `narrow` enters one session, task or agent and never leaves one.
    """

    tenant: str
    user: str
    departments: frozenset[str] = frozenset()
    agent: str | None = None
    session: str | None = None
    task: str | None = None
    roles: frozenset[str] = frozenset({"agent"})

    @classmethod
    def of(
        cls,
        *,
        user: str,
        tenant: str = "default",
        departments: Collection[str] = (),
        agent: str | None = None,
        session: str | None = None,
        task: str | None = None,
        roles: Collection[str] = ("agent",),
    ) -> Reader:
        """A validated reader. Raises `InvalidInput` naming the key that is not one."""
        for name, given in (("departments", departments), ("roles", roles)):
            if not isinstance(given, (tuple, list, set, frozenset)) or not all(isinstance(item, str) for item in given):
                raise InvalidInput(f"{name} is a list of text")
        unknown = set(roles) - ROLES
        if unknown:
            raise InvalidInput(f"unknown roles {sorted(unknown)}; known are {sorted(ROLES)}")
        return cls(
            tenant=scope_key(tenant, name="tenant"),
            user=scope_key(user, name="user"),
            departments=frozenset(scope_key(item, name="department") for item in departments),
            agent=None if agent is None else scope_key(agent, name="agent"),
            session=None if session is None else scope_key(session, name="session"),
            task=None if task is None else scope_key(task, name="task"),
            roles=frozenset(roles),
        )

    def narrow(self, *, session: str | None = None, task: str | None = None, agent: str | None = None) -> Reader:
        """The same reader inside one session, task or agent. Raises `Forbidden` on leaving the one it is already in."""
        wanted = {"session": session, "task": task, "agent": agent}
        changes: dict[str, Any] = {}
        for name, value in wanted.items():
            if value is None:
                continue
            key, held = scope_key(value, name=name), getattr(self, name)
            if held is not None and held != key:
                raise Forbidden(f"this reader is bound to {name} {held!r}; open another one for {key!r}")
            changes[name] = key
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where one record lives and applies: its scope, and the ids that scope speaks of."""

    scope: Scope
    user: str | None = None
    department: str | None = None
    agent: str | None = None
    session: str | None = None
    task: str | None = None

    @property
    def target(self) -> str | None:
        """The id the scope itself names (the task's for TASK, …); None for TENANT."""
        return {
            Scope.TENANT: None,
            Scope.DEPARTMENT: self.department,
            Scope.USER: self.user,
            Scope.AGENT: self.agent,
            Scope.SESSION: self.session,
            Scope.TASK: self.task,
        }[self.scope]

    @property
    def owner(self) -> tuple[OwnerType, str | None]:
        """Owner type and id; SESSION and TASK belong to their user. The id is None for TENANT."""
        if self.scope is Scope.TENANT:
            return OwnerType.TENANT, None
        if self.scope is Scope.DEPARTMENT:
            return OwnerType.DEPARTMENT, self.department
        if self.scope is Scope.AGENT:
            return OwnerType.AGENT, self.agent
        return OwnerType.USER, self.user

    @classmethod
    def for_reader(cls, scope: Scope, reader: Reader, *, department: str | None = None) -> Placement:
        """Where a memory of that scope goes when this reader writes it. Raises `InvalidInput` where the reader has no
        such session, task, agent or department (SESSION without a session must not widen to USER)."""
        if scope is Scope.TENANT:
            return cls(scope=scope)
        if scope is Scope.DEPARTMENT:
            named = None if department is None else scope_key(department, name="department")
            chosen = named or (next(iter(reader.departments)) if len(reader.departments) == 1 else None)
            if chosen is None or chosen not in reader.departments:
                raise InvalidInput("scope DEPARTMENT needs a department of the reader; name it with department=")
            return cls(scope=scope, department=chosen)
        if scope is Scope.USER:
            return cls(scope=scope, user=reader.user)
        needed = {Scope.AGENT: reader.agent, Scope.SESSION: reader.session, Scope.TASK: reader.task}[scope]
        if needed is None:
            name = scope.value.lower()
            raise InvalidInput(f"scope {scope} needs a reader with {name}=; open one with mem.reader(…, {name}=…)")
        return cls(
            scope=scope,
            user=reader.user,
            agent=reader.agent if scope is Scope.AGENT else None,
            session=reader.session if scope is Scope.SESSION else None,
            task=reader.task if scope is Scope.TASK else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One way to be visible: this scope, and every named id equal to one of the given ones.

    An entry with None among its values also accepts a record that names no such id.
    """

    scope: Scope
    ids: tuple[tuple[str, frozenset[str | None]], ...] = ()

    def admits(self, placement: Placement) -> bool:
        """Whether a record so placed is visible by this clause."""
        return placement.scope is self.scope and all(getattr(placement, name) in allowed for name, allowed in self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSet:
    """`visible_to(reader)` as a value: a record of the tenant is visible if any clause admits it."""

    tenant: str
    clauses: tuple[Clause, ...] = field(default=())

    def admits(self, tenant: str, placement: Placement) -> bool:
        """The predicate in Python; SQL and array masks are proven equal to it."""
        return tenant == self.tenant and any(clause.admits(placement) for clause in self.clauses)


def visible_to(reader: Reader) -> ScopeSet:
    """What this reader may see, as data-model.md's Scope section says."""
    user = ("user", frozenset({reader.user}))
    clauses = [Clause(scope=Scope.TENANT), Clause(scope=Scope.USER, ids=(user,))]
    if reader.departments:
        clauses.append(Clause(scope=Scope.DEPARTMENT, ids=(("department", frozenset(reader.departments)),)))
    if reader.agent is not None:
        either = ("user", frozenset({reader.user, None}))
        clauses.append(Clause(scope=Scope.AGENT, ids=(("agent", frozenset({reader.agent})), either)))
    if reader.session is not None:
        clauses.append(Clause(scope=Scope.SESSION, ids=(user, ("session", frozenset({reader.session})))))
    if reader.task is not None:
        clauses.append(Clause(scope=Scope.TASK, ids=(user, ("task", frozenset({reader.task})))))
    return ScopeSet(tenant=reader.tenant, clauses=tuple(clauses))


def precedence(placement: Placement) -> int:
    """How narrow a placement is; the higher shadows the lower for the same slot key.

    TASK > SESSION > AGENT naming the user > USER > AGENT > DEPARTMENT > TENANT.
    """
    if placement.scope is Scope.AGENT:
        return 4 if placement.user is not None else 2
    return {Scope.TASK: 6, Scope.SESSION: 5, Scope.USER: 3, Scope.DEPARTMENT: 1, Scope.TENANT: 0}[placement.scope]


def may_write(reader: Reader, placement: Placement) -> bool:
    """Whether this principal may write there directly.

    DEPARTMENT, TENANT and an agent's memory for all its users take a reviewer or admin.
    Never wider than the reader: a placement the reader could not see is refused whatever the role.
    """
    if not visible_to(reader).admits(reader.tenant, placement):
        return False
    shared_agent = placement.scope is Scope.AGENT and placement.user is None
    if placement.scope in (Scope.DEPARTMENT, Scope.TENANT) or shared_agent:
        return bool(reader.roles & {"reviewer", "admin"})
    return True


def reviewable_by(reader: Reader) -> ScopeSet:
    """The candidates this principal may look at, by where they would live and who proposed them (as `user`).

    One's own, wherever they would go; a reviewer or admin also those of every user of the tenant, the tenant's, and those
    of their own departments.
    """
    user = ("user", frozenset[str | None]({reader.user}))
    if not reader.roles & REVIEWS:
        return ScopeSet(tenant=reader.tenant, clauses=tuple(Clause(scope=scope, ids=(user,)) for scope in Scope))
    clauses = [Clause(scope=scope) for scope in Scope if scope is not Scope.DEPARTMENT]
    clauses.append(Clause(scope=Scope.DEPARTMENT, ids=(user,)))
    if reader.departments:
        clauses.append(Clause(scope=Scope.DEPARTMENT, ids=(("department", frozenset(reader.departments)),)))
    return ScopeSet(tenant=reader.tenant, clauses=tuple(clauses))


def may_review(reader: Reader, placement: Placement, *, author: str) -> bool:
    """Whether this principal may decide what is written there of what `author` proposed.

    One's own memory oneself; a reviewer or admin that of any user of the tenant. What others read too (DEPARTMENT, TENANT,
    an agent's memory for all its users) takes a reviewer or admin, of that department.
    """
    reviews = bool(reader.roles & REVIEWS)
    shared_agent = placement.scope is Scope.AGENT and placement.user is None
    if placement.scope is Scope.DEPARTMENT:
        return reviews and placement.department in reader.departments
    if placement.scope is Scope.TENANT or shared_agent:
        return reviews
    return reviews or reader.user == author == placement.user


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PartitionKey:
    """One shelf of the store: a tenant's, department's, agent's or user's items, with their own statistics."""

    tenant: str
    kind: OwnerType
    target: str = ""

    @classmethod
    def of(cls, tenant: str, placement: Placement) -> PartitionKey:
        """The partition a record so placed lives in."""
        kind, target = placement.owner
        return cls(tenant=tenant, kind=kind, target=target or "")


def partitions_of(reader: Reader) -> tuple[PartitionKey, ...]:
    """The partitions a reader reads the union of, in key order."""
    keys = [
        PartitionKey(tenant=reader.tenant, kind=OwnerType.TENANT),
        PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user),
    ]
    keys += [PartitionKey(tenant=reader.tenant, kind=OwnerType.DEPARTMENT, target=item) for item in reader.departments]
    if reader.agent is not None:
        keys.append(PartitionKey(tenant=reader.tenant, kind=OwnerType.AGENT, target=reader.agent))
    return tuple(sorted(keys))
