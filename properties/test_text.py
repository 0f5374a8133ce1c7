"""Normalisers are idempotent, and masks hold."""

import html
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from webseam.adapters.pages.safe_text import strip_hidden as strip_page_hidden
from webseam.adapters.values.field_values import collapse_blanks as one_value_line, strip_markup
from webseam.adapters.values.untrusted_rows import RowReader, clean_rows, row
from webseam.kernel import redact, redact_url
from webseam.kernel.features.evidence.normalisation import readable_text
from webseam.kernel.laws.field_checks import query_text_fault
from webseam.kernel.text.display import one_line, quote_value, strip_hidden
from webseam.ports.text import IGNORABLE_CHARS, JOINER_CHARS

ANY = st.text(st.characters())


@given(ANY)
@example("e\x00\u0301")
def test_visible_is_idempotent_and_only_takes_away(text: str) -> None:
    once = strip_hidden(text)

    assert strip_hidden(once) == once
    assert len(once) <= len(text)


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


_TAG = re.compile(
    r"<(?:[A-Za-z][^<>]*|/[A-Za-z][^<>]*|!--(?:(?!<!--).)*?--|![A-Za-z][^<>]*)>", re.DOTALL
)
_BLOCK = re.compile(r"<(?:br|/?p|/?div|/?li|/?jats:p|/?jats:title)\b[^<>]*>", re.IGNORECASE)
_MARKUP = st.sampled_from(
    ("<b>", "</p>", "<br/>", "<!-- x -->", "&amp;", "&nbsp;", "&lt;p&gt;", " ", "  ", "\n", "\t",
     "\x1c", "\xa0", "\u2028", "\u3000", "\u200b", "a", "é", "<", "&", "1 < 2")
)  # fmt: skip


_MARKED_UP = st.lists(st.one_of(_MARKUP, st.characters()), max_size=12).map("".join)


@given(_MARKED_UP)
@example("a  b")
def test_a_text_without_markup_is_what_every_rule_in_turn_leaves(text: str) -> None:
    bare = html.unescape(_TAG.sub("", _BLOCK.sub(" ", text)))

    assert strip_markup(text) == re.sub(r"\s+", " ", bare).strip()
    assert one_value_line(text) == re.sub(r"\s+", " ", text).strip()


@given(st.lists(st.tuples(st.one_of(_MARKED_UP, st.text("ab é", max_size=5)), st.text("a b\x1f"))))
@example([("a", "b"), (" a", "\u2003b")])
@example([("a  b", "c")])
def test_rows_that_are_cleaned_at_once_are_those_that_are_cleaned_one_by_one(
    texts: list[tuple[str, str]],
) -> None:
    rows = clean_rows(row(title=title, url=None, snippet=snippet) for title, snippet in texts)

    assert [(fields["title"], fields["snippet"]) for fields in rows] == [
        (strip_markup(title), strip_markup(snippet)) for title, snippet in texts
    ]


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    _MARKED_UP, st.text("a b\x1f"), st.lists(st.text(), max_size=1),
)  # fmt: skip
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

    assert reader.read_rows(results) == clean_rows(one_by_one)


def test_a_character_that_shows_nothing_is_hidden_from_every_reader() -> None:
    ignorable = re.compile(f"[{IGNORABLE_CHARS}]")
    for hidden in filter(ignorable.match, map(chr, range(0x110000))):
        assert strip_hidden(f"a{hidden}b") == "ab", ascii(hidden)
        assert strip_page_hidden(f"a{hidden}b") == ("ab", 1), ascii(hidden)
        assert readable_text(f"a{hidden}b") == "ab", ascii(hidden)
    for hidden in filter(
        re.compile(f"[{IGNORABLE_CHARS}{JOINER_CHARS}]").match, map(chr, range(0x110000))
    ):
        assert query_text_fault(hidden) is not None, ascii(hidden)
