"""What every store must do, as tests: subclass `StoreContract`, give it a `store_url` fixture, and run pytest.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store_url(self): ...             # a place of this test's own, empty

Override `open` where a store is reached otherwise than by `muniment.open(url)`. The tests speak through the facade, so that
they hold for any store under it; what is a database's own (tables, views, raw rows) is tested beside its adapter.
Concurrency is in `contract_concurrency`.

Belongs here: the promises of the store port. Does not belong here: SQL.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from typing import Any

from zoneinfo import ZoneInfo

import pytest

import muniment
from muniment.domain.enums import Change, Standing
from muniment.domain.errors import Conflict, IdempotencyConflict, NotFound
from muniment.domain.records import Candidate, Fact
from muniment.ports.store import FactFilter
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.doubles import LinesExtractor, SteppingClock

LOOK_ALIKE = (
    "acme",
    "ACME",
    "acme ",
    " acme",
    "acm\u00e9",
    "acme\u200b",
    "acme-corp",
    "a%",
    "a_",
    "%",
    "_",
    "\U0001f98a",
    "\U0001f984",
    "ss",
    "\u00df",
    "部门",
    "部門",
    "*",
    "None",
)
"""Keys that one database or another takes for each other: by case, accents, padding, patterns, emoji, expansion."""


def instant(day: int, hour: float = 0.0, *, month: int = 6) -> datetime:
    """An instant of 2026, UTC."""
    return datetime(2026, month, day, tzinfo=UTC) + timedelta(hours=hour)


def timeline(me: Reader, predicate: str, *, standings: Sequence[Standing] = (Standing.HELD,)) -> list[tuple[Any, ...]]:
    """What is believed now of a predicate over all time, as (value, from, until), in order."""
    rows = [row for row in believed(me, predicate) if row.standing in standings]
    return sorted(((row.value, row.valid_from, row.valid_until) for row in rows), key=lambda row: (str(row[1]), row[0]))


def believed(me: Reader, predicate: str) -> list[Fact]:
    """Every version of a predicate's facts that is believed now, whenever it holds."""
    with me.parts.store.read(me.identity) as unit:
        rows = unit.facts(FactFilter(predicate=predicate, include_inactive=True))
    return [row for row in rows if row.retracted_at is None and row.standing is not None]


def value(me: Reader, predicate: str, **instants: Any) -> str | None:
    """The slot's value, as of the instants."""
    fact = me.get(predicate, **instants)
    return None if fact is None else fact.value


