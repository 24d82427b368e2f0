"""What stands beside what in searches and contexts: scopes, what is over, duplicates, age, disagreement; each is named."""

from __future__ import annotations

from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock


def boss(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="boss", departments=["travel"], roles=["reviewer"])


def test_a_narrower_value_stands_for_a_wider_one_that_was_found(memory: Muniment, clock: SteppingClock) -> None:
    boss(memory).add_fact("violin lessons are held in French", predicate="language", value="French", scope="TENANT")
    me = memory.reader(tenant="acme", user="ana", session="s1")
    me.add_fact("we speak English today", predicate="language", value="English", scope="SESSION")
    question = "how are violin lessons held?"
    context = me.context(question)
    assert "English" in context.text
    assert "French" not in context.text
    assert any(item.reason == "shadowed by a narrower scope" for item in context.dropped)
    found = me.search(question)
    assert [hit.text for hit in found] == ["we speak English today"]
    assert "in place of a wider scope's value" in found[0].why.reason
    elsewhere = memory.reader(tenant="acme", user="ana", session="s2")
    assert "French" in elsewhere.context(question).text
    assert "English" not in elsewhere.context(question).text


def test_binding_rules_stand_first_the_widest_before_all(memory: Muniment) -> None:
    lead = boss(memory)
    lead.add_fact(
        "travel books trains only", type="CONSTRAINT", scope="DEPARTMENT", predicate="transport", value="train"
    )
    lead.add_fact("nobody flies first class", type="CONSTRAINT", scope="TENANT", predicate="class", value="second")
    me = memory.reader(tenant="acme", user="ana", departments=["travel"], task="t1")
    me.add_rule("answer briefly")
    me.add_fact("this trip goes by plane", predicate="transport", value="plane", scope="TASK", type="CONSTRAINT")
    lines = me.context("book a trip").text.split("\n")
    order = ["nobody flies first", "travel books trains", "this trip goes by plane (this task only)", "answer briefly"]
    places = [next(place for place, line in enumerate(lines) if words in line) for words in order]
    assert places == sorted(places)
    assert lines[places[0] - 1] == "[Binding Constraint]"


def test_what_was_said_of_a_value_that_is_over_is_offered_as_history_only(me: Reader, clock: SteppingClock) -> None:
    me.observe("residence: Paris")
    clock.move(days=2)
    me.observe("residence: Lyon")
    clock.move(days=2)
    now = me.context("residence in Paris or Lyon?")
    assert not [item for item in now.items if item.hit and "Paris" in item.text]
    assert any("no longer holds" in item.reason for item in now.dropped)
    before = me.context("what was the residence before?")
    told = [item.text for item in before.items if item.section == "Evidence" and "Paris" in item.text]
    assert told
    assert all("no longer holds" in text for text in told)


def test_what_was_forgotten_is_nowhere_and_a_rebuilt_context_is_without_it(me: Reader, clock: SteppingClock) -> None:
    fact = me.observe("residence: Paris").fact_id
    clock.move(days=1)
    made = me.context("residence in Paris?")
    assert "Paris" in made.text.replace("residence in Paris?", "")
    me.forget(fact=fact)
    again = me.context("residence in Paris?", known_at=made.known_at)
    assert "Paris" not in again.text.replace("residence in Paris?", "")


def test_the_same_words_are_said_once_with_their_count(me: Reader, clock: SteppingClock) -> None:
    for _ in range(3):
        me.observe("the violin hall was full")
        clock.move(hours=1)
    context = me.context("violin hall full?")
    (item,) = [item for item in context.items if item.section == "Evidence"]
    assert "said 3 times" in item.text
    assert item.hit is not None
    assert item.hit.why.count == 3
    assert len(item.hit.why.evidence) == 3
    (hit,) = me.search("violin hall full?")
    assert "said 3 times" in hit.why.flags
    assert "said 3 times" in str(hit.explain())
    assert "说过 3 次" in me.context("violin hall full?", language="zh").text


def test_a_fact_held_in_two_scopes_is_shown_once(memory: Muniment) -> None:
    boss(memory).add_fact("the violin hall closes at ten", scope="TENANT")
    me = memory.reader(tenant="acme", user="ana")
    me.add_fact("The violin hall closes at ten")
    context = me.context("when does the violin hall close?")
    assert context.text.casefold().count("violin hall closes at ten") == 1
    assert any(item.reason == "says the same as another" for item in context.dropped)


def test_a_fact_not_confirmed_for_long_says_as_of_when(me: Reader, clock: SteppingClock) -> None:
    me.add_fact("plays the violin on Tuesdays", predicate="hobby", value="violin")
    me.add_rule("speak of the violin kindly")
    clock.move(days=60)
    assert "as of" not in me.context("violin on Tuesdays?").text
    clock.move(days=60)
    context = me.context("violin on Tuesdays?")
    line = next(item.text for item in context.items if "plays the violin" in item.text)
    assert "(as of 2026-" in line
    assert "as of" not in next(item.text for item in context.items if "kindly" in item.text), "a rule does not age"
    (hit,) = [hit for hit in me.search("violin on Tuesdays?") if hit.text.startswith("plays")]
    assert "not confirmed lately" in hit.why.flags
    assert "confirmed 2026-" in str(hit.explain())
    me.add_fact("plays the violin on Tuesdays", predicate="hobby", value="violin")
    assert "as of" not in me.context("violin on Tuesdays?").text, "heard again"


def test_a_temporary_fact_says_when_it_ends_and_that_it_is_near_or_past(me: Reader, clock: SteppingClock) -> None:
    end = instant(20, 9)
    me.add_fact("stays at the violin hotel", predicate="hotel", value="violin hotel", valid_until=end)
    question = "where is the violin hotel stay?"
    far = me.context(question).text
    assert f"(until {end.date()})" in far
    clock.move(days=15)
    near = me.context(question).text
    assert f"(until {end.date()}, soon over)" in near
    assert any("ends soon" in hit.why.flags for hit in me.search(question))
    clock.move(days=15)
    assert "violin hotel" not in me.context(question).text.replace(question, "")
    then = me.context(question, valid_at=instant(10, 9)).text
    assert f"(until {end.date()}, now over)" in then
    assert f"截至 {end.date()}，现已结束" in me.context(question, valid_at=instant(10, 9), language="zh").text


def test_records_that_disagree_are_marked_and_told_in_the_readers_language(memory: Muniment) -> None:
    me = memory.reader(user="bo")
    me.add_fact("seat aisle", predicate="seat", value="aisle", valid_from=instant(1, month=3))
    me.add_fact("seat window", predicate="seat", value="window", valid_from=instant(1, month=5), trust=10)
    question = "which seat, aisle or window?"
    hits = me.search(question)
    assert any("contested" in hit.why.flags for hit in hits)
    assert hits.conflicts == me.context(question).conflicts
    (sentence,) = me.context(question, language="zh").conflicts
    assert sentence.startswith("两条记录（")
    assert "conflict: two records" in str(me.context(question).explain())


def test_archived_evidence_comes_where_the_past_is_asked_for_as_what_no_longer_holds(
    memory: Muniment, me: Reader, clock: SteppingClock
) -> None:
    me.observe("residence: Paris")
    clock.move(days=2)
    me.observe("residence: Lyon")
    clock.move(days=400)
    memory.lifecycle.run()
    context = me.context("what was the residence before?")
    told = [item.text for item in context.items if item.section == "Evidence" and "Paris" in item.text]
    assert told
    assert all("no longer holds" in text for text in told)
    assert not any("quarantined" in item.reason for item in context.dropped)
