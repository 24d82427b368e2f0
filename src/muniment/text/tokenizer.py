"""The one tokeniser of the keyword side: the same tokens for writing and for asking, whatever the database.

Identifiers stay whole (and give their parts too), English is stemmed and its stop words dropped, scripts written
without spaces become single characters and overlapping bigrams, emoji are tokens. Total: every `str` has a result,
none raises.

Belongs here: text to tokens, tokens to packed hashes. Does not belong here: scoring, dates, and which text is
indexed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

TOKENIZER_ID: Final = "muniment-1"
"""Stored with every index row; a change of rules is a change of this string, and calls for a reindex."""

TAIL_CHARS: Final = 200
"""How much of a turn's end counts as its question (the measured recipe)."""

# Letters' combining marks and the scripts that use them inside words; `\w` alone would cut those words apart.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
)
# Written without spaces between words: Thai and Lao, Myanmar, Khmer, kana, bopomofo, Han and its extensions, Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD_CHAR = rf"(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])"
_PICTURES = "\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"

_PIECE = re.compile(
    rf"(?P<url>[a-z][a-z0-9+.-]{{1,20}}://[^\s<>\"'{_UNSPACED}，。；！？（）《》]+)"
    rf"|(?P<run>[{_UNSPACED}]+)"
    rf"|(?P<compound>{_WORD_CHAR}+(?:[._\-/:@#+&'’]+{_WORD_CHAR}+)+)"
    rf"|(?P<word>{_WORD_CHAR}+)"
    rf"|(?P<picture>[{_PICTURES}])"
)
_WORDS = re.compile(rf"{_WORD_CHAR}+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_COMBINING = re.compile("[\u0300-\u036f]")
_SPACE_OR_JOINER = re.compile("[\\s\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\x00-\x1f]")

_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers
    herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off on
    once only or other our ours ourselves out over own same she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up very was we were what when where which
    while who whom why will with would you your yours yourself yourselves im ive id ill dont doesnt didnt isnt arent
    wasnt werent havent hasnt hadnt wont wouldnt cant couldnt shouldnt youre youve youll youd hes shes thats theres
    whats lets weve were theyre theyve ok okay
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words of a question's form; negations too, since no count of a word tells 'likes' from 'does not like'."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an index entry keeps of its text: hashes of all tokens, of the asking tail, and whether it asks."""

    tokens: bytes
    tail: bytes
    asks: bool


def tokenize(text: str) -> list[str]:
    """The text's tokens in reading order. Text with nothing but stop words keeps those; with nothing but signs, the
    signs."""
    folded = fold(text)
    tokens: list[str] = []
    stopped: list[str] = []
    for match in _PIECE.finditer(folded):
        piece = match.group()
        kind = match.lastgroup
        if kind == "word":
            _add_word(piece, tokens, stopped)
        elif kind == "run":
            _add_run(piece, tokens)
        elif kind == "picture":
            tokens.append(piece)
        else:
            _add_compound(piece, tokens, stopped, url=kind == "url")
    return tokens or stopped or [char for char in folded if not _SPACE_OR_JOINER.match(char)]


def fold(text: str) -> str:
    """NFKC and casefold, accents of letters dropped, thousands separators removed: how text is compared."""
    if text.isascii():
        return _THOUSANDS.sub("", text.lower())
    # A lone surrogate passes through both; only encoding it would fail.
    open_form = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", open_form).casefold()))


def identifiers(text: str) -> list[str]:
    """The tokens of the text that name one thing exactly: those with a digit and at least three characters,
    addresses."""
    return [token for token in tokenize(text) if is_identifier(token)]


def is_identifier(token: str) -> bool:
    """Whether a token can only match exactly: a number, code, version or address of three characters or more."""
    return len(token) >= 3 and (any(char.isdigit() for char in token) or "@" in token or "://" in token)


def hash_tokens(tokens: list[str]) -> bytes:
    """Each token's CRC-32 (of UTF-8, lone surrogates passed), packed little-endian, four bytes a token, in order."""
    packed = array("I", [_hash(token) for token in tokens])
    if _BIG_ENDIAN:
        packed.byteswap()
    return packed.tobytes()


def analyse(text: str) -> Analysis:
    """What an index entry keeps of `text`. The tail is the last 200 characters' tokens, only if a question mark is in
    them."""
    ending = text[-TAIL_CHARS:]
    tail = hash_tokens(tokenize(ending)) if "?" in ending or "？" in ending else b""
    return Analysis(tokens=hash_tokens(tokenize(text)), tail=tail, asks=asks(text))


def asks(text: str) -> bool:
    """Whether the text ends in a question mark, closing quotes, brackets and emoji aside."""
    for char in reversed(text[-TAIL_CHARS:]):
        if char in "?？":
            return True
        if char.isalnum() or char in ".!。！":
            return False
    return False


def cjk_share(text: str) -> float:
    """The share of the text's letters that belong to scripts written without spaces; 0.0 for text without letters."""
    letters = sum(1 for char in text if char.isalpha())
    unspaced = sum(len(run) for run in _RUN.findall(text))
    return min(1.0, unspaced / letters) if letters else 0.0


_RUN = re.compile(rf"[{_UNSPACED}]+")


def _add_word(word: str, tokens: list[str], stopped: list[str]) -> None:
    """One word, stemmed, to `tokens`, or a stop word to `stopped`."""
    (stopped if word in STOP_WORDS else tokens).append(stem(word))


def _add_run(run: str, tokens: list[str]) -> None:
    """Single characters and overlapping bigrams of a run without spaces, in reading order."""
    for at, char in enumerate(run):
        tokens.append(char)
        if at + 1 < len(run):
            tokens.append(run[at : at + 2])


def _add_compound(piece: str, tokens: list[str], stopped: list[str], *, url: bool) -> None:
    """Parts joined by signs: whole where it names a thing (a digit, an address), joined up where it is a hyphenated
    word."""
    if url:
        piece = piece.rstrip(".,;:!?)]}'\"")
    if "'" in piece or "’" in piece:
        # 's and n't belong to English words, not to identifiers: o'brien's -> obrien, don't -> a stop word.
        piece = re.sub(r"['’]s(?![^\W_])", "", piece).replace("'", "").replace("’", "")
    parts = _WORDS.findall(piece.partition("://")[2] if url else piece)
    if url or "@" in piece or any(char.isdigit() for char in piece):
        if len(parts) > 1 or url:
            tokens.append(piece)
    elif len(parts) > 1 and "-" in piece:
        tokens.append(stem("".join(parts)))
    for part in parts:
        if len(part) > 1 or (len(parts) == 1 and not url):
            _add_word(part, tokens, stopped)


_LOCAL = threading.local()
_BIG_ENDIAN = array("I", [1]).tobytes()[:1] == b"\x00"


def _stemmer() -> Any:
    """This thread's stemmer: PyStemmer's objects are not to be shared between threads."""
    found = getattr(_LOCAL, "stemmer", None)
    if found is None:
        import Stemmer

        found = _LOCAL.stemmer = Stemmer.Stemmer("english")
    return found


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word of English letters; any other word as it is."""
    return str(_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


@lru_cache(maxsize=65_536)
def _hash(token: str) -> int:
    """A token's 32-bit hash."""
    return zlib.crc32(token.encode("utf-8", "surrogatepass"))
