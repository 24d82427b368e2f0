"""Sealed content: plain, or AES-256-GCM under a key of the partition it belongs to.

An envelope names its key, so that a row says itself how it is to be opened, and a store may hold both kinds. Keys are made
per partition, wrapped by a master key kept outside the database (`MUNIMENT_MASTER_KEY`); destroying the wrapped key makes
every copy of that content unreadable. Costs about 2 µs a row.

Belongs here: the envelope and the keys. Does not belong here: which columns are sealed (`types.Sealed`, `SealedBytes`).
"""

from __future__ import annotations

import base64
import os
import threading
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Connection, Row, insert, select, update

from muniment.domain.errors import Erased, MissingExtra, PolicyError, StoreError
from muniment.domain.scope import PartitionKey
from muniment.store.tables.keeping import subject_key

SEALED_TEXT, PLAIN_TEXT = "enc1:", "txt1:"
SEALED_BYTES, PLAIN_BYTES = b"MSE1", b"MSP1"
NONCE, KEY = 12, 32
DESTROYED = "DESTROYED"
"""The kind of a key that is no partition's any more; its target is its own id."""
NO_KEY = "this store holds sealed content; set MUNIMENT_MASTER_KEY to the key it was written with"


def _wrapped_key(connection: Connection) -> Row[*tuple[Any, ...]] | None:
    """Any data key of the store, or None where nothing is sealed."""
    columns = subject_key.c
    query = select(columns.tenant_id, columns.key_id, columns.wrapped).where(columns.wrapped.is_not(None))
    return connection.execute(query.limit(1)).first()


class Sealer(Protocol):
    """Seals content of a partition and opens it again. `check` runs when the store is opened, `prepare` inside each write,
    before anything is sealed."""

    def check(self, connection: Connection) -> None: ...
    def prepare(self, connection: Connection, keys: list[PartitionKey], *, new_id: Any, now: datetime) -> None: ...
    def retire(self, connection: Connection, key: PartitionKey, *, now: datetime) -> bool: ...
    def forget_retired(self) -> None: ...
    def seal(self, key: PartitionKey, text: str) -> str: ...
    def open(self, connection: Connection, tenant: str, text: str) -> str: ...
    def seal_bytes(self, key: PartitionKey, raw: bytes) -> bytes: ...
    def open_bytes(self, connection: Connection, tenant: str, raw: bytes) -> bytes: ...


class PlainSealer:
    """Keeps content as it is; only text that looks like an envelope is escaped. Refuses a store that holds sealed content:
    what it wrote there would lie open beside it."""

    def check(self, connection: Connection) -> None:
        """Raises `StoreError` for a store that seals its content."""
        if _wrapped_key(connection) is not None:
            raise StoreError(NO_KEY)

    def prepare(self, connection: Connection, keys: list[PartitionKey], *, new_id: Any, now: datetime) -> None:
        """Nothing to prepare."""

    def retire(self, connection: Connection, key: PartitionKey, *, now: datetime) -> bool:
        """False: nothing was sealed."""
        return False

    def forget_retired(self) -> None:
        """Nothing to forget."""

    def seal(self, key: PartitionKey, text: str) -> str:
        """The text, escaped where it begins like an envelope."""
        return PLAIN_TEXT + text if text.startswith((SEALED_TEXT, PLAIN_TEXT)) else text

    def open(self, connection: Connection, tenant: str, text: str) -> str:
        """The text. Raises `StoreError` for content sealed under a key this process does not have."""
        if text.startswith(SEALED_TEXT):
            raise StoreError(NO_KEY)
        return text.removeprefix(PLAIN_TEXT)

    def seal_bytes(self, key: PartitionKey, raw: bytes) -> bytes:
        """The bytes, escaped where they begin like an envelope."""
        return PLAIN_BYTES + raw if raw.startswith((SEALED_BYTES, PLAIN_BYTES)) else raw

    def open_bytes(self, connection: Connection, tenant: str, raw: bytes) -> bytes:
        """The bytes. Raises as `open` does."""
        if raw.startswith(SEALED_BYTES):
            raise StoreError(NO_KEY)
        return raw.removeprefix(PLAIN_BYTES)


