"""What must not be stored is in no byte of the store, its log, its caches or what is printed, by whichever way it came in."""

from __future__ import annotations

import json
import logging
import random
import unicodedata
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.unit.secret_material import ISSUED, LABELLED, fill
from typer.testing import CliRunner

from muniment.cli.app import app
from muniment.domain.errors import MunimentError
from muniment.domain.records import Candidate
from muniment.service.muniment import Muniment
from muniment.testing.contract import StoreContract
from muniment.testing.doubles import SteppingClock, WordEmbedder

open_at = StoreContract().open
DRAWN = random.Random(20)


def luhn_card(first: str, size: int) -> str:
    body = first + "".join(str(DRAWN.randrange(10)) for _ in range(size - len(first) - 1))
    total = sum(sum(divmod(int(char) * (2 - place % 2), 10)) for place, char in enumerate(reversed(body)))
    return body + str(-total % 10)


def resident_number() -> str:
    body = f"110105198{DRAWN.randrange(10)}0{DRAWN.randrange(1, 10)}1{DRAWN.randrange(10)}{DRAWN.randrange(100, 1000)}"
    return body + "10X98765432"[sum(int(char) * (2 ** (17 - place) % 11) for place, char in enumerate(body)) % 11]


CARD, RESIDENT = luhn_card("4539", 16), resident_number()
FOURS = [CARD[place : place + 4] for place in range(0, 16, 4)]
TOKEN = fill(ISSUED["github classic"], DRAWN)
PASSWORD = "Zq7" + "vLm29xKt"
SAID: dict[str, tuple[str, str]] = {
    "card": (f"my card is {CARD} thanks", CARD),
    "card in fours": (f"卡号{' '.join(FOURS)}，别外传", " ".join(FOURS)),
    "card over two lines": (f"card {FOURS[0]} {FOURS[1]}\n{FOURS[2]} {FOURS[3]}", f"{FOURS[1]}\n{FOURS[2]}"),
    "card, full width": (
        "卡号" + "".join(chr(ord(char) + 0xFEE0) for char in CARD),
        "".join(chr(ord(char) + 0xFEE0) for char in CARD),
    ),
    "card, Arabic digits": (
        "card " + "".join(chr(0x660 + int(char)) for char in CARD),
        "".join(chr(0x660 + int(char)) for char in CARD),
    ),
    "card, zero width": ("card " + "\u200b".join(CARD), "\u200b".join(CARD[:9])),
    "card, dots": (f"card {'.'.join(FOURS)}", ".".join(FOURS)),
    "card, digit by digit": (f"card {' '.join(CARD)}", " ".join(CARD)),
    "resident number": (f"我的身份证号是{RESIDENT}没错", RESIDENT),
    "resident number, spelt": (
        "身份证" + RESIDENT[:17].translate(str.maketrans("0123456789", "零一二三四五六七八九")) + RESIDENT[17],
        RESIDENT[:17].translate(str.maketrans("0123456789", "零一二三四五六七八九")),
    ),
    "resident number in parts": (
        f"ID {RESIDENT[:6]} {RESIDENT[6:14]} {RESIDENT[14:]}",
        f"{RESIDENT[6:14]} {RESIDENT[14:]}",
    ),
    "token": (f"use {TOKEN} for it", TOKEN),
    "token beside Chinese": (f"令牌{TOKEN}不要外传", TOKEN),
    "token over two lines": (f"it is {TOKEN[:20]}\n{TOKEN[20:]}", TOKEN[21:38]),
    "token, zero width": (f"it is {TOKEN[:9]}\u200b{TOKEN[9:]}", TOKEN[10:36]),
    "token in JSON": (json.dumps({"apiKey": TOKEN}), TOKEN),
    "token, percent": (f"https://x.example/?t={quote('token=' + TOKEN, safe='')}", TOKEN),
    "password": (f"the wifi password is {PASSWORD}", PASSWORD),
    "password, Chinese": (f"家里的密码是{PASSWORD}，记住", PASSWORD),
    "password, percent": (f"password%3D{PASSWORD}%21", PASSWORD),
    "password in a URL": (f"postgres://app:{PASSWORD}@db/x", PASSWORD),
    "password, escaped JSON": (json.dumps(json.dumps({"password": PASSWORD + "é"})), PASSWORD),
    "password first": (f"{PASSWORD} is my password", PASSWORD),
    "password, traditional": (f"我的密碼是{PASSWORD}", PASSWORD),
    "password, an element": (f"<password>{PASSWORD}</password>", PASSWORD),
    "login pair": (f"my mail login is tom@y.example / {PASSWORD}", PASSWORD),
    "card for an order": (f"put the order on {CARD}", CARD),
    "bearer": (fill(LABELLED["bearer"], DRAWN), ""),
    "cookie": (fill(LABELLED["cookie"], DRAWN), ""),
    "private key": (fill(LABELLED["private key"], DRAWN), ""),
}
"""Case: a text, and what of it must be nowhere; '' stands for its longest word."""
RAW = {name: raw or max(text.replace("=", " ").split(), key=len) for name, (text, raw) in SAID.items()}

CUT = frozenset(name for name in SAID if name.endswith(("two lines", "spelt", "in parts", "zero width")))
"""Cases whose piece, standing alone, says nothing."""


def spellings(raw: str) -> Iterator[bytes]:
    """How it may stand in a file."""
    for text in {raw, unicodedata.normalize("NFKC", raw), json.dumps(raw)[1:-1], raw.casefold()}:
        yield text.encode()
        yield text.encode("utf-16-le")


def left(folder: Path) -> list[str]:
    """Which raw value is in which file beside the store."""
    files = [(file.name, file.read_bytes()) for file in sorted(folder.rglob("*")) if file.is_file()]
    return [
        f"{file}: {name}"
        for file, content in files
        for name, raw in RAW.items()
        if any(spelt in content for spelt in spellings(raw))
    ]


