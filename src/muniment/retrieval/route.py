"""Which channels a question needs, and why. Deterministic.

The seeds' cases: an identifier or slot asked for → exact, and it stops if that answers; an interaction in progress → window
first; all else → facts, then evidence. A caller may name channels. Summary, task, workflow and knowledge join with their
own tables.

Belongs here: the decision. Does not belong here: the channels.
"""

from __future__ import annotations

from muniment.domain.answers import Route
from muniment.retrieval.ask import CHANNELS, Ask
from muniment.retrieval.channels.exact import Exact


def route(ask: Ask, exact: Exact | None, *, with_window: bool) -> Route:
    """The channels to ask, in the order of the merge, each with its reason."""
    if ask.channels is not None:
        chosen = tuple(name for name in CHANNELS if name in ask.channels)
        return Route(channels=chosen, reasons=dict.fromkeys(chosen, "named by the caller"))
    reasons: dict[str, str] = {}
    if exact is not None:
        reasons["exact"] = exact.reason
        if exact.answers:
            return Route(channels=("exact",), reasons=reasons, stopped="exact")
    reasons["facts"] = "what is held may answer"
    if with_window and ask.reader.session is not None:
        reasons["window"] = "the session is in progress"
    reasons["evidence"] = "what was said answers where nothing held does"
    chosen = tuple(name for name in CHANNELS if name in reasons)
    return Route(channels=chosen, reasons={name: reasons[name] for name in chosen})