class AesSealer(PlainSealer):
    """AES-256-GCM with one data key per partition. The associated data is the tenant and key id, so that content moved
    to another tenant's row does not open."""

    def __init__(self, master_key: str) -> None:
        """`master_key` is base64 of 32 bytes. Raises `PolicyError` for anything else, `MissingExtra` without the library."""
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise MissingExtra("sealing needs the cryptography package: pip install 'muniment[seal]'") from error
        try:
            raw = base64.b64decode(master_key, validate=True)
        except ValueError:
            raw = b""
        if len(raw) != KEY:
            raise PolicyError("MUNIMENT_MASTER_KEY must be base64 of 32 bytes, e.g. `openssl rand -base64 32`")
        self._cipher = AESGCM
        self._master = AESGCM(raw)
        self._by_partition: dict[PartitionKey, tuple[UUID, Any]] = {}
        self._by_id: dict[tuple[str, UUID], Any] = {}
        self._retired: set[tuple[str, UUID]] = set()
        self._lock = threading.Lock()

    def check(self, connection: Connection) -> None:
        """Raises `StoreError` for a store whose content was sealed under another master key."""
        row = _wrapped_key(connection)
        if row is not None:
            self._unwrap(row.tenant_id, row.key_id, row.wrapped)

    def prepare(self, connection: Connection, keys: list[PartitionKey], *, new_id: Any, now: datetime) -> None:
        """Loads each partition's data key, or makes one; the caller holds the partitions' locks."""
        for key in keys:
            row = connection.execute(
                select(subject_key.c.key_id, subject_key.c.wrapped).where(
                    subject_key.c.tenant_id == key.tenant,
                    subject_key.c.kind == key.kind,
                    subject_key.c.target == key.target,
                )
            ).first()
            if row is None:
                key_id, data = new_id(), os.urandom(KEY)
                nonce = os.urandom(NONCE)
                wrapped = nonce + self._master.encrypt(nonce, data, self._bound(key.tenant, key_id))
                connection.execute(
                    insert(subject_key).values(
                        tenant_id=key.tenant,
                        key_id=key_id,
                        kind=key.kind,
                        target=key.target,
                        wrapped=wrapped,
                        created_at=now,
                    )
                )
                cipher = self._cipher(data)
            elif row.wrapped is None:
                raise Erased(f"the key of {key.kind.lower()} {key.target!r} was destroyed; its content is gone")
            else:
                key_id, cipher = row.key_id, self._unwrap(key.tenant, row.key_id, row.wrapped)
            with self._lock:
                self._by_partition[key] = (key_id, cipher)
                self._by_id[key.tenant, key_id] = cipher

    def retire(self, connection: Connection, key: PartitionKey, *, now: datetime) -> bool:
        """Destroys a partition's data key; False where it has none. What follows is sealed under a new one. This process
        opens content of the old one until `forget_retired`: the transaction may have to read what it erases."""
        columns = subject_key.c
        here = (columns.tenant_id == key.tenant, columns.kind == key.kind, columns.target == key.target)
        row = connection.execute(select(columns.key_id, columns.wrapped).where(*here)).first()
        if row is None or row.wrapped is None:
            return False
        with self._lock:
            self._by_id.setdefault((key.tenant, row.key_id), self._unwrap(key.tenant, row.key_id, row.wrapped))
            self._retired.add((key.tenant, row.key_id))
            self._by_partition.pop(key, None)
        connection.execute(
            update(subject_key)
            .where(*here)
            .values(kind=DESTROYED, target=str(row.key_id), wrapped=None, destroyed_at=now)
        )
        return True

    def forget_retired(self) -> None:
        """Drops retired keys from memory. One whose destruction was rolled back is read again when it is needed."""
        with self._lock:
            for name in self._retired:
                self._by_id.pop(name, None)
            self._retired.clear()

    def _unwrap(self, tenant: str, key_id: UUID, wrapped: bytes) -> Any:
        from cryptography.exceptions import InvalidTag

        try:
            data = self._master.decrypt(bytes(wrapped[:NONCE]), bytes(wrapped[NONCE:]), self._bound(tenant, key_id))
        except InvalidTag:
            raise StoreError("MUNIMENT_MASTER_KEY is not the key this store's content was sealed with") from None
        return self._cipher(data)

    @staticmethod
    def _bound(tenant: str, key_id: UUID) -> bytes:
        return tenant.encode() + b"\x00" + key_id.bytes

    def _cipher_of(self, connection: Connection, tenant: str, key_id: UUID) -> Any:
        found = self._by_id.get((tenant, key_id))
        if found is None:
            wrapped = connection.scalar(
                select(subject_key.c.wrapped).where(subject_key.c.tenant_id == tenant, subject_key.c.key_id == key_id)
            )
            if wrapped is None:
                raise Erased("the key of this content was destroyed; its content is gone")
            found = self._unwrap(tenant, key_id, wrapped)
            with self._lock:
                self._by_id[tenant, key_id] = found
        return found

    def seal_bytes(self, key: PartitionKey, raw: bytes) -> bytes:
        """An envelope of magic, key id, nonce and ciphertext."""
        key_id, cipher = self._by_partition[key]
        nonce = os.urandom(NONCE)
        return SEALED_BYTES + key_id.bytes + nonce + bytes(cipher.encrypt(nonce, raw, self._bound(key.tenant, key_id)))

    def open_bytes(self, connection: Connection, tenant: str, raw: bytes) -> bytes:
        """The content of an envelope, or plain bytes as they are. Raises `StoreError` where it was tampered with."""
        if not raw.startswith(SEALED_BYTES):
            return raw.removeprefix(PLAIN_BYTES)
        from cryptography.exceptions import InvalidTag

        start = len(SEALED_BYTES)
        key_id = UUID(bytes=raw[start : start + 16])
        nonce, sealed = raw[start + 16 : start + 16 + NONCE], raw[start + 16 + NONCE :]
        try:
            return bytes(
                self._cipher_of(connection, tenant, key_id).decrypt(nonce, sealed, self._bound(tenant, key_id))
            )
        except InvalidTag:
            raise StoreError(
                "sealed content does not open: it was changed, or moved from another tenant's row"
            ) from None

    def seal(self, key: PartitionKey, text: str) -> str:
        """The text in an envelope, as base64."""
        return SEALED_TEXT + base64.b64encode(self.seal_bytes(key, text.encode())).decode()

    def open(self, connection: Connection, tenant: str, text: str) -> str:
        """The text of an envelope, or plain text as it is."""
        if not text.startswith(SEALED_TEXT):
            return text.removeprefix(PLAIN_TEXT)
        return self.open_bytes(connection, tenant, base64.b64decode(text.removeprefix(SEALED_TEXT))).decode()
