"""Column types that behave alike on every database.

Belongs here: ids, instants, keys and sealed content as columns. Does not belong here: which table has them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, Dialect, LargeBinary, String, Text, TypeDecorator
from sqlalchemy import Uuid as NativeUuid
from sqlalchemy.dialects.mysql import BINARY, DATETIME
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine


class Id(TypeDecorator[UUID]):
    """A UUID: the native type on PostgreSQL, 16 bytes elsewhere (which sort in time order, as UUIDv7 is meant to)."""

    impl = LargeBinary(16)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """UUID where the database has one, BINARY(16) on MySQL, BLOB on SQLite."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(NativeUuid(as_uuid=True))
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(BINARY(16))
        return dialect.type_descriptor(LargeBinary(16))

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> Any:
        """A UUID as the driver wants it."""
        if value is None or dialect.name == "postgresql":
            return value
        return value.bytes

    def process_result_value(self, value: Any, dialect: Dialect) -> UUID | None:
        """A UUID from what the driver gave."""
        if value is None or isinstance(value, UUID):
            return value
        return UUID(bytes=bytes(value))


class IdBytes(Id):
    """An `Id` column read as its 16 bytes, for those who read many."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The 16 bytes of what the driver gave."""
        return value.bytes if isinstance(value, UUID) else value


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant of microsecond precision. Text of fixed width on SQLite, so that it reads and sorts."""

    impl = String(27)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """TIMESTAMPTZ on PostgreSQL, DATETIME(6) on MySQL, TEXT on SQLite."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(DateTime(timezone=True))
        if dialect.name in ("mysql", "mariadb"):
            return dialect.type_descriptor(DATETIME(fsp=6))
        return dialect.type_descriptor(String(27))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """The instant in UTC; a naive one is a fault of ours and raises."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime reached the store")
        value = value.astimezone(UTC)
        if dialect.name == "postgresql":
            return value
        value = value.replace(tzinfo=None)
        return value if dialect.name in ("mysql", "mariadb") else value.isoformat(timespec="microseconds") + "Z"

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """An aware UTC datetime."""
        if value is None:
            return None
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        at: datetime = value
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


class Key(String):
    """Text compared byte for byte: keys, enumerations, canonical names."""

    inherit_cache = True


@compiles(Key, "postgresql")
def _key_postgresql(element: Key, compiler: Any, **kw: Any) -> str:
    return f'VARCHAR({element.length}) COLLATE "C"'


@compiles(Key, "mysql", "mariadb")
def _key_mysql(element: Key, compiler: Any, **kw: Any) -> str:
    # The usual collations merge 'acme', 'ACME' and 'acmé', and pad trailing spaces; these two compare bytes.
    collation = "utf8mb4_nopad_bin" if compiler.dialect.is_mariadb else "utf8mb4_0900_bin"
    return f"VARCHAR({element.length}) CHARACTER SET utf8mb4 COLLATE {collation}"


class Sealed(Text):
    """Content: text that is plain, or AES-256-GCM under its owner's key (see `sealing`)."""

    inherit_cache = True


@compiles(Sealed, "mysql", "mariadb")
def _sealed_mysql(element: Sealed, compiler: Any, **kw: Any) -> str:
    return "LONGTEXT CHARACTER SET utf8mb4"


class SealedBytes(LargeBinary):
    """Derived content (tokens, vectors, segments): bytes that are plain or sealed the same way."""

    inherit_cache = True


@compiles(SealedBytes, "mysql", "mariadb")
def _sealed_bytes_mysql(element: SealedBytes, compiler: Any, **kw: Any) -> str:
    return "LONGBLOB"


Micros = BigInteger
"""Microseconds since the epoch: how derived index rows keep instants, which only this code reads."""

__all__ = ["Id", "IdBytes", "Instant", "Key", "Micros", "Sealed", "SealedBytes"]
