"""The router: which case a question's words show, in both languages, and which channels that asks."""

from __future__ import annotations

from typing import Any, Final

import pytest

from muniment.config import load_policy
from muniment.domain.scope import Reader
from muniment.retrieval.ask import CHANNELS, Ask, Recall
from muniment.retrieval.route import case_of, route, spared

HOW_TO: Final = [
    "How do I usually file an expense report?",
    "how should we handle a refund",
    "How to deploy the service",
    "What's the usual procedure for onboarding?",
    "what are the steps to reset a password",
    "Show me the process for closing a ticket",
    "how is a refund normally handled?",
    "What is the best way to book a flight",
    "Give me the checklist",
    "step by step, how do I submit a claim?",
    "how does the team deploy a release",
    "How can I set up the printer?",
    "一般怎么办理退款？",
    "这类任务通常怎么做",
    "平时是怎么处理投诉的",
    "如何申请年假",
    "怎么提交报销",
    "部署流程是什么",
    "应该如何处理超时订单",
    "按什么步骤来",
    "报销的步骤",
    "应该怎么操作",
    "正常要怎么申请",
    "发布的操作规程",
]
ONGOING: Final = [
    "continue planning my trip",
    "Let's resume where we stopped",
    "carry on",
    "keep going with the report",
    "go on with the booking",
    "where did we leave off?",
    "what's the next step?",
    "What is next",
    "what's left to do?",
    "status of my order",
    "how far have we got",
    "pick up where we left off",
    "proceed with the payment",
    "Where were we?",
    "Where are we with the migration?",
    "OK, now let's continue",
    "please resume",
    "I want to continue with the report",
    "我想继续规划行程",
    "好的，我们继续",
    "那就接着来吧",
    "继续规划我的行程",
    "接着做",
    "下一步是什么",
    "接下来做什么",
    "任务进度如何",
    "做到哪了",
    "还剩哪些没做",
    "到哪一步了",
    "处理进度",
    "项目的进展怎么样",
    "我们上次做到哪一步了",
    "接着上次的来",
]
CONTEXT: Final = [
    "What have we talked about?",
    "give me a recap",
    "summarize our conversation",
    "what did you and I discuss so far",
    "Catch me up",
    "what do you know about me?",
    "our last conversation",
    "the story so far",
    "What did we decide about the hotel?",
    "background on this customer",
    "what's been going on",
    "fill me in",
    "总结一下",
    "我们之前聊了什么",
    "到目前为止都说了什么",
    "你了解我哪些情况",
    "回顾一下上次的对话",
    "概括一下",
    "咱们上次讨论了什么",
    "来龙去脉",
    "前情提要",
    "你都记得我什么",
    "我们约定了什么",
]
NEITHER: Final = [
    "how are you",
    "how to spell 'rhythm'",
    "How old is Anna?",
    "I continue to love tea",
    "how much is it",
    "How many cats do I have?",
    "how far is Lyon",
    "What is my phone number?",
    "where do I live",
    "I want to continue my education at Oxford",
    "my resume is attached",
    "Where did Ben leave his keys?",
    "what is the next train to Paris",
    "how do you spell accommodate",
    "how do you feel",
    "What does Ben like?",
    "the steps of the temple are slippery",
    "What was the process server's name?",
    "Is Ben still working?",
    "which way to the station",
    "how is the weather",
    "what's up",
    "status symbols bore me",
    "progress in art",
    "What did Anna decide?",
    "summary judgment was granted",
    "he is so far away",
    "how is Ben?",
    "where are we going on Sunday?",
    "where are we from",
    "I will resume my job in May",
    "Resume: attached",
    "The steps of the church",
    "how to say hello in Thai",
    "she continues to sing",
    "so far so good",
    "怎么样",
    "你怎么样",
    "怎么了",
    "天气怎么样",
    "你好吗",
    "他怎么说的",
    "龙字怎么写",
    "继续教育学院在哪",
    "我继续喜欢喝茶",
    "我的简历",
    "多少钱",
    "谁是负责人",
    "我住在哪里",
    "为什么迟到",
    "她怎么来的",
    "接下来几天天气如何",
    "我会继续努力的",
    "地铁怎么走",
    "怎么读这个字",
    "做法式面包的店在哪",
    "流程图软件是哪个",
    "总结会是几点",
    "what did you say so far about the trip",
    "what did Ben say so far about Lyon",
    "他说过他怎么做生意的吗",
    "小王接着说不来了",
]
"""Near misses: a case's words, used for something else."""

CASES: Final = {"how_to": HOW_TO, "ongoing": ONGOING, "context": CONTEXT, None: NEITHER}


