"""Whose word it is, and whether they may write there.

Belongs here: `source_trust`, `write_scope`. Does not belong here: the choice of the place (`scoping.py`).
"""

from __future__ import annotations

from typing import Final

from muniment.domain.enums import MemoryType, Scope
from muniment.domain.records import Verdict
from muniment.domain.scope import may_write
from muniment.governance.considered import BEYOND, Considered
from muniment.governance.rules.verdicts import accept, confirm, reject

USERS_TO_MAKE: Final = frozenset({MemoryType.PREFERENCE, MemoryType.RULE, MemoryType.CONSTRAINT})
"""What only the user's own words make; from a tool, document, web page or agent it can at most ask."""
WIDE: Final = frozenset({Scope.DEPARTMENT, Scope.TENANT})


def source_trust(considered: Considered) -> Verdict:
    """Preferences, constraints and rules come from the user's own words, or ask."""
    kind = considered.candidate.memory_type
    if kind in USERS_TO_MAKE and not considered.users_own_words:
        return confirm("source_trust", f"a {kind.value.lower()} that is not the user's own word")
    return accept("source_trust", "a source that may say so")


def write_scope(considered: Considered) -> Verdict:
    """`may_write`; and DEPARTMENT and TENANT directly only by a structured call of one who may, out of talk never."""
    placement, reader = considered.placement, considered.reader
    if placement is None:
        if considered.candidate.scope in BEYOND:
            return reject("write_scope", considered.unplaced or "not a scope of this reader")
        return accept("write_scope", "it has no place to be written to")
    if placement.scope in WIDE:
        if considered.direct and may_write(reader, placement):
            return accept("write_scope", f"a {placement.scope.value.lower()}'s reviewer or admin wrote it")
        return confirm("write_scope", f"scope {placement.scope.value} takes a reviewer or admin")
    if not may_write(reader, placement):
        return reject("write_scope", f"scope {placement.scope.value} is not this reader's to write")
    return accept("write_scope", f"the reader's own {placement.scope.value.lower()} memory")
