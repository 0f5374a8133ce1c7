"""Normalisers are idempotent, and masks hold."""

import html
import json
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from webseam.adapters.compressors.extractive_compressor import split_page_units
from webseam.adapters.compressors.model_compressor import split_page_text
from webseam.adapters.features.index.documents import split_passages
from webseam.adapters.pages.safe_text import strip_hidden as strip_page_hidden
from webseam.adapters.values.field_values import collapse_blanks as one_value_line, truncate_snippet
from webseam.adapters.values.html_text import html_to_text
from webseam.adapters.values.untrusted_rows import RowReader
from webseam.kernel import redact, redact_url
from webseam.kernel.features.evidence.passages import split_passages as split_evidence_passages
from webseam.kernel.features.evidence.printing import print_text
from webseam.kernel.laws.field_checks import query_text_fault
from webseam.kernel.text.display import hidden_offsets, one_line, quote_value, strip_hidden
from webseam.kernel.text.trim import Budget, read_text_piece
from webseam.ports.text import IGNORABLE_CHARS, JOINER_CHARS, truncate

ANY = st.text(st.characters())


@given(ANY)
@example("e\x00\u0301")
def test_visible_is_idempotent_and_only_takes_away(text: str) -> None:
    once = strip_hidden(text)

    assert strip_hidden(once) == once
    assert len(once) <= len(text)


_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_HIDDEN = "\x00\x1b\u200b\u202e\u2066\ufeff\U000e0041\U000e0101"
_SIGNS = (
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\U0001f3f4\U000e0075\U000e0073\U000e0063\U000e0061\U000e007f",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f1eb\U0001f1f7",
    "\u845b\U000e0100", "\u2229\ufe00", "\u2764\ufe0f", "e\u0301", "\U0001f44d\U0001f3fd", "6.5",
)  # fmt: skip
_CLEANERS = (strip_hidden, lambda text: strip_page_hidden(text)[0], print_text)


@given(
    words=st.lists(st.sampled_from((*_SIGNS, "high", "low")), min_size=1),
    gaps=st.lists(st.text(_BREAKS + " ", min_size=1, max_size=3), min_size=50, max_size=50),
    hidden=st.text(_HIDDEN, max_size=3),
)
def test_cleaning_keeps_words_apart_and_signs_whole(
    words: list[str], gaps: list[str], hidden: str
) -> None:
    text = "".join(part for word in zip(words, gaps, strict=False) for part in word)
    words = words[:50]
    for clean in _CLEANERS:
        assert clean(text).split() == words
        assert clean("a" + hidden + text).split()[1:] == words[1:]
        assert len(clean(text).splitlines()) <= len(text.splitlines())


@given(
    signs=st.lists(st.sampled_from(_SIGNS[:-1]), min_size=1, max_size=9),
    max_chars=st.integers(1, 40),
)
def test_a_cut_text_ends_with_a_whole_sign(signs: list[str], max_chars: int) -> None:
    text = "".join(signs)
    starts = {"".join(signs[:count]) for count in range(len(signs) + 1)}

    assert truncate(text, max_chars).removesuffix("…") in starts
    assert str(truncate_snippet(text, max_chars)).removesuffix(" …") in starts
    piece = read_text_piece(text, 0, Budget(characters=max_chars))
    assert piece.text in starts or len(signs[0]) > max_chars


_SPLITTERS: tuple[Callable[[str], list[str]], ...] = (
    lambda text: [passage.body for passage in split_passages(text)],
    lambda text: [unit.text for unit in split_page_units(text)],
    lambda text: split_page_text(text, 501),
    lambda text: [text[span.start : span.end] for span in split_evidence_passages(text)],
)


@given(signs=st.lists(st.sampled_from(_SIGNS[:-1]), min_size=1, max_size=9))
@example(signs=[_SIGNS[2]])
@example(signs=["a", _SIGNS[0]])
def test_text_without_blanks_is_split_between_whole_signs(signs: list[str]) -> None:
    # Longer than any piece, and with fewer flags in a row than are counted.
    repeated = [*signs, "x"] * 300
    borders = set(accumulate(map(len, repeated), initial=0))
    text = "".join(repeated)

    for split in _SPLITTERS:
        pieces = split(text)
        assert "".join(pieces) == text
        assert borders.issuperset(accumulate(map(len, pieces)))


@given(ANY)
@example("a\r\n\U0001f3f4\U000e0067\u200b")
def test_hidden_offsets_are_those_of_the_characters_that_go(text: str) -> None:
    gone = {*hidden_offsets(text)}
    left = "".join(char for offset, char in enumerate(text) if offset not in gone)

    assert re.sub("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", left).replace(
        "\x1f", " "
    ) == strip_hidden(text)