@pytest.fixture
def memory(sqlite_url: str) -> Iterator[Muniment]:
    with open_at(sqlite_url, clock=SteppingClock(), embedder=WordEmbedder()) as memory:
        yield memory


@pytest.fixture
def folder(sqlite_url: str) -> Path:
    return Path(sqlite_url.removeprefix("sqlite:///")).parent


def tried(act: Any, **given: Any) -> None:
    """What is refused is not kept either."""
    try:
        act(**given)
    except MunimentError:
        return


def test_the_scan_finds_what_is_kept(memory: Muniment, folder: Path) -> None:
    """Without it the tests below could not fail."""
    kept = open_at(f"sqlite:///{folder}/other.db", policy={"sensitivity": {"mask": [], "look_up": []}})
    with kept as memory:
        for text, _ in SAID.values():
            memory.reader(user="ana").observe(text)
        assert {line.partition(": ")[2] for line in left(folder)} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_content_and_everything_beside_it(memory: Muniment, folder: Path, name: str) -> None:
    text = SAID[name][0]
    me = memory.reader(user="ana", session="s")
    receipt = me.observe(
        f"Hello. {text} Bye.",
        metadata={"note": text, text[:200]: "x", "deep": [{"list": [text]}]},
        payload={"body": text, text[:200]: [text]},
        speaker=text[:200],
        locator=text[:400],
        source_id=text[:200],
        source_version=text[:60],
        source_system=text[:60],
    )
    with memory.parts.store.read(me.identity) as unit:
        (event,) = unit.events([receipt.event])
        pieces = unit.evidence_of_event(receipt.event)
    assert set(event.metadata["redacted"]) <= {"password", "secret", "private_key", "national_id", "bank_card"}
    assert event.metadata["redacted"]
    assert all(piece.redacted for piece in pieces)
    memory.parts.store.database.checkpoint()  # type: ignore[attr-defined]
    assert [line for line in left(folder) if line.endswith(f": {name}")] == []


def test_every_entry(memory: Muniment, folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    me = memory.reader(user="ana", session="s")
    plain = me.add_fact("Ana's team is blue", subject="Ana", predicate="team", value="blue").facts[0]
    for number, (name, (text, _)) in enumerate(SAID.items()):
        raw = RAW[name]
        tried(me.observe, content="hello", trace_id=text[:120], idempotency_key=text[:120], actor_id=text[:120])
        tried(me.observe, content="hello", event_type=text[:60], source=text[:60])
        tried(me.observe_document, text=f"# {text[:300]}\n\nIntro {text}\n\n{text}", title=text, locator=text[:400])
        tried(me.observe_document, text=f"v {number}", source_id=text[:200], version=text[:60])
        tried(
            me.add_fact,
            content=f"noted: {text}",
            subject=text[:200],
            predicate="note",
            value=text,
            qualifier=text[:200],
        )
        tried(me.add_rule, content=f"Always say {text}", idempotency_key=f"{text[:100]} {number}")
        if name not in CUT:
            tried(me.add_fact, content=f"it is {raw}", predicate="password", value=raw, metadata={"secret_key": text})
            tried(me.set_status, key="api token", value=raw)
        tried(me.change, fact_id=plain, value=text, reason=text)
        tried(me.correct, fact_id=plain, content=text, reason=text)
        tried(me.update, fact_id=plain, candidate=Candidate(content=text, value=text))
        tried(me.add_successor, fact_id=plain, when=plain, value=text, when_value=text)
        tried(me.invalidate, fact_id=plain, reason=text, expected_revision=99)
        tried(
            me.propose,
            candidates=[
                Candidate(content=text, subject=text[:200], predicate="note", value=text, quote=text, confidence=0.6)
            ],
        )
        if number % 5 == 0:
            tried(me.forget, query=text, reason=text)
            tried(me.forget, query=text, reason=text, mode="erase", idempotency_key=text[:120])
            for asked in (me.search, me.context, partial(me.lookup, "bank_card")):
                tried(partial(asked, text))
    lines = [
        {"role": "user", "content": text, "id": " ".join(text.split())[:100], "name": " ".join(text.split())[:100]}
        for text, _ in SAID.values()
    ]
    imported = tmp_path / "elsewhere" / "turns.jsonl"
    imported.parent.mkdir()
    imported.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    for _ in range(2):
        memory.import_file(imported)
    imported.unlink()
    me.end_session()
    assert left(folder) == []
    memory.parts.store.database.checkpoint()  # type: ignore[attr-defined]
    assert left(folder) == []
    assert [name for name, raw in RAW.items() if raw in caplog.text] == []
    shown = repr([memory.reader(user="ana").search(word, k=100) for word in ("card", "password", "token", "密码")])
    assert [name for name, raw in RAW.items() if raw in shown] == []


def test_the_command_line(folder: Path, sqlite_url: str) -> None:
    out = []
    environment = {"MUNIMENT_DB": sqlite_url, "MUNIMENT_EMBEDDER": "none", "MUNIMENT_USER": "ana"}
    for text, _ in SAID.values():
        for arguments in (
            ["observe", f"--metadata={json.dumps({'m': text})}", f"--speaker={text[:200]}", "--", text],
            ["add-fact", "--subject=Ana", "--predicate=note", f"--value={text}", "--", f"noted {text}"],
        ):
            result = CliRunner().invoke(app, arguments, env=environment)
            out.append(result.output)
    assert sum("masked" in text or "kept" in text or "rejected" in text for text in out) > 0
    assert left(folder) == []
    assert [name for name, raw in RAW.items() if any(raw in text for text in out)] == []
