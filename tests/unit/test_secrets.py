"""Secrets by their form, by how they are built, and by what is said of them; and what only looks like one."""

from __future__ import annotations

import json
import random
import re

import pytest
from tests.unit.secret_material import ISSUED, LABELLED, LATER, LOOKALIKES, SPOKEN, fill

from muniment.config import Sensitivity
from muniment.text.redact import redact, redact_json
from muniment.text.secret_names import named_kind
from muniment.text.secrets import built_like_a_token

MASK = Sensitivity().mask
CARRIERS = ("{}", "I pasted {} into the chat", "这是{}，你看看", "see {}.", '"{}"')
BARE = frozenset({"baseten", "gocardless"})
"""Two random words joined by a dot; 'live_' before a body with dashes: no form tells them from names for certain."""


def longest(text: str) -> str:
    return max(re.findall(r"[A-Za-z0-9+/_-]+", text), key=len)


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("name", [name for name in {**ISSUED, **LATER} if name not in BARE])
def test_what_providers_issue_is_masked_whole(name: str, carrier: str) -> None:
    token = fill({**ISSUED, **LATER}[name], random.Random(f"{name}{carrier}"))
    shown = redact(carrier.replace("{}", token), MASK).text
    body = longest(token)
    assert not any(body[place : place + 10] in shown for place in range(len(body) - 9))


@pytest.mark.parametrize("carrier", ["{}", "> {}", "你看：{}"])
@pytest.mark.parametrize("name", LABELLED)
def test_what_stands_in_a_header_a_command_or_an_assignment_is_masked(name: str, carrier: str) -> None:
    text = fill(LABELLED[name], random.Random(name))
    value = longest(text.partition("@")[0] if "://" in text and "@" in text else text)
    assert value not in redact(carrier.replace("{}", text), MASK).text or value.isalpha()
    assert redact(text, MASK).redacted


@pytest.mark.parametrize(("sentence", "form"), SPOKEN)
def test_a_password_said_in_words_is_masked(sentence: str, form: str) -> None:
    value = fill(form, random.Random(sentence))
    assert value not in redact(sentence.format(p=value), MASK).text


@pytest.mark.parametrize("form", LOOKALIKES)
def test_what_looks_like_a_secret_stays(form: str) -> None:
    for seed in range(5):
        text = fill(form, random.Random(seed))
        assert redact(text, MASK).text == text


@pytest.mark.parametrize(
    ("word", "token"),
    [
        ("acme_live_" + "k3J9" * 6, True),
        ("nova-" + "9fK2x" * 7, True),
        ("nova_" + "0a9b8c7d" * 5, True),
        ("msg_01" + "Xk9Jq2Lm" * 3, False),
        ("trace-" + "0a9b8c7d" * 5, False),
        ("pk_live_" + "k3J9" * 6, False),
        ("my_long_variable_name_for_the_loader_v2", False),
        ("en-core-web-trf-3-7-3", False),
        ("CamelCase_ClassName2_WithManyWords_AndMore", False),
    ],
)
def test_structure(word: str, token: bool) -> None:
    assert built_like_a_token(word) is token


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("password", "correct horse battery", "password"),
        ("dbPassword", "x1", "password"),
        ("DB-PASSWD", "hunter2", "password"),
        ("pin", 4821, "password"),
        ("数据库密码", "abc", "password"),
        ("client_secret", "ab12cd34ef", "secret"),
        ("apiKey", "ab12cd34ef", "secret"),
        ("token_count", 4096, None),
        ("secret", "family recipe", None),
        ("password", "", None),
        ("password", None, None),
        ("password", True, None),
        ("password", "required", None),
        ("password", "[password]", None),
        ("spinach", "fresh", None),
        ("keyword", "a1b2c3d4e5", None),
    ],
)
def test_the_name_of_a_field(name: str, value: object, kind: str | None) -> None:
    assert named_kind(name, value) == kind


def test_json_is_masked_in_values_numbers_and_names() -> None:
    card = 4111111111111111
    given = {
        "login": {"user": "ana", "password": "correct horse"},
        "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "PORT", "value": 5432}],
        "paid": {"with": card, "at": 1.5, "ok": True, "none": None},
        f"card {card}": 1,
        f"card {str(card)[:15]} 1": 2,
    }
    kept, kinds = redact_json(given, MASK)
    assert kept["login"] == {"user": "ana", "password": "[password]"}
    assert kept["env"] == [{"name": "DB_PASSWORD", "value": "[password]"}, {"name": "PORT", "value": 5432}]
    assert kept["paid"] == {"with": "[bank_card …1111]", "at": 1.5, "ok": True, "none": None}
    assert str(card) not in json.dumps(kept)
    assert kinds == {"password", "bank_card"}
    assert redact_json(kept, MASK) == (kept, frozenset())


def test_two_names_that_a_mask_makes_alike_stay_two() -> None:
    kept, _ = redact_json({"PIN 4821": "a", "PIN 4822": "b"}, MASK)
    assert kept == {"PIN [password]": "a", "PIN [password] 2": "b"}
