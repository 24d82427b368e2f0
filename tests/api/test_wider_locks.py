"""A write that turns out to reach a partition it did not lock is begun anew, and nothing of it is lost by that."""

from __future__ import annotations

from muniment.service.muniment import Muniment
from muniment.testing.doubles import SteppingClock


def test_the_words_of_an_act_that_is_begun_anew_keep_their_vectors(memory: Muniment, clock: SteppingClock) -> None:
    kit = memory.reader(tenant="acme", user="kit", departments=["kiln"], roles=("reviewer",))
    root = kit.add_fact("The glaze is celadon.", predicate="glaze", value="celadon").fact_id
    shared = kit.add_fact("Fire it at 1280 degrees.", scope="DEPARTMENT", derived_from=[str(root)]).fact_id
    assert shared is not None
    clock.move(days=1)
    changed = kit.change(str(root), value="tenmoku").fact_id
    assert changed is not None
    assert shared not in {fact.id for fact in kit.facts()}, "the change reached the department's memory"
    with memory.parts.store.write(kit.identity, memory.parts.pipeline.locks(kit.identity, [])) as unit:
        assert unit.vectors([changed]).get(changed)
