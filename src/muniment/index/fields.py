"""The three fields of a turn: the turn alone, with the question before it, with its neighbours.

They are not stored: a row keeps its own tokens and tail, and links to its neighbours of the same conversation say at
query time where else a token counts. An appended turn so joins the windows of the two before it without any
rewriting, and what a reader may not see lends nothing to what they may.

Belongs here: links, field lengths, where a token of a row counts. Does not belong here: BM25 itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from muniment.index.postings import Hit

Field = Literal["turn", "pair", "window"]
FIELDS: Final[tuple[Field, ...]] = ("turn", "pair", "window")
REACH: Final = 2
"""Neighbours of a window on each side."""
BACK: Final = 3
"""How far back the question that a turn answers may stand."""
NOBODY: Final = np.int32(-1)

Rows = NDArray[np.int32]
Counts = tuple[Rows, NDArray[np.float32]]
SPARSE: Final = 40
"""Below this share of all rows (one in ...), sorting what was found is quicker than adding it up over all of them."""


@dataclass(frozen=True, slots=True)
class Links:
    """For each row: the row before and after it in its conversation, and the asking turn it answers; -1 for none."""

    before: Rows
    after: Rows
    answers: Rows

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.before.nbytes + self.after.nbytes + self.answers.nbytes)


def unlinked(count: int) -> Links:
    """Rows that stand alone."""
    return Links(*(np.full(count, NOBODY, np.int32) for _ in range(3)))


def extended(links: Links, threads: Rows, speakers: Rows, tails: Rows) -> Links:
    """Links of all rows, where `links` has those of the first ones.

    `threads` names each row's conversation (-1: none), `speakers` who spoke, `tails` the length of its asking tail.
    """
    old, count = len(links.before), len(threads)
    fresh = np.full(count - old, NOBODY, np.int32)
    before, after, answers = (np.concatenate((part, fresh)) for part in (links.before, links.after, links.answers))
    touched = np.unique(threads[old:])
    rows = np.flatnonzero(np.isin(threads, touched[touched >= 0])).astype(np.int32)
    rows = rows[np.argsort(threads[rows], kind="stable")]
    same = threads[rows[1:]] == threads[rows[:-1]]
    before[rows[1:][same]] = rows[:-1][same]
    after[rows[:-1][same]] = rows[1:][same]
    answers[old:] = _answered(np.arange(old, count, dtype=np.int32), before, speakers, tails)
    return Links(before, after, answers)


def _answered(rows: Rows, before: Rows, speakers: Rows, tails: Rows) -> Rows:
    """For each row the last turn of another speaker, at most `BACK` back, if that turn's tail asks; else -1."""
    found = np.full(len(rows), NOBODY, np.int32)
    open_ = np.ones(len(rows), bool)
    at = rows
    for _ in range(BACK):
        at = follow(before, at)
        other = open_ & (at >= 0) & (speakers[at] != speakers[rows])
        found[other] = at[other]
        open_ &= ~other
    return np.where((found >= 0) & (tails[found] > 0), found, NOBODY).astype(np.int32)


def follow(link: Rows, rows: Rows) -> Rows:
    """One step along a link; -1 stays -1."""
    return np.where(rows >= 0, link[rows], NOBODY).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Layout:
    """Links with what a reader sees: lengths of each field, and the links cut down to visible rows."""

    visible: NDArray[np.bool_] | None
    links: Links
    lengths: dict[Field, NDArray[np.float32]]


def layout(links: Links, visible: NDArray[np.bool_] | None, own: Rows, head: Rows, tail: Rows) -> Layout:
    """The fields' lengths where only visible rows lend tokens; `visible` None means every row is."""
    turn = own.astype(np.float32)
    window = turn.copy()
    for link in (links.before, links.after):
        at = link
        for _ in range(REACH):
            window += _lent(at, head, visible)
            at = follow(link, at)
    return Layout(visible, links, {"turn": turn, "pair": turn + _lent(links.answers, tail, visible), "window": window})


def _lent(source: Rows, sizes: Rows, visible: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """How many tokens each row borrows from its source."""
    good = source >= 0
    if visible is not None:
        good &= visible[source]
    return np.where(good, sizes[source], 0).astype(np.float32)


def counted(field: Field, own: Hit | None, tail: Hit | None, at: Layout, size: int) -> Counts | None:
    """Where and how often a token counts in a field, given the rows that hold it themselves and in their tails.

    None where it counts nowhere. Rows the reader cannot see neither lend nor receive.
    """
    own, tail = _seen(own, at), _seen(tail, at) if field == "pair" else None
    parts: list[Counts] = [] if own is None else [(own[0], own[1])]
    if own is not None and field == "window":
        parts += _lent_by(own[0], own[2], at.links)
    if tail is not None:
        parts += _answering(tail[0], tail[1], at.links)
    if len(parts) < 2:
        return parts[0] if parts else None
    rows, counts = _added(parts, size)
    if at.visible is not None:
        good = at.visible[rows]
        rows, counts = rows[good], counts[good]
    return (rows, counts) if len(rows) else None


def _seen(hit: Hit | None, at: Layout) -> Hit | None:
    """The part of a hit that lies in visible rows."""
    if hit is None or at.visible is None:
        return hit
    good = at.visible[hit[0]]
    return (hit[0][good], hit[1][good], hit[2][good]) if good.any() else None


def _lent_by(rows: Rows, heads: NDArray[np.float32], links: Links) -> list[Counts]:
    """What each row's head adds to the windows of its neighbours."""
    parts: list[Counts] = []
    for link in (links.before, links.after):
        target = rows
        for _ in range(REACH):
            target = follow(link, target)
            good = target >= 0
            parts.append((target[good], heads[good]))
    return parts


def _answering(rows: Rows, counts: NDArray[np.float32], links: Links) -> list[Counts]:
    """What each row's asking tail adds to the turns that answer it."""
    parts: list[Counts] = []
    target = rows
    for _ in range(BACK):
        target = follow(links.after, target)
        good = (target >= 0) & (links.answers[target] == rows)
        parts.append((target[good], counts[good]))
    return parts


def _added(parts: list[Counts], size: int) -> Counts:
    """The parts' counts added up by row, rows ascending; within one part no row comes twice."""
    total = sum(len(rows) for rows, _ in parts)
    if total * SPARSE < size:
        found, place = np.unique(np.concatenate([rows for rows, _ in parts]), return_inverse=True)
        added = np.bincount(place, np.concatenate([counts for _, counts in parts]), len(found))
        return found, added.astype(np.float32)
    dense = np.zeros(size, np.float32)
    for rows, counts in parts:
        dense[rows] += counts
    held = np.flatnonzero(dense).astype(np.int32)
    return held, dense[held]
