"""Texts with markup in them, as services send them."""

import pytest

from webseam.adapters.values.field_values import strip_markup, truncate_snippet


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a<!-- <b>x</b> -->b<!---->c", "abc"),
        ("a<!-- b", "a<!-- b"),
        ("a<!-- b<!-- c -->d", "a<!-- bd"),
        ("1 < 2<br>3 &gt; 2", "1 < 2 3 > 2"),
    ],
)
def test_tags_and_comments_are_taken_out_and_nothing_else(text: str, words: str) -> None:
    assert strip_markup(text) == words


@pytest.mark.parametrize("noise", ["<!--", "<!---", "<a ", "</a", "<!a", "<br ", "&lt"])
def test_no_text_takes_longer_than_it_is_long(noise: str) -> None:
    # Looked through to its end from every place in it, this would take hours.
    assert len(truncate_snippet(noise * 300_000)) <= 2002
