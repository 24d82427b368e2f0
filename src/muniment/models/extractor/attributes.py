"""'My <attribute> is …', 'set the <attribute> to …', X的<属性>是…, with the attributes of the policy's own predicate catalogue.

A predicate that an organisation adds to its policy is understood from its synonyms, without a change here.

Belongs here: named attributes, budgets and deadlines. Does not belong here: declarations by verb (`declarations`).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import Intent, MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.declarations import subject_of
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.models.extractor.values import amount, read_value
from muniment.models.extractor.wording import Wording, wording
from muniment.text.language import language

_SHAPE_OF: Final = {
    "place": "place", "money": "money", "date": "date", "number": "number", "person": "person", "text": "text", "boolean": "text",
}  # fmt: skip
_DATED: Final = {"birthday": "birthday", "deadline": "date", "email": "email", "phone": "phone", "age": "age"}
_CORRECTS: Final = re.compile(
    r"\b(?:chang|correct|updat|fix|amend|edit|modif|revis)\w*\b|改成|改为|更新|修改|换成|换为|变更", re.IGNORECASE
)
_NOW: Final = re.compile(r"\bnow\s*$|现在(?:是|为|改为)\s*$", re.IGNORECASE)
_NEW_ZH: Final = re.compile("^的?(?:最新|新|现在|目前|当前|如今)(?:的|用的)?")
"""Words that say which of the values of a slot is meant: the one that holds now."""
_POINTS: Final = re.compile("[它他她其]|你|您|(?:这|那)(?![个场次本])|就是|主要是")
_CLAUSE: Final = re.compile("[等去来要想看做]的?$|我")
_PERSON_ZH: Final = re.compile(
    "[老小阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,3}(?:总|老师|教授|医生|大夫|主任|经理|工|姐|哥|叔|阿姨|先生|女士|师傅)|[A-Z][a-z]+"
)
"""A named person: what is theirs is not the speaker's, changed or not."""
_WHOLE_ZH: Final = frozenset({"公司", "单位", "语言", "城市", "名字", "家", "工作", "时间"})
_COMPOUND_ZH: Final = re.compile(
    "(?:航空|快递|物流|保险|物业|搬家|装修|旅游|家政|租车|电信|外包|供应|合作|编程|脚本|开发|查询|睡觉|起床|吃饭|服药)$"
)
"""Words that stand before an attribute's name and make another thing's of it."""
_ASKS_ZH: Final = re.compile("请|麻烦|帮我|给我|你|我想|我要|那就|可以|希望|需要|把|将")
_LIVES: Final = frozenset({"money", "date"})
"""Values that move with the world: changing one is a change, not a correction of the record."""


_LATIN_CHARS: Final = 4
"""Letters from which an English attribute's name is read in Chinese talk; a shorter one begins other words."""


class Attributes:
    """The readers of named attributes for one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._english = _English(policy, wording("en"))
        self._chinese = _Chinese(policy, wording("zh"))

    def read(self, unit: Unit) -> Draft | None:
        """The attribute a unit names or sets, or None."""
        reader = self._chinese if unit.words.language == "zh" else self._english
        return reader.changed(unit) or reader.named(unit) or _spending(unit)


class _Reader:
    """What the two languages share."""

    def __init__(self, policy: Policy, words: Wording) -> None:
        self._policy = policy
        self._words = words
        self._nouns = _nouns(policy, words)
        self._aliases = {name.replace("_", " "): name for name in policy.predicates} | words.table("changes", "aliases")

    def _draft(
        self, unit: Unit, match: re.Match[str], *, changed: bool, who: str | None, of: str, own: bool
    ) -> Draft | None:
        """The draft of an attribute with its value; `of` is what else the words say it belongs to."""
        attribute = match["attr"]
        attribute = self._aliases.get(attribute.lower(), attribute)
        name, entry = self._policy.predicate(attribute)
        shape = _DATED.get(name or "", _SHAPE_OF.get(entry.type, "text"))
        value = read_value(shape, unit, match.span("value"))
        if value is None or name is None:
            return None
        apart = entry.memory_type is MemoryType.CONSTRAINT or own
        corrects = (
            changed
            and shape not in _LIVES
            and entry.memory_type is not MemoryType.STATUS
            and bool(_CORRECTS.search(match[0]))
        )
        # A single value is replaced by the fold; of many, only words that say so end the one before.
        moved = not entry.single and bool(_NOW.search(match.string[match.start() : match.start("value")]))
        moved = moved or (corrects and _told_zh(match))
        return Draft(
            memory_type=entry.memory_type,
            predicate=name,
            value=value.text,
            subject=subject_of(who) if who else (None if apart or not of else of),
            qualifier=canonical(of) if apart and of else "",
            confidence=0.88 if own or who else 0.85,
            explicit=changed,
            intent=Intent.CHANGE if moved else Intent.CORRECT if corrects else Intent.ASSERT,
            metadata=value.metadata,
        )

    def _catalogued(self, attribute: str) -> bool:
        """Whether the policy's own catalogue knows the attribute."""
        return canonical(attribute) in self._policy.names

    def _plain(self, words: str) -> str:
        """Words that tell an attribute from another: without 'usual', 'new', 日常."""
        return " ".join(
            re.sub(
                rf"(?<![\w-])(?:{self._words.source('changes', 'budget_plain')})(?![\w-])",
                " ",
                words,
                flags=re.IGNORECASE,
            ).split()
        )


