"""Exact identifiers: found in text of either language, spelt one way."""

from __future__ import annotations

import time

import pytest

from muniment.text.amounts import han_number
from muniment.text.identifiers import canonical_kind, identifiers, keys_of, normalise, spell_code
from muniment.text.numbers import card_network, luhn, valid_cn_id
from muniment.text.spellings import spellings


def found(text: str) -> list[tuple[str, str]]:
    return [(item.kind, item.value) for item in identifiers(text)]


@pytest.mark.parametrize(
    "text",
    [
        "+86-13800138000",
        "138 0013 8000",
        "13800138000",
        "+86 138-0013-8000",
        "0086 13800138000",
        "１３８００１３８０００",
    ],
)
def test_a_chinese_mobile_number_has_one_spelling(text: str) -> None:
    assert found(text) == [("phone", "+8613800138000")]
    assert found(f"我的手机号是{text}，请记一下") == [("phone", "+8613800138000")]
    assert normalise("phone", text) == "+8613800138000"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("订单 A1001；李四 13900138000", [("code", "a1001"), ("phone", "+8613900138000")]),
        ("order A1001; Ben 212-736-5000", [("code", "a1001"), ("phone", "+12127365000")]),
        ("order of 13800138001", [("phone", "+8613800138001")]),
        ("order 13800138001", [("phone", "+8613800138001"), ("code", "13800138001")]),
        ("订单号：13800138000 已发货", [("phone", "+8613800138000"), ("code", "13800138000")]),
        ("order number is 2127365000", [("phone", "+12127365000"), ("code", "2127365000")]),
        ("138 0013 800", []),
        ("Ann has ORD-70", [("code", "ord70")]),
        ("COVID-19 and UTF-8", []),
    ],
)
def test_a_phone_is_one_whatever_label_stands_near(text: str, keys: list[tuple[str, str]]) -> None:
    assert found(text) == keys


def test_what_lacks_the_trunk_0_is_not_british() -> None:
    assert normalise("phone", "138 0013 800") == "1380013800"


def test_138_is_never_139() -> None:
    assert normalise("phone", "138 0013 8000") != normalise("phone", "139 0013 8000")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("call me at (212) 736-5000", "+12127365000"),
        ("212-736-5000", "+12127365000"),
        ("my phone is 2127365000", "+12127365000"),
        ("Phone: 555-123-4567", "+15551234567"),
        ("座机 010-62345678", "+861062345678"),
        ("+44 20 7946 0958", "+442079460958"),
        ("+41 (0)44 668 18 00", "+41446681800"),
        ("tel: 07911 123456", "+447911123456"),
        ("fax: 212-736-5000 x214", "+12127365000"),
    ],
)
def test_phones_of_the_default_regions_and_international_ones(text: str, value: str) -> None:
    assert ("phone", value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "It cost 3 000 000 in 2019-2020",
        "I ran 10 20 30 40 times",
        "on 2024-04-01 at 10:30",
        "version 1.2.3.4",
        "population 1234567890",
        "0.1234567890",
        "pages 100-200",
        "12345678901234567890123",
        "2024040112",
        "ISBN 978 7 302 51234 5",
        "95.5% of 1000000",
    ],
)
def test_plain_numbers_dates_and_amounts_are_no_phones(text: str) -> None:
    assert "phone" not in {kind for kind, _ in found(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("order ORD-2024-001 please", "ord2024001"),
        ("ord-2024-001", "ord2024001"),
        ("订单ORD_2024_001到了", "ord2024001"),
        ("ORD 2024 001", "ord2024001"),
        ("ＯＲＤ－２０２４－００１", "ord2024001"),
        ("XK-7731-Q", "xk7731q"),
        ("ticket INC12345.", "inc12345"),
        ("工单编号 WX00003186133 处理中", "wx00003186133"),
        ("see #48213 for it", "48213"),
        ("订单号：20240001", "20240001"),
        ("order number is 20240001", "20240001"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "550e8400e29b41d4a716446655440000"),
        ("2024/ORD/001", "2024ord001"),
    ],
)
def test_codes_with_any_separator(text: str, value: str) -> None:
    assert ("code", value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "iPhone15",
        "covid-19",
        "100mg",
        "1080p",
        "24/7",
        "5-year-old",
        "21st",
        "mp3",
        "May 2024",
        "USD 8000",
        "well-known",
        "1990s",
    ],
)
def test_words_with_numbers_are_no_codes(text: str) -> None:
    assert "code" not in {kind for kind, _ in found(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8000元", "8000 CNY"),
        ("¥8,000", "8000 CNY"),
        ("人民币 8000 元", "8000 CNY"),
        ("$1,200.50", "1200.5 USD"),
        ("1200 dollars", "1200 USD"),
        ("USD 1200", "1200 USD"),
        ("$1.2M", "1200000 USD"),
        ("预算3万", "30000 CNY"),
        ("1.5万元", "15000 CNY"),
        ("5百万美元", "5000000 USD"),
        ("一百二十块钱", "120 CNY"),
        ("三万五的预算", "35000 CNY"),
        ("两千元", "2000 CNY"),
        ("€99.90", "99.9 EUR"),
        ("50 bucks", "50 USD"),
        ("20块左右", "20 CNY"),
        ("3十万元", "300000 CNY"),
    ],
)
def test_amounts_of_both_languages(text: str, value: str) -> None:
    assert ("amount", value) in found(text)


