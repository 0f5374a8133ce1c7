"""A result of the index can be read by whoever got it, whatever backend reads pages."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import webseam
from tests.features.index.shelf import PUMP
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.testing import FakeBackend

NOTE = IndexDocument(
    url="http://file.localhost/home/me/note.md", title="Note", text="Buy rye bread."
)
PAGE = "https://a.example/"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WEBSEAM_INDEX", str(tmp_path / "index.sqlite"))
    return tmp_path / "index.sqlite"


def fill(path: Path) -> None:
    index = DocumentIndex.open_writer(path).unwrap()
    index.add([NOTE, PUMP]).unwrap()
    index.close()


def extract(backend: FakeBackend, *urls: str) -> dict[str, Any]:
    async def ask() -> str:
        async with webseam.open(backend=backend) as web:
            return await web.call("web_extract", {"urls": list(urls)})

    envelope: dict[str, Any] = json.loads(asyncio.run(ask()))
    return envelope


def test_a_document_is_read_by_the_index(index: Path) -> None:
    fill(index)
    backend = FakeBackend(document="a page of the web")

    page = extract(backend, NOTE.url)

    assert page["data"]["results"][0]["content"] == "Buy rye bread."
    assert page["receipt"]["backend"] == "index"
    assert backend.extracted == []


def test_pages_and_documents_come_in_the_order_they_were_asked_for(index: Path) -> None:
    fill(index)
    backend = FakeBackend(document="a page of the web")

    pages = extract(backend, PAGE, NOTE.url, "https://b.example/")["data"]["results"]

    contents = [page["content"] for page in pages]
    assert contents == ["a page of the web", "Buy rye bread.", "a page of the web"]
    assert backend.extracted == [PAGE, "https://b.example/"]


def test_a_document_that_is_not_there_is_not_found(index: Path) -> None:
    fill(index)

    gone = extract(FakeBackend(document="x"), "http://file.localhost/etc/passwd")

    assert gone["failure"]["kind"] == "http_status"


@pytest.mark.usefixtures("index")
def test_without_an_index_it_says_so() -> None:
    page = extract(FakeBackend(document="x"), NOTE.url)

    assert page["failure"]["kind"] == "not_configured"
    assert "webseam index add" in page["error"]


@pytest.mark.parametrize(
    "url",
    ["https://file.localhost/note.md", "http://file.localhost:80/note.md", "http://localhost/"],
)
def test_no_other_address_of_this_machine_is_opened(index: Path, url: str) -> None:
    fill(index)
    backend = FakeBackend(document="x")

    assert extract(backend, url)["failure"]["kind"] == "url_denied"
    assert backend.extracted == []


def test_a_search_of_the_index_leads_to_a_page_that_can_be_read(index: Path) -> None:
    fill(index)

    async def loop() -> str:
        async with webseam.open(settings={"search_backend": "index"}) as web:
            [row] = (await web.search("rye bread")).unwrap().rows
            return (await web.extract(row.url)).unwrap().content

    assert asyncio.run(loop()) == "Buy rye bread."
