"""Footnotes: a mark in the text, and what the note says at the end."""

import pytest
from turbohtml import parse

from webseam.adapters.reader.page_segments import segment_page
from webseam.adapters.reader.rendering.markdown import render_markdown, tidy_tree
from webseam.adapters.reader.run_choice import keep_notes

from .read import article, page

BASE = "https://example.com/"


def markdown(html: str) -> str:
    root = parse(f"<main>{html}</main>", positions=False).find("main")
    assert root is not None
    tidy_tree(root, BASE)
    return render_markdown(root)[0]


TOLD = "The quay held.[^1] It stands.\n\n[^1]: Until 1820."


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            "<p>The quay held.<sup><a href=#fn1 id=r1>1</a></sup> It stands.</p><section class=footnotes>"
            "<ol><li id=fn1><p>Until 1820. <a href=#r1>↩</a></p></li></ol></section>",
            id="pandoc",
        ),
        pytest.param(
            "<p>The quay held.<sup id=cite_ref-1><a href=#cite_note-1><span>[</span>1<span>]</span></a>"
            "</sup> It stands.</p><ol><li id=cite_note-1><span class=mw-cite-backlink>^ <b>"
            "<a href=#cite_ref-1>a</a> <a href=#cite_ref-2>b</a></b></span> Until 1820.</li></ol>",
            id="wikipedia",
        ),
        pytest.param(
            "<p>The quay held.<a class='footnote-reference brackets' href=#id3 id=id2 role=doc-noteref>"
            "<span>[</span>1<span>]</span></a> It stands.</p><aside id=id3 role=doc-footnote>"
            "<span class=label>[<a href=#id2>1</a>]</span><p>Until 1820.</p></aside>",
            id="docutils",
        ),
        pytest.param(
            "<p>The quay held.<sup>[<a href=#n1>1</a>]</sup> It stands.</p><p id=n1>1. Until 1820.</p>",
            id="numbered paragraphs",
        ),
        pytest.param(
            "<p>The quay held.<a href=#_ftn1 id=_ftnref1><sup>[1]</sup></a> It stands.</p>"
            "<p><a href=#_ftnref1 name=_ftn1><sup>[1]</sup></a> Until 1820.</p>",
            id="each points at the other",
        ),
        pytest.param(
            "<p>The quay held.<a href=#_ftn1 name=_ftnref1><span>[1]</span></a> It stands.</p>"
            "<div id=ftn1><p><a href=#_ftnref1 name=_ftn1><span>[1]</span></a> Until 1820.</p></div>",
            id="Word, without a raised sign",
        ),
        pytest.param(
            "<p>The quay held.<a class=footnote-anchor id=footnote-anchor-1 href=#footnote-1>1</a> It "
            "stands.</p><div class=footnote><a id=footnote-1 href=#footnote-anchor-1 "
            "class=footnote-number>1</a><div><p>Until 1820.</p></div></div>",
            id="substack",
        ),
        pytest.param(
            f"<p>The quay held.<sup><a href='{BASE}#n1' id=r1>1</a></sup> It stands.</p>"
            f"<p id=n1><a href='{BASE}#r1'>1</a> Until 1820.</p>",
            id="with the address of the page",
        ),
        pytest.param(
            "<p>The quay held.<sup><a href=#n1>*</a></sup> It stands.</p><div id=n1>* Until 1820.</div>",
            id="a star",
        ),
    ],
)
def test_a_note_is_told_where_it_stands(html: str) -> None:
    assert markdown(html) == TOLD


NOTES = (
    "<ol><li id=a><p>Until 1820.</p><p>Or 1821.</p></li><li id=b><a href=/m>The map</a></li></ol>"
)


def test_all_of_a_note_is_indented_and_links_stay() -> None:
    marks = (
        "<p>Held<sup><a href=#a>1</a>,<a href=#b>2</a></sup>, again<sup><a href=#a>1</a></sup></p>"
    )

    assert markdown(f"{marks}{NOTES}<p>After.</p>") == (
        "Held[^1],[^2], again[^1]\n\n[^1]: Until 1820.\n\n    Or 1821.\n\n"
        "[^2]: [The map](https://example.com/m)\n\nAfter."
    )


def test_notes_that_are_numbered_alike_get_numbers_of_their_own() -> None:
    html = (
        "<p>One<sup><a href=#a>1</a></sup></p><p id=a>1) first</p>"
        "<p>Two<sup><a href=#b>1</a></sup></p><p id=b>1) other</p>"
    )

    assert markdown(html) == "One[^1]\n\n[^1]: first\n\nTwo[^2]\n\n[^2]: other"


