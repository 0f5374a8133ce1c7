"""What a body is: its bytes first, then its type, then its name."""

import codecs
import mimetypes
import random

import pytest
from returns.result import Failure

from tests.features.documents.build import docx, paragraph, pdf, pptx, shape, xlsx, zipped
from tests.features.documents.containers import compound, epub, open_document, outlook, tar
from tests.features.documents.read import error, page, read
from webseam.adapters.features.documents.formats.document import PACKAGE_READERS, READERS
from webseam.adapters.pages.detection import MEDIA, media_type_of_name
from webseam.ports.errors import EmptyContent, ParseFailed, UnsupportedContent

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
HTML = b"<!doctype html><title>T</title><p>words"
OFFICE = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("body", "content_type", "url", "kind"),
    [
        (pdf(["x"]), "text/html", "", "pdf"),
        (pdf(["x"]), "application/octet-stream", "", "pdf"),
        (b"\xef\xbb\xbf\n" + pdf(["x"]), "", "", "pdf"),
        (docx(paragraph("x")), "application/zip", "", "docx"),
        (xlsx({"s": '<row><c t="str"><v>x</v></c></row>'}), "text/plain", "", "xlsx"),
        (pptx([shape("x")]), "", "", "pptx"),
        ("x", "text/plain", "", "text"),
        ("x", "text/x-unheard-of", "", "text"),
        ("x", "TEXT/Markdown; charset=utf-8", "", "markdown"),
        ("x", "text/plain", "https://e.org/README.md", "markdown"),
        ("x", "text/plain", "https://e.org/a.md?raw=1#x", "markdown"),
        ("x", "application/octet-stream", "https://e.org/notes.txt", "text"),
        ("x", "binary/octet-stream", "https://e.org/notes.rs", "code"),
        ("x", "text/plain", "https://e.org/page.html", "text"),
        ("x", "text/plain", "https://e.org/.md", "text"),
        ("x", "text/plain", "https://[bad/a.md", "text"),
        ("{}", "application/json", "", "json"),
        ("{}", "application/ld+json", "https://e.org/a.csv", "json"),
        ("{}", "", "", "json"),
        ("[1]", "", "", "json"),
        ("<r/>", "application/soap+xml", "", "xml"),
        ("<r/>", "", "", "xml"),
        ("words", "", "", "text"),
        ("a,b", "text/csv", "", "csv"),
        ("a: 1", "application/yaml", "", "code"),
        ("key = 1", "text/plain", "https://e.org/a.toml", "code"),
        (rb"{\rtf1 Hello}", "text/html", "", "rtf"),
        (zipped({"a.txt": "x"}), "", "", "archive"),
        (tar({"a.txt": b"x"}, "gz"), "application/gzip", "", "archive"),
        ("a\tb\n1\t2\n", "application/vnd.ms-excel", "", "csv"),
        ("plain words", "", "https://e.org/a.doc", "text"),
        ("plain words", "", "https://e.org/a.msg", "text"),
        (
            "Authentication-Results: x\nSender: a\nSubject: c\n\nx",
            "",
            "https://e.org/a.msg",
            "mail",
        ),
        ('"a\x0bb",c\nd,e\n', "text/csv", "", "csv"),
        ("<?xml version='1.0'?><Workbook/>", "", "https://e.org/a.xls", "xml"),
        (epub(["<p>x"]), "application/octet-stream", "", "epub"),
        (epub(["<p>x"]), "text/html", "", "epub"),
        (open_document("text", "<text:p>x</text:p>"), "", "", "odt"),
        (outlook({"1000": "x"}), "application/octet-stream", "", "outlook"),
        ("From: a\nTo: b\nSubject: c\n\nx", "", "", "mail"),
        ("Subject: c\n\nx", "message/rfc822", "", "mail"),
        ("Subject: c\n\nx", "text/plain", "https://e.org/a.eml", "mail"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nx", "text/plain", "", "subtitles"),
        ("1\n00:00:01,000 --> 00:00:02,000\nx", "", "https://e.org/a.srt", "subtitles"),
        ("<article article-type='x'><body><p>x</p></body></article>", "text/xml", "", "article"),
        ("words ".encode("utf-16-le") * 9, "text/plain", "", "text"),
        ("words ".encode("utf-16-be") * 9, "", "", "text"),
        (pdf(["x"]).replace(b" obj", b"\r\nobj"), "", "", "pdf"),
    ],
)
def test_a_body_is_read_as_what_it_is(
    body: bytes | str, content_type: str, url: str, kind: str
) -> None:
    assert page(body, content_type, url).kind == kind


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (HTML, "text/html; charset=utf-8"),
        (HTML, "application/xhtml+xml"),
        (HTML, ""),
        (b"  <!-- a --><!-- b --> <HTML>", ""),
        (b'<?xml version="1.0"?><!DOCTYPE html><html>', "application/xml"),
        (HTML, "application/vnd.ms-excel"),
        (HTML, "application/pdf"),
        (HTML + b"\x00 a stray zero" + b"\x00".join([b"x" * 200] * 5), "text/html"),
    ],
)
def test_html_goes_to_the_html_reader_with_its_url_and_type(body: bytes, content_type: str) -> None:
    document = page(body, content_type, "https://e.org/")

    assert (document.title, document.content) == (
        f"https://e.org/ {content_type}".strip(),
        f"HTML {len(body)}",
    )


