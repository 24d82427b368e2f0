"""Chinese statements that no attribute of a catalogue covers: where our things stand and what they run on, what a clause of the
speaker's singles out ('我常去的药店是…'), whom a matter goes to now, what somebody is or is no longer.

Of each there is one truth at a time: the later takes the earlier one's place. Terse words of change fill the slot that the plain
statement fills.

Belongs here: the reading, with the words of `lexicons/told_zh.toml`. Does not belong here: attributes of the catalogue
(`attributes`), 'the X of Y is Z' (`attribute_statements_zh`), what one clause takes from another (`carried_zh`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.enums import Intent, MemoryType, Scope
from muniment.domain.statement import canonical
from muniment.models.extractor.declarations import subject_of
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.statements import VALUE, plain
from muniment.models.extractor.temporary import ending
from muniment.models.extractor.units import Unit
from muniment.models.extractor.values import only_filler, read_value
from muniment.models.extractor.wording import wording

CONFIDENCE: Final = 0.86
SCHOOL: Final = "学校"
"""The qualifier of `education` for the school somebody goes to now: of that there is one, of degrees several."""
_MACRO: Final = re.compile(r"@([a-z]+)")
_NEVER_THING: Final = re.compile(
    r"(?:今天|昨天|明天|后来|现在|目前|所有|大家|事情|问题|感觉|心情|时间|天气|如果|因为|所以|但是|[一二两三四五六七八九十几\d]+[个只条次])"
    r"|(?:的|是|就|都|也|在|改|换|已|可以|需要|应该|计划|准备|打算|即将|将)$"
)
_NEVER_VALUE: Final = re.compile(
    r"(?:心里|心上|心中|嘴边|眼里|第一|首位|后面|前面|一边|一起|这|那|哪|什么|问题|[\d一二三四五六七八九十]+[%个次])"
)
_ANY: Final = re.compile("专门|一[家个款间种位]|叫|某")
"""What begins a description rather than a name."""
_CLOSING: Final = re.compile(r"(?:了|啦|哦|呢|的|吧|上面|里面)$")
_DENIED: Final = ("不是", "是")


def told(unit: Unit, policy: Policy) -> Draft | None:
    """The statement a Chinese unit makes of one of these kinds, or None."""
    if unit.words.language != "zh" or only_filler(unit.said) or pattern("open").search(unit.said):
        return None
    for name, reader in _READERS:
        match = pattern(name).fullmatch(unit.said)
        draft = reader(unit, match) if match else None
        if draft is not None and canonical(draft.subject or "") not in policy.names:
            return ending(draft, unit)
    return None


def _thing(unit: Unit, match: re.Match[str], *, changed: bool) -> Draft | None:
    """A thing and what it is on, in or with: the slot (thing, value), which 'the X is now …' fills too."""
    thing, value = plain(match["thing"]), _value(unit, match)
    if pattern("planned").search(unit.said[: match.start("value")]):
        return None
    if (
        not thing
        or value is None
        or unit.words.compiled("@kin").match(unit.said)
        or _NEVER_THING.search(thing)
        or _NEVER_VALUE.match(value)
    ):
        return None
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=VALUE,
        value=value,
        subject=thing,
        confidence=CONFIDENCE,
        tense="change" if changed else "present",
        intent=Intent.CHANGE if changed else Intent.ASSERT,
        scope=_scope(unit),
        sole=True,
    )


def _stands(unit: Unit, match: re.Match[str]) -> Draft | None:
    return _thing(unit, match, changed=False)


def _changed(unit: Unit, match: re.Match[str]) -> Draft | None:
    return _thing(unit, match, changed=True)


def _in_use(unit: Unit, match: re.Match[str]) -> Draft | None:
    """What the speaker uses as something: one of a kind of theirs."""
    thing, value = canonical(match["thing"]), _value(unit, match)
    if value is None or _NEVER_THING.search(thing) or _NEVER_VALUE.match(value):
        return None
    return _own(unit, thing, value, changed="换" in match[0] or "改" in match[0])


def _relative(unit: Unit, match: re.Match[str]) -> Draft | None:
    """What a clause of the speaker's singles out, under its noun, with the clause to tell it from others of that noun."""
    mod, value = match["mod"], _value(unit, match)
    behind = re.split("我们?|咱们?|本人", mod)[-1]
    place = _of_place(unit, match, behind)
    if place is not None:
        return place
    if (
        value is None
        or unit.words.compiled("@kin").match(mod)
        or not pattern("own").search(mod)
        or not pattern("verbs").search(behind)
    ):
        return None
    if pattern("never").search(mod) or not pattern("names").fullmatch(value):
        return None
    if pattern("fleeting").fullmatch(match["noun"]) or _ANY.match(value) or match["that"] in ("那个", "这个"):
        return None
    noun = "联系人" if match["noun"] == "人" else match["noun"]
    if match["noun"] == "人" and not re.search("联系|找|负责|对接", behind):
        return None
    return _own(unit, canonical(noun), value, qualifier=canonical(pattern("plain").sub("", mod)))


def _of_place(unit: Unit, match: re.Match[str], behind: str) -> Draft | None:
    """我居住的城市是…, 我就职的公司是…: the speaker's residence or employer, as the plain statement has it."""
    if not match["mod"].startswith(("我", "本人")) or pattern("never").search(match["mod"]):
        return None
    verb = pattern("plain").sub("", behind)
    for predicate, does, names, shape in (
        ("residence", "home", "homes", "place"),
        ("employer", "work", "works", "org"),
    ):
        if pattern(does).fullmatch(verb) and pattern(names).fullmatch(match["noun"]):
            value = read_value(shape, unit, match.span("value"))
            if value is not None:
                return Draft(memory_type=MemoryType.FACT, predicate=predicate, value=value.text, confidence=0.9)
    return None


