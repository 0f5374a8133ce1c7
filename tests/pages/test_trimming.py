"""Pages too large to be read whole."""

import pytest

from webseam.adapters.reader.html import MAX_HTML_CHARS, fit_html_page

from .read import page

DATA = "x" * MAX_HTML_CHARS
WORDS = "What in the world is an everyday shoe? One that you are content to wear every day. "


@pytest.mark.parametrize("script", ["<script>", "<SCRIPT id=__DATA__ type='a/b'>"])
def test_script_data_are_cut_before_text(script: str) -> None:
    html = f"<main><h1>Shoes</h1>{script}{DATA}</script><p>{WORDS * 5}</p></main>"

    for whole in (html, html.encode()):
        read = page(whole)
        assert WORDS.strip() in read.content
        assert read.notes == ("read without what its large scripts carry: the page is too large",)


def test_linked_data_and_small_scripts_stay() -> None:
    linked = f"<script type=application/ld+json>{'y' * 30_000}</script><script>z()</script>"

    trimmed = fit_html_page(f"{linked}<script>{DATA}</script>")

    assert trimmed.html == f"{linked}<script></script>"


@pytest.mark.parametrize("html", ["<script " * 900_000, "<script>" * 900_000, "</script" * 900_000])
def test_scripts_without_an_end_are_cut(html: str) -> None:
    trimmed = fit_html_page(html)

    assert len(trimmed.html) <= MAX_HTML_CHARS
    assert trimmed.note is not None
    assert sum(map(len, (trimmed.html, *trimmed.rest))) == len(html)
