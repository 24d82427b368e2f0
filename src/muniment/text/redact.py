"""Masks for what must not be stored.

Belongs here: the masks, and their recognition in text that was masked before. Does not belong here: which kinds are
masked (policy `sensitivity.mask`) and keyed digests of what was masked (store).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from muniment.text.finding import MASK, Finding, settle
from muniment.text.identifiers import KINDS as IDENTIFIER_KINDS
from muniment.text.identifiers import identifiers
from muniment.text.personal import KINDS as PERSONAL_KINDS
from muniment.text.personal import detect
from muniment.text.secret_names import named_kind

LAST_DIGITS: Final = 4
_LAST_KEPT: Final = frozenset(
    {"national_id", "bank_card", "phone", "iban", "passport", "driving_licence", "tax_id", "imei", "wallet"}
)


_LABELS: Final = ("name", "key", "field", "label", "type", "title", "header")
_VALUE_CHARS: Final = 128
_VALUES: Final = frozenset({"value", "val", "values", "text", "content", "data", "current", "new", "old"})
"""Fields that say what the field of `_VALUES` beside them, or below them, is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """The masked text; `findings` point into the text that was given; `redacted` says whether anything was masked."""

    text: str
    findings: tuple[Finding, ...] = ()
    redacted: bool = False


def redact(text: str, kinds: tuple[str, ...]) -> Redaction:
    """Masks every finding of the given kinds, as `[bank_card …1234]` or `[password]`; all else keeps its characters.

    Kinds are those of `personal.KINDS` and `identifiers.KINDS`. Redacting the result again changes nothing: rounds
    follow until none finds more, and as a round only ever turns text into masks, which no round touches, they end.
    """
    findings: list[Finding] = []
    current = text
    while fresh := _outside_masks(current, kinds):
        shifts = _shifts(text, findings)
        findings += [Finding(kind=item.kind, span=_back(item.span, shifts), detector=item.detector) for item in fresh]
        findings.sort(key=lambda item: item.span)
        current = _masked(text, findings)
    return Redaction(text=current, findings=tuple(findings), redacted=bool(findings))


def redact_json(value: Any, kinds: tuple[str, ...]) -> tuple[Any, frozenset[str]]:
    """A JSON value masked in its texts, its numbers, the names of its fields, and where a name says what a value is
    (`{"password": "hunter2"}`, `{"name": "PIN", "value": 4821}`); with the kinds that were masked.

    A number that is masked becomes text. Two names that a mask makes alike are told apart by a number behind the second.
    """
    walk = _Walk(kinds)
    return walk.value(value, ""), frozenset(walk.found)


class _Walk:
    """One pass over a JSON value; `found` gathers the kinds that were masked."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        self.found: set[str] = set()

    def value(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            said = next((value[label] for label in _LABELS if isinstance(value.get(label), str)), "")
            return self.mapping(value, said, name)
        if isinstance(value, list):
            return self.items(value, name)
        if value is None or isinstance(value, bool):
            return value
        kind = named_kind(name, value) if name else None
        if kind is not None and kind in self.kinds:
            self.found.add(kind)
            return mask(kind, str(value))
        text = self.text(str(value))
        return text if isinstance(value, str) or text != str(value) else value

    def items(self, value: list[Any], name: str) -> list[Any]:
        """A list, where a name as the item before says what the next is: `["password", "…"]`, `["--token", "…"]`."""
        kept, before = [], ""
        for item in value:
            kept.append(self.value(item, before if before and named_kind(before, item) else name))
            before = item.lstrip("-") if isinstance(item, str) and len(item) <= 40 and not before else ""
        return kept

    def mapping(self, value: dict[str, Any], said: str, outer: str) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, item in value.items():
            masked = self.text(name)
            again, count = masked, 1
            while again in kept:
                count += 1
                again = f"{masked} {count}"
            kept[again] = self.value(
                item, (said or outer or name) if name in _VALUES and len(str(item)) <= _VALUE_CHARS else name
            )
        return kept

    def text(self, text: str) -> str:
        result = redact(text, self.kinds)
        self.found.update(item.kind for item in result.findings)
        return result.text


def masked_kinds(text: str) -> tuple[str, ...]:
    """The kinds of the masks that stand in a text, in order of appearance, each once."""
    known = {*PERSONAL_KINDS, *IDENTIFIER_KINDS}
    return tuple(dict.fromkeys(match["kind"] for match in MASK.finditer(text) if match["kind"] in known))


def mask(kind: str, original: str) -> str:
    """What stands in the text instead: the kind, and for numbers their last four characters."""
    if kind in _LAST_KEPT:
        compact = "".join(char for char in original if char.isascii() and char.isalnum())
        if len(compact) > 2 * LAST_DIGITS:
            return f"[{kind} …{compact[-LAST_DIGITS:]}]"
    return f"[{kind}]"


def _outside_masks(text: str, kinds: tuple[str, ...]) -> list[Finding]:
    """Findings that touch no mask."""
    personal = tuple(kind for kind in kinds if kind in PERSONAL_KINDS)
    others = {kind for kind in kinds if kind in IDENTIFIER_KINDS and kind not in PERSONAL_KINDS}
    findings = detect(text, personal) if personal else []
    if others:
        findings += [
            Finding(kind=item.kind, span=item.span, detector="identifier")
            for item in identifiers(text)
            if item.kind in others
        ]
    masks = [Finding(kind="mask", span=match.span(), detector="mask") for match in MASK.finditer(text)]
    return [item for item in settle([*masks, *findings]) if item.kind != "mask"] if findings else []


def _masked(text: str, findings: list[Finding]) -> str:
    parts, place = [], 0
    for item in findings:
        start, end = item.span
        parts += [text[place:start], mask(item.kind, text[start:end])]
        place = end
    return "".join([*parts, text[place:]])


def _shifts(text: str, findings: list[Finding]) -> list[tuple[int, int]]:
    """For each mask made so far: where it ends in the masked text, and how far all after it has moved."""
    shifts, moved = [], 0
    for item in findings:
        start, end = item.span
        size = len(mask(item.kind, text[start:end]))
        shifts.append((start - moved + size, moved + (end - start) - size))
        moved += (end - start) - size
    return shifts


def _back(span: tuple[int, int], shifts: list[tuple[int, int]]) -> tuple[int, int]:
    """A span of the masked text as one of the original; it holds no mask, so one shift serves both its ends."""
    moved = 0
    for end, total in shifts:
        if end > span[0]:
            break
        moved = total
    return span[0] + moved, span[1] + moved
