"""The fast transport against a server that says exactly what it is told to."""

import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx
import pytest

from tests import clock
from tests.http.servers import OK, Server, Visit, closing
from webseam.adapters.http.body import read_body
from webseam.adapters.http.connection import Connection
from webseam.adapters.http.dial import make_dialer
from webseam.adapters.http.request_writing import HttpOrigin, serialise_request
from webseam.adapters.http.transport import FastTransport, TransportTimes

Value = TypeVar("Value")
BODY = b'{"results":[]}'
CLOSING = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


def run(call: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(call)


async def post(transport: httpx.AsyncBaseTransport, url: str, content: bytes = b"") -> bytes:
    request = httpx.Request("POST", url, content=content)
    response = await transport.handle_async_request(request)
    try:
        return await read_body(response, 1 << 20)
    finally:
        await response.aclose()


def asking(
    *answers: bytes | Callable[[Visit], Awaitable[None]], times: int, most: int = 512
) -> tuple[list[bytes], int]:
    """Ask that many times, one after the other; return the bodies and how many connections."""

    async def main() -> tuple[list[bytes], int]:
        async with (
            Server(*answers) as server,
            closing(FastTransport(max_connections=most)) as transport,
        ):
            bodies = [await post(transport, server.url()) for _ in range(times)]
            return bodies, server.connections

    return run(main())


# -- reading


def large(letter: bytes) -> bytes:
    body = letter * 300_000
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def test_bodies_that_arrive_together_are_not_mixed_up() -> None:
    async def main() -> list[bytes]:
        answers = map(large, (b"a", b"b", b"c"))
        async with Server(*answers) as server, closing(FastTransport()) as transport:
            return await asyncio.gather(*(post(transport, server.url()) for _ in range(3)))

    assert sorted(run(main())) == [letter * 300_000 for letter in (b"a", b"b", b"c")]


def test_connections_share_a_buffer_with_those_of_their_own_thread_alone() -> None:
    async def lent() -> memoryview:
        return Connection().get_buffer(-1)

    with ThreadPoolExecutor(1) as another:
        there = another.submit(asyncio.run, lent()).result()

    here = run(lent())
    assert run(lent()).obj is here.obj
    assert there.obj is not here.obj


# -- keeping connections


def test_one_connection_serves_many_requests() -> None:
    assert asking(OK, times=5) == ([BODY] * 5, 1)


def test_a_connection_that_says_close_is_not_used_again() -> None:
    assert asking(CLOSING, times=3) == ([BODY] * 3, 3)


def test_an_answer_in_http_1_0_is_not_used_again() -> None:
    assert asking(OK.replace(b"HTTP/1.1", b"HTTP/1.0"), times=2) == ([BODY] * 2, 2)


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced() -> None:
    async def answer_and_hang_up(visit: Visit) -> None:
        await visit.say(OK)
        visit.hang_up()

    async def main() -> tuple[bytes, int]:
        async with (
            Server(answer_and_hang_up) as server,
            closing(FastTransport()) as transport,
        ):
            await post(transport, server.url())
            assert await server.idle()
            return await post(transport, server.url()), server.connections

    assert run(main()) == (BODY, 2)


def test_a_kept_connection_that_closes_as_it_is_used_is_asked_again_once_on_a_fresh_one() -> None:
    async def hang_up(visit: Visit) -> None:
        visit.hang_up()

    assert asking(OK, hang_up, OK, times=2) == ([BODY] * 2, 2)


def test_a_fresh_connection_that_closes_is_not_asked_again() -> None:
    async def hang_up(visit: Visit) -> None:
        visit.hang_up()

    async def main() -> int:
        async with Server(OK, hang_up) as server, closing(FastTransport()) as transport:
            await post(transport, server.url())
            with pytest.raises(httpx.ReadError):
                await post(transport, server.url())
            return len(server.requests)

    assert run(main()) == 3


def test_a_kept_connection_that_breaks_within_its_answer_is_not_asked_again() -> None:
    async def break_off(visit: Visit) -> None:
        await visit.say(b"HTTP/1.1 200 OK\r\nContent-")
        visit.hang_up()

    async def main() -> int:
        async with Server(OK, break_off) as server, closing(FastTransport()) as transport:
            await post(transport, server.url())
            with pytest.raises(httpx.ReadError):
                await post(transport, server.url())
            return len(server.requests)

    assert run(main()) == 2


def test_a_second_answer_that_nobody_asked_for_is_neither_read_nor_kept() -> None:
    evil = OK.replace(BODY, b'{"evil":[true]')

    assert asking(OK + evil, OK, times=2) == ([BODY] * 2, 2)


def test_bytes_after_the_answer_end_the_connection() -> None:
    assert asking(OK + b"surplus", OK, times=2) == ([BODY] * 2, 2)


def test_bytes_that_come_while_a_connection_rests_end_it() -> None:
    async def answer_twice(visit: Visit) -> None:
        await visit.say(OK)
        await asyncio.sleep(0.02)
        await visit.say(OK)

    async def main() -> tuple[bytes, int]:
        async with Server(answer_twice, OK) as server, closing(FastTransport()) as transport:
            await post(transport, server.url())
            assert await server.idle()
            return await post(transport, server.url()), server.connections

    assert run(main()) == (BODY, 2)


def test_an_answer_that_is_not_read_to_its_end_costs_its_connection() -> None:
    async def main() -> int:
        async with Server(OK[:-5], OK) as server, closing(FastTransport()) as transport:
            request = httpx.Request("POST", server.url())
            response = await transport.handle_async_request(request)
            await response.aclose()
            await response.aclose()
            await post(transport, server.url())
            return server.connections

    assert run(main()) == 2


def test_a_connection_that_rests_too_long_closes_itself() -> None:
    async def main() -> bool:
        async with (
            Server() as server,
            closing(FastTransport(times=TransportTimes(keep=0.01))) as transport,
        ):
            await post(transport, server.url())
            return await server.idle()

    assert run(main())


def test_closing_the_transport_closes_what_rests_and_what_comes_back_later() -> None:
    async def main() -> bool:
        async with Server() as server:
            transport = FastTransport()
            await asyncio.gather(*(post(transport, server.url()) for _ in range(5)))
            request = httpx.Request("POST", server.url())
            late = await transport.handle_async_request(request)
            await transport.aclose()
            await late.aread()
            await late.aclose()
            return await server.idle()

    assert run(main())


def test_a_transport_that_was_closed_can_be_used_again() -> None:
    async def main() -> list[bytes]:
        async with Server() as server, closing(FastTransport()) as transport:
            first = await post(transport, server.url())
            await transport.aclose()
            await transport.aclose()
            return [first, await post(transport, server.url())]

    assert run(main()) == [BODY] * 2


def test_a_connection_that_is_closed_before_it_is_asked_is_a_loss() -> None:
    async def main() -> None:
        async with Server() as server:
            wire = await make_dialer(2.0)(HttpOrigin("http", "127.0.0.1", server.port))
            wire.close()
            await wire.send(b"GET / HTTP/1.1\r\n\r\n", None)

    with pytest.raises(httpx.ReadError):
        run(main())


# -- how many at once


def test_no_more_connections_than_allowed_are_open_and_the_others_wait_their_turn() -> None:
    async def main() -> tuple[int, int]:
        async with Server() as server, closing(FastTransport(max_connections=3)) as transport:
            bodies = await asyncio.gather(*(post(transport, server.url()) for _ in range(30)))
            return len(bodies), server.connections

    assert run(main()) == (30, 3)


def test_resting_connections_to_other_hosts_make_room_for_new_ones() -> None:
    async def main() -> list[int]:
        async with (
            Server() as first,
            Server() as second,
            Server() as third,
            closing(FastTransport(max_connections=2)) as transport,
        ):
            servers = (first, second, third)
            for server in servers:
                await post(transport, server.url())
            assert await first.idle()
            await post(transport, third.url())
            return [server.open_now for server in servers]

    assert run(main()) == [0, 1, 1]


def test_hosts_that_are_not_visited_again_leave_nothing_behind() -> None:
    async def main() -> int:
        async with closing(FastTransport(times=TransportTimes(keep=0.01))) as transport:
            for _ in range(5):
                async with Server() as server:
                    await post(transport, server.url())
                    assert await server.idle()
            await asyncio.sleep(0)
            assert transport._pool is not None  # noqa: SLF001  what it holds is the question
            return transport._pool.resting  # noqa: SLF001

    assert run(main()) == 0


def test_a_large_body_that_is_read_at_once_leaves_its_connection_ready() -> None:
    large = b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + bytes(900_000)

    async def main() -> tuple[list[int], int]:
        async with Server(large, large, OK) as server, closing(FastTransport()) as transport:
            sizes = [len(await post(transport, server.url())) for _ in range(3)]
            return sizes, server.connections

    assert run(main()) == ([900_000, 900_000, len(BODY)], 1)


# -- cancellation


async def say_slowly(visit: Visit) -> None:
    for piece in (OK[:10], OK[10:60], OK[60:-5], OK[-5:]):
        await visit.say(piece)
        await asyncio.sleep(0)


async def cancel_after(transport: FastTransport, url: str, steps: int) -> None:
    task = asyncio.ensure_future(post(transport, url))
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})