@pytest.mark.parametrize(
    "text", ["跑了3万步", "三千人", "3块蛋糕", "8000", "千万不要", "5元素", "lost 10 pounds", "10 km"]
)
def test_other_quantities_are_no_amounts(text: str) -> None:
    assert "amount" not in {kind for kind, _ in found(text)}


@pytest.mark.parametrize(
    ("text", "value"),
    [("三万五千", 35000), ("三万五", 35000), ("一百零五", 105), ("十二", 12), ("两亿三千万", 230_000_000), ("x", None)],
)
def test_chinese_numerals(text: str, value: int | None) -> None:
    assert han_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-04-01", "2024-04-01"),
        ("2024/4/1", "2024-04-01"),
        ("2024年4月1日", "2024-04-01"),
        ("二〇二四年四月一日", "2024-04-01"),
        ("4月1号", "--04-01"),
        ("2024年4月", "2024-04"),
        ("April 1, 2024", "2024-04-01"),
        ("1st of April 2024", "2024-04-01"),
        ("13/04/2024", "2024-04-13"),
    ],
)
def test_dates_that_name_their_day(text: str, value: str) -> None:
    assert found(text) == [("date", value)]


@pytest.mark.parametrize("text", ["03/04/2024", "2024-13-01", "2024-02-30", "tomorrow", "2月30日"])
def test_ambiguous_and_impossible_dates_give_nothing(text: str) -> None:
    assert "date" not in {kind for kind, _ in found(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("发我邮箱zhang.wei@Example.com.cn吧", ("email", "zhang.wei@example.com.cn")),
        ("see https://A.com/x(y).", ("url", "https://a.com/x(y)")),
        ("打开https://a.com/路径", ("url", "https://a.com")),
        ("我的车牌是沪ACK0C0，停在B2", ("plate", "沪ACK0C0")),
        ("粤B·12345", ("plate", "粤B12345")),
        ("v1.2.3", ("version", "1.2.3")),
        ("升级到版本2.1了", ("version", "2.1")),
        ("身份证：11010519491231002X（别外传）", ("national_id", "11010519491231002X")),
        ("SSN 460-89-9847", ("national_id", "460899847")),
        ("My CPF is 390.533.447-05", ("national_id", "39053344705")),
        ("card 4111 1111 1111 1111", ("bank_card", "4111111111111111")),
    ],
)
def test_other_kinds_beside_either_script(text: str, expected: tuple[str, str]) -> None:
    assert found(text) == [expected]


def test_spans_are_those_of_the_text_as_given() -> None:
    text = "请打１３８００１３８０００，订单ORD-2024-001"
    spans = {item.kind: text[item.span[0] : item.span[1]] for item in identifiers(text)}
    assert spans == {"phone": "１３８００１３８０００", "code": "ORD-2024-001"}


