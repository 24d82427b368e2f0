"""Processes, ports and folders of throw-away servers.

Belongs here: ending a process in good order, tying it to its owner, finding it a place. Does not belong here: which
server it is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

STOP_SECONDS = 20.0
# A PostgreSQL cluster with its write-ahead log needs about 100 MB, a MariaDB one about 150; containers often give 64.
ROOM_BYTES = 2_000_000_000

# A process that ended but that nobody waited for still answers signal 0: it counts as gone.
_WATCH = """
alive() { kill -0 "$1" 2>/dev/null && ! grep -q ') Z ' "/proc/$1/stat" 2>/dev/null; }
(
    while alive "$1"; do alive "$2" || exit 0; sleep 1; done
    kill -"$4" "$2" 2>/dev/null
    tries=0
    while alive "$2" && [ $tries -lt 200 ]; do tries=$((tries + 1)); sleep 0.1; done
    kill -KILL "$2" 2>/dev/null
    rm -rf -- "$3"
) &
"""


def fast_folder() -> Path:
    """The folder for files that need not outlive a run: in memory where there is room (Linux), else the usual one."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM_BYTES:
        return memory
    return Path(tempfile.gettempdir())


def new_folder(kind: str) -> Path:
    """A new folder with a short name: the path of a socket in it may have 107 bytes."""
    return Path(tempfile.mkdtemp(prefix=f"muniment-{kind}-", dir=fast_folder()))


def system_path() -> str:
    """PATH with the folders servers live in, which a plain user's often leaves out."""
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/sbin"])


def free_port() -> int:
    """A TCP port of this host that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def end(pid: int, sign: signal.Signals) -> None:
    """Sends the signal, waits up to 20 s, then kills. The process need not be a child of this one."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sign)
    deadline = time.monotonic() + STOP_SECONDS
    while alive(pid):
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            deadline += STOP_SECONDS
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether the process runs. One that ended and was not waited for does not."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return os.path.exists(f"/proc/{pid}") or not os.path.isdir("/proc/self")


def watch(pid: int, *, owner: int, sign: signal.Signals, folder: str) -> None:
    """Leaves a shell behind that ends the process and removes its folder once its owner has gone, however it went."""
    subprocess.run(
        ["/bin/sh", "-c", _WATCH, "watch", str(owner), str(pid), folder, sign.name.removeprefix("SIG")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=True,
    )