@given(ANY, st.integers(1, 400))
def test_one_line_is_idempotent_one_line_and_bounded(text: str, most: int) -> None:
    once = one_line(text, most)

    assert one_line(once, most) == once
    assert len(once) <= most
    assert "\n" not in once


@given(ANY)
def test_a_shown_value_is_printable_ascii_or_an_ellipsis(text: str) -> None:
    assert quote_value(text).replace("…", "").isascii()
    assert quote_value(text).isprintable()


@given(text=ANY, secrets=st.lists(st.text(min_size=4), max_size=3))
@example(text="ab1234cd", secrets=["1234", "ab***cd"])
def test_redaction_is_idempotent(text: str, secrets: list[str]) -> None:
    once = redact(text, secrets)

    assert redact(once, secrets) == once


@given(
    before=ANY,
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6),
    after=ANY,
)
def test_a_known_secret_never_survives(before: str, secret: str, after: str) -> None:
    assume(secret.strip("*"))

    assert secret not in redact(before + secret + after, [secret])


@given(
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8),
    spelling=st.sampled_from([str.lower, str.upper, html.escape, lambda it: json.dumps(it)[1:-1]]),
)
def test_a_known_secret_in_other_letters_or_escaped_does_not_survive(
    secret: str, spelling: Callable[[str], str]
) -> None:
    assume(secret.strip("*"))

    assert spelling(secret) not in redact(f"bad key {spelling(secret)} !", [secret])


@given(ANY)
def test_redacting_a_url_is_idempotent(text: str) -> None:
    once = redact_url(text)

    assert redact_url(once) == once


_MARKUP = st.sampled_from(
    ("<b>", "</p>", "<br/>", "<!-- x -->", "&amp;", "&nbsp;", "&lt;p&gt;", " ", "  ", "\n", "\t",
     "\x1c", "\xa0", "\u2028", "\u3000", "\u200b", "a", "é", "<", "&", "1 < 2", "Vec<u8>")
)  # fmt: skip


_MARKED_UP = st.lists(st.one_of(_MARKUP, st.characters()), max_size=12).map("".join)


@given(_MARKED_UP)
@example("a  b")
def test_blanks_are_collapsed_and_html_without_markup_is_its_text(text: str) -> None:
    assert one_value_line(text) == re.sub(r"\s+", " ", text).strip()
    assert html_to_text(html.escape(text)) == one_value_line(text)


@given(st.lists(st.sampled_from(("<b>", "</b>", "<p>", "</p>", "<td>", "&amp;", "high", "low"))))
def test_words_that_elements_part_stay_apart(parts: list[str]) -> None:
    separate = {"<p>": " ", "</p>": " ", "<td>": " ", "<b>": "", "</b>": "", "&amp;": "&"}
    words = "".join(separate.get(part, part) for part in parts).split()

    assert str(html_to_text("".join(parts))).split() == words


_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    _MARKED_UP,
    st.text("a b\x1f"),
    st.lists(st.text(), max_size=1),
)
_USUAL = st.fixed_dictionaries(
    {"t": _MARKED_UP, "u": st.text(), "s": st.text("a b\n"), "n": st.floats()}
)
_RESULTS = st.one_of(
    st.lists(_USUAL),
    st.lists(st.one_of(_USUAL, st.dictionaries(st.sampled_from("tusdn"), _VALUES), _VALUES)),
)


@pytest.mark.parametrize(
    "reader",
    [
        RowReader("t", "u", "s"),
        RowReader("t", "u", "s", "d", "n"),
        RowReader("t n", "u", "s t", "d n"),
        RowReader("t", "u", "s", truncates=True),
    ],
)
@given(results=_RESULTS)
@example(results=[{"t": "a", "u": "b", "s": " a  b", "n": 0.5}])
@example(results=[{"t": "a", "u": "b", "s": "a", "n": 0.5, "d": "2026-01-02"}])
def test_rows_that_are_read_at_once_are_those_that_are_read_one_by_one(
    reader: RowReader, results: list[Any]
) -> None:
    one_by_one = [reader(result) if isinstance(result, dict) else result for result in results]

    assert reader.read_rows(results) == one_by_one


def test_a_character_that_shows_nothing_is_hidden_from_every_reader() -> None:
    ignorable = re.compile(f"[{IGNORABLE_CHARS}]")
    for hidden in filter(ignorable.match, map(chr, range(0x110000))):
        assert strip_hidden(f"a{hidden}b") == "ab", ascii(hidden)
        assert strip_page_hidden(f"a{hidden}b") == ("ab", 1), ascii(hidden)
        assert print_text(f"a{hidden}b") == "ab", ascii(hidden)
    for hidden in filter(
        re.compile(f"[{IGNORABLE_CHARS}{JOINER_CHARS}]").match, map(chr, range(0x110000))
    ):
        assert query_text_fault(hidden) is not None, ascii(hidden)
