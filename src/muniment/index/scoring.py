"""Scores of all visible rows: BM25 of three fields, meaning, and what the turn and the question say of each other.

The score is a weighted sum over ALL visible rows, no candidates cut before; mx(x) = x / max, z(x) = 0.3 (x - mean) /
std. BM25 after Robertson and Zaragoza (2009), k1 1.2, b 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5)).

Belongs here: features and their sum. Does not belong here: the mask, the floor, loading of partitions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from muniment.domain.enums import ActorType
from muniment.index.batch import ALWAYS, ROLES
from muniment.index.centring import Means
from muniment.index.coefficients import coefficients
from muniment.index.fields import FIELDS, Field, counted
from muniment.index.products import products
from muniment.index.view import Floats, View
from muniment.index.visibility import instants
from muniment.text.dates import date_window
from muniment.text.tokenizer import fold, hash_tokens, is_identifier, tokenize

K1: Final = 1.2
B: Final = 0.75
SPREAD: Final = 0.3
LEAST_SPREAD: Final = 0.01
"""Rows whose cosines differ by less all mean the same; dividing by it would only blow up rounding."""
BACKGROUND: Final = 20.0
"""Rows added to the count in the weights of what was found, so that those of a handful of rows do not swing with each of them."""
AFTER: Final = 7 * 86_400_000_000
"""A turn up to seven days after the asked date may still tell of it."""

_YOU_SAID = re.compile(
    r"\byou\s+(?:\w+\s+)?(?:said|told|mentioned|recommended|suggested|gave|provided|listed|explained|advised|wrote|"
    r"shared|described|recommend|suggest|mention|tell|say|give|list)\b"
    r"|\bremind me\b|\b(?:our|your) (?:last|previous|earlier|past) (?:conversation|chat|discussion|answer|reply)"
    r"|你(?:之前|上次|刚才|以前)?(?:说|讲|告诉|推荐|建议|提到|提过|给)|提醒我"
    r"|(?:上次|之前)的?(?:对话|聊天|谈话|讨论)",
    re.IGNORECASE,
)

_SELF = re.compile(r"\b(?:i|my|me|mine|myself)\b|我", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the index scores it."""

    text: str
    terms: tuple[int, ...]
    exact: tuple[int, ...]
    window: tuple[int, int] | None
    asks_you: bool
    asks_self: bool
    named: frozenset[str]
    """The speakers it names; empty where it names none, or all of them."""
    mentioned: frozenset[str]
    """The speakers it names, be it all of them."""


def question(text: str, speakers: frozenset[str], at: datetime) -> Question:
    """The question's tokens without the speakers' names, the names it holds, its dates, and whether it asks what
    'you' said or is about the one who asks."""
    tokens = list(dict.fromkeys(tokenize(text)))
    mentioned = frozenset(name for name in speakers if _mentions(fold(text), name))
    names = {part for name in mentioned for part in tokenize(name)}
    kept = [token for token in tokens if token not in names] or tokens
    span = date_window(text, at)
    if span is not None and span[0] > at:
        span = None  # nobody has spoken yet in a time to come
    return Question(
        text=text,
        terms=_hashes(kept),
        exact=_hashes([token for token in kept if is_identifier(token)]),
        window=None if span is None else (_micros(span[0]), _micros(span[1])),
        asks_you=bool(_YOU_SAID.search(text)),
        asks_self=bool(_SELF.search(text)),
        named=mentioned if mentioned < speakers else frozenset(),
        mentioned=mentioned,
    )


def _mentions(folded: str, name: str) -> bool:
    """Whether the text names a speaker: the whole name, or its first word, as a word of its own."""
    whole = fold(name).strip()
    first = whole.split()[0] if whole else ""
    for wanted in {whole, first if len(first) > 2 else ""} - {""}:
        edge = r"(?<!\w){}(?!\w)" if wanted.isascii() else "{}"
        if re.search(edge.format(re.escape(wanted)), folded):
            return True
    return False


def _hashes(tokens: list[str]) -> tuple[int, ...]:
    """Tokens as the postings know them."""
    return tuple(dict.fromkeys(int(value) for value in np.frombuffer(hash_tokens(tokens), "<u4")))


