"""What stands in a turn without being said in it: our own recalled context, and instructions written for a model.

Belongs here: finding both by how they are written. Does not belong here: quotations and code (`clauses`), what is suspected of
giving orders (`authority`).
"""

from __future__ import annotations

import re
from typing import Final

_RECALLED: Final = re.compile(r"<memory\b[^>\n]{0,200}>.*?(?:</memory>|\Z)", re.DOTALL | re.IGNORECASE)
_CITED: Final = re.compile(r"^[^\n]*[\[［【][fesk]-[0-9a-f]{6,}[\]］】][^\n]*$", re.MULTILINE)
"""A line with a citation mark of a context."""
_TEMPLATE: Final = re.compile(
    r"<\|(?:im_start|start_header_id|system)\|>\s*(?:system)?.*?(?:<\|(?:im_end|eot_id|end)\|>|\Z)"
    r"|<<SYS>>.*?(?:<</SYS>>|\Z)"
    r"|^[ \t]*(?:system(?: prompt| message)?|系统(?:提示词?|消息|指令))[ \t]*[:：].*?(?=\n[ \t]*\n|\Z)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_ROLE: Final = re.compile(
    r"\A\s*(?:you are (?:now )?(?:an?|the|my|our|\w+,? an?)\s[^.!?\n]{0,120}?\b"
    r"(?:assistant|agent|chat ?bot|bot|AI|language model|LLM|expert|copilot|tutor|translator|analyst|reviewer|helper)\b"
    r"|(?:你|您)(?:现在)?(?:是|将扮演|要扮演|扮演)(?:一个|一名|一位|个|名|位)?[^。！？\n]{0,40}?"
    r"(?:助手|助理|机器人|客服|智能体|人工智能|AI|模型|专家|翻译|顾问))",
    re.IGNORECASE,
)
"""A text that opens by telling a model what it is, is written for the model from there on."""


def pasted(text: str) -> list[tuple[int, int]]:
    """The spans, in order and without overlaps, that nobody said in the turn; the whole of a text that opens as a system
    prompt does. Linear in its length."""
    if _ROLE.match(text):
        return [(0, len(text))]
    found = sorted(match.span() for pattern in (_RECALLED, _CITED, _TEMPLATE) for match in pattern.finditer(text))
    kept: list[tuple[int, int]] = []
    for start, end in found:
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept
