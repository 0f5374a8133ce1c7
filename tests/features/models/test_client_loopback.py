"""The client over a real connection: streams in pieces, faults, deadlines, cancelling."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import httpx
import msgspec
import pytest
from returns.result import Failure

from tests import clock
from tests.clock import pass_time
from tests.features.models.chat import answer, chunk
from tests.features.models.clients import KEY, REQUEST, client, run, streamed, text_of
from tests.features.models.providers.asking import provider as declared_provider
from tests.http.servers import Server, Visit
from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.http.transport import FastTransport
from webseam.ports import (
    ConnectionLost,
    DeadlineExceeded,
    Delta,
    HttpStatus,
    NormalizedResponse,
    NotConfigured,
    WebError,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def framed(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(payload: object) -> bytes:
    return b"data: " + msgspec.json.encode(payload) + b"\n\n"


def reply(payload: object, status: str = "200 OK") -> bytes:
    body = msgspec.json.encode(payload)
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


STREAM = event(chunk({"content": "Grüße, "})) + event(chunk({"content": "Welt."}, "stop"))


@asynccontextmanager
async def talking(server: Server) -> AsyncIterator[ModelClient]:
    transport = FastTransport()
    try:
        yield client(transport, base_url=server.url("/v1"))
    finally:
        await transport.aclose()


def test_an_answer_over_a_real_connection() -> None:
    async def main() -> tuple[NormalizedResponse, bytes]:
        async with Server(reply(answer({"content": "Hi."}))) as server, talking(server) as model:
            result = await model.complete(REQUEST)
            return result.unwrap(), server.requests[0]

    response, request = run(main())

    assert response.content == "Hi."
    assert request.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"authorization: Bearer {KEY}".encode() in request


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_in_pieces_of_any_size(size: int) -> None:
    async def speak(visit: Visit) -> None:
        await visit.say(HEAD)
        for start in range(0, len(STREAM), size):
            await visit.say(framed(STREAM[start : start + size]))
        await visit.say(b"0\r\n\r\n")

    async def main() -> str:
        async with Server(speak) as server, talking(server) as model:
            items = await streamed(model)
            last = items[-1]
            assert not isinstance(last, Delta)
            assert last.unwrap().content == text_of(items)
            return text_of(items)

    assert run(main()) == "Grüße, Welt."


def test_a_piece_is_there_before_the_next_one_is_said() -> None:
    heard = asyncio.Event()

    async def speak(visit: Visit) -> None:
        await visit.say(HEAD + framed(event(chunk({"content": "first"}))))
        await heard.wait()
        await visit.say(framed(event(chunk({"content": "second"}, "stop"))) + b"0\r\n\r\n")

    async def main() -> list[str]:
        async with Server(speak) as server, talking(server) as model:
            words = []
            async for item in model.stream(REQUEST):
                if isinstance(item, Delta):
                    words.append(item.text)
                    heard.set()
            return words

    assert run(main()) == ["first", "second"]


def test_a_stream_that_breaks_off_takes_back_what_it_said() -> None:
    async def speak(visit: Visit) -> None:
        await visit.say(HEAD + framed(event(chunk({"content": "half"}))))
        visit.hang_up()

    async def main() -> list[object]:
        async with Server(speak) as server, talking(server) as model:
            return list(await streamed(model))

    assert run(main()) == [Delta(text="half"), Failure(ConnectionLost(backend="acme"))]


def test_a_busy_server_is_asked_again() -> None:
    busy = reply({"error": {"message": "slow down"}}, "429 Too Many Requests")

    async def main() -> tuple[str | None, int]:
        async with (
            Server(busy, reply(answer({"content": "Hi."}))) as server,
            talking(server) as model,
        ):
            result = await model.complete(REQUEST)
            return result.unwrap().content, len(server.requests)

    assert run(main()) == ("Hi.", 2)


@pytest.mark.parametrize("stream", [False, True])
def test_the_deadline_is_the_callers(*, stream: bool) -> None:
    async def hang(visit: Visit) -> None:
        await visit.say(HEAD if stream else b"")
        await asyncio.Event().wait()

    async def main() -> object:
        async with Server(hang) as server, talking(server) as model:
            request = msgspec.structs.replace(REQUEST, deadline=0.05)
            if stream:
                return (await streamed(model, request))[-1]
            return await model.complete(request)

    assert run(main()) == Failure(DeadlineExceeded(backend="acme", deadline=0.05))


def test_a_slow_reader_of_a_stream_is_not_interrupted_by_the_deadline() -> None:
    async def speak(visit: Visit) -> None:
        await visit.say(HEAD + framed(event(chunk({"content": "a"}))))
        await asyncio.Event().wait()

    async def main() -> tuple[object, object]:
        async with Server(speak) as server, talking(server) as model:
            items = model.stream(msgspec.structs.replace(REQUEST, deadline=10.0))
            first = await anext(items)
            # Whatever the reader does now takes as long as it takes.
            await pass_time(20)
            return first, await anext(items)

    assert clock.run(main()) == (
        Delta(text="a"),
        Failure(DeadlineExceeded(backend="acme", deadline=10.0)),
    )


async def speak_until_nobody_listens(visit: Visit) -> None:
    await visit.say(HEAD + framed(event(chunk({"content": "a"}))))
    while True:
        # Fails once the other side is gone, and then the server is done with the connection.
        await visit.say(framed(b": still here\n\n"))
        await asyncio.sleep(0)


def test_cancelling_closes_the_connection() -> None:
    requested = asyncio.Event()

    async def speak(visit: Visit) -> None:
        requested.set()
        await speak_until_nobody_listens(visit)

    async def main() -> tuple[bool, bool]:
        async with Server(speak) as server, talking(server) as model:
            call = asyncio.ensure_future(model.complete(REQUEST))
            await requested.wait()
            call.cancel()
            await asyncio.wait({call})
            return call.cancelled(), await server.idle()

    assert run(main()) == (True, True)


def test_leaving_a_stream_closes_the_connection() -> None:
    async def main() -> bool:
        async with Server(speak_until_nobody_listens) as server, talking(server) as model:
            async with aclosing(model.stream(REQUEST)) as items:
                async for _ in items:
                    break
            return await server.idle()

    assert run(main())


def missing_path(name: str, base_url: str) -> WebError:
    """Return what a call gets where the address answers 404 to each path."""

    async def main() -> WebError:
        declared = declared_provider(name)
        provider = declared.settle(declared, base_url)
        transport = httpx.MockTransport(lambda _: httpx.Response(404, json={"detail": "Not Found"}))
        model = client(transport, base_url=base_url, provider=provider)
        return (await model.complete(REQUEST)).failure()

    return run(main())


def test_an_address_without_the_responses_api_names_the_provider_that_does_without() -> None:
    elsewhere = missing_path("openai", "https://proxy.example/v1")

    assert isinstance(elsewhere, NotConfigured)
    assert "openai-chat" in elsewhere.message
    assert isinstance(missing_path("openai-chat", "https://proxy.example/v1"), HttpStatus)
    assert isinstance(missing_path("openai", "https://api.openai.com/v1"), HttpStatus)
