"""Files, folders and pages on their way into the index."""

from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.documents import IndexDocument, document_digest
from webseam.adapters.features.index.ingestion import IngestItem, SkippedDocument
from webseam.adapters.folder_files import (
    MAX_FILE_BYTES,
    SkipReason,
    file_path,
    file_url,
    is_web_address,
)
from webseam.composition.features.index.document_readers import (
    IndexReader,
    ReaderDeps,
    index_items,
    index_location,
    items_of_location,
    read_index_item,
)
from webseam.composition.settings.json_endpoints import Endpoints
from webseam.composition.settings.schema import Settings
from webseam.composition.wiring.backend_rows import Root
from webseam.kernel.policy import Policy
from webseam.ports import EmptyContent, ExtractReceipt, SourceUnreadable, WebError, WebExtractResult
from webseam.ports.pages import ReadPage

URL = "https://a.example/page"


def _page(url: str, content: str = "text", **metadata: object) -> WebExtractResult:
    return WebExtractResult(
        url=url,
        final_url=url,
        title="T",
        content=content,
        raw_content=content,
        metadata=dict(metadata),
        receipt=ExtractReceipt(
            backend="b",
            url=url,
            final_url=url,
            characters=4,
            compressed=False,
            compressed_characters=None,
        ),
    )


def _convert(content: bytes, name: str) -> Result[ReadPage, WebError]:
    if content == b"<html>":
        return Failure(EmptyContent())
    return Success(ReadPage(title="", content=f"converted {name}", published_at="2026-01-31T00:00"))


MEANS = ReaderDeps(read_page=lambda url: Success(_page(url)), convert=_convert)


def _read(
    path: Path, known: bytes | None = None
) -> Result[IndexDocument | SkippedDocument | None, WebError]:
    [item] = items_of_location(str(path))
    return read_index_item(item, known, MEANS)


