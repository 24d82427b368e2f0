"""Numbers and addresses that single out a person, a device or an account, each by a form that can be checked.

Belongs here: bank accounts (IBAN), passports and driving licences beside a word, tax numbers, addresses of machines,
crypto wallets, IMEIs, accounts of messengers. Does not belong here: national ids and bank cards (`numbers.py`), phones
(`phones.py`), and exact keys for look-ups (`identifiers.py`). Check digits are `python-stdnum`'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from muniment.text.finding import Finding
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

KINDS: Final = (
    "iban",
    "passport",
    "driving_licence",
    "tax_id",
    "wallet",
    "imei",
    "ip",
    "mac",
    "account",
)

_BEFORE: Final = r"(?<![0-9A-Za-z])"
_AFTER: Final = r"(?![0-9A-Za-z])"
_IBAN = re.compile(rf"(?i){_BEFORE}[A-Z]{{2}}\d{{2}}(?:[ -]?[A-Z0-9]{{4}}){{2,7}}(?:[ -]?[A-Z0-9]{{1,3}})?{_AFTER}")
_IBAN_WORD = re.compile(r"(?i)iban\W{0,3}(?:is|number|no\.?|是|为|号)?\W{0,3}$")
_USCC = re.compile(rf"{_BEFORE}[0-9A-HJ-NPQRTUWXY]{{2}}\d{{6}}[0-9A-HJ-NPQRTUWXY]{{10}}{_AFTER}")
_USCC_WORD = re.compile(r"信用代码|税号|纳税人识别号|(?i:uscc|credit code)")
_VAT = re.compile(rf"{_BEFORE}(?:[A-Z]{{2}}|CHE)[ -]?[A-Z0-9](?:[ .-]?[A-Z0-9]){{7,13}}{_AFTER}")
_EIN = re.compile(rf"{_BEFORE}\d{{2}}-\d{{7}}{_AFTER}")
_IPV4 = re.compile(
    r"(?<![0-9A-Za-z.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![0-9A-Za-z-])(?!\.\d)"
)
_VERSION_BEFORE = re.compile(r"(?i)(?:\b(?:v|ver|version|release|build|section|chapter)\.?|版本号?|[第§])\s?$")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![0-9A-Za-z:.])")
_MAC = re.compile(
    r"(?<![0-9A-Za-z:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![0-9A-Za-z]|[:-][0-9A-Fa-f])"
)
_ETHER = re.compile(rf"{_BEFORE}0x[0-9A-Fa-f]{{40}}{_AFTER}")
_COIN = re.compile(
    rf"{_BEFORE}(?:[13][1-9A-HJ-NP-Za-km-z]{{25,34}}|bc1[ac-hj-np-z02-9]{{11,71}}|T[1-9A-HJ-NP-Za-km-z]{{33}}){_AFTER}"
)
_IMEI = re.compile(rf"{_BEFORE}\d{{2}}[ -]?\d{{6}}[ -]?\d{{6}}[ -]?\d{_AFTER}")
_IMEI_WORD = re.compile(r"(?i)imei|串号")
Found = Iterator[tuple[tuple[int, int], str]]
"""(span, detector) of each number."""
WORD_REACH: Final = 32
"""Characters before a number in which a word counts as saying what it is."""


def personal_numbers(text: str, kinds: frozenset[str] = frozenset(KINDS)) -> Iterator[Finding]:
    """Each number of the wanted kinds; spans may overlap (`finding.settle`). Never raises on any text."""
    plain = narrow(text)
    for kind, finder in _FINDERS.items():
        if kind in kinds:
            for span, detector in finder(plain):
                yield Finding(kind=kind, span=span, detector=detector)


def _ibans(plain: str) -> Found:
    """By country, length and the check digits of ISO 13616; more words may follow without a break."""
    for match in _IBAN.finditer(plain):
        for end in _ends(match[0]):
            number = match[0][:end]
            if _valid("iban", number) and (number.isupper() or _IBAN_WORD.search(_near(plain, match.start()))):
                yield (match.start(), match.start() + end), "iban.checksum"
                break


def _tax_ids(plain: str) -> Found:
    """Chinese credit codes by their check character or beside their word; VAT numbers of the EU, Switzerland and the UK and
    EINs of the United States beside a word for one."""
    for match in _USCC.finditer(plain):
        if not match[0].isdigit() and (_valid("cn.uscc", match[0]) or _USCC_WORD.search(_near(plain, match.start()))):
            yield match.span(), "cn_uscc"
    word = _words("tax_id")
    for match in _VAT.finditer(plain):
        if word.search(_near(plain, match.start())):
            for end in _ends(match[0]):
                if any(_valid(name, match[0][:end]) for name in ("eu.vat", "gb.vat", "ch.vat")):
                    yield (match.start(), match.start() + end), "vat"
                    break
    for match in _EIN.finditer(plain):
        if word.search(_near(plain, match.start())) and _valid("us.ein", match[0]):
            yield match.span(), "us_ein"


def _ips(plain: str) -> Found:
    for match in _IPV4.finditer(plain):
        if not _VERSION_BEFORE.search(_near(plain, match.start())):
            yield match.span(), "ipv4"
    for match in _IPV6.finditer(plain):
        groups = match[0].split(":")
        if any(char.isalnum() for char in match[0]) and ("::" in match[0] or len(groups) == 8):
            try:
                IPv6Address(match[0])
            except AddressValueError:
                continue
            # '::1' and 'std::ab' look alike; an address people write has two groups or more, or is the loopback.
            if sum(bool(group) for group in groups) >= 3 or match[0] == "::1":
                yield match.span(), "ipv6"


def _macs(plain: str) -> Found:
    for match in _MAC.finditer(plain):
        yield match.span(), "mac"


def _wallets(plain: str) -> Found:
    for match in _ETHER.finditer(plain):
        yield match.span(), "wallet.ethereum"
    for match in _COIN.finditer(plain):
        if match[0][0] == "T":
            if any(char.isdigit() for char in match[0]) and _base58check(match[0]):
                yield match.span(), "wallet.tron"
        elif _valid("bitcoin", match[0]):
            yield match.span(), "wallet.bitcoin"


def _imeis(plain: str) -> Found:
    for match in _IMEI.finditer(plain):
        if _IMEI_WORD.search(_near(plain, match.start())) and _valid("imei", match[0]):
            yield match.span(), "imei"


def _beside_word(plain: str, kind: str) -> Found:
    """What a word introduces and has the form that the kind's numbers have; the number alone is the span."""
    for match in _introduced(kind).finditer(plain):
        if any(char.isdigit() for char in match["number"]) or kind == "account":
            yield match.span("number"), f"word.{kind}"


