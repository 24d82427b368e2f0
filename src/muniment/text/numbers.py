"""Numbers with a check digit: national identity numbers and bank cards, found beside any script.

Belongs here: the checksums, and the finders both `identifiers.py` and `personal.py` use. Does not belong here: what is
done with what was found. `\\b` is of no use here: a Chinese character is a word character, so lookarounds name ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Final

from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

CN_PROVINCES: Final = frozenset(
    str(code)
    for first, last in ((11, 15), (21, 23), (31, 37), (41, 46), (50, 54), (61, 65), (71, 71), (81, 83))
    for code in range(first, last + 1)
)
"""First two digits of GB/T 2260 codes. The county is not checked: codes are abolished and people keep their number,
which is why a validator that knows today's counties only refuses many valid ones."""

_GAP: Final = r"[\s.·•_-]{0,3}"
"""What people and line breaks put between the digits of a number whose check digits are strong enough to bear it."""
_CN_ID = re.compile(
    rf"(?:(?<![0-9A-Za-z])(?<![0-9A-Za-z][-_])|(?<![A-Za-z][iI][dD])(?<=[iI][dD]))[1-8]{_GAP}\d(?:{_GAP}\d){{15}}{_GAP}[0-9Xx](?![0-9A-Za-z])"
)
_CN_OLD = re.compile(r"(?<![0-9A-Za-z])(\d{6})(\d{6})(\d{3})(?![0-9A-Za-z])")
_CN_CUE = re.compile(r"身份证|证件号|(?i:identity card|id card)")
_SSN = re.compile(r"(?<![0-9A-Za-z.])(?<![0-9A-Za-z]-)(\d{3})(\s?[-.]\s?|\s?)(\d{2})\2(\d{4})(?![0-9A-Za-z])(?!-\d)")
_SSN_CUE = re.compile(r"(?ai)\bssn\b|\bss#|social security|社会安全号|社保号")
_NINO = re.compile(
    r"(?<![0-9A-Za-z])(?!BG|GB|KN|NK|NT|TN"
    r"|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![0-9A-Za-z])"
)
_RUN = re.compile(
    r"(?:(?<![0-9A-Za-z.])(?<![0-9A-Za-z]-)|(?i:(?<=card)|(?<=visa)|(?<=amex)|(?<=mastercard)|(?<=debit)|(?<=credit)))"
    r"\d{1,19}(?:[\s·•_./|:,，、-]{1,3}\d{1,19})*(?:(?![0-9A-Za-z])|(?=(?i:card|visa|amex|mastercard)))(?![-.]\d)"
)
_GROUP = re.compile(r"\d+")
_GROUPED = re.compile(r"4(?:,4){2,3}(?:,[1-4])?|4,6,[45]|1(?:,1){12,18}")
"""Sizes of the groups in which cards are written; digit by digit is one."""
_RARE_GAP = re.compile(r"[/|:,，、]")
"""Signs that stand between other numbers far more often: between all groups of a card the same one."""
_PLAIN_GAP = re.compile(r"[ -]")
_CARD_CUE = re.compile(r"(?ai)\bcards?\b|\bcc\b|visa|mastercard|amex|debit|卡")
_OTHER_NUMBER_CUE = re.compile(
    r"(?ai)(?:(?:(?:流水|订单|运单|快递|物流|条码|条形码|单据|交易|序列)编?号|条形?码|编号|单号|(?:流水|订单|运单|快递|物流|交易)(?:编号|id|号码))"
    r"|\b(?:tracking|order|serial|invoice|transaction|reference|shipment|parcel)\s?(?:number|num|no\.?|nr\.?|#)|\bisbn|\bimei|\bbarcode"
    r")(?:\s?(?:is|was|是|为))?\s?[:：#]?\s?$"
)
"""What says right before a number that it is another kind; 'order 12: …' and 'in order to pay use …' do not."""
_NOT_CARD_BEFORE = re.compile(r"不是(?:银行|信用|我的)?卡号?\s?[:：]?\s?$")
_NOT_CARD_AFTER = re.compile(r"^\s?(?:不是|并非|isn't a|is not a)")
_SHORTEST, _LONGEST = 12, 19
"""Digits of a card (ISO/IEC 7812-1)."""
CUE_REACH: Final = 24
"""Characters before a number in which a cue counts as its own."""


