"""The tokeniser: what becomes one token in which language, and that no text makes it fail."""

from __future__ import annotations

import zlib

import pytest

from muniment.text.tokenizer import analyse, asks, cjk_share, hash_tokens, identifiers, tokenize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ORD-2024-001", "ord-2024-001"),
        ("order ORD-2024-001, please", "ord-2024-001"),
        ("v1.2.3", "v1.2.3"),
        ("write to Ana.B@Example.CO.uk.", "ana.b@example.co.uk"),
        ("see https://a.example/x?y=1).", "https://a.example/x?y=1"),
        ("＠ＡＢＣ１２３", "abc123"),
        ("at 12:30", "12:30"),
        ("costs $10,000", "10000"),
        ("我的订单号是ORD-2024-001。", "ord-2024-001"),
        ("192.168.0.1", "192.168.0.1"),
    ],
)
def test_identifiers_stay_whole(text: str, expected: str) -> None:
    assert expected in tokenize(text)


def test_identifiers_give_their_parts_too() -> None:
    assert {"ord", "2024", "001"} <= set(tokenize("ORD-2024-001"))


def test_identifiers_are_told_from_words() -> None:
    assert identifiers("is ORD-77 for ana@x.org or 42?") == ["ord-77", "ana@x.org"]


@pytest.mark.parametrize(
    ("one", "other"), [("running", "runs"), ("Cafés", "cafe"), ("wellknown", "well-known"), ("Ana's", "Ana")]
)
def test_forms_of_a_word_share_a_token(one: str, other: str) -> None:
    assert set(tokenize(one)) & set(tokenize(other))


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    assert tokenize("Where is the library?") == ["librari"]
    assert tokenize("To be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert "don't" not in tokenize("I don't smoke")
    assert tokenize("I don't smoke") == ["smoke"]


@pytest.mark.parametrize("text", ["搬到北京", "ひらがな", "カタカナ", "안녕하세요", "สวัสดี"])
def test_scripts_without_spaces_give_characters_and_bigrams(text: str) -> None:
    tokens = tokenize(text)
    assert set(text) <= set(tokens)
    assert {text[at : at + 2] for at in range(len(text) - 1)} <= set(tokens)


def test_scripts_meet_without_a_space() -> None:
    assert "iphone15" in tokenize("我的iPhone15手机")
    assert "手机" in tokenize("我的iPhone15手机")


def test_words_with_combining_marks_are_whole() -> None:
    assert tokenize("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


@pytest.mark.parametrize("text", ["😀", "👩‍👩‍👧", "🇨🇳", "❤️", "?!", "\ud800", "…"])
def test_text_without_words_is_still_found_by_itself(text: str) -> None:
    assert tokenize(text)
    assert set(tokenize(text)) <= set(tokenize(f"{text} {text}"))


@pytest.mark.parametrize("text", ["", " \t\n", "\u200d", "\ufe0f"])
def test_text_of_nothing_has_no_tokens(text: str) -> None:
    assert tokenize(text) == []


def test_hashes_are_packed_crc32_in_order() -> None:
    packed = hash_tokens(["abc", "北京"])
    assert packed == b"".join(zlib.crc32(item.encode()).to_bytes(4, "little") for item in ("abc", "北京"))
    assert hash_tokens([]) == b""
    assert len(hash_tokens(["\ud800"])) == 4


def test_the_tail_is_kept_only_where_it_asks() -> None:
    assert analyse("I moved to Lisbon.").tail == b""
    asking = analyse("I moved. Where do you live?")
    assert asking.tail == asking.tokens
    assert analyse("Is it? " + "word " * 60).tail == b""
    assert analyse("你住在哪里？").tail


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Really?", True),
        ("真的吗？", True),
        ("Really? 😀", True),
        ('"Really?"', True),
        ("Really? Yes", False),
        ("", False),
    ],
)
def test_asking_means_ending_in_a_question_mark(text: str, expected: bool) -> None:
    assert asks(text) is expected


def test_share_of_unspaced_scripts() -> None:
    assert cjk_share("我住在哪里") == 1.0
    assert cjk_share("where do I live") == 0.0
    assert 0 < cjk_share("我的iPhone") < 1
    assert cjk_share("123?") == 0.0
