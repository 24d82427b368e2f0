"""The throw-away servers: each test has a database of its own, and nothing of a run is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from muniment.testing.processes import alive
from muniment.testing.services import Server, SharedServers

KINDS = ("postgresql", "mysql")


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest) -> Server:
    found = request.getfixturevalue({"postgresql": "postgres", "mysql": "mariadb"}[request.param])
    assert isinstance(found, Server)
    return found


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    from sqlalchemy import create_engine, make_url, text
    from sqlalchemy.pool import NullPool

    parsed = make_url(url)
    driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}[parsed.drivername]
    engine = create_engine(parsed.set(drivername=driver), poolclass=NullPool)
    with engine.begin() as connection:
        result = connection.execute(text(statement))
        return [tuple(row) for row in result] if result.returns_rows else []


def test_databases_of_two_tests_are_apart(server: Server) -> None:
    with server.database() as one, server.database() as other:
        assert one != other
        ask(one, "CREATE TABLE only_here (a INTEGER)")
        tables = "SELECT table_name FROM information_schema.tables WHERE table_name = 'only_here'"
        scope = " AND table_schema = DATABASE()" if server.kind == "mysql" else ""
        assert len(ask(one, tables + scope)) == 1
        assert ask(other, tables + scope) == []


def test_text_is_compared_byte_for_byte(server: Server) -> None:
    with server.database() as url:
        ask(url, "CREATE TABLE words (w VARCHAR(50) PRIMARY KEY)")
        for word in ("acme", "ACME", "acmé", "acme ", "😀", "😁"):
            ask(url, f"INSERT INTO words VALUES ('{word}')")
        assert ask(url, "SELECT COUNT(*) FROM words") == [(6,)]
        assert ask(url, "SELECT w FROM words ORDER BY w")[0] == ("ACME",)


def test_a_database_is_gone_after_its_test_though_someone_is_connected(server: Server) -> None:
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.exc import DBAPIError

    with server.database() as url:
        driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}[server.kind]
        engine = create_engine(make_url(url).set(drivername=driver))
        held = engine.connect()
    held.invalidate()
    engine.dispose()
    with pytest.raises(DBAPIError):
        ask(url, "SELECT 1")


def test_the_run_has_one_server_of_each_kind(servers: SharedServers, server: Server) -> None:
    assert servers.get(server.kind) == server


@pytest.mark.parametrize("kind", [*KINDS, "redis"])
def test_a_server_ends_with_its_owner_however_that_ends(kind: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(
        {"postgresql": "postgres", "mysql": "mariadb", "redis": "valkey"}[kind]
    )  # skips where it is not installed
    program = (
        "import time; from muniment.testing.services import STARTERS; "
        f"server = STARTERS[{kind!r}](None); print(server.pid, server.folder, flush=True); time.sleep(120)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        assert alive(int(pid))
        os.kill(owner.pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while (alive(int(pid)) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(int(pid))
    assert not Path(folder).exists()
