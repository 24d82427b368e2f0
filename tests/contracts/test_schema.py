"""The schema on every database: tables, drift, migrations, views, collations, and rows that are never changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, select, text

from muniment.domain.errors import NotADatabase, SchemaMismatch
from muniment.store import migrate
from muniment.store.dialects import open_database
from muniment.store.tables import metadata
from muniment.store.tables.chain import event
from muniment.store.tables.facts import fact_revision
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import LOOK_ALIKE, instant
from muniment.testing.doubles import SteppingClock

# data-model.md's tables, as far as they belong to this version; `task`, `trace` and `workflow` come with their own issues.
TABLES = {
    "event", "event_processing", "evidence", "candidate", "candidate_evidence", "decision", "fact", "fact_revision",
    "fact_statement", "fact_evidence", "fact_dependency", "conflict", "summary", "identifier", "partition", "lane", "slot",
    "index_item", "index_segment", "outbox", "tombstone", "api_key", "hold", "audit_log", "erasure", "subject_key",
    "store_setting",
}  # fmt: skip
COLUMNS = {
    "event": "event_id actor_type actor_id user_id department_id agent_id session_id task_id event_type source payload metadata"
    " idempotency_key trace_id occurred_at recorded_at lane_key seq",
    "evidence": "evidence_id evidence_type source_system source_id source_version event_id user_id department_id session_id"
    " content locator metadata trust occurred_at recorded_at redacted",
    "candidate": "candidate_id scope memory_type subject predicate object_value content quote confidence basis extractor_model"
    " extractor_version valid_from valid_until valid_from_known expires_at status governance_reason created_at updated_at",
    "fact_revision": "fact_id revision owner_type owner_id user_id department_id agent_id scope session_id task_id memory_type"
    " subject predicate qualifier object_value content status confidence basis trust stated_from stated_until valid_from"
    " valid_until valid_from_known expires_at recorded_at retracted_at hidden_at supersedes_id source_candidate_id change"
    " reason actor trace_id metadata",
    "lane": "shard tenant_id lane_key ready_at lease_token epoch",
}
VIEWS = {"active_memory", "audit_memory", "compliance_memory"}

memory_of = StoreContract().open


def engine_of(url: str) -> Engine:
    """An engine beside the store's, for looking at raw rows."""
    return create_engine(url.replace("postgresql:", "postgresql+psycopg:").replace("mysql:", "mysql+pymysql:"))


