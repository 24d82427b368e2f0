"""Brings a database's schema to this library's version, or says why not.

Belongs here: the check on opening and the call of Alembic. Does not belong here: the migrations (`migrations/versions`).
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from muniment.domain.errors import NotADatabase, SchemaMismatch
from muniment.store.dialects.base import Database
from muniment.store.tables import metadata
from muniment.store.tables.keeping import store_setting

HEAD = "0003"
"""The newest migration; a test compares it with Alembic's own word."""

VERSION_TABLE = "alembic_version"

ONE_AT_A_TIME = threading.Lock()
"""Alembic keeps the migration under way in module globals: one thread of a process at a time."""

LOCATION = Path(__file__).parent / "migrations"


def ensure(database: Database) -> None:
    """Makes the schema in an empty database and upgrades an older one.

    Raises `SchemaMismatch` for one written by a newer library, `NotADatabase` for one that holds other tables.
    """
    with database.reading() as connection:
        if _revision(connection) == HEAD:
            return
    upgrade(database)


def _check(connection: Connection, found: str | None) -> None:
    """Refuses what this library must not touch. Asked under the schema's lock: a half-made schema is then nobody's work."""
    present = set(inspect(connection).get_table_names())
    others = "the database holds tables that are not Muniment's; name an empty one"
    if found is None and present:
        if present <= {VERSION_TABLE, *metadata.tables}:
            raise SchemaMismatch("making this database's schema was interrupted; drop its tables and open it again")
        raise NotADatabase(others)
    if found is not None and found not in known_revisions():
        if store_setting.name not in present:
            raise NotADatabase(others)
        raise SchemaMismatch(
            f"the database's schema is {found}, newer than this library's {HEAD}; upgrade muniment "
            "(pip install -U muniment) or open another database"
        )


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def known_revisions() -> set[str]:
    """Every migration this library has."""
    return {path.name.split("_")[0] for path in (LOCATION / "versions").glob("[0-9]*.py")}


def configuration(connection: Connection) -> Any:
    """Alembic's configuration over an open connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(LOCATION))
    config.attributes["connection"] = connection
    return config


def upgrade(database: Database) -> None:
    """Runs the migrations that are missing, in one transaction where the database allows it. Raises as `ensure` does."""
    from alembic import command

    with ONE_AT_A_TIME, database.writing() as connection, database.schema_lock(connection):
        # Another process may have been quicker while this one waited for the lock.
        found = _revision(connection)
        if found != HEAD:
            _check(connection, found)
            command.upgrade(configuration(connection), "head")
            database.schema_made(connection)
