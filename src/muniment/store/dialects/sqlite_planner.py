"""What SQLite's planner is told about the tables.

Without statistics it takes any equality on the first column of an index to leave about ten rows, and so reads all of a
tenant's or a user's rows where it should look up thirty ids. Statistics gathered from the data would depend on when they
were, and keep values in some builds; these are written down once, when the schema is made, and hold for every size.
(https://www.sqlite.org/optoverview.html#manual_control_of_query_plans_using_sqlite_stat_tables)

Belongs here: how many rows share a value, column by column. Does not belong here: indexes (store/tables).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from muniment.store.tables import metadata

ROWS: Final = 1_000_000
SHARED: Final = {
    # whose it is
    "tenant_id": ROWS,
    "user_id": 10_000,
    "owner_id": 10_000,
    "target": 10_000,
    "partition_id": 10_000,
    "department_id": 10_000,
    "session_id": 50,
    "lane_key": 50,
    # which it is
    "event_id": 2,
    "evidence_id": 2,
    "candidate_id": 2,
    "fact_id": 4,
    "slot_id": 4,
    "ref": 4,
    "supersedes_id": 2,
    "value": 4,
    "idempotency_key": 2,
    # in what order; what is asked for is then a range or a few
    "touched": 50,
    "seq": 1,
    "revision": 2,
    "segment": 1,
    "ordinal": 1,
    "recorded_at": 1,
    # asked for in the state that few rows are in
    "state": 100,
    "ready_at": 50,
}
"""How many rows of a large table share one value of a column, in order of magnitude."""
OTHERWISE: Final = 100_000
"""Kinds, types, states: a handful of values over the whole table."""


def inform(connection: Connection) -> None:
    """Writes the statistics of every index, inside the transaction that made the schema."""
    connection.exec_driver_sql("ANALYZE sqlite_schema")  # makes the table that holds them, if it is not there
    connection.exec_driver_sql("DELETE FROM sqlite_stat1")
    for table in metadata.sorted_tables:
        for row in connection.exec_driver_sql(f"PRAGMA index_list('{table.name}')").all():
            columns = [item[2] for item in connection.exec_driver_sql(f"PRAGMA index_info('{row[1]}')").all()]
            figures = statistics(columns, unique=bool(row[2]))
            connection.exec_driver_sql("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", (table.name, row[1], figures))
    connection.exec_driver_sql("ANALYZE sqlite_schema")  # has this connection read them


def statistics(columns: Sequence[str], *, unique: bool) -> str:
    """An index's line: all rows, then how many share its first column, its first two, and so on."""
    figures, shared = [ROWS], ROWS
    for column in columns:
        shared = min(shared, SHARED.get(column, OTHERWISE))
        figures.append(shared)
    if unique:
        figures[-1] = 1
    return " ".join(map(str, figures))
