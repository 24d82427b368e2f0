"""Properties of detection and redaction over any text, and over texts with secrets in any place."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.secret_material import ISSUED, LABELLED, fill

from muniment.config import Sensitivity
from muniment.text.folding import plainly, unescaped
from muniment.text.identifiers import KINDS as IDENTIFIER_KINDS
from muniment.text.personal import KINDS, detect
from muniment.text.redact import redact, redact_json

MASK = Sensitivity().mask
ALL = tuple(dict.fromkeys((*MASK, *KINDS, *IDENTIFIER_KINDS)))
PIECES = st.sampled_from(
    [
        *(
            "password",
            "密码",
            "is",
            "是",
            "=",
            ": ",
            " ",
            "\n",
            "\u200b",
            "[password]",
            "[bank_card …1111]",
            "[",
            "]",
            "%3D",
            "\\u0041",
        ),
        *(
            "4111 1111 1111 1111",
            "4111",
            "１１１１",
            "٤١١١",
            "11010519491231002X",
            "hunter2",
            '"',
            "'",
            "://",
            "@",
            "-",
            "_",
            "&#52;",
        ),
        *(
            "QQ",
            "passport",
            "IMEI",
            "192.168.1.1",
            "::1",
            "路12号",
            "asthma",
            "0x",
            "eyJ",
            "sk-",
            "ghp_",
            "AKIA",
            "Bearer ",
            "Cookie: a=",
        ),
        *(fill(form, random.Random(7)) for form in [*list(ISSUED.values())[:12], *list(LABELLED.values())[:8]]),
    ]
)
TEXT = st.one_of(st.text(max_size=120), st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=12).map("".join))


@given(TEXT)
def test_findings_lie_within_the_text_and_apart(text: str) -> None:
    findings = detect(text)
    assert all(0 <= item.span[0] < item.span[1] <= len(text) for item in findings)
    assert all(one.span[1] <= two.span[0] for one, two in pairwise(findings))


@given(TEXT, st.sampled_from([MASK, ALL]))
def test_redacting_again_changes_nothing_and_no_found_value_stays_where_it_was(
    text: str, kinds: tuple[str, ...]
) -> None:
    result = redact(text, kinds)
    again = redact(result.text, kinds)
    assert (again.text, again.redacted) == (result.text, False)
    assert result.redacted == bool(result.findings) == (result.text != text)
    kept, place = [], 0
    for item in result.findings:
        kept.append(text[place : item.span[0]])
        place = item.span[1]
    rest = [*kept, text[place:]]
    at = 0
    for piece in rest:  # what was not masked is there, in order
        at = result.text.index(piece, at) + len(piece)


@given(TEXT, st.sampled_from(sorted(ISSUED)), TEXT)
def test_a_token_is_masked_in_any_talk(before: str, name: str, after: str) -> None:
    token = fill(ISSUED[name], random.Random(name))
    assert token not in redact(f"{before} \n{token} \n{after}", MASK).text


@given(TEXT)
def test_views_lead_back_into_the_text(text: str) -> None:
    view = plainly(text)
    for seen in (view, unescaped(view) or view):
        places = [seen.at(index) for index in range(len(seen.text) + 1)]
        assert places == sorted(places)
        assert places[-1] == len(text) or not seen.text
        assert seen.at(len(seen.text)) == len(text)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**19), 10**19), st.floats(allow_nan=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=8,
)


@given(JSON)
@example(["AKID0000000000000", -1000000])
def test_json_keeps_its_shape_and_is_masked_once(value: object) -> None:
    kept, kinds = redact_json(value, MASK)
    assert kinds <= set(MASK)
    again, more = redact_json(kept, MASK)
    assert (again, more) == (kept, frozenset())
    assert isinstance(kept, type(value)) or (isinstance(value, int | float) and isinstance(kept, str))
    if isinstance(value, dict | list) and isinstance(kept, dict | list):
        assert len(kept) == len(value)
