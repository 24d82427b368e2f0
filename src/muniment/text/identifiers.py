"""Exact identifiers in a text, each in one spelling, so that a look-up never needs similarity.

Belongs here: phones, e-mail addresses, URLs, order and ticket numbers, national ids, bank cards, number plates,
versions, amounts, dates: found by `identifiers`, spelt for a look-up by `normalise`. Does not belong here: what may be
stored of them (policy), whose they are (store).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from muniment.text.amounts import amounts
from muniment.text.exact_dates import exact_dates
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon
from muniment.text.numbers import bank_cards, national_ids
from muniment.text.phones import phones, read_phone

KINDS: Final = ("url", "email", "national_id", "bank_card", "phone", "plate", "date", "amount", "version", "code")
"""Every kind `identifiers` finds, in the order in which one wins over another for the same characters."""

_ALIASES: Final = {
    "url": "link website 网址 链接",
    "email": "e_mail mail email_address 邮箱 电子邮件 邮件",
    "national_id": "id_card identity_number ssn 身份证 身份证号",
    "bank_card": "card card_number credit_card 银行卡 银行卡号 卡号",
    "phone": "telephone tel mobile cell phone_number mobile_number 电话 手机 手机号 电话号码",
    "plate": "number_plate license_plate licence_plate 车牌 车牌号",
    "date": "day 日期",
    "amount": "money price sum 金额 价格",
    "version": "release 版本 版本号",
    "code": "order order_no order_id order_number ticket ticket_no ticket_id invoice invoice_no booking "
    "tracking_no reference "
    "case_no id identifier 订单 订单号 工单 工单号 单号 编号 票号 运单号 发票号",
}
_CANONICAL: Final = {name: kind for kind, names in _ALIASES.items() for name in [kind, *names.split()]}

_URL = re.compile(r"(?ai)(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.)[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]{3,2000}")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\."
    r"){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_PLATE = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][ ·•.-]?"
    r"(?:[A-HJ-NP-Z0-9]{5,6}|[A-HJ-NP-Z0-9]{4}[挂学警港澳领])(?![A-Za-z0-9])"
)
_NAMED_PLATE = re.compile(
    r"(?:(?ai:\b(?:licen[cs]e|number|registration|reg) plates?(?: (?:number|no\.?))?|\bplate (?:number|no\.?))|车牌号?码?)"
    r"\s?(?:(?ai:is|was)|是|为|:|：|#)?\s?(?<![A-Za-z0-9])([A-Z0-9]{1,4}(?:[ -][A-Z0-9]{1,4}){0,3}|[A-Z0-9]{4,8})(?![A-Za-z0-9])"
)
_VERSION = re.compile(
    r"(?<![A-Za-z0-9.])(?:[vV]\.?\s?(\d{1,4}(?:\.\d{1,6}){1,3})|(\d{1,4}\.\d{1,4}\.\d{1,6}))((?:-|\.)?(?:alpha"
    r"|beta|rc|dev|post|preview)[.-]?\d{0,4})?(?![A-Za-z0-9])(?!\.\d)"
)
_NAMED_VERSION = re.compile(
    r"(?ai)(?:\bversion|\brelease|版本)\s?(?:号|no\.?|is|为|是|:|：)?\s?(\d{1,4}(?:\.\d{1,6}){0,3})(?![A-Za-z0-9.]\d)"
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][-_/.#])[A-Za-z0-9]{1,40}(?:[-_/.#][A-Za-z0-9]{1,40}){0,8}(?![A-Za-z0-9]"
    r")(?![-_/.#][A-Za-z0-9])"
)
_SPACED = re.compile(
    r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][-_/.#])([A-Z]{2,6}) "
    r"(\d{2,12}(?:[ -]\d{2,12}){0,3}(?:[ -](?!(?:A|I|AM|PM)\b)[A-Z]{1,2})?)(?![A-Za-z0-9])(?![.,]\d)"
)
_NAMED = re.compile(
    r"(?ai)(?:(?<![A-Za-z0-9])(?:order|ticket|invoice|booking|tracking|case|reference|ref|confirmation|reservation|incident"
    r"|account|serial|contract|policy|member(?:ship)?|employee|student)(?![A-Za-z])"
    r"[\s_-]?(?:no\b\.?|number|num|id|code|#)?|单号|订单|工单|编号|工号|学号|流水号|票号|合同号|会员号|账号|帐号|序列号|条码|qq|微信号?)"
    r"\s?(?:号码?|no\.?)?[\"']?\s?(?:is|was|:|：|是|为|#|=)?\s?[\"']?(?<![A-Za-z0-9])([A-Za-z0-9][A-Za-z0-9_-]{3,40})(?![A-Za-z0-9])"
)
_SHORT = re.compile(r"[A-Z]{1,8}[-_][0-9]{1,3}(?:[-_][A-Z0-9]{1,4}){0,2}")
"""Too short to be told from a word with a number, but for a word before it that says what it is: 'order ORD-7'."""
_SHORT_ALONE = re.compile(r"([A-Z]{2,6})-[0-9]{1,3}")
"""A short code that nothing names; not 'COVID-19' (`lexicons/not_codes.toml`)."""
_LABELLED = re.compile(r"(?ai)(?:order|ticket|invoice|booking|tracking|case|issue|ref|id|no)#")
_HASH = re.compile(r"(?<![A-Za-z0-9#&])#(\d{3,12})(?![A-Za-z0-9])")
_UNIT = re.compile(
    r"\d+[A-Za-z]{1,4}|\d+(?:st|nd|rd|th)|(?:\d+-)+[a-z]{2,}(?:-[a-z]+)*|[a-z]{1,12}-\d{1,3}|\d+x\d+(?:x\d+)?"
)
_NOT_PREFIX: Final = frozenset(
    [
        "USD",
        "EUR",
        "GBP",
        "CNY",
        "RMB",
        "JPY",
        "HKD",
        "AM",
        "PM",
        "JAN",
        "FEB",
        "MAR",
        "APR",
        "MAY",
        "JUN",
        "JUL",
        "AUG",
        "SEP",
        "OCT",
        "NOV",
        "DEC",
        "AD",
        "BC",
        "CE",
        "BCE",
        "IN",
        "ON",
        "AT",
        "TO",
        "OF",
        "THE",
        "AND",
        "OR",
        "BY",
        "FOR",
        "TOP",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """One identifier: its kind (of `KINDS`), its value in the one spelling of that kind, its span [start, end)."""

    kind: str
    value: str
    span: tuple[int, int]


def canonical_kind(name: str) -> str:
    """The kind a name means ('order_no', 工单号 → 'code'; 'mobile' → 'phone'); an unknown one in canonical spelling."""
    spelt = re.sub(r"[\s-]+", "_", unicodedata.normalize("NFKC", name).casefold().strip())
    return _CANONICAL.get(spelt, spelt)


def kind_names() -> frozenset[str]:
    """Every name by which a kind of `KINDS` may be called, in canonical spelling."""
    return frozenset(_CANONICAL)


def identifiers(text: str) -> list[Identifier]:
    """Every identifier in the text, in reading order, none overlapping another. Never raises on any text.

    One exception: a telephone number that a word right before it calls an order number, or a code of another kind, may be
    either, and is given as both, the phone first.
    """
    plain = narrow(text)
    taken = bytearray(len(plain))
    found = []
    numbers: set[tuple[int, int]] = set()
    for kind, span, value in _candidates(plain):
        start, end = span
        if value and (not any(taken[start:end]) or (kind == "code" and span in numbers)):
            taken[start:end] = b"\x01" * (end - start)
            numbers.discard(span)
            if kind == "phone":
                numbers.add(span)
            found.append(Identifier(kind=kind, value=value, span=span))
    return sorted(found, key=lambda item: item.span)


def normalise(kind: str, text: str) -> str | None:
    """The one spelling under which `identifiers` finds it, or None where the text cannot be one of that kind.

    Kinds may be named by any alias of `canonical_kind`; an unknown kind is spelt as a code: folded, separators dropped.
    """
    known = canonical_kind(kind)
    plain = narrow(text).strip()
    if known == "phone":
        return read_phone(plain)
    if known in ("national_id", "bank_card", "plate"):
        return "".join(char for char in plain.upper() if char.isalnum()) or None
    if known in ("email", "url", "date", "amount", "version"):
        probe = f"v{plain}" if known == "version" and plain[:1].isdigit() and "." in plain else plain
        for found, (start, end), value in _candidates(probe):
            if found == known and value and not _AROUND.sub("", probe[:start] + probe[end:]):
                return value
        return spell_code(plain) if known == "version" else None
    return spell_code(plain)


LONGEST: Final = 256
"""Characters of a key that is kept, at most; what is longer is found by its words."""


def keys_of(content: str, *, subject: str | None, predicate: str | None, value: str | None) -> set[tuple[str, str]]:
    """The exact keys (kind, value) of a statement: in its words, its subject or the subject itself, where it is one word with a
    digit in it, and its value read as what the predicate names."""
    found = {(item.kind, item.value) for text in (content, value or "") for item in identifiers(text)}
    found |= _of_subject(subject or "")
    kind = canonical_kind(predicate or "")
    if kind in KINDS and value and any(map(str.isdigit, value)) and (spelt := normalise(kind, value)):
        found.add((kind, spelt))
    return {(name, spelt) for name, spelt in found if len(spelt) <= LONGEST}


def _of_subject(subject: str) -> set[tuple[str, str]]:
    """The keys of a subject. It is kept folded, while codes are told by their capitals, so these are given back."""
    found = {(item.kind, item.value) for item in identifiers(subject)}
    found |= {(item.kind, item.value) for item in identifiers(subject.upper()) if item.kind in ("code", "plate")}
    one = len(subject) <= 64 and not re.search(r"\s", subject) and any(map(str.isdigit, subject))
    if one and not found and (spelt := spell_code(subject)):
        found.add(("code", spelt))
    return found


_AROUND = re.compile(r"(?ai:version|release|ver|v|cny|rmb|usd)|版本|版|号|人民币|整|共|约|[\W_]")
"""What may stand around a version or an amount that is given by itself."""


def spell_code(text: str) -> str | None:
    """A code for comparison: NFKC, case-folded, letters and digits only ('ORD-2024 001' → 'ord2024001'); None if
    empty."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum()) or None


