"""What finding the time expressions of a text costs: of ordinary talk, and of long odd texts, whose cost must grow in line.

    python benchmarks/time_expressions.py                      talk made here
    python benchmarks/time_expressions.py conversations.jsonl  the turns of a data file of the kind `retrieval`

Milliseconds of processor time a text. `growth` is what a text four times as long costs, as a multiple of four; about 1 is
in line, 4 would be the square.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import percentiles

from muniment.domain.time import Moment
from muniment.text.timex import time_expressions

SAID = Moment.of("2031-03-05T09:00:00+08:00")
TALK = (
    "We moved into the new flat last weekend and the boxes are still everywhere, honestly.",
    "Can you remind me what I said about the dentist? I think it was on the 14th, at half past nine.",
    "上周三下午跟李工开了会，决定六月底之前把接口都改完，下个月再看效果。",
    "The quick brown fox jumps over the lazy dog, and nobody ever asks the dog about it.",
    "我觉得这家店的面还不错，就是有点咸。",
    "From January to April 2030 I was on leave; since then I have worked four days a week.",
)
ODD = (
    "the end of the ",
    "1 month 2 days ",
    "三天前",
    "from 1 to ",
    "twenty ",
    "2024-",
    "周一到",
    "\n",
    "第一",
    "9",
    "Monday, ",
    "in the last ",
)


def spent(text: str) -> float:
    """Processor seconds for one text."""
    began = time.process_time()
    time_expressions(text, SAID)
    return time.process_time() - began


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    options = parser.parse_args()
    texts = list(TALK) * 50
    if options.file:
        lines = options.file.read_text(encoding="utf-8").splitlines()
        texts = [doc["text"] for line in lines for doc in json.loads(line).get("docs", ())][:5_000]
    first = spent("yesterday 昨天")
    costs = [spent(text) for text in texts]
    growth = {
        piece.strip() or "line break": round(spent(piece * 12_000) / spent(piece * 3_000) / 4, 2) for piece in ODD
    }
    shown = {
        "first_ms": round(1000 * first, 1), "texts": len(texts), "mean_ms": round(1000 * sum(costs) / len(costs), 3),
        **percentiles(costs), "growth": growth,
    }  # fmt: skip
    print(json.dumps(shown, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
