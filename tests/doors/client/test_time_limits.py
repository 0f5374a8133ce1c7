"""The time limit that a user sets is the one that ends a search."""

import asyncio

import pytest
from returns.result import Success

import webseam
from tests.clock import pass_time, run

ANSWER = (
    b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{"results":[]}'
)


async def search_slowly(backend: str, seconds: float, limit: float) -> str:
    """Search a service that answers after ``seconds``; return how that ended."""
    asked, answers = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await answers.wait()
        writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    services = {
        "tavily": {"api_key": "tvly-made-up", "base_url": base},
        "json": {"search_url": f"{base}/search"},
    }
    settings = {"cache.enabled": False, "timeout": limit, "services": services}
    async with server, webseam.open(backend=backend, settings=settings, environment={}) as web:
        search = asyncio.ensure_future(web.search("tides"))
        await asked.wait()
        await pass_time(seconds)
        answers.set()
        outcome = await search
        return "answered" if isinstance(outcome, Success) else outcome.failure().kind


@pytest.mark.parametrize("backend", ["tavily", "json"])
def test_a_search_may_take_as_long_as_the_user_says(backend: str) -> None:
    assert run(search_slowly(backend, seconds=100, limit=120)) == "answered"


@pytest.mark.parametrize("backend", ["tavily", "json"])
def test_a_search_takes_no_longer_than_the_user_says(backend: str) -> None:
    assert run(search_slowly(backend, seconds=21, limit=20)) == "deadline_exceeded"