def _candidates(plain: str) -> Iterator[tuple[str, tuple[int, int], str | None]]:
    """Everything that may be an identifier, in the order of `KINDS`."""
    for match in _URL.finditer(plain):
        trimmed = match[0].rstrip(".,;:!?'")
        trimmed = trimmed.rstrip(")") if "(" not in trimmed else trimmed
        yield "url", (match.start(), match.start() + len(trimmed)), _spell_url(trimmed)
    for match in _EMAIL.finditer(plain):
        yield "email", match.span(), match[0].casefold()
    for span, number, _ in national_ids(plain):
        yield "national_id", span, number
    for span, number, _ in bank_cards(plain):
        yield "bank_card", span, number
    for span, number in phones(plain):
        yield "phone", span, number
    for match in _PLATE.finditer(plain):
        if any(char.isdigit() for char in match[0]) or "牌" in plain[max(0, match.start() - 8) : match.start()]:
            yield "plate", match.span(), re.sub(r"[ ·•.-]", "", match[0])
    for match in _NAMED_PLATE.finditer(plain):
        if any(char.isdigit() for char in match[1]):
            yield "plate", match.span(1), re.sub(r"[ -]", "", match[1])
    for span, value in exact_dates(plain):
        yield "date", span, value
    for span, value in amounts(plain):
        yield "amount", span, value
    for match in _VERSION.finditer(plain):
        suffix = (match[3] or "").lstrip("-.").lower()
        yield "version", match.span(), (match[1] or match[2]) + (f"-{suffix}" if suffix else "")
    for match in _NAMED_VERSION.finditer(plain):
        yield "version", match.span(1), match[1]
    yield from _codes(plain)


