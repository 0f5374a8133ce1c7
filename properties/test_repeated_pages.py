"""One address in a list is one read, and a receipt that shares it says that it cost nothing."""

import asyncio
from pathlib import Path

from hypothesis import given, strategies as st
from returns.result import Failure, Result, Success

import webseam
from webseam.composition.tools.batch import REPEATED_WARNING, extract_tool_pages, page_key
from webseam.kernel import WebDeps, canonical_url
from webseam.ports.backends import PageAnswer, Served
from webseam.ports.errors import HttpStatus, WebError
from webseam.ports.receipts import Usage
from webseam.ports.web import WebExtractResult
from webseam.testing import FakeBackend

USAGE = Usage(input_tokens=3, cost=0.25)
URLS = [
    "https://a.example/x", "https://A.example:443/x#top", "https://a.example/%78",
    "https://a.example/x#/orders/1", "https://a.example/x#/orders/2", "https://a.example/y",
    "https://bücher.example/", "https://xn--bcher-kva.example", "https://a.example/missing",
    "https://a.example/x#token=sk-0123456789abcdefghij", "ftp://a.example/", "no url", "",
]  # fmt: skip
LISTS = st.lists(st.sampled_from(URLS), max_size=8)
Page = Result[WebExtractResult, WebError]


def answer(url: str) -> PageAnswer:
    if url.endswith("missing"):
        return Failure(HttpStatus(status=404))
    return Success(Served(answer={"url": url, "content": canonical_url(url)}, usage=USAGE))


def assert_read_once(urls: list[str], pages: list[Page], asked: list[str]) -> None:
    assert len(asked) == len(set(map(canonical_url, asked)))
    keys = [page_key(url) for url in urls]
    for index, (url, page) in enumerate(zip(urls, pages, strict=True)):
        found = page.value_or(None)
        if found is None:
            continue
        is_repeated = keys.index(keys[index]) < index
        assert (REPEATED_WARNING in found.receipt.warnings) is is_repeated
        assert found.receipt.usage == (None if is_repeated else USAGE)
        assert (found.url, found.content) == (url, canonical_url(url))


@given(LISTS)
def test_tool_reads_each_page_of_a_list_once(urls: list[str]) -> None:
    backend = FakeBackend(extract=answer)
    told: list[str] = []

    pages = asyncio.run(
        extract_tool_pages(urls, WebDeps(backend=backend), done=lambda url, _page: told.append(url))
    )

    assert_read_once(urls, pages, backend.extracted)
    assert sorted(told) == sorted(urls)
    alone = FakeBackend(extract=answer)
    for url, page in zip(urls, pages, strict=True):
        [single] = asyncio.run(extract_tool_pages([url], WebDeps(backend=alone)))
        assert isinstance(page, Success) is isinstance(single, Success), url


def test_client_reads_each_page_of_a_list_once(tmp_path: Path) -> None:
    backend = FakeBackend(extract=answer)

    async def read() -> list[Page]:
        environment = {"HOME": str(tmp_path)}
        async with webseam.open(backend=backend, environment=environment) as web:
            return await web.extract_many([*URLS, *URLS])

    pages = asyncio.run(read())

    assert_read_once([*URLS, *URLS], pages, backend.extracted)
