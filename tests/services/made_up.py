"""A service of the tests' own, so that the runner is tested apart from any real one."""

import asyncio
from collections.abc import Sequence

from returns.result import Result, Success

from tests.services.imitation import Imitation
from webseam.adapters.services.calls import Reply, ServiceCall
from webseam.adapters.services.declaration import Service, ServiceAddress, api_key
from webseam.adapters.services.operations import (
    ExtractAsk,
    ExtractOperation,
    Paging,
    SearchAsk,
    SearchOperation,
)
from webseam.adapters.services.page_results import PageFailed
from webseam.composition.wiring.service_backends import service_backend
from webseam.kernel import WebDeps, web_search
from webseam.ports import HttpStatus, SearchOutcome, UntrustedRow, WebError
from webseam.ports.web import Query


def encode_search(ask: SearchAsk) -> ServiceCall:
    answer = (ask.count, ask.page, ask.offset, ask.token)
    return ServiceCall(
        method="GET",
        path="/search",
        parameters=tuple(zip(("count", "page", "offset", "token"), map(str, answer), strict=True)),
        headers=(("x-key", ask.access.key),),
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    rows = reply.payload["rows"] if isinstance(reply.payload, dict) else []
    return Success([{"title": "t", "url": f"https://a.example/{name}"} for name in rows])


def encode_extract(ask: ExtractAsk) -> ServiceCall:
    return ServiceCall(path="/extract", body=list(ask.urls))


def decode_extract(
    reply: Reply, _urls: tuple[str, ...]
) -> Result[Sequence[UntrustedRow | PageFailed], WebError]:
    assert isinstance(reply.payload, list)
    return Success([page if page.get("content") else failed(page["url"]) for page in reply.payload])


def failed(url: str) -> PageFailed:
    return PageFailed(url=url, error=HttpStatus(status=404))


def service(paging: Paging | None = None, batch: int = 2) -> Service:
    return Service(
        name="made_up",
        title="Made Up",
        address=ServiceAddress(base_url="https://made-up.example"),
        options=(api_key("MADE_UP_KEY"),),
        search=SearchOperation(encode=encode_search, decode=decode_search, paging=paging),
        extract=ExtractOperation(encode=encode_extract, decode=decode_extract, batch=batch),
    )


def search(
    declared: Service,
    replies: Sequence[dict[str, object]],
    *,
    keys: str | Sequence[str] = "key-0123456789",
    max_results: int | None = None,
    attempts: int = 1,
) -> tuple[Result[SearchOutcome, WebError], Imitation]:
    """Search over a server that gives these replies."""

    async def play() -> tuple[Result[SearchOutcome, WebError], Imitation]:
        imitation = Imitation(replies)
        async with imitation.running():
            backend = service_backend(
                declared, {"api_key": keys}, base_url=imitation.base_url, attempts=attempts
            ).unwrap()
            query: Query = {"query": "q", "max_results": max_results}
            outcome = await web_search(query, WebDeps(backend=backend))
            await backend.aclose()
        return outcome, imitation

    return asyncio.run(play())
