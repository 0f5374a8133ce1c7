"""The words of a file: each is in the content or in one kind of what is left out, once."""

import json
import struct
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, strategies as st

from tests.features.documents import (
    binary_workbooks,
    build,
    containers,
    slide_files,
    word_files,
    workbooks,
)
from tests.features.documents.read import page
from webseam.adapters.features.documents.formats.document import PACKAGE_READERS, READERS
from webseam.ports.pages import ReadPage
from webseam.ports.words import count_words

# Letters that no number, date or name of a code begins with.
WORDS = st.lists(st.text("bdfgklmnprstvz", min_size=6, max_size=9), min_size=1, max_size=5)
DISTINCT = st.tuples(WORDS, WORDS).filter(
    lambda pair: len({*pair[0], *pair[1]}) == len(pair[0] + pair[1])
)
Build = Callable[[list[str]], bytes]
BuildWithUnseen = Callable[[list[str], list[str]], bytes]


def each(template: str, words: Iterable[str], between: str = "") -> str:
    return between.join(template.replace("WORD", word) for word in words)


def notebook(words: list[str], printed: str = "") -> bytes:
    outputs = [{"output_type": "stream", "text": printed}] if printed else []
    cells = [{"cell_type": "code", "source": "\n".join(words), "outputs": outputs}]
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}).encode()


def mail(words: list[str], html: str = "") -> bytes:
    kind, text = ("text/html", html) if html else ("text/plain", "\n".join(words))
    head = f"From: a@e.org\nDate: Mon, 4 Mar 2024 10:00:00 +0000\nContent-Type: {kind}\n"
    return f"{head}\n{text}\n".encode()


def mailbox(messages: Iterable[bytes]) -> bytes:
    return b"".join(b"From a@e.org Mon Mar  4 10:00:00 2024\n%s\n" % body for body in messages)


def workbook_xls(words: list[str], rows: bytes = b"") -> bytes:
    cells = [
        workbooks.record(0x204, workbooks.place(number, 0) + workbooks.text(word))
        for number, word in enumerate(words)
    ]
    return workbooks.workbook({"A": rows + b"".join(cells)})


def workbook_xlsb(words: list[str], hidden: int = 0) -> bytes:
    rows = b""
    for number, word in enumerate(words):
        flags = b"\0\x10" if number < hidden else b"\0\0"
        rows += binary_workbooks.record(0, struct.pack("<IIH", number, 0, 0) + flags + b"\0" * 5)
        rows += binary_workbooks.cell(6, 0, binary_workbooks.text(word))
    return binary_workbooks.xlsb({"A": rows})


def deck(words: list[str]) -> bytes:
    shapes = [slide_files.shape(slide_files.text(word)) for word in words]
    return slide_files.deck(slide_files.slide(*shapes))


XLSX_ROW = '<row{}><c t="inlineStr"><is><t>WORD</t></is></c></row>'
XML = "<?xml version='1.0'?>"
FEED = "<rss version='2.0'><channel><title>t</title>{}</channel></rss>"