def _of_kin(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    if value is None or not pattern("names").fullmatch(f"{value}某"):
        return None
    return _own(unit, canonical(match["noun"]), value, subject=subject_of(match["who"]))


def _pupil(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    if value is None or not re.search("[在去到上读念]", match[0][len(match["who"]) : match.start("value")]):
        return None
    kin = unit.words.compiled("@kin").fullmatch(match["who"])
    child = pattern("child").fullmatch(match["who"])
    if not (kin or child) and unit.words.compiled("@relation|老师|学生|别人|有人|邻家").fullmatch(match["who"]):
        return None
    subject = subject_of(match["who"]) if kin else f"我{match['who']}" if child else match["who"]
    return _own(unit, "education", value, subject=subject, qualifier=SCHOOL)


def _trait(unit: Unit, match: re.Match[str]) -> Draft | None:
    """What somebody is, or is not: one answer for each thing they can be."""
    what = plain(unit.original(*match.span("value")))
    if match["end"] and not match["not"]:
        return None
    said = f"{_DENIED[0 if match['not'] else 1]}{what}"
    who = None if match["who"] == "我" else subject_of(match["who"])
    return _own(unit, "identity", said, subject=who, qualifier=canonical(what))


def _phone(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    return None if value is None else _own(unit, "手机型号", value)


def _hours(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    if value is None or not re.search(r"[\d一二三四五六七八九十日末早晚天点]", value):
        return None
    return _own(unit, match["noun"], value, changed="改" in match[0] or "调" in match[0])


def _car(unit: Unit, match: re.Match[str]) -> Draft | None:
    """Of many vehicles, 'my car' is one: the slot that 我的车是… fills."""
    value = _value(unit, match)
    return None if value is None else _own(unit, "vehicle", value, qualifier="车", changed=True)


def _alias(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    return None if value is None else _own(unit, match["noun"], value)


def _trade(unit: Unit, match: re.Match[str]) -> Draft | None:
    value = _value(unit, match)
    return None if value is None or not unit.prefix else Draft(
        memory_type=MemoryType.FACT, predicate="occupation", value=value, confidence=CONFIDENCE
    )  # fmt: skip


def _own(
    unit: Unit, name: str, value: str, *, subject: str | None = None, qualifier: str = "", changed: bool = False
) -> Draft:
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=name,
        value=value,
        subject=subject,
        qualifier=qualifier,
        confidence=CONFIDENCE,
        tense="change" if changed else "present",
        intent=Intent.CHANGE if changed else Intent.ASSERT,
        scope=_scope(unit),
        sole=True,
    )


def _value(unit: Unit, match: re.Match[str]) -> str | None:
    """The speaker's own characters of the value, without what only closes the sentence."""
    value = plain(_CLOSING.sub("", plain(unit.original(*match.span("value")))))
    return None if not value or only_filler(value) else value


def _scope(unit: Unit) -> Scope | None:
    """What a team's thing is, said by one of it, is no word for the whole team: it is kept as the speaker's."""
    once = unit.words.pattern("scope", "once").search(unit.view)
    return Scope.USER if unit.words.pattern("scope", "team").search(unit.view) and not once else None


_READERS: Final[tuple[tuple[str, Callable[[Unit, re.Match[str]], Draft | None]], ...]] = (
    ("trait", _trait), ("phone", _phone), ("trade", _trade), ("hours", _hours), ("car", _car), ("alias", _alias),
    ("pupil", _pupil), ("of_kin", _of_kin),
    ("relative", _relative), ("contact", _relative), ("serves", _in_use), ("swapped", _in_use),
    ("goes", _changed), ("migrated", _changed), ("migrated_named", _changed), ("stands", _stands), ("lies", _stands),
    ("runs", _stands), ("written", _stands), ("ours_use", _stands), ("part", _stands), ("code", _stands),
)  # fmt: skip


@cache
def _lexicon() -> dict[str, Any]:
    path = Path(__file__).parent / "lexicons" / "told_zh.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The compiled pattern of that name. Raises `KeyError` for an unknown one."""
    data = _lexicon()
    if name == "names":
        path = Path(__file__).parent / "lexicons" / "belongings.toml"
        source = tomllib.loads(path.read_text(encoding="utf-8"))["zh"]["value"]
        return re.compile(
            rf"{source}|(?=.*[A-Za-z\d])(?:[A-Za-z0-9_.:/@+-]{{3,60}}|[\u4e00-\u9fffA-Za-z\d ._+·-]{{3,24}})",
            re.IGNORECASE,
        )
    groups = {**data["relative"], **data["patterns"], **data["standing"]}
    source = data["macros"][name] if name == "child" else groups.get(name) or ""
    return re.compile(_expanded(source or data["carry"][name.removeprefix("carry_")]), re.IGNORECASE)


def _expanded(source: str) -> str:
    """The pattern with its macros replaced: this lexicon's, then the language's."""
    macros = _lexicon()["macros"]
    while found := _MACRO.search(source):
        inner = macros[found[1]] if found[1] in macros else wording("zh").expand(f"@{found[1]}")
        source = source[: found.start()] + inner + source[found.end() :]
    return source
