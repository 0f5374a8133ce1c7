"""Opening connections: addresses in a race, and what can go wrong."""

import asyncio
import gc
import socket
import ssl
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx
import pytest

from webseam.adapters.http.dial import connect_error, connect_host, make_dialer, tls_context
from webseam.adapters.http.error_mapping import (
    NameNotFound,
    NameServerFailed,
    SecureConnectionFailed,
)
from webseam.adapters.http.request_writing import HttpOrigin
from webseam.testing import FaultyServer

Value = TypeVar("Value")


def loop_knowing(*addresses: tuple[str, int]) -> type[asyncio.SelectorEventLoop]:
    """Return a loop in which any name has these addresses, and port 0 of them never answers."""

    class Loop(asyncio.SelectorEventLoop):
        async def getaddrinfo(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
            return [
                (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)
                for address in addresses
            ]

        async def sock_connect(self, sock: socket.socket, address: Any) -> None:  # noqa: ANN401
            if address[1] == 0:
                await asyncio.Event().wait()
            await super().sock_connect(sock, address)

    return Loop


def run_knowing(call: Coroutine[Any, Any, Value], *addresses: tuple[str, int]) -> Value:
    with asyncio.Runner(loop_factory=loop_knowing(*addresses)) as runner:
        return runner.run(call)


@pytest.fixture
def refused() -> Any:  # noqa: ANN401
    with socket.socket() as count:
        count.bind(("127.0.0.1", 0))
        yield count.getsockname()


@pytest.fixture
def listening() -> Any:  # noqa: ANN401
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()


async def peer_of(host: str = "name.example", port: int = 80) -> Any:  # noqa: ANN401
    with await connect_host(host, port) as connected:
        return connected.getpeername()


SILENT = ("127.0.0.1", 0)


def test_a_literal_address_is_connected_to_without_a_look_up(listening: tuple[str, int]) -> None:
    assert run_knowing(peer_of(*listening)) == listening


def test_a_name_with_one_address_is_connected_to(listening: tuple[str, int]) -> None:
    assert run_knowing(peer_of(), listening) == listening


def test_an_address_that_refuses_makes_way_for_the_next(
    refused: tuple[str, int], listening: tuple[str, int]
) -> None:
    assert run_knowing(peer_of(), refused, refused, listening) == listening


def test_an_address_that_is_silent_is_overtaken_by_the_next(listening: tuple[str, int]) -> None:
    assert run_knowing(peer_of(), SILENT, listening) == listening


def test_the_last_address_may_take_its_time(
    refused: tuple[str, int], listening: tuple[str, int]
) -> None:
    assert run_knowing(peer_of(), refused, listening) == listening


def test_connection_refused_by_every_address_is_refused(refused: tuple[str, int]) -> None:
    with pytest.raises(ConnectionRefusedError):
        run_knowing(peer_of(), refused, refused)


def test_a_name_without_addresses_cannot_be_connected_to() -> None:
    with pytest.raises(OSError, match="no address"):
        run_knowing(peer_of())


def test_two_winners_leave_one_socket(listening: tuple[str, int]) -> None:
    async def main() -> None:
        for _ in range(20):
            await peer_of()
        await asyncio.sleep(0)

    run_knowing(main(), *([listening] * 5))
    gc.collect()


def test_a_race_that_is_cancelled_at_any_moment_leaves_no_socket(
    listening: tuple[str, int],
) -> None:
    async def main() -> None:
        for steps in range(12):
            task = asyncio.ensure_future(peer_of())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
        await asyncio.sleep(0.01)

    run_knowing(main(), listening, listening)
    run_knowing(main(), listening)
    gc.collect()


def test_a_handshake_that_fails_closes_its_socket(faulty_server: FaultyServer) -> None:
    dial = make_dialer(2.0, ssl.create_default_context())
    origin = HttpOrigin("https", "127.0.0.1", faulty_server.ports["tls_plain"])

    async def main() -> None:
        await dial(origin)

    with pytest.raises(SecureConnectionFailed):
        asyncio.run(main())
    gc.collect()


def test_a_connection_that_takes_too_long_is_a_connect_timeout() -> None:
    with pytest.raises(httpx.ConnectTimeout):
        run_knowing(make_dialer(0.02)(HttpOrigin("http", "name.example", 80)), SILENT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (TimeoutError(), httpx.ConnectTimeout),
        (ssl.SSLCertVerificationError("x"), SecureConnectionFailed),
        (ssl.SSLError("x"), SecureConnectionFailed),
        (UnicodeError("x"), NameNotFound),
        (socket.gaierror(socket.EAI_NONAME, "x"), NameNotFound),
        (socket.gaierror(socket.EAI_AGAIN, "x"), NameServerFailed),
        (ConnectionRefusedError(), httpx.ConnectError),
        (OSError("x"), httpx.ConnectError),
    ],
)
def test_connection_errors_are_told_apart_by_type(
    raised: Exception, expected: type[Exception]
) -> None:
    if isinstance(raised, ssl.SSLCertVerificationError):
        raised.verify_message = "self-signed certificate"

    assert type(connect_error(raised)) is expected


def test_there_is_one_tls_context_and_it_verifies() -> None:
    context = tls_context()

    assert context is tls_context()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_name_that_cannot_be_encoded_is_not_found() -> None:
    with pytest.raises(NameNotFound):
        asyncio.run(make_dialer(1.0)(HttpOrigin("http", "a" * 64 + ".example", 80)))  # type: ignore[arg-type]
