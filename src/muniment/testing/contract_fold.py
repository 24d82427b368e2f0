"""The fold through the store, and the operations on facts, as tests of the contract.

Belongs here: timelines, disputes, contenders, change, correction, reinforcement. Does not belong here: keys, tokens and
idempotency (`contract`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import permutations

import pytest

from muniment.domain.enums import Change, Standing
from muniment.domain.errors import Conflict, NotFound
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import ContractBase, instant, timeline, value
from muniment.testing.doubles import SteppingClock


class FoldContract(ContractBase):
    """What the statements of a slot give, in whatever order they come, and what each operation does to them."""

    # -- the fold through the store ------------------------------------------------------------------------------------

    MOVES = (
        ("lives in Shanghai", "Shanghai", instant(1, month=1)),
        ("moved to Beijing", "Beijing", instant(8)),
        ("moves to Shenzhen", "Shenzhen", instant(10)),
    )

    @pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
    def test_three_moves_in_any_order(self, me: Reader, clock: SteppingClock, order: tuple[int, ...]) -> None:
        clock.to(instant(1))
        for place in order:
            content, city, since = self.MOVES[place]
            me.add_fact(content, predicate="residence", value=city, valid_from=since)
            clock.move(hours=1)
        monday, wednesday = instant(8), instant(10)
        assert timeline(me, "residence") == [
            ("Shanghai", instant(1, month=1), monday),
            ("Beijing", monday, wednesday),
            ("Shenzhen", wednesday, None),
        ]
        clock.to(instant(20))
        assert [value(me, "residence", valid_at=instant(day)) for day in (7, 8, 9, 10)] == [
            "Shanghai", "Beijing", "Beijing", "Shenzhen",
        ]  # fmt: skip
        assert value(me, "residence") == "Shenzhen"

    def test_what_was_known_when(self, me: Reader, clock: SteppingClock) -> None:
        """Told in January of Shanghai, on Tuesday of Wednesday's Shenzhen, on Thursday of Monday's Beijing."""
        shanghai, beijing, shenzhen = self.MOVES
        for (content, city, since), told in (
            (shanghai, instant(1, month=1)),
            (shenzhen, instant(9)),
            (beijing, instant(11)),
        ):
            clock.to(told)
            me.add_fact(content, predicate="residence", value=city, valid_from=since)
        clock.to(instant(12))
        tuesday, tuesday_night = instant(9, 12), instant(9, 23)
        assert value(me, "residence", valid_at=tuesday, known_at=tuesday_night) == "Shanghai"
        assert value(me, "residence", valid_at=tuesday) == "Beijing"
        assert value(me, "residence", valid_at=instant(10, 12), known_at=tuesday_night) == "Shenzhen"
        assert value(me, "residence", valid_at=instant(10, 12)) == "Shenzhen"
        assert value(me, "residence", valid_at=tuesday, known_at=instant(5)) == "Shanghai"
        assert value(me, "residence", valid_at=tuesday, known_at=instant(1, month=1) - timedelta(days=1)) is None

    def test_a_bounded_statement_overlays_and_what_held_resumes(self, me: Reader, clock: SteppingClock) -> None:
        """Coffee since the 20th; told later, tea on the 21st and 22nd."""
        clock.to(instant(20, 8))
        me.add_fact("drinks coffee", predicate="seat", value="coffee", valid_from=instant(20))
        before = me.facts().known_at
        clock.to(instant(24))
        me.add_fact("drank tea", predicate="seat", value="tea", valid_from=instant(21), valid_until=instant(23))
        assert timeline(me, "seat") == [
            ("coffee", instant(20), instant(21)),
            ("tea", instant(21), instant(23)),
            ("coffee", instant(23), None),
        ]
        assert value(me, "seat", valid_at=instant(21)) == "tea"
        assert value(me, "seat", valid_at=instant(21), known_at=before) == "coffee"
        assert value(me, "seat", valid_at=instant(23)) == "coffee"

    def test_equal_start_and_trust_is_a_dispute_until_settled(self, me: Reader, clock: SteppingClock) -> None:
        start = instant(1)
        one = me.add_fact("aisle", predicate="seat", value="aisle", valid_from=start)
        two = me.add_fact("window", predicate="seat", value="window", valid_from=start)
        assert [decision.outcome for decision in two.decisions] == ["in conflict"]
        assert two.decisions[0].conflicts_with == one.facts
        shown = me.facts(predicate="seat")
        assert {(fact.value, fact.standing) for fact in shown} == {
            ("aisle", Standing.DISPUTED),
            ("window", Standing.DISPUTED),
        }
        disputed = shown.known_at
        (conflict,) = me.explain(one.facts[0]).conflicts
        assert set(conflict["facts"]) == {*one.facts, *two.facts}
        clock.move(days=1)
        me.add_fact("window", predicate="seat", value="window", valid_from=instant(2))
        clock.move(days=1)
        assert {(fact.value, fact.standing) for fact in me.facts(predicate="seat")} == {("window", Standing.HELD)}
        assert {fact.standing for fact in me.facts(predicate="seat", known_at=disputed)} == {Standing.DISPUTED}

    def test_a_less_trusted_one_contends_while_it_is_covered(self, me: Reader) -> None:
        me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(1), valid_until=instant(10))
        doubt = me.add_fact("window", predicate="seat", value="window", valid_from=instant(5), trust=10)
        assert doubt.decisions[0].outcome == "in conflict"
        assert [fact.value for fact in me.facts(predicate="seat", valid_at=instant(6))] == ["aisle"]
        both = me.facts(predicate="seat", valid_at=instant(6), include_contenders=True)
        assert {(fact.value, fact.standing) for fact in both} == {
            ("aisle", Standing.HELD),
            ("window", Standing.CONTENDER),
        }
        assert [fact.value for fact in me.facts(predicate="seat", valid_at=instant(11))] == ["window"]

    def test_many_values_stand_beside_each_other(self, me: Reader) -> None:
        for drink in ("tea", "coffee"):
            me.add_fact(f"likes {drink}", predicate="likes", value=drink)
        assert {fact.value for fact in me.facts(predicate="likes")} == {"tea", "coffee"}
        assert {fact.standing for fact in me.facts(predicate="likes")} == {Standing.HELD}

    # -- operations -----------------------------------------------------------------------------------------------------

    def test_a_correction_of_part_of_a_period_splits_the_statement(self, me: Reader) -> None:
        fact_id = me.add_fact("aisle seat", predicate="seat", value="aisle", valid_from=instant(1)).facts[0]
        me.correct(fact_id, value="window", valid_from=instant(5), valid_until=instant(8), reason="misheard")
        assert timeline(me, "seat") == [
            ("aisle", instant(1), instant(5)),
            ("window", instant(5), instant(8)),
            ("aisle", instant(8), None),
        ]
        latest = [row for row in me.history(fact_id) if row.retracted_at is None]
        assert {(row.fact_id, row.revision, row.change, row.reason) for row in latest} == {
            (fact_id, 2, Change.CORRECT, "misheard")
        }

    def test_a_correction_covers_every_telling(self, me: Reader) -> None:
        """A fact told for two periods that touch is one statement of both; other words replace all of it."""
        first = me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(1), valid_until=instant(3))
        again = me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(3), valid_until=instant(5))
        assert again.facts == first.facts
        me.correct(first.facts[0], value="window")
        assert timeline(me, "seat") == [("window", instant(1), instant(5))]

    def test_a_change_is_a_new_fact_linked_to_the_old(self, me: Reader) -> None:
        old = me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1)).facts[0]
        new = me.change(old, value="Rome", at=instant(5), reason="moved").facts[0]
        assert new != old
        assert timeline(me, "residence") == [("Paris", instant(1), instant(5)), ("Rome", instant(5), None)]
        assert {row.fact_id for row in me.history(old)} == {row.fact_id for row in me.history(new)} == {old, new}
        latest = me.history(new)[-1]
        assert (latest.supersedes_id, latest.content, latest.reason) == (old, "lives in Rome", "moved")
        gone = me.change(new, at=instant(7)).facts[0]
        assert value(me, "residence", valid_at=instant(8)) is None
        assert me.history(gone)[-1].metadata["unknown"] is True

    def test_a_change_back_is_followed_too(self, me: Reader) -> None:
        first = me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1)).facts[0]
        second = me.change(first, value="Rome", at=instant(5)).facts[0]
        third = me.change(second, value="Paris", at=instant(9)).facts[0]
        assert timeline(me, "residence") == [
            ("Paris", instant(1), instant(5)),
            ("Rome", instant(5), instant(9)),
            ("Paris", instant(9), None),
        ]
        for ref in (first, second, third):
            assert {row.fact_id for row in me.history(ref)} == {first, second, third}
        me.invalidate(second)
        assert timeline(me, "residence") == [("Paris", instant(1), None)]

    def test_a_change_of_one_of_many_values_ends_that_one(self, me: Reader) -> None:
        tea = me.add_fact("likes tea", predicate="likes", value="tea", valid_from=instant(1)).facts[0]
        me.add_fact("likes jazz", predicate="likes", value="jazz", valid_from=instant(1))
        me.change(tea, value="coffee", at=instant(5))
        assert timeline(me, "likes") == [
            ("jazz", instant(1), None),
            ("tea", instant(1), instant(5)),
            ("coffee", instant(5), None),
        ]

    def test_what_is_invalidated_lets_its_predecessor_extend(self, me: Reader) -> None:
        me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1))
        rome = me.add_fact("lives in Rome", predicate="residence", value="Rome", valid_from=instant(5)).facts[0]
        assert timeline(me, "residence")[0] == ("Paris", instant(1), instant(5))
        me.invalidate(rome, reason="a joke")
        assert timeline(me, "residence") == [("Paris", instant(1), None)]
        with pytest.raises(NotFound):
            me.invalidate(rome)
        last = me.history(rome)[-1]
        assert (last.change, last.reason, last.standing) == (Change.INVALIDATE, "a joke", None)

    def test_repeats_reinforce_one_fact(self, memory: Muniment, me: Reader, clock: SteppingClock) -> None:
        """One fact, an evidence a telling, and independent sources counted once each."""
        first = me.observe("likes: tea")
        clock.move(days=1)
        again = me.observe("likes: tea")
        assert again.facts == first.facts
        assert again.decisions[0].outcome == "reinforced"
        (fact,) = me.facts(predicate="likes")
        assert fact.sources == 1
        assert fact.confidence == pytest.approx(0.9)
        assert set(fact.evidence) == {*first.evidence, *again.evidence}
        clock.move(days=1)
        other = me.observe("likes: tea", source_system="crm")
        (fact,) = me.facts(predicate="likes")
        assert other.facts == first.facts
        assert (fact.sources, fact.confidence) == (2, 0.99)
        assert fact.expires_at == clock.now + timedelta(days=memory.policy.lifetime.days)
        assert [row.change for row in me.history(fact.id)] == [Change.ASSERT, Change.REINFORCE, Change.REINFORCE]

    def test_an_expected_revision_that_moved_is_a_conflict(self, me: Reader) -> None:
        fact_id = me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1)).facts[0]
        me.correct(fact_id, value="Lyon", expected_revision=1)
        before = self.everything(me)
        amendments: tuple[Callable[[], object], ...] = (
            lambda: me.correct(fact_id, value="Nice", expected_revision=1),
            lambda: me.change(fact_id, value="Nice", at=instant(3), expected_revision=1),
            lambda: me.invalidate(fact_id, expected_revision=1),
        )
        for amend in amendments:
            with pytest.raises(Conflict) as caught:
                amend()
            assert caught.value.current == 2
        assert self.everything(me) == before
