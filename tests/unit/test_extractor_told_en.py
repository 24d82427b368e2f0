"""English statements of things and people beside 'the attribute is a value': long descriptions, terse changes, who is what."""

from __future__ import annotations

import pytest
from tests.unit.extractor_turns import extract, sure

from muniment.domain.enums import Intent


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "value"),
    [
        ("The town where we live is Aske.", "user", "residence", "Aske"),
        ("The firm that I currently work for is Tarn Analytics.", "user", "employer", "Tarn Analytics"),
        ("The name of the dentist I see twice a year is Dr Moor.", "user", "dentist", "Dr Moor"),
        ("My usual barber for a quick trim is Ozan.", "user", "usual barber", "Ozan"),
        ("The shop where we buy our bread is Hollis & Son.", "shop where we buy our bread", "value", "Hollis & Son"),
        (
            "The person to call about the lift in our building is Mrs Okafor.",
            "person to call about the lift in our building",
            "value",
            "Mrs Okafor",
        ),
        ("The database our reports use is ClickHouse 24.", "database our reports use", "value", "ClickHouse 24"),
        ("The tool we use to track time is clockify.", "tool we use to track time", "value", "clockify"),
    ],
)
def test_a_long_description_is_of_a_thing_that_has_a_value(text: str, subject: str, predicate: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.subject, found.predicate, found.value) == (subject, predicate, value)


@pytest.mark.parametrize(
    "text",
    [
        "The best place to eat in my town is Bistro Nord.",
        "The first city I visited is Rome.",
        "The book I am reading is Dune.",
        "The reason I like it is Paris.",
        "The tool we use to track time is great.",
        "The place where he lives is Aske.",
        "The street we took is closed.",
    ],
)
def test_no_lasting_thing_is_described(text: str) -> None:
    assert sure(text) == []


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("Our docs run on Hugo.", "We moved our docs over to Astro", "Astro"),
        ("Our blog is hosted on Ghost.", "heads up, the blog has been migrated to Write.as", "Write.as"),
        ("Our payroll is written in Perl.", "We've finally converted our payroll to Rust last month.", "Rust"),
        ("Our queue server runs on Debian 11.", "We upgraded the queue server to Debian 12 yesterday.", "Debian 12"),
        ("My shop is hosted by Kalt.", "Moved my shop from Kalt to Brisk.", "Brisk"),
        ("Lena lives at Rose Court.", "Lena moved to Tarn House on Sunday", "Tarn House"),
        ("My brother works at Tarn.", "My brother joined Moor Labs", "Moor Labs"),
        ("Pim attends Hillside school.", "Pim has changed schools, he now goes to Moor school.", "Moor school"),
        ("Our dog Pim eats Bramble dog food.", "Our dog Pim eats Meadow dog food now", "Meadow dog food"),
        ("My browser is Firefox.", "I switched to Vivaldi as my browser, it is faster", "Vivaldi"),
        ("We use ruff for linting.", "We use flake8 for linting now", "flake8"),
        ("My email is a@old.example", "My email has changed, it's now b@new.example", "b@new.example"),
    ],
)
def test_a_change_stands_in_the_slot_of_the_plain_statement(one: str, other: str, value: str) -> None:
    (first,), (second,) = extract(one), extract(other)
    assert first.slot is not None
    assert first.slot == second.slot
    assert first.value != second.value == value


@pytest.mark.parametrize(
    ("text", "subject", "value"),
    [
        ("Reporting service is on ClickHouse now.", "Reporting service", "ClickHouse"),
        ("Payroll contact is Mr Dunn now", "Payroll contact", "Mr Dunn"),
        ("Orders go to sales@tarn.example now.", "Orders", "sales@tarn.example"),
        ("Site migrated to Astro.", "Site", "Astro"),
    ],
)
def test_a_terse_change_is_of_the_thing_it_names(text: str, subject: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.subject, found.predicate, found.value) == (subject, "value", value)
    assert found.intent is Intent.CHANGE


@pytest.mark.parametrize(
    "text",
    [
        "Everyone uses Slack now",
        "She lives at Rose Court",
        "We moved the meeting to a bigger room",
        "The show runs on Sundays",
        "I switched to decaf",
        "Coffee is good now",
        "Does Lena live at Rose Court?",
        "If we moved our docs to Astro, it would be faster",
        "My boss says our docs run on Hugo",
    ],
)
def test_what_tells_of_no_named_thing_is_left_alone(text: str) -> None:
    assert [item for item in sure(text) if item.intent is Intent.CHANGE or item.predicate == "value"] == []


def test_a_thing_named_for_its_sound_is_no_tale() -> None:
    """'The Heron' begins like 'the hero', whose words would be the tale's."""
    (found,) = extract("We use poetry for the Herodot project, not pip.")
    assert (found.subject, found.predicate, found.value) == ("Herodot project", "uses", "poetry")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm a night owl", "I'm not a night owl"),
        ("I am an early riser.", "well, I'm no longer an early riser, I was fooling myself"),
        ("My mum is a member of the rowing club.", "My mum is not a member of the rowing club any more."),
        ("Lena is colour-blind", "Lena is not colour-blind"),
    ],
)
def test_to_be_and_not_to_be_are_answers_to_one_question(one: str, other: str) -> None:
    (first,), (second,) = extract(one), extract(other)
    assert first.slot == second.slot
    assert second.intent is Intent.CHANGE
    assert second.value == f"not {first.value}"


def test_a_habit_keeps_the_case_it_is_for() -> None:
    (found,) = extract("I usually take the tram when it rains, it is warmer.")
    assert found.content == "I usually take the tram when it rains"


def test_a_taste_of_a_relative_is_no_favourite() -> None:
    (found,) = extract("My sister does not like mint.")
    assert (found.subject, found.predicate, found.qualifier) == ("user's sister", "dislikes", "")


def test_a_code_word_is_no_hearsay() -> None:
    (found,) = extract("Remember that the shed's code word is otter.")
    assert found.confidence > 0.82


def test_what_is_used_for_a_purpose_is_not_that_purpose() -> None:
    """'For my email' names what a service is for: it is no new address."""
    (found,) = extract("I've switched to Kalt for my email.")
    assert (found.predicate, found.qualifier, found.value) == ("uses", "email", "Kalt")


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("btw moved to Aske last week", "residence", "Aske"),
        ("Started at Tarn last Monday.", "employer", "Tarn"),
        ("just joined Tarn Analytics", "employer", "Tarn Analytics"),
        ("Update: I left Tarn and joined Moor.", "employer", "Moor"),
        ("No longer: I left Tarn and joined Moor.", "employer", "Moor"),
        ("I've changed jobs and now work at Moor.", "employer", "Moor"),
        ("I've gone vegan.", "diet", "vegan"),
        ("Our son Leo is allergic to nuts, keep that in mind for the party", "allergy", "nuts"),
    ],
)
def test_a_change_of_the_speakers_is_read_however_short(text: str, predicate: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.predicate, found.value) == (predicate, value)


def test_a_diet_that_was_given_up_answers_the_one_that_was_kept() -> None:
    (kept,), (given_up,) = extract("I'm vegetarian, so cook without ham"), extract("I'm not vegetarian any more.")
    assert kept.slot == given_up.slot
    assert (kept.value, given_up.value) == ("vegetarian", "not vegetarian")
