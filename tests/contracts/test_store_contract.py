"""The built-in stores keep the contract that adapters are held to."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("muniment.testing.contract", "muniment.testing.contract_concurrency")

from muniment.testing.contract import StoreContract  # noqa: E402


class TestSqlStores(StoreContract):
    """On SQLite, PostgreSQL and MariaDB, by the `store_url` fixture."""
