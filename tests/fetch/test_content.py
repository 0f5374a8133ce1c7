"""Types and first bytes: what is worth reading, and what only says so."""

import pytest
from returns.result import Result

from webseam.adapters.pages.fetch.content import disguised_type, is_readable_type
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.ports import EmptyContent, UnsupportedContent, WebError
from webseam.ports.pages import Fetched

from .support import Site, opening, page, run, serving


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "text/html",
        "text/plain",
        "text/markdown",
        "text/csv",
        "text/xml",
        "text/x-rst",
        "application/xhtml+xml",
        "application/json",
        "application/ld+json",
        "application/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
        "application/pdf",
        "application/x-ndjson",
        "application/yaml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/epub+zip",
        "application/vnd.oasis.opendocument.text",
        "application/rtf",
        "message/rfc822",
        "multipart/related",
        "application/vnd.ms-outlook",
        "text/vtt",
        "application/zip",
        "application/gzip",
    ],
)
def test_a_page_a_feed_a_document_can_be_read(kind: str) -> None:
    assert is_readable_type(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "text/event-stream",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/wasm",
        "application/vnd.visio",
        "image/png",
        "image/svg+xml",
        "audio/mpeg",
        "video/mp4",
        "font/woff2",
        "multipart/x-mixed-replace",
        "model/x+xml",
        "nonsense",
    ],
)
def test_types_that_are_no_text_are_not_readable(kind: str) -> None:
    assert not is_readable_type(kind)


@pytest.mark.parametrize(
    ("body", "kind", "really"),
    [
        (b"\x89PNG\r\n\x1a\n...", "text/html", "image/png"),
        (b"\xff\xd8\xff\xe0", "text/plain", "image/jpeg"),
        (b"PK\x03\x04...", "text/html", "application/zip"),
        (b"GIF89a", "application/octet-stream", "image/gif"),
        (b"a\x01b", "application/octet-stream", "application/octet-stream"),
        (b"%PDF-1.7", "text/html; charset=utf-8", "application/pdf"),
        (b"\x7fELF\x02", "", "application/x-executable"),
        (b"a\x00b", "text/html", "application/octet-stream"),
        (b"\x00", "", "application/octet-stream"),
        (b"GIF89a", "application/pdf", "image/gif"),
        (b"{\\rtf1", "text/html", "application/rtf"),
        (b"GIF89a", "application/epub+zip", "image/gif"),
    ],
)
def test_a_body_that_is_something_else_is_found_out(body: bytes, kind: str, really: str) -> None:
    assert disguised_type(body, kind) == really


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<!doctype html>", "text/html"),
        (b"%PDF-1.7\x00", "application/pdf"),
        (b"%PDF-1.7", ""),
        (b"%PDF-1.7", "application/octet-stream"),
        (b"PK\x03\x04...", ""),
        (b"PK\x03\x04...", "binary/octet-stream"),
        (b"# Notes", "application/octet-stream"),
        (b"a\x01b", "text/plain"),
        (b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"<html>an error page", "application/pdf"),
        (b"\xff\xfeh\x00i\x00", "text/html"),
        (b"\xfe\xff\x00h\x00i", "text/plain"),
        (b"h\x00i\x00", "text/html; charset=UTF-16LE"),
        (b"a" * 2000 + b"\x00", "text/html"),
        (b"ID cards", "text/plain"),
        (b"{\\rtf1 x}", "text/rtf"),
        (b"PK\x03\x04", "application/epub+zip"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/x-gzip"),
        (b"w\x00o\x00r\x00d\x00s\x00", "text/plain"),
    ],
)
def test_an_honest_body_is_left_alone(body: bytes, kind: str) -> None:
    assert disguised_type(body, kind) is None


def fetched(reply: bytes) -> Result[Fetched, WebError]:
    async def fetch() -> Result[Fetched, WebError]:
        async with serving(Site(reply), "127.0.0.2") as port:
            fetcher = wire_page_fetcher(opening(f"127.0.0.2/32:{port}"))
            return await fetcher.fetch(f"http://127.0.0.2:{port}/")

    return run(fetch())


def test_an_unreadable_type_is_refused_before_its_body_comes() -> None:
    endless = (
        b"HTTP/1.1 200 OK\r\nContent-Type: Video/MP4; x=y\r\nContent-Length: 999999999\r\n\r\n"
    )

    error = fetched(endless).failure()

    assert isinstance(error, UnsupportedContent)
    assert error.content_type == "video/mp4"


def test_a_document_that_is_called_nothing_but_bytes_is_fetched() -> None:
    reply = page(b"%PDF-1.7 1 0 obj", kind="application/octet-stream")

    assert fetched(reply).unwrap().body == b"%PDF-1.7 1 0 obj"


@pytest.mark.parametrize("status", ["204 No Content", "205 Reset Content", "200 OK"])
def test_an_answer_without_a_body_is_empty(status: str) -> None:
    error = fetched(page(b"", status=status)).failure()

    assert isinstance(error, EmptyContent)
    assert error.reason == "no_body"