@contextmanager
def raw(url: str) -> Iterator[Connection]:
    engine = engine_of(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def test_every_table_view_and_column_is_there(empty_url: str) -> None:
    memory_of(empty_url).close()
    with raw(empty_url) as connection:
        found = inspect(connection)
        assert set(found.get_table_names()) - {"alembic_version"} >= TABLES
        assert set(found.get_view_names()) == VIEWS
        for table, names in COLUMNS.items():
            assert {column["name"] for column in found.get_columns(table)} >= set(names.split()), table
        for table in set(found.get_table_names()) - {"alembic_version", "store_setting"}:
            assert found.get_pk_constraint(table)["constrained_columns"][0] == "tenant_id", table
            for key in found.get_foreign_keys(table):
                assert key["constrained_columns"][0] == "tenant_id", key
            for key in found.get_unique_constraints(table):
                assert key["column_names"][0] == "tenant_id", key


def test_the_tables_and_the_migrations_agree(empty_url: str) -> None:
    """What the code believes is what the migrations make, types and indexes included."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    memory_of(empty_url).close()
    with raw(empty_url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": same_type})
        assert compare_metadata(context, metadata) == []


def same_type(context: Any, inspected: Any, declared: Any, reflected: Any, type_: Any) -> bool:
    """Whether types differ, as the database writes them; ours compile differently for each."""
    wanted, found = (item.compile(dialect=context.dialect).upper().split(" COLLATE")[0] for item in (type_, reflected))
    alike = {"BOOLEAN": "BOOL", "TINYINT(1)": "BOOL", "INTEGER": "INT", "INTEGER(11)": "INT", "BIGINT(20)": "BIGINT"}
    # MariaDB makes the smallest kind of BLOB that a length fits.
    alike |= {f"BLOB({length})": "TINYBLOB" for length in (16, 32, 128)}
    wanted, found = (alike.get(item, item).replace(" CHARACTER SET UTF8MB4", "") for item in (wanted, found))
    return wanted != found


def test_head_is_alembics_own_word_and_migrations_go_down(empty_url: str) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    database = open_database(empty_url, busy_seconds=5)
    try:
        migrate.ensure(database)
        with database.writing() as connection:
            config = migrate.configuration(connection)
            assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD
            assert migrate.HEAD in migrate.known_revisions()
            command.downgrade(config, "base")
        with raw(empty_url) as connection:
            assert inspect(connection).get_table_names() == ["alembic_version"]
        with pytest.raises(SchemaMismatch, match="interrupted"):
            migrate.ensure(database)
        with raw(empty_url) as connection:
            connection.execute(text("DROP TABLE alembic_version"))
        migrate.ensure(database)
    finally:
        database.close()


def test_a_newer_schema_is_refused_and_left_alone(empty_url: str) -> None:
    with memory_of(empty_url) as memory:
        memory.reader(user="ana").observe("likes: tea")
    with raw(empty_url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaMismatch, match="newer than this library"):
        memory_of(empty_url)
    with raw(empty_url) as connection:
        assert connection.scalar(text("SELECT count(*) FROM event")) == 1
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{migrate.HEAD}'"))
    with memory_of(empty_url) as memory:
        assert memory.reader(user="ana").search("tea")


@pytest.mark.parametrize("alembic", [False, True], ids=["plain", "with alembic"])
def test_another_applications_database_is_refused_and_left_alone(empty_url: str, alembic: bool) -> None:
    with raw(empty_url) as connection:
        connection.execute(text("CREATE TABLE invoice (id INTEGER PRIMARY KEY)"))
        if alembic:
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
            connection.execute(text("INSERT INTO alembic_version VALUES ('ae1027a6acf')"))
    with pytest.raises(NotADatabase, match="not Muniment's"):
        memory_of(empty_url)
    with raw(empty_url) as connection:
        assert set(inspect(connection).get_table_names()) == {"invoice"} | ({"alembic_version"} if alembic else set())


def test_a_schema_that_was_half_made_is_refused(empty_url: str) -> None:
    with raw(empty_url) as connection:
        connection.execute(text("CREATE TABLE event (id INTEGER PRIMARY KEY)"))
    with pytest.raises(SchemaMismatch, match="interrupted"):
        memory_of(empty_url)


def test_keys_sort_and_compare_by_bytes(store_url: str) -> None:
    with memory_of(store_url) as memory:
        for key in LOOK_ALIKE:
            memory.reader(user=key).observe("hello there")
    users = event.c.user_id
    with raw(store_url) as connection:
        found = list(connection.scalars(select(users).order_by(users)))
        assert found == sorted(LOOK_ALIKE, key=lambda key: key.encode())
        for key in LOOK_ALIKE:
            assert list(connection.scalars(select(users).where(users == key))) == [key]
        assert len(set(connection.scalars(select(users).distinct()))) == len(LOOK_ALIKE)


def test_the_views_say_what_their_roles_may_see(store_url: str) -> None:
    clock = SteppingClock(instant(1))
    with memory_of(store_url, clock=clock) as memory:
        me = memory.reader(user="ana")
        me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1, month=1))
        me.add_fact("lives in Rome", predicate="residence", value="Rome", valid_from=instant(1, month=2))
        held = me.add_fact("likes tea", predicate="likes", value="tea", valid_from=instant(1, month=1)).facts[0]
        gone = me.add_fact("likes gin", predicate="likes", value="gin", valid_from=instant(1, month=1)).facts[0]
        me.forget(fact=gone, reason="private")
    with raw(store_url) as connection:
        active = connection.execute(text("SELECT object_value, expires_at FROM active_memory")).all()
        # The view reads the database's own clock, which may be past the facts' lifetime in a test of fixed dates.
        assert {row.object_value for row in active} in ({"Rome", "tea"}, set())
        audited = connection.execute(text("SELECT * FROM audit_memory WHERE object_value = 'gin'")).mappings().all()
        assert len(audited) == 2
        assert all(row["hidden_at"] and row["actor"] == "user:ana" for row in audited)
        (stone,) = connection.execute(text("SELECT * FROM compliance_memory")).mappings().all()
        assert (stone["reason"], stone["mode"], stone["forgotten_by"]) == ("private", "hide", "user:ana")
        assert "gin" not in str(dict(stone))
    assert held


def test_active_memory_follows_the_databases_clock(store_url: str) -> None:
    """On the real clock: what is over, what is to come, what is hidden and what is retracted are not in it."""
    with memory_of(store_url) as memory:
        me = memory.reader(user="ana")
        now = memory.parts.clock()
        for name, start, end in (
            ("is", -2, None), ("was", -2, -1), ("will be", 1, None), ("is bounded", -2, 2),
        ):  # fmt: skip
            day = timedelta(days=1)
            until = None if end is None else now + end * day
            me.add_fact(name, predicate=name, value=name, valid_from=now + start * day, valid_until=until)
        me.invalidate(me.add_fact("taken back", predicate="x", value="taken back").facts[0])
        assert {fact.value for fact in me.facts()} == {"is", "is bounded"}
    with raw(store_url) as connection:
        assert set(connection.scalars(text("SELECT object_value FROM active_memory"))) == {"is", "is bounded"}


def test_versions_are_only_ever_added(store_url: str) -> None:
    """Of what is written of a version nothing changes but `retracted_at`, once, and `hidden_at`."""
    clock = SteppingClock(instant(1))
    with memory_of(store_url, clock=clock) as memory:
        me = memory.reader(user="ana", session="s")
        before: dict[Any, dict[str, Any]] = {}
        paris = me.observe("residence: Paris\nlikes: tea").facts
        rome = me.add_fact("lives in Rome", predicate="residence", value="Rome", valid_from=instant(5)).facts[0]
        steps = (
            lambda: me.observe("likes: tea", source_system="crm"),
            lambda: me.add_fact("in Oslo", predicate="residence", value="Oslo", valid_from=instant(5), trust=10),
            lambda: me.correct(rome, value="Roma", valid_from=instant(6), valid_until=instant(7)),
            lambda: me.change(rome, value="Bari", at=instant(9)),
            lambda: me.add_fact("in Nice", predicate="residence", value="Nice", valid_from=instant(3), valid_until=instant(4)),
            lambda: me.change(paris[1], value="coffee", at=instant(3)),
            lambda: me.correct(paris[1], value="chai"),
            lambda: me.invalidate(rome),
            lambda: me.forget(fact=paris[0]),
        )  # fmt: skip
        for step in steps:
            clock.move(hours=1)
            step()
            before = same_but_ended(before, versions(store_url))
    assert len(before) > 15


def versions(url: str) -> dict[Any, dict[str, Any]]:
    with raw(url) as connection:
        rows = connection.execute(select(fact_revision)).mappings().all()
    return {(row["fact_id"], row["revision"], row["segment"]): dict(row) for row in rows}


def same_but_ended(before: dict[Any, dict[str, Any]], after: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Checks the rows of two moments against each other; returns the later ones."""
    for key, row in before.items():
        assert key in after
        changed = {name for name, value in row.items() if after[key][name] != value}
        assert changed <= {"retracted_at", "hidden_at"}, (key, changed)
        for name in changed:
            assert row[name] is None, (key, name)
            assert after[key][name] >= row["recorded_at"]
    return after
