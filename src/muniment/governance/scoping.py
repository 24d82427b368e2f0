"""Where a candidate would live.

Belongs here: the choice of scope, and scoping down of what does not last. Does not belong here: who may write there
(`rules/source.py`).
"""

from __future__ import annotations

from dataclasses import replace

from muniment.domain.enums import Scope
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Candidate
from muniment.domain.scope import Placement, Reader
from muniment.governance.considered import Considered
from muniment.text.wording import mentions


def placed(considered: Considered) -> Considered:
    """The same with its placement and the candidate's scope filled in, or `unplaced` with the reason why it has none.

    A scope that was asked for stands; without one it is USER. What does not last, by its extractor or its wording, goes
    to the task, else to the session, never to the user; with neither it has no place (its evidence stays searchable).
    """
    candidate, reader = considered.candidate, considered.reader
    passing = _passing(candidate)
    asked = candidate.scope
    if asked is not None and asked is not Scope.TASK and (candidate.stable or asked is Scope.SESSION):
        scope: Scope | None = asked
    elif passing or asked is Scope.TASK:
        scope = _narrow(reader)
    else:
        scope = Scope.USER
    if scope is None:
        reason = f"{passing or 'for a task'}: there is no task or session it could belong to"
        return replace(considered, unplaced=reason, candidate=replace(candidate, scope=Scope.SESSION))
    try:
        placement = Placement.for_reader(scope, reader, department=candidate.department)
    except InvalidInput as error:
        return replace(considered, unplaced=str(error))
    return replace(considered, placement=placement, candidate=replace(candidate, scope=scope))


def _passing(candidate: Candidate) -> str | None:
    """Why it does not last, or None. The wording decides only where no scope was asked for."""
    if not candidate.stable:
        return "a mood or one-off"
    if candidate.scope is not None:
        return None
    words = candidate.quote or candidate.content
    if mentions("once", words):
        return "meant for this once"
    return "a passing mood" if mentions("mood", words) else None


def _narrow(reader: Reader) -> Scope | None:
    if reader.task is not None:
        return Scope.TASK
    return Scope.SESSION if reader.session is not None else None
