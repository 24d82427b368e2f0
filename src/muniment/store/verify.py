"""The search for canaries in everything a store keeps: every text and byte column of every table, and its files.

A canary is looked for as it is and in the spellings it can have in a row or file: UTF-8, UTF-16, escaped in JSON, and as the
hashes that index entries hold of its words.

Belongs here: that search, and its signature. Does not belong here: what a process holds in memory (service/verifying.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Table, select
from sqlalchemy.sql.sqltypes import LargeBinary, String

from muniment.domain.errors import Erased, StoreError
from muniment.store.dialects.base import Database
from muniment.store.keys import SlotKeys
from muniment.store.scan import found_in
from muniment.store.sealing import Sealer
from muniment.store.tables import metadata
from muniment.text.tokenizer import hash_tokens, tokenize

TOKEN = 4
"""Bytes of one token's hash."""


@dataclass(frozen=True, slots=True)
class Canary:
    """A canary in all its spellings."""

    text: str
    spellings: tuple[bytes, ...]
    hashes: bytes

    @classmethod
    def of(cls, text: str) -> Canary:
        """The spellings of a text."""
        escaped = (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        plain = [item.encode("utf-8", "surrogatepass") for item in dict.fromkeys((text, *escaped))]
        wide = [text.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")]
        return cls(text, tuple(plain + wide), hash_tokens(tokenize(text)))

    def within(self, raw: bytes) -> bool:
        """Whether some bytes hold it in any spelling."""
        return any(raw.find(spelling) >= 0 for spelling in self.spellings)

    def hashed_in(self, packed: bytes) -> bool:
        """Whether packed token hashes hold those of its words, one after the other."""
        at = packed.find(self.hashes) if self.hashes else -1
        while at >= 0 and at % TOKEN:
            at = packed.find(self.hashes, at + 1)
        return at >= 0


class VerifyStore:
    """Mixed into `SqlStore`."""

    database: Database
    _sealer: Sealer
    _keys: SlotKeys

    def verify(self, canaries: Sequence[str], *, at: datetime) -> Mapping[str, Any]:
        """Where the canaries are still found: {looked_at, not_reachable, found: [{canary, where}], at}."""
        sought = [Canary.of(text) for text in canaries]
        looked: list[str] = []
        missed: list[str] = []
        found: dict[tuple[str, str], None] = {}
        with self.database.reading() as connection:
            for table in metadata.sorted_tables:
                rows, closed, here = self._table(connection, table, sought)
                looked.append(f"table {table.name}: {rows} row(s)")
                found |= dict.fromkeys(here)
                if closed:
                    missed.append(f"table {table.name}: {closed} sealed value(s) whose key is destroyed")
        for path in self.database.files():
            size = path.stat().st_size if path.exists() else 0
            looked.append(f"file {path.name}: {size} byte(s)")
            places = found_in(path, [item.spellings for item in sought])
            found |= {(sought[place].text, f"file {path.name}"): None for place in places}
        missed += self.database.out_of_reach()
        return {
            "looked_at": looked,
            "not_reachable": missed,
            "found": [{"canary": text, "where": where} for text, where in found],
            "at": at.isoformat(),
        }

    def _table(
        self, connection: Connection, table: Table, sought: Sequence[Canary]
    ) -> tuple[int, int, list[tuple[str, str]]]:
        columns = [column for column in table.c if isinstance(column.type, (String, LargeBinary))]
        rows = closed = 0
        found: list[tuple[str, str]] = []
        for row in connection.execute(select(table)):
            rows += 1
            tenant = getattr(row, "tenant_id", "")
            for column in columns:
                try:
                    raw = self._opened(connection, tenant, getattr(row, column.name))
                except (Erased, StoreError):
                    closed += 1
                    continue
                tokens = column.name in ("tokens", "tail")
                for item in sought if raw else ():
                    if item.within(raw) or (tokens and item.hashed_in(raw)):
                        found.append((item.text, f"{table.name}.{column.name} ({_key(table, row)})"))
        return rows, closed, found

    def _opened(self, connection: Connection, tenant: str, value: Any) -> bytes:
        if isinstance(value, str):
            return self._sealer.open(connection, tenant, value).encode("utf-8", "surrogatepass")
        if isinstance(value, (bytes, memoryview)):
            return self._sealer.open_bytes(connection, tenant, bytes(value))
        return b""

    def signed(self, report: Mapping[str, Any]) -> str:
        """A report's signature under the store's own key."""
        return self._keys.digest(json.dumps(report, sort_keys=True, ensure_ascii=False))


def _key(table: Table, row: Any) -> str:
    """A row by its ids, which are no content."""
    named = [getattr(row, column.name) for column in table.primary_key if column.name != "tenant_id"]
    return " ".join(str(value) for value in named if isinstance(value, (UUID, int))) or "row"
