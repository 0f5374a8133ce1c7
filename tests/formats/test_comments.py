"""What reviewers wrote beside cells, pages and paragraphs."""

from tests.formats import build
from tests.formats.build import xlsx
from tests.formats.read import page

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
