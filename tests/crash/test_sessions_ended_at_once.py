"""Several processes that end one session at the same time, while one of them still talks: one version each, none doubled."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from sqlalchemy import select

import muniment
from muniment.store.tables.shelves import index_item, summary

CHILD = """
import json, sys, time
import muniment
url, begin = sys.argv[1], float(sys.argv[2])
with muniment.open(url, embedder="none") as memory:
    me = memory.reader(user="ana", session="s1")
    while time.time() < begin:
        time.sleep(0.001)
    print(json.dumps([me.end_session().made for _ in range(3)]))
"""


@pytest.mark.timeout(120)
def test_one_version_each(sqlite_url: str) -> None:
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s1")
        me.observe("The harbour wall is cracked.")
        begin = str(time.time() + 4)
        children = [
            subprocess.Popen([sys.executable, "-c", CHILD, sqlite_url, begin], stdout=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        said = [json.loads(child.communicate(timeout=100)[0]) for child in children]
        assert [child.returncode for child in children] == [0, 0, 0]
        made = [kind for answers in said for kinds in answers for kind in kinds]
        assert sorted(made) == ["session", "user"]
        with memory.parts.store.database.reading() as connection:  # type: ignore[attr-defined]
            rows = connection.execute(select(summary)).all()
            entries = connection.execute(select(index_item).where(index_item.c.kind == "SUMMARY")).all()
        assert sorted((row.scope, row.version) for row in rows) == [("SESSION", 1), ("USER", 1)]
        assert len(entries) == 2