SHOWN: dict[str, tuple[str, Build]] = {
    "archive": ("", lambda words: containers.tar(dict.fromkeys(words, b"x"))),
    "article": (
        "text/xml",
        lambda words: (
            f"{XML}<article article-type='x'><front/><body>{each('<p>WORD</p>', words)}</body></article>".encode()
        ),
    ),
    "book": (
        "",
        lambda words: (
            f"{XML}<book xmlns='http://docbook.org/ns/docbook'>"
            f"<chapter>{each('<para>WORD</para>', words)}</chapter></book>"
        ).encode(),
    ),
    "code": ("text/css", lambda words: each(".WORD {}", words, "\n").encode()),
    "csv": ("text/csv", lambda words: each("WORD,1", words, "\n").encode()),
    "doc": ("", lambda words: word_files.word(*words)),
    "docx": ("", lambda words: build.docx(each(build.paragraph("WORD"), words))),
    "epub": ("", lambda words: containers.epub([each("<p>WORD</p>", words)])),
    "feed": (
        "",
        lambda words: (XML + FEED.format(each("<item><title>WORD</title></item>", words))).encode(),
    ),
    "json": ("application/json", lambda words: json.dumps(words).encode()),
    "mail": ("message/rfc822", mail),
    "mailbox": ("application/mbox", lambda words: mailbox(mail([word]) for word in [*words, "x"])),
    "markdown": ("text/markdown", lambda words: "\n\n".join(words).encode()),
    "notebook": ("application/x-ipynb+json", notebook),
    "odp": (
        "",
        lambda words: containers.open_document(
            "presentation",
            f"<draw:page>{each('<draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame>', words)}</draw:page>",
        ),
    ),
    "ods": (
        "",
        lambda words: containers.open_document(
            "spreadsheet",
            f"<table:table table:name='A'>{each('<table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row>', words)}</table:table>",
        ),
    ),
    "odt": (
        "",
        lambda words: containers.open_document("text", each("<text:p>WORD</text:p>", words)),
    ),
    "outlook": ("", lambda words: containers.outlook({"0037": "x", "1000": "\n".join(words)})),
    "pdf": ("", build.pdf),
    "ppt": ("", deck),
    "pptx": ("", lambda words: build.pptx([build.shape(*words)])),
    "rtf": ("", lambda words: f"{{\\rtf1 {each('WORD', words, chr(92) + 'par ')}\\par}}".encode()),
    "subtitles": (
        "text/vtt",
        lambda words: ("WEBVTT\n\n" + each("00:01.000 --> 00:02.000\nWORD\n\n", words)).encode(),
    ),
    "text": ("text/plain", lambda words: "\n".join(words).encode()),
    "xls": ("", workbook_xls),
    "xlsb": ("", workbook_xlsb),
    "xlsx": ("", lambda words: build.xlsx({"A": each(XLSX_ROW.format(""), words)})),
    "xml": ("application/xml", lambda words: f"{XML}<a>{each('<b>WORD</b>', words)}</a>".encode()),
}

HIDDEN_HTML = "<p>{}</p><div style='display:none'><p>{}</p></div>"


def html(shown: list[str], unseen: list[str]) -> str:
    return HIDDEN_HTML.format(" ".join(shown), " ".join(unseen))


def docx_run(words: list[str], properties: str) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{' '.join(words)}</w:t></w:r>"


def hidden_row(shown: list[str], unseen: list[str]) -> bytes:
    record = workbooks.record
    rows = [
        record(0x208, struct.pack("<8H", number, 0, 1, 0, 0, 0, 0x20, 0))
        for number in range(len(unseen))
    ]
    return workbook_xls([*unseen, *shown], b"".join(rows))


def hidden_doc(shown: list[str], unseen: list[str]) -> bytes:
    text = " ".join(unseen)
    paragraphs = [(f"{' '.join(shown)} {text}\r", word_files.PLAIN)]
    streams = word_files.word_streams(paragraphs, letters={text: b"\x3c\x08\x01"})
    return containers.compound(streams)


def hidden_pdf(shown: list[str], unseen: list[str]) -> bytes:
    # The text goes on in white.
    return build.pdf([f"{' '.join(shown)}) Tj 1 g 0 -40 Td ({' '.join(unseen)}"])


def hidden_slide(shown: list[str], unseen: list[str]) -> bytes:
    hidden = build.shape(" ".join(unseen)).replace(
        "<p:sp>", "<p:sp><p:nvSpPr><p:cNvPr hidden='1'/></p:nvSpPr>"
    )
    return build.pptx([build.shape(*shown) + hidden])


ODF_HIDDEN_STYLE = "<style:style style:name='G' style:family='text'><style:text-properties text:display='none'/></style:style>"
ODS_ROW = "<table:table-row table:visibility='{}'><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row>"