class StoreContract:
    """Tests of one store. Needs a fixture `store_url`; `open` may be overridden."""

    def open(self, url: str, **given: Any) -> Muniment:
        """A memory over the store under test. Called again with the same URL it must find what was there."""
        return muniment.open(url, **{"embedder": "none", "extractor": LinesExtractor(), **given})

    @pytest.fixture
    def clock(self) -> SteppingClock:
        """The memory's clock."""
        return SteppingClock()

    @pytest.fixture
    def memory(self, store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
        """An open memory over an empty store."""
        with self.open(store_url, clock=clock) as memory:
            yield memory

    @pytest.fixture
    def me(self, memory: Muniment) -> Reader:
        """One user's reader."""
        return memory.reader(tenant="acme", user="ana", session="s1")

    # -- keys -------------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("kind", ["tenant", "user", "session", "task", "agent"])
    def test_keys_are_compared_byte_for_byte(self, memory: Muniment, kind: str) -> None:
        """Keys that look alike never see each other's facts or evidence."""
        scope = {"tenant": "USER", "user": "USER"}.get(kind, kind.upper())
        readers = {key: memory.reader(**{"tenant": "t", "user": "u", kind: key}) for key in LOOK_ALIKE}
        for key, reader in readers.items():
            receipt = reader.add_fact(f"mark {key!r}", predicate="mark", value=f"of {key!r}", scope=scope)
            assert receipt.facts, receipt.lines
        for key, reader in readers.items():
            assert [fact.value for fact in reader.facts(predicate="mark")] == [f"of {key!r}"], key
            assert [hit.text for hit in reader.search("mark", channels=["facts"])] in ([f"mark {key!r}"], []), key

    def test_departments_are_compared_byte_for_byte(self, memory: Muniment) -> None:
        for key in LOOK_ALIKE:
            boss = memory.reader(user="boss", departments=[key], roles=["reviewer"])
            receipt = boss.add_fact(f"mark {key!r}", predicate="mark", value=key, scope="DEPARTMENT", department=key)
            assert receipt.facts, receipt.lines
        for key in LOOK_ALIKE:
            found = memory.reader(user="eve", departments=[key]).facts(predicate="mark")
            assert [fact.placement.department for fact in found] == [key]
        some = ("acme", "a%", "\U0001f98a")
        both = memory.reader(user="eve", departments=some).facts(predicate="mark")
        assert {fact.placement.department for fact in both} == set(some)

    def test_a_key_is_one_key_in_either_normal_form(self, memory: Muniment) -> None:
        decomposed, composed = (unicodedata.normalize(form, "acmé") for form in ("NFD", "NFC"))
        assert decomposed != composed
        memory.reader(user=decomposed).add_fact("mark", predicate="mark", value="one")
        assert value(memory.reader(user=composed), "mark") == "one"
        assert value(memory.reader(user="acme"), "mark") is None

    def test_words_with_pattern_signs_are_words(self, me: Reader) -> None:
        for word in ("50% off", "50_ off", "50\\ off", "it's", 'say "hi"', "{x}", ":now", "; DROP TABLE fact"):
            me.add_fact(f"offer {word}", predicate=f"offer {word}", value=word)
        for word in ("50% off", "50_ off", "50\\ off", "it's", 'say "hi"', "{x}", ":now", "; DROP TABLE fact"):
            assert [fact.value for fact in me.facts(predicate=f"offer {word}")] == [word]

    def test_odd_text_is_kept_alike(self, me: Reader) -> None:
        """What no store may hold is taken out before; all else comes back as it was, to the last emoji and space."""
        odd = "nul\x00, half \ud83d, whole \U0001f98a, 中文、ﬁ, e\u0301, \r\n\ttabbed \u200b\u202e end "
        kept = odd.replace("\x00", "").replace("\ud83d", "\ufffd")
        said = me.observe(odd, metadata={"k": odd}, speaker=odd[:40])
        with me.parts.store.read(me.identity) as unit:
            piece = unit.evidence(said.evidence)[said.evidence[0]]
        assert (piece.content, piece.metadata) == (kept, {"k": kept})
        receipt = me.add_fact("odd", predicate=f"odd {odd}", value=odd, qualifier=odd, metadata={"m": odd})
        fact = me.history(receipt.facts[0])[-1]
        assert (fact.value, fact.metadata) == (kept, {"m": kept})
        me.correct(fact.id, value=f"{odd}!", reason=odd)
        me.forget(fact=fact.id, reason=odd)

    # -- instants and numbers ----------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "at",
        [
            datetime(2026, 6, 1, 9, 30, 15, 123456, tzinfo=ZoneInfo("Asia/Shanghai")),
            datetime(2026, 6, 1, 9, 30, 15, 1, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
            datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
            datetime(1066, 10, 14, 9, tzinfo=UTC),
            datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
            datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Paris")),
        ],
        ids=str,
    )
    def test_instants_come_back_to_the_microsecond(self, me: Reader, at: datetime) -> None:
        """Of the event and its evidence with offset and zone; of a fact in UTC."""
        receipt = me.observe("height: tall", occurred_at=at)
        why = me.explain(receipt.facts[0])
        for occurred in (why.events[0].occurred, why.evidence[0].occurred):
            assert occurred is not None
            assert occurred.at == at.astimezone(UTC)
            assert occurred.offset == round((at.utcoffset() or timedelta()).total_seconds() / 60)
            assert occurred.zone == getattr(at.tzinfo, "key", None)
        fact_id = me.add_fact("weighs much", predicate="weight", value="much", valid_from=at).facts[0]
        (version,) = me.history(fact_id)
        assert version.valid_from == version.stated_from == at.astimezone(UTC)

    @pytest.mark.parametrize("points", [0, 1, 5499, 5500, 8199, 8200, 9999, 10_000])
    def test_confidence_is_compared_in_ten_thousandths(self, me: Reader, points: int) -> None:
        (decision,) = me.propose([Candidate(content="the sky is green", confidence=points / 10_000)])
        expected = "committed" if points >= 8200 else "needs confirmation" if points >= 5500 else "dropped"
        assert decision.outcome == expected
        with me.parts.store.read(me.identity) as unit:
            (kept,) = unit.candidates(ids=[decision.candidate_id])
        assert kept.confidence == points / 10_000

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
        for amend in (
            lambda: me.correct(fact_id, value="Nice", expected_revision=1),
            lambda: me.change(fact_id, value="Nice", at=instant(3), expected_revision=1),
            lambda: me.invalidate(fact_id, expected_revision=1),
        ):
            with pytest.raises(Conflict) as caught:
                amend()
            assert caught.value.current == 2
        assert self.everything(me) == before

    # -- what a past read gave ---------------------------------------------------------------------------------------------

    def test_a_read_as_of_a_token_never_changes(self, me: Reader, clock: SteppingClock) -> None:
        """Facts with their evidence, and search, with what was flagged; whatever was told, corrected or invalidated since."""
        taken: list[tuple[Any, Any]] = []
        first = me.observe("residence: Paris\nlikes: tea").facts[0]
        seat = me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(1)).facts[0]
        steps = (
            lambda: me.observe("residence: Paris", source_system="crm"),
            lambda: me.add_fact("window", predicate="seat", value="window", valid_from=instant(1)),
            lambda: me.change(first, value="Rome", at=instant(1, 10)),
            lambda: me.correct(seat, value="middle"),
            lambda: me.observe("likes: tea and scones in Rome"),
            lambda: me.invalidate(seat),
        )
        for step in steps:
            page = me.facts(include_contenders=True)
            taken.append((page.known_at, self.seen(me, valid_at=clock.now, known_at=page.known_at)))
            assert taken[-1][1] == self.seen(me)
            step()
            clock.move(hours=1)
            for token, answer in taken:
                at = taken_at(token, taken, clock)
                assert self.seen(me, valid_at=at, known_at=token) == answer

    def seen(self, me: Reader, **instants: Any) -> Any:
        """Everything a reader is told about facts, and what a search and a context say."""
        facts = me.facts(include_contenders=True, **instants).items
        hits = me.search("tea residence Paris Rome", **instants)
        context = me.context("tea residence Paris Rome", **instants)
        return (
            [
                (f.id, f.revision, f.segment, f.value, f.standing, f.valid_from, f.valid_until, f.evidence)
                for f in facts
            ],
            [(hit.id, hit.why.flags) for hit in hits],
            context.text,
        )

    # -- idempotency --------------------------------------------------------------------------------------------------------

    def test_a_repeated_key_answers_with_the_first_receipt(
        self, memory: Muniment, me: Reader, clock: SteppingClock
    ) -> None:
        first = me.observe("likes: tea", idempotency_key="k", source="chat")
        before = self.everything(me)
        clock.move(hours=1)
        again = me.observe("likes: tea", idempotency_key="k", source="chat")
        assert again.replayed
        assert not first.replayed
        for name in ("event", "evidence", "candidates", "facts", "lines", "decisions", "known_at"):
            assert getattr(again, name) == getattr(first, name), name
        assert self.everything(me) == before
        with pytest.raises(IdempotencyConflict):
            me.observe("likes: coffee", idempotency_key="k", source="chat")
        assert self.everything(me) == before
        # Keys are per user and source.
        assert not me.observe("likes: coffee", idempotency_key="k", source="mail").replayed
        assert not memory.reader(tenant="acme", user="bo").observe("likes: coffee", idempotency_key="k").replayed
        for alike in ("K", "k ", "\uff4b"):
            assert not me.observe("likes: milk", idempotency_key=alike, source="chat").replayed

    def test_a_repeated_key_within_one_batch(self, me: Reader) -> None:
        item = {"content": "likes: tea", "idempotency_key": "k"}
        one, two = me.observe_many([item, item])
        assert (one.replayed, two.replayed) == (False, True)
        assert one.event == two.event
        before = self.everything(me)
        with pytest.raises(IdempotencyConflict):
            me.observe_many([{"content": "fine"}, {"content": "likes: milk", "idempotency_key": "k"}])
        assert self.everything(me) == before

    def test_a_structured_write_is_idempotent_too(self, me: Reader) -> None:
        given = {"predicate": "residence", "value": "Paris", "valid_from": instant(1), "idempotency_key": "k"}
        first = me.add_fact("lives in Paris", **given)
        assert me.add_fact("lives in Paris", **given).facts == first.facts
        assert len(me.history(first.facts[0])) == 1
        for other in ({"valid_from": instant(2)}, {"value": "paris!"}, {"metadata": {"n": 1}}, {"scope": "SESSION"}):
            with pytest.raises(IdempotencyConflict):
                me.add_fact("lives in Paris", **{**given, **other})

    def everything(self, me: Reader) -> Any:
        """Counts, versions and index entries: what a refused write must leave as it was."""
        with me.parts.store.read(me.identity) as unit:
            rows = unit.facts(FactFilter(include_inactive=True))
            states = unit.partition_states(list(me.parts.store.partitions()))
            entries = sorted((key, state.count) for key, state in states.items())
            return dict(unit.counts()), [(row.fact_id, row.revision, row.retracted_at) for row in rows], entries

    # -- again opened, and refused -----------------------------------------------------------------------------------------

    def test_all_is_there_when_opened_again(self, store_url: str, clock: SteppingClock) -> None:
        with self.open(store_url, clock=clock) as memory:
            me = memory.reader(user="ana", session="s1")
            me.observe("residence: Paris", metadata={"n": [1, "二", None]}, occurred_at=instant(1))
            before, hits = self.everything(me), [hit.id for hit in me.search("Paris")]
        with self.open(store_url, clock=clock) as memory:
            me = memory.reader(user="ana", session="s1")
            assert self.everything(me) == before
            assert [hit.id for hit in me.search("Paris")] == hits
            assert me.search("Paris", channels=["evidence"])[0].item.metadata == {"n": [1, "二", None]}

    def test_a_write_that_fails_leaves_nothing(self, memory: Muniment, me: Reader) -> None:
        me.observe("likes: tea")
        before = self.everything(me)
        for point in ("add_index", "record", "add_decision", "close", "audit"):
            unit_type = type_of_write(memory)
            whole = getattr(unit_type, point)

            def broken(*_: Any, **__: Any) -> Any:
                raise RuntimeError("the power went")

            setattr(unit_type, point, broken)
            try:
                with pytest.raises(RuntimeError, match="the power went"):
                    me.observe("likes: tea\nlikes: coffee\nresidence: Rome")
            finally:
                setattr(unit_type, point, whole)
            assert self.everything(me) == before, point
        assert me.observe("likes: coffee").facts

    def test_every_version_traces_to_evidence_and_event(self, me: Reader) -> None:
        said = me.observe("residence: Paris").facts[0]
        moved = me.change(said, value="Rome", at=instant(20)).facts[0]
        me.correct(moved, value="Milan", reason="misheard")
        me.invalidate(said)
        for row in me.history(said):
            assert row.evidence, row
            why = me.explain(row.fact_id)
            assert set(row.evidence) <= {piece.evidence_id for piece in why.evidence}
            assert {piece.event_id for piece in why.evidence} == {event.event_id for event in why.events}


def taken_at(token: Any, taken: Sequence[tuple[Any, Any]], clock: SteppingClock) -> datetime:
    """When a token was taken, where the clock moves an hour a step."""
    place = next(place for place, (other, _) in enumerate(taken) if other is token)
    return clock.now - timedelta(hours=len(taken) - place)


def type_of_write(memory: Muniment) -> Any:
    """The class of the store's write units."""
    from muniment.ports.store import Locks
    from muniment.domain.scope import Reader as Identity

    with memory.parts.store.write(Identity.of(user="probe"), Locks()) as unit:
        return type(unit)


__all__ = ["LOOK_ALIKE", "StoreContract", "believed", "instant", "timeline", "value"]