def test_a_folder_is_its_documents_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    for name in ("b.md", "a.TXT", "old.doc", "x.bin", ".hidden.md", "sub/c.html", ".git/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "e.md").write_text("text")

    found = [
        Path(item.location).relative_to(tmp_path).as_posix()
        for item in items_of_location(str(tmp_path))
    ]

    assert found == ["a.TXT", "b.md", "old.doc", "sub/c.html"]


def test_an_item_that_two_sources_hold_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")

    assert len(index_items([str(tmp_path), str(tmp_path / "a.md"), URL, URL])) == 2


@pytest.mark.parametrize(
    ("named", "location"),
    [
        ("HTTPS://A.example:443/page#top", URL),
        ("https://", "https://"),
        ("/notes/a.md", "/notes/a.md"),
        ("http://file.localhost/notes/a%20b.md", "/notes/a b.md"),
    ],
)
def test_a_source_is_kept_under_one_spelling(named: str, location: str) -> None:
    assert index_location(named) == location


@pytest.mark.parametrize("path", ["/a b/ü.md", "/x%20y", "/n\udcffx.md", "/C:/x"])
def test_a_file_has_a_url_and_the_url_leads_back(path: str) -> None:
    url = file_url(Path(path))

    assert url.isascii()
    assert not is_web_address(url)
    assert file_path(url) == Path(path.removeprefix("/") if ":" in path else path)


def test_a_markdown_file_is_read_with_its_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: Cats\ndate: 2026-01-31\n---\nPurr.")

    assert _read(path).unwrap() == IndexDocument(
        url=file_url(path),
        location=str(path),
        source=str(path),
        title="Cats",
        text="Purr.",
        published="2026-01-31",
        digest=document_digest(path.read_bytes()),
    )


def test_a_file_of_another_kind_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")

    document = _read(path).unwrap()

    assert isinstance(document, IndexDocument)
    assert (document.title, document.text) == ("a.pdf", "converted a.pdf")
    assert document.published == "2026-01-31"


def test_a_file_that_is_as_it_was_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<html>")

    assert _read(path, document_digest(b"<html>")) == Success(None)
    assert _read(path) == Success(SkippedDocument(reason="empty", error=EmptyContent()))


@pytest.mark.parametrize(
    ("content", "reason", "words"),
    [(b" \n", "empty", "it has no text"), (b"\x00\x01", "unreadable", "it is not text")],
)
def test_a_file_without_text_is_not_wanted(
    tmp_path: Path, content: bytes, reason: SkipReason, words: str
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(content)

    error = SourceUnreadable(reason=words)
    assert _read(path) == Success(SkippedDocument(reason=reason, error=error))


def test_a_file_that_is_gone_is_not_wanted(tmp_path: Path) -> None:
    error = SourceUnreadable(reason="no such file or directory")

    assert _read(tmp_path / "gone.md") == Success(SkippedDocument(reason="gone", error=error))


def test_a_file_that_is_too_large_is_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    error = SourceUnreadable(reason="it is larger than 64 MiB")
    assert _read(path) == Success(SkippedDocument(reason="unreadable", error=error))


def test_a_page_is_kept_with_its_date() -> None:
    item = IngestItem(location=URL, url=URL, source=URL)
    dated = ReaderDeps(
        read_page=lambda url: Success(_page(url, published=5, date="2026-01-31T10:00Z")),
        convert=_convert,
    )

    assert read_index_item(item, None, dated).unwrap() == IndexDocument(
        url=URL, title="T", text="text", published="2026-01-31"
    )


@pytest.mark.parametrize(
    "answer", [Success(_page(URL, " ")), Failure(EmptyContent(reason="no_text"))]
)
def test_a_page_without_text_is_refused(answer: Result[WebExtractResult, WebError]) -> None:
    item = IngestItem(location=URL, url=URL, source=URL)
    means = ReaderDeps(read_page=lambda _: answer, convert=_convert)

    assert isinstance(read_index_item(item, None, means), Failure)


@pytest.mark.parametrize(
    ("name", "body", "text"),
    [
        (
            "a b#1.ipynb",
            b'{"cells": [{"cell_type": "markdown", "source": "# Tides"}], "nbformat": 4}',
            "# Tides",
        ),
        ("a\udcff.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHigh water\n", "[0:01] High water"),
    ],
)
def test_a_files_name_says_what_it_is(name: str, body: bytes, text: str) -> None:
    with IndexReader(Root(settings=Settings(), policy=Policy())) as room:
        page = room.convert(body, name).unwrap()

    assert page.content == text


def test_the_room_converts_files_and_reads_pages_where_it_may() -> None:
    page = b"<html><head><title>Cats</title></head><body><article><h1>Cats</h1><p>%b</p></article>"

    with IndexReader(Root(settings=Settings(), policy=Policy())) as room:
        document = room.convert(
            page % (b"Cats purr when they are content. " * 20), "cats.html"
        ).unwrap()
        denied = room.read_page("http://127.0.0.1/")

    assert "Cats purr" in document.content
    assert denied.failure().kind == "url_denied"


def test_the_room_says_when_its_backend_cannot_be_made() -> None:
    ends = Endpoints(extract_url="ftp://x")
    with IndexReader(Root(settings=Settings(), policy=Policy(), endpoints=ends)) as room:
        assert room.read_page(URL).failure().kind == "invalid_url"


@pytest.mark.parametrize(
    ("front", "published"),
    [
        ("date: 05.03.2024", "2024-03-05"),
        ("date: March 5, 2024", "2024-03-05"),
        ("date: 3/4/2024", None),
        ("lang: fr\ndate: 3/4/2024", "2024-04-03"),
        ("published: soon", None),
    ],
)
def test_the_date_in_front_matter_is_read_as_people_write_it(
    tmp_path: Path, front: str, published: str | None
) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"---\n{front}\n---\nPurr.")

    document = _read(path).unwrap()

    assert isinstance(document, IndexDocument)
    assert document.published == published
