"""What differs between databases, one module each; the only place that names them.

Belongs here: engines, locking, error translation. Does not belong here: statements that read alike everywhere.
"""

from __future__ import annotations

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from muniment.domain.errors import InvalidInput
from muniment.store.dialects.base import Database


def open_database(url: str, *, busy_seconds: float, create: bool = True) -> Database:
    """The database behind a URL: sqlite:///path, :memory:, a bare path, postgresql://…, mysql://….

    `create` false: a file that is not there is not made. Raises `InvalidInput` for it, for a URL that does not
    read or names another database, `MissingExtra` where the driver is missing.
    """
    if "\x00" in url:
        raise InvalidInput("a database URL holds no NUL")
    if url in (":memory:", "sqlite://", "sqlite:///:memory:"):
        from muniment.store.dialects.sqlite import SqliteDatabase

        return SqliteDatabase(None, busy_seconds=busy_seconds)
    try:
        parsed = make_url(url if "://" in url else f"sqlite:///{url}")
    except ArgumentError as error:
        raise InvalidInput(f"{url!r} is not a database URL such as sqlite:///muniment.db") from error
    name = parsed.get_backend_name()
    if name == "sqlite":
        from muniment.store.dialects.sqlite import SqliteDatabase

        return SqliteDatabase(parsed.database, busy_seconds=busy_seconds, create=create)
    if name == "postgresql":
        from muniment.store.dialects.postgresql import PostgresqlDatabase

        return PostgresqlDatabase(parsed, busy_seconds=busy_seconds)
    if name in ("mysql", "mariadb"):
        from muniment.store.dialects.mysql import MysqlDatabase

        return MysqlDatabase(parsed, busy_seconds=busy_seconds)
    shown = parsed.render_as_string(hide_password=True)
    raise InvalidInput(f"{shown}: known are sqlite:///path, postgresql://…, mysql://…")