def _near(plain: str, start: int) -> str:
    return plain[max(0, start - WORD_REACH) : start]


def _ends(number: str) -> list[int]:
    """Where a number may end: at its end, or before one of its separators, the longest first."""
    return [len(number), *(place.start() for place in reversed(list(re.finditer(r"[ .-]", number))))]


def _valid(module: str, number: str) -> bool:
    """The check of a module of python-stdnum, imported when it is first needed."""
    return bool(import_module(f"stdnum.{module}").is_valid(number))


def _base58check(text: str) -> bool:
    """Whether the last four bytes are the double SHA-256 of the rest, as Base58Check has it."""
    from hashlib import sha256

    value = 0
    for char in text:
        value = value * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".index(char)
    raw = value.to_bytes(25, "big") if value < 1 << 200 else b""
    return bool(raw) and sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


@cache
def _words(kind: str) -> re.Pattern[str]:
    entry = lexicon("ids")["beside"][kind]
    return re.compile(f"(?i)(?<![a-z])(?:{entry['en']})(?![a-z])|{entry['zh']}")


@cache
def _introduced(kind: str) -> re.Pattern[str]:
    entry = lexicon("ids")["beside"][kind]
    link_en = (
        r"(?:'s)?(?: (?:card|number|num|no\.?|id|code|account))*(?: (?:is|was|be|to|ends?))?\s?[:#=]?\s?(?:is |it's )?"
    )
    link_zh = r"(?:号码?|编号|账号|帐号|证件号)?\s?(?:[:是为叫换成]|改成|改为|换成|就是|也是)?\s?:?\s?"
    return re.compile(
        rf"(?:(?i:(?<![a-z])(?:{entry['en']})(?![a-z])){link_en}|(?:{entry['zh']}){link_zh})"
        rf"[\"'(]?(?P<number>{_BEFORE}(?:{entry['form']})){_AFTER}(?![-_/@.]\w)"
    )


_FINDERS: Final[Mapping[str, Callable[[str], Found]]] = {
    "iban": _ibans,
    "passport": lambda plain: _beside_word(plain, "passport"),
    "driving_licence": lambda plain: _beside_word(plain, "driving_licence"),
    "tax_id": _tax_ids,
    "wallet": _wallets,
    "imei": _imeis,
    "ip": _ips,
    "mac": _macs,
    "account": lambda plain: _beside_word(plain, "account"),
}