def _codes(plain: str) -> Iterator[tuple[str, tuple[int, int], str | None]]:
    for match in _SPACED.finditer(plain):
        if match[1] not in _NOT_PREFIX and sum(char.isdigit() for char in match[2]) >= 3:
            yield "code", match.span(), spell_code(match[0])
    for match in _TOKEN.finditer(plain):
        if (_is_code(match[0]) or _is_short_code(match[0])) and not _LABELLED.match(match[0]):
            yield "code", match.span(), spell_code(match[0])
    for match in _NAMED.finditer(plain):
        digits = sum(char.isdigit() for char in match[1])
        if digits >= 4 or ("_" in match[1] and digits) or _SHORT.fullmatch(match[1]):
            yield "code", match.span(1), spell_code(match[1])
    for match in _HASH.finditer(plain):
        yield "code", match.span(1), match[1]


def _is_code(token: str) -> bool:
    """Whether a token of letters and digits reads as an identifier, not as a measure, an ordinal or a word with a
    number."""
    digits = sum(char.isdigit() for char in token)
    if digits < 3 or digits == sum(char.isalnum() for char in token) or _UNIT.fullmatch(token):
        return False
    return not (("." in token or "/" in token) and any(char.islower() for char in token))


def _is_short_code(token: str) -> bool:
    match = _SHORT_ALONE.fullmatch(token)
    return (
        match is not None and match[1] not in _NOT_PREFIX and match[1] not in lexicon("not_codes")["prefixes"]["words"]
    )


def _spell_url(text: str) -> str | None:
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host = parts.netloc.casefold()
    except ValueError:
        return None
    scheme = parts.scheme.casefold()
    if scheme in ("http", "https"):
        # The same page is written with either, and with its port or without.
        scheme, host = "https", re.sub(r":(?:80|443)?$", "", host)
    return urlunsplit((scheme, host, parts.path.rstrip("/"), parts.query, parts.fragment)) if host else None
