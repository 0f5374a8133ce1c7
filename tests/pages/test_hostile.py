import pytest
from returns.result import Result
from turbohtml import parse

from webseam.adapters.reader import read_html
from webseam.adapters.reader.html import MAX_HTML_CHARS
from webseam.adapters.reader.rendering.markdown import render_markdown
from webseam.adapters.reader.rendering.table_tidying import tidy_tables

from .read import page

HOSTILE: dict[str, str | bytes] = {
    "deep divs": "<div>" * 100_000 + "x",
    "deep lists": "<ul><li>" * 20_000 + "x",
    "deep tables": "<table><tr><td>" * 8_000 + "x",
    "deep quotes": "<blockquote>" * 20_000 + "x",
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">x",
    "comments": "<!--" * 200_000,
    "less-than signs": "<" * 800_000,
    "sections": "<![CDATA[" * 90_000,
    "a long number": "&#x" + "1" * 900_000 + ";",
    "a long word": "<p>" + "a" * 900_000,
    "row spans": "<table>" + "<tr><td rowspan=65534 colspan=1000>x" * 500 + "</table>",
    "quotes": "<a href='" * 60_000,
    "links in links": "<a href=x><div>" * 20_000 + "x",
    "hidden in hidden": "<div style='display:none'>" * 5_000 + "text " * 50_000,
    "hidden tabs": "<div class=tabs>" + "<p class=tab hidden>x</p>" * 20_000,
    "hidden answers": "<h3>q</h3><p class=faq hidden>x</p>" * 20_000,
    "cards": "<div class=c><a href=x>y</a></div>" * 30_000,
    "cards in cards": ("<div class=c><a href=x>y</a></div>" * 2 + "<div class=c>") * 15_000,
    "nearly cards": ("<div class=c><a href=x>y</a>" + "<i></i>" * 140 + "</div>") * 800,
    "notes in notes": "".join(f"<sup><a href=#{n}>{n}</a></sup>" for n in range(9_000))
    + "".join(f"<div id={n}>x" for n in range(9_000)),
    "marks in a mark": f"<sup>{'x' * 500_000}{'<a href=#n>1</a>' * 9_000}</sup><p id=n>x",
    "deep signs": "<p>1" + "<sup>2<ruby><rt>" * 20_000,
    "headings in headings": "<h2>" + "<ul><li><h3>" * 30_000 + "x",
    "breaks in a link": "<p><a href=x>" + "<br>" * 50_000 + "y</a>",
    "breaks": "<p>x" + "<span><br></span>" * 100_000 + "y",
    "bold cells": "<table><tr><td>" + "<b></b>" * 80_000 + "z<td><b>q</b><tr><td>1<td>2</table>",
    "code in a long name": f"<div class='{'code-x ' * 2_000}'>" + "<pre>x\ny</pre>" * 4_000,
    "signs": "<div><p>related</p></div>" * 7_900,
    "deep words": "<p>" + "<span>Ab" * 40_000,
    "linked data": "<script type='application/ld+json'>" + '{"a":' * 50_000 + "</script>x",
    "laughs": '<!DOCTYPE html [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><body>&b; MARKER',
    "bytes": bytes(range(256)) * 400,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_hostile_markup_has_an_outcome(html: str | bytes) -> None:
    assert isinstance(read_html(html, "https://example.com/"), Result)


def test_row_spans_do_not_multiply_the_page() -> None:
    html = HOSTILE["row spans"]

    assert len(page(html).content) < 4 * len(html)


def test_a_table_too_large_for_a_grid_is_plain_blocks() -> None:
    table = "<table>" + "<tr><td>stone</tr>" * 900 + "<tr>" + "<td>x" * 90 + "</table>"
    root = parse(f"<main>{table}</main>", positions=False).find("main")
    assert root is not None

    tidy_tables(root)
    content, _ = render_markdown(root)

    assert "stone\n\nstone" in content
    assert "|" not in content
    assert "<" not in content


def test_quotes_in_quotes_end_somewhere() -> None:
    assert len(page(HOSTILE["deep quotes"]).content) < 1000


def test_a_page_too_large_to_score_is_kept_whole_and_says_so() -> None:
    document = page("<p>word</p>" * 9_000)

    assert document.content.count("word") == 9_000
    assert document.kind is None
    assert document.notes == ("not scored: the page is too large, so all of it was kept",)


def test_a_page_of_too_many_elements_is_kept_whole() -> None:
    assert page("<b>x</b> " * 121_000).notes == (
        "not scored: the page is too large, so all of it was kept",
    )


def test_a_page_past_the_limit_is_cut_and_says_so() -> None:
    document = page("<p>" + "word " * (MAX_HTML_CHARS // 5))

    assert document.notes == (f"truncated: only the first {MAX_HTML_CHARS} characters were read",)
    assert len(document.content) <= MAX_HTML_CHARS
