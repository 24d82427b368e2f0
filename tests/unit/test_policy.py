"""The policy file: every knob's type and range checked, every error naming file, knob and the nearest known name."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from muniment.config import (
    DETECTED,
    ENCODINGS,
    Policy,
    Predicate,
    Settings,
    example_policy,
    load_policy,
    load_settings,
    shipped_predicates,
)
from muniment.domain.enums import MemoryType
from muniment.domain.errors import PolicyError
from muniment.knobs import Described, described
from muniment.models.tokens import ENCODINGS as TABLES

KNOBS = [each for each in described(Policy) if "<name>" not in each.name]
ENTRY = [each for each in described(Policy) if "<name>" in each.name]


def named(name: str, value: Any) -> dict[str, Any]:
    """The data of a policy file that sets one knob."""
    table, _, knob = name.replace("<name>", "shoe_size").rpartition(".")
    data: dict[str, Any] = {knob: value}
    for part in reversed(table.split(".")):
        data = {part: data}
    return data


def refused(data: Any) -> str:
    with pytest.raises(PolicyError) as error:
        load_policy(data)
    return str(error.value)


def trouble(data: Any) -> str:
    """What is wrong with it, or nothing."""
    try:
        load_policy(data)
    except PolicyError as error:
        return str(error)
    return ""


def bounds(each: Described) -> tuple[float, float]:
    words = each.valid.split()
    return float(words[-3].replace("_", "")), float(words[-1].replace("_", ""))


# -- every knob -------------------------------------------------------------------------------------------------------

NUMBERS = [each for each in [*KNOBS, *ENTRY] if each.kind.startswith(("integer", "number"))]


def test_there_are_knobs_and_each_says_what_it_does() -> None:
    assert len(KNOBS) > 30
    assert all(each.help and each.valid and each.kind for each in [*KNOBS, *ENTRY])


@pytest.mark.parametrize("each", NUMBERS, ids=lambda each: each.name)
def test_every_number_has_a_range_that_is_kept(each: Described) -> None:
    least, most = bounds(each)
    step = 1 if each.kind.startswith("integer") else 0.001
    whole = int if each.kind.startswith("integer") else float
    for value in (least - step, most + step):
        said = refused(named(each.name, whole(value)))
        assert each.name.replace("<name>", "shoe_size") in said
        assert each.valid in said
    # The ends themselves are within; what another knob then says against them is another error.
    for value in (least, most):
        assert each.valid not in trouble(named(each.name, whole(value)))


@pytest.mark.parametrize("each", [*KNOBS, *ENTRY], ids=lambda each: each.name)
def test_every_knob_refuses_what_is_of_another_type(each: Described) -> None:
    wrong: list[Any] = [{"a": 1}, object()]
    if each.kind.startswith(("integer", "number")):
        wrong += ["5", True, float("nan"), float("inf"), [1], None if "left out" not in each.kind else "x"]
    if each.kind.startswith("integer"):
        wrong.append(5.0)
    if each.kind.startswith("text"):
        wrong += [5, True, ["x"]]
    if each.kind == "true or false":
        wrong += [0, 1, "true"]
    if each.kind == "list of texts":
        wrong += ["x", [1], [["x"]]]
    for value in wrong:
        said = refused(named(each.name, value))
        assert each.name.replace("<name>", "shoe_size") in said, value


@pytest.mark.parametrize("each", KNOBS, ids=lambda each: each.name)
def test_every_knob_takes_its_default_and_has_it(each: Described) -> None:
    default = tomllib.loads(f"v = {each.default}")["v"]
    assert load_policy(named(each.name, default)).version == load_policy().version


@pytest.mark.parametrize("each", [*KNOBS, *ENTRY], ids=lambda each: each.name)
def test_a_misspelt_knob_is_told_with_the_nearest_that_exists(each: Described) -> None:
    wrong = each.name[:-1] + "x" + each.name[-1]
    said = refused(named(wrong, 1)).replace("shoe_size", "<name>")
    assert f"unknown knob {wrong!r}" in said
    assert f"did you mean {each.name!r}?" in said


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"gaet": {}}, ["unknown knob 'gaet'", "'gate'"]),
        ({"zzz": {}}, ["unknown knob 'zzz'", "known are", "context, extraction, gate"]),
        ({"gate": {"mode": "explict"}}, ["gate.mode", "confidence, explicit", "'explict'"]),
        ({"context": {"encoding": "o200k"}}, ["context.encoding", "did you mean 'o200k_base'?"]),
        ({"lifetime": {"exempt": ["FAKT"]}}, ["lifetime.exempt", "FACT, PREFERENCE"]),
        ({"sensitivity": {"mask": ["pasword"]}}, ["sensitivity.mask", "did you mean 'password'?"]),
        ({"sensitivity": {"confirm": ["helth"]}}, ["sensitivity.confirm", "did you mean 'health'?"]),
        ({"sensitivity": {"look_up": ["bankcard"]}}, ["sensitivity.look_up", "did you mean 'bank_card'?"]),
        ({"sensitivity": {"four_eyes": ["complain"]}}, ["sensitivity.four_eyes", "did you mean 'complaint'?"]),
        ({"predicates": {"x": {"type": "numbr"}}}, ["predicates.x.type", "did you mean 'number'?"]),
        ({"predicates": {"x": {"opposite": "dislike"}}}, ["predicates.x.opposite", "did you mean 'dislikes'?"]),
        ({"gate": 3}, ["gate is a table", "3"]),
        ({"predicates": []}, ["predicates is a table"]),
        ({"predicates": {"x": 3}}, ["predicates.x is a table", "3"]),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(data: dict[str, Any], words: list[str]) -> None:
    said = refused(data)
    assert all(word in said for word in words), said


# -- knobs that contradict each other ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "both"),
    [
        ({"gate": {"accept": 0.5}}, ["gate.confirm", "gate.accept"]),
        ({"gate": {"confirm": 0.9}}, ["gate.confirm", "gate.accept"]),
        ({"retrieval": {"min_confidence": 0.9}}, ["retrieval.min_confidence", "gate.accept"]),
        ({"limits": {"content_chars": 400}}, ["limits.candidate_chars", "limits.content_chars"]),
        ({"sensitivity": {"mask": ["password"]}}, ["sensitivity.look_up", "sensitivity.mask", "national_id"]),
        ({"sensitivity": {"confirm": ["password"]}}, ["sensitivity.mask", "sensitivity.confirm", "password"]),
        ({"predicates": {"x": {"sensitivity": "wages"}}}, ["predicates.x.sensitivity", "[sensitivity]", "wages"]),
    ],
    ids=str,
)
def test_knobs_that_contradict_each_other_are_both_named(data: dict[str, Any], both: list[str]) -> None:
    said = refused(data)
    assert all(name in said for name in both), said


def test_kinds_of_ones_own_and_of_every_list() -> None:
    policy = load_policy(
        {
            "sensitivity": {
                "mask": ["password", "phone"],
                "look_up": ["phone"],
                "confirm": ["email", "wages"],
                "four_eyes": ["Money", "rule", "wages"],
            },
            "predicates": {"wages": {"sensitivity": "wages"}},
        }
    )
    assert policy.predicate("wages")[1].sensitivity == "wages"
    for kind in DETECTED:
        load_policy({"sensitivity": {"mask": [kind], "look_up": [kind], "confirm": []}})


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[gate]\nacept = 0.9\n", ["unknown knob 'gate.acept'", "'gate.accept'"]),
        ("[gate]\naccept = 2\n", ["gate.accept", "from 0 to 1"]),
        ("[gate\n", ["not TOML"]),
        ("[gate]\naccept = 0.9\naccept = 0.8\n", ["not TOML"]),
    ],
)
def test_an_error_names_the_file(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    said = refused(path)
    assert str(path) in said
    assert all(word in said for word in words), said


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "nowhere.toml" in refused(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b'[gate]\nmode = "\xe9"\n')
    assert "latin.toml" in refused(tmp_path / "latin.toml")


def test_the_example_is_the_default_with_one_predicate_more(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(example_policy(), encoding="utf-8")
    data = tomllib.loads(example_policy())
    assert set(data.pop("predicates")) == {"shoe_size"}
    assert {f"{table}.{name}" for table, knobs in data.items() for name in knobs} == {each.name for each in KNOBS}
    loaded = load_policy(path)
    assert loaded.predicate("鞋码")[0] == "shoe_size"
    assert load_policy({**data}).version == load_policy().version
    for each in [*KNOBS, *ENTRY]:
        assert f"# {each.help} ({each.valid})" in example_policy()


# -- the predicate catalogue ------------------------------------------------------------------------------------------


def test_the_shipped_catalogue_is_data_in_both_languages() -> None:
    shipped = shipped_predicates()
    assert len(shipped) > 30
    policy = load_policy()
    for name, entry in shipped.items():
        for synonym in entry.get("synonyms", []):
            assert policy.predicate(synonym)[0] == name
    han = [
        name for name, entry in shipped.items() if any("\u4e00" <= word[0] <= "\u9fff" for word in entry["synonyms"])
    ]
    assert set(shipped) - set(han) <= {"role_claim"}


@pytest.mark.parametrize("spelling", ["Shoe Size", "shoe  size", "ＳＨＯＥ ＳＩＺＥ", "鞋码", "shoe_size"])
def test_a_file_adds_a_predicate_in_two_languages(spelling: str) -> None:
    policy = load_policy({"predicates": {"shoe_size": {"single": True, "synonyms": ["shoe size", "鞋码"]}}})
    assert policy.predicate(spelling) == ("shoe_size", Predicate(single=True, synonyms=("shoe size", "鞋码")))
    assert policy.predicate("居住地")[0] == "residence"
    assert policy.predicate("Tech stack")[0] == policy.predicate("tech_stack")[0] == "tech_stack"


def test_a_file_replaces_an_entry() -> None:
    policy = load_policy({"predicates": {"seat": {"single": False, "synonyms": ["chair"]}}})
    assert policy.predicate("chair") == ("seat", Predicate(single=False, synonyms=("chair",)))
    assert policy.predicate("座位") == ("座位", Predicate())


def test_an_unknown_predicate_keeps_its_name_and_has_many_values() -> None:
    assert load_policy().predicate("Favourite  Colour") == ("favourite colour", Predicate(single=False))
    assert load_policy().predicate(None) == (None, Predicate())


@pytest.mark.parametrize(
    ("entries", "both"),
    [
        ({"post": {"synonyms": ["Job"]}}, ["predicates.occupation", "predicates.post", "'Job'"]),
        ({"post": {"synonyms": ["职业"]}}, ["predicates.occupation", "predicates.post", "'职业'"]),
        ({"job": {}}, ["predicates.occupation", "predicates.job", "'job'"]),
        ({"a": {"synonyms": ["x"]}, "b": {"synonyms": ["Ｘ"]}}, ["predicates.a", "predicates.b"]),
        ({"tech stack": {}}, ["predicates.tech_stack", "predicates.tech stack"]),
        ({"Residence": {}}, ["predicates.residence", "predicates.Residence"]),
        ({"a": {"synonyms": [" "]}}, ["predicates.a", "empty"]),
    ],
    ids=str,
)
def test_a_word_that_two_predicates_claim_names_both(entries: dict[str, Any], both: list[str]) -> None:
    said = refused({"predicates": entries})
    assert all(name in said for name in both), said


# -- passing through, settings, cost ----------------------------------------------------------------------------------


def test_a_policy_passes_through_and_dataclasses_may_stand_for_tables() -> None:
    policy = Policy()
    assert load_policy(policy) is policy
    given = load_policy({"predicates": {"x": Predicate(memory_type=MemoryType.RULE)}})
    assert given.predicate("x")[1].memory_type is MemoryType.RULE


def test_loading_does_not_change_what_it_was_given() -> None:
    data: dict[str, Any] = {"gate": {"accept": 0.9}}
    load_policy(data)
    assert data == {"gate": {"accept": 0.9}}


def test_the_encodings_are_those_whose_tables_come_along() -> None:
    assert set(ENCODINGS) == set(TABLES)


def test_settings_are_read_and_checked() -> None:
    assert load_settings({}) == Settings()
    assert load_settings({"MUNIMENT_BUSY_SECONDS": "2", "MUNIMENT_DB": ""}).busy_seconds == 2.0
    for wrong in ("soon", "nan", "inf", "-1", "1e9"):
        with pytest.raises(PolicyError, match=r"(?i)busy_seconds"):
            load_settings({"MUNIMENT_BUSY_SECONDS": wrong})


def test_a_policy_costs_no_heavy_import() -> None:
    code = "import sys, muniment.config as c; c.load_policy(); print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
