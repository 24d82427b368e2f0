"""The operation table: what a reader can do, as data. The edges are generated from it, so that they agree by construction.

Belongs here: each operation's name, method, parameters, help and example. Does not belong here: what it does (`reading`,
`writing`) and how an edge shows it. A test holds every parameter against the facade's own signature.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.retrieval.ask import CHANNELS as ALL_CHANNELS

Kind = Literal["text", "texts", "integer", "number", "flag", "json", "instant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of the method. `positional` ones come first on a command line; `default` None means not given."""

    name: str
    kind: Kind = "text"
    help: str
    required: bool = False
    positional: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One use case: `name` at the edges, `method` of `Reader`; `reads` says that it changes nothing, `makes` that it records
    something where nothing was, and so may make the database; `shell`
    false that the command line has a command of its own for it; `explains` that its result can say why it is as it is."""

    name: str
    method: str
    help: str
    example: str
    reads: bool
    makes: bool = False
    shell: bool = True
    explains: bool = False
    parameters: tuple[Parameter, ...] = field(default=())


def text(name: str, help: str, **given: Any) -> Parameter:
    """A text parameter."""
    return Parameter(name=name, help=help, **given)


def first(name: str, help: str, **given: Any) -> Parameter:
    """A required parameter that stands first."""
    return Parameter(name=name, help=help, required=True, positional=True, **given)


def instant(name: str, help: str) -> Parameter:
    """An ISO 8601 instant with an offset."""
    return Parameter(name=name, kind="instant", help=help)


AS_OF = (
    instant("valid_at", "as of this instant in the world"),
    instant("known_at", "as of what was believed at this instant, or a known_at token"),
)
REASON = text("reason", "why, kept with the revision")
EXPECTED = Parameter(name="expected_revision", kind="integer", help="refuse if the fact has moved past this revision")
CHANNELS = Parameter(name="channels", kind="texts", help=f"only these channels: {', '.join(ALL_CHANNELS)}")
KEY = text("idempotency_key", "a key that makes a repeated call answer with the first receipt")
STATED = (
    text("qualifier", "what separates values of one predicate, e.g. 'hotel' for a budget"),
    text("scope", "TENANT, DEPARTMENT, USER, AGENT, SESSION or TASK; without it, by the rules"),
    text("department", "the department, for scope DEPARTMENT"),
    instant("valid_from", "since when it holds; without it, from now, flagged as not known exactly"),
    instant("valid_until", "until when it holds"),
    Parameter(name="trust", kind="integer", help="lower the source's trust to this; it is never raised"),
    Parameter(name="confidence", kind="number", help="how sure, 0 to 1", default=1.0),
    Parameter(name="metadata", kind="json", help="a JSON object kept with it"),
    Parameter(name="derived_from", kind="texts", help="facts or evidence it stands and falls with, by id"),
    instant("occurred_at", "when it was said"),
    KEY,
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="observe",
        method="observe",
        reads=False,
        makes=True,
        help="Record what happened: a message, a tool result, a document, a row; and what follows from it.",
        example='muniment observe "I always take the window seat." --user u100',
        parameters=(
            first("content", "what was said or returned"),
            text("actor", "user, agent, system or tool; without it by the event type, a message is the user's"),
            text("event_type", "message, document, tool_result, api_answer, database_row, system_fact, or your own"),
            text("source", "where it came from; keys are unique per user and source"),
            text("source_system", "the system it came from"),
            text("source_id", "its id there"),
            text("source_version", "its version there"),
            text("locator", "where the original stands"),
            text("speaker", "who spoke, by name"),
            Parameter(name="metadata", kind="json", help="a JSON object, for filters"),
            Parameter(name="payload", kind="json", help="a JSON object kept with the event"),
            text("trace_id", "the trace it belongs to"),
            instant("occurred_at", "when it happened, with its offset"),
            KEY,
        ),
    ),
    Operation(
        name="observe-document",
        method="observe_document",
        reads=False,
        help="Record a version of a document in passages; a newer one replaces the older.",
        example="muniment observe-document handbook.md --version 3 --user u100",
        shell=False,
        parameters=(
            first("text", "the document's words: plain text or Markdown"),
            text("locator", "where the original stands; versions of one locator are of one document"),
            text("source_id", "its id in its system; then this, and not the locator, says which document it is"),
            text("source_system", "the system it comes from"),
            text("version", "its version: a number, a dotted number, an ISO date; without it, by when it was said"),
            text("title", "its title, kept with each passage"),
            Parameter(name="metadata", kind="json", help="a JSON object kept with each passage, for filters"),
            instant("occurred_at", "when it was written or published"),
            Parameter(name="trust", kind="integer", help="lower the source's trust to this; it is never raised"),
            KEY,
        ),
    ),
    Operation(
        name="context",
        method="context",
        reads=True,
        explains=True,
        help="A governed context for a question, within a token budget, with citations.",
        example='muniment context "book her a flight" --user u100 --budget 600',
        parameters=(
            first("query", "the question"),
            Parameter(name="budget", kind="integer", help="tokens at most; without it the policy's"),
            Parameter(name="system", kind="texts", help="a rule of your own, put first; may be repeated"),
            text("language", "of the headings: en or zh; without it the question's"),
            CHANNELS,
            *AS_OF,
        ),
    ),
    Operation(
        name="search",
        method="search",
        reads=True,
        explains=True,
        help="Find what is held and what was said; every hit says why.",
        example='muniment search "how does she like to travel" --user u100 --k 5',
        parameters=(
            first("query", "the question"),
            Parameter(name="k", kind="integer", help="how many hits", default=10),
            Parameter(name="types", kind="texts", help="only these memory types; may be repeated"),
            CHANNELS,
            instant("since", "said, or holding, since"),
            instant("until", "said, or holding, until"),
            Parameter(name="where", kind="json", help='a metadata filter, e.g. \'{"topic": {"in": ["travel"]}}\''),
            Parameter(name="min_score", kind="number", help="least probability of relevance, 0 to 1"),
            *AS_OF,
        ),
    ),
    Operation(
        name="lookup",
        method="lookup",
        reads=True,
        help="Everything an exact key stands in: a phone, an e-mail, an order number. Never by similarity.",
        example='muniment lookup phone "138 0013 8000" --user u100',
        parameters=(
            first("kind", "phone, email, order_no, national_id, bank_card, plate, url, …"),
            first("value", "the key, in any spelling"),
            AS_OF[1],
        ),
    ),
    Operation(
        name="facts",
        method="facts",
        reads=True,
        help="The facts in force, a page at a time.",
        example="muniment facts --user u100 --type PREFERENCE",
        parameters=(
            text("type", "FACT, PREFERENCE, CONSTRAINT, DECISION, EXPERIENCE, RULE or STATUS"),
            text("predicate", "only this predicate, by its name or a synonym"),
            text("subject", "only about this subject"),
            text("scope", "only this scope"),
            instant("since", "holding since"),
            instant("until", "holding until"),
            *AS_OF,
            Parameter(name="include_contenders", kind="flag", help="also less trusted and unplaced statements"),
            Parameter(name="limit", kind="integer", help="facts a page", default=50),
            text("cursor", "the `next` of the page before"),
        ),
    ),
    Operation(
        name="get",
        method="get",
        reads=True,
        help="The value one slot has for this reader.",
        example="muniment get residence --user u100",
        parameters=(
            first("predicate", "the predicate, by its name or a synonym"),
            text("subject", "whose", default="user"),
            *AS_OF,
        ),
    ),
    Operation(
        name="status",
        method="status",
        reads=True,
        help="The current value of a status key.",
        example="muniment status step --user u100",
        parameters=(first("key", "the key"), *AS_OF),
    ),
    Operation(
        name="snapshot",
        method="snapshot",
        reads=True,
        help="Everything in force at a glance: rules, facts, status.",
        example="muniment snapshot --user u100",
        parameters=AS_OF,
    ),
    Operation(
        name="add-fact",
        method="add_fact",
        reads=False,
        makes=True,
        help="State a fact.",
        example='muniment add-fact "lives in Hangzhou" --predicate residence --value Hangzhou --user u100',
        parameters=(
            first("content", "the statement in words"),
            text("subject", "whom or what it is about; without it the user, where there is a predicate"),
            text("predicate", "which attribute, by its name or a synonym"),
            text("value", "its value"),
            text("type", "the memory type; without it the catalogue's"),
            *STATED,
        ),
    ),
    Operation(
        name="add-rule",
        method="add_rule",
        reads=False,
        makes=True,
        help="State a rule for the agent's behaviour.",
        example='muniment add-rule "Answer in German." --user u100',
        parameters=(first("content", "the rule"), *STATED),
    ),
    Operation(
        name="set-status",
        method="set_status",
        reads=False,
        makes=True,
        help="Set the current value of a status key.",
        example="muniment set-status step 3 --user u100",
        parameters=(first("key", "the key"), first("value", "its value"), *STATED),
    ),
    Operation(
        name="change",
        method="change",
        reads=False,
        help="The world changed: a new fact from then on; without a value, unknown from then.",
        example="muniment change FACT_ID --value Berlin --at 2026-07-01T00:00:00+02:00 --user u100",
        parameters=(
            first("fact_id", "the fact"),
            text("value", "the new value"),
            text("content", "the new words"),
            instant("at", "when it changed; without it, now"),
            REASON,
            EXPECTED,
            KEY,
        ),
    ),
    Operation(
        name="add-successor",
        method="add_successor",
        reads=False,
        help="Declare what a fact becomes when another one changes.",
        example="muniment add-successor FACT_ID --when ROOT_ID --value Ivo --user u100",
        parameters=(
            first("fact_id", "the fact"),
            text("when", "the fact whose change brings it about", required=True),
            text("when_value", "only when it changes to this, and as long as it stays so"),
            text("value", "what the fact becomes"),
            text("content", "in which words"),
            KEY,
        ),
    ),
    Operation(
        name="correct",
        method="correct",
        reads=False,
        help="The record was wrong: the same fact, next revision.",
        example="muniment correct FACT_ID --value Beijing --reason 'misheard' --user u100",
        parameters=(
            first("fact_id", "the fact"),
            text("value", "the right value"),
            text("content", "the right words"),
            instant("valid_from", "from when, or the first instant that is corrected"),
            instant("valid_until", "until when, or the first instant that is not corrected any more"),
            REASON,
            EXPECTED,
            KEY,
        ),
    ),
    Operation(
        name="invalidate",
        method="invalidate",
        reads=False,
        help="No longer believed: it leaves the timeline, and what held before extends again.",
        example="muniment invalidate FACT_ID --reason 'never true' --user u100",
        parameters=(first("fact_id", "the fact"), REASON, EXPECTED, KEY),
    ),
    Operation(
        name="end-session",
        method="end_session",
        reads=False,
        help="Summarise the session: topic, confirmed facts, open items, entities, mood; folded into the user's and the task's.",
        example="muniment end-session --user u100 --session s1",
    ),
    Operation(
        name="suggest",
        method="suggest",
        reads=True,
        help="Turns of a session that nothing was remembered of, the likeliest to hold something worth it first.",
        example="muniment suggest --user u100 --session s1",
        parameters=(
            text("session", "of this session"),
            Parameter(name="limit", kind="integer", help="at most so many, up to 100", default=10),
        ),
    ),
    Operation(
        name="summary",
        method="summary",
        reads=True,
        help="The rolling summary of a session, of a task, or without either of the user across sessions.",
        example="muniment summary --user u100 --session s1",
        parameters=(
            text("session", "of this session"),
            text("task", "of this task"),
            AS_OF[1],
        ),
    ),
    Operation(
        name="forget",
        method="forget",
        reads=False,
        help="Forget what exactly one selector names: hide it from every channel at once, or erase its content.",
        example="muniment forget FACT_ID --user u100",
        shell=False,
        parameters=(
            text("fact", "the fact, with the words that told it"),
            text("session", "everything of this session"),
            text("task", "everything of this task"),
            text("user", "everything of this user: your own; an admin's any"),
            text("tenant", "everything of this tenant, for an admin"),
            text("query", "what says these words exactly, or holds this exact key"),
            text("mode", "hide, or erase: no content stays", default="hide"),
            Parameter(name="dry_run", kind="flag", help="only list what would go"),
            text("expected_manifest", "the hash a dry run gave: that and nothing else"),
            text("reason", "why, kept with the tombstones"),
            KEY,
        ),
    ),
    Operation(
        name="history",
        method="history",
        reads=True,
        help="Every revision of a fact, and of what it superseded or was superseded by.",
        example="muniment history FACT_ID --user u100",
        parameters=(first("fact_id", "the fact"), AS_OF[1]),
    ),
    Operation(
        name="explain",
        method="explain",
        reads=True,
        help="The chain behind a fact: events, evidence, candidates, verdicts, revisions.",
        example="muniment explain FACT_ID --user u100",
        parameters=(first("fact_id", "the fact"),),
    ),
)

PYTHON_ONLY = frozenset(
    [
        "narrow",
        "observe_many",
        "document",
        "process_pending",
        "unread_answers",
        "propose",
        "update",
        "delete_fact",
        "delete_rule",
        "delete_status",
        "conflicts",
        "resolve",
    ]
)
"""Methods of a reader that take or give what only code has; other edges have their own ways to the same."""
