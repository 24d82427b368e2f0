"""What tells that a later turn took over from an earlier one, in numbers.

Belongs here: the features of a pair of turns found for a question, and the reading of one turn for them. Does not belong here:
what is made of them (`takeover`).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np

from muniment.text.folding import narrow
from muniment.text.tokenizer import tokenize

READ_CHARS: Final = 400
"""Characters of a turn that are read: a change is told early, and what comes after is about something else."""

CUES: Final = ("ends", "starts", "wrong", "back", "forget", "asides", "others", "settled", "told", "delicate")
_PERFECT: Final = re.compile(r"(?:\b(?:have|has|had)|'ve|'s|'d) (?:\w+ly |all |just |already |now |since )?(?:\w{2,}ed|\w+(?:ne|wn|en|pt|ught)|been|got|put|cut|let|sold|told|made|left|lost|found|gone|had)\b")
_DONE: Final = re.compile(r"了(?:[，。！；,!;]|$)")
_ASKING: Final = re.compile(r"[?？]|吗[。]?$")
_QUOTED: Final = re.compile(r"^[\"“「]|[\"“「][^\"”」]{12,}[\"”」]")
_DAY: Final = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)([一二三四五六日天])")
_MONTH: Final = re.compile(r"\b(january|february|march|april|may|june|july|august|september|october|november|december)\b|(\d{1,2}|[一二三四五六七八九十]{1,2})月")
_NUMBER: Final = re.compile(r"(?<![\w.])[£$€]?(\d[\d,]*(?:[.:]\d+)*)|([零一二两三四五六七八九十百千万]{1,8}(?:点|[号日斤块台个平年页公里盆岁口滴米]|半|(?=[，。]|$)))|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|half past \w+)\b")
_NAME: Final = re.compile(r"(?<=[a-z,;:'’] )([A-Z][A-Za-z]+)|(?:^|[.!?] )([A-Z][a-z]+)(?='s|’s| (?:has|is|was|had|and|goes|went|moved|took|left|wanted|can|could))|([老小阿][\u4e00-\u9fff])|([\u4e00-\u9fff](?:姐|哥|总|工|姨|叔|师傅|老师|大夫|医生|先生|女士|经理|记))|(?<![A-Za-z])([A-Z][A-Za-z0-9]{2,})")
_NOT_NAMES: Final = frozenset("the it its he she they we you my our his her their this that there and but so if all no yes well".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of one turn: its tokens, cues and values by kind."""

    tokens: frozenset[str]
    cues: Mapping[str, int]
    values: Mapping[str, frozenset[str]]
    chinese: bool


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading:
    """A turn, read. Linear in `READ_CHARS`."""
    part = narrow(text[:READ_CHARS]).replace("’", "'")
    plain = part.lower()
    found = {name: sum(1 for _ in _pattern(name).finditer(plain)) for name in CUES}
    found["perfect"] = int(bool(_PERFECT.search(plain))) + int(bool(_DONE.search(plain)))
    found["asking"] = int(bool(_ASKING.search(plain)))
    found["quoted"] = int(bool(_QUOTED.search(part)))
    names = {next(filter(None, match.groups())) for match in _NAME.finditer(part)}
    values = {
        "day": _values(_DAY, plain),
        "month": _values(_MONTH, plain),
        "number": _values(_NUMBER, plain),
        "name": frozenset(name.lower() for name in names if name.lower() not in _NOT_NAMES),
    }
    return Reading(frozenset(tokenize(part)), found, values, any("\u4e00" <= char <= "\u9fff" for char in part))


