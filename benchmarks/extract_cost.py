"""What one turn costs before the embedder, in one thread, by step: redaction, the gate, time expressions, extraction.

    python benchmarks/extract_cost.py                               seconds, made-up turns in two languages
    python benchmarks/extract_cost.py --file conversations.jsonl    any file of lines with a `text`, or with `docs` that have one

Each step is measured by itself over every turn, as it is called on the write path; extraction resolves the time expressions of
its clauses itself, so that its share holds the part of them it needed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import arguments, percentiles, report, say

from muniment.config import load_policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.scope import Reader
from muniment.domain.time import Moment
from muniment.models.extractor import BuiltinExtractor
from muniment.ports.models import Turn
from muniment.text.authority import suspicions
from muniment.text.redact import redact
from muniment.text.timex import time_expressions

SAID = Moment.of("2025-03-12T09:30:00+01:00")
MADE_UP = (
    "The plumber came twice last week and the tap still drips, so I moved the washing to my sister's.",
    "We settled on the blue tiles after all. Could you ask the shop when they arrive?",
    "Please never book me onto a flight before eight, I sleep badly the night before.",
    "Thanks, that was quick!",
    "我妈上周刚搬到绍兴，她膝盖不好，帮我看看附近有没有带电梯的酒店？",
    "以后报告都用中文写，金额保留两位小数。",
    "快递卡在杭州三天了，客服说明天到。",
    "好的谢谢",
)


def turns(file: Path | None) -> list[str]:
    """The texts of a file's turns, or made-up ones."""
    if file is None:
        return list(MADE_UP) * 50
    return [text for text in _texts(file) if text.strip()]


def _texts(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            record: dict[str, Any] = json.loads(line)
            if "docs" in record:
                yield from (str(doc["text"]) for doc in record["docs"])
            elif isinstance(record.get("text"), str):
                yield record["text"]


def steps() -> dict[str, Callable[[str], object]]:
    """What is done with a turn's text, by name."""
    policy = load_policy()
    extractor = BuiltinExtractor(policy)
    reader = Reader.of(user="ana", session="s")

    def extract(text: str) -> object:
        return extractor.extract(
            Turn(
                text=text,
                actor=ActorType.USER,
                evidence_type=EvidenceType.CONVERSATION,
                occurred=SAID,
                reader=reader,
                evidence_id=UUID(int=1),
            )
        )

    return {
        "redact": lambda text: redact(text, policy.sensitivity.mask),
        "gate": lambda text: suspicions(text, source_is_user=True),
        "time": lambda text: time_expressions(text, SAID),
        "extract": extract,
    }


def main() -> None:
    """Prints, for each step and all of them, p50, p95 and mean in milliseconds a turn, and the step's share."""
    parser = arguments("What one turn costs before the embedder, by step.")
    parser.add_argument("--file", type=Path, default=None, help="JSON lines with turns")
    parser.add_argument("--turns", type=int, default=5_000, help="at most so many")
    options = parser.parse_args()
    texts = turns(options.file)[: options.turns]
    found: dict[str, Any] = {"turns": len(texts), "characters": sum(map(len, texts))}
    todo = steps()
    taken: dict[str, list[float]] = {name: [] for name in todo}
    for step in todo.values():
        step(texts[0])  # patterns compile on first use
    for place, text in enumerate(texts):
        if place % 1_000 == 0:
            say(options, f"{place} of {len(texts)} turns")
        for name, step in todo.items():
            began = time.perf_counter()
            step(text)
            taken[name].append(time.perf_counter() - began)
    whole = [sum(parts) for parts in zip(*taken.values(), strict=True)]
    for name, seconds in {**taken, "all": whole}.items():
        share = round(sum(seconds) / sum(whole), 3)
        found[name] = {**percentiles(seconds), "mean_ms": round(1000 * sum(seconds) / len(seconds), 3), "share": share}
    report(options, found)


if __name__ == "__main__":
    main()