# Files with words that their viewer does not see, or that a cap of a part of them cuts.
UNSEEN: dict[str, tuple[str, str, BuildWithUnseen]] = {
    "doc": ("hidden", "", hidden_doc),
    "docx": (
        "hidden",
        "",
        lambda shown, unseen: build.docx(
            f"<w:p>{docx_run(shown, '')}{docx_run(unseen, '<w:vanish/>')}</w:p>"
        ),
    ),
    "docx with deletions": (
        "hidden",
        "",
        lambda shown, unseen: build.docx(
            f"<w:p>{docx_run(shown, '')}<w:del><w:r><w:delText>{' '.join(unseen)}</w:delText></w:r></w:del></w:p>"
        ),
    ),
    "epub": ("hidden", "", lambda shown, unseen: containers.epub([html(shown, unseen)])),
    "feed": (
        "hidden",
        "",
        lambda shown, unseen: (
            XML
            + FEED.format(
                f"<item><title>t</title><description><![CDATA[{html(shown, unseen)}{'<br>' * 300}]]></description></item>"
            )
        ).encode(),
    ),
    "mail": ("hidden", "message/rfc822", lambda shown, unseen: mail([], html(shown, unseen))),
    "mailbox": (
        "hidden",
        "application/mbox",
        lambda shown, unseen: mailbox([mail([], html(shown, unseen)), mail(["x"])]),
    ),
    "notebook": (
        "truncated",
        "application/x-ipynb+json",
        lambda shown, unseen: notebook(shown, f"{'-' * 4998}\n{' '.join(unseen)}"),
    ),
    "ods": (
        "hidden",
        "",
        lambda shown, unseen: containers.open_document(
            "spreadsheet",
            f"<table:table table:name='A'>{each(ODS_ROW.format('collapse'), unseen)}{each(ODS_ROW.format('visible'), shown)}</table:table>",
        ),
    ),
    "odt": (
        "hidden",
        "",
        lambda shown, unseen: containers.open_document(
            "text",
            f"<text:p>{' '.join(shown)} <text:span text:style-name='G'>{' '.join(unseen)}</text:span></text:p>",
            ODF_HIDDEN_STYLE,
        ),
    ),
    "odt with deletions": (
        "hidden",
        "",
        lambda shown, unseen: containers.open_document(
            "text",
            "<text:tracked-changes><text:changed-region><text:deletion>"
            f"<text:p>{' '.join(unseen)}</text:p></text:deletion></text:changed-region></text:tracked-changes>"
            f"<text:p>{' '.join(shown)}</text:p>",
        ),
    ),
    "outlook": (
        "hidden",
        "",
        lambda shown, unseen: containers.outlook({"0037": "x", "1013": html(shown, unseen)}),
    ),
    "pdf": ("hidden", "", hidden_pdf),
    "pptx": ("hidden", "", hidden_slide),
    "rtf": (
        "hidden",
        "",
        lambda shown, unseen: (
            f"{{\\rtf1 {' '.join(shown)} {{\\v {' '.join(unseen)}}}\\par}}".encode()
        ),
    ),
    "rtf with deletions": (
        "hidden",
        "",
        lambda shown, unseen: (
            f"{{\\rtf1 {' '.join(shown)} {{\\deleted {' '.join(unseen)}}}\\par}}".encode()
        ),
    ),
    "xls": ("hidden", "", hidden_row),
    "xlsb": (
        "hidden",
        "",
        lambda shown, unseen: workbook_xlsb([*unseen, *shown], hidden=len(unseen)),
    ),
    "xlsx": (
        "hidden",
        "",
        lambda shown, unseen: build.xlsx(
            {"A": each(XLSX_ROW.format(" hidden='1'"), unseen) + each(XLSX_ROW.format(""), shown)}
        ),
    ),
}


def times(text: str, words: list[str]) -> list[int]:
    """How often each word stands in a text as a word."""
    letters = "".join(letter if letter.isalpha() else " " for letter in text).split()
    return [letters.count(word) for word in words]


def test_every_declared_format_has_a_file_with_words() -> None:
    assert {*SHOWN} == {*READERS, *PACKAGE_READERS}


@pytest.mark.parametrize("kind", SHOWN)
@given(words=WORDS.filter(lambda words: len({*words}) == len(words)))
def test_every_word_of_a_file_is_in_its_content_once(kind: str, words: list[str]) -> None:
    content_type, make = SHOWN[kind]
    document: ReadPage = page(make(words), content_type, "https://e.org/a")

    assert document.kind == kind
    assert times(document.content, words) == [1] * len(words)
    assert (document.left_out, document.parts) == ((), ())
    assert (document.complete, document.cuts) == (True, ())


@pytest.mark.parametrize("name", UNSEEN)
@given(pair=DISTINCT)
def test_words_that_a_file_does_not_show_are_told_once(
    name: str, pair: tuple[list[str], list[str]]
) -> None:
    shown, unseen = pair
    kind, content_type, make = UNSEEN[name]
    document: ReadPage = page(make(shown, unseen), content_type, "https://e.org/a")

    assert times(document.content, shown) == [1] * len(shown)
    assert times(document.content, unseen) == [0] * len(unseen)
    (part,) = document.parts
    assert (part.kind, times(part.text, unseen)) == (kind, [1] * len(unseen))
    assert [(entry.kind, entry.words) for entry in document.left_out] == [(kind, len(unseen))]
    assert count_words(part.text) == len(unseen)
    assert document.complete is not bool(document.cuts)