def test_a_note_may_point_at_another() -> None:
    html = (
        "<p>One<sup><a href=#a>a</a></sup></p><ul><li id=a>So it is.<sup><a href=#b>1</a></sup></li>"
        "</ul><ol><li id=b>See there.</li></ol>"
    )

    assert markdown(html) == "One[^2]\n\n[^2]: So it is.[^1]\n[^1]: See there."


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p>Held<sup><a href=#gone>1</a></sup></p>", id="no note"),
        pytest.param("<h2 id=a>Notes</h2><p>Held<sup><a href=#a>1</a></sup></p>", id="a heading"),
        pytest.param("<p id=a>1. Up</p><p>Held<sup><a href=#a>1</a></sup></p>", id="a note before"),
        pytest.param(
            "<p>Held<sup><a href=#a>1</a></sup> on<sup><a href=#a>2</a></sup></p><div id=a>Terms</div>",
            id="many marks, one place",
        ),
        pytest.param(
            "<p id=r>Held<sup><a href=#a>1</a></sup></p><p id=a><a href=#r>↩</a></p>",
            id="an empty note",
        ),
        pytest.param(
            f"<p>Held<sup><a href=#a>1</a></sup></p><div id=a>{'stone ' * 1_000}</div>",
            id="a long one",
        ),
        pytest.param("<p>Held <a href=#a>more</a></p><p id=a>The rest</p>", id="a plain link"),
        pytest.param("<p>Held<sup><a href=#a>as told</a></sup></p><p id=a>Tale</p>", id="words"),
    ],
)
def test_marks_without_a_note_stay_as_they_are(html: str) -> None:
    told = markdown(html)

    assert "Held" in told
    assert "[^" not in told


def test_signs_of_the_page_itself_stay() -> None:
    assert (
        markdown("<p>An icon \ue001 and \ue0011 \ue001</p>") == "An icon \ue001 and \ue0011 \ue001"
    )


def test_a_note_of_an_article_that_is_kept_is_told() -> None:
    text = (
        "<p>It was built of oak<sup><a href=#fn1>1</a></sup> and of stone from the hills beyond.</p>"
        "<p id=fn1>1. Oak from the woods of the bishop, cut in the winter before the works began.</p>"
    )

    content = page(article(text)).content

    assert "built of oak[^1] and of stone" in content
    assert "\n\n[^1]: Oak from the woods of the bishop, cut in the winter before" in content


def test_notes_stay_under_their_heading() -> None:
    notes = "<section><h2>Notes</h2><ol><li id=n1>Until 1820.</ol></section>"
    html = f"<p>It held.<sup><a href=#n1>1</a></sup></p>{notes}<h2>Later</h2><p>Gone.</p>"

    assert markdown(html) == "It held.[^1]\n\n## Notes\n\n[^1]: Until 1820.\n\n## Later\n\nGone."


def test_a_mark_that_spells_out_the_name_of_its_page_points_at_the_note() -> None:
    html = (
        "<p>Dug<a href='#ftn.a'><sup id=a>[a]</sup></a> and laid"
        "<a href='page.html#ftn.a'><sup>[a]</sup></a>.</p>"
        "<div class=footnotes><div id=ftn.a><p><a href='#a'><sup>[a]</sup></a> By hand.</p></div></div>"
    )

    content = page(article(html)).content

    assert "Dug[^1] and laid[^1]." in content
    assert "[^1]: By hand." in content


def test_emphasis_right_before_a_mark_holds() -> None:
    html = "<p>They asked <em>why?</em><sup><a href=#n1>1</a></sup> then.</p><ol><li id=n1>So.</li></ol>"

    assert markdown(html) == "They asked *why?*[^1] then.\n\n[^1]: So."


@pytest.mark.parametrize(
    ("notes", "kept"),
    [
        ("<ol><li id=n1>Until 1820.</li><li id=n2>Or so.</li></ol>", [True, False]),
        ("<h5>Stones <a id=n1>above</a></h5><p>Until 1820.</p>", [False, False]),
        ("<div><sup><a href=#n3>3</a></sup></div><p id=n3>Or so.</p>", [False, False]),
    ],
)
def test_a_manual_keeps_the_notes_of_what_it_keeps(notes: str, kept: list[bool]) -> None:
    html = f"<body><p>The quay held.<sup><a href=#n1>1</a></sup></p>{notes}</body>"
    body = parse(html, positions=False).find("body")
    assert body is not None
    chosen = [True, *[False] * len(kept)]

    keep_notes(segment_page(body), chosen)

    assert chosen == [True, *kept]
