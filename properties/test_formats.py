"""Documents: any bytes give a result, and no content hides, loads or leaves its frame."""

import gzip
import re

import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result

from tests.features.documents import (
    build,
    containers,
    flat_files,
    slide_files,
    word_files,
    workbooks,
)
from tests.features.documents.read import read
from webseam.adapters.features.documents.formats.markdown_writing import (
    code_block,
    markdown_table_row,
)
from webseam.ports.pages import ReadPage
from webseam.ports.text import disarm_pictures

TYPES = (
    "text/plain",
    "text/markdown",
    "text/csv",
    "application/json",
    "application/xml",
    "application/rss+xml",
    "application/x-ipynb+json",
    "application/pdf",
    "text/css",
    "text/rtf",
    "text/vtt",
    "message/rfc822",
    "multipart/related",
    "application/vnd.ms-outlook",
    "application/msword",
    "application/vnd.ms-powerpoint",
    "application/gzip",
    "application/mbox",
    "text/calendar",
    "application/ttml+xml",
    "",
)
HIDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2064\U000e0000-\U000e007f]"
)
LIVE = re.compile(r"(?<!\\)!\[")
MARKS = (
    "![a](b)",
    "<!--",
    "-->",
    "```",
    "~~~\n",
    "|",
    "\n",
    ",",
    ";",
    '"',
    "<img src=x>",
    "# ",
    "\u202e",
    "{\\rtf1",
    "}",
    "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt ",
    "\\u9731?",
    "\\'e9",
    "\\cell\\row\\par ",
    "00:01.000 --> 00:02.000\n",
    "WEBVTT\n\n",
    "Content-Type: multipart/mixed; boundary=x\n\n--x\n",
    "Subject: =?utf-7?q?+ADw-?=\n",
    "BEGIN:VCARD\n",
    "END:VCARD\n",
    "\nNOTE;ENCODING=QUOTED-PRINTABLE:=e9",
    "From a 10:00 2024\nSubject: x\n\n",
    "[Script Info]\nDialogue: 0,0:00:01,0:00:02,,,,,,,",
    "<opml><outline text='",
    "<kml><Placemark><name>",
    "\u2028",
    "\x0b",
)
PACKED = {
    "docx": build.docx(build.paragraph("x")),
    "xlsx": build.xlsx({"S": "<row><c><v>1</v></c></row>"}),
    "pptx": build.pptx([build.shape("x")]),
    "epub": containers.epub(["<p>x"]),
    "odt": containers.open_document("text", "<text:p>x</text:p>"),
    "outlook": containers.outlook({"0037": "x", "1000": "words"}, {"a": b"x"}),
    "xls": workbooks.simple("x"),
    "doc": word_files.word("one", "two"),
    "ppt": slide_files.deck(
        slide_files.slide(slide_files.shape(slide_files.text("x", 1, [(1, 1)])))
    ),
    "gz": gzip.compress(b"a,b\n" * 9, mtime=0),
    "tar": containers.tar({"a": b"x"}),
    "flat odt": flat_files.flat_odf(
        "text", "<office:text><text:p>x</text:p></office:text>"
    ).encode(),
    "Word 2003": flat_files.word_2003(flat_files.said("x")).encode(),
    "Excel 2003": flat_files.book_2003(flat_files.worksheet(flat_files.cells("x"))).encode(),
    "DocBook": b"<?xml version='1.0'?><book xmlns='http://docbook.org/ns/docbook'><title>x</title></book>",
    "tar.gz": containers.tar({"a": b"x"}, "gz"),
}


def soups() -> st.SearchStrategy[str]:
    """Texts with pieces that mean something to a format."""
    return st.lists(st.sampled_from(MARKS) | st.text(max_size=10), max_size=20).map("".join)


def content_of(found: Result[ReadPage, object]) -> str:
    return "" if isinstance(found, Failure) else found.unwrap().content


@pytest.mark.parametrize("content_type", TYPES)
@given(body=st.binary(max_size=500) | soups().map(lambda text: text.encode("utf-8", "replace")))
@example(body=b"[" * 100_000)
@example(body=b"%PDF-1.7\n1 0 obj")
@example(body=b'{"cells": [], "nbformat": 4}')
@example(body=b"\xff\xfe\x00")
def test_any_bytes_of_any_type_give_a_result(content_type: str, body: bytes) -> None:
    assert isinstance(read(body, content_type, "https://e.org/a"), Result)


@pytest.mark.parametrize("content_type", TYPES)
@given(text=soups())
def test_nothing_in_a_content_hides(content_type: str, text: str) -> None:
    content = content_of(read(text.encode("utf-8", "replace"), content_type))

    assert not HIDING.search(content)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "text/csv",
        "application/rss+xml",
        "text/rtf",
        "text/vtt",
        "message/rfc822",
        "text/calendar",
        "application/mbox",
    ],
)
@given(text=soups())
def test_no_picture_is_live(content_type: str, text: str) -> None:
    content = content_of(read(text.encode("utf-8", "replace"), content_type))

    assert content.startswith("```") or not LIVE.search(content)


@pytest.mark.parametrize("whole", PACKED.values(), ids=PACKED)
@given(place=st.integers(0, 12_000), byte=st.integers(0, 255), length=st.integers(0, 12_000))
def test_a_damaged_document_gives_a_result(
    whole: bytes, place: int, byte: int, length: int
) -> None:
    damaged = bytearray(whole)
    damaged[place % len(damaged)] = byte

    assert isinstance(read(bytes(damaged[: max(1, length)])), Result)


@given(text=soups())
@example(text="{\\rtf1 " + "{" * 5000 + "x")
@example(text="{\\rtf1 }}}}x")
@example(text="{\\rtf1 {\\fldrslt a}{\\listtext}{\\footnote b}\\u-10179?x")
@example(text="{\\rtf1\\bin99999999 x")
def test_any_rich_text_gives_a_result(text: str) -> None:
    assert isinstance(read(f"{{\\rtf1 {text}".encode("utf-8", "replace")), Result)


@given(text=soups())
def test_a_fence_holds_what_is_in_it(text: str) -> None:
    block = code_block(text)
    fence = block.partition("\n")[0]

    assert fence not in text
    assert block.count(fence) == 2


@given(cells=st.lists(soups(), min_size=1, max_size=5))
def test_a_row_is_one_line_with_as_many_cells_as_it_was_given(cells: list[str]) -> None:
    line = markdown_table_row(cells)

    assert line.splitlines() == [line]
    assert len(re.findall(r"(?<!\\)\|", line)) == len(cells) + 1


@given(text=soups())
def test_taming_twice_is_taming_once(text: str) -> None:
    assert disarm_pictures(disarm_pictures(text)) == disarm_pictures(text)
