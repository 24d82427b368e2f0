"""What every test may use: Hypothesis profiles, databases on every backend, the evaluation data, a mark per tier."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import hypothesis
import pytest

from muniment.testing.processes import fast_folder
from muniment.testing.services import Server, ServiceMissing, SharedServers

# The contract's tests live in the package; this makes their assertions explain themselves too.
pytest.register_assert_rewrite(*(f"muniment.testing.contract{part}" for part in ("", "_base", "_fold", "_concurrency")))

TESTS = Path(__file__).resolve().parent
BACKENDS = ("sqlite", "postgresql", "mysql")
CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
# The folders of each tier are listed in scripts/test; unmarked folders are the fast tier.
MARKS = {
    "contracts": "contract",
    "congruence": "contract",
    "migration": "contract",
    "api": "edge",
    "mcp": "edge",
    "e2e": "edge",
    "security": "edge",
    "docs": "edge",
    "crash": "kill",
    "evaluation": "eval",
}

# Times on a shared machine say nothing: no deadline. CI tries the same examples every time; a developer does not.
_slow = [hypothesis.HealthCheck.too_slow]
hypothesis.settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=_slow)
hypothesis.settings.register_profile(
    "ci", deadline=None, max_examples=100, suppress_health_check=_slow, derandomize=True, database=None, print_blob=True
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=5_000, suppress_health_check=_slow)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if CI else "dev"))

SERVERS = pytest.StashKey[SharedServers]()


# -- the run --------------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    """The process that runs the run owns its servers; parallel workers only use them."""
    given = getattr(config, "workerinput", None)
    if given is None:
        config.stash[SERVERS] = SharedServers(Path(tempfile.mkdtemp(prefix="muniment-run-")), os.getpid())
    else:
        config.stash[SERVERS] = SharedServers(Path(given["servers"]), given["owner"])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tells a parallel worker (pytest-xdist) where the run's servers are."""
    servers = node.config.stash[SERVERS]  # type: ignore[attr-defined]
    node.workerinput.update(servers=str(servers.folder), owner=servers.owner)  # type: ignore[attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the servers, also after Ctrl-C."""
    servers = config.stash.get(SERVERS, None)
    if servers is not None and servers.owner == os.getpid():
        servers.stop()
        shutil.rmtree(servers.folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test with its tier, by its folder."""
    for item in items:
        if item.path.is_relative_to(TESTS):
            mark = MARKS.get(item.path.relative_to(TESTS).parts[0])
            if mark:
                item.add_marker(mark)


def missing(what: str) -> NoReturn:
    """A service that is not there skips the test on a developer's machine and fails it in CI."""
    if CI:
        pytest.fail(f"needed in CI: {what}", pytrace=False)
    pytest.skip(what)


# -- evaluation data --------------------------------------------------------------------


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The folder of evaluation sets (JSON lines): MUNIMENT_EVAL_DATA, else beside the repository. Skips where absent.

    The sets are not part of the repository: the licences of most do not allow it.
    """
    folder = Path(os.environ.get("MUNIMENT_EVAL_DATA") or TESTS.parent.parent / "shared" / "eval" / "dev")
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}; set MUNIMENT_EVAL_DATA")
    return folder


# -- databases --------------------------------------------------------------------


@pytest.fixture(scope="session")
def servers(pytestconfig: pytest.Config) -> SharedServers:
    """The run's database servers, each started when first asked for."""
    return pytestconfig.stash[SERVERS]


@pytest.fixture(scope="session")
def postgres(servers: SharedServers) -> Server:
    """The run's PostgreSQL server."""
    return _server(servers, "postgresql")


@pytest.fixture(scope="session")
def mariadb(servers: SharedServers) -> Server:
    """The run's MariaDB server."""
    return _server(servers, "mysql")


@pytest.fixture(scope="session")
def valkey(servers: SharedServers) -> Server:
    """The run's Valkey server, which speaks Redis's protocol."""
    return _server(servers, "redis")


@pytest.fixture
def redis_url(valkey: Server) -> str:
    """The URL of the run's Valkey server. Tests share it: each keeps to tenants of its own."""
    return valkey.url("0")


def _server(servers: SharedServers, kind: str) -> Server:
    try:
        return servers.get(kind)
    except ServiceMissing as error:
        missing(str(error))


@pytest.fixture
def sqlite_url() -> Iterator[str]:
    """A SQLite file of this test's own, in memory where the system can, not made yet."""
    folder = Path(tempfile.mkdtemp(prefix="muniment-t-", dir=fast_folder()))
    yield f"sqlite:///{folder / 'muniment.db'}"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(servers: SharedServers, postgres: Server) -> Iterator[str]:
    """A PostgreSQL database of this test's own, with the schema."""
    template = servers.once("postgresql-template", lambda: _postgres_template(postgres))
    with postgres.database(template) as url:
        yield url


@pytest.fixture
def mariadb_url(mariadb: Server) -> Iterator[str]:
    """A MariaDB database of this test's own, empty: it cannot copy one."""
    with mariadb.database() as url:
        yield url


@pytest.fixture(params=BACKENDS)
def store_url(request: pytest.FixtureRequest) -> str:
    """A database of this test's own, on each backend in turn. `-k postgresql` picks one."""
    fixture = {"sqlite": "sqlite_url", "postgresql": "postgres_url", "mysql": "mariadb_url"}[request.param]
    return str(request.getfixturevalue(fixture))


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database without any table, on each backend in turn, for migrations."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_url")
    else:
        server: Server = request.getfixturevalue({"postgresql": "postgres", "mysql": "mariadb"}[request.param])
        with server.database() as url:
            yield url


def _postgres_template(server: Server) -> str:
    """Makes the schema once; copying it takes 30 ms where making it takes 150."""
    from muniment.store import migrate
    from muniment.store.dialects import open_database

    name = "muniment_template"
    server.create(name)
    database = open_database(server.url(name), busy_seconds=30.0)
    try:
        migrate.ensure(database)
    finally:
        database.close()
    return name