def ask(question: str, **given: Any) -> Ask:
    reader = Reader(tenant="acme", user="ana", **{key: given.pop(key) for key in ("session", "task") if key in given})
    return Ask(query=question, reader=reader, policy=load_policy(None), **given)


@pytest.mark.parametrize(("case", "question"), [(case, question) for case, some in CASES.items() for question in some])
def test_the_case_of_a_question(case: str | None, question: str) -> None:
    assert case_of(question) == case
    assert case_of(question.replace("'", "’")) == case


def test_the_table_has_both_languages_in_number() -> None:
    every = [question for some in CASES.values() for question in some]
    assert sum(question.isascii() for question in every) >= 40
    assert sum(not question.isascii() for question in every) >= 40


@pytest.mark.parametrize(
    ("question", "case"),
    [
        ("how do we usually handle the next step?", "how_to"),
        ("继续之前，这类任务一般怎么做", "how_to"),
        ("continue, and give me a recap", "ongoing"),
        ("继续，先总结一下", "ongoing"),
    ],
)
def test_the_first_case_that_fits_decides(question: str, case: str) -> None:
    assert case_of(question) == case


def test_an_exact_answer_stops_before_any_case() -> None:
    found = Recall(answers=True, reason="slot")
    for question in ("how do I usually do this?", "continue", "总结一下", "what is my phone number?"):
        chosen = route(ask(question, session="s"), found, available=CHANNELS, in_context=True)
        assert (chosen.channels, chosen.case, chosen.stopped) == (("exact",), "exact", "exact")
        assert chosen.reasons == {"exact": "slot"}


@pytest.mark.parametrize(
    ("question", "case", "added"),
    [
        ("how should we handle a refund", "how_to", {"workflow"}),
        ("如何申请年假", "how_to", {"workflow"}),
        ("continue planning my trip", "ongoing", {"task", "summary"}),
        ("下一步是什么", "ongoing", {"task", "summary"}),
        ("give me a recap", "context", {"summary"}),
        ("我们之前聊了什么", "context", {"summary"}),
        ("where do I live", "general", set()),
        ("我住在哪里", "general", set()),
    ],
)
def test_a_case_only_adds_channels_in_the_order_of_the_merge(question: str, case: str, added: set[str]) -> None:
    chosen = route(ask(question), None, available=CHANNELS, in_context=False)
    assert chosen.case == case
    assert set(chosen.channels) == {"exact", "facts", "evidence", "knowledge"} | added
    assert list(chosen.channels) == [name for name in CHANNELS if name in chosen.channels]
    assert set(chosen.reasons) == set(chosen.channels)
    assert all(chosen.reasons.values())
    assert chosen == route(ask(question), None, available=CHANNELS, in_context=False)


def test_a_session_in_progress_puts_its_window_in_the_context_alone() -> None:
    running = ask("where do I live", session="s", task="t")
    inside = route(running, None, available=CHANNELS, in_context=True)
    assert inside.case == "interaction"
    assert {"window", "summary", "task"} <= set(inside.channels)
    outside = route(running, None, available=CHANNELS, in_context=False)
    assert not {"window", "summary", "task"} & set(outside.channels)


def test_channels_the_caller_names_are_those() -> None:
    chosen = route(ask("continue", channels=("evidence", "facts")), None, available=CHANNELS, in_context=True)
    assert (chosen.channels, chosen.case) == (("facts", "evidence"), "named")
    assert set(chosen.reasons.values()) == {"named by the caller"}
    assert route(ask("continue", channels=()), None, available=CHANNELS, in_context=True).channels == ()


def test_only_channels_that_there_are_are_asked() -> None:
    chosen = route(ask("如何申请年假"), None, available={"exact", "facts"}, in_context=True)
    assert chosen.channels == ("exact", "facts")


def test_turns_are_spared_where_the_summary_answers_and_only_there() -> None:
    context = route(ask("give me a recap"), None, available=CHANNELS, in_context=True)
    assert spared(context, "evidence", {"summary"}) == "the summary answers"
    assert spared(context, "evidence", {"task"}) is None
    assert spared(context, "facts", {"summary"}) is None
    general = route(ask("where do I live"), None, available=CHANNELS, in_context=True)
    assert spared(general, "evidence", {"summary"}) is None


@pytest.mark.parametrize(
    "question", ["", "?", "\x00", "\ud800", "继" * 5_000, "continue " * 2_000, "how to " * 3_000, "so far " * 3_000]
)
def test_any_question_has_a_route(question: str) -> None:
    chosen = route(ask(question), None, available=CHANNELS, in_context=True)
    assert chosen.channels
