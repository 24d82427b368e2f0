"""Telephone numbers in any spelling, as E.164.

Belongs here: which runs of digits are telephone numbers, and their one spelling. The numbering plans are those of the
`phonenumbers` library (Google's libphonenumber data). Does not belong here: other numbers (`numbers.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from muniment.text.folding import narrow

DIGITS: Final = re.compile(r"[0-9]")
_RUN = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9A-Za-z][-_/#.@])(?:(?:\+|00)[ ]?)?\(?[0-9](?:[ .()/_-]{0,2}[0-9]){6,16}"
    r"(?:\s?(?:x|ext\.?|转)\s?[0-9]{1,5})?(?![0-9A-Za-z_%])(?![-_/.][0-9])"
)
_NORTH_AMERICAN: Final = r"(?:1[ .-])?(?:\([2-9]\d{2}\)[ .-]?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}"
_NORTH_AMERICAN_BARE: Final = r"1?[2-9]\d{2}[2-9]\d{6}"
_MOBILE_CN = re.compile(r"(?:(?:\+|00)?86)?1[3-9][0-9]{9}")
_CUE = re.compile(
    r"(?ai)\b(?:phone|telephone|tel|mobile|mob|cell|cellphone|call|called|text|fax|desk|whatsapp|number)\b|电话"
    r"|手机|座机|号码|联系方式|致电|拨打|传真|热线"
)
_LABEL = re.compile(
    r"(?ai)(?:\b(?:phone|telephone|tel|mobile|mob|cell|fax|desk|whatsapp)(?: (?:no\.?|number))?(?: is)?"
    r"|电话(?:号码)?|手机号?|座机|传真|热线)\s?[:：是为]?\s?\(?$"
    r"|\b(?:answer(?:ing|s|ed)?|(?:reach(?:ed|able)?|call(?:ed)?|ring|dial|contact|text)(?: (?:me|us|him|her|them|you))?)"
    r" (?:at|on) \(?$"
)
_LABEL_AFTER = re.compile(r"(?ai)\s?[-(]\s?(?:office|fax|mobile|cell|home|work|desk|tel|direct)\b")
"""What it is may also stand behind a number, as people write it on cards: '555 0100 (office)'."""
_EXTENSION = re.compile(r"\s?(?:x|ext\.?|转)\s?[0-9]{1,5}$")
_DATE_LIKE = re.compile(
    r"(?:19|20)\d{2}[-./]\d{1,2}[-./]\d{1,2}(?!\d)"
    r"|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d{2}(?!\d)"
    r"|(?:19|20)\d{2}\s?[-–]\s?(?:19|20)\d{2}$"
)
_CUE_REACH: Final = 24


def phones(text: str, regions: tuple[str, ...] = ("CN", "US", "GB")) -> Iterator[tuple[tuple[int, int], str]]:
    """(span, spelling) of each telephone number: E.164, or bare digits where it is labelled as one that no plan admits.

    A bare run of digits counts only as a Chinese mobile number, or where a word such as 'phone' or 电话 stands before;
    a spaced or dashed one must be valid in one of the regions; one with + or 00 need only be possible.
    """
    plain = narrow(text)
    for match in _RUN.finditer(plain):
        raw = match[0]
        start = match.start()
        if _DATE_LIKE.match(raw.strip("( ")):
            continue
        before = plain[max(0, start - _CUE_REACH) : start]
        labelled = bool(_LABEL.search(before) or _LABEL_AFTER.match(plain, match.end()))
        named = labelled or bool(_CUE.search(before))
        number = _read(raw, regions, named=named, labelled=labelled)
        if number:
            yield match.span(), number


def read_phone(text: str, regions: tuple[str, ...] = ("CN", "US", "GB")) -> str | None:
    """E.164 of a text that is meant as a telephone number; the bare digits where no plan of the regions admits it; None
    where it cannot be a telephone number at all."""
    plain = _EXTENSION.sub("", narrow(text).strip())
    if not re.fullmatch(r"[+0-9][0-9 .()/_-]{4,28}|\([+0-9 .()/_-]{5,28}", plain):
        return None
    return _read(plain, regions, named=True, labelled=True)


def _read(raw: str, regions: tuple[str, ...], *, named: bool, labelled: bool) -> str | None:
    """One spelling of a run of digits that may be a telephone number, or None: `named` a word for one is near,
    `labelled` it stands right before.

    One with the shape of a telephone number is one whatever stands before it; called an order number, it may be both.
    """
    raw = _EXTENSION.sub("", raw).strip()
    digits = "".join(DIGITS.findall(raw))
    if _MOBILE_CN.fullmatch(digits):
        return "+86" + digits[-11:]
    if raw.startswith("+") or (digits.startswith("00") and len(digits) > 10):
        abroad = "".join(DIGITS.findall(raw.replace("(0)", "")))
        return _parse("+" + abroad.removeprefix("00"), None, lenient=True)
    if not named and not _shaped(raw):
        return None
    if re.fullmatch(f"{_NORTH_AMERICAN}|{_NORTH_AMERICAN_BARE}", raw) and "US" in regions:
        return _parse(digits, "US", lenient=True)
    for region in regions:
        if region == "GB" and not digits.startswith("0"):
            continue  # Written without its country code a British number begins with 0.
        number = _parse(digits, region, lenient=False)
        if number:
            return number
    return digits if labelled and 7 <= len(digits) <= 15 else None


def _shaped(raw: str) -> bool:
    """Whether it has separators, and they stand where people put them in telephone numbers, so that '3 000 000' or '10
    20 30 40' do not pass."""
    plain = raw.strip()
    trunk = r"\(?0\d{1,4}\)?[ .-]\d{3,8}(?:[ .-]\d{3,4}){0,2}"
    service = r"[48]00[ -]?\d{3}[ -]?\d{4}"
    return bool(re.fullmatch(f"{_NORTH_AMERICAN}|{trunk}|{service}", plain))


def _parse(digits: str, region: str | None, *, lenient: bool) -> str | None:
    import phonenumbers

    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return None
    sound = phonenumbers.is_possible_number(number) if lenient else phonenumbers.is_valid_number(number)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) if sound else None