@pytest.mark.parametrize(
    ("body", "proven"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0 jpeg", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"ID3\x03\x00", "audio/mpeg"),
        (b"\x1f\x8b\x08\x00", "application/gzip"),
        (b"\x7fELF\x02", "application/x-executable"),
        (b"wOF2\x00", "font/woff2"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        (b"x" * 257 + b"ustar\x00", "application/x-tar"),
        (b"SQLite format 3\x00", "application/vnd.sqlite3"),
        (b"PK\x03\x04 and noise", "application/zip"),
    ],
)
@pytest.mark.parametrize("told", ["text/html", "text/plain", "", "application/json"])
def test_binary_body_is_refused_by_its_real_type(body: bytes, proven: str, told: str) -> None:
    assert error(body, told) == UnsupportedContent(content_type=proven)


@pytest.mark.parametrize(
    "told", ["text/plain", "text/markdown", "application/json", "text/csv", ""]
)
@pytest.mark.parametrize(
    "noise",
    [
        b"MZ\x00\x01",
        b"words\x00words",
        b"\x01\x02\x03",
        b"a" * 9000 + b"\x00" * 200,
        b"ab\x16" * 40,
    ],
)
def test_text_with_bytes_that_no_text_has_is_refused(noise: bytes, told: str) -> None:
    assert error(noise, told) == UnsupportedContent(content_type="application/octet-stream")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"port,tide\n" + b"Dover,high\x16\n" * 2 + b"Deal,low\n" * 40, "text/csv"),
        (b"tide\x00 of the log\n" * 3 + b"a line of the log\n" * 60, "text/plain"),
        (b"# Tides\n\nhigh\x01 " + b"and low " * 40, "text/markdown"),
    ],
)
def test_a_text_with_a_stray_byte_is_read_without_it(body: bytes, told: str) -> None:
    document = page(body, told)

    assert not set(document.content) & {"\x00", "\x01", "\x16"}
    assert any(note.startswith("removed ") for note in document.notes)


def test_a_pdf_that_has_lost_its_first_line_is_read() -> None:
    whole = pdf(["Hello"])

    assert page(whole[whole.index(b"\n") + 1 :], "application/pdf").content.endswith("Hello")


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b"...", "image/svg+xml", "image/svg+xml"),
        (b"...", "video/mp4; codecs=x", "video/mp4"),
        (b"data: x\n\n", "text/event-stream", "text/event-stream"),
        (b"...", "application/octet-stream", "application/octet-stream"),
        (b"...", "application/x-tar", "application/octet-stream"),
        (b"...", "x" * 5000, "x" * 100),
        (b"no mark at all", "application/pdf", "application/octet-stream"),
        (b"%PDF-1.7\n%\xe2\xe3 noise", "application/pdf", "application/octet-stream"),
        (b"no zip at all", f"{OFFICE}wordprocessingml.document", "application/octet-stream"),
        (b"\x00" * 500 + b"<p>x", "text/html", "application/octet-stream"),
        (b"<p>" + b"\x01\x02 x" * 50, "text/html", "application/octet-stream"),
    ],
)
def test_unsupported_types_are_refused(body: bytes, content_type: str, said: str) -> None:
    assert error(body, content_type) == UnsupportedContent(content_type=said)


