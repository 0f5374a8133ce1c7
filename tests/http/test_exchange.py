"""The parser between socket and reader: bytes in, a head and chunks out."""

import asyncio
from itertools import pairwise

import httpx
import pytest
from hypothesis import given, settings, strategies as st

from webseam.adapters.http.exchange import Exchange, ResponseHead

CHUNKED = (
    b"HTTP/1.1 100 Continue\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-One: 1\r\n\r\n"
    b"5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n"
)
SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
UNFRAMED = b"HTTP/1.1 200 OK\r\nX-One: 1\r\n\r\nhello"


def take(*pieces: bytes, end: bool = False) -> tuple[ResponseHead, bytes, bool]:
    """Feed the pieces; return the head, the body and whether the connection may be kept."""

    async def main() -> tuple[ResponseHead, bytes, bool]:
        exchange = Exchange(asyncio.get_running_loop(), lambda: None)
        for piece in pieces:
            exchange.feed(piece)
        if end:
            exchange.feed_eof()
        head = await exchange.head
        body = b""
        while (chunk := await exchange.next_chunk()) is not None:
            body += chunk
        return head, body, exchange.keep_alive

    return asyncio.run(main())


@settings(deadline=None)
@given(st.lists(st.integers(0, len(CHUNKED)), max_size=20).map(sorted))
def test_however_an_answer_is_cut_it_is_the_same(cuts: list[int]) -> None:
    edges = [0, *cuts, len(CHUNKED)]
    pieces = [CHUNKED[a:b] for a, b in pairwise(edges)]

    head, body, keep = take(*pieces)

    assert head == ResponseHead(200, [(b"transfer-encoding", b"chunked"), (b"x-one", b"1")])
    assert (body, keep) == (b"hello world", True)


def test_a_body_with_a_length_ends_there() -> None:
    assert take(SIZED)[1:] == (b"hello", True)


def test_a_body_without_framing_ends_with_the_connection_and_is_not_kept() -> None:
    assert take(UNFRAMED, end=True)[1:] == (b"hello", False)


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_a_status_without_a_body_has_none(status: bytes) -> None:
    assert take(b"HTTP/1.1 " + status + b"\r\n\r\n")[1:] == (b"", True)


@pytest.mark.parametrize("surplus", [b"x", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!", b"H"])
@pytest.mark.parametrize("apart", [True, False])
def test_bytes_after_an_answer_end_the_connection(surplus: bytes, *, apart: bool) -> None:
    pieces = (SIZED, surplus) if apart else (SIZED + surplus,)

    assert take(*pieces)[1:] == (b"hello", False)


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (b"nonsense", httpx.RemoteProtocolError),
        (
            b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
            httpx.RemoteProtocolError,
        ),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 11, httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 501 + b"\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", httpx.RemoteProtocolError),
    ],
)
def test_an_answer_that_is_not_http_as_we_speak_it_is_refused(
    answer: bytes, raised: type[Exception]
) -> None:
    with pytest.raises(raised):
        take(answer)


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200", SIZED[:-1], CHUNKED[:-2]])
def test_an_answer_that_ends_too_early_is_a_loss(part: bytes) -> None:
    with pytest.raises(httpx.ReadError):
        take(part, end=True)


def test_framing_that_outweighs_its_body_is_refused() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    with pytest.raises(httpx.RemoteProtocolError, match="too large"):
        take(head, *([b"1;" + b"e" * 10_000 + b"\r\nx\r\n"] * 20))


def test_the_end_wakes_a_reader_that_waits() -> None:
    async def main() -> bytes | None:
        exchange = Exchange(asyncio.get_running_loop(), lambda: None)
        exchange.feed(SIZED[:-5])
        reading = asyncio.ensure_future(exchange.next_chunk())
        await asyncio.sleep(0)
        exchange.feed(b"hello")
        return await reading

    assert asyncio.run(main()) == b"hello"


def test_a_reader_that_catches_up_asks_for_more() -> None:
    resumed: list[bool] = []

    async def main() -> bool:
        exchange = Exchange(asyncio.get_running_loop(), lambda: resumed.append(True))
        exchange.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n" + bytes(300_000))
        wanted = exchange.wants_pause
        await exchange.next_chunk()
        return wanted

    assert asyncio.run(main())
    assert resumed == [True]


def test_the_rest_of_a_body_is_there_at_once_when_all_of_it_came() -> None:
    resumed: list[bool] = []

    async def main() -> tuple[bytes | None, bytes | None, bytes | None]:
        exchange = Exchange(asyncio.get_running_loop(), lambda: resumed.append(True))
        exchange.feed(SIZED[:-3])
        too_early = exchange.take_rest()
        exchange.feed(SIZED[-3:])
        return too_early, exchange.take_rest(), await exchange.next_chunk()

    assert asyncio.run(main()) == (None, b"hello", None)
    assert resumed == [True]


def test_an_answer_that_broke_off_has_no_rest() -> None:
    async def main() -> bytes | None:
        exchange = Exchange(asyncio.get_running_loop(), lambda: None)
        exchange.feed(SIZED[:-1])
        exchange.feed_eof()
        return exchange.take_rest()

    assert asyncio.run(main()) is None


@settings(deadline=None)
@given(data=st.binary(max_size=300), begun=st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n"]))
def test_any_bytes_end_the_exchange_and_none_raise(data: bytes, begun: bytes) -> None:
    async def main() -> None:
        exchange = Exchange(asyncio.get_running_loop(), lambda: None)
        exchange.feed(begun + data)
        exchange.feed_eof()
        assert exchange.is_over()

    asyncio.run(main())