def _micros(value: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    delta = value - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keyword side, a row of each array for each row of the views laid end to end.

    `bm25` by field; `matched` how many rare terms' worth of the question's weight was found in the turn with the question
    it answers; `exact` the share of the question's identifiers found. `best` is the BM25 that a window of average length
    approaches where every term comes often; `unknown` the share of the question's weight in terms that no row has;
    `count` how many rows are seen.
    """

    bm25: dict[Field, Floats]
    matched: Floats
    exact: Floats
    best: float
    unknown: float
    count: int


def keywords(views: Sequence[View], asked: Question) -> Keywords:
    """BM25 of the three fields and what was found in absolute terms, all statistics over the rows of the views."""
    sizes = [len(view.block) for view in views]
    ends = np.cumsum([0, *sizes])
    count = sum(view.count for view in views)
    bm25 = {name: np.zeros(ends[-1], np.float32) for name in FIELDS}
    cover = np.zeros(ends[-1], np.float32)
    exact = np.zeros(ends[-1], np.float32)
    mean = {name: max(sum(view.sums[name] for view in views) / max(count, 1), 1e-9) for name in FIELDS}
    asked_weight, unknown, best = 0.0, 0.0, 0.0
    for term in asked.terms:
        hits = [(view.block.own.find(term), view.block.tails.find(term)) for view in views]
        weight = 0.0
        for name in FIELDS:
            found = []
            for view, (own, tail), start in zip(views, hits, ends[:-1], strict=True):
                counts = counted(name, own, tail, view.layout, len(view.block))
                if counts is not None:
                    rows, tf = counts
                    found.append((rows + start, tf, view.layout.lengths[name][rows]))
            df = sum(len(rows) for rows, _, _ in found)
            if name == "turn":
                weight = float(np.log((count + BACKGROUND) / (df + 1.0)))
                unknown += 0.0 if df else weight
            idf = np.log1p((count - df + 0.5) / (df + 0.5))
            if name == "window":
                best += float(idf) * (K1 + 1)
            for rows, tf, length in found:
                damped = tf + np.float32(K1) * (np.float32(1 - B) + np.float32(B / mean[name]) * length)
                bm25[name][rows] += np.float32(idf * (K1 + 1)) * tf / damped
                if name == "pair":
                    cover[rows] += np.float32(weight)
                if name == "turn" and term in asked.exact:
                    exact[rows] += np.float32(1 / len(asked.exact))
        asked_weight += weight
    return Keywords(
        bm25=bm25,
        matched=(cover / np.log(count + BACKGROUND)).astype(np.float32),
        exact=exact,
        best=best,
        unknown=unknown / asked_weight if asked_weight else 0.0,
        count=count,
    )


def cosines(views: Sequence[View], vector: Floats, means: Means) -> Floats:
    """Each row's best centred cosine with the question, NaN for rows without a vector."""
    centred = vector.astype(np.float64) - means.questions
    length = float(np.linalg.norm(centred))
    direction = (centred / length if length > 1e-9 else centred).astype(np.float32)
    offset = np.float32(means.documents @ direction.astype(np.float64))
    return np.concatenate([_best(view, direction, offset, means) for view in views] or [np.empty(0, np.float32)])


def _best(view: View, direction: Floats, offset: np.float32, means: Means) -> Floats:
    """The best line of each row."""
    block = view.block
    result = np.full(len(block), np.nan, np.float32)
    if not block.lines or block.vectors.shape[1] != len(direction):
        return result
    lines = (products(block.vectors, direction) - offset) / view.centred(means.documents)[1]
    chunks: Any = block.columns["chunks"]
    if block.lines == len(block) and int(chunks.max()) == 1:
        return lines.astype(np.float32)
    rows = np.flatnonzero(chunks)
    starts = np.cumsum(chunks[rows]) - chunks[rows]
    result[rows] = np.maximum.reduceat(lines, starts)
    return result


def features(
    views: Sequence[View],
    speakers: Sequence[Sequence[str]],
    asked: Question,
    words: Keywords,
    dense: Floats | None,
    seen: Any,
    wanted: Collection[str],
) -> dict[str, Floats]:
    """The measured recipe's features among those `wanted`; `speakers` gives each view's names by code, `seen` the rows that
    are visible."""
    column = {name: np.concatenate([view.block.columns[name] for view in views]) for name in ("asks", "role")}
    result: dict[str, Floats] = {name: _mx(words.bm25[name]) for name in FIELDS}
    result["asks"] = column["asks"].astype(np.float32)
    agent = (column["role"] == ROLES[ActorType.AGENT]).astype(np.float32)
    result["role_prior"] = agent
    if asked.asks_you:
        result["role_asked"] = agent
    elif asked.asks_self:
        result["role_self"] = (column["role"] == ROLES[ActorType.USER]).astype(np.float32)
    if asked.named:
        parts = []
        for view, names in zip(views, speakers, strict=True):
            is_named = np.array([name in asked.named for name in names], bool)
            parts.append(is_named[view.block.columns["speaker"].astype(np.int64)])
        result["speaker"] = np.concatenate(parts).astype(np.float32)
    if asked.window is not None:
        at = np.concatenate([instants(view.block) for view in views])
        result["date"] = dated(at, *asked.window)
    if dense is not None:
        result["dense"] = _z(dense, seen)
    if "session" in wanted or "session_dense" in wanted:
        sessions = _sessions(views)
        result["session"] = _mx(_best_of(sessions, words.bm25["turn"], 0.0))
        if dense is not None:
            result["session_dense"] = _z(_best_of(sessions, np.where(seen, dense, np.nan), np.nan), seen)
    return {name: values for name, values in result.items() if name in wanted}


def _sessions(views: Sequence[View]) -> NDArray[np.int64]:
    """Which conversation each row is of, numbered through all views; a row without neighbours is its own."""
    parts, start = [], 0
    for view in views:
        links, place = view.block.links, view.block.columns["place"].astype(np.int64)
        places = int(place.max(initial=-1)) + 1
        # Neighbours are linked inside one session in one place only, so the place of a linked row tells its session.
        linked = (links.before >= 0) | (links.after >= 0)
        parts.append(start + np.where(linked, place, places + np.arange(len(place))))
        start += places + len(place)
    return np.concatenate(parts)


def _best_of(groups: NDArray[np.int64], values: Floats, missing: float) -> Floats:
    """For each row the best value of its group; `missing` where no row of the group has one."""
    best = np.full(int(groups.max(initial=-1)) + 1, -np.inf, np.float32)
    known = ~np.isnan(values)
    np.maximum.at(best, groups[known], values[known])
    found: Floats = best[groups]
    return np.where(np.isneginf(found), np.float32(missing), found)


def seed_features(views: Sequence[View], words: Keywords, dense: Floats | None, now: int) -> dict[str, Floats]:
    """The rule of thumb's features: cosine, keyword score and recency, each 0..1."""
    at = np.concatenate([instants(view.block) for view in views])
    days = np.maximum(now - np.where(at == ALWAYS, now, at), 0) / 86_400_000_000
    recency = np.where(at == ALWAYS, 0.0, 0.5 ** (days / coefficients().half_life_days))
    result = {"keyword": _mx(words.bm25["turn"]), "recency": recency.astype(np.float32)}
    if dense is not None:
        result["meaning"] = np.clip(np.nan_to_num(dense), 0.0, 1.0).astype(np.float32)
    return result


def _mx(values: Floats) -> Floats:
    """Values over their maximum; all zero stays so."""
    top = float(values.max(initial=0.0))
    return values / np.float32(top) if top > 0 else values


def _z(values: Floats, seen: NDArray[np.bool_]) -> Floats:
    """0.3 standard scores over visible rows that have a value; 0 for those without."""
    known = values[seen & ~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), np.float32)
    mean, spread = float(known.mean(dtype=np.float64)), float(known.std(dtype=np.float64))
    standard: Floats = np.nan_to_num(
        np.float32(SPREAD) * (values - np.float32(mean)) / np.float32(max(spread, LEAST_SPREAD))
    )
    return standard


def dated(at: NDArray[np.int64], start: int, end: int) -> Floats:
    """1 inside [start, end), 0.5 up to seven days after it; instants in microseconds."""
    inside = (at >= start) & (at < end)
    after = (at >= end) & (at < end + AFTER)
    return inside.astype(np.float32) + np.float32(0.5) * after.astype(np.float32)
