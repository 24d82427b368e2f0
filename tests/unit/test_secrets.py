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


WORDED = (
    "{p} is my password",
    "{p} is the wifi password",
    "I use {p} for my password",
    "the password, as you know, is {p}",
    "the password for Tom’s phone is {p}",
    "My password is not alpha77xx but {p}",
    "My password used to be alpha77xx and now it is {p}",
    "change my password from alpha77xx to {p}",
    "My new password should be {p}",
    "Passwords: root9999x and {p}",
    "password - {p}",
    "password (wifi): {p}",
    "my pw: {p}",
    "p/w {p}",
    "Login: tom\nPass: {p}",
    "my Netflix login is tom@y.org / {p}",
    "creds: tom:{p}",
    "mysql -u root -p{p} db",
    "sshpass -p {p} ssh a@b",
    "password1: {p}",
    "password_db = {p}",
    "password:\n\n   {p}",
    "# Password\n\n{p}\n",
    "- **Password:** {p}",
    "<password>{p}</password>",
    '<add name="password" value="{p}"/>',
    "| service | password |\n|---|---|\n| wifi | {p} |",
    "service,user,password\nwifi,tom,{p}",
    "{p} 是我的密码",
    "用 {p} 当密码",
    "把密码从alpha77xx改成{p}",
    "密码不是alpha77xx，是{p}",
    "我家wifi密码，你记一下，{p}",
    "密码→{p}",
    "密码（wifi）：{p}",
    "我的密碼是{p}",
    "通關密碼：{p}",
    "帳號tom@y.org / {p}",
    "| 服务 | 密码 |\n|---|---|\n| wifi | {p} |",
    "Passwort: {p}",
    "パスワード：{p}",
)


@pytest.mark.parametrize("sentence", WORDED)
def test_a_password_is_told_by_the_sentence_or_layout(sentence: str) -> None:
    shown = redact(sentence.replace("{p}", "kestrel42Zx"), MASK).text
    assert "kestrel" not in shown
    assert "alpha77xx" not in shown
    assert "root9999x" not in shown


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("My password is green river cow 61", "river"),
        ("my passphrase is pink whale drinks 9 teas", "whale"),
        ('my password is "three words kestrel"', "words"),
        ("my password is «kestrel»", "kestrel"),
        ("密码是“三个 词”", "三个"),
        ("密码：三二一四五六", "三二一"),
        ("我的密码跟生日一样，19870325", "19870325"),
        ('My API token is "zx cv 48 90817"', "90817"),
        ("my 2FA code is 593027", "593027"),
        ("驗證碼是593027", "593027"),
        ("Remember my locker code 59302", "59302"),
        (
            "the 12 words of my wallet are maple orbit tiger canyon velvet bridge amber lunar cactus puzzle river stone",
            "orbit",
        ),
        ("cvv 848", "848"),
    ],
)
def test_values_of_other_shapes(text: str, raw: str) -> None:
    assert raw not in redact(text, MASK).text


@pytest.mark.parametrize(
    "text",
    [
        "My iPhone13 keeps asking for my password",
        "the password for server01 is wrong",
        "I use 1Password as my password manager",
        "Password: please contact the admin team",
        "my passphrase is stored in the safe downstairs",
        "boarding pass: LH1234 gate B12",
        "Pass: 45/50 in the exam",
        "password_length = 12",
        "password=args.password",
        "password: str = Field(min_length=8)",
        "I changed my password and my flight is LH1234b",
        "user, password\nThen 12 rows, all fine now",
        "| field | password |\n|---|---|\n| rule | required |",
        "Username:\nPassword:\nEmail:",
        "unzip -p archive.zip",
        "mysql -u root -p mydb",
        "密码输错了3次，被锁定到2025年",
        "iphone13的密码忘了",
        "用指纹当密码",
        "我忘记密码了，订单号是20250101",
        "2021,2022,2023,2024",
    ],
)
def test_talk_about_passwords_stays(text: str) -> None:
    assert redact(text, MASK).text == text


@pytest.mark.parametrize(
    "given",
    [
        {"headers": [{"name": "Authorization", "value": "Bearer kes77abc9"}]},
        {"password": {"value": "kes77abc9"}},
        {"type": "password", "text": "kes77abc9"},
        {"pairs": [["password", "kes77abc9"]]},
        {"args": ["--password", "kes77abc9"]},
        {"密碼": "kes77abc9"},
        {"cookie": "a=kes77abc9"},
    ],
)
def test_a_name_beside_a_value_or_around_it(given: dict[str, object]) -> None:
    assert "kes77abc9" not in json.dumps(redact_json(given, MASK)[0])


@pytest.mark.parametrize(
    "text",
    [
        "Please put the order on {}",
        "Order 14: {}",
        "In order to pay use {}",
        "订单付款用 {}",
        "tracking {}",
        "卡号不是 {} ",
        "card{}",
        "visa{}",
    ],
)
def test_a_card_beside_the_word_order_is_a_card(text: str) -> None:
    assert "4111111111111111" not in redact(text.format("4111111111111111"), MASK).text


@pytest.mark.parametrize("sign", [".", "/", "_", ",", "|", ":", "、", "，", "  ", "\t"])
def test_a_card_in_fours(sign: str) -> None:
    card = sign.join(["4111", "1111", "1111", "1111"])
    assert card not in redact(f"pay with {card}", MASK).text


@pytest.mark.parametrize("label", ["order number {}", "订单号 {}", "流水号：{}", "tracking number {}", "不是卡号：{}"])
def test_a_number_that_is_said_to_be_another_stays(label: str) -> None:
    text = label.format("4111111111111111")
    assert redact(text, MASK).text == text
