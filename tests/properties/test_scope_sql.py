"""`visible_to` is one predicate: as a value, as SQL and as an array mask it admits the same records.

Keys are those of `test_scope`, chosen to break whatever compares prefixes, cases, patterns or code points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, delete, insert, select
from tests.properties.test_scope import placements, readers, some
from tests.unit.index_fakes import row

from muniment.domain.enums import Scope
from muniment.domain.scope import PartitionKey, Placement, Reader, partitions_of, visible_to
from muniment.index import batch, visibility
from muniment.index.batch import Names
from muniment.index.partition import Partition
from muniment.store.scoping import placement_of, placement_values, visible
from muniment.store.tables.shelves import identifier

INSTANT = datetime(2026, 1, 1, tzinfo=UTC)
records = st.lists(st.tuples(some, placements), min_size=1, max_size=12)
ordinary = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    """A database in memory with one table that is placed by scope."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        identifier.create(connection)
        yield connection
    engine.dispose()


def by_sql(connection: Connection, reader: Reader, placed: Sequence[tuple[str, Placement]]) -> set[int]:
    """Which of the records SQL admits."""
    connection.execute(delete(identifier))
    fixed: dict[str, Any] = {"kind": "code", "held": True, "ref_kind": "EVIDENCE"}
    rows = [
        {
            **fixed,
            "tenant_id": tenant,
            "identifier_id": UUID(int=number + 1),
            "ref": UUID(int=number + 1),
            "value": str(number),
            "recorded_at": INSTANT,
            **placement_values(placement),
        }
        for number, (tenant, placement) in enumerate(placed)
    ]
    connection.execute(insert(identifier), rows)
    found = connection.execute(select(identifier).where(visible(identifier.c, visible_to(reader)))).all()
    for item in found:
        # What SQL gave back is what was put in, to the byte.
        assert (item.tenant_id, placement_of(item)) == placed[int(item.value)]
    return {int(item.value) for item in found}


def by_mask(reader: Reader, placed: Sequence[tuple[str, Placement]]) -> set[int]:
    """Which of the records the index's mask admits, each tenant's in a partition of its own."""
    admitted: set[int] = set()
    for tenant in {tenant for tenant, _ in placed}:
        mine = [(number, placement) for number, (other, placement) in enumerate(placed) if other == tenant]
        rows = [
            row(
                number,
                "violin",
                scope=placement.scope.value,
                user=placement.user,
                department=placement.department,
                agent=placement.agent,
                session=placement.session,
                task=placement.task,
                vectors=b"",
            )
            for number, placement in mine
        ]
        partition = Partition(Names(), 0)
        partition = partition.extended(batch.from_rows(rows, partition.names, model="", dimension=0), 1)
        places = visibility.admitted_places(visible_to(reader), tenant, partition)
        for block in partition.blocks.values():
            columns: Any = block.columns
            admitted |= set(np.asarray(columns["seq"])[places[columns["place"]]].tolist())
    return admitted


@ordinary
@given(reader=readers, placed=records)
def test_python_sql_and_mask_agree(connection: Connection, reader: Reader, placed: list[tuple[str, Placement]]) -> None:
    admits = visible_to(reader)
    expected = {number for number, (tenant, placement) in enumerate(placed) if admits.admits(tenant, placement)}
    assert by_sql(connection, reader, placed) == expected
    assert by_mask(reader, placed) == expected


@ordinary
@given(reader=readers, placed=records)
def test_what_is_visible_lies_in_the_readers_partitions(reader: Reader, placed: list[tuple[str, Placement]]) -> None:
    """A reader reads only its partitions, so nothing it may see may lie elsewhere."""
    for tenant, placement in placed:
        if visible_to(reader).admits(tenant, placement):
            assert PartitionKey.of(tenant, placement) in partitions_of(reader)


@pytest.mark.parametrize("scope", list(Scope))
def test_agreement_is_not_for_want_of_matches(connection: Connection, scope: Scope) -> None:
    """For each scope one record that all three admit, and one, a key apart, that none does."""
    reader = Reader.of(tenant="t", user="ana", departments=["d"], agent="a", session="s", task="k")
    mine = Placement(scope=scope, user="ana", department="d", agent="a", session="s", task="k")
    other = {
        Scope.TENANT: None, Scope.DEPARTMENT: "department", Scope.USER: "user", Scope.AGENT: "agent",
        Scope.SESSION: "session", Scope.TASK: "task",
    }[scope]  # fmt: skip
    if other is None:
        foreign = ("T", mine)
    else:
        ids = {name: getattr(mine, name) for name in ("user", "department", "agent", "session", "task")}
        foreign = ("t", Placement(scope=scope, **{**ids, other: ids[other].upper()}))
    placed = [("t", mine), foreign]
    assert by_sql(connection, reader, placed) == by_mask(reader, placed) == {0}
