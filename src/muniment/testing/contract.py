"""What every store must do, as tests: subclass `StoreContract`, give it a `store_url` fixture, and run pytest.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store_url(self): ...             # a place of this test's own, empty

Override `open` where a store is reached otherwise than by `muniment.open(url)`. The tests speak through the facade, so that
they hold for any store under it; what is a database's own (tables, views, raw rows) is tested beside its adapter. They come
in three parts: here, `contract_fold` (inherited) and `contract_concurrency` (a class of its own).

Belongs here: keys, instants, tokens, idempotency, durability. Does not belong here: SQL.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from muniment.domain.errors import IdempotencyConflict
from muniment.domain.records import Candidate, Evidence
from muniment.domain.scope import Reader as Identity
from muniment.ports.store import Locks
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import LOOK_ALIKE, instant, value
from muniment.testing.contract_fold import FoldContract
from muniment.testing.doubles import SteppingClock


class StoreContract(FoldContract):
    """Tests of one store. Needs a fixture `store_url`; `open` may be overridden."""

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
        # What a memory says reads as it is written; its evidence keeps what turns words around.
        assert (fact.value, fact.metadata) == (kept.replace("\u202e", ""), {"m": kept})
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

    # -- what a past read gave ---------------------------------------------------------------------------------------------

    def test_a_read_as_of_a_token_never_changes(self, me: Reader, clock: SteppingClock) -> None:
        """Facts with their evidence, and search, with what was flagged; whatever was told, corrected or invalidated since."""
        taken: list[tuple[Any, Any]] = []
        first = me.observe("residence: Paris\nlikes: tea").facts[0]
        seat = me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(1)).facts[0]
        steps: tuple[Callable[[], object], ...] = (
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
        given: dict[str, Any] = {
            "predicate": "residence",
            "value": "Paris",
            "valid_from": instant(1),
            "idempotency_key": "k",
        }
        first = me.add_fact("lives in Paris", **given)
        assert me.add_fact("lives in Paris", **given).facts == first.facts
        assert len(me.history(first.facts[0])) == 1
        others: tuple[dict[str, Any], ...] = (
            {"valid_from": instant(2)}, {"value": "paris!"}, {"metadata": {"n": 1}}, {"scope": "SESSION"},
        )  # fmt: skip
        for other in others:
            with pytest.raises(IdempotencyConflict):
                me.add_fact("lives in Paris", **{**given, **other})

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
            said = me.search("Paris", channels=["evidence"])[0].item
            assert isinstance(said, Evidence)
            assert said.metadata == {"n": [1, "二", None]}

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
    with memory.parts.store.write(Identity.of(user="probe"), Locks()) as unit:
        return type(unit)
