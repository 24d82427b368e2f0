"""Texts for the learned detector of the gate: from templates made here, and from data sets on disk.

Belongs here: filling templates, reading the sets. Does not belong here: features (muniment.text), fitting (`train_gate`).
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

TEMPLATES: Final = Path(__file__).resolve().parent / "gate_templates"
_CHOICE: Final = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT: Final = re.compile(r"\{([a-z]+)\}")
_BRACES: Final = {"{{": "\x00", "}}": "\x01"}
SOURCES: Final = ("user", "content")


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, whether it is to be suspected, from which kind of source, what it is an instance of, and the wording it was
    made from ('' for none)."""

    text: str
    harmful: bool
    source: str
    kind: str
    wording: str = ""


def generated(part: str, each: int, seed: int) -> list[Sample]:
    """Every template of `gate_templates/<part>.toml` filled up to `each` times, no text twice. A template for any source gives a
    sample for both."""
    data = tomllib.loads((TEMPLATES / f"{part}.toml").read_text(encoding="utf-8"))
    chance = random.Random(f"{part}/{seed}")
    found: list[Sample] = []
    for label in ("positive", "negative"):
        for group in data[label]:
            sources = SOURCES if group["source"] == "any" else (group["source"],)
            for template in group["texts"]:
                texts = dict.fromkeys(_filled(template, data["slots"], chance) for _ in range(each))
                found += [
                    Sample(text, label == "positive", source, group["kind"], template)
                    for text in texts
                    for source in sources
                ]
    return found


def _filled(template: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    for doubled, mark in _BRACES.items():
        template = template.replace(doubled, mark)
    text = _CHOICE.sub(lambda match: chance.choice(match[1].split("|")), template)
    text = _SLOT.sub(lambda match: chance.choice(slots[match[1]]), text)
    text = text.replace("\x00", "{").replace("\x01", "}")
    return text[:1].upper() + text[1:]


def talk(file: Path, speakers: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
    """(text, speaker) of the turns of a file of conversations, each wording once."""
    seen: set[str] = set()
    for record in records(file):
        for doc in record.get("docs", ()):
            if doc["text"] not in seen and (speakers is None or doc.get("speaker") in speakers):
                seen.add(doc["text"])
                yield doc["text"], str(doc.get("speaker"))


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
