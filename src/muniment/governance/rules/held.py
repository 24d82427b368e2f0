"""How a candidate bears on what is held: it reinforces, contradicts, extends, or is new.

Belongs here: the relation and the verdict that names it. Does not belong here: what a contradiction does to the
timeline (the fold of domain/, with the sources' trust).
"""

from __future__ import annotations

from muniment.domain.records import Fact, Verdict
from muniment.governance.considered import Considered, Relation
from muniment.governance.rules.verdicts import accept
from muniment.governance.sameness import negates, opposed, same_statement


def relation(considered: Considered) -> tuple[Relation, Fact | None, tuple[Fact, ...]]:
    """The relation, the fact that says the same, and the facts it contradicts.

    A single-valued slot's other value contradicts; a multi-valued one's extends, unless the words are opposed.
    """
    candidate = considered.candidate
    here = [fact for fact in considered.held if considered.placement is None or fact.placement == considered.placement]
    same = next((fact for fact in here if same_statement(candidate, fact)), None)
    if same is not None:
        return "reinforce", same, ()
    in_slot = [fact for fact in here if candidate.slot is not None and fact.slot == candidate.slot]
    against = [fact for fact in here if _against(considered, fact, in_slot=fact in in_slot)]
    if against:
        return "contradict", None, tuple(against)
    return ("extend" if in_slot else "new"), None, ()


def held(considered: Considered) -> Verdict:
    """Never in the way: the relation decides what the commit does, and the verdict says which it is."""
    kind, same, against = relation(considered)
    # Verdicts outlive what they speak of: they name facts by id and quote nothing.
    if kind == "reinforce" and same is not None:
        return accept("held", f"says again what fact {same.fact_id} holds")
    if kind == "contradict":
        return accept("held", f"disagrees with fact {against[0].fact_id}")
    return accept("held", "adds to what is held" if kind == "extend" else "nothing like it is held")


def _against(considered: Considered, fact: Fact, *, in_slot: bool) -> bool:
    """Whether both cannot hold: another value of a single-valued slot, a negation, or, outside a slot, another
    quantity."""
    if in_slot:
        return considered.predicate.single or negates(considered.candidate, fact)
    return opposed(considered.candidate, fact)
