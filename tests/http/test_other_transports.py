"""The runner over transports that are not ours: the seam is httpx's."""

import asyncio

import httpx
from returns.result import Result

from webseam import json_backend
from webseam.adapters.http.transport import FastTransport
from webseam.kernel import WebDeps, web_search
from webseam.ports import SearchOutcome, WebError
from webseam.testing import FaultyServer


def search(
    server: FaultyServer, name: str, transport: httpx.AsyncBaseTransport
) -> Result[SearchOutcome, WebError]:
    async def main() -> Result[SearchOutcome, WebError]:
        async with transport:
            backend = json_backend(search_url=server.url(name), transport=transport).unwrap()
            return await web_search({"query": "q"}, WebDeps(backend=backend))

    return asyncio.run(main())


def test_httpx_own_transport_does_as_well(faulty_server: FaultyServer) -> None:
    outcome = search(faulty_server, "api_ok", httpx.AsyncHTTPTransport())

    assert [row.url for row in outcome.unwrap().rows] == ["https://example.com/"]


def test_its_failures_are_typed_too(faulty_server: FaultyServer) -> None:
    kinds = [
        search(faulty_server, name, httpx.AsyncHTTPTransport()).failure().kind
        for name in ("refused", "close_now", "not_http", "status_429", "api_truncated")
    ]

    assert kinds == [
        "connect_failed",
        "protocol_error",
        "protocol_error",
        "rate_limited",
        "bad_payload",
    ]


def test_a_mock_transport_is_enough(faulty_server: FaultyServer) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"results": []}))

    assert search(faulty_server, "ok", transport).unwrap().rows == ()


def test_ours_serves_an_httpx_client(faulty_server: FaultyServer) -> None:
    async def main() -> str:
        async with httpx.AsyncClient(transport=FastTransport()) as client:
            answer = await client.get(faulty_server.url("sliced"))
            return answer.text

    assert "MARKER-OK" in asyncio.run(main())


def test_ours_streams_to_an_httpx_client(faulty_server: FaultyServer) -> None:
    async def main() -> int:
        async with (
            httpx.AsyncClient(transport=FastTransport()) as client,
            client.stream("GET", faulty_server.url("endless_body")) as answer,
        ):
            count = 0
            async for chunk in answer.aiter_raw():
                count += len(chunk)
                if count > 1_000_000:
                    break
            return count

    assert asyncio.run(main()) > 1_000_000