def test_every_valid_cn_id_passes_whatever_its_county() -> None:
    for county in range(110100, 660000, 997):
        if str(county)[:2] not in {"11", "31", "44", "51", "65"}:
            continue
        body = f"{county}19900307001"
        check = "10X98765432"[sum(int(char) * (2 ** (17 - place) % 11) for place, char in enumerate(body)) % 11]
        assert valid_cn_id(body + check)
        assert not valid_cn_id(body + ("1" if check != "1" else "2"))


def test_a_cn_id_needs_a_province_and_a_date() -> None:
    assert valid_cn_id("11010519491231002X")
    assert not valid_cn_id("99010519491231002X")
    assert not valid_cn_id("11010519491331002X")


def test_a_number_called_something_else_is_no_card() -> None:
    number = "6222020224042007571"
    assert luhn(number)
    assert "bank_card" not in {kind for kind, _ in found(f"流水号{number}不是银行卡")}
    assert "bank_card" not in {kind for kind, _ in found("tracking number 4111111111111111")}


def test_card_networks() -> None:
    assert card_network("4111111111111111") == "visa"
    assert card_network("5555555555554444") == "mastercard"
    assert card_network("378282246310005") == "amex"
    assert card_network("6222020200112230004") == "unionpay"
    assert card_network("1234567812345678") is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("order_no", "ord 2024_001", "ord2024001"),
        ("订单号", "ORD-2024-001", "ord2024001"),
        ("Mobile", "139 0013 8000", "+8613900138000"),
        ("手机号", "13900138000", "+8613900138000"),
        ("e-mail", " A@B.com ", "a@b.com"),
        ("amount", "8,000元", "8000 CNY"),
        ("date", "2024年4月1日", "2024-04-01"),
        ("version", "2.1", "2.1"),
        ("bank_card", "4111-1111-1111-1111", "4111111111111111"),
        ("plate", "沪a·ck0c0", "沪ACK0C0"),
        ("loyalty", "Gold-77 a", "gold77a"),
        ("phone", "not a phone", None),
        ("email", "nobody", None),
        ("code", "---", None),
    ],
)
def test_normalise_spells_a_look_up_as_the_text_was_spelt(kind: str, text: str, value: str | None) -> None:
    assert normalise(kind, text) == value


def test_kinds_by_any_name() -> None:
    assert canonical_kind("Order No") == "code"
    assert canonical_kind("手机") == "phone"
    assert canonical_kind("Frequent Flyer") == "frequent_flyer"
    assert spell_code("Ａ-１") == "a1"


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        (
            "phone",
            [
                "138 0013 8000",
                "+86-13800138000",
                "(+86)138.0013.8000",
                "138_0013_8000",
                "１３８００１３８０００",
                "138\u202f0013\u202f8000",
            ],
        ),
        ("phone", ["(212) 736-5000", "212.736.5000", "+1 212 736 5000"]),
        ("email", ["Anna@Example.com", "ａｎｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ", "anna@example.com"]),
        ("code", ["XK-7731-Q", "xk_7731_q", "XK 7731 Q", "XK–7731–Q", "XK/7731/Q", "xk7731q", "ＸＫ－７７３１－Ｑ"]),
        ("national_id", ["11010519491231002X", "110105 19491231 002x", "１１０１０５１９４９１２３１００２Ｘ"]),
        ("bank_card", ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111"]),
        ("plate", ["粤B·12345", "粤B12345", "粤B 12345", "粤b-12345"]),
        ("url", ["https://A.com/x/", "http://a.com/x", "http://a.com:80/x", "https://a.com/x"]),
        ("version", ["v2.3.1", "2.3.1版", "版本2.3.1", "version 2.3.1", "V 2.3.1", "２.３.１"]),
        (
            "amount",
            [
                "¥8,000",
                "8000元",
                "RMB 8000",
                "八千元",
                "人民币8000元",
                "8,000.00 CNY",
                "8千元",
                "8000块钱",
                "￥８,０００",
            ],
        ),
        ("amount", ["$1,200.50", "1200.50 USD", "US$1200.5", "1200.5美元"]),
        (
            "date",
            [
                "2026年3月5日",
                "2026-03-05",
                "5 March 2026",
                "March 5th, 2026",
                "2026/3/5",
                "05-Mar-2026",
                "二〇二六年三月五日",
            ],
        ),
    ],
)
def test_one_thing_has_one_key_however_it_is_spelt(kind: str, spellings: list[str]) -> None:
    assert len({normalise(kind, text) for text in spellings}) == 1
    assert normalise(kind, spellings[0]) is not None


