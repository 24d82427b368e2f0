"""Step 1: which channels a question needs, in which order, and why. Deterministic: the same question goes the same way.

The seeds' four cases, tried in this order, and the one of ongoing work:

    exact        an identifier or slot is asked for; where the exact channel answers, nothing else is asked
    how-to       'how is this usually done' → workflow first
    ongoing      a reference to work under way → the task and its state
    context      what has been going on → the summaries; single turns only where those do not answer
    interaction  a session in progress → the window first, which is fresher than any summary

A case adds its channel to what every question may need, the facts and what was said; a caller may name the channels instead.

Belongs here: the decision. Does not belong here: the channels, and reading identifiers and slots (`asked`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from muniment.domain.answers import Route
from muniment.retrieval.ask import CHANNELS, Ask, Recall
from muniment.text.folding import narrow

CASES: Final = ("how_to", "ongoing", "context")
"""The cases that a question's words show, in the order in which they are tried; the first that fits decides."""

_ADDS: Final[Mapping[str, Mapping[str, str]]] = {
    "how_to": {"workflow": "the question is how something is done"},
    "ongoing": {
        "task": "the question refers to work under way",
        "summary": "what led up to the work under way",
    },
    "context": {"summary": "the question is what has been going on"},
}


def case_of(question: str) -> str | None:
    """The first of `CASES` whose words the question has; None for a question like any other."""
    text = narrow(question).replace("’", "'")
    return next((case for case in CASES if _pattern(case).search(text)), None)


def without_case(question: str) -> str:
    """What a question is about beside the words that show its case: 'recap what we said of Kyoto' leaves Kyoto."""
    text = narrow(question).replace("’", "'")
    case = case_of(question)
    return text if case is None else _pattern(case).sub(" ", text)


def route(ask: Ask, exact: Recall | None, *, available: Collection[str], in_context: bool) -> Route:
    """The channels to ask, in the order of the merge, each with its reason.

    `exact` is what the exact channel found (None: it was not asked), `available` the channels that there are, `in_context`
    whether a context is built, which wants the running conversation too.
    """
    if ask.channels is not None:
        named = dict.fromkeys((name for name in CHANNELS if name in ask.channels), "named by the caller")
        return Route(channels=tuple(named), reasons=named, case="named")
    reasons: dict[str, str] = {"exact": _of(exact)}
    if exact is not None and exact.answers:
        return Route(channels=("exact",), reasons=reasons, case="exact", stopped="exact")
    case = case_of(ask.query)
    reasons |= _ADDS.get(case or "", {})
    reasons["facts"] = "what is held may answer"
    reasons["evidence"] = "what was said answers where nothing held does"
    reasons["knowledge"] = "the application's own sources may answer"
    if in_context and ask.reader.session is not None:
        reasons["window"] = "the session is in progress"
        reasons.setdefault("summary", "what the session was about before its window")
    if in_context and ask.reader.task is not None:
        reasons.setdefault("task", "a task is under way")
    chosen = {name: reasons[name] for name in CHANNELS if name in reasons and name in available}
    running = "interaction" if "window" in chosen else "general"
    return Route(channels=tuple(chosen), reasons=chosen, case=case or running)


SPARED: Final[Mapping[str, tuple[str, ...]]] = {"context": ("evidence",)}
"""By case, the channels that are not asked where the summary answered."""


def spared(route: Route, name: str, answered: Collection[str]) -> str | None:
    """Why a routed channel need not be asked any more, given those that answered; None where it has to be."""
    if name in SPARED.get(route.case, ()) and "summary" in answered:
        return "the summary answers"
    return None


def _of(exact: Recall | None) -> str:
    return "no identifier or slot is asked for" if exact is None or not exact.reason else exact.reason


@cache
def _pattern(case: str) -> re.Pattern[str]:
    words: Mapping[str, Any] = tomllib.loads(
        (resources.files("muniment.retrieval") / "route.toml").read_text(encoding="utf-8")
    )
    english, chinese = words[case]["en"], words[case]["zh"]
    return re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(english)})(?![A-Za-z])|{'|'.join(chinese)}", re.IGNORECASE)
