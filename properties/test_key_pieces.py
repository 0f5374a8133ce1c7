"""A service that sends back a part of our key: none of it comes out, however it is spelled."""

import asyncio
import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import httpx
import msgspec
import pytest
from hypothesis import assume, given, strategies as st

from webseam import json_backend
from webseam.kernel import redact, web_search
from webseam.kernel.deps import WebDeps
from webseam.kernel.text.redaction import LONG_FRAGMENT_CHARS, KeyEchoes
from webseam.ports import SearchAnswer
from webseam.testing import ScriptedTransport

Spelling = Callable[[str], str]

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=64)


def percent(piece: str) -> str:
    return "".join(f"%{byte:02X}" for byte in piece.encode())


SPELLINGS: dict[str, Spelling] = {
    "plain": str,
    "lower": str.lower,
    "upper": str.upper,
    "escaped for a page": html.escape,
    "escaped for JSON": lambda piece: json.dumps(piece)[1:-1],
    "quoted": lambda piece: quote(piece, safe=""),
    "quoted for a form": quote_plus,
    "quoted in a path": quote,
    "quoted by a browser": lambda piece: quote(piece, safe="!*'()"),
    "quoted in small letters": lambda piece: re.sub(
        "%..", lambda byte: byte[0].lower(), quote(piece)
    ),
    "every byte quoted": percent,
    "every byte quoted in small letters": lambda piece: percent(piece).lower(),
    "hex": lambda piece: piece.encode().hex(),
    "hex in capitals": lambda piece: piece.encode().hex().upper(),
    "base64": lambda piece: base64.b64encode(piece.encode()).decode(),
    "base64 for URLs": lambda piece: base64.urlsafe_b64encode(piece.encode()).decode(),
    "behind a name": lambda piece: base64.b64encode(f"user:{piece}".encode()).decode(),
    "before a colon": lambda piece: base64.b64encode(f"{piece}:".encode()).decode(),
}
ANY_SPELLING = st.sampled_from(tuple(SPELLINGS.values()))
every_spelling = pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)


@st.composite
def keys_and_pieces(draw: st.DrawFn) -> tuple[str, str]:
    key = draw(KEYS)
    begin = draw(st.integers(0, len(key) - LONG_FRAGMENT_CHARS))
    return key, key[begin : draw(st.integers(begin + LONG_FRAGMENT_CHARS, len(key)))]


@every_spelling
@given(pair=keys_and_pieces(), around=st.tuples(st.text(max_size=20), st.text(max_size=20)))
def test_a_piece_of_a_key_is_not_left_in_a_text(
    spelling: Spelling, pair: tuple[str, str], around: tuple[str, str]
) -> None:
    key, piece = pair
    assume(piece.strip("*"))
    before, after = around

    assert spelling(piece) not in redact(before + spelling(piece) + after, [key])


@given(pair=keys_and_pieces(), around=st.tuples(st.text(max_size=20), st.text(max_size=20)))
def test_a_long_piece_of_a_key_is_not_left_in_a_page(
    pair: tuple[str, str], around: tuple[str, str]
) -> None:
    key, piece = pair
    assume(piece.strip("*"))
    before, after = around

    assert piece not in KeyEchoes([key]).redact(before + piece + after)


@given(
    spelling=ANY_SPELLING, key=KEYS, around=st.tuples(st.text(max_size=20), st.text(max_size=20))
)
def test_a_whole_key_is_not_left_in_a_page(
    spelling: Spelling, key: str, around: tuple[str, str]
) -> None:
    assume(key.strip("*"))
    before, after = around

    assert spelling(key) not in KeyEchoes([key]).redact(before + spelling(key) + after)


INSERTED = st.text(" \t\n\r\u00a0\u00ad\u200b\u200c\u200d\u2060\u2800\u3000\ufeff\x00", max_size=3)


@given(
    spelling=ANY_SPELLING,
    pair=keys_and_pieces(),
    gaps=st.lists(INSERTED, min_size=1, max_size=20),
    around=st.tuples(st.text(max_size=20), st.text(max_size=20)),
)
def test_key_with_blanks_or_invisible_characters_between_is_not_left_in_a_text(
    spelling: Spelling, pair: tuple[str, str], gaps: list[str], around: tuple[str, str]
) -> None:
    key, piece = pair
    assume(key.strip("*") and piece.strip("*"))

    def spread(text: str) -> str:
        return "".join(f"{letter}{gaps[at % len(gaps)]}" for at, letter in enumerate(text))

    def bare(text: str) -> str:
        return "".join(char for char in text if char not in "".join(gaps) and not char.isspace())

    for masked in (
        redact(f"{around[0]} {spread(spelling(piece))} {around[1]}", [key]),
        KeyEchoes([key]).redact(f"{around[0]} {spread(spelling(key))} {around[1]}"),
    ):
        assert bare(spelling(piece)) not in bare(masked) or bare(spelling(piece)) in bare(
            "".join(around)
        )


def test_short_key_with_blanks_between_is_masked_and_the_words_around_it_stay() -> None:
    text = "The key s k 1 2 3 4 5 6 is wrong."

    assert KeyEchoes(["sk123456"]).redact(text) == "The key *** is wrong."
    assert redact(text, ["sk123456"]) == "The key *** is wrong."


def test_two_keys_that_begin_alike_are_masked_once_where_they_are_spread() -> None:
    text = " ".join("sk123456-abcdef") + " is wrong"

    assert redact(text, ["sk123456", "sk123456-abcdef"]) == "*** is wrong"


@given(
    spelling=ANY_SPELLING,
    pair=keys_and_pieces(),
    status=st.sampled_from([200, 400, 401, 403, 429, 500]),
)
def test_a_piece_of_a_key_does_not_come_out_of_an_error(
    spelling: Spelling, pair: tuple[str, str], status: int
) -> None:
    key, piece = pair
    assume(piece.strip("*"))
    body = {"error": {"message": f"the key {spelling(piece)} is wrong"}}
    transport = ScriptedTransport([httpx.Response(status, json=body)])
    backend = json_backend(search_url="https://api.example/", key=key, transport=transport).unwrap()

    error = asyncio.run(web_search("q", WebDeps(backend=backend))).failure()

    assert spelling(piece) not in f"{error.message} {error!r}"


KEY = "first-key-0123456789"


def test_an_answer_without_a_key_is_handed_on_as_it_is() -> None:
    rows = [{"title": "t", "score": 1.5, "tags": ["a", None]}]

    assert KeyEchoes([KEY]).redact(rows) is rows
    assert KeyEchoes([]).redact(rows) is rows


def test_a_key_is_found_however_deep_it_stands() -> None:
    unpackable = object()
    answer = (SearchAnswer(text=KEY), {"a": [{"b": (KEY, 1)}]}, "first-key", 5, unpackable)

    assert KeyEchoes([KEY]).redact(answer) == (
        SearchAnswer(text="***"),
        {"a": [{"b": ("***", 1)}]},
        "first-key",
        5,
        unpackable,
    )
    assert KEY not in repr(KeyEchoes([KEY]))
    assert msgspec.json.encode(KeyEchoes([KEY]).redact([KEY])) == b'["***"]'


@given(key=KEYS, text=st.text(max_size=200))
def test_a_text_without_a_key_is_left_as_it_is(key: str, text: str) -> None:
    assume(not any(key[at : at + 4].lower() in text.lower() for at in range(len(key) - 3)))

    assert KeyEchoes([key]).redact(text) == text