def test_cancelling_at_any_moment_leaves_no_connection_and_no_turn_behind() -> None:
    async def main() -> tuple[int, bool]:
        async with Server(say_slowly) as server:
            transport, url = FastTransport(max_connections=5), server.url()
            for batch in range(20):
                steps = range(batch, batch + 25)
                await asyncio.gather(*(cancel_after(transport, url, step) for step in steps))
            good = await asyncio.gather(*(post(transport, url) for _ in range(50)))
            await transport.aclose()
            return good.count(BODY), await server.idle()

    assert run(main()) == (50, True)


def test_a_request_that_waits_for_its_turn_can_be_cancelled() -> None:
    async def main() -> bytes:
        async with (
            Server(OK[:-5], OK) as server,
            closing(FastTransport(max_connections=1)) as transport,
        ):
            request = httpx.Request("POST", server.url())
            holding = await transport.handle_async_request(request)
            waiting = asyncio.ensure_future(post(transport, server.url()))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait({waiting})
            await holding.aclose()
            return await post(transport, server.url())

    assert run(main()) == BODY


# -- event loops


def test_one_transport_serves_two_event_loops_in_a_row_and_warns_of_nothing() -> None:
    transport = FastTransport()

    async def main() -> bytes:
        async with Server() as server:
            return await post(transport, server.url())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bodies = [asyncio.run(main()), asyncio.run(main())]
        gc.collect()

    assert bodies == [BODY] * 2


