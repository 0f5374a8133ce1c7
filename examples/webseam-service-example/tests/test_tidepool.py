"""Tidepool through the whole of webseam, over a transport that answers from a script."""

import asyncio
from typing import Any

import httpx

from webseam import WebDeps, service_backend, web_extract_many, web_search


class Wire(httpx.AsyncBaseTransport):
    """Answers every request with the same reply, and keeps what it was sent."""

    def __init__(self, body: object, status: int = 200) -> None:
        self.sent: list[httpx.Request] = []
        self._body, self._status = body, status

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return httpx.Response(self._status, json=self._body)


def deps(wire: Wire) -> WebDeps:
    made = service_backend("tidepool", {"api_key": "tp-0123456789"}, transport=wire, attempts=1)
    return WebDeps(backend=made.unwrap())


def search(wire: Wire, **query: object) -> Any:
    return asyncio.run(web_search({"query": "tides", **query}, deps(wire)))


def test_a_search_is_one_request_and_clean_rows() -> None:
    hit = {"name": "Spring <b>tides</b>", "link": "https://example.org/t", "date": "Mar 3, 2025"}
    wire = Wire({"hits": [hit]})

    outcome = search(wire, max_results=5, country="NZ", include_domains=["example.org"]).unwrap()

    assert str(wire.sent[0].url) == (
        "https://api.tidepool.example/v2/search?q=tides+site%3Aexample.org&limit=5&region=nz"
    )
    assert wire.sent[0].headers["authorization"] == "Bearer tp-0123456789"
    assert [(row.title, row.published_at) for row in outcome.rows] == [
        ("Spring tides", "2025-03-03")
    ]
    assert outcome.receipt.sent == ("country",)
    assert outcome.receipt.emulated == ("include_domains",)


def test_a_filter_that_tidepool_does_not_have_is_refused() -> None:
    wire = Wire({"hits": []})

    assert search(wire, language="de", country="AQ").failure().filters == ("country", "language")
    assert wire.sent == []


def test_a_row_without_a_link_is_refused_and_credits_that_are_gone_have_a_name() -> None:
    gone = {"error": {"code": "no_credits", "text": "Buy some"}}

    assert search(Wire({"hits": [{"name": "No link"}]})).failure().kind == "invalid_row"
    assert search(Wire(gone, 429)).failure().kind == "quota_exhausted"


def test_pages_are_matched_by_their_urls() -> None:
    urls = ["https://example.org/a", "https://example.org/b", "https://example.org/c"]
    wire = Wire({"pages": [{"url": urls[1], "markdown": "# B"}, {"url": urls[0], "markdown": ""}]})

    first, second, third = asyncio.run(web_extract_many(urls, deps(wire)))

    assert first.failure().kind == "empty_content"
    assert second.unwrap().content == "# B"
    assert third.failure().kind == "missing"
