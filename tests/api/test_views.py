"""The three views, by the roles that may read them, through the library, the command line and plain SQL.

Belongs here: who sees which rows. Does not belong here: the rows of a backend's schema (contracts/test_schema.py).
"""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from muniment.cli.app import app
from muniment.domain.errors import Forbidden, InvalidInput
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import SteppingClock


@pytest.fixture
def clock() -> SteppingClock:
    """The database's own clock decides what is active in its view, so this one begins beside it."""
    return SteppingClock(datetime.now(UTC) - timedelta(days=3))


@pytest.fixture
def filled(memory: Muniment, me: Reader, clock: SteppingClock) -> Muniment:
    home = me.add_fact("lives in Oslo", predicate="residence", value="Oslo").fact_id
    clock.move(days=1)
    me.change(str(home), value="Bergen", reason="she moved")
    secret = me.add_fact("keeps bees", predicate="likes", value="bees").fact_id
    clock.move(days=1)
    me.forget(fact=str(secret), reason="asked for")
    memory.reader(tenant="acme", user="bo").add_fact("likes chess", predicate="likes", value="chess")
    memory.reader(tenant="other", user="ana").add_fact("likes golf", predicate="likes", value="golf")
    return memory


def test_the_active_view_is_what_a_reader_may_see_now(filled: Muniment, me: Reader) -> None:
    assert [row["object_value"] for row in filled.views.active(by=me)] == ["Bergen"]


def test_the_audit_view_is_every_revision_of_the_tenant_with_who_and_why(filled: Muniment) -> None:
    carol = filled.reader(tenant="acme", user="carol", roles=["auditor"])
    rows = filled.views.audit(by=carol).items
    assert {row["object_value"] for row in rows} == {"Oslo", "Bergen", "bees", "chess"}
    moved = [row for row in rows if row["reason"] == "she moved"]
    assert {row["actor"] for row in moved} == {"user:ana"}
    assert all(row["hidden_at"] is not None for row in rows if row["object_value"] == "bees")


def test_the_compliance_view_says_that_something_was_forgotten_and_never_what(filled: Muniment) -> None:
    carol = filled.reader(tenant="acme", user="carol", roles=["admin"])
    rows = filled.views.compliance(by=carol).items
    assert {row["mode"] for row in rows} == {"hide"}
    assert {row["user_id"] for row in rows} == {"ana"}
    assert "bees" not in str(rows)


@pytest.mark.parametrize("role", ["agent", "user", "reviewer"])
def test_other_roles_are_refused_by_name(filled: Muniment, role: str) -> None:
    someone = filled.reader(tenant="acme", user="eve", roles=[role])
    for view in (filled.views.audit, filled.views.compliance):
        with pytest.raises(Forbidden, match="admin or auditor"):
            view(by=someone)
    assert filled.views.active(by=someone).items == ()


def test_pages_follow_each_other_and_cursors_are_checked(filled: Muniment) -> None:
    carol = filled.reader(tenant="acme", user="carol", roles=["auditor"])
    whole = filled.views.audit(by=carol).items
    found, cursor = [], None
    while True:
        page = filled.views.audit(by=carol, limit=2, cursor=cursor)
        found += page.items
        cursor = page.next
        if cursor is None:
            break
    assert found == list(whole)
    for wrong in ("x", "W10"):
        with pytest.raises(InvalidInput):
            filled.views.audit(by=carol, cursor=wrong)
    with pytest.raises(InvalidInput):
        filled.views.audit(by=carol, limit=0)


def test_the_command_and_plain_sql_show_the_same(filled: Muniment, sqlite_url: str) -> None:
    run = CliRunner()
    given = ["--db", sqlite_url, "--tenant", "acme", "--user", "carol", "--role", "auditor"]
    found = json.loads(run.invoke(app, ["view", "audit", "--json", *given]).stdout)
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        rows = connection.execute("SELECT count(*) FROM audit_memory WHERE tenant_id = 'acme'").fetchone()
    assert len(found["items"]) == rows[0]
    assert "she moved" in run.invoke(app, ["view", "audit", *given]).stdout
    assert run.invoke(app, ["view", "audit", "--db", sqlite_url, "--tenant", "acme"]).exit_code != 0


def test_the_command_shows_a_department_to_its_members(filled: Muniment, sqlite_url: str) -> None:
    boss = filled.reader(tenant="acme", user="bo", departments=["sales"], roles=["admin"])
    boss.add_fact("sales meets on Mondays", type="RULE", scope="department")
    asked = ["view", "active", "--db", sqlite_url, "--tenant", "acme", "--user", "carol", "--json"]
    assert "Mondays" not in CliRunner().invoke(app, asked).stdout
    assert "Mondays" in CliRunner().invoke(app, [*asked, "--department", "sales"]).stdout