def _told_zh(match: re.Match[str]) -> bool:
    """Whether a Chinese change was told (医生换成…了) rather than asked for (把医生改成…): what it was before was so."""
    return bool(re.search("换成|换为", match[0]) and match[0].endswith("了")) and not _ASKS_ZH.match(match[0])


class _English(_Reader):
    def __init__(self, policy: Policy, words: Wording) -> None:
        super().__init__(policy, words)
        attribute = (
            r"(?P<mods>(?:(?!of\b|for\b|is\b|are\b|to\b)[\w'-]+ ){0,3}?)"
            rf"(?P<attr>{self._nouns})(?: (?:of|for|on|at) (?P<of>(?!us\b|me\b|all\b)[\w' -]{{2,40}}?))?"
        )
        determiner = words.source("changes", "determiner")
        self._is = re.compile(
            rf"(?:(?P<who>{words.expand('@kin')})'?s |(?P<det>{determiner}) |(?=budget|deadline))"
            rf"{attribute}\s?(?<![\w])?(?:{words.source('changes', 'is')})\s"
            r"(?:now |currently |still |set at |up to |only )*(?P<value>.+)",
            re.IGNORECASE,
        )
        self._set = re.compile(
            rf"{words.source('changes', 'verb')} (?:(?P<who>{words.expand('@kin')})'?s |(?P<det>{determiner}) )?"
            rf"{attribute} (?:from .{{1,30}}? )?{words.source('changes', 'to')}\s(?P<value>.+)",
            re.IGNORECASE,
        )
        self._due = re.compile(
            r"(?:the |my |our )?(?P<of>(?!i\b|it\b|he\b|she\b|that\b|this\b|there\b|what\b)[\w' -]{2,40}?) "
            r"(?:is|are) due (?:on |by |in )?(?P<value>.+)",
            re.IGNORECASE,
        )

    def changed(self, unit: Unit) -> Draft | None:
        """'Raise the hotel budget to 900', 'change my city to …'."""
        match = self._set.match(unit.said)
        return self._read(unit, match, changed=True) if match else None

    def named(self, unit: Unit) -> Draft | None:
        """'My shoe size is 43', 'the deadline for the audit is 3 June', 'the report is due on Friday'."""
        match = self._is.match(unit.said)
        if match:
            return self._read(unit, match, changed=False)
        due = self._due.match(unit.said)
        value = read_value("date", unit, due.span("value")) if due else None
        if due is None or value is None:
            return None
        return Draft(
            memory_type=MemoryType.CONSTRAINT,
            predicate="deadline",
            value=value.text,
            qualifier=canonical(due["of"]),
            confidence=0.86,
        )

    def _read(self, unit: Unit, match: re.Match[str], *, changed: bool) -> Draft | None:
        groups = match.groupdict()
        mods = self._plain(groups.get("mods") or "")
        of = self._plain(re.sub(r"^(?:my|our|the|this|that)\s", "", groups.get("of") or "", flags=re.IGNORECASE))
        determiner = (groups.get("det") or "").lower()
        if (
            determiner not in ("my", "our")
            and not (groups.get("who") or changed or of or mods)
            and not self._catalogued(match["attr"])
        ):
            return None
        own = determiner in ("my", "our") or not of or changed
        return self._draft(
            unit, match, changed=changed, who=groups.get("who"), of=" ".join(filter(None, (mods, of))), own=own
        )


