"""What the runner keeps to for every service: where it asks, and what it does not ask at all."""

import asyncio
from collections.abc import Sequence

import httpx
import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.services.calls import Reply, ServiceCall
from webseam.adapters.services.declaration import Offer, Service, ServiceAddress, api_key
from webseam.adapters.services.operations import ExtractOperation, SearchOperation
from webseam.composition.wiring.service_backends import service_backend
from webseam.ports import InvalidUrl, NotConfigured, UntrustedRow, WebError, WebSearchQuery

SEEN: list[Reply] = []


def decode(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    SEEN.append(reply)
    return Success([])


def pages(_reply: Reply, urls: tuple[str, ...]) -> Result[Sequence[UntrustedRow], WebError]:
    return Success([{"url": url, "title": "", "content": "text"} for url in urls])


SEARCH = SearchOperation(
    encode=lambda _: ServiceCall(path="/v1/search"), decode=decode, format="text"
)
EXTRACT = ExtractOperation(
    encode=lambda _: ServiceCall(path="/v1/read"),
    decode=pages,
    batch=2,
    format="text",
    reads=lambda url: url.startswith("https://ours.example/"),
)
LIBRARY = Service(
    name="library",
    title="Library",
    address=ServiceAddress(base_url="https://api.example/v1"),
    options=(api_key("LIBRARY_KEY"),),
    offer=Offer(keyless=("search",)),
    search=SEARCH,
    extract=EXTRACT,
)


class Wire(httpx.AsyncBaseTransport):
    def __init__(self, body: bytes = b"{}") -> None:
        self.asked: list[str] = []
        self._body = body

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        return httpx.Response(200, content=self._body)


def search(wire: Wire, base_url: str = "") -> Result[object, WebError]:
    backend = service_backend(LIBRARY, {}, base_url=base_url, transport=wire).unwrap()
    return asyncio.run(backend.search(WebSearchQuery(query="q")))


def extract(wire: Wire, *urls: str, key: str = "k-0123456789") -> tuple[object, ...]:
    backend = service_backend(LIBRARY, {"api_key": key}, transport=wire).unwrap()
    return asyncio.run(backend.extract_many(urls))


@pytest.mark.parametrize(
    ("base_url", "endpoint"),
    [
        ("", "https://api.example/v1/search"),
        ("https://a.example", "https://a.example/v1/search"),
        ("https://a.example/", "https://a.example/v1/search"),
        ("https://a.example/proxy", "https://a.example/proxy/v1/search"),
        ("https://a.example/v1", "https://a.example/v1/search"),
        ("https://a.example/v1/search/", "https://a.example/v1/search"),
        ("https://v1", "https://v1/v1/search"),
        ("https://a.example/xv1", "https://a.example/xv1/v1/search"),
    ],
)
def test_an_address_is_taken_with_its_version_without_it_or_as_the_endpoint(
    base_url: str, endpoint: str
) -> None:
    wire = Wire()

    assert isinstance(search(wire, base_url), Success)
    assert wire.asked == [endpoint]


def test_a_reply_says_where_it_came_from_and_keeps_its_text_where_text_was_asked_for() -> None:
    search(Wire(b"[1]"), "https://a.example:8443/x")

    assert SEEN[-1].origin == "https://a.example:8443"
    assert (SEEN[-1].payload, SEEN[-1].text) == ([1], "[1]")


def test_a_page_that_the_service_does_not_know_is_not_asked_for() -> None:
    wire = Wire()
    ours = [f"https://ours.example/{n}" for n in range(3)]

    result = extract(wire, ours[0], "https://other.example/", ours[1], ours[2])

    assert [isinstance(page, Success) for page in result] == [True, False, True, True]
    assert len(wire.asked) == 2
    assert isinstance(result[1], Failure)
    assert result[1].failure() == InvalidUrl(
        reason="it is not one of the pages that this backend knows",
        url="https://other.example/",
        backend="library",
    )


def test_operation_that_needs_a_key_is_refused_before_the_call() -> None:
    wire = Wire()

    (page,) = extract(wire, "https://ours.example/1", key="")

    assert wire.asked == []
    assert isinstance(page, Failure)
    assert isinstance(page.failure(), NotConfigured)
    assert page.failure().settings == ("LIBRARY_KEY",)
    assert isinstance(search(wire), Success)