@pytest.mark.parametrize("text", ["03/05", "03/05/2026", "5.3."])
def test_an_ambiguous_date_stays_so(text: str) -> None:
    assert normalise("date", text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ben's order is ORD-7", "ord7"),
        ("订单号ORD-7", "ord7"),
        ("ticket: T-12", "t12"),
        ("order_id=12345678", "12345678"),
        ('{"order_no": 12345678}', "12345678"),
        ("order#48213", "48213"),
        ("XK 7731 Q is late", "xk7731q"),
        ("XK#7731", "xk7731"),
    ],
)
def test_what_is_named_as_a_code_is_one(text: str, value: str) -> None:
    assert [item.value for item in identifiers(text) if item.kind == "code"] == [value]


@pytest.mark.parametrize("text", ["F-16 jets", "we met on 05-Mar-2026", "vitamin B-12", "ORD 2024 A good thing"])
def test_and_what_is_not_is_not_torn_from_its_words(text: str) -> None:
    assert {item.value for item in identifiers(text) if item.kind == "code"} <= {"ord2024"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my licence plate is AB12 CDE", "AB12CDE"),
        ("license plate 7ABC123", "7ABC123"),
        ("number plate: KA 01 AB 1234", "KA01AB1234"),
    ],
)
def test_a_plate_that_is_named_as_one(text: str, value: str) -> None:
    assert found(text) == [("plate", value)]


@pytest.mark.parametrize(
    ("question", "spelling"),
    [
        ("xk 7731 q", "xk7731q"),
        ("where is xk 7731 q?", "xk7731q"),
        ("XK—7731—Q", "xk7731q"),
        ("xk . 7731 . q", "xk7731q"),
        ("订单xk 7731 q到哪了", "xk7731q"),
        ("what about ord 7?", "ord7"),
        ("ＸＫ　７７３１　Ｑ", "xk7731q"),
    ],
)
def test_the_codes_a_question_may_mean(question: str, spelling: str) -> None:
    assert spelling in dict(spellings(question))


@pytest.mark.parametrize(
    ("question", "spelling"),
    [
        ("138 0013 8000", "00138000"),
        ("138 0013 8000", "1380013"),
        ("XK-7731-Q-99", "7731q"),
        ("XK-7731-Q-99", "xk7731q"),
        ("20 17731 Q", "17731"),
        ("a@b123.com", "b123com"),
    ],
)
def test_none_is_a_part_of_a_longer_one(question: str, spelling: str) -> None:
    assert spelling not in dict(spellings(question))


def test_the_keys_of_a_statement() -> None:
    given = {"subject": "user 13800138000", "predicate": "order_no", "value": "ORD-7"}
    assert keys_of("it is late", **given) == {("phone", "+8613800138000"), ("code", "ord7")}
    assert keys_of("it is late", subject="order ord-7", predicate="status", value="late") == {("code", "ord7")}
    assert keys_of("it is late", subject="ord-7", predicate="status", value="late") == {("code", "ord7")}
    assert keys_of("likes tea", subject=None, predicate="likes", value="tea") == set()
    assert keys_of("x", subject=None, predicate="order_no", value="1" * 400) == set()


@pytest.mark.parametrize(
    "unit",
    ["a", "1", "@", "a@", "a.", "1 ", "1-", "W1-", "三", "$1,", "http://", "年", "十", "+", "(", " ", "#1", "order "],
)
def test_long_monotonous_text_takes_linear_time(unit: str) -> None:
    size = 200_000 if unit in "a1@ " else 20_000
    text = (unit * size)[:size]
    started = time.process_time()
    identifiers(text)
    assert (
        time.process_time() - started < 8 * size / 200_000
    )  # several times what it takes; a quadratic scan takes minutes
