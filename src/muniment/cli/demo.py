"""`muniment demo [FILE]`: conversations through the whole chain, each step shown with its ids.

event → evidence → candidate → verdicts → fact → context. What the scripted conversations promise is checked as they are
played; a promise that does not hold is printed and ends the command with code 1.

Belongs here: playing and showing. Does not belong here: the words (`demo.toml`, `script`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from muniment.cli.options import AsJson, Embedder, PolicyFile
from muniment.cli.script import Conversation, Step, from_file, scripted

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

EXAMPLE = "Example: muniment demo conversation.txt"
FILE = Annotated[
    Path | None, typer.Argument(help="A conversation: 'User: …' lines, chat messages as JSON or JSON lines.")
]


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("demo", epilog=EXAMPLE)(demo)


def demo(file: FILE = None, policy: PolicyFile = None, embedder: Embedder = None, as_json: AsJson = False) -> None:
    """Play a conversation (two scripted ones, or yours) through the whole chain, step by step, offline."""
    with tempfile.TemporaryDirectory(prefix="muniment-demo-") as folder:
        conversations = scripted() if file is None else from_file(file)
        played: list[dict[str, Any]] = []
        broken: list[str] = []
        for conversation, steps in play(conversations, folder, policy=policy, embedder=embedder):
            shown = []
            for step in steps:
                shown.append(step)
                broken += step["broken"]
                if not as_json:
                    from muniment.cli.demo_view import show

                    show(step, first=len(shown) == 1)
            played.append({"name": conversation.name, "user": conversation.user, "steps": shown})
    if as_json:
        from muniment.cli.json_out import echo

        echo({"conversations": played, "broken": broken})
    elif file is None:
        from muniment.cli.demo_view import ending

        ending(broken)
    if broken:
        raise typer.Exit(1)


class Counting:
    """An embedder that counts its calls, to show when none was needed."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.calls = 0

    @property
    def id(self) -> str:
        """The inner model's id."""
        return str(self.inner.id)

    @property
    def dimension(self) -> int:
        """The inner model's dimension."""
        return int(self.inner.dimension)

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Any:
        """The inner model's vectors."""
        self.calls += 1
        return self.inner.encode(texts, kind=kind)


def play(
    conversations: Sequence[Conversation], folder: str, *, policy: str | None, embedder: str | None
) -> Iterator[tuple[Conversation, Iterator[dict[str, Any]]]]:
    """Each conversation with its steps as they happen, in one memory in a folder."""
    import muniment
    from muniment.config import load_settings
    from muniment.models.embedders import embedder_from

    counting = Counting(embedder_from(embedder, load_settings()))
    with muniment.open(f"sqlite:///{folder}/demo.db", policy=policy, embedder=counting) as memory:
        for conversation in conversations:
            yield conversation, (_played(memory, step, conversation, counting) for step in conversation.steps)


def _played(memory: Muniment, step: Step, conversation: Conversation, counting: Counting) -> dict[str, Any]:
    """One step, what came of it, and what of its promises does not hold."""
    reader = memory.reader(user=conversation.user, session=step.session or conversation.session, task=step.task)
    before = counting.calls
    if step.kind == "say":
        shown = _said(reader, step, step.fields)
    elif step.kind == "context":
        context = reader.context(step.text, budget=500)
        shown = {"text": context.text, "route": context.route, "tokens": context.tokens, "dropped": context.dropped}
    else:
        hits = reader.search(step.text, k=5)
        shown = {"hits": list(hits), "text": "\n".join(hit.text for hit in hits), "route": hits.route}
    shown |= {"conversation": conversation.name, "kind": step.kind, "said": step.text, "task": step.task}
    shown |= {"session": step.session or conversation.session}
    shown |= {"embedder_calls": counting.calls - before}
    return shown | {"broken": list(broken(step, shown))}


def _said(reader: Reader, step: Step, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An observation with the whole chain it led to."""
    receipt = reader.observe(step.text, **fields)
    with reader.parts.store.read(reader.identity) as unit:
        evidence = unit.evidence(receipt.evidence)
        candidates = unit.candidates(ids=receipt.candidates)
        facts = [
            row for row in unit.revisions(receipt.facts) if row.fact_id in receipt.facts and row.retracted_at is None
        ]
    return {"receipt": receipt, "evidence": list(evidence.values()), "candidates": candidates, "facts": facts}


def broken(step: Step, shown: Mapping[str, Any]) -> Iterator[str]:
    """The step's promises that do not hold, each in a sentence."""
    text = str(shown.get("text", ""))
    memory = text.partition("<memory")[2]
    held = "\n".join(line for line in memory.splitlines() if "[f-" in line)
    texts = {"contains": text, "lacks": text, "lacks_fact": held, "lacks_memory": memory}
    texts["stored_lacks"] = "\n".join(piece.content for piece in shown.get("evidence", ()))
    for name, wanted in step.expect.items():
        if name == "contains":
            yield from (f"“{word}” is not in the answer to “{step.text}”" for word in wanted if word not in text)
        elif name in texts:
            yield from (f"“{word}” is in what came of “{step.text}”" for word in wanted if word in texts[name])
        elif name == "kept_as":
            kept = {piece.eligibility.value for piece in shown["evidence"]}
            yield from (f"“{step.text}” is kept as {word}, not as {wanted}" for word in sorted(kept - {wanted}))
        elif name == "route" and shown["route"].stopped != wanted:
            yield f"“{step.text}” was not answered by {wanted} alone"
        elif name == "embedder_calls" and shown["embedder_calls"] != wanted:
            yield f"“{step.text}” took {shown['embedder_calls']} embedder calls, not {wanted}"
    if {"outcome", "type", "scope"} & set(step.expect):
        yield from _outcome(step, shown)


def _outcome(step: Step, shown: Mapping[str, Any]) -> Iterator[str]:
    """Whether some candidate came out as promised."""
    decisions = {item.candidate_id: item for item in shown["receipt"].decisions}
    came = [
        {"outcome": decisions[item.candidate_id].outcome, "type": item.memory_type.value, "scope": str(item.scope)}
        for item in shown["candidates"]
    ]
    wanted = {name: value for name, value in step.expect.items() if name in ("outcome", "type", "scope")}
    if wanted.get("outcome") == "none":
        if came:
            yield f"“{step.text}” gave {came[0]}, where nothing was to be remembered"
    elif not any(wanted.items() <= item.items() for item in came):
        yield f"“{step.text}” gave {came or 'nothing'}, not {wanted}"
