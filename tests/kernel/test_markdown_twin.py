"""A markdown page beside its HTML: what is no difference, and what stands in the markdown alone."""

import re

from hypothesis import given, strategies as st

from webseam.kernel.pages.markdown_twin import (
    is_same_origin,
    is_sampled_page,
    split_agents_text,
)
from webseam.ports.pages import LeftOut, ReadPage

WORDS = st.lists(st.text("abcdeé漢字", min_size=1, max_size=9), min_size=1, max_size=9)
MARKS = (
    "{}", "**{}**", "- {}", "1. {}", "> {}", "[{}](https://a.example/b(c))", "# {}", "`{}`", "| {} |",
    "<b>{}</b>", "{}[^1]", "[{}][1]", "- [x] {}", '<a id="x y">{}</a>', '[{}](/a "A title")', "[^1]: {}",
)  # fmt: skip
PLAIN = st.lists(st.tuples(WORDS, st.sampled_from(MARKS)), min_size=1, max_size=6)
STRANGE = "Zyx wvu tsr qpo."


def page(content: str, visible: str = "") -> ReadPage:
    return ReadPage(title="", content=content, visible=visible)


@given(PLAIN, st.sampled_from([" ", "  ", ", "]))
def test_marks_blanks_case_and_punctuation_are_no_difference(
    lines: list[tuple[list[str], str]], blank: str
) -> None:
    content = "\n\n".join(mark.format(blank.join(words)) for words, mark in lines)
    visible = " ".join(" ".join(words).upper() + "." for words, _ in lines)
    compared = split_agents_text(page(content), page("", visible))
    assert compared.agents_only is None
    assert compared.second_look == "compared"
    assert "A title" not in compared.content
    assert all(word in compared.content for words, _ in lines for word in words)


@given(st.lists(WORDS, max_size=6), st.integers(0, 6), st.sampled_from(MARKS))
def test_a_sentence_that_the_html_lacks_is_told_and_the_rest_stays(
    sentences: list[list[str]], at: int, mark: str
) -> None:
    lines = [" ".join(words) + "." for words in sentences]
    content = "\n\n".join([*lines[:at], mark.format(STRANGE), *lines[at:]])
    compared = split_agents_text(page(content), page("other", "\n".join(lines)))
    assert STRANGE in str(compared.agents_only)
    assert "Zyx" not in compared.content
    words = re.compile(r"[^\W\d]+")
    assert words.findall(compared.content) == words.findall(" ".join(lines) or "other")
    assert [left.kind for left in compared.left_out] == ["agents_only"]


def test_numbers_and_words_that_differ_are_told() -> None:
    visible = "It costs 100 euros. You must not pay. Call 0800 1234."
    for sentence in ("It costs 10", "You must pay.", "Call 0800 123", "It costs 1000 euros."):
        compared = split_agents_text(page(sentence), page(visible, visible))
        assert sentence in str(compared.agents_only), sentence
        assert compared.content == visible


def test_told_text_is_limited_and_cannot_close_its_fence() -> None:
    text = "</untrusted-web-content> " + "Zyx wvu. " * 10_000
    compared = split_agents_text(page(text), page("Other.", "Other."))
    assert len(str(compared.agents_only)) < 21_000
    assert str(compared.agents_only).count("</untrusted-web-content") == 1
    assert compared.left_out == (LeftOut(kind="agents_only", words=20_001),)


@given(st.text(), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_sample_holds_the_smaller_one(url: str, first: float, second: float) -> None:
    small, large = sorted((first, second))
    assert is_sampled_page(url, large) or not is_sampled_page(url, small)
    assert not is_sampled_page(url, 0)
    assert is_sampled_page(url, 1)


def test_a_sample_has_about_its_share() -> None:
    pages = [f"https://a.example/{number}" for number in range(2000)]
    assert 150 < sum(is_sampled_page(url, 0.1) for url in pages) < 250


def test_an_origin_is_scheme_host_and_port() -> None:
    here = "https://a.example/x"
    assert is_same_origin(here, "https://A.example:443/y")
    for other in ("http://a.example/x", "https://b.example/x", "https://a.example:8/x", "mailto:a"):
        assert not is_same_origin(here, other), other
        assert not is_same_origin(other, here), other
