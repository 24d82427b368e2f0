"""The built-in stores keep the contract that adapters are held to."""

from __future__ import annotations

from muniment.testing.contract import StoreContract
from muniment.testing.contract_concurrency import ConcurrencyContract


class TestSqlStores(StoreContract):
    """On SQLite, PostgreSQL and MariaDB, by the `store_url` fixture."""


class TestSqlStoresAtOnce(ConcurrencyContract):
    """The same with several writers."""

    def test_a_store_opened_by_several_at_once_is_made_once(self, empty_url: str) -> None:
        super().test_a_store_opened_by_several_at_once_is_made_once(empty_url)
