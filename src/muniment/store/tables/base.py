"""What all tables share: the metadata, its naming, and the groups of columns that repeat.

Belongs here: column builders. Does not belong here: any table.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, MetaData

from muniment.store.types import Key

# MySQL limits an index to 3072 bytes (768 utf8mb4 characters), which sets these lengths.
SCOPE_LENGTH = 128
NAME_LENGTH = 256

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# InnoDB rows carry many wide key columns; DYNAMIC keeps long ones off the page.
TABLE_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_row_format": "DYNAMIC",
    "mysql_default_charset": "utf8mb4",
}


def tenant() -> Column[str]:
    """`tenant_id`, first in every primary key."""
    return Column("tenant_id", Key(SCOPE_LENGTH), primary_key=True, nullable=False)


def placement_columns() -> list[Column[str]]:
    """The scope of a record and the ids it speaks of."""
    return [
        Column("scope", Key(16), nullable=False),
        Column("user_id", Key(SCOPE_LENGTH)),
        Column("department_id", Key(SCOPE_LENGTH)),
        Column("agent_id", Key(SCOPE_LENGTH)),
        Column("session_id", Key(SCOPE_LENGTH)),
        Column("task_id", Key(SCOPE_LENGTH)),
    ]
