"""The sections of a context: their order, their headings, and which of them a fact goes to.

Belongs here: names and order. Does not belong here: how one item reads (`lines`), what goes in (`build`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from muniment.domain.enums import MemoryType
from muniment.domain.records import Fact
from muniment.retrieval.adjudicate import binds

SYSTEM, QUESTION, TASK, TASK_STATE, BINDING, RULES, FACTS, GONE, PAST = (
    "system", "question", "task", "task_state", "binding", "rules", "facts", "gone", "past",
)  # fmt: skip
WORKFLOW, SUMMARY, WINDOW, EVIDENCE, KNOWLEDGE, CONFLICTS = (
    "workflow", "summary", "window", "evidence", "knowledge", "conflicts",
)  # fmt: skip
ORDER: Final = (
    SYSTEM, QUESTION, TASK, TASK_STATE, BINDING, RULES, FACTS, GONE, PAST, WORKFLOW, SUMMARY, WINDOW, EVIDENCE, KNOWLEDGE,
    CONFLICTS,
)  # fmt: skip
OUTSIDE: Final = (SYSTEM, QUESTION)
"""The caller's own words: they stand outside the fence."""

HEADINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        SYSTEM: "System Rules", QUESTION: "Question", TASK: "Task", TASK_STATE: "Task State", BINDING: "Binding Constraint",
        GONE: "No Longer Known", PAST: "Over Time", WORKFLOW: "Workflow", SUMMARY: "Summary, derived",
        WINDOW: "This Conversation", EVIDENCE: "Evidence", KNOWLEDGE: "Outside Sources", CONFLICTS: "Conflicts",
        "RULE": "Rule", "CONSTRAINT": "Constraint", "PREFERENCE": "User Preference", "FACT": "Fact",
        "DECISION": "Decision", "EXPERIENCE": "Experience", "STATUS": "Status",
    },
    "zh": {
        SYSTEM: "系统规则", QUESTION: "问题", TASK: "任务", TASK_STATE: "任务状态", BINDING: "约束（上级）", GONE: "已不确知",
        PAST: "历次", WORKFLOW: "工作流", SUMMARY: "摘要（转述）", WINDOW: "当前对话", EVIDENCE: "证据", KNOWLEDGE: "外部资料",
        CONFLICTS: "冲突", "RULE": "规则", "CONSTRAINT": "约束", "PREFERENCE": "偏好", "FACT": "事实", "DECISION": "决定",
        "EXPERIENCE": "经验", "STATUS": "状态",
    },
}  # fmt: skip

TYPES: Final = (MemoryType.CONSTRAINT, MemoryType.RULE, MemoryType.PREFERENCE)
"""The types of the section of rules and preferences, in their order; all others are facts."""
RANK: Final[Mapping[MemoryType, int]] = {
    kind: place for place, kind in enumerate((*TYPES, *(other for other in MemoryType if other not in TYPES)))
}
"""The order of the types inside a section."""


def section_of(fact: Fact) -> str:
    """The section a fact goes to."""
    if binds(fact):
        return BINDING
    return RULES if fact.memory_type in TYPES else FACTS


def heading_of(fact: Fact, names: Mapping[str, str]) -> str:
    """The heading it stands under."""
    return names[BINDING] if section_of(fact) == BINDING else names[fact.memory_type.value]