def luhn(digits: str) -> bool:
    """Whether the digits satisfy the Luhn check (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def valid_cn_id(number: str) -> bool:
    """Whether an 18-character resident identity number is sound: province, birth date, check character.

    The check is ISO 7064 MOD 11-2 as GB 11643-1999 prescribes.
    """
    if not re.fullmatch(r"[0-9]{17}[0-9Xx]", number) or number[:2] not in CN_PROVINCES:
        return False
    if not _is_date(number[6:10], number[10:12], number[12:14]):
        return False
    total = sum(int(char) * (2 ** (17 - place) % 11) for place, char in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def card_network(digits: str) -> str | None:
    """The card network by issuer prefix and length (ISO/IEC 7812 ranges as the networks publish them), or None."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if digits[0] == "4" and size in (13, 16, 19):
        return "visa"
    if (51 <= two <= 55 or 2221 <= four <= 2720) and size == 16:
        return "mastercard"
    if two in (34, 37) and size == 15:
        return "amex"
    if two == 62 and 16 <= size <= 19:
        return "unionpay"
    if (four == 6011 or two in (64, 65)) and 16 <= size <= 19:
        return "discover"
    if 3528 <= four <= 3589 and 16 <= size <= 19:
        return "jcb"
    if (two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305) and 14 <= size <= 19:
        return "diners"
    return None


