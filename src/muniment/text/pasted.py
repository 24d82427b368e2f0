"""What stands in a turn without being said in it: recalled context, chat messages as data, instructions for a model.

Belongs here: finding them by how they are written, and the text without them. Does not belong here: quotations and code
(`clauses`), what is suspected of giving orders (`authority`), what is asked not to be kept (`standing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_MARK: Final = r"[\[［【][fesk]-[0-9a-f]{6,}(?:\.\d{1,4})?[\]］】]"
_RECALLED: Final = re.compile(r"<memory\b[^>\n]{0,200}>.*?(?:</memory>|\Z)", re.DOTALL | re.IGNORECASE)
_TORN: Final = re.compile(r"\A(?:(?!<memory\b).)*?</memory>", re.DOTALL | re.IGNORECASE)
"""A recalled context whose beginning was not pasted along."""
_CITED: Final = re.compile(rf"^[^\n]*{_MARK}[^\n]*$", re.MULTILINE)
"""A line with a citation mark of a context."""
_ITEM: Final = re.compile(
    rf"^[-–•*][ \t][^\n]*(?:\n(?![-–•*][ \t]|\[|[ \t]*$)[^\n]*){{1,20}}?{_MARK}[^\n]*$", re.MULTILINE
)
"""An item of a context whose value has several lines, up to its mark."""
_DATED: Final = re.compile(r"^[ \t]{0,8}[-–•*][ \t]\(\d{4}-\d\d-\d\d, [^()\n]{1,80}\) [^\n]*$", re.MULTILINE)
"""A line of evidence as a context shows it, without its mark."""
_STRING: Final = r"(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
_OPEN_STRING: Final = rf"(?:{_STRING}|\"(?:\\.|[^\"\\])*\Z|'(?:\\.|[^'\\])*\Z)"
_MESSAGE: Final = re.compile(
    rf"\{{\s*(?:[\"']content[\"']\s*:\s*{_STRING}\s*,\s*[\"']role[\"']\s*:\s*{_STRING}"
    rf"|[\"']role[\"']\s*:\s*{_STRING}\s*,\s*[\"']content[\"']\s*:\s*{_OPEN_STRING})[^{{}}]{{0,200}}\}}?",
    re.DOTALL,
)
"""A chat message as JSON or as Python prints it: a conversation handed over as data, ours or another's."""
_TEMPLATE: Final = re.compile(
    r"<\|(?:im_start|start_header_id|system)\|>\s*(?:system)?.*?(?:<\|(?:im_end|eot_id|end)\|>|\Z)"
    r"|<<SYS>>.*?(?:<</SYS>>|\Z)"
    r"|^[ \t]*(?:system(?: prompt| message)?|系统(?:提示词?|消息|指令))[ \t]*[:：].*?(?=\n[ \t]*\n|\Z)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_ROLE: Final = re.compile(
    r"\A\s*(?:#{1,6}\s[^\n]{0,80}\n\s*|(?:here (?:is|'s) )?(?:my |the |our )?(?:system )?prompt[ \t]*[:：]\s*"
    r"|(?:系统)?提示词[ \t]*[:：]\s*)?"
    r"(?:you are (?:now )?(?:an?|the|my|our|\w+,? an?)\s[^.!?\n]{0,120}?\b"
    r"(?:assistant|agent|chat ?bot|bot|AI|language model|LLM|expert|copilot|tutor|translator|analyst|reviewer|helper)\b"
    r"|act as (?:an?|my|the)\s[^.!?\n]{0,120}?\b(?:assistant|agent|chat ?bot|bot|AI|expert|copilot|tutor|translator)\b"
    r"|(?:你|您)(?:现在)?(?:是|将扮演|要扮演|扮演)(?:一个|一名|一位|个|名|位)?[^。！？\n]{0,40}?"
    r"(?:助手|助理|机器人|客服|智能体|人工智能|AI|模型|专家|翻译|顾问))",
    re.IGNORECASE,
)
"""A text that opens by telling a model what it is, is written for the model from there on."""
_ADDRESSED: Final = re.compile(
    r"\A\s*you are my\b|\A\s*you are (?:such )?(?:an?|the) (?:\w+ly )?(?:great|good|amazing|awesome|wonderful|"
    r"excellent|fantastic|best|lovely|brilliant|nice|"
    r"favou?rite|terrific|superb|perfect)\b|\A\s*(?:你|您)是我的?(?!们)|\A\s*(?:你|您)(?:真)?是(?:一个|个|一位|位)?(?:很|超|最|非常|特别)?(?:棒|好|优秀|出色|厉害|贴心)的?",
    re.IGNORECASE,
)
_THIRD: Final = re.compile(
    r"\bthe user\b|\busers?['’]s?\b|\byou (?:must|should|shall|always|never|only)\b|\byour (?:task|job|role|goal|instructions?)\b"
    r"|用户|(?:你|您)(?:必须|应该|应当|只能|不得|不能)|(?:你|您)的(?:任务|职责|角色|目标)",
    re.IGNORECASE,
)
"""What a user who speaks to their own agent, or praises it, does not go on to say, and instructions for a model do."""


def pasted(text: str) -> list[tuple[int, int]]:
    """The spans, in order and without overlaps, that nobody said in the turn; the whole of a text that opens as a system
    prompt does. Linear in its length."""
    if _ROLE.match(text) and (not _ADDRESSED.match(text) or _THIRD.search(text)):
        return [(0, len(text))]
    patterns = (_RECALLED, _TORN, _ITEM, _CITED, _DATED, _MESSAGE, _TEMPLATE)
    return joined(match.span() for pattern in patterns for match in pattern.finditer(text))


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch as one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text at equal length with the spans as line ends, so that what stands beside them does not run together."""
    for start, end in spans:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text
