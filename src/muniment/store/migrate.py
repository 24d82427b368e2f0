"""Brings a database's schema to this library's version, or says why not.

Belongs here: the check on opening and the call of Alembic. Does not belong here: the migrations (`migrations/versions`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from muniment.domain.errors import NotADatabase, SchemaMismatch
from muniment.store.dialects.base import Database

HEAD = "0001"
"""The newest migration; a test compares it with Alembic's own word."""

LOCATION = Path(__file__).parent / "migrations"


def ensure(database: Database) -> None:
    """Makes the schema in an empty database and upgrades an older one.

    Raises `SchemaMismatch` for one written by a newer library, `NotADatabase` for one that holds other tables.
    """
    with database.reading() as connection:
        found = _revision(connection)
        if found == HEAD:
            return
        if found is None and _holds_other_tables(connection):
            raise NotADatabase("the database holds tables that are not Muniment's; name an empty one")
        if found is not None and found not in known_revisions():
            raise SchemaMismatch(
                f"the database's schema is {found}, newer than this library's {HEAD}; upgrade muniment "
                "(pip install -U muniment) or open another database"
            )
    upgrade(database)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _holds_other_tables(connection: Connection) -> bool:
    return bool(inspect(connection).get_table_names())


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
    """Runs the migrations that are missing, in one transaction where the database allows it."""
    from alembic import command

    with database.writing() as connection:
        # Another process may have been quicker while this one waited for the lock.
        if _revision(connection) != HEAD:
            command.upgrade(configuration(connection), "head")