def national_ids(text: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    """(span, compact number, detector) of each national id: CN by checksum, US and UK by format with conservative
    cues, other countries' by a label or an unmistakable spelling, and the country's check digits. The same number may be
    found in two ways."""
    plain = narrow(text)
    for match in _CN_ID.finditer(plain):
        number = re.sub(r"[^0-9X]", "", match[0].upper())
        if valid_cn_id(number):
            yield match.span(), number, "cn_id.checksum"
    for match in _CN_OLD.finditer(plain):
        year, month, day = "19" + match[2][:2], match[2][2:4], match[2][4:]
        if _cue(_CN_CUE, plain, match.start()) and match[1][:2] in CN_PROVINCES and _is_date(year, month, day):
            yield match.span(), match[0], "cn_id.old"
    for match in _SSN.finditer(plain):
        area, group, serial = match[1], match[3], match[4]
        sound = area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"
        if sound and (match[2].strip() == "-" or _cue(_SSN_CUE, plain, match.start())):
            yield match.span(), area + group + serial, "us_ssn"
    for match in _NINO.finditer(plain):
        yield match.span(), match[0].replace(" ", ""), "uk_nino"
    yield from _labelled_ids(plain)
    yield from _written_ids(plain)


def _written_ids(plain: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Other countries' numbers in a spelling that nothing else has, where the country's own check admits them."""
    for name, pattern in _written().items():
        for match in pattern.finditer(plain):
            if import_module(f"stdnum.{name}").is_valid(match[0]):
                yield match.span(), re.sub(r"[^0-9A-Za-z]", "", match[0]), name


@cache
def _written() -> dict[str, re.Pattern[str]]:
    """The spellings, by checking module."""
    return {
        name: re.compile(rf"(?<![0-9A-Za-z.-])(?:{form})(?![0-9A-Za-z]|[.-]\d)")
        for name, form in lexicon("ids")["written"].items()
    }


def _labelled_ids(plain: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Other countries' numbers, where a label introduces them and the country's own check admits them."""
    scanner, modules = _labels()
    for match in scanner.finditer(plain):
        name = next(
            modules[group] for group, value in match.groupdict().items() if value is not None and group in modules
        )
        start, text = match.start("number"), match["number"]
        checker = import_module(f"stdnum.{name}")
        # More words may follow the number without a break: the longest beginning that checks is the number.
        breaks = [place.start() for place in re.finditer(r"[ ./-]", text)]
        for end in (len(text), *reversed(breaks)):
            if checker.is_valid(text[:end]):
                yield (start, start + end), re.sub(r"[^0-9A-Za-z]", "", text[:end]).upper(), name
                break


@cache
def _labels() -> tuple[re.Pattern[str], dict[str, str]]:
    """A scanner for a label and what may be its number, and the checking module behind each of its groups."""
    labels: dict[str, str] = lexicon("ids")["labels"]
    modules = {f"m{place}": name for place, name in enumerate(labels)}
    named = "|".join(f"(?P<{group}>{labels[name]})" for group, name in modules.items())
    between = r"(?: (?:number|no\.?|nr\.?|card|is))*\s?[:=#]?\s?(?:is |es |est |ist |é )?"
    number = r"(?P<number>[0-9A-Za-z](?:[ ./-]?[0-9A-Za-z]){7,20})(?![0-9A-Za-z])"
    return re.compile(rf"(?i)(?<![^\W_])(?:{named})(?![^\W_]){between}{number}"), modules


def bank_cards(text: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    """(span, digits, network) of each bank card: Luhn and an issuer's prefix and length, or Luhn and a word for 'card'.

    A number introduced as something else (an order, a serial, a bar code) is none unless its digits are grouped in
    fours.
    """
    plain = narrow(text)
    for run in _RUN.finditer(plain):
        if run.end() - run.start() < _SHORTEST:
            continue
        groups = [match.span() for match in _GROUP.finditer(plain, *run.span())]
        first = 0
        while first < len(groups):
            last = next((last for last in _windows(groups, first) if _is_card(plain, groups[first : last + 1])), None)
            if last is not None:
                span = (groups[first][0], groups[last][1])
                digits = re.sub(r"\D", "", plain[slice(*span)])
                yield span, digits, f"card.{card_network(digits) or 'luhn'}"
                first = last
            first += 1


def _windows(groups: list[tuple[int, int]], first: int) -> Iterator[int]:
    """The last groups with which those from `first` have as many digits as a card, the most first."""
    size, ends = 0, []
    for place in range(first, len(groups)):
        size += groups[place][1] - groups[place][0]
        if size > _LONGEST:
            break
        if size >= _SHORTEST:
            ends.append(place)
    return reversed(ends)


def _is_card(plain: str, groups: list[tuple[int, int]]) -> bool:
    start, end = groups[0][0], groups[-1][1]
    digits = "".join(plain[one:two] for one, two in groups)
    if len(set(digits)) < 2 or not luhn(digits):
        return False
    gaps = [plain[one[1] : two[0]] for one, two in pairwise(groups)]
    grouped = bool(_GROUPED.fullmatch(",".join(str(two - one) for one, two in groups)))
    before = plain[max(0, start - CUE_REACH) : start]
    named, network = bool(_CARD_CUE.search(before)), card_network(digits)
    if len(groups) > 1 and not grouped and not (named and network):
        return False
    if not all(_PLAIN_GAP.fullmatch(gap) for gap in gaps) and (
        not network or (not named and sum("\n" in gap for gap in gaps) > 1)
    ):
        return False
    if any(_RARE_GAP.search(gap) for gap in gaps) and (
        not grouped or len(set(gaps)) > 1 or (not named and any(" " in gap for gap in gaps))
    ):
        return False
    if _NOT_CARD_BEFORE.search(before):
        return False
    denied = _OTHER_NUMBER_CUE.search(before) or _NOT_CARD_AFTER.match(plain[end : end + 8])
    return bool((named or grouped or not denied) and (network or named))


def _cue(cue: re.Pattern[str], text: str, start: int) -> bool:
    return bool(cue.search(text[max(0, start - CUE_REACH) : start]))


def _is_date(year: str, month: str, day: str) -> bool:
    try:
        return date(int(year), int(month), int(day)) <= date(2100, 1, 1)
    except ValueError:
        return False
