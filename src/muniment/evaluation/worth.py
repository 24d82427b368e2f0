"""Suite `worth`: are the turns that people noted something of ranked first by `text.worth`?

It is measured on conversations (kind `retrieval`) that say what was noted: `observation` names turns (LoCoMo); of the
`memory_points` (HaluMem) each is laid to the user's turn of its session that shares most of its words, weighed by how rare
they are, where that is a quarter or more (`LEAST`); planted interference is not counted. Beside it: the order of talk, the
length of a turn, and the number of candidates that the built-in extractor's patterns find in it.

Belongs here: whose turns are noted, average precision, the course of the suite. Does not belong here: the score.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.scope import Reader
from muniment.evaluation.metrics import average_precision, mean
from muniment.evaluation.options import Run
from muniment.models.extractor import BuiltinExtractor
from muniment.ports.models import Turn
from muniment.text.worth import worth

LEAST: Final = 0.25
_WORD: Final = re.compile(r"[A-Za-z']+|[\u4e00-\u9fff]|\d+")
_TURN: Final = re.compile(r"D\d+:\d+")

Noted = tuple[str, bool]
"""A turn's text and whether somebody noted something of it."""


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """Average precision by dataset and split, by conversation and all turns together; records that do not say what was noted
    are counted as `unmeasured`."""
    groups: dict[tuple[str, str], list[list[Noted]]] = defaultdict(list)
    unmeasured: Counter[tuple[str, str]] = Counter()
    for record in records:
        if run.options.split not in (None, record.get("split")):
            continue
        key = (str(record.get("dataset", "worth")), str(record.get("split", "all")))
        groups.setdefault(key, [])
        turns = noted(record)
        if turns:
            groups[key].append(turns)
        else:
            unmeasured[key] += 1
    return [_figures(key, turns, unmeasured[key], run) for key, turns in groups.items()]


def noted(record: Mapping[str, Any]) -> list[Noted]:
    """The turns of a conversation and which were noted; none where it does not say."""
    if isinstance(record.get("observation"), Mapping):
        ids = set(_TURN.findall(str(record["observation"])))
        return [(str(doc["text"]), str(doc["id"]) in ids) for doc in record["docs"]]
    if record.get("memory_points") and record.get("dialogue"):
        return list(_by_points(record))
    return []


def _by_points(record: Mapping[str, Any]) -> Iterator[Noted]:
    turns = [turn for turn in record["dialogue"] if turn["speaker"] == "user"]
    words = {turn["id"]: _words(str(turn["text"])) for turn in turns}
    known = Counter(word for said in words.values() for word in said)
    weight = {word: math.log1p(len(turns) / count) for word, count in known.items()}
    unknown = math.log1p(len(turns))
    held: set[str] = set()
    for point in record["memory_points"]:
        if point.get("memory_source") == "interference":
            continue
        told = _words(str(point["memory_content"]))
        whole = sum(weight.get(word, unknown) for word in told)
        shares = [
            (sum(weight[word] for word in told & words[turn["id"]]) / whole, turn["id"])
            for turn in turns
            if turn["session"] == point["session"] and whole
        ]
        best = max(shares, key=lambda item: item[0], default=(0.0, ""))
        if best[0] >= LEAST:
            held.add(best[1])
    for turn in turns:
        yield str(turn["text"]), turn["id"] in held


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _figures(key: tuple[str, str], groups: Sequence[Sequence[Noted]], unmeasured: int, run: Run) -> dict[str, Any]:
    every = [item for turns in groups for item in turns]
    rankers: dict[str, Callable[[str], float]] = {"muniment": worth}
    if run.options.compare:
        rankers |= {"length alone": len, "patterns alone": _patterns(run.policy), "order of talk": lambda _: 0.0}
    result: dict[str, Any] = {
        "kind": "worth",
        "dataset": key[0],
        "split": key[1],
        "n": len(every),
        "conversations": len(groups),
        "unmeasured": unmeasured,
        "noted": mean(float(good) for _, good in every),
        "average_precision": {},
    }
    for name, score in rankers.items():
        scored = [[(score(text), good) for text, good in turns] for turns in groups]
        result["average_precision"][name] = {
            "all": average_precision([item for turns in scored for item in turns]),
            "mean of conversations": mean(found for turns in scored if (found := average_precision(turns)) is not None),
        }
    return result


def _patterns(policy: Policy) -> Callable[[str], float]:
    extractor = BuiltinExtractor(policy)
    nobody = Reader(tenant="evaluation", user="speaker")

    def found(text: str) -> float:
        turn = Turn(
            text=text,
            actor=ActorType.USER,
            evidence_type=EvidenceType.CONVERSATION,
            occurred=None,
            reader=nobody,
            evidence_id=UUID(int=0),
        )
        return float(len(extractor.extract(turn)))

    return found
