"""Bytes of the database's files, looked through by another process.

A process that closes any handle of its own on a SQLite file drops all the locks it holds on that file, its connections'
included (POSIX advisory locks are a process's, not a handle's), and other processes then write over what it believes to be
its own. So no code of ours opens such a file but SQLite itself; whoever must see its raw bytes asks a child.

Belongs here: the child and the call of it. Does not belong here: what is looked for (`verify`).
"""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def found_in(path: Path, needles: Sequence[Sequence[bytes]]) -> list[int]:
    """Which of the needles (each in several spellings) stand in a file, by place; none where there is no file.

    Raises `StoreError` where the file could not be looked through.
    """
    # Here and not above: the child runs this file by itself.
    from muniment.domain.errors import StoreError

    if not path.exists() or path.stat().st_size == 0 or not needles:
        return []
    asked = {"path": str(path), "needles": [[spelling.hex() for spelling in some] for some in needles]}
    done = subprocess.run(
        [sys.executable, "-I", str(Path(__file__)), "scan"], input=json.dumps(asked), capture_output=True, text=True
    )
    if done.returncode != 0:
        raise StoreError(f"{path} could not be looked through: {done.stderr.strip().splitlines()[-1:]}")
    places: list[int] = json.loads(done.stdout)
    return places


def _scan(path: str, needles: Sequence[Sequence[str]]) -> list[int]:
    spelt = [[bytes.fromhex(spelling) for spelling in some] for some in needles]
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        return [place for place, some in enumerate(spelt) if any(raw.find(spelling) >= 0 for spelling in some)]


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(_scan(given["path"], given["needles"])))
