"""National identity numbers of many countries: found by a label or an unmistakable spelling, and by their check digits.

The numbers are those that python-stdnum documents as examples, made up by nobody here.
"""

from __future__ import annotations

import pytest

from muniment.config import load_policy
from muniment.text.identifiers import identifiers
from muniment.text.personal import detect
from muniment.text.redact import redact

LABELLED = [
    ("My TFN is 123 456 782.", "123 456 782"),
    ("Rijksregisternummer: 85 07 30 033 28", "85 07 30 033 28"),
    ("ЕГН 8032056031", "8032056031"),
    ("RUT: 76086428-5", "76086428-5"),
    ("Rodné číslo 710319/2745", "710319/2745"),
    ("AMKA 01013099997", "01013099997"),
    ("OIB: 33392005961", "33392005961"),
    ("MyKad 770305-02-1234", "770305-02-1234"),
    ("CNIC number 34201-0891231-8", "34201-0891231-8"),
    ("CNP 1630615123457", "1630615123457"),
    ("NHS number: 943-476-5870", "943-476-5870"),
    ("マイナンバー：6214 9832 0257", "6214 9832 0257"),
    ("CPF 390.533.447-05", "390.533.447-05"),
    ("身份证号是11010519491231002X", "11010519491231002X"),
    ("SSN 536-90-4399", "536-90-4399"),
]
UNMISTAKABLE = [
    ("He wrote 390.533.447-05 on the form.", "390.533.447-05"),
    ("Numéro 2 95 10 99 126 111 93 au dossier", "2 95 10 99 126 111 93"),
    ("她的号码是BOXW310820HNERXN09。", "BOXW310820HNERXN09"),
    ("RCCMNL83S18D969H is on the contract", "RCCMNL83S18D969H"),
    ("号码11010519491231002X", "11010519491231002X"),
]
WITHOUT_CHECK = {"536-90-4399", "770305-02-1234", "34201-0891231-8"}
"""Numbers that are told by their form only: such countries give them no check digit."""
MASK = load_policy().sensitivity.mask


@pytest.mark.parametrize(("text", "number"), LABELLED + UNMISTAKABLE)
def test_a_national_id_is_found_whole_and_masked(text: str, number: str) -> None:
    start = text.index(number)
    assert [item.span for item in detect(text, ("national_id",))] == [(start, start + len(number))]
    assert number not in redact(text, MASK).text
    assert "[national_id" in redact(text, MASK).text
    assert [item.kind for item in identifiers(text) if item.span == (start, start + len(number))] == ["national_id"]


@pytest.mark.parametrize(("text", "number"), [case for case in LABELLED + UNMISTAKABLE if case[1] not in WITHOUT_CHECK])
def test_one_wrong_digit_is_no_national_id(text: str, number: str) -> None:
    place = max(i for i, char in enumerate(number[:-1]) if char.isdigit())
    wrong = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
    assert not detect(text.replace(number, wrong), ("national_id",))


@pytest.mark.parametrize(
    "text",
    [
        "Version 390.533.447 of the tool",
        "10.20.30.40-50 is a range",
        "The rut in the road is 76 cm deep",
        "订单 ABCD123456HDFRRL09 已发货",
        "the NHS hired 9 434 765 people",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert not detect(text, ("national_id",))