def _values(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(next(filter(None, match.groups())) for match in pattern.finditer(text) if any(match.groups()))


@cache
def _lexicon() -> Mapping[str, Any]:
    return tomllib.loads((resources.files("muniment.retrieval") / "takeover.toml").read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = _lexicon()[name]
    return re.compile(rf"(?<![a-z])(?:{'|'.join(words['en'])})(?![a-z])|{'|'.join(words['zh'])}")


@dataclass(frozen=True, slots=True)
class Said:
    """A turn that was found: its text, place among what was found, score and probability of relevance."""

    text: str
    place: int
    score: float
    relevance: float
    at: datetime | None
    session: str | None
    vector: Any = None


NAMES: Final = (
    "score_old", "score_new", "relevance_old", "relevance_new", "place_old", "place_new", "first",
    "shared", "shared_beside", "shared_all", "asked_old", "asked_new", "unlike", "cosine", "closest_old", "closest_new",
    "cos_closest_old", "cos_closest_new",
    "day", "month", "number", "name", "name_gone", "names_kept",
    "ends", "starts", "wrong", "back", "forget", "perfect", "asides", "others", "asks_old", "asks_new", "quoted",
    "settled", "told", "delicate", "forget_delicate", "forget_shared", "session", "days", "length_old", "length_new",
    "cued_shared", "cued_score", "cued", "no_cue", "open", "open_forget", "cued_value", "chinese", "cued_closest", "cued_unlike"
)  # fmt: skip


class Found:
    """The turns found for a question, with the weight of each token among them."""

    def __init__(self, question: str, turns: Sequence[Said]) -> None:
        self.turns = turns
        self.read = [reading(turn.text) for turn in turns]
        self.asked = reading(question)
        self.best = max([turn.score for turn in turns], default=1.0) or 1.0
        self.count = len(turns)
        counts: dict[str, int] = {}
        for one in self.read:
            for token in one.tokens:
                counts[token] = counts.get(token, 0) + 1
        self.weight = {token: _weight(token, n, self.count) for token, n in counts.items()}
        n = len(turns)
        place = {token: at for at, token in enumerate(counts)}
        holds = np.zeros((n, len(counts)))
        for at, one in enumerate(self.read):
            holds[at, [place[token] for token in one.tokens]] = 1
        weights = np.array([self.weight[token] for token in counts])
        self.both = (holds * weights) @ holds.T
        in_question = np.array([token in self.asked.tokens for token in counts], dtype=float)
        self.whole = (holds * (weights * in_question)) @ holds.T
        own = np.maximum(np.diag(self.both), 1e-6)
        self.near = self.both / np.sqrt(own[:, None] * own[None, :])
        earlier = np.array([[a.at is not None and b.at is not None and a.at < b.at for b in turns] for a in turns], dtype=bool).reshape(n, n)
        self.margin_old, self.margin_new = _margins(self.near, earlier)
        self.cosine = np.zeros((n, n))
        if turns and turns[0].vector is not None:
            V = np.stack([turn.vector for turn in turns]); V = V - V.mean(axis=0); V /= np.maximum(1e-6, np.linalg.norm(V, axis=1, keepdims=True))
            self.cosine = V @ V.T
        self.cmargin_old, self.cmargin_new = _margins(self.cosine, earlier)
        self.total_asked = sum(self._of(token) for token in self.asked.tokens) or 1.0
        # What the question is about by being open: 'what do you know of Ann'.
        self.open = _OPEN.search(narrow(question).lower()) is not None

    def _of(self, token: str) -> float:
        found = self.weight.get(token)
        return _weight(token, 0, self.count) if found is None else found

    def features(self, old: int, new: int) -> list[float]:
        """The numbers of `NAMES` for two turns, by their places in `turns`."""
        one, two = self.turns[old], self.turns[new]
        first, later = self.read[old], self.read[new]
        shared = float(self.both[old, new]); whole = float(self.whole[old, new]); beside = max(0.0, shared - whole)
        asked_old = sum(self._of(token) for token in self.asked.tokens & first.tokens) / self.total_asked
        asked_new = sum(self._of(token) for token in self.asked.tokens & later.tokens) / self.total_asked
        cues = {name: min(later.cues[name], 3) for name in ("ends", "starts", "wrong", "back", "forget", "asides", "others")}
        values = {
            kind: float(bool(first.values[kind]) and bool(later.values[kind] - first.values[kind] - self.asked.values[kind]))
            for kind in ("day", "month", "number", "name")
        }
        gone = first.values["name"] - self.asked.values["name"]
        delicate = float(first.cues["delicate"] > 0)
        cued = math.log1p(cues["ends"] + cues["starts"] + cues["wrong"] + later.cues["perfect"])
        days = abs((two.at - one.at).total_seconds()) / 86_400 if one.at and two.at else 0.0
        near = math.log1p(shared)
        forget = float(later.cues["forget"] > 0)
        unlike = float(shared < 0.5 and asked_new < 0.1)
        closest = float(self.margin_old[old, new])
        return [
            one.score / self.best, two.score / self.best, one.relevance, two.relevance,
            math.log1p(one.place), math.log1p(two.place), float(one.place == 0),
            near, math.log1p(beside), math.log1p(whole), asked_old, asked_new, unlike, self.cosine[old, new],
            closest, float(self.margin_new[old, new]), self.cmargin_old[old, new], self.cmargin_new[old, new],
            values["day"], values["month"], values["number"], values["name"],
            float(bool(gone) and not gone & later.values["name"]), float(bool(gone & later.values["name"])),
            cues["ends"], cues["starts"], cues["wrong"], min(cues["back"], 2), forget, later.cues["perfect"],
            min(cues["asides"], 2), min(cues["others"], 1), first.cues["asking"], later.cues["asking"], later.cues["quoted"],
            min(first.cues["settled"], 2), min(first.cues["told"], 2), delicate, forget * delicate, forget * near,
            float(one.session is not None and one.session == two.session), math.log1p(days),
            math.log(20 + len(one.text)), math.log(20 + len(two.text)),
            cued * near, cued * max(0.0, two.score / self.best),
            cued, float(cued == 0 and not forget), float(self.open), float(self.open) * forget, cued * max(values.values()),
            float(later.chinese), cued * closest, cued * unlike,
        ]  # fmt: skip


def _margins(near: Any, earlier: Any) -> tuple[Any, Any]:
    """For each pair (earlier, later) by how much the earlier is nearer to the later one than any other earlier one is; and by
    how much the later is nearer to the earlier one than any other later one."""
    masked = np.where(earlier, near, 0.0)
    return _lead(masked, 0), _lead(masked, 1)


def _lead(values: Any, axis: int) -> Any:
    if values.shape[axis] < 2:
        return values
    top = np.sort(values, axis=axis)
    best = np.take(top, [-1], axis=axis)
    second = np.take(top, [-2], axis=axis)
    return values - np.where(values >= best, second, best)


_OPEN: Final = re.compile(r"what (?:do|should|have|can) you (?:know|remember|have|got|hold)|知道.{0,4}(?:什么|啥|些)|(?:什么|啥)信息|了解|记了什么|有印象|你知道|有什么")

_FUNCTION: Final = frozenset("我你他她它的了是在不一有就这那也都还个们把给到去说要会能没着过上下来和跟让吧呢啊吗嘛")


def _weight(token: str, count: int, of: int) -> float:
    """Rarer weighs more; a Chinese character by itself little, since the pairs it stands in are tokens too."""
    rare = math.log((of + 1) / (count + 0.5))
    if token.isascii():
        return rare
    if all(char in _FUNCTION for char in token):
        return 0.0
    return rare * (0.25 if len(token) == 1 else 1.0)
