"""A process that is killed while a model answers: what was answered is not asked again, and nothing becomes two."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.crash import children
from tests.crash.intact import halves

import muniment
from muniment.testing.chat import ChatEndpoint, chat_endpoint, refusal

SEED = int(os.environ.get("MUNIMENT_KILL_SEED", "20260701"))
CHILD = Path(children.__file__)
BOATS = 15
FILLER = "The rain went on and the harbour was grey all afternoon. " * 31


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatEndpoint]:
    policy = tmp_path / "policy.toml"
    policy.write_text("[extraction]\nfacts = 100\n[llm]\nbackoff_seconds = 0.0\nattempts = 1\n", encoding="utf-8")
    with chat_endpoint() as found:
        given = {"LLM": "openai:chat-x", "LLM_BASE_URL": found.url, "EXTRACTOR": "llm", "POLICY": str(policy)}
        for name, value in given.items():
            monkeypatch.setenv(f"MUNIMENT_{name}", value)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield found
        assert found.wrong == []


def boats(prompt: str) -> dict[str, Any]:
    shown = prompt.partition("<turn")[2]
    return {"memories": [{"quote": found, "confidence": 0.9} for found in re.findall(r"I own boat number \d+", shown)]}


def started(url: str, text: Path, hold: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(CHILD), "understand", url, str(text), hold]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n", process.communicate()[1].decode()
    return process


def killed(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_killed_between_the_answer_and_the_commit(endpoint: ChatEndpoint, sqlite_url: str, tmp_path: Path) -> None:
    text = tmp_path / "turn.txt"
    text.write_text("I own boat number 7 at the quay.", encoding="utf-8")
    endpoint.says(boats)
    process = started(sqlite_url, text, "hold")
    assert process.stdout is not None
    assert process.stdout.readline() == b"answered\n"
    killed(process)
    assert len(endpoint.bodies) == 1
    assert halves(sqlite_url) == {}
    endpoint.says(refusal(500))  # whoever asked again now would fail
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s")
        assert len(me.facts()) == 0
        (done,) = me.process_pending()
        assert len(done.facts) == 1
        assert [fact.content for fact in me.facts()] == ["I own boat number 7 at the quay"]
        assert me.process_pending() == []
        again = me.observe(text.read_text(encoding="utf-8"), idempotency_key="the only one")
        assert again.replayed
        assert len(me.facts()) == 1
    assert len(endpoint.bodies) == 1


def test_killed_at_any_time(endpoint: ChatEndpoint, sqlite_url: str, tmp_path: Path) -> None:
    """Of a long turn every part is answered once, but for those under way when the process was killed."""
    chance = random.Random(SEED)
    text = tmp_path / "turn.txt"
    text.write_text(
        "\n".join(f"{FILLER} I own boat number {place}{place}." for place in range(BOATS)), encoding="utf-8"
    )

    def slowly(prompt: str) -> dict[str, Any]:
        time.sleep(0.15)
        return boats(prompt)

    endpoint.says(slowly)
    kills = 0
    for _ in range(3):
        before = len(endpoint.bodies)
        process = started(sqlite_url, text, "no")
        while process.poll() is None and len(endpoint.bodies) == before:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.4))
        if process.poll() is None:
            kills += 1
            killed(process)
        else:
            process.communicate()
        assert halves(sqlite_url) == {}
    process = started(sqlite_url, text, "no")
    out, errors = process.communicate(timeout=60)
    assert b"done" in out, errors.decode()
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana", session="s")
        found = sorted(fact.content for fact in me.facts(limit=100))
        assert found == sorted(f"I own boat number {place}{place}" for place in range(BOATS))
    parts = {endpoint.prompt(place).partition("<turn")[2] for place in range(len(endpoint.bodies))}
    print(f"seed {SEED}: {kills} kills, {len(parts)} parts, {len(endpoint.bodies)} requests")
    assert kills > 0
    assert len(parts) <= len(endpoint.bodies) <= len(parts) + kills
