"""The two tools, called the way these tests do."""

import asyncio
from typing import cast

from returns.result import Result

from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.deps import RowPolicy
from webseam.ports import SearchOutcome, WebBackend, WebError, WebExtractResult
from webseam.ports.web import Query
from webseam.testing import FakeBackend

QUERY = {"query": "q"}
URL = "https://a.example/page"
GOOD: dict[str, object] = {"title": "A", "url": "https://a.example/", "snippet": "about a"}
ALSO_GOOD: dict[str, object] = {"title": "B", "url": "https://b.example/", "snippet": "about b"}


def search(
    backend: WebBackend, query: object = QUERY, rows: RowPolicy = "strict"
) -> Result[SearchOutcome, WebError]:
    return asyncio.run(web_search(cast("Query", query), WebDeps(backend=backend, rows=rows)))


def search_rows(*rows: object) -> Result[SearchOutcome, WebError]:
    return search(FakeBackend(rows=list(rows)))


def extract(backend: WebBackend, url: object = URL) -> Result[WebExtractResult, WebError]:
    return asyncio.run(web_extract(url, WebDeps(backend=backend)))