@pytest.mark.parametrize("start", [b"", b"<html>", b"# Title\n\n", b"PK\x03\x04", b"%PDF-1.7\n"])
def test_noise_is_no_page_under_any_type_or_name_that_we_read(start: bytes) -> None:
    body = start + random.Random(1).randbytes(50_000)  # noqa: S311  noise
    types = [(kind, "") for media in MEDIA for kind in media.types.split()]
    names = [
        ("", f"https://e.org/a.{suffix}") for media in MEDIA for suffix in media.suffixes.split()
    ]
    for content_type, url in [
        *types,
        *names,
        ("", "https://e.org/"),
        ("text/html; charset=utf-8", ""),
    ]:
        assert isinstance(read(body, content_type, url or "https://e.org/"), Failure), (
            content_type,
            url,
        )


def test_a_pdf_may_have_something_before_its_mark() -> None:
    assert page(b"HTTP noise\n" + pdf(["Hello"]), "application/pdf").content == "## Page 1\n\nHello"


def test_nothing_at_all_is_an_empty_page() -> None:
    assert error(b"", "text/plain") == EmptyContent(reason="no_body")


def test_utf_16_is_text_with_its_mark_or_its_label() -> None:
    marked = page("\ufeffwide".encode("utf-16-le"), "text/plain")
    labelled = page("wide".encode("utf-16-le"), "text/plain; charset=utf-16le")

    assert (marked.content, labelled.content) == ("wide", "wide")


@pytest.mark.parametrize(
    "codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize(
    ("text", "url", "kind"),
    [
        ("From: a\nTo: b\nSubject: c\n\nx", "", "mail"),
        ("Subject: c\n\nsix words", "https://e.org/a.eml", "mail"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nx", "https://e.org/a.txt", "subtitles"),
        ("name,day\nAnn,Monday\n", "https://e.org/a.csv", "csv"),
        (
            "<?xml version='1.0' encoding='UTF-16'?><rss><channel><item><title>x</title></item></channel></rss>",
            "",
            "feed",
        ),
        (
            "<?xml version='1.0' encoding='UTF-16'?><article article-type='x'><body><p>x</p></body></article>",
            "https://e.org/a.xml",
            "article",
        ),
    ],
)
def test_wide_letters_are_read_as_narrow_ones_are(
    text: str, url: str, kind: str, codec: str
) -> None:
    wide = text.encode(codec)

    assert page(wide, "", url).kind == kind
    assert page(wide, "", url).content == page(text.replace("UTF-16", "UTF-8"), "", url).content


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32", "utf-32-le"])
def test_a_page_of_wide_letters_comes_to_the_html_reader_as_utf_8(codec: str) -> None:
    document = page(HTML.decode().encode(codec), "", "https://e.org/")

    assert document.content == f"HTML {len(codecs.BOM_UTF8 + HTML)}"


def test_numbers_of_four_bytes_are_no_text() -> None:
    numbers = b"".join(number.to_bytes(4, "little") for number in range(1, 30)) * 9

    assert isinstance(error(numbers, "text/plain"), UnsupportedContent)


@pytest.mark.parametrize(
    ("ending", "what"),
    [
        ("doc", "file of Word 6 or later"),
        ("ppt", "file of PowerPoint 97 or later"),
        ("xls", "xls file"),
    ],
)
def test_an_old_document_that_was_cut_short_is_corrupt_by_its_name(ending: str, what: str) -> None:
    body = compound({"WordDocument": b"x" * 9000})[:1024]

    assert error(body, "", f"https://e.org/a.{ending}") == ParseFailed(
        reason="corrupt", detail=f"it is not a whole {what}"
    )


@pytest.mark.parametrize(
    ("name", "told", "kept"),
    [
        ("a.ts", "video/mp2t", ""),
        ("a.org", "application/vnd.lotus-organizer", ""),
        ("a.svg", "image/svg+xml", "image/svg+xml"),
        ("a.html", "text/html", "text/html"),
    ],
)
def test_media_types_of_the_machine_count_for_unknown_suffixes(
    monkeypatch: pytest.MonkeyPatch, name: str, told: str, kept: str
) -> None:
    mimetypes.init()
    monkeypatch.setitem(mimetypes.types_map, name[1:], told)

    assert media_type_of_name(name) == kept


def test_every_kind_that_a_type_or_an_ending_names_has_a_reader() -> None:
    read_elsewhere = {"html", "mhtml", "compressed"}

    assert {row.kind for row in MEDIA} - {*READERS, *PACKAGE_READERS} == read_elsewhere
