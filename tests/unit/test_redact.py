"""Personal data and secrets: found, and masked."""

from __future__ import annotations

import time

import pytest

from muniment.config import Sensitivity
from muniment.text.lexicon import lexicon
from muniment.text.personal import KINDS, detect
from muniment.text.redact import masked_kinds, redact

MASK = Sensitivity().mask


def kinds(text: str) -> list[str]:
    return [item.kind for item in detect(text)]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("my card is 4111 1111 1111 1111 ok", "my card is [bank_card …1111] ok"),
        ("银行卡号6222020200112230004，开户行招行", "银行卡号[bank_card …0004]，开户行招行"),
        ("身份证：11010519491231002X（别外传）", "身份证：[national_id …002X]（别外传）"),
        ("my password is hunter2.", "my password is [password]."),
        ("密码是abc12345，别忘了", "密码是[password]，别忘了"),
        ("支付密码改成了 qwer!@12", "支付密码改成了 [password]"),
        ("My wifi password is sunshine", "My wifi password is [password]"),
        ("my password is [abc123]", "my password is [password]]"),
        ("PIN is 4821", "PIN is [password]"),
        ("postgres://bob:s3cret@db/x", "postgres://bob:[password]@db/x"),
        ("Authorization: Bearer abcdefgh12345678ijkl", "Authorization: Bearer [secret]"),
        ("CLIENT_SECRET='a8f5-9912-xx_yy'", "CLIENT_SECRET='[secret]'"),
        ("our api key is 9f8e7d6c5b4a3210", "our api key is [secret]"),
        ("密钥：Zx9_kk22-aa81", "密钥：[secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after", "[private_key] after"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEabc", "[private_key]"),
    ],
)
def test_what_must_not_be_stored_is_masked(text: str, masked: str) -> None:
    result = redact(text, MASK)
    assert result.text == masked
    assert result.redacted
    assert redact(masked, MASK).text == masked
    assert not redact(masked, MASK).redacted


@pytest.mark.parametrize(
    "token",
    [
        "AKIA" + "Q3EGU7NIKLMN2OP4",
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "11ABCDEFG0123456789abc_xyz",
        "glpat-" + "x" * 20,
        "sk-" + "abCD12" * 8,
        "sk-proj-" + "abCD12" * 8,
        "sk-ant-api03-" + "abCD12" * 8,
        "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "xoxb-" + "123456789012-abcdefABCDEF",
        "AIza" + "SyA" + "b1C2" * 8,
        "npm_" + "a1B2" * 9,
        "hf_" + "aBcD" * 9,
        "SG." + "a1B2" * 5 + "ab." + "c3D4" * 10 + "abc",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.sig_nature-1",
        "LTAI" + "5tAbCdEfGhIjKlMnOpQr",
        "110201543:AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsawxx"[:33],
    ],
)
def test_known_key_formats_beside_either_script(token: str) -> None:
    for text in (f"use {token} for it", f"用{token}这个", f'"{token}"'):
        assert redact(text, MASK).text == text.replace(token, "[secret]")


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "the password is wrong again",
        "password: must have 8 characters",
        "I forgot my password and it was annoying",
        "密码8位以上",
        "密码是什么？",
        "会议室在058，密码门禁找前台",
        "The secret to happiness is friendship",
        "the key to success: practice",
        "The token is used to sign requests",
        "my order is 4111111111111112",
        "工单编号 WX00003186133 处理中",
        "商品条码 6906820040220",
        "310104199609223721这个编号查不到",
        "流水号6222020224042007572不是银行卡",
        "Is your pin still the same?",
        "I bought a safe, code named after my dog",
        "task-management and risk-assessment-for-everyone-in-the-team",
    ],
)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    assert redact(text, MASK).text == text


def test_findings_point_into_the_text_as_given() -> None:
    text = "密码是abc12345，卡4111 1111 1111 1111，口令：qwer1234"
    assert [text[item.span[0] : item.span[1]] for item in redact(text, MASK).findings] == [
        "abc12345",
        "4111 1111 1111 1111",
        "qwer1234",
    ]


def test_other_kinds_are_masked_where_a_policy_says_so() -> None:
    assert redact("打13800138000或a@b.com", ("phone", "email")).text == "打[phone …8000]或[email]"
    assert redact("I have diabetes", ("health",)).text == "I have [health]"
    assert redact("I have diabetes", MASK).text == "I have diabetes"


def test_masks_are_recognised_and_typed_brackets_are_not() -> None:
    assert masked_kinds("[password] and [bank_card …1111] and [password]") == ("password", "bank_card")
    assert masked_kinds("[note] [1] [link](x)") == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I was diagnosed with asthma", "health"),
        ("我有糖尿病", "health"),
        ("I'm allergic to peanuts", "health"),
        ("我对花生过敏", "health"),
        ("my mom goes to church", "religion"),
        ("他是穆斯林", "religion"),
        ("I'm gay", "sexuality"),
        ("我的性取向", "sexuality"),
        ("I voted for her", "politics"),
        ("我是党员", "politics"),
        ("I live at 221 Baker Street", "precise_location"),
        ("我住在中山路12号3单元", "precise_location"),
        ("31.230416, 121.473701", "precise_location"),
    ],
)
def test_delicate_subjects(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "church music from the 16th century",
        "the liberal arts college",
        "I like tea",
        "我喜欢喝茶",
        "It took 5 minutes to drive",
        "the temple is old",
        "version 1.234, 5.678 and so on",
    ],
)
def test_no_delicate_subject_without_a_person(text: str) -> None:
    assert kinds(text) == []


def test_every_format_of_the_lexicon_compiles_and_has_fixed_text_or_a_bounded_class_first() -> None:
    import re

    formats = lexicon("secrets")["formats"]
    assert len(formats) > 60
    for name, pattern in formats.items():
        assert not re.compile(pattern).match(""), name
        assert "*" not in pattern.replace("\\*", ""), name
        assert "+" not in re.sub(r"\[[^\]]*\]|\\\+", "", pattern), name


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1",
        "@",
        "a@",
        "ey",
        "-----BEGIN PRIVATE KEY-----",
        "password is ",
        "密码",
        "sk-",
        "a://",
        "路",
        "1路",
        "Aa ",
        "[a",
        " ",
        "x_",
        "\n",
    ],
)
def test_long_monotonous_text_takes_linear_time(unit: str) -> None:
    size = 200_000 if unit in "a1@ " else 20_000
    text = (unit * size)[:size]
    started = time.process_time()
    redact(text, MASK)
    detect(text, KINDS)
    assert (
        time.process_time() - started < 12 * size / 200_000
    )  # several times what it takes; a quadratic scan takes minutes
