"""Documents whose XML is broken: what can be told is, and the notes say that it is not all."""

import pytest

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph, pptx, shape, xlsx
from tests.features.documents.containers import open_document
from tests.features.documents.read import error, page
from webseam.ports.errors import ParseFailed

NOTE = "it is damaged: some of it may be missing"
AFTER = paragraph("after")
HEADING = "<w:pPr><w:pStyle w:val='Heading1'/></w:pPr>"
PICTURE = '<w:drawing><wp:inline><wp:docPr descr="tea &amp; milk"/></wp:inline></w:drawing>'


@pytest.mark.parametrize(
    ("broken", "content"),
    [
        ("<w:p><w:r><w:rPr><w:b/ ></w:rPr><w:t>bold</w:t></w:r></w:p>", "**bold**"),
        (paragraph("a\x0bb"), "a\nb"),
        (paragraph("a&nbsp;b &amp; c & d"), "a\xa0b & c & d"),
        ("<w:p><x:r><w:t>a</w:t></x:r></w:p>", "a"),
        ("<w:p><w:r><w:t a='1' a='2'>a</w:t></w:r></w:p>", "a"),
        ("<w:p><w:r><w:t>a</w:i></w:t></w:r></w:p>", "a"),
        ("<w:p><w:r><w:t>a</w:i>b</w:t></w:r></w:p>", "ab"),
        ("<w:p><w:r><w:t>a</w:r></w:p>", "a"),
        (f"<w:p><w:b/ ></w:p><w:p>{HEADING}<w:r><w:t>a</w:t></w:r></w:p>", "# a"),
        (f"<w:p><w:b/ ></w:p><w:p><w:r>{PICTURE}</w:r></w:p>", "[IMAGE: tea & milk]"),
        ("<w:p><w:r><w:t>a</w:t></w:r></w:p></w:q>", "a"),
        ("<w:p><w:r><w:t>a <1</w:t></w:r></w:p>", "a"),
    ],
)
def test_a_document_is_read_on_behind_what_is_broken(broken: str, content: str) -> None:
    read = page(docx(paragraph("before") + broken + AFTER))

    assert (read.content, read.notes[-1:]) == (f"before\n\n{content}\n\nafter", (NOTE,))


def test_broken_xml_behind_much_text_is_noted() -> None:
    good = 3000

    read = page(docx(paragraph("x" * 80) * good + "<w:p><w:b/ ><w:r><w:t>y</w:t></w:r></w:p>"))

    assert (read.content.count("x" * 80), read.content[-1], read.notes) == (good, "y", (NOTE,))


@pytest.mark.parametrize("broken", ["<w:b/ ><{}", "<w:b/ ><w:b {}>", "<w:b/ ><w:b {}"])
def test_a_name_as_long_as_the_file_is_looked_at_once(broken: str) -> None:
    # Looked at from each of its letters, or to each length that a name may have, it takes minutes.
    read = page(docx(paragraph("before") + broken.format("a" * 8_000_000)))

    assert (read.content, read.notes) == ("before", (NOTE,))


def test_a_part_that_is_not_ended_or_cannot_be_unpacked_is_read_so_far() -> None:
    body = "<w:document xmlns:w='w'><w:body>" + paragraph("one") + "<w:p><w:r><w:t>two"
    packed = bytearray(docx("".join(paragraph(f"{number} words") for number in range(9000))))
    packed[packed.index(b"PK\x01\x02") - 50] ^= 0xFF

    unended = page(build.zipped({"word/document.xml": body}))
    spoilt = page(bytes(packed))

    assert (unended.content, unended.notes) == ("one\n\ntwo", (NOTE,))
    assert spoilt.content.startswith("0 words\n\n1 words\n\n2 words")
    assert spoilt.notes == (NOTE,)


def test_a_broken_part_beside_the_text_takes_nothing_from_it() -> None:
    parts = {
        "word/styles.xml": "<w:styles",
        "word/_rels/document.xml.rels": "<Relationships><Relationship Id=",
        "docProps/core.xml": "<a><b></a>",
    }

    read = page(docx(paragraph("words"), parts))

    assert (read.content, read.notes) == ("words", (NOTE,))


@pytest.mark.parametrize("encoding", ["UTs-8", "Shift_JIS"])
def test_an_encoding_that_the_parser_does_not_take_is_passed_over(encoding: str) -> None:
    body = (
        f"<?xml version='1.0' encoding='{encoding}'?><w:document xmlns:w='w'>{AFTER}</w:document>"
    )

    assert page(build.zipped({"word/document.xml": body})).content == "after"


def test_slides_and_open_documents_are_read_on_too() -> None:
    slides = page(pptx([shape("a\x1fb"), shape("c")]))
    text = page(open_document("text", "<text:p>a<text:tab/ >b</text:p><text:p>c</text:p>"))

    assert slides.content == "## Slide 1\n\n- a b\n\n## Slide 2\n\n- c"
    assert text.content == "a\tb\n\nc"
    assert NOTE in slides.notes
    assert NOTE in text.notes


def test_a_sheet_is_read_until_it_is_broken_and_the_next_one_too() -> None:
    row = '<row><c t="str"><v>{0}</v></c></row>'
    one = row.format("head") + row.format("a") + "<row><c/ ></row>"

    read = page(xlsx({"One": one, "Two": row.format("b")}))

    assert read.content == "## One\n\n| head |\n| --- |\n| a |\n\n## Two\n\n| b |\n| --- |"
    assert NOTE in read.notes


def test_broken_xml_without_text_is_corrupt() -> None:
    corrupt = ParseFailed(reason="corrupt", detail="it is not a whole docx file")

    assert error(docx("<w:p><w:b/ ></w:p>")) == corrupt