class _Chinese(_Reader):
    def __init__(self, policy: Policy, words: Wording) -> None:
        super().__init__(policy, words)
        self._usual = re.compile(words.source("changes", "budget_plain"))
        self._kin = re.compile(words.expand("@kin"))
        # 我们的 names an owner whole, where @I alone reads 我 and leaves 们的 as a thing's name.
        self._own = re.compile(words.expand("@I") + "(?:们家?(?=的))?")
        self._once = re.compile(rf"(?:{words.source('scope', 'once')})[里中内上]?的?")
        self._before = r"(?P<before>[^,:。;]{0,30}?)"
        attribute = rf"{self._before}(?P<attr>{self._nouns})\s?(?:金额|额度|数额)?"
        self._is = re.compile(rf"{attribute}{words.source('changes', 'is')}(?P<value>.+)", re.IGNORECASE)
        self._set = re.compile(
            rf"(?:{words.source('changes', 'lead')})?{attribute}"
            rf"(?:都|也|就|先|直接|再|给我|帮我|从.{{1,16}}?)*{words.source('changes', 'verb')}(?:了)?(?P<value>.+)",
            re.IGNORECASE,
        )
        self._due = re.compile(
            r"(?P<of>[^,我你他她]{2,20}?)(?:必须|需要|得|要|最晚|最迟|务必|应)*(?:在|于)?(?P<value>[^,]{2,14}?)(?:之前|以前|前)(?:必须|要|得|务必)?(?:交付|提交|完成|上线|交|发布|搞定)",
        )

    def changed(self, unit: Unit) -> Draft | None:
        """把…改成…, …预算提到…."""
        match = self._set.match(unit.said)
        return self._read(unit, match, changed=True) if match else None

    def named(self, unit: Unit) -> Draft | None:
        """我的鞋码是…, 发布会的地点是…, 报告周五之前必须提交."""
        match = self._is.match(unit.said)
        if match and self._may_name(unit, match):
            return self._read(unit, match, changed=False)
        due = self._due.match(unit.said)
        value = read_value("date", unit, due.span("value")) if due else None
        if due is None or value is None:
            return None
        return Draft(
            memory_type=MemoryType.CONSTRAINT,
            predicate="deadline",
            value=value.text,
            qualifier=canonical(due["of"]),
            confidence=0.86,
        )

    def _may_name(self, unit: Unit, match: re.Match[str]) -> bool:
        """Whether the words before the attribute own it: 我的, X的, 这次, nothing at all."""
        before = match["before"]
        _, entry = self._policy.predicate(match["attr"])
        if entry.type in _LIVES or before.rstrip().endswith("的") or not before:
            return True
        return any(pattern.match(before) for pattern in (self._kin, self._own, self._once))

    def _read(self, unit: Unit, match: re.Match[str], *, changed: bool) -> Draft | None:
        before = match["before"]
        kin = self._kin.match(before)
        own = None if kin else self._own.match(before)
        before = before[(kin or own).end() :] if (kin or own) else before  # type: ignore[union-attr]
        before = _NEW_ZH.sub("", self._once.sub("", before))
        if self._policy.predicate(match["attr"])[1].memory_type is MemoryType.CONSTRAINT:
            before = self._usual.sub("", before)
        if not kin and match["attr"] in _WHOLE_ZH and _COMPOUND_ZH.search(before):
            return None  # 航空公司, 编程语言: a thing of its own, not the speaker's company or language
        if _POINTS.match(before) or (not kin and not own and _CLAUSE.search(before)):
            return None
        before = re.sub("^(?:这个|这场|该|本次|本)", "", before).strip("的 " + PUNCTUATION)
        if kin and before and self._policy.predicate(match["attr"])[1].memory_type is not MemoryType.CONSTRAINT:
            return None  # an attribute of something of theirs (我同事单位的名字), not theirs
        return self._draft(
            unit,
            match,
            changed=changed,
            who=kin[0] if kin else None,
            of=before,
            own=bool(own) or not before or (changed and not _PERSON_ZH.fullmatch(before)),
        )


def _nouns(policy: Policy, words: Wording) -> str:
    """The names of attributes in one language: the catalogue's, then the lexicon's; the longest first."""
    chinese = words.language == "zh"
    names = {name for name in policy.names if (language(name) == "zh") is chinese} | {
        name.replace("_", " ") for name in policy.predicates if not chinese
    }
    if chinese:  # Chinese talk puts an English attribute where its own would stand (我的 budget 大概是…)
        names |= {name for name in policy.names if name.isascii() and len(name) >= _LATIN_CHARS and name.isalpha()}
    patterns = (
        [re.escape(name) for name in names if len(name) > 1]
        + words.words("changes", "attributes")
        + list(words.table("changes", "aliases"))
    )
    return "|".join(sorted(patterns, key=len, reverse=True))


def _spending(unit: Unit) -> Draft | None:
    """A limit of spending without the word: 'keep hotels under $150 a night', 酒店每晚不超过500元."""
    match = unit.words.pattern("changes", "budget_head").match(unit.said)
    if match is None:
        return None
    found = amount(match["value"])
    named = "budget" in unit.said.lower()
    if found is None or not (found[1] or named) or not match.span("value"):
        return None
    groups = match.groupdict()
    kind = (groups.get("kind") or groups.get("kind2") or "").strip()
    plain = re.sub(
        rf"(?<![\w-])(?:{unit.words.source('changes', 'budget_plain')}|budget|it|this|that|my|the|of|a)(?![\w-])",
        "",
        kind,
        flags=re.IGNORECASE,
    )
    return Draft(
        memory_type=MemoryType.CONSTRAINT,
        predicate="budget",
        value=found[0],
        qualifier=canonical(plain),
        confidence=0.85,
        metadata={"currency": found[1]} if found[1] else {},
    )
