"""What reviewers wrote beside cells, pages and paragraphs."""

from tests.features.documents import build
from tests.features.documents.build import raw_pdf, xlsx
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent

CELL = '<row><c r="A1" t="str"><v>x</v></c></row>'


def noted(*notes: tuple[str, int, str], authors: tuple[str, ...] = ("Ann", "tc={1}")) -> str:
    listed = "".join(f"<author>{author}</author>" for author in authors)
    said = "".join(
        f'<comment ref="{ref}" authorId="{author}"><text><r><t>{text}</t></r><r><t>!</t></r>'
        "<rPh><t></t></rPh></text></comment>"
        for ref, author, text in notes
    )
    return f"<comments><authors>{listed}</authors><commentList>{said}</commentList></comments>"


def commented(targets: dict[str, str], parts: dict[str, str]) -> str:
    rels = build.relations("xl/worksheets/s0.xml", targets)
    return page(xlsx({"Plan": CELL, "Next": CELL}, {**rels, **parts})).content


def test_notes_on_cells_follow_their_sheet() -> None:
    notes = noted(("B2", 0, "Ann:\nWhich"), ("C3", 7, "Odd"), ("D4", 0, ""))
    notes = notes.replace("<r><t></t></r><r><t>!</t></r>", "")

    content = commented({"c": "../comments1.xml"}, {"xl/comments1.xml": notes})

    assert content == (
        "## Plan\n\n| x |\n| --- |\n\nComments:\n\n- Ann on “B2”: Which!\n- on “C3”: Odd!\n\n"
        "## Next\n\n| x |\n| --- |"
    )


def test_threads_are_told_once_with_who_answered() -> None:
    thread = "".join(
        f'<threadedComment ref="A1" personId="{{{person}}}"><text>{text}</text></threadedComment>'
        for person, text in (("a", "Why?"), ("b", "So."), ("c", ""))
    )
    parts = {
        "xl/comments/comment1.xml": noted(("A1", 1, "[Threaded comment] Your version of Excel")),
        "xl/threadedComments/threadedComment1.xml": f"<ThreadedComments>{thread}</ThreadedComments>",
        "xl/persons/person.xml": '<personList><person displayName="Bo" id="{a}"/></personList>',
    }
    targets = {
        "c": "/xl/comments/comment1.xml",
        "t": "../threadedComments/threadedComment1.xml",
        "d": "../drawings/vmlDrawing1.vml",
    }

    content = commented(targets, parts)

    assert "x |\n| --- |\n\nComments:\n\n- Bo on “A1”: Why?\n- on “A1”: So.\n\n## Next" in content


def test_a_workbook_shows_so_many_comments_and_no_more() -> None:
    notes = noted(*[(f"A{row}", 0, "x") for row in range(1, 700)])

    content = commented(
        {"c": "../comments1.xml", "d": "../comments2.xml"},
        {"xl/comments1.xml": notes, "xl/comments2.xml": notes},
    )

    assert content.count("- Ann on") == 500


def annotated(text: str, *annotations: str) -> bytes:
    """A PDF of a page of one line, with these annotations."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
    look = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
    first = 6
    kids = " ".join(f"{first + place} 0 R" for place in range(len(annotations)))
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Page /Parent 2 0 R {look} /Contents 5 0 R /Annots [{kids}] >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
            *(f"<< /Type /Annot /Rect [72 700 300 740] {one} >>" for one in annotations),
        ]
    )


QUAD = "72 734 122 734 72 716 122 716 "
MARKED = f"/QuadPoints [{QUAD}]"


def test_notes_and_marked_words_follow_their_page() -> None:
    body = annotated(
        "Tides rise every day.",
        f"/Subtype /Highlight {MARKED} /T (Ann) /Contents (Which?)",
        "/Subtype /Text /T <FEFF00C4> /Contents (See below.\\rSo.)",
        f"/Subtype /StrikeOut {MARKED} /T (Bo) /Contents ()",
        "/Subtype /Text /T (Bo) /Contents (Accepted set by Bo) /StateModel (Review)",
        "/Subtype /Text /F 2 /Contents (hidden)",
        "/Subtype /Popup /Contents (See below.)",
        "/Subtype /Link /Contents (a link)",
    )

    assert page(body).content == (
        "## Page 1\n\nTides rise every day.\n\nComments:\n\n"
        "- Ann on “Tides rise”: Which?\n- Ä: See below. So."
    )


def test_a_scan_with_comments_is_still_empty() -> None:
    body = annotated("", "/Subtype /Text /T (Ann) /Contents (Which?)")

    assert error(body) == EmptyContent(reason="no_text")


def test_a_pdf_shows_so_many_comments_and_no_more() -> None:
    body = annotated("Tides.", *["/Subtype /Text /T (Ann) /Contents (x)"] * 700)

    assert page(body).content.count("- Ann: x") == 500


def test_words_that_are_marked_too_often_are_not_looked_up() -> None:
    marked = f"/Subtype /Highlight /QuadPoints [{QUAD * 20}] /T (Ann) /Contents (x)"

    content = page(annotated("Tides rise. " * 40_000, *[marked] * 300)).content

    assert 0 < content.count("- Ann: x") < content.count("- Ann") == 300