# -- what goes out


def exactly(request: httpx.Request) -> bytes:
    async def main() -> bytes:
        async with Server() as server, closing(FastTransport()) as transport:
            request.url = request.url.copy_with(port=server.port)
            response = await transport.handle_async_request(request)
            await response.aclose()
            return server.requests[0]

    return run(main())


def test_the_request_on_the_wire_is_exactly_the_one_given() -> None:
    sent = exactly(
        httpx.Request(
            "POST",
            "http://127.0.0.1/search/é?q=a b&n=1",
            headers=[("Host", "api.example"), ("X-Key", "k"), ("X-Key", "l")],
            content=b"\x00body",
        )
    )

    assert sent == (
        b"POST /search/%C3%A9?q=a%20b&n=1 HTTP/1.1\r\n"
        b"Host: api.example\r\n"
        b"X-Key: k\r\n"
        b"X-Key: l\r\n"
        b"Content-Length: 5\r\n"
        b"\r\n"
        b"\x00body"
    )


def test_a_body_that_is_streamed_is_sent_whole_and_with_its_length() -> None:
    async def parts() -> Any:  # noqa: ANN401  an async generator of bytes
        yield b"one"
        yield b"two"

    sent = exactly(httpx.Request("POST", "http://127.0.0.1/", content=parts()))

    assert sent.endswith(b"Content-Length: 6\r\n\r\nonetwo")
    assert b"hunked" not in sent


@pytest.mark.parametrize(
    "header",
    [
        ("X-Key", "a\r\nEvil: 1"),
        ("X-Key", "a\nb"),
        ("X-Key", "a\rb"),
        ("X-Key", "a\0b"),
        ("X\r\nEvil: 1", "a"),
        ("X: 1\nEvil", "a"),
        ("X Key", "a"),
        ("", "a"),
    ],
)
def test_a_header_that_would_break_out_is_refused(header: tuple[str, str]) -> None:
    request = httpx.Request("GET", "http://127.0.0.1/", headers=[header])

    with pytest.raises(httpx.LocalProtocolError):
        serialise_request(request, b"")


@pytest.mark.parametrize("method", ["GET / HTTP/1.1\r\nEvil: 1\r\n\r\nGET", "G ET", "", "GÉT"])
def test_a_method_that_would_break_out_is_refused(method: str) -> None:
    with pytest.raises(httpx.LocalProtocolError):
        serialise_request(httpx.Request(method, "http://127.0.0.1/"), b"")


def test_only_http_and_https_are_spoken() -> None:
    with pytest.raises(httpx.UnsupportedProtocol):
        run(post(FastTransport(), "ftp://127.0.0.1/"))


# -- time


def test_a_head_that_does_not_come_in_time_is_a_read_timeout() -> None:
    async def main() -> None:
        times = TransportTimes(head=0.05)
        async with Server(b"HTTP/1.1 ") as server, closing(FastTransport(times=times)) as transport:
            await post(transport, server.url())

    with pytest.raises(httpx.ReadTimeout):
        run(main())


def test_no_limits_means_no_timers() -> None:
    async def main() -> bytes:
        times = TransportTimes(connect=None, head=None, idle=None)
        async with Server() as server, closing(FastTransport(times=times)) as transport:
            return await post(transport, server.url())

    assert run(main()) == BODY


def test_a_reader_that_is_slow_stops_the_sender_and_is_no_stall() -> None:
    size = 3_000_000
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size

    async def main() -> tuple[int, int]:
        times = TransportTimes(idle=60)
        async with (
            Server(head + bytes(size)) as server,
            closing(FastTransport(times=times)) as transport,
        ):
            request = httpx.Request("GET", server.url())
            response = await transport.handle_async_request(request)
            count = held = 0
            async for chunk in response.aiter_raw():
                count += len(chunk)
                held = max(held, len(chunk))
                if count < 400_000:
                    # Time for the sender to fill what there is to fill; then a long time.
                    await asyncio.sleep(0.1)
                    await clock.pass_time(90)
            await response.aclose()
            return count, held

    count, held = clock.run(main())

    assert count == size
    assert held <= 256 * 1024
