"""Numbers and addresses of people, devices and accounts, found by their form beside either script."""

from __future__ import annotations

import pytest

from muniment.text.personal import detect
from muniment.text.personal_numbers import KINDS, personal_numbers


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("wire it to DE89 3704 0044 0532 0130 00 please", "iban", "DE89 3704 0044 0532 0130 00"),
        ("账户GB82WEST12345698765432，户名张三", "iban", "GB82WEST12345698765432"),
        ("my passport number is X1234567.", "passport", "X1234567"),
        ("护照号码：E12345678，有效期到2030年", "passport", "E12345678"),
        ("driver's license no. D1234567", "driving_licence", "D1234567"),
        ("驾驶证号是320102199001011234吗", "driving_licence", "320102199001011234"),
        ("VAT number DE 136 695 976", "tax_id", "DE 136 695 976"),
        ("税号91350100M000100Y43，抬头是公司", "tax_id", "91350100M000100Y43"),
        ("EIN 12-3456789", "tax_id", "12-3456789"),
        (
            "send it to 0x" + "52908400098527886E0F7030069857D2E4169EE7",
            "wallet",
            "0x52908400098527886E0F7030069857D2E4169EE7",
        ),
        ("BTC 1BoatSLRHtKNngkdXEeobR76b53LETtpyT ok", "wallet", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"),
        ("IMEI: 49-015420-323751-8", "imei", "49-015420-323751-8"),
        ("服务器是192.168.1.20，别重启", "ip", "192.168.1.20"),
        ("it listens on 2001:db8:85a3::8a2e:370:7334 now", "ip", "2001:db8:85a3::8a2e:370:7334"),
        ("MAC地址00:1A:2b:3C:4d:5E", "mac", "00:1A:2b:3C:4d:5E"),
        ("加我QQ：123456789", "account", "123456789"),
        ("我的微信号是tea_lover88，备注一下", "account", "tea_lover88"),
        ("my telegram is @tea_lover", "account", "@tea_lover"),
    ],
)
def test_found(text: str, kind: str, value: str) -> None:
    assert [(item.kind, text[slice(*item.span)]) for item in personal_numbers(text)] == [(kind, value)]
    assert kind in {item.kind for item in detect(text)}


@pytest.mark.parametrize(
    "text",
    [
        "DE89 3704 0044 0532 0130 01 does not check",
        "my passport expires in 2031",
        "护照还有6个月到期",
        "version 1.2.3.4 and release 10.0.0.1",
        "at 12:30:45 and 10:20:30:40",
        "std::vector and a::b",
        "0x52908400098527886E0F7030069857D2E4169EE",
        "49-015420-323751-8",
        "QQ音乐会员",
        "微信支付了300元",
        "section 3.1.4.1 of the report",
        "I drove for 12-3456789 hours",
        "telegram is faster",
        "999.1.1.1",
    ],
)
def test_left_alone(text: str) -> None:
    assert list(personal_numbers(text)) == []


def test_only_the_wanted_kinds() -> None:
    text = "192.168.1.20 and 00:1A:2B:3C:4D:5E"
    assert {item.kind for item in personal_numbers(text, frozenset({"mac"}))} == {"mac"}
    assert len(set(KINDS)) == len(KINDS)
